"""A database of a session's catalog, as the algorithm of all stores works with it.

Every change is checked before, and looked at afterwards; the writer's turn is held meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.catalog_store.documents.model import (
    DocumentKind,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import StorageError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedHome
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, taken_error
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import ObjectId
from viewscribe.spark.session_catalog import changing, creation, databases, functions
from viewscribe.spark.session_catalog.databases import Told
from viewscribe.spark.session_catalog.descriptions import Described
from viewscribe.spark.session_catalog.session_reader import Reader
from viewscribe.spark.session_catalog.statements import (
    TAKEN,
    RefusedError,
    Statements,
    no_views,
    settle,
)

_FILES = {"parquet", "orc", "avro", "csv", "json", "text", "xml", "binaryfile", "delta", "hive"}


class SessionHome(HostedHome):
    """A database of a session's catalog.

    Args:
        statements: runs the SQL.
        reader: reads the catalog.
        database: its name, as the caller spells it.
    """

    def __init__(self, statements: Statements, reader: Reader, database: str) -> None:
        super().__init__(database, reader.url)
        self.key = reader.names.database(database)
        """How the session calls it."""
        self._statements = statements
        self._reader = reader

    @property
    def name(self) -> str:
        held = self.read("database", self._database)
        assert held is not None
        return str(held.data.written.document.name)

    def kind_of(self, name: str) -> ObjectKind | None:
        found = self._reader.kind_of(*self._place("view", name))
        if found is None and not self._reader.has_database(self.key):
            self.found("database", self._database)  # which says that it is not there
        return found

    def list_ids(self, kind: ObjectKind | None = None) -> list[ObjectId]:
        return self._reader.ids(self.key, self._database, kind)

    def open_beside(self, database: str) -> SessionHome:
        found = SessionHome(self._statements, self._reader, database)
        found.found("database", database)  # raises where there is none
        return found

    def require_free(self, document: ObjectDocument) -> None:
        home, name = self._place(document.kind, document.name)
        if isinstance(document, FunctionDocument):
            if functions.describe_function(self._statements, home, name) is not None:
                raise taken_error(document)
            return
        found = self._reader.table(home, name)
        if found is not None:
            raise taken_error(document, found.object_kind)

    def create(self, written: document_texts.Written) -> None:
        """Create the database."""
        try:
            settle(
                lambda: databases.create_database(self._statements, written),
                lambda: self._was_written(written),
                label(written.document),
            )
        except RefusedError as error:
            if error.is_one_of(("SCHEMA_ALREADY_EXISTS", "NAMESPACE_ALREADY_EXISTS")):
                raise taken_error(written.document) from None
            raise

    def drop(self, *, cascade: bool) -> None:
        """Drop the database with all it holds but tables whose rows would go."""
        for each in self.list_ids("table"):
            found = self._reader.table(self.key, fold(each.name))
            if found is not None:
                _refuse_rows(found)
        settle(
            lambda: self._statements.execute(
                f"DROP DATABASE {self._statements.name(self.key)} CASCADE"
            ),
            lambda: self.key not in self._reader.homes(),
            f"end of the database {self._database}",
        )

    # --- what it is asked for ---

    def _find(self, kind: DocumentKind, name: str) -> Any:
        if kind == "database":
            return self._reader.describe_database(self.key, self._database)
        found = self._reader.find(kind, *self._place(kind, name))
        if found is None:
            self.found("database", self._database)  # which says that it is not there
        return found

    def _state(self, found: Any, path: str) -> State:
        if isinstance(found, Told):
            return State(databases.read_database(found, self.key, path), {})
        return self._reader.state_of(found, path)

    def _make(self, written: document_texts.Written, before: State | None) -> None:
        document = written.document
        self._refuse_kind(document)
        if isinstance(document, FunctionDocument):
            self.require_free(document)  # which Spark itself does of tables and views
        else:
            self._place(document.kind, document.name)  # raises where Spark cannot hold the name

        def make() -> None:
            if isinstance(document, FunctionDocument):
                functions.create_function(self._statements, written, before)
            else:
                creation.create(self._statements, written, creation.properties_of(written, before))

        self._settle(make, written)

    def _change(self, found: Any, before: State, written: document_texts.Written) -> None:
        document = written.document
        if isinstance(found, Told):
            self._settle(
                lambda: databases.change_database(self._statements, found, written), written
            )
            return
        self._refuse_kind(document)
        home, name = self._reader.names.place(document.kind, document.database, document.name)
        is_function = isinstance(document, FunctionDocument)
        if home != self.key or (is_function and fold(name) != fold(found.name)):
            self.open_beside(document.database)._make(written, before)
            self._drop(document.kind, found.name, found, before)
            return

        def change() -> None:
            if isinstance(found, Described):
                if found.object_kind == "table" and document.format is not None:
                    _refuse_change(found, document)
                changing.change(self._statements, found, before, written)
            else:
                note = functions.read_note(self._statements, found.database, found.name)
                functions.change_function(self._statements, found, note, before, written)

        self._settle(change, written)
        if not self._was_written(written):  # somebody else wrote at the same time
            raise conflict(label(document), gone=False)

    def _drop(self, kind: ObjectKind, name: str, found: Any, seen: State | None) -> None:
        """Drop an object; rows stay."""
        home, low = self._place(kind, name)

        def drop() -> None:
            if isinstance(found, Described):
                _refuse_rows(found)
                changing.drop(self._statements, found)
            else:
                functions.drop_function(self._statements, home, low)

        settle(
            drop,
            lambda: self._reader.find(kind, home, low) is None,
            f"end of the {kind} {self._database}.{name}",
        )

    def _place(self, kind: DocumentKind, name: str) -> tuple[str, str]:
        return self._reader.names.place(kind, self._database, name)

    def _settle(self, write: Callable[[], None], written: document_texts.Written) -> None:
        """Does ``write``, and says what a refusal of Spark's means."""
        document = written.document
        try:
            settle(write, lambda: self._was_written(written), label(document))
        except RefusedError as error:
            if error.is_one_of((*TAKEN, *functions.FUNCTION_TAKEN)):
                self.require_free(document)  # which says what has the name
                raise taken_error(document) from error
            raise

    def _refuse_kind(self, document: ObjectDocument) -> None:
        """Other catalogs of a session have tables, which are made in Spark."""
        if self._reader.names.is_own:
            return
        if isinstance(document, ViewDocument):
            raise no_views(self._url)
        raise StorageError(
            f"viewscribe does not make a {document.kind} in the catalog of {self._url}",
            hint="make it in Spark: its tables are read here",
        )


def _refuse_rows(found: Described) -> None:
    """Raise ``StorageError`` for a table whose rows would go with it."""
    if found.type == "MANAGED" and fold(found.provider or "hive") in _FILES:
        raise StorageError(
            f"dropping the table {found.database}.{found.name} would delete its rows",
            hint="viewscribe never does that: drop it in Spark, DROP TABLE",
        )


def _refuse_change(found: Described, document: Any) -> None:
    """A table that Spark keeps is not made anew."""
    if found.type == "MANAGED" and not changing.is_same_table(document, found):
        raise StorageError(
            f"the table {found.database}.{found.name} belongs to Spark with its rows",
            hint="change its columns in Spark: ALTER TABLE",
        )
