"""Storing tables and views: a replacement is one call, and only of what is still as it was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from viewscribe.catalog_store.documents import ObjectDocument, ObjectKind
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogError,
    DamagedDocumentError,
)
from viewscribe.catalog_store.hive.client import (
    Client,
    InvalidOperationError,
    NameTakenError,
    NoSuchObjectError,
)
from viewscribe.catalog_store.hive.database_store import DatabaseStore
from viewscribe.catalog_store.hive.guard import ChangedError, GoneError, Guard
from viewscribe.catalog_store.hive.kinds import asked, with_kinds
from viewscribe.catalog_store.hive.records import DatabaseRecord, TableRecord
from viewscribe.catalog_store.hive.server import settle
from viewscribe.catalog_store.hive.states import (
    fill,
    kind_of,
    new_record,
    next_stamp,
    state_of,
)
from viewscribe.catalog_store.hive.view_tables import VIRTUAL_VIEW
from viewscribe.catalog_store.hosted import kept, texts
from viewscribe.catalog_store.hosted.names import is_ours, place_of
from viewscribe.catalog_store.hosted.own import DDL_TIME
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, taken, wrong_kind
from viewscribe.catalog_store.protocol import Token
from viewscribe.catalog_store.renames import renamed
from viewscribe.catalog_store.versions import Change, default_author, next_version

_BATCH = 200
_ATTEMPTS = 20
_ABANDONED = 60
"""After how many seconds a drop that was begun is taken for given up."""

Missing = Callable[[ObjectKind, str, str], CatalogError]
"""The error for an object that is not there, with the nearest names."""


class RelationStore:
    """The tables and views of a metastore.

    Args:
        client: the metastore.
        guard: changes what is still as it was read.
        databases: its databases.
        url: where it is, for messages.
        missing: the error for one that is not there.
    """

    def __init__(
        self, client: Client, guard: Guard, databases: DatabaseStore, url: str, missing: Missing
    ) -> None:
        self._client = client
        self._guard = guard
        self._databases = databases
        self._url = url
        self._missing = missing

    # --- reading ---

    def state(self, kind: ObjectKind, database: str, name: str) -> State:
        """The state of one. Raises ``CatalogError`` where there is none."""
        found = state_of(self._record(kind, database, name), self._path(database, name))
        return with_kinds(found, asked(self._client))

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
        if kept.CASED in database.parameters:
            cased = self._client.table_names_with(home, kept.CASED, "true")
        spelled = {record.name: self._spelled(record) for record in self._records(home, cased)}
        return [
            (spelled.get(name, name), type_) for name, type_ in found.items() if not is_ours(name)
        ]

    def records(self, home: str) -> Iterator[TableRecord]:
        """All of a database."""
        names = [each for each in self._client.table_names(home) if not is_ours(each)]
        return self._records(home, names)

    def _records(self, home: str, names: list[str]) -> Iterator[TableRecord]:
        for start in range(0, len(names), _BATCH):
            yield from self._client.tables(home, names[start : start + _BATCH])

    def _record(
        self, kind: ObjectKind, database: str, name: str, *, to_alter: bool = False
    ) -> TableRecord:
        read = self._guard.read if to_alter else self._client.table
        try:
            record = read(*place_of(kind, database, name))
        except NoSuchObjectError:
            raise self._missing(kind, database, name) from None
        found = kind_of(record.type)
        if found != kind:
            raise wrong_kind(kind, found, database, name)
        return record

    def _spelled(self, record: TableRecord) -> str:
        name = record.name or ""
        try:
            state = state_of(record, self._path(record.database or "", name))
        except DamagedDocumentError:
            return name
        return str(state.written.document.name)

    def _path(self, database: str, name: str) -> str:
        return f"{self._url}/{database}/{name}"

    # --- writing ---

    def create(self, written: texts.Written, before: State | None = None) -> None:
        """Store a new one: one call, which the metastore refuses where the name is taken.

        Args:
            written: what is stored.
            before: the state that is taken for the one before, whose history it has.
        """
        document = written.document
        home, name = place_of(document.kind, document.database, document.name)
        self._databases.note_case(document)
        record = new_record(document, default_author())
        path = self._path(document.database, document.name)
        fill(record, written, before, int(time.time()), path)
        try:
            settle(
                lambda: self._client.create_table(record),
                lambda: self._is(written, document.kind, home, name),
                label(document),
            )
        except NameTakenError:
            raise self._taken(document, home, name) from None
        except (InvalidOperationError, NoSuchObjectError):
            self._databases.record(document.database)  # which says that it is not there
            raise

    def replace(self, document: ObjectDocument, expected: Token, change: Change | None) -> Token:
        """Replace one if its token is still ``expected``; keeps the earlier version."""
        record = self._record_to_replace(document)
        before = state_of(record, self._path(document.database, document.name))
        if before.token != expected:
            raise conflict(label(document), gone=False)
        if with_kinds(before, asked(self._client)).says(document):
            return expected
        written = texts.write(document, next_version(before.version, change, "replace"))
        self._alter(record, written, before, label(document))
        return written.token

    def delete(self, kind: ObjectKind, database: str, name: str, expected: Token | None) -> None:
        """Drop one, where ``expected`` is given only in that state. Files stay."""
        home, low = place_of(kind, database, name)
        what = f"{kind} {database}.{name}"
        for _ in range(_ATTEMPTS):
            record = self._record(kind, database, name, to_alter=True)
            self._require(record, expected, what)
            try:
                # Dropping has no condition: so the drop is announced under one.
                self._guard.alter(record, _marked(record))
            except GoneError:
                raise self._missing(kind, database, name) from None
            except ChangedError:
                continue
            settle(
                lambda: self._client.drop_table(home, low),
                lambda: self._is_gone(home, low),
                f"end of the {what}",
            )
            return
        raise conflict(what, gone=False)

    def rename(
        self,
        kind: ObjectKind,
        database: str,
        name: str,
        to: tuple[str, str],
        *,
        expected: Token | None,
        change: Change,
    ) -> Token:
        """Give one another database and name."""
        target = place_of(kind, *to)
        what = f"{kind} {database}.{name}"
        record = self._record(kind, database, name, to_alter=True)
        self._require(record, expected, what)
        before = state_of(record, self._path(database, name))
        self._databases.record(to[0])
        document = renamed(before.written.document, to)
        if target != place_of(kind, database, name):
            self._require_free(document, *target)
        written = texts.write(document, next_version(before.version, change, "rename"))
        try:
            self._alter(record, written, before, what)
        except InvalidOperationError:
            self._require_free(document, *target)
            raise
        return written.token

    def _record_to_replace(self, document: ObjectDocument) -> TableRecord:
        try:
            record = self._guard.read(*place_of(document.kind, document.database, document.name))
        except NoSuchObjectError:
            self._databases.record(document.database)
            raise conflict(label(document), gone=True) from None
        if kind_of(record.type) != document.kind or _is_being_dropped(record):
            raise conflict(label(document), gone=True)
        return record

    def _require(self, record: TableRecord, expected: Token | None, what: str) -> None:
        if _is_being_dropped(record):
            raise conflict(what, gone=True)
        if expected is None:
            return
        path = self._path(record.database or "", record.name or "")
        if state_of(record, path).token != expected:
            raise conflict(what, gone=False)

    def _alter(self, record: TableRecord, written: texts.Written, before: State, what: str) -> None:
        new = record.copy()
        document = written.document
        self._databases.note_case(document)
        fill(new, written, before, int(time.time()), self._path(document.database, document.name))
        try:
            settle(
                lambda: self._guard.alter(record, new),
                lambda: self._is(written, document.kind, new.database or "", new.name or ""),
                what,
            )
        except GoneError:
            raise conflict(what, gone=True) from None
        except ChangedError:
            raise conflict(what, gone=False) from None

    def _is(self, written: texts.Written, kind: ObjectKind, home: str, name: str) -> bool:
        """Whether the object is, or was since, what was written."""
        try:
            state = self.state(kind, home, name)
        except CatalogError:
            return False
        tokens = {each.token for each in state.history(kind, self._path(home, name))}
        return written.token in tokens

    def _is_gone(self, home: str, name: str) -> bool:
        try:
            self._client.table(home, name)
        except NoSuchObjectError:
            return True
        return False

    def _taken(self, document: ObjectDocument, home: str, name: str) -> AlreadyExistsError:
        try:
            found = kind_of(self._client.table(home, name).type)
        except NoSuchObjectError:  # dropped meanwhile
            return taken(document)
        return taken(document, found)

    def _require_free(self, document: ObjectDocument, home: str, name: str) -> None:
        try:
            found = kind_of(self._client.table(home, name).type)
        except NoSuchObjectError:
            return
        raise taken(document, found)


def _marked(record: TableRecord) -> TableRecord:
    """The record with a note that it is about to be dropped."""
    marked = record.copy()
    now = int(time.time())
    stamp = str(next_stamp([record.parameters.get(key, "") for key in (DDL_TIME, kept.STAMP)], now))
    marked.parameters = {
        **record.parameters,
        DDL_TIME: stamp, kept.STAMP: stamp, kept.DROPPING: str(now),
    }  # fmt: skip
    return marked


def _is_being_dropped(record: TableRecord) -> bool:
    began = record.parameters.get(kept.DROPPING, "")
    return began.isdecimal() and int(began) > time.time() - _ABANDONED
