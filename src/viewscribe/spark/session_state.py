"""What a session says of itself, asked once while only viewscribe works with it.

Each question is a call of the driver, or several. Within ``ask_once`` the answers are kept, and
whatever viewscribe changes is changed in them, too. No code of users may run there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(slots=True)
class SessionState:
    """The answers of a session; None where it was not asked.

    Args:
        spark: the session.
        settings: what is set in it.
        namespace: its current catalog and database.
    """

    spark: SparkSession
    settings: Mapping[str, str] | None = None
    namespace: tuple[str, str] | None = None
    _query: tuple[object, DataFrame] | None = None

    def keep_query(self, text: str, frame: DataFrame) -> None:
        """Keeps the last query that was analyzed, with all that its meaning depends on."""
        if self.settings is not None and self.namespace is not None:
            self._query = (text, self.settings, self.namespace), frame

    def find_query(self, text: str) -> DataFrame | None:
        """The query as it was analyzed, if nothing has changed since."""
        if self._query is None or self._query[0] != (text, self.settings, self.namespace):
            return None
        return self._query[1]


_kept: ContextVar[SessionState | None] = ContextVar("session_state", default=None)


@contextmanager
def ask_once(spark: SparkSession) -> Iterator[None]:
    """Keeps what the session says of itself inside the ``with`` block."""
    token = _kept.set(state_of(spark))
    try:
        yield
    finally:
        _kept.reset(token)


def state_of(spark: SparkSession) -> SessionState:
    """The answers that are kept of a session; fresh ones where nothing is kept."""
    kept = _kept.get()
    return kept if kept is not None and kept.spark is spark else SessionState(spark)
