"""What is known of expressions: constant, deterministic, monotone, what they use."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.expressions.functions.matrix import REFUSED
from tests.expressions.functions.palette import SCHEMA
from tests.expressions.functions.property_calls import calls
from tests.expressions.functions.recorded import recorded, shown_properties
from viewscribe import call, col, lit
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.node import holds
from viewscribe.expressions.nodes import Cast, ResolvedExpression
from viewscribe.expressions.properties import (
    Monotone,
    functions_of,
    is_deterministic,
    is_foldable,
    is_special,
    monotonicity,
    outer_references,
    references_of,
    refers_outside,
)
from viewscribe.expressions.resolve import resolve
from viewscribe.types.coercion import LEGACY, coercion

PLACES = {name: place for place, name in enumerate(SCHEMA.names)}


def made(expression: Expression) -> ResolvedExpression:
    return resolve(expression, SCHEMA)


@pytest.mark.parametrize(
    ("expression", "foldable", "deterministic"),
    [
        (lit(1), True, True),
        (lit(1) + 2, True, True),
        (lit("1").cast("INT"), True, True),
        (call("current_date"), True, True),
        (call("array", 1, 2), True, True),
        (col("i"), False, True),
        (col("i") + 1, False, True),
        (call("rand"), False, False),
        (call("rand") + col("i"), False, False),
        (call("transform", call("array", 1), lambda x: x + 1), False, True),
        (call("sum", lit(1)), False, True),
        (call("uuid"), False, False),
    ],
)
def test_constant_and_deterministic(
    expression: Expression, foldable: bool, deterministic: bool
) -> None:
    found = made(expression)
    assert (is_foldable(found), is_deterministic(found)) == (foldable, deterministic)


@pytest.mark.parametrize(
    ("expression", "column", "direction"),
    [
        (col("i"), "i", "increasing"),
        (col("i") + 1, "i", "increasing"),
        (col("i") - 1, "i", "increasing"),
        (-col("i"), "i", "decreasing"),
        ((-(col("i") + 1)).negate(), "i", "increasing"),
        (col("i").cast("BIGINT"), "i", "increasing"),
        (col("dt").cast("TIMESTAMP"), "dt", "increasing"),
        (call("date_add", col("dt"), 3), "dt", "increasing"),
        (col("i").alias("x"), "i", "increasing"),
    ],
)
def test_monotone(expression: Expression, column: str, direction: str) -> None:
    assert monotonicity(made(expression)) == Monotone(PLACES[column], direction)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expression",
    [
        lit(1),
        col("i") + col("l"),
        col("i").cast("STRING"),
        col("s").cast("INT"),
        col("l").try_cast("INT"),
        col("i") % 3,
        call("upper", col("s")),
        col("s") + 1,
    ],
)
def test_not_known_to_be_monotone(expression: Expression) -> None:
    assert monotonicity(made(expression)) is None


def test_whole_numbers_wrap_around_where_ansi_is_off() -> None:
    with coercion(LEGACY):
        assert monotonicity(made(col("i") + 1)) is None
        assert monotonicity(made(col("d") + 1)) is not None


def test_references() -> None:
    env = vs.TableEnvironment()
    people = env.from_values([(1, 2)], "a INT, b INT")
    others = env.from_values([(1, 2)], "c INT, d INT")
    filtered = people.filter(
        vs.exists(lambda outer: others.filter((col("c") == outer("b")) & (col("d") > 1)))
        & (call("upper", lit("x")) == "X")
    )
    found = references_of(filtered.operation.condition)  # type: ignore[attr-defined]
    assert found.columns == {1}
    assert found.outer == frozenset()
    assert {function.name for function in found.functions} == {"and", "equals", "upper"}
    (query,) = found.queries
    assert refers_outside(query)
    assert outer_references(query) == {(1, 1)}
    assert not refers_outside(filtered.operation)
    assert is_special(filtered.operation.condition)  # type: ignore[attr-defined]
    names = {function.name for function in functions_of(filtered.operation)}
    assert {"upper", "greater_than"} <= names


def test_columns_of_queries_further_out() -> None:
    env = vs.TableEnvironment()
    a, b, c = (env.from_values([(1, 2)], f"{n}1 INT, {n}2 INT") for n in "abc")

    def inner(outer: object) -> object:
        return b.filter(
            vs.exists(lambda nearest: c.filter(col("c1") == outer("a2") + nearest("b1")))  # type: ignore[operator]
        )

    table = a.filter(vs.exists(inner))
    condition = table.operation.condition  # type: ignore[attr-defined]
    assert references_of(condition).columns == {1}
    (within,) = references_of(condition).queries
    deeper = references_of(within.condition)  # type: ignore[attr-defined]
    assert deeper.columns == {0}
    assert deeper.outer == {(1, 1)}


def test_depth_does_not_matter() -> None:
    deep = col("i")
    for _ in range(5_000):
        deep = deep + 1
    found = made(deep)
    assert monotonicity(found) == Monotone(PLACES["i"], "increasing")
    assert references_of(found).columns == {PLACES["i"]}
    assert references_of(found) is references_of(found)
    assert is_deterministic(found)
    assert not is_foldable(found)
    assert not holds(found, Cast)


# Functions for which Spark says something else, and why.
DIFFERENT = {
    **dict.fromkeys(["array_compact", "array_sort"], "Spark takes no lambda for a constant"),
    **dict.fromkeys(
        ["arrays_zip", "elt", "map_concat", "variant_delete"], "Spark does not say, so it is none"
    ),
    "convert_timezone": "the optimizer puts the time zone of the session in",
    **dict.fromkeys(["between", "nullif", "regexp_substr"], "Spark evaluates an operand once"),
    **dict.fromkeys(
        [f"current_{what}" for what in ("catalog", "database", "path", "timezone", "user")],
        "the optimizer puts the constant in",
    ),
    **dict.fromkeys(["typeof", "collation"], "depends on types alone: a constant of any column"),
    **dict.fromkeys(["raise_error", "assert_true"], "must not be written twice, nor moved"),
}


def test_spark_says_the_same() -> None:
    """Of a sample of the registry, over columns and over constants."""
    theirs, ours = recorded("properties", "ansi"), calls()
    assert len({known.function for known in ours.values()}) > 300
    wrong = {
        known.function
        for text, known in ours.items()
        if theirs[text] not in (REFUSED, shown_properties(known.foldable, known.deterministic))
    }
    assert wrong == DIFFERENT.keys()
    assert sum(answer != REFUSED for answer in theirs.values()) > 1_000
