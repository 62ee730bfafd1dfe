"""Storing databases: a metastore replaces one without comparing first, so writers take a lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.catalog_store.documents import DatabaseDocument, ObjectDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.hive.client import (
    Client,
    InvalidOperationError,
    MetaError,
    NameTakenError,
    NoSuchObjectError,
)
from viewscribe.catalog_store.hive.databases import read_database, write_database
from viewscribe.catalog_store.hive.guard import Guard
from viewscribe.catalog_store.hive.records import DatabaseRecord
from viewscribe.catalog_store.hive.server import settle
from viewscribe.catalog_store.hosted import kept, texts
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.messages import conflict, label, no_database, not_empty, taken
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import ObjectId, Stored, Token
from viewscribe.catalog_store.versions import default_author

_LOCK = "viewscribe_database"


class DatabaseStore:
    """The databases of a metastore.

    Args:
        client: the metastore.
        guard: its locks.
        url: where it is, for messages.
    """

    def __init__(self, client: Client, guard: Guard, url: str) -> None:
        self._client = client
        self._guard = guard
        self._url = url

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
                names.append(spelled(self._client.database(name), name))
            except NoSuchObjectError:  # dropped meanwhile
                continue
        return sorted(names, key=fold)

    def get(self, name: str) -> Stored[DatabaseDocument]:
        """The document of one, and its token."""
        found = read_database(self.record(name), f"{self._url}/{name}")
        return Stored(found.document, found.token)

    def create(self, document: DatabaseDocument) -> Token:
        """Create one."""
        written = texts.write(document)
        name = hive_name(written.document.name, "database")
        record = write_database(written, DatabaseRecord(), default_author())
        try:
            settle(
                lambda: self._client.create_database(record),
                lambda: self._token(name) == written.token,
                label(document),
            )
        except NameTakenError:
            raise taken(document) from None
        return written.token

    def replace(self, document: DatabaseDocument, expected: Token) -> Token:
        """Replace one if its token is still ``expected``."""
        written = texts.write(document)
        name = hive_name(written.document.name, "database")
        try:
            self._client.database(name)
        except NoSuchObjectError:
            raise conflict(label(document), gone=True) from None
        with self._guard.locked(name, _LOCK):
            if self._token(name) != expected:
                raise conflict(label(document), gone=False)
            record = write_database(written, self._client.database(name), None)
            settle(
                lambda: self._client.alter_database(name, record),
                lambda: self._token(name) == written.token,
                label(document),
            )
        return written.token

    def drop(self, name: str, *, cascade: bool, ids: Callable[[str], Sequence[ObjectId]]) -> None:
        """Drop one, with ``cascade`` also all it holds. Files stay.

        Args:
            name: its name.
            cascade: whether it may hold something.
            ids: says what a database holds.
        """
        self.record(name)
        home = hive_name(name, "database")
        try:
            settle(
                lambda: self._client.drop_database(home, cascade=cascade),
                lambda: home not in self._client.databases(),
                f"end of the database {name}",
            )
        except NoSuchObjectError:
            raise no_database(name, self.names()) from None
        except InvalidOperationError:
            objects = list(ids(name))
            if not objects or cascade:
                raise
            raise not_empty(name, objects) from None
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
        if kept.CASED in self.record(document.database).parameters:
            return
        with self._guard.locked(home, _LOCK):
            record = self.record(document.database)
            record.parameters = {**record.parameters, kept.CASED: "true"}
            self._client.alter_database(home, record)

    def _token(self, home: str) -> Token:
        return read_database(self._client.database(home), f"{self._url}/{home}").token


def spelled(record: DatabaseRecord, name: str) -> str:
    """The name of a database as its writer spells it; ``name`` where nobody knows."""
    try:
        document = read_database(record, name).document
    except DamagedDocumentError:
        return name
    return str(document.name) if fold(document.name) == name else name
