"""Parentheses where SQL needs them, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from viewscribe import Table, TableEnvironment, col, lit, not_
from viewscribe import functions as F
from viewscribe.expressions.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ENV = TableEnvironment()
ENV.create_table("signs", "a INT, b INT, p BOOLEAN, q BOOLEAN, s STRING")
SIGNS = ENV.from_path("signs")

A, B, P, Q, S = (col(name) for name in ("a", "b", "p", "q", "s"))
NEGATIVE, IS_ONE = -A, A == 1


@pytest.fixture(scope="module")
def signs(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(
        "CREATE OR REPLACE VIEW default.signs AS SELECT CAST(a AS INT) AS a, CAST(b AS INT) AS b, "
        "p, q, s FROM VALUES (1, 2, TRUE, FALSE, 'x'), (-3, 0, FALSE, FALSE, 'true'), "
        "(0, -1, TRUE, NULL, ''), (NULL, 5, NULL, TRUE, NULL), (7, 7, TRUE, TRUE, '1') "
        "AS v (a, b, p, q, s)"
    )
    yield spark
    spark.sql("DROP VIEW default.signs")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (A + B + 1, "a + b + 1"),
        (A + (B + 1), "a + (b + 1)"),
        (A - (B - 1), "a - (b - 1)"),
        ((A + B) * 2, "(a + b) * 2"),
        (A + B * 2, "a + b * 2"),
        (A * (B * 2), "a * (b * 2)"),
        (A / B / 2, "a / b / 2"),
        (A % (B % 2), "a % (b % 2)"),
        (-A, "-a"),
        (-NEGATIVE, "-(-a)"),
        (-(A + B), "-(a + b)"),
        (-A * B, "-a * b"),
        (-(A * B), "-(a * b)"),
        (A - -B, "a - -b"),
        (A - lit(-1), "a - -1"),
        (lit(-1) - A, "-1 - a"),
        (-lit(-1), "-(-1)"),
        (A.bitwise_and(B), "a & b"),
        (~P, "NOT p"),
        (~(~P), "NOT NOT p"),
        (~(P & Q), "NOT (p AND q)"),
        (~P & Q, "NOT p AND q"),
        (P & Q | P, "p AND q OR p"),
        (P & (Q | P), "p AND (q OR p)"),
        ((P | Q) | P, "p OR q OR p"),
        (P | (Q | P), "p OR q OR p"),
        ((A == 1) == P, "(a = 1) = p"),
        (P == IS_ONE, "p = (a = 1)"),
        (A.is_null() == P, "(a IS NULL) = p"),
        ((A == 1).is_null(), "(a = 1) IS NULL"),
        ((~P).is_null(), "(NOT p) IS NULL"),
        ((P & Q).is_not_null(), "(p AND q) IS NOT NULL"),
        ((A == 10).in_(True, False), "(a = 10) IN (TRUE, FALSE)"),
        (A.in_(1, 2).in_(True), "(a IN (1, 2)) IN (TRUE)"),
        ((A + 1).in_(B + 1, 2), "a + 1 IN (b + 1, 2)"),
        ((A + 1).between(B, B + 2), "a + 1 BETWEEN b AND b + 2"),
        (P.between(P & Q, P | Q), "p BETWEEN (p AND q) AND (p OR q)"),
        (A.between(1, 2).between(P, Q), "(a BETWEEN 1 AND 2) BETWEEN p AND q"),
        (~A.between(1, 2), "a NOT BETWEEN 1 AND 2"),
        (~A.in_(1, 2), "a NOT IN (1, 2)"),
        (~S.like("x%"), "s NOT LIKE 'x%'"),
        (~(A.is_null()), "a IS NOT NULL"),
        (~(A.is_not_null()), "a IS NULL"),
        (~(A == 1), "a <> 1"),
        (~(A < 1), "NOT a < 1"),
        (S.like("a") == P, "(s LIKE 'a') = p"),
        (S.like("a!%", escape="!"), "s LIKE 'a!%' ESCAPE '!'"),
        ((A + 1).cast("STRING"), "CAST(a + 1 AS STRING)"),
        (A.cast("BIGINT") + 1, "CAST(a AS BIGINT) + 1"),
        (F.when(P, A).otherwise(B) + 1, "CASE WHEN p THEN a ELSE b END + 1"),
        (F.when(P & Q, A + 1).otherwise(-B), "CASE WHEN p AND q THEN a + 1 ELSE -b END"),
        (F.array(A, B)[0] + 1, "array(a, b)[0] + 1"),
        (A.is_distinct_from(B), "a IS DISTINCT FROM b"),
        (~A.is_distinct_from(B), "a IS NOT DISTINCT FROM b"),
    ],
)
def test_text(expression: Any, text: str) -> None:
    assert resolve(expression, SIGNS.schema).as_serializable_string() == text


Pair = tuple[st.SearchStrategy[Any], st.SearchStrategy[Any]]


def numbers(children: Pair) -> st.SearchStrategy[Any]:
    number, truth = children
    two: list[Callable[[Any, Any], Any]] = [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x % y,
        lambda x, y: F.coalesce(x, y),
        lambda x, y: x.bitwise_and(y),
        lambda x, y: x.bitwise_or(y),
        lambda x, y: x.bitwise_xor(y),
    ]
    return st.one_of(
        st.builds(lambda f, x, y: f(x, y), st.sampled_from(two), number, number),
        st.builds(lambda x: -x, number),
        st.builds(lambda x, factor: x * factor, number, st.sampled_from([-2, 2, 3])),
        st.builds(lambda p, x, y: F.when(p, x).otherwise(y), truth, number, number),
        st.builds(lambda p: p.cast("INT"), truth),
        st.builds(lambda x, y: F.array(x, y)[1], number, number),
    )


def truths(children: Pair) -> st.SearchStrategy[Any]:
    number, truth = children
    either = st.one_of(st.tuples(number, number), st.tuples(truth, truth))
    compare: list[Callable[[Any, Any], Any]] = [
        lambda x, y: x == y,
        lambda x, y: x != y,
        lambda x, y: x < y,
        lambda x, y: x >= y,
        lambda x, y: x.is_distinct_from(y),
        lambda x, y: x.in_(y, x),
        lambda x, y: x.between(y, x),
        lambda x, y: x.between(x, y),
    ]
    return st.one_of(
        st.builds(lambda f, pair: f(*pair), st.sampled_from(compare), either),
        st.builds(lambda x, y: x & y, truth, truth),
        st.builds(lambda x, y: x | y, truth, truth),
        st.builds(not_, truth),
        st.builds(lambda x: x.is_null(), st.one_of(number, truth)),
        st.builds(lambda x: x.is_not_null(), st.one_of(number, truth)),
        st.builds(lambda x: x.cast("STRING").like("%1%"), number),
    )


def trees(depth: int) -> Pair:
    number: st.SearchStrategy[Any] = st.sampled_from([A, B, lit(1), lit(-1), lit(0), lit(None)])
    number = number.map(lambda x: x.cast("INT") if repr(x) == "NULL" else x)
    truth: st.SearchStrategy[Any] = st.sampled_from([P, Q, lit(True), S == "x"])
    for _ in range(depth):
        below = (number, truth)
        number, truth = st.one_of(number, numbers(below)), st.one_of(truth, truths(below))
    return number, truth


NUMBER, TRUTH = trees(3)


@pytest.mark.slow("300 random expressions, as trees and as text")
@settings(max_examples=examples(10, fuzz=100), suppress_health_check=list(HealthCheck))
@given(items=st.lists(st.one_of(NUMBER, TRUTH), min_size=30, max_size=30))
def test_random_trees_keep_their_meaning(signs: SparkSession, items: list[Any]) -> None:
    table = SIGNS.select(*[item.alias(f"v{place}") for place, item in enumerate(items)])
    check(signs, table)
    conditions = [(item.is_not_null()) for item in items[:5]]
    check(signs, SIGNS.filter(conditions[0] | conditions[1] & ~conditions[2]))


def check(spark: SparkSession, table: Table) -> None:
    text = table.to_sql()
    found, wanted = spark.sql(text), table.to_dataframe(spark)
    assert found.schema == wanted.schema, text
    assert outcome(found) == outcome(wanted), text


def outcome(data: Any) -> Any:
    """The rows, or the name of the error that Spark ends with (division by zero, overflow)."""
    from pyspark.errors import PySparkException

    try:
        return [tuple(row) for row in data.collect()]
    except PySparkException as error:
        return error.getCondition()
