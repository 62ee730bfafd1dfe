"""Keeping writers apart. Spark's SQL has no compare-and-swap, so every writer takes a turn.

Within a process a lock gives the turns. Where other processes reach the same catalog (a metastore,
a Connect server), a view that only one of several creators can create stands for the turn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.errors import CatalogBusyError
from viewscribe.catalog_store.hosted.names import LOCK
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session_catalog.descriptions import KIND, describe
from viewscribe.spark.session_catalog.statements import (
    TAKEN,
    RefusedError,
    Statements,
    pairs,
    settle,
)

LOCK_SECONDS = 30.0
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 0.5

_turns: dict[str, threading.RLock] = {}


class Guard:
    """The turns of one catalog's writers.

    Args:
        statements: to the catalog.
        timeout: how many seconds to wait for other processes.
        shared: whether other processes write there; by default they do unless it is in the memory
            of this process's own Spark.
    """

    def __init__(self, statements: Statements, timeout: float, shared: bool | None) -> None:
        self._statements = statements
        self._timeout = timeout
        self._shared = shared

    @contextmanager
    def writing(self, database: str) -> Iterator[None]:
        """The turn of a writer of that database.

        Raises:
            CatalogBusyError: another process has had it for too long.
            RefusedError: there is no such database.
        """
        with self.turn():
            if not self.shared:
                yield
                return
            self._take(database)
            try:
                yield
            finally:
                self._give_back(database)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The turn among the threads of this process; one session has one set of settings."""
        with _turns.setdefault(self._statements.catalog.lower(), threading.RLock()):
            yield

    @property
    def shared(self) -> bool:
        """Whether other processes write there."""
        if self._shared is None:
            self._shared = self._is_shared()
        return self._shared

    def _is_shared(self) -> bool:
        if not is_classic(self._statements.spark):
            return True
        return self._statements.spark.conf.get("spark.sql.catalogImplementation") != "in-memory"

    def _take(self, database: str) -> None:
        until, wait = time.monotonic() + self._timeout, _FIRST_WAIT
        while True:
            try:
                self._create(database)
            except RefusedError as error:
                if not error.is_one_of(TAKEN):
                    raise
                if time.monotonic() + wait > until:
                    raise self._busy(database) from None
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                return

    def _create(self, database: str) -> None:
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = {KIND: "note", "viewscribe_since": f"{default_author() or 'unknown'} {moment}"}
        name = self._statements.name(database, LOCK)
        settle(
            lambda: self._statements.execute(
                f"CREATE VIEW {name} TBLPROPERTIES {pairs(told)} AS SELECT 1 AS locked"
            ),
            lambda: describe(self._statements, database, LOCK).properties == told,
            f"lock of the database {database}",
        )

    def _give_back(self, database: str) -> None:
        name = self._statements.name(database, LOCK)
        # Whatever happened matters more; a lock that stays is told to the next writer.
        with suppress(RefusedError):
            self._statements.execute(f"DROP VIEW IF EXISTS {name}")

    def _busy(self, database: str) -> CatalogBusyError:
        try:
            since = describe(self._statements, database, LOCK).properties["viewscribe_since"]
        except (RefusedError, KeyError):
            since = "somebody"
        return CatalogBusyError(
            f"the database `{database}` is being written by another process: {since}",
            hint="try again; if that process was killed, run "
            f"DROP VIEW {self._statements.name(database, LOCK)}",
        )
