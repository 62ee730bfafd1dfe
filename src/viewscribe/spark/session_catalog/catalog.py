"""The catalog of a session: what viewscribe stores there is Spark's own, and vice versa.

Views, tables and functions are made by SQL statements and read by what Spark tells of them, with
our documents beside in properties, in the form of ``catalog_store/hosted/kept.py``.
Nothing but ``session.sql`` is used, so a session of Spark Connect does as well as a classic one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.documents import (
    DatabaseDocument,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.hosted import texts
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database,
    not_empty,
    taken,
)
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Stored, Token, Unreadable
from viewscribe.catalog_store.renames import check_new_name, rename_change, renamed
from viewscribe.catalog_store.sealing import seal
from viewscribe.catalog_store.versions import Change, next_version
from viewscribe.spark.session_catalog import databases
from viewscribe.spark.session_catalog.described import describe
from viewscribe.spark.session_catalog.guard import LOCK_SECONDS, Guard
from viewscribe.spark.session_catalog.names import Names
from viewscribe.spark.session_catalog.reading import Reader
from viewscribe.spark.session_catalog.statements import (
    NO_DATABASE,
    RefusedError,
    Statements,
    settle,
    told_by,
)
from viewscribe.spark.session_catalog.writing import Writer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
        self._reader = Reader(self._statements, self._names, self.url)
        self._writer = Writer(self._statements, self._reader, self._guard)

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
            return self._reader.list_databases()

    def get_database(self, name: str) -> Stored[DatabaseDocument]:
        """The database's document and its token."""
        with told_by(self.url):
            found = self._reader.database(self._names.database(name), name)
            return Stored(found.document, found.token)

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = texts.write(document)
        with told_by(self.url):
            home = self._names.database(written.document.name)
            try:
                settle(
                    lambda: databases.create_database(self._statements, written),
                    lambda: self._reader.database(home, home).token == written.token,
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
                    if (
                        databases.read_database(told, home, self._reader.path(home)).token
                        != expected
                    ):
                        raise conflict(label(document), gone=False)
                    settle(
                        lambda: databases.change_database(self._statements, told, written),
                        lambda: self._reader.database(home, home).token == written.token,
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
            objects = self._reader.ids(home, name)
            if objects and not cascade:
                raise not_empty(name, objects)
            for each in objects:
                if each.kind == "table":
                    self._writer.refuse_rows(describe(self._statements, home, fold(each.name)))
            try:
                settle(
                    lambda: self._statements.run(
                        f"DROP DATABASE {self._statements.name(home)} CASCADE"
                    ),
                    lambda: home not in self._reader.homes(),
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
            return self._reader.state(kind, database, name)[0].stored()

    def create(self, document: ObjectDocument, *, change: Change | None = None) -> Token:
        """Store a new object, as its first version."""
        written = texts.write(document, next_version(None, change, "create"))
        sealed = written.document
        with told_by(self.url):
            home, name = self._names.place(sealed.kind, sealed.database, sealed.name)
            self._writer.refuse_kind(sealed)
            try:
                with self._guard.writing(home):
                    self._writer.require_free(sealed, home, name)
                    self._writer.make(written, None, home, name)
            except RefusedError as error:
                raise self._writer.refused(error, sealed, home) from error
        return written.token

    def replace(
        self, document: ObjectDocument, *, expected: Token, change: Change | None = None
    ) -> Token:
        """Replace the object if its token is still ``expected``; keeps the earlier version."""
        sealed = seal(document)
        with told_by(self.url):
            home, name = self._names.place(sealed.kind, sealed.database, sealed.name)
            self._writer.refuse_kind(sealed)
            try:
                with self._guard.writing(home):
                    before, found = self._writer.state_to_replace(sealed, home, name)
                    if before.token != expected:
                        raise conflict(label(sealed), gone=False)
                    if before.says(sealed):
                        return expected
                    written = texts.write(sealed, next_version(before.version, change, "replace"))
                    self._writer.change(written, before, found)
            except RefusedError as error:
                raise self._writer.refused(error, sealed, home) from error
        return written.token

    def delete(
        self, kind: ObjectKind, database: str, name: str, *, expected: Token | None = None
    ) -> None:
        """Drop the object, where ``expected`` is given only in that state. Rows stay."""
        what = f"{kind} {database}.{name}"
        with told_by(self.url):
            home, low = self._names.place(kind, database, name)
            with self._writer.writing(home, database):
                if expected is None:
                    found = self._reader.find(kind, database, name)
                else:
                    state, found = self._reader.state(kind, database, name)
                    if state.token != expected:
                        raise conflict(what, gone=False)
                self._writer.drop(kind, home, low, found, what)

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
            with self._writer.writing(home, database):
                before, found = self._reader.state(kind, database, name)
                if expected is not None and before.token != expected:
                    raise conflict(what, gone=False)
                self._reader.database(target[0], to[0])
                document = renamed(before.written.document, to)
                if target != (home, low):
                    self._writer.require_free(document, *target)
                version = next_version(
                    before.version, rename_change(change, database, name), "rename"
                )
                written = texts.write(document, version)
                try:
                    if target == (home, low) or (kind != "function" and target[0] == home):
                        self._writer.change(written, before, found)
                    else:
                        self._writer.make(written, before, *target)
                        self._writer.drop(kind, home, low, found, what)
                except RefusedError as error:
                    raise self._writer.refused(error, document, target[0]) from error
        return written.token

    def history(self, kind: ObjectKind, database: str, name: str) -> list[Stored[Any]]:
        """The versions of the object that are kept, the oldest first."""
        with told_by(self.url):
            return self._reader.state(kind, database, name)[0].history(
                kind, self._reader.path(database, name)
            )

    def list_objects(self, database: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database, damaged ones included."""
        with told_by(self.url):
            return self._reader.ids(self._names.database(database), database, kind)

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with told_by(self.url):
            homes = self._reader.homes() if database is None else [self._names.database(database)]
            for home in homes:
                try:
                    told = databases.describe_database(self._statements, home)
                except RefusedError as error:
                    if error.is_one_of(NO_DATABASE):
                        continue
                    raise
                yield from self._reader.load(told, home)
