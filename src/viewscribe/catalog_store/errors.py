"""The errors of catalogs. All derive from :class:`viewscribe.errors.CatalogError`."""

from __future__ import annotations

from viewscribe.errors import CatalogError
from viewscribe.secrets import mask_text

__all__ = [
    "AlreadyExistsError",
    "BreakingChangeError",
    "CatalogBusyError",
    "CatalogError",
    "CatalogNotFoundError",
    "CatalogUnreachableError",
    "ConcurrentUpdateError",
    "DamagedDocumentError",
    "DatabaseNotEmptyError",
    "DatabaseNotFoundError",
    "InvalidDocumentError",
    "InvalidNameError",
    "LostTextError",
    "NewerDocumentError",
    "ObjectNotFoundError",
    "StorageError",
    "UnknownOutcomeError",
    "UnknownSchemeError",
    "UnsafeServerError",
    "WrongKindError",
]


class ObjectNotFoundError(CatalogError):
    """No object has this name; the hint suggests the nearest ones."""


class DatabaseNotFoundError(ObjectNotFoundError):
    """No database has this name."""


class CatalogNotFoundError(ObjectNotFoundError):
    """No catalog is registered under this name, or there is none at this location."""


class CatalogUnreachableError(CatalogError):
    """The server that holds the catalog did not answer. Nothing was written."""


class UnsafeServerError(CatalogError):
    """The server offers no way to detect concurrent writers. Nothing was written."""


class WrongKindError(ObjectNotFoundError):
    """The name belongs to an object of another kind: a table where a view was meant."""


class AlreadyExistsError(CatalogError):
    """The name is taken; views and tables share one namespace."""


class BreakingChangeError(CatalogError):
    """A view was to be replaced by one that those who read it do not fit. Nothing was written."""


class LostTextError(BreakingChangeError):
    """A view was to be replaced, and its text for another engine would be lost.

    ``dialect`` is the engine's.
    """

    dialect = ""


class DatabaseNotEmptyError(CatalogError):
    """A database to be dropped without ``cascade`` still holds objects."""


class ConcurrentUpdateError(CatalogError):
    """Somebody else changed or dropped the object since it was read. Nothing was written."""


class UnknownOutcomeError(CatalogError):
    """The change became visible, but the system failed before it was known to be durable.

    The catalog holds the old or the new state, never a mixture. Read the object again to find out
    which. Saving the same document again is safe, because an identical replace changes nothing.
    """


class CatalogBusyError(CatalogError):
    """Timed out waiting for another process to release the write lock. Nothing was written."""


class StorageError(CatalogError):
    """The file system failed (full, read-only, no permission, ...). Nothing was changed."""


class InvalidNameError(CatalogError):
    """No catalog can store an object of this name."""


class InvalidDocumentError(CatalogError):
    """The document cannot be stored as it is. Nothing was written."""


class UnknownSchemeError(CatalogError):
    """No kind of catalog is registered for the scheme of a URL."""


class DamagedDocumentError(CatalogError):
    """A stored document cannot be read; says what is wrong, in which file and on which line."""

    def __init__(
        self, cause: str, *, path: str, line: int | None = None, hint: str | None = None
    ) -> None:
        place = f"{path}:{line}" if line is not None else path
        super().__init__(
            f"{place}: {cause}",
            hint=hint or "repair the document by hand, restore it, or drop the object",
        )
        self.cause = mask_text(cause)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.cause, self.path, self.line, self.hint))


class NewerDocumentError(DamagedDocumentError):
    """A document was written by a newer version of viewscribe."""


def _rebuild(
    kind: type[DamagedDocumentError], cause: str, path: str, line: int | None, hint: str | None
) -> DamagedDocumentError:
    return kind(cause, path=path, line=line, hint=hint)
