"""The errors of catalogs. All derive from :class:`viewscribe.errors.CatalogError`."""

from __future__ import annotations

from viewscribe.errors import CatalogError

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
    "NewerDocumentError",
    "ObjectNotFoundError",
    "StorageError",
    "UnknownOutcomeError",
    "UnknownSchemeError",
    "UnsafeServerError",
    "WrongKindError",
]


class ObjectNotFoundError(CatalogError):
    """No object of that name; the hint has the nearest ones."""


class DatabaseNotFoundError(ObjectNotFoundError):
    """No database of that name."""


class CatalogNotFoundError(ObjectNotFoundError):
    """No catalog of that name, or nothing at the place a catalog was said to be."""


class CatalogUnreachableError(CatalogError):
    """The server that holds the catalog did not answer. Nothing was written."""


class UnsafeServerError(CatalogError):
    """The server cannot keep two writers apart. Nothing was written."""


class WrongKindError(ObjectNotFoundError):
    """The name belongs to an object of another kind: a table where a view was meant."""


class AlreadyExistsError(CatalogError):
    """The name is taken; views and tables share one namespace."""


class BreakingChangeError(CatalogError):
    """A view was to be replaced by one that those who read it do not fit. Nothing was written."""


class DatabaseNotEmptyError(CatalogError):
    """A database that still holds objects was to be dropped without ``cascade``."""


class ConcurrentUpdateError(CatalogError):
    """Somebody else changed or dropped the object since it was read. Nothing was written."""


class UnknownOutcomeError(CatalogError):
    """The change was made visible but the system failed before it was sure to be durable.

    The catalog holds the old or the new state, never a mixture. Read the object again to learn
    which; saving the same document again is safe, because an identical replace changes nothing.
    """


class CatalogBusyError(CatalogError):
    """Another process held the catalog's write lock for too long. Nothing was written."""


class StorageError(CatalogError):
    """The file system refused (full, read-only, no permission, ...). Nothing was changed."""


class InvalidNameError(CatalogError):
    """A name that no catalog can hold."""


class InvalidDocumentError(CatalogError):
    """A document that cannot be stored as it is. Nothing was written."""


class UnknownSchemeError(CatalogError):
    """A catalog URL whose scheme nobody registered."""


class DamagedDocumentError(CatalogError):
    """A stored document that cannot be read: what is wrong, in which file, on which line."""

    def __init__(
        self, cause: str, *, path: str, line: int | None = None, hint: str | None = None
    ) -> None:
        place = f"{path}:{line}" if line is not None else path
        super().__init__(
            f"{place}: {cause}",
            hint=hint or "repair the document by hand, restore it, or drop the object",
        )
        self.cause = cause
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.cause, self.path, self.line, self.hint))


class NewerDocumentError(DamagedDocumentError):
    """A document written by a newer viewscribe than this one."""


def _rebuild(
    kind: type[DamagedDocumentError], cause: str, path: str, line: int | None, hint: str | None
) -> DamagedDocumentError:
    return kind(cause, path=path, line=line, hint=hint)
