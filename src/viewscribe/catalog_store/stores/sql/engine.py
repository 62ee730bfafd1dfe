"""Connections, transactions, and conversion of database errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from sqlite3 import OperationalError
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from viewscribe.catalog_store.errors import (
    CatalogBusyError,
    CatalogError,
    CatalogNotFoundError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.stores.sql.tables import DATABASES, METADATA
from viewscribe.secrets import mask_error, mask_value

if TYPE_CHECKING:
    from viewscribe.catalog_store.stores.sql.catalog import SqlCatalog

_WRITES = "viewscribe_writes"
_SECONDS = 30
"""How long a writer waits for another one."""


def open_sql(text: str, create: bool = True) -> SqlCatalog:
    """Opens the catalog at ``sqlite:views.db`` or ``postgresql://user@host/database``.

    Args:
        text: the URL. The driver may supply the password (``PGPASSWORD``, ``~/.pgpass``).
        create: whether to create missing tables.

    Raises:
        CatalogNotFoundError: the tables are missing, and ``create`` is false.
        CatalogError: the URL is invalid, or its database is not supported.
    """
    from viewscribe.catalog_store.stores.sql.catalog import SqlCatalog

    url = _url(text)
    if url.get_backend_name() == "sqlite" and not create and not os.path.exists(url.database or ""):
        raise CatalogNotFoundError(
            f"there is no catalog at {url.database}", hint="check the path; saving creates it"
        )
    engine = _engine(url)
    shown = _show(url)
    with translate_errors(shown):
        missing = {*METADATA.tables} - {*inspect(engine).get_table_names()}
    if missing and create:
        _make_tables(engine, shown)
    elif DATABASES.name in missing:
        raise CatalogNotFoundError(
            f"there is no catalog in {shown}", hint="check the URL; saving creates it"
        )
    return SqlCatalog(engine, shown)


def _make_tables(engine: Engine, shown: str) -> None:
    """Makes the tables that are missing; another process may do so at the same moment."""
    try:
        with transaction(engine, shown, writes=True) as connection:
            METADATA.create_all(connection)
    except StorageError:
        with translate_errors(shown):
            if not inspect(engine).has_table(DATABASES.name):
                raise


def _url(text: str) -> URL:
    scheme, _, rest = text.partition(":")
    try:
        if scheme.lower() == "sqlite":
            # sqlite:///relative and sqlite:////absolute as SQLAlchemy has it, or without slashes.
            path = rest[3:] if rest.startswith("///") else rest
            if not path or path.startswith("//"):
                raise CatalogError(
                    f"`{text}` names no file", hint="write sqlite:views.db, for example"
                )
            return URL.create("sqlite", database=os.path.abspath(os.path.expanduser(path)))
        url = make_url(f"postgresql+psycopg:{rest}")
    except (ArgumentError, ValueError) as error:
        raise CatalogError(
            f"`{scheme}:` is not followed by an address",
            hint="write postgresql://user@host/database, and %40 for an @ in a password",
        ) from mask_error(error)
    is_misread = url.password is not None and re.match(r"\d+[/?#].*=", url.password)
    if is_misread or "@" in (url.host or ""):  # a part of the password would be looked up as a host
        raise CatalogError(
            f"the address `{text}` has an @ too many", hint="write %40 for an @ in a password"
        )
    return url


def _show(url: URL) -> str:
    """The URL for messages, without its password."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:{url.database}"
    shown = url.set(drivername="postgresql").render_as_string(hide_password=True)
    return mask_value(shown)  # `?password=` is one as well


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True, hide_parameters=True)
        engine = create_engine(url, connect_args={"timeout": _SECONDS}, hide_parameters=True)
    except (ImportError, NoSuchModuleError) as error:
        raise CatalogError(
            f"{_show(url)} does not work here: {error}",
            hint="PostgreSQL needs psycopg: pip install viewscribe[postgresql]",
        ) from error
    _SameFile(url.database or "").watch(engine)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


class _SameFile:
    """Detects that an SQLite file was removed or replaced under an open catalog.

    SQLite would create a new file on the next connection, and existing connections would go on
    writing into the unlinked one.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None

    def watch(self, engine: Engine) -> None:
        """Checks before every connection and every transaction."""
        event.listen(engine, "do_connect", self._check)
        event.listen(engine, "begin", self._check)

    def _check(self, *_: Any) -> None:
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            now = None
        else:
            now = (found.st_dev, found.st_ino)
        if self._seen is not None and now != self._seen:
            raise StorageError(
                f"the catalog {self._path} went away while it was used",
                hint="find out what took it away; open it again when it is back",
            )
        self._seen = now


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver's own idea of when a transaction starts is wrong for readers and for DDL:
    # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#pysqlite-serializable
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    with suppress(OperationalError):  # the file is another's alone, which may do the same just now
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Upgrading a read transaction fails if another wrote meanwhile, so writers start as writers.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine, shown: str, *, writes: bool) -> Iterator[Connection]:
    """Runs a transaction, which is committed at the end and rolled back on any error.

    Raises:
        UnknownOutcomeError: the connection broke during the commit.
    """
    with (
        translate_errors(shown),
        engine.connect().execution_options(**{_WRITES: writes}) as connection,
    ):
        running = connection.begin()
        try:
            yield connection
        except BaseException:
            running.rollback()
            raise
        try:
            running.commit()
        except DBAPIError as error:
            # SQLAlchemy would give it back to the pool with the transaction and its locks open.
            connection.invalidate()
            if writes and error.connection_invalidated:
                raise UnknownOutcomeError(
                    f"{shown}: the connection broke while the change was being committed",
                    hint="read it again; saving the same document again is safe",
                ) from error
            raise


@contextmanager
def translate_errors(shown: str) -> Iterator[None]:
    """Converts database errors into catalog errors."""
    try:
        yield
    except DBAPIError as error:
        cause = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason"
        if "locked" in cause or "deadlock" in cause:
            raise CatalogBusyError(
                f"{shown} is being written by another process: {cause}",
                hint="nothing was written: repeat it",
            ) from error
        raise StorageError(f"{shown}: {cause}") from mask_error(error)
    except SQLAlchemyError as error:
        raise StorageError(f"{shown}: {error}") from mask_error(error)
