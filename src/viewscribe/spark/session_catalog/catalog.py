"""The catalog of a session: what viewscribe stores there is Spark's own, and vice versa.

Views, tables and functions are made by SQL statements and read by what Spark tells of them, with
our documents beside in properties, in the form that the Hive store gives them (``hive/kept.py``).
Nothing but ``session.sql`` is used, so a session of Spark Connect does as well as a classic one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.errors import (
    CatalogError,
    DamagedDocumentError,
    DatabaseNotFoundError,
    StorageError,
)
from viewscribe.catalog_store.hive import texts
from viewscribe.catalog_store.hive.names import is_ours
from viewscribe.catalog_store.hive.state import State
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    no_object,
    not_empty,
    taken,
    wrong_kind,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sealing import seal
from viewscribe.catalog_store.versions import Change, next_version
from viewscribe.spark.session_catalog import changing, creating, databases, functions
from viewscribe.spark.session_catalog.described import Described, describe
from viewscribe.spark.session_catalog.guard import LOCK_SECONDS, Guard
from viewscribe.spark.session_catalog.listing import list_tables
from viewscribe.spark.session_catalog.names import Names
from viewscribe.spark.session_catalog.statements import (
    NO_DATABASE,
    NO_TABLE,
    TAKEN,
    RefusedError,
    Statements,
    no_views,
    settle,
    told_by,
)
from viewscribe.spark.session_catalog.states import state_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FILES = {"parquet", "orc", "avro", "csv", "json", "text", "xml", "binaryfile", "delta", "hive"}


class SessionCatalog:
    """A catalog that a running session knows.

    Args:
        spark: the session, classic or Connect.
        name: the catalog's name in the session; the current one by default.
        lock_timeout: how many seconds to wait for writers of other processes.
        shared: whether other processes write to the catalog; by default they do unless it is in
            the memory of this process's own Spark.
    """

    def __init__(
        self,
        spark: SparkSession,
        name: str | None = None,
        *,
        lock_timeout: float = LOCK_SECONDS,
        shared: bool | None = None,
    ) -> None:
        if name is None:
            name = str(spark.sql("SHOW CURRENT NAMESPACE").collect()[0][0])
        self.name_in_session = name
        """What the session calls it, and so do the texts of views."""
        self._statements = Statements(spark, name)
        self._names = Names(self._statements)
        self._guard = Guard(self._statements, lock_timeout, shared)

    @property
    def url(self) -> str:
        """``spark:`` and the catalog's name in the session."""
        return f"spark:{self.name_in_session}"

    @property
    def session(self) -> SparkSession:
        """The session."""
        return self._statements.spark

    def __repr__(self) -> str:
        return f"SessionCatalog({self.name_in_session!r})"

    # --- databases ---

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with told_by(self.url):
            return sorted((self._spelled_database(each) for each in self._databases()), key=fold)

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with told_by(self.url):
            found = self._read_database(self._names.database(name), name)
            return Stored(found.document, found.token)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = texts.write(document)
        with told_by(self.url):
            home = self._names.database(written.document.name)
            try:
                settle(
                    lambda: databases.create_database(self._statements, written),
                    lambda: self._read_database(home, home).token == written.token,
                    label(document),
                )
            except RefusedError as error:
                if error.is_one_of(("SCHEMA_ALREADY_EXISTS", "NAMESPACE_ALREADY_EXISTS")):
                    raise taken(document) from None
                raise
        return written.token

    def replace_database(self, document: DatabaseDocument, *, expected: Token) -> Token:
        """Replace a database's document if its token is still ``expected``."""
        written = texts.write(document)
        with told_by(self.url):
            home = self._names.database(written.document.name)
            try:
                with self._guard.writing(home):
                    told = databases.describe_database(self._statements, home)
                    if databases.read_database(told, home, self._path(home)).token != expected:
                        raise conflict(label(document), gone=False)
                    settle(
                        lambda: databases.change_database(self._statements, told, written),
                        lambda: self._read_database(home, home).token == written.token,
                        label(document),
                    )
            except RefusedError as error:
                if error.is_one_of(NO_DATABASE):
                    raise conflict(label(document), gone=True) from None
                raise
        return written.token

    def drop_database(self, name: str, *, cascade: bool = False) -> None:
        """Drop a database, with ``cascade`` also all it holds but tables whose rows would go."""
        with told_by(self.url):
            home = self._names.database(name)
            objects = self._ids(home, name)
            if objects and not cascade:
                raise not_empty(name, objects)
            for each in objects:
                if each.kind == "table":
                    self._refuse_rows(describe(self._statements, home, fold(each.name)))
            try:
                settle(
                    lambda: self._statements.run(
                        f"DROP DATABASE {self._statements.name(home)} CASCADE"
                    ),
                    lambda: home not in self._databases(),
                    f"end of the database {name}",
                )
            except RefusedError as error:
                if error.is_one_of(NO_DATABASE):
                    raise no_database(name, self.list_databases()) from None
                raise

    # --- objects ---

    def get(self, kind: ObjectKind, database: str, name: str) -> Stored[Any]:
        """The document and its token."""
        with told_by(self.url):
            return self._state(kind, database, name)[0].stored()

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        written = texts.write(document, next_version(None, change, "create"))
        sealed = written.document
        with told_by(self.url):
            home, name = self._names.place(sealed.kind, sealed.database, sealed.name)
            self._refuse_kind(sealed)
            try:
                with self._guard.writing(home):
                    self._require_free(sealed, home, name)
                    self._make(written, None, home, name)
            except RefusedError as error:
                raise self._refused(error, sealed, home) from error
        return written.token

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed = seal(document)
        with told_by(self.url):
            home, name = self._names.place(sealed.kind, sealed.database, sealed.name)
            self._refuse_kind(sealed)
            try:
                with self._guard.writing(home):
                    before, found = self._state_to_replace(sealed, home, name)
                    if before.token != expected:
                        raise conflict(label(sealed), gone=False)
                    if before.says(sealed):
                        return expected
                    written = texts.write(sealed, next_version(before.version, change, "replace"))
                    self._change(written, before, found)
            except RefusedError as error:
                raise self._refused(error, sealed, home) from error
        return written.token

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state. Rows stay."""
        what = f"{kind} {database}.{name}"
        with told_by(self.url):
            home, low = self._names.place(kind, database, name)
            with self._writing(home, database):
                if expected is None:
                    found = self._find(kind, database, name)
                else:
                    state, found = self._state(kind, database, name)
                    if state.token != expected:
                        raise conflict(what, gone=False)
                self._drop(kind, home, low, found, what)

    def rename(
        self,
        kind: ObjectKind,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None = None,
        change: Change | None = None,
    ) -> Token:
        """Give the object another database and name."""
        what = f"{kind} {database}.{name}"
        with told_by(self.url):
            home, low = self._names.place(kind, database, name)
            check_new_name(kind, to)
            target = self._names.place(kind, *to)
            with self._writing(home, database):
                before, found = self._state(kind, database, name)
                if expected is not None and before.token != expected:
                    raise conflict(what, gone=False)
                self._read_database(target[0], to[0])
                document = renamed(before.written.document, to)
                if target != (home, low):
                    self._require_free(document, *target)
                version = next_version(
                    before.version, rename_change(change, database, name), "rename"
                )
                written = texts.write(document, version)
                try:
                    if target == (home, low) or (kind != "function" and target[0] == home):
                        self._change(written, before, found)
                    else:
                        self._make(written, before, *target)
                        self._drop(kind, home, low, found, what)
                except RefusedError as error:
                    raise self._refused(error, document, target[0]) from error
        return written.token

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """The versions of the object that are kept, the oldest first."""
        with told_by(self.url):
            return self._state(kind, database, name)[0].history(kind, self._path(database, name))

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with told_by(self.url):
            return self._ids(self._names.database(database), database, kind)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with told_by(self.url):
            homes = self._databases() if database is None else [self._names.database(database)]
            for home in homes:
                try:
                    told = databases.describe_database(self._statements, home)
                except RefusedError as error:
                    if error.is_one_of(NO_DATABASE):
                        continue
                    raise
                yield from self._load(told, home)

    # --- inside: reading ---

    def _path(self, *names: str) -> str:
        return "/".join((self.url, *names))

    def _databases(self) -> list[str]:
        return self._names.databases()

    def _read_database(self, home: str, name: str) -> texts.Written:
        try:
            told = databases.describe_database(self._statements, home)
        except RefusedError as error:
            if error.is_one_of(NO_DATABASE):
                raise no_database(name, self.list_databases()) from None
            raise
        return databases.read_database(told, home, self._path(home))

    def _spelled_database(self, home: str) -> str:
        try:
            spelled = str(self._read_database(home, home).document.name)
        except (DamagedDocumentError, DatabaseNotFoundError):
            return home
        return spelled if fold(spelled) == fold(home) else home

    def _state(self, kind: ObjectKind, database: str, name: str) -> tuple[State, Any]:
        found = self._find(kind, database, name)
        return self._state_of(found, self._path(database, name)), found

    def _state_of(self, found: Any, path: str) -> State:
        if isinstance(found, Described):
            return state_of(self._statements, found, path)
        note = functions.noted(self._statements, found.database, found.name)
        return functions.function_state(found, note, path)

    def _find(self, kind: ObjectKind, database: str, name: str) -> Any:
        """What Spark tells of an object that is there."""
        home, low = self._names.place(kind, database, name)
        if kind == "function":
            function = functions.describe_function(self._statements, home, low)
            if function is None:
                raise self._missing(kind, home, database, name)
            return function
        found = self._table(home, low)
        if found is None:
            raise self._missing(kind, home, database, name)
        if found.object_kind != kind:
            raise wrong_kind(kind, found.object_kind, database, name)
        return found

    def _table(self, home: str, name: str) -> Described | None:
        try:
            return describe(self._statements, home, name)
        except RefusedError as error:
            if error.is_one_of((*NO_TABLE, *NO_DATABASE)):
                return None
            raise

    def _missing(self, kind: ObjectKind, home: str, database: str, name: str) -> CatalogError:
        try:
            return no_object(kind, database, name, self._ids(home, database))
        except DatabaseNotFoundError as error:
            return error

    def _ids(self, home: str, name: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        spelled = str(self._read_database(home, name).document.name)
        return [ObjectId(spelled, called, each) for called, each, _ in self._listed(home, kind)]

    def _listed(self, home: str, kind: ObjectKind | None) -> list[tuple[str, ObjectKind, str]]:
        """Names as their writers spelled them, kinds, and names as Spark has them."""
        found: list[tuple[str, ObjectKind, str]] = []
        tables = list_tables(self._statements, home, own=self._names.is_own)
        cased = {each.name for each in tables if each.is_cased}
        if kind != "function":
            for each in tables:
                if is_ours(fold(each.name)):
                    continue
                called, what = each.name, each.kind
                if each.is_cased or each.is_noted:
                    described = self._table(home, each.name)
                    if described is None:
                        continue
                    called, what = self._spelled(described), described.object_kind
                found.append((called, what, each.name))
        if kind in (None, "function"):
            for name in functions.function_names(self._statements, home):
                called = name
                if functions.note_name(name) in cased:
                    function = functions.describe_function(self._statements, home, name)
                    called = name if function is None else self._spelled(function)
                found.append((called, "function", name))
        chosen = [each for each in found if kind is None or each[1] == kind]
        return sorted(chosen, key=lambda each: (fold(each[0]), each[1]))

    def _spelled(self, found: Any) -> str:
        try:
            state = self._state_of(found, self._path(found.database, found.name))
        except DamagedDocumentError:
            return str(found.name)
        return str(state.written.document.name)

    def _load(self, told: databases.Told, home: str) -> Iterator[Loaded | Unreadable]:
        path = self._path(home)
        spelled = home
        try:
            read = databases.read_database(told, home, path)
            spelled = str(read.document.name)
            yield Loaded(ObjectId(spelled, spelled, "database"), path, read.document, read.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(home, home, "database"), path, error)
        for name, kind, low in self._listed(home, None):
            path = self._path(spelled, name)
            try:
                state, _ = self._state(kind, home, low)
            except DamagedDocumentError as error:
                yield Unreadable(ObjectId(spelled, name, kind), path, error)
            else:
                document = state.written.document
                id_ = ObjectId(spelled, document.name, kind)
                yield Loaded(id_, path, document, state.token, state.version)

    # --- inside: writing ---

    def _writing(self, home: str, database: str) -> Any:
        self._read_database(home, database)
        return self._guard.writing(home)

    def _state_to_replace(
        self, document: ObjectDocument, home: str, name: str
    ) -> tuple[State, Any]:
        self._read_database(home, document.database)
        found: Any
        if isinstance(document, FunctionDocument):
            found = functions.describe_function(self._statements, home, name)
        else:
            found = self._table(home, name)
        if found is None or (isinstance(found, Described) and found.object_kind != document.kind):
            raise conflict(label(document), gone=True)
        return self._state_of(found, self._path(document.database, document.name)), found

    def _make(self, written: texts.Written, before: State | None, home: str, name: str) -> None:
        document = written.document

        def make() -> None:
            if isinstance(document, FunctionDocument):
                functions.create_function(self._statements, written, before)
            else:
                creating.create(self._statements, written, creating.properties_of(written, before))

        settle(make, lambda: self._is(written, home, name), label(document))

    def _change(self, written: texts.Written, before: State, found: Any) -> None:
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
            state, _ = self._state(kind, home, name)
        except CatalogError:
            return False
        tokens = {each.token for each in state.history(kind, self._path(home, name))}
        return written.token in tokens

    def _drop(self, kind: ObjectKind, home: str, name: str, found: Any, what: str) -> None:
        def drop() -> None:
            if isinstance(found, Described):
                self._refuse_rows(found)
                changing.drop(self._statements, found)
            else:
                functions.drop_function(self._statements, home, name)

        def is_gone() -> bool:
            if kind == "function":
                return functions.describe_function(self._statements, home, name) is None
            return self._table(home, name) is None

        settle(drop, is_gone, f"end of the {what}")

    def _require_free(self, document: ObjectDocument, home: str, name: str) -> None:
        if isinstance(document, FunctionDocument):
            if functions.describe_function(self._statements, home, name) is not None:
                raise taken(document)
            return
        found = self._table(home, name)
        if found is not None:
            raise taken(document, found.object_kind)

    def _refused(self, error: RefusedError, document: ObjectDocument, home: str) -> Exception:
        """What Spark's refusal to write means."""
        if error.is_one_of(NO_DATABASE):
            return no_database(document.database, self.list_databases())
        if error.is_one_of((*TAKEN, *functions.FUNCTION_TAKEN)):
            return taken(document)
        return error

    def _refuse_kind(self, document: ObjectDocument) -> None:
        """Other catalogs of a session have tables, which are made in Spark."""
        if self._names.is_own:
            return
        if isinstance(document, ViewDocument):
            raise no_views(self.url)
        raise StorageError(
            f"viewscribe does not make a {document.kind} in the catalog of {self.url}",
            hint="make it in Spark: its tables are read here",
        )

    def _refuse_rows(self, found: Described) -> None:
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
