"""Errors of Spark that become an answer, or an error of ours, are not logged by PySpark as well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from logging import LogRecord

from pyspark.logger import PySparkLogger

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def silence_errors() -> Iterator[None]:
    """PySpark logs each error of a statement when it is raised, with a stack trace: not in here.

    Whoever uses this catches the error, or it reaches the user as an exception.
    """
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).addFilter(_is_loud)  # added once, however often it is asked
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


def _is_loud(record: LogRecord) -> bool:
    return not _quiet.get()
