"""The errors of migrations."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import ViewscribeError


class MigrationError(ViewscribeError):
    """Anything that goes wrong with moving views between environments."""


class PlanFileError(MigrationError):
    """A file that is no migration plan, or a damaged one, or one of a newer viewscribe."""


class SelectionError(MigrationError):
    """A pattern that chooses nothing; the hint has names that are there."""


class PlanBlockedError(MigrationError):
    """A plan that found problems, or breaks something, cannot be applied. Nothing was written."""


class OutdatedPlanError(MigrationError):
    """The target is not what the plan was made for. Nothing was written."""


class PlanBusyError(MigrationError):
    """Another process is applying the plan or rolling it back. Nothing was written."""


class JournalError(MigrationError):
    """A journal that cannot be read or written, or that belongs to another plan."""


class ApplyFailedError(MigrationError):
    """A step failed. ``undone`` says what was taken back, ``standing`` what was not.

    Args:
        message: what failed.
        undone: the steps that were done and taken back.
        standing: the steps that were done and could not be taken back.
        hint: what to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        undone: Sequence[str] = (),
        standing: Sequence[str] = (),
        hint: str | None = None,
    ) -> None:
        stands = [f"stands: {each}" for each in standing]
        super().__init__(message, hint=hint, location="\n      ".join(stands) or None)
        self.undone = tuple(undone)
        self.standing = tuple(standing)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.message, self.undone, self.standing, self.hint))


def _rebuild(
    message: str, undone: Sequence[str], standing: Sequence[str], hint: str | None
) -> ApplyFailedError:
    return ApplyFailedError(message, undone=undone, standing=standing, hint=hint)
