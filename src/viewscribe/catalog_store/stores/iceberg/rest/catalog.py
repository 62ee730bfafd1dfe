"""An Iceberg REST catalog as a catalog of views: what is stored there, Spark reads, and vice versa.

A view is stored with its text for Spark, its columns and its versions as Iceberg has them, and our
own documents beside, in its properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.errors import CatalogError, DamagedDocumentError
from viewscribe.catalog_store.factory import open_catalog
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedCatalog
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable
from viewscribe.catalog_store.stores.iceberg.rest.connection import Connection
from viewscribe.catalog_store.stores.iceberg.rest.errors import (
    NoAnswerError,
    NotThereError,
    RefusedError,
    translate_errors,
)
from viewscribe.catalog_store.stores.iceberg.rest.home import IcebergHome, namespace_names
from viewscribe.catalog_store.stores.iceberg.rest.view_store import ViewStore, object_id
from viewscribe.expressions.functions.of_catalogs import iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction


class IcebergCatalog(HostedCatalog):
    """The views of an Iceberg REST catalog.

    Args:
        url: the location, in the form that ``open_catalog`` takes, without passwords.
        name: what Spark calls the catalog, and pyiceberg's configuration, if it knows it.
        properties: properties of pyiceberg's client: ``uri``, ``warehouse``, ``credential`` …
    """

    def __init__(self, url: str, *, name: str, properties: Mapping[str, str] | None = None) -> None:
        self._url = url
        self.name_in_session = name
        """What Spark calls it, and so do the texts of views."""
        self._connection = Connection(name, properties or {})
        self._views = ViewStore(self._connection, name, url)

    @property
    def url(self) -> str:
        """``iceberg:`` and the address, or the name in pyiceberg's configuration."""
        return self._url

    @property
    def place(self) -> tuple[str, str]:
        """The address and the warehouse: catalogs at one place are the same."""
        return self._connection.place

    def __reduce__(self) -> tuple[object, ...]:
        if self._connection.was_given_secrets:
            raise TypeError(
                "a catalog that was opened with a credential in its URL is not copied: "
                "configure the credential in .pyiceberg.yaml or PYICEBERG_CATALOG__…"
            )
        return open_catalog, (self._url,)

    def __repr__(self) -> str:
        return f"IcebergCatalog({self._url!r})"

    def own_function(self, path: tuple[str, str, str]) -> UserFunction | None:
        """Returns one of Iceberg's functions, such as ``lake.system.bucket``."""
        return iceberg_function(path)

    def list_databases(self) -> list[str]:
        """The names of all databases: the namespaces that lie in no other."""
        with translate_errors(self._url):
            return namespace_names(self._connection)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Creates a database."""
        written = document_texts.write(document)
        with translate_errors(self._url):
            self._home(written.document.name).create(written)
        return written.token

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with translate_errors(self._url):
            for name in namespace_names(self._connection):
                if database is None or fold(name) == fold(database):
                    yield from self._load_database(name)

    # --- inside ---

    @contextmanager
    def _read_in(self, database: str) -> Iterator[IcebergHome]:
        with translate_errors(self._url):
            yield self._home(database)

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[IcebergHome]:
        with translate_errors(self._url):
            yield self._home(database)

    def _home(self, database: str) -> IcebergHome:
        return IcebergHome(self._connection, self._views, database, self._url)

    def _load_database(self, name: str) -> Iterator[Loaded | Unreadable]:
        home = self._home(name)
        yield self._loaded(ObjectId(name, name, "database"), home)
        try:
            views, tables = self._views.names(name), home.list_ids("table")
        except NotThereError:  # dropped meanwhile
            return
        for called, found in self._views.load_all(name, sorted(views, key=fold)):
            id_ = object_id(name, called)
            if isinstance(found, DamagedDocumentError):
                yield Unreadable(id_, self._path(id_), found)
                continue
            try:
                yield self._told(id_, self._views.line(found).state)
            except DamagedDocumentError as error:
                yield Unreadable(id_, self._path(id_), error)
        for each in tables:
            yield self._loaded(each, home)

    def _loaded(self, id_: ObjectId, home: IcebergHome) -> Loaded | Unreadable:
        try:
            held = home.read(id_.kind, id_.name)
            if held is None:
                raise DamagedDocumentError("it was dropped a moment ago", path=self._path(id_))
            return self._told(id_, held.data)
        except (RefusedError, NoAnswerError) as error:
            cause = f"the server does not give it: {error}"
            return Unreadable(
                id_, self._path(id_), DamagedDocumentError(cause, path=self._path(id_))
            )
        except CatalogError as error:
            return Unreadable(id_, self._path(id_), error)

    def _told(self, id_: ObjectId, state: State) -> Loaded:
        written = state.written
        return Loaded(id_, self._path(id_), written.document, written.token, written.version)

    def _path(self, id_: ObjectId) -> str:
        return "/".join((self._url, *(dict.fromkeys((id_.database, id_.name)))))
