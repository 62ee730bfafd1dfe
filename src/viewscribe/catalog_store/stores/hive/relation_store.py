"""Storing tables and views: a replacement is one call, and only of what is still as it was read."""

from __future__ import annotations

import time
from collections.abc import Iterator

from viewscribe.catalog_store.documents.model import ObjectDocument, ObjectKind
from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import whole_number
from viewscribe.catalog_store.hosted.names import is_ours, place_of
from viewscribe.catalog_store.hosted.reserved_properties import DDL_TIME
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, taken_error
from viewscribe.catalog_store.stores.hive.client import (
    Client,
    InvalidOperationError,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
)
from viewscribe.catalog_store.stores.hive.concurrency import ChangedError, GoneError, Guard
from viewscribe.catalog_store.stores.hive.database_store import DatabaseStore
from viewscribe.catalog_store.stores.hive.kinds import ask, with_kinds
from viewscribe.catalog_store.stores.hive.records import DatabaseRecord, TableRecord
from viewscribe.catalog_store.stores.hive.states import (
    fill,
    kind_of,
    new_record,
    next_stamp,
    state_of,
)
from viewscribe.catalog_store.stores.hive.view_tables import VIRTUAL_VIEW

_BATCH = 200
_ATTEMPTS = 20
_ABANDONED = 60
"""After how many seconds a drop that was begun is taken for given up."""


