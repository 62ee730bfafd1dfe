"""A column that nobody named is called as Spark calls it, by whichever name the function goes."""

from __future__ import annotations

import re
import struct
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expressions.functions.matrix import questions
from tests.expressions.functions.palette import SCHEMA
from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.auto_names import is_shown_alike, literal_text
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.types import schema_to_spark
from viewscribe.types import DOUBLE, FLOAT

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


OPERATORS = ("+", "-", "*", "/", "%", "DIV", "||", "=", "<=>", "<", "IN", "LIKE")


@pytest.mark.slow("a query with thousands of items")
def test_every_operator_over_every_pair_of_types(spark: SparkSession, table: str) -> None:
    """One query of Spark for each pair with all operators that it takes there."""
    env = TableEnvironment()
    env.create_table(table, COLUMNS)
    kinds = [each.name for each in SCHEMA.fields if each.type.nullable and each.name not in _RARE]
    operands = [*kinds, "'1'", "2", "NULL", "INTERVAL '1' DAY", "DATE '2020-01-02'"]
    texts = [
        f"{one} {operator} {f'({other})' if operator == 'IN' else other}"
        for operator in OPERATORS
        for one in operands
        for other in operands
    ]
    read = [text for text in texts if _is_read(env, f"SELECT {text} FROM {table}")]
    query = f"SELECT {', '.join(read)} FROM {table}"
    named = zip(read, env.sql_query(query).columns, spark.sql(query).columns, strict=True)
    other = [each for each in named if each[1] != each[2]]
    assert not other, "\n".join(map(str, other))
    assert len(read) > 500


_RARE = ("tm", "gm", "gmx", "gg", "tk", "af", "tm3", "e3")


def _is_read(env: TableEnvironment, query: str) -> bool:
    try:
        env.sql_query(query)
    except ViewscribeError:
        return False
    return True


@pytest.mark.slow("a call of every function that takes a string")
def test_every_function_of_a_string_of_another_collation(spark: SparkSession, table: str) -> None:
    from pyspark.errors import PySparkException

    env, other, compared = TableEnvironment(), [], 0
    env.create_table(table, COLUMNS)
    for text in (text for group in ("scalars", "aggregates") for text in _texts(group)):
        collated = re.sub(r"\bs\b", "collate(s, 'UTF8_LCASE')", text)
        query = f"SELECT {collated} FROM {table}"
        if collated == text:
            continue
        try:
            ours, theirs = env.sql_query(query).columns, spark.sql(query).columns
        except (PySparkException, ViewscribeError):
            continue
        compared += 1
        if ours != theirs:
            other.append(f"{collated}: {ours} is {theirs} to Spark")
    assert not other, "\n".join(other)
    assert compared > 50


def test_what_stands_for_a_lambda(spark: SparkSession) -> None:
    columns = "m MAP<STRING, INT>, a INT, arr ARRAY<INT>, l ARRAY<STRING COLLATE UTF8_LCASE>"
    items = """
        transform(arr, 1), filter(arr, a > 0), exists(arr, true), zip_with(arr, arr, a),
        array_sort(arr, 1), aggregate(arr, 0, 1), reduce(arr, 0, (b, x) -> b, 1),
        transform_values(m, 'k'), map_zip_with(m, m, a), map_filter(m, true),
        forall(l, a > 1), aggregate(l, 'x', 'y'), transform(l, x -> upper(x))
    """
    spark.createDataFrame([], columns).createOrReplaceTempView("elements")
    env = TableEnvironment()
    env.create_table("elements", columns)
    query = f"SELECT {items} FROM elements"
    assert env.sql_query(query).columns == spark.sql(query).columns


@settings(deadline=None, max_examples=10)
@given(st.data())
def test_numbers_are_shown_as_java_does(spark: SparkSession, data: st.DataObject) -> None:
    doubles = st.one_of(st.floats(allow_nan=False, allow_infinity=False), _short(10**15, 40))
    floats = st.floats(allow_nan=False, allow_infinity=False, width=32)
    singles = st.one_of(floats, _short(10**6, 30).map(_to_single))
    values = [Literal(each, DOUBLE) for each in data.draw(_several(doubles))]
    values += [Literal(each, FLOAT) for each in data.draw(_several(singles))]
    alike = [each for each in values if is_shown_alike(each)]
    casts = (f"CAST(CAST('{each.value!r}' AS {each.type.ddl}) AS STRING)" for each in alike)
    assert [literal_text(each) for each in alike] == list(
        spark.sql(f"SELECT 'x', {', '.join(casts) or 1}").first()[1 : len(alike) + 1]  # type: ignore[index]
    )


def _several(numbers: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    return st.lists(numbers, min_size=30, max_size=30)


def _short(most: int, power: int) -> st.SearchStrategy[float]:
    parts = st.integers(-most, most), st.integers(-power, power)
    return st.builds(lambda digits, power: float(f"{digits}e{power}"), *parts)


def _to_single(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


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
