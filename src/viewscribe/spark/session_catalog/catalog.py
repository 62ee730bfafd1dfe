"""The catalog of a session: what viewscribe stores there is Spark's own, and vice versa.

Views, tables and functions are made by SQL statements and read by what Spark tells of them, with
our documents beside in properties, in the form of ``catalog_store/hosted/embedded_document.py``.
Nothing but ``session.sql`` is used, so a session of Spark Connect does as well as a classic one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from viewscribe.catalog_store.documents.model import DatabaseDocument, ObjectDocument
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.catalog import HostedCatalog
from viewscribe.catalog_store.messages import no_database
from viewscribe.catalog_store.protocol import Loaded, Token, Unreadable
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.catalog_functions import find_catalog_function
from viewscribe.spark.session import current_namespace
from viewscribe.spark.session_catalog import creation, databases
from viewscribe.spark.session_catalog.concurrency import LOCK_SECONDS, Guard
from viewscribe.spark.session_catalog.home import SessionHome
from viewscribe.spark.session_catalog.names import Names
from viewscribe.spark.session_catalog.session_reader import Reader
from viewscribe.spark.session_catalog.statements import (
    NO_DATABASE,
    RefusedError,
    Statements,
    translate_errors,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SessionCatalog(HostedCatalog):
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
            name = current_namespace(spark)[0]
        self.name_in_session = name
        """What the session calls it, and so do the texts of views."""
        self._statements = Statements(spark, name)
        self._names = Names(self._statements)
        self._guard = Guard(self._statements, lock_timeout, shared)
        self._reader = Reader(self._statements, self._names, self.url)

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

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        with translate_errors(self.url):
            return self._reader.list_databases()

    def create_database(self, document: DatabaseDocument) -> Token:
        """Create a database."""
        written = document_texts.write(document)
        with translate_errors(self.url):
            self._home(written.document.name).create(written)
        return written.token

    def load_all(self, database: str | None = None) -> Iterator[Loaded | Unreadable]:
        """Every document of the catalog; one that cannot be read does not hide the others."""
        with translate_errors(self.url):
            homes = self._reader.homes() if database is None else [self._names.database(database)]
            for home in homes:
                try:
                    told = databases.describe_database(self._statements, home)
                except RefusedError as error:
                    if error.is_one_of(NO_DATABASE):
                        continue
                    raise
                yield from self._reader.load(told, home)

    def own_function(self, path: tuple[str, str, str]) -> UserFunction | None:
        """Returns a function that a catalog beside Spark's own has itself: ``tools.fns.mask``."""
        if self._names.is_own:
            return None  # what it has was made by statements, and is described
        return find_catalog_function((self.name_in_session, *path[1:]), self.session)

    # --- inside ---

    def _home(self, database: str) -> SessionHome:
        return SessionHome(self._statements, self._reader, database)

    @contextmanager
    def _read_in(self, database: str) -> Iterator[SessionHome]:
        with translate_errors(self.url):
            yield self._home(database)

    @contextmanager
    def _create_in(self, document: ObjectDocument) -> Iterator[SessionHome]:
        """Spark gives a name to one of several writers; what takes one statement needs no turn."""
        if not creation.takes_one_statement(document):
            with self._write_in(document.database) as home:
                yield home
            return
        with self._in_turn(document.database, self._guard.turn()) as home:
            yield home

    @contextmanager
    def _write_in(self, database: str, *, alone: bool = False) -> Iterator[SessionHome]:
        with self._in_turn(database, self._guard.writing(self._names.database(database))) as home:
            yield home

    @contextmanager
    def _in_turn(
        self, database: str, turn: AbstractContextManager[None, bool | None]
    ) -> Iterator[SessionHome]:
        with translate_errors(self.url):
            home = self._home(database)
            try:
                with turn:
                    yield home
            except RefusedError as error:
                if error.is_one_of(NO_DATABASE):
                    raise no_database(database, self.list_databases()) from None
                raise