class RelationStore:
    """The tables and views of a metastore.

    Args:
        client: the metastore.
        guard: changes what is still as it was read.
        databases: its databases.
        url: where it is, for messages.
    """

    def __init__(self, client: Client, guard: Guard, databases: DatabaseStore, url: str) -> None:
        self._client = client
        self._guard = guard
        self._databases = databases
        self._url = url

    # --- reading ---

    def find(
        self, kind: ObjectKind, place: tuple[str, str], *, to_alter: bool
    ) -> TableRecord | None:
        """What the metastore has of that kind under that name.

        Args:
            kind: a view or a table.
            place: its database and name, as the metastore has them.
            to_alter: it is read as ``Guard.alter`` needs it.
        """
        try:
            record = (self._guard.read if to_alter else self._client.table)(*place)
        except NoSuchObjectError:
            return None
        return record if kind_of(record.type) == kind else None

    def state(self, record: TableRecord, path: str) -> State:
        """The state that a record tells. Raises ``DamagedDocumentError``."""
        return with_kinds(state_of(record, path), ask(self._client))

    def names(
        self, database: DatabaseRecord, kind: ObjectKind | None
    ) -> list[tuple[str, ObjectKind]]:
        """Names and kinds; a name is spelled as its writer did, where that is in our document."""
        home = database.name or ""
        found: dict[str, ObjectKind] = dict.fromkeys(
            self._client.names_of_type(home, VIRTUAL_VIEW), "view"
        )
        if kind != "view":
            found = {each: found.get(each, "table") for each in self._client.table_names(home)}
        cased = []
        if embedded_document.CASED in database.parameters:
            cased = self._names_with_case(home)
        spelled = {record.name: self._spell(record) for record in self._records(home, cased)}
        return [
            (spelled.get(name, name), type_) for name, type_ in found.items() if not is_ours(name)
        ]

    def _names_with_case(self, home: str) -> list[str]:
        key = embedded_document.CASED
        try:
            return self._client.table_names_with(home, key, "true")
        except MetaError:  # of Hive 3 and 4 on Derby, which cannot compare parameters
            return [each.name or "" for each in self.records(home) if key in each.parameters]

    def records(self, home: str) -> Iterator[TableRecord]:
        """All of a database."""
        names = [each for each in self._client.table_names(home) if not is_ours(each)]
        return self._records(home, names)

    def _records(self, home: str, names: list[str]) -> Iterator[TableRecord]:
        for start in range(0, len(names), _BATCH):
            yield from self._client.tables(home, names[start : start + _BATCH])

    def _spell(self, record: TableRecord) -> str:
        name = record.name or ""
        try:
            state = state_of(record, self._path(record.database or "", name))
        except DamagedDocumentError:
            return name
        return str(state.written.document.name)

    def _path(self, database: str, name: str) -> str:
        return f"{self._url}/{database}/{name}"

    # --- writing ---

    def create(self, written: document_texts.Written, before: State | None) -> None:
        """Store a new one: one call, which the metastore refuses where the name is taken."""
        document = written.document
        place_of(document.kind, document.database, document.name)  # which says what it cannot hold
        self._databases.note_case(document)
        record = new_record(document, default_author())
        path = self._path(document.database, document.name)
        fill(record, written, before, int(time.time()), path)
        try:
            self._client.create_table(record)
        except NameTakenError:
            self.require_free(document)
            raise taken_error(document) from None  # it was dropped meanwhile
        except MetaError:
            self.require_free(document)  # Hive 4 has no other error for the loser of a race
            raise
        except (InvalidOperationError, NoSuchObjectError):
            self._databases.record(document.database)  # which says that it is not there
            raise

    def change(self, record: TableRecord, before: State, written: document_texts.Written) -> None:
        """Make one hold ``written``, perhaps under another name, if it is as it was read.

        Raises:
            ConcurrentUpdateError: it is not.
        """
        document, what = written.document, label(before.written.document)
        place_of(document.kind, document.database, document.name)
        if _is_being_dropped(record):
            raise conflict(what, gone=True)
        new = record.copy()
        self._databases.note_case(document)
        fill(new, written, before, int(time.time()), self._path(document.database, document.name))
        try:
            self._guard.alter(record, new)
        except GoneError:
            raise conflict(what, gone=True) from None
        except ChangedError:
            raise conflict(what, gone=False) from None
        except InvalidOperationError:
            if (new.database, new.name) != (record.database, record.name):
                self.require_free(document)
            raise

    def drop(self, record: TableRecord, seen: State | None, what: str) -> None:
        """Drop one, where it was ``seen`` only in that state. Files stay.

        Raises:
            GoneError: it is gone by now.
            ConcurrentUpdateError: it is in another state, or somebody else drops it.
        """
        kind, place = kind_of(record.type), (record.database or "", record.name or "")
        for _ in range(_ATTEMPTS):
            if _is_being_dropped(record):
                raise conflict(what, gone=True)
            try:
                # Dropping has no condition: so the drop is announced under one.
                self._guard.alter(record, _mark(record))
            except GoneError:
                raise
            except ChangedError:
                again = self.find(kind, place, to_alter=True)
                if again is None:
                    raise GoneError from None
                record = again
                if seen is not None and state_of(record, what).token != seen.token:
                    raise conflict(what, gone=False) from None
                continue
            self._client.drop_table(*place)
            return
        raise conflict(what, gone=False)

    def require_free(self, document: ObjectDocument) -> None:
        """Raise ``AlreadyExistsError`` where something has the name."""
        place = place_of(document.kind, document.database, document.name)
        try:
            found = kind_of(self._client.table(*place).type)
        except NoSuchObjectError:
            return
        raise taken_error(document, found)


def _mark(record: TableRecord) -> TableRecord:
    """The record with a note that it is about to be dropped."""
    marked = record.copy()
    now = int(time.time())
    stamp = str(
        next_stamp(
            [record.parameters.get(key, "") for key in (DDL_TIME, embedded_document.STAMP)], now
        )
    )
    marked.parameters = {
        **record.parameters,
        DDL_TIME: stamp, embedded_document.STAMP: stamp, embedded_document.DROPPING: str(now),
    }  # fmt: skip
    return marked


def _is_being_dropped(record: TableRecord) -> bool:
    began = whole_number(record.parameters.get(embedded_document.DROPPING))
    return began is not None and began > time.time() - _ABANDONED
