"""Changing functions, one writer at a time: a metastore compares nothing before it changes one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.names import place_of, unfinished_name
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, taken_error
from viewscribe.catalog_store.stores.hive.client import NameTakenError
from viewscribe.catalog_store.stores.hive.concurrency import GoneError, Guard
from viewscribe.catalog_store.stores.hive.database_store import DatabaseStore
from viewscribe.catalog_store.stores.hive.function_store import FunctionStore, spell
from viewscribe.catalog_store.stores.hive.functions import function_state
from viewscribe.catalog_store.stores.hive.records import FunctionRecord


class LockedFunctions:
    """The functions of a metastore.

    Args:
        store: keeps them.
        guard: its locks.
        databases: its databases.
        url: where it is, for messages.
    """

    def __init__(
        self, store: FunctionStore, guard: Guard, databases: DatabaseStore, url: str
    ) -> None:
        self._store = store
        self._guard = guard
        self._databases = databases
        self._url = url

    # --- reading ---

    def find(self, place: tuple[str, str]) -> FunctionRecord | None:
        """The function of a database and a name, as the metastore has them."""
        return self._store.find(*place)

    def names(self, home: str) -> list[str]:
        """The names of all functions of a database, as their writers spell them."""
        return [
            name if isinstance(found, DamagedDocumentError) else spell(found)
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
        for record in self._store.all(home):
            name = record.name or ""
            try:
                yield name, function_state(record, f"{self._url}/{called}/{name}")
            except DamagedDocumentError as error:
                yield name, error

    # --- writing ---

    def create(self, written: document_texts.Written) -> None:
        """Store a new one."""
        document = written.document
        place = place_of("function", document.database, document.name)
        self._databases.record(document.database)
        with self._lock(place):
            if self._store.find(*place) is not None:
                raise taken_error(document)
            try:
                self._store.create(written, default_author())
            except NameTakenError:
                raise taken_error(document) from None

    def change(self, found: FunctionRecord, before: State, written: document_texts.Written) -> None:
        """Put ``written`` in the place of ``before``, perhaps under another name.

        Raises:
            ConcurrentUpdateError: it is ``before`` no more.
        """
        document, what = written.document, label(before.written.document)
        place = found.database or "", found.name or ""
        target = place_of("function", document.database, document.name)
        with self._lock(place):
            try:
                self._require(place, before, what)
            except GoneError:
                raise conflict(what, gone=True) from None
            if target != place and self._store.find(*target) is not None:
                raise taken_error(document)
            self._store.replace(written, before, place)

    def drop(self, found: FunctionRecord, seen: State | None, what: str) -> None:
        """Drop one, where it was ``seen`` only in that state.

        Raises:
            GoneError: it is gone by now.
            ConcurrentUpdateError: it is in another state.
        """
        place = found.database or "", found.name or ""
        with self._lock(place):
            self._require(place, seen, what)
            self._store.drop(*place)

    def _lock(self, place: tuple[str, str]) -> AbstractContextManager[None]:
        return self._guard.locked(place[0], unfinished_name(place[1]))

    def _require(self, place: tuple[str, str], seen: State | None, what: str) -> None:
        """Raise where a function is not what was ``seen``, now that nobody else changes it."""
        record = self._store.find(*place)
        if record is None:
            raise GoneError
        if seen is not None and function_state(record, what).token != seen.token:
            raise conflict(what, gone=False)
