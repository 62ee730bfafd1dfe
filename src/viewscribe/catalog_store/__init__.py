"""Catalogs: where views, tables and functions live when no session is running.

``open_catalog("file:./views")`` opens a catalog, ``CatalogManager`` resolves names across several
catalogs, and ``check`` finds problems in one. Importing this package loads neither YAML nor JSON
Schema; the first file catalog does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import (
    CheckConstraint,
    Column,
    DatabaseDocument,
    Dependency,
    Document,
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    Parameter,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import fingerprint, seal
from viewscribe.catalog_store.documents.versions import Change, Version
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogBusyError,
    CatalogError,
    CatalogNotFoundError,
    CatalogUnreachableError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    DatabaseNotEmptyError,
    DatabaseNotFoundError,
    InvalidDocumentError,
    InvalidNameError,
    NewerDocumentError,
    ObjectNotFoundError,
    StorageError,
    UnknownOutcomeError,
    UnknownSchemeError,
    UnsafeServerError,
    WrongKindError,
)
from viewscribe.catalog_store.factory import open_catalog, register_scheme
from viewscribe.catalog_store.manager import (
    DEFAULT_CATALOG,
    DEFAULT_DATABASE,
    CatalogManager,
    ObjectPath,
    Relation,
    Temporary,
)
from viewscribe.catalog_store.protocol import Catalog, Loaded, ObjectId, Stored, Token, Unreadable
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.catalog_store.view_checks import ChangedViewWarning

if TYPE_CHECKING:
    from viewscribe.catalog_store.checks import Finding, check
    from viewscribe.catalog_store.stores.files.catalog import FileCatalog

__all__ = [
    "DEFAULT_CATALOG",
    "DEFAULT_DATABASE",
    "AlreadyExistsError",
    "Catalog",
    "CatalogBusyError",
    "CatalogError",
    "CatalogManager",
    "CatalogNotFoundError",
    "CatalogUnreachableError",
    "Change",
    "ChangedViewWarning",
    "CheckConstraint",
    "Column",
    "ConcurrentUpdateError",
    "DamagedDocumentError",
    "DatabaseDocument",
    "DatabaseNotEmptyError",
    "DatabaseNotFoundError",
    "Dependency",
    "Document",
    "DocumentKind",
    "FileCatalog",
    "Finding",
    "FunctionDocument",
    "InvalidDocumentError",
    "InvalidNameError",
    "Loaded",
    "MemoryCatalog",
    "NewerDocumentError",
    "ObjectDocument",
    "ObjectId",
    "ObjectKind",
    "ObjectNotFoundError",
    "ObjectPath",
    "Parameter",
    "Relation",
    "StorageError",
    "Stored",
    "TableDocument",
    "Temporary",
    "Token",
    "UnknownOutcomeError",
    "UnknownSchemeError",
    "Unreadable",
    "UnsafeServerError",
    "Version",
    "ViewDocument",
    "WrongKindError",
    "check",
    "fingerprint",
    "open_catalog",
    "register_scheme",
    "seal",
]


_LATER = {
    "FileCatalog": "viewscribe.catalog_store.stores.files.catalog",
    "Finding": "viewscribe.catalog_store.checks",
    "check": "viewscribe.catalog_store.checks",
}
"""What few programs ask for, and where it is."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
