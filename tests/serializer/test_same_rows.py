"""Every case gives, in every style, the schema of its tree and the rows of the interpreter."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.serializer.cases import CASES, NOT_REPEATABLE
from tests.serializer.pipe_layouts import LAYOUTS
from tests.serializer.turned import TURNED
from tests.spark.answers import Answers
from tests.versions import READ, skip_newer
from viewscribe.serializer import STYLES
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from viewscribe import Table

TABLES = CASES | TURNED


@pytest.mark.parametrize("name", TABLES)
def test_the_same_rows(shop: SparkSession, name: str) -> None:
    table = TABLES[name]()
    skip_newer(table.operation)
    wanted = [(field.name, str(field.type)) for field in table.schema]
    interpreted = table.to_dataframe(shop)
    assert schema_of(interpreted) == wanted
    answers = None if name in NOT_REPEATABLE else Answers(rows_of)
    for text in sorted(set().union(*(texts(table, style) for style in STYLES))):
        found = shop.sql(text)
        assert schema_of(found) == wanted, text
        if answers is not None:
            assert answers.of(found) == answers.of(interpreted), text


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_of_the_pipe_style_give_the_same_rows(shop: SparkSession, name: str) -> None:
    table = LAYOUTS[name]()
    skip_newer(table.operation)
    wanted = [(field.name, str(field.type)) for field in table.schema]
    found = table.to_dataframe(shop)
    answers = Answers(rows_of)
    for text in texts(table, "pipe"):
        piped = shop.sql(text)
        assert schema_of(piped) == wanted, text
        assert answers.of(piped) == answers.of(found), text


def texts(table: Table, style: str) -> set[str]:
    """The texts of all targets that the running Spark reads."""
    return {table.to_sql(style, target=target) for target in READ}


def schema_of(data: DataFrame) -> list[tuple[str, str]]:
    return [(field.name, str(field.type)) for field in schema_from_spark(data.schema)]


def rows_of(data: DataFrame) -> Counter[str]:
    return Counter(repr(tuple(row)) for row in data.collect())
