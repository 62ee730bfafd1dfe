"""An Iceberg REST catalog as a catalog of views: what is stored there, Spark reads, and vice versa.

A view is stored with its text for Spark, its columns and its versions as Iceberg has them, and our
own documents beside, in its properties.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    TableDocument,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import (
    CatalogError,
    DamagedDocumentError,
    InvalidDocumentError,
    InvalidNameError,
    StorageError,
)
from viewscribe.catalog_store.factory import open_catalog
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    PREFIX,
    HostedCatalog,
    HostedHome,
    MissingPartError,
    State,
    is_kept,
    pack,
    unpack,
)
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    not_empty,
    not_found_error,
    taken_error,
)
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Token, Unreadable, check_name, fold
from viewscribe.catalog_store.stores.iceberg.rest.connection import (
    ConflictError,
    Connection,
    NoAnswerError,
    NotThereError,
    RefusedError,
    UnreachableError,
    name_in,
    translate_errors,
    unknown_outcome,
)
from viewscribe.catalog_store.stores.iceberg.rest.records import FUNCTION, TableRecord, is_function
from viewscribe.catalog_store.stores.iceberg.rest.states import (
    COMMENT,
    OF_STRANGE_DATA,
    user_properties,
)
from viewscribe.catalog_store.stores.iceberg.rest.view_store import (
    GoneError,
    ViewStore,
    object_id,
    place_of,
)
from viewscribe.catalog_store.stores.iceberg.types import columns_of, id_of
from viewscribe.errors import ViewscribeError, printable
from viewscribe.expressions.functions.of_catalogs import iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction

# Databases: the namespaces of an Iceberg catalog that lie in no other.

_DOCUMENT = f"{PREFIX}document"
_HASH = f"{PREFIX}hash"
_COMMENT, _LOCATION, _OWNER = "comment", "location", "owner"
_SYSTEM_PREFIXES = ("nessie.", "polaris.")


class NamespaceRecord(NamedTuple):
    """A namespace as it was loaded; ``name`` as the server spells it."""

    name: str
    properties: Mapping[str, str]


def properties_of(written: embedded_document.Written) -> dict[str, str]:
    """The properties of the namespace that stands for a database."""
    document: DatabaseDocument = written.document
    told = {_COMMENT: document.comment, _OWNER: document.owner, _LOCATION: document.location}
    found = {**document.properties, **{key: text for key, text in told.items() if text is not None}}
    return {**found, _DOCUMENT: pack(written.text), _HASH: content_hash(_told(found))}


def changes(record: NamespaceRecord, written: embedded_document.Written) -> dict[str, Any]:
    """What makes the namespace say ``written``."""
    updates = properties_of(written)
    removals = [
        each
        for each in record.properties
        if each not in updates and each != _LOCATION and not each.startswith(_SYSTEM_PREFIXES)
    ]
    return {"removals": removals, "updates": updates}


def namespace_state(record: NamespaceRecord, path: str) -> State:
    """The database: our document where it still holds, else what the properties say.

    Raises:
        DamagedDocumentError: our document is damaged, or newer than this viewscribe.
    """
    packed = record.properties.get(_DOCUMENT)
    if packed is not None and record.properties.get(_HASH) == content_hash(
        _told(record.properties)
    ):
        try:
            written = embedded_document.read(unpack(packed), "database", path)
        except MissingPartError as fault:
            raise DamagedDocumentError(str(fault), path=path) from None
        if written.document.location in (None, record.properties.get(_LOCATION)):
            return State(written, {})
    told = _told(record.properties)
    document = DatabaseDocument(
        name=record.name,
        comment=told.pop(_COMMENT, None),
        owner=told.pop(_OWNER, None),
        location=record.properties.get(_LOCATION),
        properties=told,
    )
    return State(embedded_document.write(document), {}, foreign=True)


def _told(properties: Mapping[str, str]) -> dict[str, str]:
    """What people say of it; a server adds a location by itself."""
    return {
        key: value
        for key, value in properties.items()
        if key != _LOCATION and not is_kept(key) and not key.startswith(_SYSTEM_PREFIXES)
    }


# Tables of an Iceberg catalog, which engines make: viewscribe reads their columns.
#
# They have no format here: Spark reads them by their names, through its own catalog.


def table_state(record: TableRecord, path: str) -> State:
    """The state of a table: its columns, comment and properties.

    Raises:
        DamagedDocumentError: Spark has no type for a column, or the metadata is none.
    """
    metadata = record.metadata
    try:
        current = metadata["current-schema-id"]
        schema = next(each for each in metadata["schemas"] if id_of(each) == current)
        properties = dict(metadata.get("properties") or {})
        document = TableDocument(
            database=record.namespace,
            name=record.name,
            comment=properties.get(COMMENT),
            columns=columns_of(schema),
            properties=user_properties(properties),
        )
        moment = int(metadata.get("last-updated-ms") or 0)
    except (StopIteration, *OF_STRANGE_DATA) as error:
        raise DamagedDocumentError(f"no Iceberg table metadata: {error!r}", path=path) from None
    except ViewscribeError as error:
        raise DamagedDocumentError(error.message, path=path, hint=error.hint) from None
    return State(embedded_document.write(document, unrecorded(1, moment)), {}, foreign=True)


# A namespace of an Iceberg catalog, as the algorithm of all stores works with it.

_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f]")


class IcebergHome(HostedHome):
    """A namespace.

    Args:
        connection: the catalog.
        views: its views.
        database: the name of the namespace, as the caller spells it.
        url: where the catalog is, for messages.
    """

    def __init__(self, connection: Connection, views: ViewStore, database: str, url: str) -> None:
        check_name(database, "database")
        super().__init__(database, url)
        self._connection = connection
        self._views = views

    @property
    def name(self) -> str:
        return self._namespace.name

    @property
    def _namespace(self) -> NamespaceRecord:
        found: NamespaceRecord = self.found("database", self._database)
        return found

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        home = self._namespace.name
        found = [object_id(home, each) for each in self._views.names(home)]
        if kind in (None, "table"):
            found += [ObjectId(home, each, "table") for each in self._table_names()]
        chosen = [each for each in found if kind in (None, each.kind)]
        return sorted(chosen, key=lambda each: (fold(each.name), each.kind))

    def open_beside(self, database: str) -> IcebergHome:
        beside = IcebergHome(self._connection, self._views, database, self._url)
        _ = beside._namespace  # raises where there is none
        return beside

    def create(self, written: embedded_document.Written) -> None:
        """Creates the namespace. Raises ``AlreadyExistsError``."""
        document = written.document
        require_name("database", document.name)
        if self._spelled(document.name) is not None:
            raise taken_error(document)
        body = {"namespace": [document.name], "properties": properties_of(written)}
        try:
            self._connection.post("namespaces", body=body)
        except ConflictError:
            raise taken_error(document) from None
        except NoAnswerError as error:
            if not self._was_created(written):
                raise unknown_outcome(label(document), error) from None

    def drop(self, *, cascade: bool) -> None:
        home = self._namespace.name
        if held := self.list_ids("table"):
            raise StorageError(
                f"the database `{home}` holds tables with rows: {held[0].name}",
                hint="drop them in Spark first",
            )
        for each in self._views.names(home):
            record = self._views.load(home, each)
            with suppress(GoneError):
                if record is not None:
                    self._views.drop(record, None, f"view {home}.{record.called}")
        try:
            self._connection.delete("namespaces", home)
        except NotThereError:
            raise no_database(self._database, self._names()) from None
        except ConflictError:
            if held := self.list_ids():
                raise not_empty(home, held) from None
            raise StorageError(
                f"the database `{home}` holds other namespaces", hint="drop them in Spark first"
            ) from None
        except NoAnswerError as error:
            if self._spelled(home) is not None:
                raise unknown_outcome(f"end of the database {home}", error) from None

    # --- what it is asked for ---

    def _find(self, kind: DocumentKind, name: str) -> Any:
        check_name(name, kind)
        if kind == "database":
            return self._load_namespace(name)
        if kind == "table":
            return self._find_table(name)
        prefix = FUNCTION if kind == "function" else ""
        spelled = f"{prefix}{name}"
        home = self._namespace.name
        found = self._views.load(home, spelled)
        if found is None:
            for each in self._views.names(home):
                if fold(each) == fold(spelled):
                    return self._views.load(home, each)
        return found

    def _state(self, found: Any, path: str) -> State:
        if isinstance(found, NamespaceRecord):
            return namespace_state(found, path)
        if isinstance(found, TableRecord):
            return table_state(found, path)
        return self._views.line(found).state

    def _make(self, written: embedded_document.Written, before: State | None) -> None:
        document = written.document
        self._refuse_kind(document)
        require_name(document.kind, document.name)
        self.require_free(document)
        namespace, name = self._namespace.name, place_of(document)[1]
        try:
            self._views.create(namespace, name, written, before)
        except NotThereError:
            raise no_database(self._database, self._names()) from None

    def _change(self, found: Any, before: State, written: embedded_document.Written) -> None:
        if isinstance(found, NamespaceRecord):
            self._change_namespace(before, written)
        else:
            self._refuse_kind(written.document)
            require_name(written.document.kind, written.document.name)
            self._views.change(found, written)

    def _drop(self, kind: ObjectKind, name: str, found: Any, seen: State | None) -> None:
        if isinstance(found, TableRecord):
            raise StorageError(
                f"dropping the table {self._database}.{name} would drop its rows",
                hint="drop it in Spark",
            )
        try:
            self._views.drop(found, seen, f"{kind} {self._database}.{name}")
        except GoneError:
            del self._found[kind, fold(name)]
            raise not_found_error(self, kind, self._database, name) from None

    # --- inside ---

    def _load_namespace(self, name: str) -> NamespaceRecord:
        """The namespace. Raises ``DatabaseNotFoundError``."""
        for spelled in (name, self._spelled(name)):
            if spelled is None:
                break
            try:
                answer = self._connection.get("namespaces", spelled)
            except NotThereError:
                continue
            properties = answer.get("properties") or {}
            if not isinstance(properties, dict):
                raise NoAnswerError("the properties of the namespace are none")
            return NamespaceRecord(spelled, {k: str(v) for k, v in properties.items()})
        raise no_database(name, self._names())

    def _was_created(self, written: embedded_document.Written) -> bool:
        try:
            record = self._load_namespace(written.document.name)
            return namespace_state(record, record.name).token == written.token
        except (CatalogError, NoAnswerError, RefusedError, UnreachableError):
            return False

    def _names(self) -> list[str]:
        return namespace_names(self._connection)

    def _spelled(self, name: str) -> str | None:
        return next((each for each in self._names() if fold(each) == fold(name)), None)

    def _change_namespace(self, before: State, written: embedded_document.Written) -> None:
        """A server compares nothing here: what was read a moment ago is what is compared."""
        what = label(written.document)
        record = self._load_namespace(self._database)
        if namespace_state(record, what).token != before.token:
            raise conflict(what, gone=False)
        body = changes(record, written)
        try:
            self._connection.post("namespaces", record.name, "properties", body=body)
        except NotThereError:
            raise conflict(what, gone=True) from None
        except NoAnswerError as error:
            if not self._was_created(written):
                raise unknown_outcome(what, error) from None

    def _table_names(self) -> list[str]:
        home = self._namespace.name
        found = self._connection.pages("namespaces", home, "tables", items="identifiers")
        return [name_in(each) for each in found]

    def _find_table(self, name: str) -> TableRecord | None:
        home = self._namespace.name
        found = self._load_table(home, name)
        if found is None:
            for each in self._table_names():
                if fold(each) == fold(name):
                    return self._load_table(home, each)
        return found

    def _load_table(self, home: str, name: str) -> TableRecord | None:
        try:
            answer = self._connection.get("namespaces", home, "tables", name)
        except NotThereError:
            return None
        return TableRecord(home, name, answer.get("metadata") or {})

    def _refuse_kind(self, document: ObjectDocument) -> None:
        if isinstance(document, TableDocument):
            raise InvalidDocumentError(
                f"the table {document.database}.{document.name} cannot be described here: an "
                "Iceberg catalog holds tables with rows, which an engine makes",
                hint="create it in Spark (CREATE TABLE … USING iceberg), or describe it in "
                "another catalog",
            )


def require_name(kind: DocumentKind, name: str) -> None:
    """Passes for a name that servers can hold, which use names in paths of files.

    Raises:
        InvalidNameError: it is none.
    """
    check_name(name, kind)
    if _UNFIT.search(name) or name in (".", ".."):
        raise InvalidNameError(
            f"an Iceberg catalog cannot hold the name `{printable(name)}` of a {kind}",
            hint="use no slashes and no control characters",
        )
    if kind == "view" and is_function(name):
        raise InvalidNameError(
            f"the name `{name}` is one that viewscribe uses itself", hint="use another name"
        )


def namespace_names(connection: Connection) -> list[str]:
    """The names of all databases, sorted ignoring case."""
    found = connection.pages("namespaces", items="namespaces")
    levels = (each for each in found if isinstance(each, list) and len(each) == 1)
    return sorted((each for (each,) in levels if isinstance(each, str) and each), key=fold)


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
        written = embedded_document.write(document)
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
