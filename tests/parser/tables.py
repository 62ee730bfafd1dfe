"""A world of a few tables, for texts that are read without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import SqlSyntaxError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.types.ddl_reader import parse_schema

TABLES = {
    "t": "a INT NOT NULL, b BIGINT, s STRING, d DATE, at TIMESTAMP, x DOUBLE",
    "u": "k INT NOT NULL, a INT, w STRING",
    "n": "st STRUCT<f: INT, g: STRUCT<h: STRING>>, arr ARRAY<INT>, m MAP<STRING, INT>",
    "same": "same STRUCT<f: INT, g: STRING>, f INT",
    "c": "plain STRING, folded STRING COLLATE UTF8_LCASE",
}
"""The tables, by name."""


class Tables:
    """Looks tables up among those given; there are no functions of users."""

    def __init__(self, tables: Mapping[str, str] = TABLES) -> None:
        self._tables = tables

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table of a name."""
        ddl = self._tables.get(parts[-1].lower())
        if ddl is None:
            raise SqlSyntaxError(f"no table `{parts[-1]}`")
        return CatalogSource.of(tuple(parts), parse_schema(ddl))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """None: there are only Spark's."""
        return None

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Nothing: there are no functions of tables."""
        raise SqlSyntaxError(f"no function `{'.'.join(parts)}` of tables")


def read(text: str, **reading: Any) -> QueryOperation:
    """What a text means over the tables."""
    return read_sql(text, Tables(), Reading(**{"zone": "UTC", **reading}))
