"""Changes of the objects of a session's catalog, each checked before and looked at afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents import (
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    StorageError,
)
from viewscribe.catalog_store.hosted import texts
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    taken,
)
from viewscribe.catalog_store.names import fold
from viewscribe.spark.session_catalog import changing, creating, functions
from viewscribe.spark.session_catalog.described import Described
from viewscribe.spark.session_catalog.guard import Guard
from viewscribe.spark.session_catalog.reading import Reader
from viewscribe.spark.session_catalog.statements import (
    NO_DATABASE,
    TAKEN,
    RefusedError,
    Statements,
    no_views,
    settle,
)

if TYPE_CHECKING:
    pass

_FILES = {"parquet", "orc", "avro", "csv", "json", "text", "xml", "binaryfile", "delta", "hive"}


class Writer:
    """Writes to a catalog of a session.

    Args:
        statements: runs the SQL.
        reader: reads the catalog.
        guard: keeps writers apart.
    """

    def __init__(self, statements: Statements, reader: Reader, guard: Guard) -> None:
        self._statements = statements
        self._reader = reader
        self._guard = guard

    def writing(self, home: str, database: str) -> Any:
        """The turn to write to a database that is there."""
        self._reader.database(home, database)
        return self._guard.writing(home)

    def state_to_replace(self, document: ObjectDocument, home: str, name: str) -> tuple[State, Any]:
        """The object that a document is to replace. Raises ``ConcurrentUpdateError``."""
        self._reader.database(home, document.database)
        found: Any
        if isinstance(document, FunctionDocument):
            found = functions.describe_function(self._statements, home, name)
        else:
            found = self._reader.table(home, name)
        if found is None or (isinstance(found, Described) and found.object_kind != document.kind):
            raise conflict(label(document), gone=True)
        return self._reader.state_of(
            found, self._reader.path(document.database, document.name)
        ), found

    def make(self, written: texts.Written, before: State | None, home: str, name: str) -> None:
        """Make an object under a name that is free, with the history of ``before``."""
        document = written.document

        def make() -> None:
            if isinstance(document, FunctionDocument):
                functions.create_function(self._statements, written, before)
            else:
                creating.create(self._statements, written, creating.properties_of(written, before))

        settle(make, lambda: self._is(written, home, name), label(document))

    def change(self, written: texts.Written, before: State, found: Any) -> None:
        """Put ``written`` in the place of ``before``, of which Spark tells ``found``."""
        document = written.document

        def change() -> None:
            if isinstance(found, Described):
                if found.object_kind == "table" and document.format is not None:
                    self._refuse_change(found, document)
                changing.change(self._statements, found, before, written)
            else:
                note = functions.noted(self._statements, found.database, found.name)
                functions.change_function(self._statements, found, note, before, written)

        home, name = fold(document.database), fold(document.name)
        settle(change, lambda: self._is(written, home, name), label(document))
        if not self._is(written, home, name):  # somebody else wrote at the same time
            raise conflict(label(document), gone=False)

    def _is(self, written: texts.Written, home: str, name: str) -> bool:
        """Whether the object is, or was since, what was written."""
        kind = written.document.kind
        try:
            state, _ = self._reader.state(kind, home, name)
        except CatalogError:
            return False
        tokens = {each.token for each in state.history(kind, self._reader.path(home, name))}
        return written.token in tokens

    def drop(self, kind: ObjectKind, home: str, name: str, found: Any, what: str) -> None:
        """Drop an object; rows stay."""

        def drop() -> None:
            if isinstance(found, Described):
                self.refuse_rows(found)
                changing.drop(self._statements, found)
            else:
                functions.drop_function(self._statements, home, name)

        def is_gone() -> bool:
            if kind == "function":
                return functions.describe_function(self._statements, home, name) is None
            return self._reader.table(home, name) is None

        settle(drop, is_gone, f"end of the {what}")

    def require_free(self, document: ObjectDocument, home: str, name: str) -> None:
        """Raise ``AlreadyExistsError`` where something has the name."""
        if isinstance(document, FunctionDocument):
            if functions.describe_function(self._statements, home, name) is not None:
                raise taken(document)
            return
        found = self._reader.table(home, name)
        if found is not None:
            raise taken(document, found.object_kind)

    def refused(self, error: RefusedError, document: ObjectDocument, home: str) -> Exception:
        """What Spark's refusal to write means."""
        if error.is_one_of(NO_DATABASE):
            return no_database(document.database, self._reader.list_databases())
        if error.is_one_of((*TAKEN, *functions.FUNCTION_TAKEN)):
            return taken(document)
        return error

    def refuse_kind(self, document: ObjectDocument) -> None:
        """Other catalogs of a session have tables, which are made in Spark."""
        if self._reader.names.is_own:
            return
        if isinstance(document, ViewDocument):
            raise no_views(self._reader.url)
        raise StorageError(
            f"viewscribe does not make a {document.kind} in the catalog of {self._reader.url}",
            hint="make it in Spark: its tables are read here",
        )

    def refuse_rows(self, found: Described) -> None:
        """Raise ``StorageError`` for a table whose rows would go with it."""
        if found.type == "MANAGED" and fold(found.provider or "hive") in _FILES:
            raise StorageError(
                f"dropping the table {found.database}.{found.name} would delete its rows",
                hint="viewscribe never does that: drop it in Spark, DROP TABLE",
            )

    def _refuse_change(self, found: Described, document: Any) -> None:
        """A table that Spark keeps is not made anew."""
        if found.type == "MANAGED" and not changing.is_same_table(document, found):
            raise StorageError(
                f"the table {found.database}.{found.name} belongs to Spark with its rows",
                hint="change its columns in Spark: ALTER TABLE",
            )
