"""Columns of VALUES and UNPIVOT: every type under every other, as Spark's analyzer has them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import pytest

from tests.parser.tables import read
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VALUES = {
    "tinyint": "1Y",
    "int": "16777217",
    "bigint": "3L",
    "float": "1.5F",
    "double": "2.5D",
    "decimal": "1.25BD",
    "string": "'1'",
    "binary": "X'01'",
    "boolean": "true",
    "date": "DATE '2020-01-01'",
    "timestamp": "TIMESTAMP '2020-01-01 00:00:00'",
    "months": "INTERVAL '1' MONTH",
    "days": "INTERVAL '1' DAY",
    "array": "array(1)",
    "floats": "array(1.5F)",
    "struct": "named_struct('a', 1)",
    "null": "NULL",
}

SHAPES = {
    "values": "SELECT * FROM VALUES ({0}), ({1}) AS v(x)",
    "unpivot": "SELECT * FROM (SELECT {0} AS a, {1} AS b) UNPIVOT (v FOR n IN (a, b))",
    "together": "SELECT * FROM (SELECT {0} AS a, {1} AS b) "
    "UNPIVOT ((v, w) FOR n IN ((a, b), (b, a)))",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_type_under_every_other(spark: SparkSession, shape: str) -> None:
    different = []
    for one, other in combinations_with_replacement(VALUES, 2):
        text = SHAPES[shape].format(VALUES[one], VALUES[other])
        ours, theirs = _ours(text), _theirs(spark, text)
        if ours != theirs:
            different.append((text, ours, theirs))
    assert not different, "\n".join(map(str, different))


def test_the_values_are_those_of_spark(spark: SparkSession) -> None:
    """A BIGINT loses digits beside a FLOAT: as text of a DOUBLE it would keep them."""
    text = SHAPES["values"].format("16777217", "1.5F")
    printed = to_sql(read(text))
    assert sorted(spark.sql(printed).collect()) == sorted(spark.sql(text).collect())


def _theirs(spark: SparkSession, text: str) -> list[str] | None:
    from pyspark.errors import PySparkException

    try:
        fields = schema_from_spark(spark.sql(text).schema)
    except PySparkException:
        return None
    return [str(each.type.as_nullable()) for each in fields]


def _ours(text: str) -> list[str] | None:
    try:
        return [str(each.type.as_nullable()) for each in read(text).schema.fields]
    except ViewscribeError:
        return None
