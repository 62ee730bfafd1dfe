"""The types of calls are Spark's in their depths, too: arrays of arrays, maps of structs, NULLs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.expressions.functions.matrix import questions
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import VoidType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEEPER = [
    {"ai": "array(array(1))", "an": "array(array(2))", "i": "array(3)", "st": "struct(array(1))"},
    {"ai": "array(array(1))", "an": "array(array(NULL, 1))", "i": "array(NULL, 3)", "s": "NULL"},
    {"ai": "array(struct(1 AS x))", "an": "array(struct(2 AS x))", "i": "struct(NULL AS x)"},
    {"ai": "array(struct(1 AS x))", "an": "array(struct(2L AS x))", "i": "struct(3 AS x)"},
    {"ai": "array(array())", "an": "array(array(1))", "i": "array()", "as_": "array(array('a'))"},
    {"ai": "array(map(1, 2))", "an": "array(map(1, NULL))", "i": "map(2, 3)", "s": "map('a', 1)"},
    {"m": "map('a', array(1))", "mi": "map(1, struct(1 AS x))", "i": "NULL", "an": "array()"},
    {"m": "map('a', array())", "mi": "map(1, array(1))", "ai": "array()", "s": "array('a')"},
]
"""What columns of the palette are replaced with."""


@pytest.mark.slow("a few thousand calls, one by one")
@pytest.mark.parametrize("deeper", DEEPER, ids=lambda deeper: deeper.get("ai", "maps"))
def test_types(spark: SparkSession, deeper: dict[str, str]) -> None:
    from pyspark.errors import PySparkException

    env, others, compared = TableEnvironment(), [], 0
    columns: dict[str, None] = {}
    name = re.compile(r"\b(" + "|".join(deeper) + r")\b(?!['(])")
    for group in ("scalars", "aggregates", "lambdas"):
        for each in questions(group):
            text = name.sub(lambda found: deeper[found[0]], each.text)
            if text != each.text and each.ours() is not None:
                columns[text] = None
    for text in columns:
        query = f"SELECT {text} AS c"
        try:
            ours = env.sql_query(query).schema.fields[0].type
            theirs = schema_from_spark(spark.sql(query).schema)[0].type
        except (PySparkException, ViewscribeError):
            continue
        compared += 1
        if repr(ours) != repr(theirs) and not isinstance(ours, VoidType):  # that is always NULL
            others.append(f"{text}: {ours!r} is {theirs!r} to Spark")
    assert not others, f"{len(others)} of {compared}:\n" + "\n".join(others)
    assert compared > 5
