"""Changing what is still as it was read: compare-and-swap where the server has it, else a lock.

Hive 2.3.10 and 4.0 alter a table only if a parameter still has an expected value (HIVE-26882).
Other servers take the same call and ignore the condition, or fail, so every server is tried once,
on a scratch view. See ``states.DATED_BACK`` for why the DDL time is a good parameter for it.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from viewscribe.catalog_store.documents.model import DatabaseDocument, ObjectDocument
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import (
    CatalogBusyError,
    DamagedDocumentError,
    UnsafeServerError,
)
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    DDL_TIME,
    Hashes,
    Kept,
    State,
    pack,
    whole_number,
)
from viewscribe.catalog_store.hosted.names import PROBE, hive_name
from viewscribe.catalog_store.messages import conflict, label, no_database, taken_error
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.stores.hive.connection import (
    NoAnswerError,
    UnknownMethodError,
    UnreachableError,
)
from viewscribe.catalog_store.stores.hive.records import (
    ACQUIRED,
    Client,
    DatabaseRecord,
    InvalidOperationError,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
    ServerError,
    TableRecord,
)
from viewscribe.catalog_store.stores.hive.states import DATED_BACK
from viewscribe.catalog_store.stores.hive.view_tables import VIRTUAL_VIEW, hive_storage

# The clock of a metastore, which gives everything that is changed the second of the change.

_STEP = 0.05


class ServerClock:
    """Tells the seconds of a server, by what it writes into a scratch view.

    Args:
        client: the server.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._told: tuple[int, float] | None = None
        """The second that was told last, and when."""
        self._turn: float | None = None
        """The part of a second of the own clock at which the server's seconds end."""

    def second(self, database: str) -> int:
        """The present second of the server."""
        record = scratch_view(database, {})
        name = record.name or ""
        self._client.create_table(record)
        try:
            told = int(self._client.table(database, name).parameters[DDL_TIME])
        finally:
            with suppress(NoSuchObjectError):
                self._client.drop_table(database, name)
        now = time.time()
        if self._told is not None and self._told[0] == told - 1 and now - self._told[1] < 2 * _STEP:
            self._turn = now % 1
        self._told = told, now
        return told

    def wait_for_next(self) -> None:
        """Waits for the end of the second, as far as it is known; a moment where it is not."""
        if self._turn is None:
            time.sleep(_STEP)
            return
        time.sleep(max((self._turn - time.time()) % 1, _STEP))


def scratch_view(database: str, parameters: dict[str, str]) -> TableRecord:
    """A view that nobody looks at, under a name that nobody has."""
    lazy = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
    formats = "org.apache.hadoop.mapred.SequenceFileInputFormat"
    output = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat"
    return TableRecord(
        name=PROBE + secrets.token_hex(8),
        database=database,
        owner=default_author() or "",
        last_access=0,
        retention=0,
        type=VIRTUAL_VIEW,
        original_text="SELECT 1",
        expanded_text="SELECT 1",
        storage=hive_storage((), formats, output, lazy),
        partition_columns=[],
        parameters=parameters,
    )


LOCK_SECONDS = 30.0
_CONFLICT = "has been modified"
_FIRST_WAIT, _LONGEST_WAIT = 0.005, 0.5


class ChangedError(Exception):
    """The object is not as it was read; nothing was written."""


class GoneError(ChangedError):
    """The object is not there any more."""


