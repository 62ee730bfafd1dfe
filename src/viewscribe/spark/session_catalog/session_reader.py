"""What a session tells of its catalog: databases, objects with their documents, lists of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents.model import (
    ObjectKind,
)
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    DatabaseNotFoundError,
)
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.names import is_ours
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import (
    no_database,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Unreadable
from viewscribe.spark.session import has_database, table_type
from viewscribe.spark.session_catalog import databases, functions
from viewscribe.spark.session_catalog.descriptions import Described, describe
from viewscribe.spark.session_catalog.listing import list_tables
from viewscribe.spark.session_catalog.names import Names
from viewscribe.spark.session_catalog.statements import (
    NO_DATABASE,
    NO_TABLE,
    RefusedError,
    Statements,
    refusals,
)
from viewscribe.spark.session_catalog.states import state_of

if TYPE_CHECKING:
    pass


class Reader:
    """Reads a catalog of a session.

    Args:
        statements: runs the SQL.
        names: how the session calls things.
        url: where it is, for messages.
    """

    def __init__(self, statements: Statements, names: Names, url: str) -> None:
        self._statements = statements
        self.names = names
        self.url = url

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        return sorted((self.spelled_database(each) for each in self.homes()), key=fold)

    def path(self, *names: str) -> str:
        """Where an object is, for messages."""
        return "/".join((self.url, *names))

    def homes(self) -> list[str]:
        """The names of all databases, as Spark has them."""
        return self.names.databases()

    def describe_database(self, home: str, name: str) -> databases.Told:
        """What Spark tells of a database, which its caller calls ``name``.

        Raises:
            DatabaseNotFoundError: there is none.
        """
        try:
            return databases.describe_database(self._statements, home)
        except RefusedError as error:
            if error.is_one_of(NO_DATABASE):
                raise no_database(name, self.list_databases()) from None
            raise

    def database(self, home: str, name: str) -> document_texts.Written:
        """The document of a database, which its caller calls ``name``.

        Raises:
            DatabaseNotFoundError: there is none.
        """
        told = self.describe_database(home, name)
        return databases.read_database(told, home, self.path(home))

    def spelled_database(self, home: str) -> str:
        """The name of a database as its writer spelled it."""
        try:
            spelled = str(self.database(home, home).document.name)
        except (DamagedDocumentError, DatabaseNotFoundError):
            return home
        return spelled if fold(spelled) == fold(home) else home

    def state_of(self, found: Any, path: str) -> State:
        """The object of what Spark tells."""
        if isinstance(found, Described):
            return state_of(self._statements, found, path)
        note = functions.read_note(self._statements, found.database, found.name)
        return functions.function_state(found, note, path)

    def find(self, kind: ObjectKind, home: str, name: str) -> Any:
        """What Spark tells of an object of that kind; None where there is none."""
        if kind == "function":
            return functions.describe_function(self._statements, home, name)
        found = self.table(home, name)
        return found if found is not None and found.object_kind == kind else None

    def kind_of(self, home: str, name: str) -> ObjectKind | None:
        """Whether a name is that of a view or a table, which costs less than its description."""
        with refusals():
            found = table_type(self._statements.spark, (self._statements.catalog, home, name))
        if found is None:
            return None
        if found != "VIEW":
            return "table"
        described = self.table(home, name)  # a view may stand for something else
        return None if described is None else described.object_kind

    def has_database(self, home: str) -> bool:
        """Whether there is a database of that name."""
        with refusals():
            return has_database(self._statements.spark, (self._statements.catalog, home))

    def table(self, home: str, name: str) -> Described | None:
        """What Spark tells of a table or view; None where there is none."""
        try:
            return describe(self._statements, home, name)
        except RefusedError as error:
            if error.is_one_of((*NO_TABLE, *NO_DATABASE)):
                return None
            raise

    def ids(self, home: str, name: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database."""
        spelled = str(self.database(home, name).document.name)
        return [
            ObjectId(spelled, called, each) for called, each, _ in self._list_objects(home, kind)
        ]

    def _list_objects(
        self, home: str, kind: ObjectKind | None
    ) -> list[tuple[str, ObjectKind, str]]:
        """Names as their writers spelled them, kinds, and names as Spark has them."""
        found: list[tuple[str, ObjectKind, str]] = []
        tables = list_tables(self._statements, home, own=self.names.is_own)
        cased = {each.name for each in tables if each.is_cased}
        if kind != "function":
            for each in tables:
                if is_ours(fold(each.name)):
                    continue
                called, what = each.name, each.kind
                if each.is_cased or each.is_noted:
                    described = self.table(home, each.name)
                    if described is None:
                        continue
                    called, what = self._spell(described), described.object_kind
                found.append((called, what, each.name))
        if kind in (None, "function"):
            for name in functions.function_names(self._statements, home):
                called = name
                if functions.note_name(name) in cased:
                    function = functions.describe_function(self._statements, home, name)
                    called = name if function is None else self._spell(function)
                found.append((called, "function", name))
        chosen = [each for each in found if kind is None or each[1] == kind]
        return sorted(chosen, key=lambda each: (fold(each[0]), each[1]))

    def _spell(self, found: Any) -> str:
        try:
            state = self.state_of(found, self.path(found.database, found.name))
        except DamagedDocumentError:
            return str(found.name)
        return str(state.written.document.name)

    def load(self, told: databases.Told, home: str) -> Iterator[Loaded | Unreadable]:
        """The documents of a database, its own first."""
        path = self.path(home)
        spelled = home
        try:
            read = databases.read_database(told, home, path)
            spelled = str(read.document.name)
            yield Loaded(ObjectId(spelled, spelled, "database"), path, read.document, read.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(home, home, "database"), path, error)
        for name, kind, low in self._list_objects(home, None):
            path = self.path(spelled, name)
            found = self.find(kind, home, low)
            if found is None:  # dropped meanwhile
                continue
            try:
                state = self.state_of(found, path)
            except DamagedDocumentError as error:
                yield Unreadable(ObjectId(spelled, name, kind), path, error)
            else:
                document = state.written.document
                id_ = ObjectId(spelled, document.name, kind)
                yield Loaded(id_, path, document, state.token, state.version)
