"""A namespace of an Iceberg catalog, as the algorithm of all stores works with it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from viewscribe.catalog_store.documents.model import (
    DocumentKind,
    ObjectDocument,
    ObjectKind,
    TableDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    InvalidDocumentError,
    InvalidNameError,
    StorageError,
)
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedHome
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, no_database, not_empty, taken_error
from viewscribe.catalog_store.names import check_name, fold
from viewscribe.catalog_store.protocol import ObjectId
from viewscribe.catalog_store.stores.iceberg.rest import namespaces, tables
from viewscribe.catalog_store.stores.iceberg.rest.connection import Connection, name_in
from viewscribe.catalog_store.stores.iceberg.rest.errors import (
    ConflictError,
    NoAnswerError,
    NotThereError,
    RefusedError,
    UnreachableError,
    unknown_outcome,
)
from viewscribe.catalog_store.stores.iceberg.rest.namespaces import NamespaceRecord
from viewscribe.catalog_store.stores.iceberg.rest.records import FUNCTION, TableRecord, is_function
from viewscribe.catalog_store.stores.iceberg.rest.view_store import (
    GoneError,
    ViewStore,
    object_id,
    place_of,
)
from viewscribe.catalog_store.versioned import not_found_error
from viewscribe.errors import printable

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

    def create(self, written: document_texts.Written) -> None:
        """Creates the namespace. Raises ``AlreadyExistsError``."""
        document = written.document
        require_name("database", document.name)
        if self._spelled(document.name) is not None:
            raise taken_error(document)
        body = {"namespace": [document.name], "properties": namespaces.properties_of(written)}
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
            return namespaces.namespace_state(found, path)
        if isinstance(found, TableRecord):
            return tables.table_state(found, path)
        return self._views.line(found).state

    def _make(self, written: document_texts.Written, before: State | None) -> None:
        document = written.document
        self._refuse_kind(document)
        require_name(document.kind, document.name)
        self.require_free(document)
        namespace, name = self._namespace.name, place_of(document)[1]
        try:
            self._views.create(namespace, name, written, before)
        except NotThereError:
            raise no_database(self._database, self._names()) from None

    def _change(self, found: Any, before: State, written: document_texts.Written) -> None:
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

    def _was_created(self, written: document_texts.Written) -> bool:
        try:
            record = self._load_namespace(written.document.name)
            return namespaces.namespace_state(record, record.name).token == written.token
        except (CatalogError, NoAnswerError, RefusedError, UnreachableError):
            return False

    def _names(self) -> list[str]:
        return namespace_names(self._connection)

    def _spelled(self, name: str) -> str | None:
        return next((each for each in self._names() if fold(each) == fold(name)), None)

    def _change_namespace(self, before: State, written: document_texts.Written) -> None:
        """A server compares nothing here: what was read a moment ago is what is compared."""
        what = label(written.document)
        record = self._load_namespace(self._database)
        if namespaces.namespace_state(record, what).token != before.token:
            raise conflict(what, gone=False)
        body = namespaces.changes(record, written)
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