class Guard:
    """Changes to the tables of one server.

    Args:
        client: the server.
        lock_timeout: how many seconds to wait for other writers where locks are needed.
    """

    def __init__(self, client: Client, lock_timeout: float = LOCK_SECONDS) -> None:
        self._client = client
        self._lock_timeout = lock_timeout
        self._clock = ServerClock(client)
        self._swaps: bool | None = None
        self._probing = threading.Lock()

    def read(self, database: str, name: str) -> TableRecord:
        """A record that ``alter`` may take for what is replaced.

        Somebody else's stamp of this second may be the stamp of their next change too, so it is
        read again once the second has passed: git's rule for racy indexes. It is the second of the
        server, and no more is waited for than its end: who waits longer never finds a view as it
        was read beside a writer who changes it every second.

        Raises:
            CatalogBusyError: others have changed it in every second for too long.
        """
        deadline = time.monotonic() + self._lock_timeout
        record = self._read_whole(database, name)
        while (stamp := _stamp_of_others(record)) is not None:
            present = self._clock.second(database)
            if stamp >= present:
                self._clock.wait_for_next()
            again = self._read_whole(database, name)
            # Whoever changed it since the server told the time has at least that for a stamp.
            if stamp < present and _stamp_of_others(again) == stamp:
                return again
            if time.monotonic() > deadline:
                raise CatalogBusyError(
                    f"others have changed {database}.{name} for {self._lock_timeout:g} seconds, "
                    "in each of them",
                    hint="try again",
                )
            record = again
        return record

    def _read_whole(self, database: str, name: str) -> TableRecord:
        """The record, read again until it is the same twice.

        A metastore reads a table with several statements, each of what is committed just then:
        beside a writer the stamp may be the new one and the document the old one, and a change
        under that stamp would undo the writer's.
        """
        record = self._client.table(database, name)
        while (again := self._client.table(database, name)).struct != record.struct:
            record = again
        return again

    def alter(self, old: TableRecord, new: TableRecord) -> None:
        """Replaces ``old`` by ``new``, which has another DDL time.

        Raises:
            ChangedError: the object is not ``old`` any more, or ``GoneError`` altogether.
            UnsafeServerError: the server has neither compare-and-swap nor locks.
        """
        database, name = old.database or "", old.name or ""
        stamp = old.parameters.get(DDL_TIME)
        if stamp is not None and self.swaps(database):
            try:
                self._client.alter_table(database, name, new, _condition(stamp))
            except MetaError as error:
                if _CONFLICT not in str(error):  # such as that it is just being dropped
                    self._explain(old, error)
                raise ChangedError from error
            except InvalidOperationError as error:
                self._explain(old, error)
            return
        with self.locked(database, name):
            self._require_same(old)
            self._client.alter_table(database, name, new, {})

    def swaps(self, database: str) -> bool:
        """Whether the server compares before it swaps; tried once, in ``database``."""
        with self._probing:
            if self._swaps is None:
                self._swaps = self._probe(database)
            return self._swaps

    @contextmanager
    def locked(self, database: str, name: str) -> Iterator[None]:
        """Holds the metastore's lock of that name.

        Raises:
            UnsafeServerError: the server has no locks.
            CatalogBusyError: another writer held it for too long.
        """
        user, host = default_author() or "viewscribe", socket.gethostname()
        try:
            lock = self._client.lock(database, name, user, f"{host}-{os.getpid()}")
        except (ServerError, UnknownMethodError) as error:
            raise UnsafeServerError(
                f"the metastore gives no locks: {error}",
                hint="it needs Hive 2.3.10 or 4.0, or the tables of its transaction manager",
            ) from error
        assert lock.id is not None
        try:
            self._wait(lock.id, lock.state, f"{database}.{name}")
            yield
        finally:
            # A lock that cannot be given back ends with its time on the server.
            with suppress(ServerError, UnreachableError, NoAnswerError):
                self._client.unlock(lock.id)

    def _wait(self, id_: int, state: int | None, what: str) -> None:
        end = time.monotonic() + self._lock_timeout
        pause = _FIRST_WAIT
        while state != ACQUIRED:
            if time.monotonic() > end:
                raise CatalogBusyError(
                    f"another writer holds the lock of {what} for {self._lock_timeout:g} seconds",
                    hint="try again; the lock of a writer that was killed ends after some minutes",
                )
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_WAIT)
            state = self._client.check_lock(id_).state

    def _require_same(self, old: TableRecord) -> None:
        try:
            present = self._client.table(old.database or "", old.name or "")
        except NoSuchObjectError:
            raise GoneError from None
        if present.struct != old.struct:
            raise ChangedError

    def _explain(self, old: TableRecord, error: ServerError) -> NoReturn:
        """Whether it failed because the object is gone, or is not ``old`` any more."""
        try:
            self._require_same(old)
        except ChangedError as changed:
            raise changed from error
        raise error

    def _probe(self, database: str) -> bool:
        record = scratch_view(database, {DDL_TIME: "1"})
        self._client.create_table(record)
        try:
            return self._refuses(record) and self._obeys(record)
        finally:
            with suppress(NoSuchObjectError):
                self._client.drop_table(database, record.name or "")

    def _refuses(self, record: TableRecord) -> bool:
        """Whether a condition that does not hold is refused, rather than ignored."""
        try:
            self._alter_if(record, "2")
        except MetaError as error:
            if _CONFLICT not in str(error):
                raise
            return True
        return False

    def _obeys(self, record: TableRecord) -> bool:
        """Whether a condition that holds lets the change through.

        On Derby, with the tables that its own scripts make, Hive 4 fails there: its statement
        compares CLOBs. A server is such a one if it fails twice, and in between alters without a
        condition, so that nobody takes one in trouble for it.
        """
        try:
            self._alter_if(record, "1")
        except MetaError:
            self._client.alter_table(record.database or "", record.name or "", record, {})
            try:
                self._alter_if(record, "1")
            except MetaError:
                return False
        return True

    def _alter_if(self, record: TableRecord, stamp: str) -> None:
        """Writes the record over itself if its DDL time is that one."""
        place = record.database or "", record.name or ""
        self._client.alter_table(*place, record, _condition(stamp))


def _condition(stamp: str) -> dict[str, str]:
    """Alters only what has that DDL time."""
    return {"expected_parameter_key": DDL_TIME, "expected_parameter_value": stamp}


