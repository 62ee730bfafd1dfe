"""Storing databases: a metastore replaces one without comparing first, so writers take a lock."""

from __future__ import annotations

from viewscribe.catalog_store.documents.model import ObjectDocument
from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.messages import conflict, label, no_database, taken_error
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.stores.hive.client import (
    Client,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
)
from viewscribe.catalog_store.stores.hive.concurrency import Guard
from viewscribe.catalog_store.stores.hive.databases import read_database, write_database
from viewscribe.catalog_store.stores.hive.records import DatabaseRecord

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

    def create(self, written: document_texts.Written) -> None:
        """Create one."""
        record = write_database(written, DatabaseRecord(), default_author())
        try:
            self._client.create_database(record)
        except NameTakenError:
            raise taken_error(written.document) from None

    def change(self, before: State, written: document_texts.Written) -> None:
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
