"""The errors of migrations."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import ViewscribeError


class MigrationError(ViewscribeError):
    """Base class of errors in moving views between environments."""


class PlanFileError(MigrationError):
    """A file is not a migration plan, is damaged, or was written by a newer viewscribe."""


class SelectionError(MigrationError):
    """A pattern matches nothing; the hint lists existing names."""


class PlanBlockedError(MigrationError):
    """The plan has problems or breaks views, so it cannot be applied. Nothing was written."""


class OutdatedPlanError(MigrationError):
    """The target has changed since the plan was made. Nothing was written."""


class PlanBusyError(MigrationError):
    """Another process is applying the plan or rolling it back. Nothing was written."""


class JournalError(MigrationError):
    """A journal cannot be read or written, or belongs to another plan."""


class ApplyFailedError(MigrationError):
    """A step failed.

    Args:
        message: what failed.
        undone: the steps that were applied and rolled back.
        standing: the steps that were applied and could not be rolled back.
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
