"""Storing functions: a metastore replaces none, so the new one waits under another name.

What Hive calls altering a function leaves its resources as they were, and in them are the texts of
functions in SQL. So the new state is created under a name of its own, the old one is dropped, and
the new one renamed. A reader that finds a function gone looks for the waiting one: no moment, and
no crash, leaves it without a state. All writers of a function hold its lock.
"""

from __future__ import annotations

import time
from contextlib import suppress

from viewscribe.catalog_store.documents.model import FunctionDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.names import is_ours, unfinished_name
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.stores.hive.client import Client, NoSuchObjectError
from viewscribe.catalog_store.stores.hive.functions import kept_place, write_function
from viewscribe.catalog_store.stores.hive.records import FunctionRecord


class FunctionStore:
    """The functions of a metastore, by their names in lower case.

    Args:
        client: the metastore.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def find(self, database: str, name: str) -> FunctionRecord | None:
        """The function, or None."""
        for each in (name, unfinished_name(name), name):
            with suppress(NoSuchObjectError):
                return _restore_name(self._client.function(database, each), (database, name))
        return None

    def all(self, database: str) -> list[FunctionRecord]:
        """Every function of a database."""
        found: dict[tuple[str, str], FunctionRecord] = {}
        waiting = []
        for record in self._client.functions():
            home, name = record.database or "", record.name or ""
            if home == database and is_ours(name):
                waiting.append(record)
            elif home == database:
                found[home, name] = record
        for record in waiting:
            with suppress(DamagedDocumentError):
                place = kept_place(record, record.name or "")
                found.setdefault(place, _restore_name(record, place))
        return [*found.values()]

    def names(self, database: str) -> bool:
        """Whether the database has any."""
        return bool(self._client.function_names(database))

    def create(self, written: document_texts.Written, owner: str | None) -> None:
        """Create a function whose name is free; the lock is held."""
        self._client.create_function(write_function(written, None, owner, _now()))

    def replace(
        self, written: document_texts.Written, before: State, place: tuple[str, str]
    ) -> None:
        """Put a function in the place of another, under its own name; the lock is held."""
        record = write_function(written, before, None, _now())
        home, name = record.database or "", record.name or ""
        waiting = record.copy()
        waiting.name = unfinished_name(name)
        self._tidy(*place)
        with suppress(NoSuchObjectError):  # what a writer left that was killed before it counted
            self._client.drop_function(home, waiting.name)
        self._client.create_function(waiting)
        self._client.drop_function(*place)
        self._client.alter_function(home, waiting.name, record)

    def drop(self, database: str, name: str) -> None:
        """Drop a function; the lock is held."""
        with suppress(NoSuchObjectError):
            self._client.drop_function(database, unfinished_name(name))
        with suppress(NoSuchObjectError):
            self._client.drop_function(database, name)

    def _tidy(self, database: str, name: str) -> None:
        """Finish what a writer left that was killed."""
        waiting = unfinished_name(name)
        try:
            self._client.function(database, name)
        except NoSuchObjectError:
            record = self._client.function(database, waiting)
            record.name = name
            self._client.alter_function(database, waiting, record)


def _restore_name(record: FunctionRecord, place: tuple[str, str]) -> FunctionRecord:
    """The record under the name that the function is known by; it may still wait under another."""
    if is_ours(record.name or ""):
        record = record.copy()
        record.database, record.name = place
    return record


def spell(found: State) -> str:
    """The name as its writer spells it."""
    document: FunctionDocument = found.written.document
    return document.name


def _now() -> int:
    return int(time.time())
