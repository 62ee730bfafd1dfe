"""A column that nobody named is called as Spark calls it, by whichever name the function goes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.expressions.functions.matrix import questions
from tests.expressions.functions.palette import SCHEMA
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_OF_ONE = 2
COLUMNS = ", ".join(f"{each.name} {each.type}" for each in SCHEMA.fields)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    spark.createDataFrame([], schema_to_spark(SCHEMA)).createOrReplaceTempView("named_columns")
    return "named_columns"


@pytest.mark.slow("two calls of every function under each of its names")
@pytest.mark.parametrize("group", ["scalars", "aggregates", "windows", "lambdas"])
def test_every_name_of_every_function(spark: SparkSession, table: str, group: str) -> None:
    from pyspark.errors import PySparkException

    env, other, compared = TableEnvironment(), [], Counter[str]()
    env.create_table(table, COLUMNS)
    for text in _texts(group):
        query = f"SELECT {text} FROM {table}"
        try:
            theirs = spark.sql(query).columns
            ours = env.sql_query(query).columns
        except (PySparkException, ViewscribeError):
            continue
        compared[group] += 1
        if ours != theirs:
            other.append(f"{text}: {ours} is {theirs} to Spark")
    assert not other, "\n".join(other)
    assert compared[group] > 10


def _texts(group: str) -> list[str]:
    found: list[str] = []
    taken = Counter[str]()
    for each in questions(group):
        start = f"{built_in(each.name).sql_name}("
        if taken[each.name] == MOST_OF_ONE or each.ours() is None:
            continue
        taken[each.name] += 1
        found.append(each.text)
        if each.text.startswith(start):
            names = built_in(each.name).aliases
            found += [f"{name}({each.text.removeprefix(start)}" for name in names]
    return found
