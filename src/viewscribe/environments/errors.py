"""The errors of environments."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError
from viewscribe.secrets import mask_text


class EnvironmentFileError(ViewscribeError):
    """The environments file is invalid: ``path:line:column: cause``."""

    def __init__(
        self,
        cause: str,
        *,
        path: str,
        place: tuple[int, int] | None = None,
        hint: str | None = None,
    ) -> None:
        where = path if place is None else f"{path}:{place[0]}:{place[1]}"
        super().__init__(f"{where}: {cause}", hint=hint)
        self.cause = mask_text(cause)
        self.path = path
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.cause, self.path, self.place, self.hint))


class UnknownEnvironmentError(ViewscribeError):
    """No environment has this name; the hint suggests the nearest ones."""


class UnsetVariableError(ViewscribeError):
    """A variable of the file or of the process is not set."""


class AmbiguousNameError(ViewscribeError):
    """An environment's mapping assigns a name to no object, or to several."""


def _rebuild(
    cause: str, path: str, place: tuple[int, int] | None, hint: str | None
) -> EnvironmentFileError:
    return EnvironmentFileError(cause, path=path, place=place, hint=hint)
