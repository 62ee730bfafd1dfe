"""Columns by name, made once: a column of a classic session is an object of the JVM.

A column that is only a name has no table, no session and no state, so views share those of the
names that their tables have. Making one takes three calls of the JVM, and forgetting it another.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.utils import is_remote

from viewscribe.types.identifiers import quote_identifier

_MOST = 5_000


class _Known:
    """The columns that were made in one JVM."""

    def __init__(self, gateway: Any) -> None:
        self.gateway = gateway
        self.columns: dict[str, Column] = {}


_known = _Known(None)


def named_column(name: str) -> Column:
    """Returns the column of that name, whatever letters are in it."""
    global _known
    if is_remote():
        return F.col(quote_identifier(name))
    from pyspark import SparkContext  # a thin client has none

    gateway = SparkContext._gateway
    known = _known
    if known.gateway is not gateway or len(known.columns) >= _MOST:
        known = _known = _Known(gateway)
    found = known.columns.get(name)
    if found is None:
        found = known.columns[name] = F.col(quote_identifier(name))
    return found
