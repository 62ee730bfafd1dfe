"""Changing functions, one writer at a time: a metastore compares nothing before it changes one."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.catalog_store.documents import FunctionDocument
from viewscribe.catalog_store.errors import CatalogError, DamagedDocumentError
from viewscribe.catalog_store.hive import function_store
from viewscribe.catalog_store.hive.client import NameTakenError
from viewscribe.catalog_store.hive.database_store import DatabaseStore
from viewscribe.catalog_store.hive.function_store import FunctionStore
from viewscribe.catalog_store.hive.guard import Guard
from viewscribe.catalog_store.hive.relation_store import Missing
from viewscribe.catalog_store.hive.server import settle
from viewscribe.catalog_store.hosted import texts
from viewscribe.catalog_store.hosted.names import place_of, unfinished_name
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, taken
from viewscribe.catalog_store.protocol import Token
from viewscribe.catalog_store.renames import renamed
from viewscribe.catalog_store.versions import Change, default_author, next_version


class LockedFunctions:
    """The functions of a metastore.

    Args:
        store: keeps them.
        guard: its locks.
        databases: its databases.
        url: where it is, for messages.
        missing: the error for one that is not there.
    """

    def __init__(
        self,
        store: FunctionStore,
        guard: Guard,
        databases: DatabaseStore,
        url: str,
        missing: Missing,
    ) -> None:
        self._store = store
        self._guard = guard
        self._databases = databases
        self._url = url
        self._missing = missing

    # --- reading ---

    def state(self, database: str, name: str) -> State:
        """The state of one. Raises ``CatalogError`` where there is none."""
        place = place_of("function", database, name)
        record = self._store.find(*place)
        if record is None:
            raise self._missing("function", database, name)
        return function_store.state(record, place, self._path(database, name))

    def names(self, home: str) -> list[str]:
        """The names of all functions of a database, as their writers spell them."""
        return [
            name if isinstance(found, DamagedDocumentError) else function_store.spelled(found)
            for name, found in self.all(home, home)
        ]

    def all(self, home: str, called: str) -> Iterator[tuple[str, State | DamagedDocumentError]]:
        """All functions of a database: their names, and states or what is wrong with them.

        Args:
            home: the database.
            called: what messages call it.
        """
        if not self._store.names(home):
            return
        for _, name, record in self._store.all(home):
            try:
                yield name, function_store.state(record, (home, name), self._path(called, name))
            except DamagedDocumentError as error:
                yield name, error

    def _path(self, database: str, name: str) -> str:
        return f"{self._url}/{database}/{name}"

    # --- writing ---

    def create(self, written: texts.Written) -> None:
        """Store a new one."""
        document = written.document
        home, name = place_of("function", document.database, document.name)
        self._databases.record(document.database)
        with self._guard.locked(home, unfinished_name(name)):
            if self._store.find(home, name) is not None:
                raise taken(document)
            try:
                settle(
                    lambda: self._store.create(written, default_author()),
                    lambda: self._is(written, home, name),
                    label(document),
                )
            except NameTakenError:
                raise taken(document) from None

    def replace(self, document: FunctionDocument, expected: Token, change: Change | None) -> Token:
        """Replace one if its token is still ``expected``; keeps the earlier version."""
        home, name = place_of("function", document.database, document.name)
        self._databases.record(document.database)
        with self._guard.locked(home, unfinished_name(name)):
            record = self._store.find(home, name)
            if record is None:
                raise conflict(label(document), gone=True)
            path = self._path(document.database, document.name)
            before = function_store.state(record, (home, name), path)
            if before.token != expected:
                raise conflict(label(document), gone=False)
            if before.says(document):
                return expected
            written = texts.write(document, next_version(before.version, change, "replace"))
            self._put(written, before, (home, name))
        return written.token

    def rename(
        self,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None,
        change: Change,
    ) -> Token:
        """Give one another database and name."""
        place, target = place_of("function", database, name), place_of("function", *to)
        self._databases.record(database)
        with self._guard.locked(place[0], unfinished_name(place[1])):
            before = self.state(database, name)
            if expected is not None and before.token != expected:
                raise conflict(f"function {database}.{name}", gone=False)
            self._databases.record(to[0])
            document = renamed(before.written.document, to)
            if target != place and self._store.find(*target) is not None:
                raise taken(document)
            written = texts.write(document, next_version(before.version, change, "rename"))
            self._put(written, before, place)
        return written.token

    def drop(self, database: str, name: str, expected: Token | None) -> None:
        """Drop one, where ``expected`` is given only in that state."""
        home, low = place_of("function", database, name)
        self._databases.record(database)
        with self._guard.locked(home, unfinished_name(low)):
            if self._store.find(home, low) is None:
                raise self._missing("function", database, name)
            if expected is not None and self.state(database, name).token != expected:
                raise conflict(f"function {database}.{name}", gone=False)
            settle(
                lambda: self._store.drop(home, low),
                lambda: self._store.find(home, low) is None,
                f"end of the function {database}.{name}",
            )

    def _put(self, written: texts.Written, before: State, place: tuple[str, str]) -> None:
        document = written.document
        target = place_of("function", document.database, document.name)
        settle(
            lambda: self._store.replace(written, before, place),
            lambda: self._is(written, *target),
            label(document),
        )

    def _is(self, written: texts.Written, home: str, name: str) -> bool:
        """Whether the function is, or was since, what was written."""
        try:
            state = self.state(home, name)
        except CatalogError:
            return False
        tokens = {each.token for each in state.history("function", self._path(home, name))}
        return written.token in tokens