def _stamp_of_others(record: TableRecord) -> int | None:
    """Somebody else's DDL time, where that may be the present: the clocks may differ."""
    told = record.parameters.get(DDL_TIME)
    stamp = whole_number(told)
    if stamp is None or told == record.parameters.get(embedded_document.STAMP):
        return None
    return stamp if stamp > time.time() - DATED_BACK else None


# Databases of a metastore: how they are written and read.


def write_database(
    written: embedded_document.Written, record: DatabaseRecord, owner: str | None
) -> DatabaseRecord:
    """``record`` made to hold a document. Hive alters neither the comment nor the place later."""
    document: DatabaseDocument = written.document
    record.name = fold(document.name)
    record.description = document.comment
    if document.location is not None:
        record.location = document.location
    record.owner = document.owner or record.owner or owner
    record.owner_type = record.owner_type or 1
    properties = {
        key: value
        for key, value in document.properties.items()
        if not embedded_document.is_kept(key)
    }
    ours = Kept(pack(written.text), {}, Hashes(content_hash(properties), ""))
    cased = {
        key: value for key, value in record.parameters.items() if key == embedded_document.CASED
    }
    record.parameters = {**properties, **embedded_document.to_parameters(ours), **cased}
    return record


def read_database(record: DatabaseRecord, path: str) -> embedded_document.Written:
    """The document of a database: ours where it still holds, else what others say.

    Raises:
        DamagedDocumentError: ours is damaged, or newer than this viewscribe.
    """
    properties = {
        key: value for key, value in record.parameters.items() if not embedded_document.is_kept(key)
    }
    found = embedded_document.from_parameters(record.parameters, path)
    if found is not None and found.hashes.whole == content_hash(properties):
        return found.read("database", path)
    return embedded_document.write(
        DatabaseDocument(
            name=record.name or "",
            comment=record.description or None,
            owner=record.owner,
            location=record.location,
            properties=properties,
        )
    )


# Storing databases: a metastore replaces one without comparing first, so writers take a lock.

_LOCK = "viewscribe_database"


class DatabaseStore:
    """The databases of a metastore.

    Args:
        client: the metastore.
        guard: its locks.
    """

    def __init__(self, client: Client, guard: Guard) -> None:
        self._client = client
        self._guard = guard

    def record(self, name: str) -> DatabaseRecord:
        """What the metastore says of one. Raises ``DatabaseNotFoundError``."""
        try:
            return self._client.database(hive_name(name, "database"))
        except NoSuchObjectError:
            raise no_database(name, self.names()) from None

    def names(self) -> list[str]:
        """The names of all, as their writers spell them."""
        names = []
        for name in self._client.databases():
            try:
                names.append(spell(self._client.database(name), name))
            except NoSuchObjectError:  # dropped meanwhile
                continue
        return sorted(names, key=fold)

    def create(self, written: embedded_document.Written) -> None:
        """Create one."""
        record = write_database(written, DatabaseRecord(), default_author())
        try:
            self._client.create_database(record)
        except NameTakenError:
            raise taken_error(written.document) from None

    def change(self, before: State, written: embedded_document.Written) -> None:
        """Put ``written`` in the place of ``before``.

        Raises:
            ConcurrentUpdateError: it is ``before`` no more.
        """
        what = label(written.document)
        name = hive_name(written.document.name, "database")
        with self._guard.locked(name, _LOCK):
            try:
                record = self._client.database(name)
            except NoSuchObjectError:
                raise conflict(what, gone=True) from None
            if read_database(record, what).token != before.token:
                raise conflict(what, gone=False)
            self._client.alter_database(name, write_database(written, record, None))

    def drop(self, name: str, *, cascade: bool) -> None:
        """Drop one, with ``cascade`` also all it holds. Files stay.

        Raises:
            DatabaseNotFoundError: it is gone by now.
            InvalidOperationError: it holds something.
        """
        home = hive_name(name, "database")
        try:
            self._client.drop_database(home, cascade=cascade)
        except NoSuchObjectError:
            raise no_database(name, self.names()) from None
        except MetaError:
            # Hive says so of one that is gone by now.
            if home in self._client.databases():
                raise
            raise no_database(name, self.names()) from None

    def note_case(self, document: ObjectDocument) -> None:
        """Notes in the database that a name in it is not in lower case, before there is one."""
        if document.name == fold(document.name):
            return
        home = hive_name(document.database, "database")
        if embedded_document.CASED in self.record(document.database).parameters:
            return
        with self._guard.locked(home, _LOCK):
            record = self.record(document.database)
            record.parameters = {**record.parameters, embedded_document.CASED: "true"}
            self._client.alter_database(home, record)


def spell(record: DatabaseRecord, name: str) -> str:
    """The name of a database as its writer spells it; ``name`` where nobody knows."""
    try:
        document = read_database(record, name).document
    except DamagedDocumentError:
        return name
    return str(document.name) if fold(document.name) == name else name
