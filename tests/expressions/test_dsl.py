"""What users type: operators, methods, and help where Python's own words do not work."""

from __future__ import annotations

from typing import Any

import pytest

from viewscribe import TableEnvironment, and_, col, if_then_else, interval, lit, not_, or_
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.expressions.resolve import resolve

ENV = TableEnvironment()
ENV.create_table("t", "a INT, b INT, p BOOLEAN, q BOOLEAN, s STRING, d DATE")
SCHEMA = ENV.from_path("t").schema
COLUMNS: list[Any] = [col(name) for name in "abpqsd"]
A, B, P, Q, S, D = COLUMNS


def sql(expression: Any) -> str:
    return resolve(expression, SCHEMA).as_serializable_string()


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: A and B,
        lambda: A or B,
        lambda: not P,
        lambda: 1 < A < 3,
        lambda: A in [B],
        lambda: bool(A),
        lambda: [1 for _ in range(1) if P],
    ],
)
def test_python_words_raise_with_the_way_out(misuse: Any) -> None:
    with pytest.raises(ValidationError, match="no truth value in Python") as caught:
        misuse()
    assert "& | ~" in str(caught.value)


def test_expressions_are_not_iterable() -> None:
    with pytest.raises(ValidationError, match="cannot be iterated over"):
        list(A)


def test_an_unknown_method_shows_the_nearest() -> None:
    with pytest.raises(AttributeError, match="no method `uper`; did you mean: upper"):
        A.uper()
    assert not hasattr(A, "__wrapped__")
    assert not hasattr(A, "_private")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (1 + A, "1 + a"),
        (1 - A, "1 - a"),
        (2 * A, "2 * a"),
        (2 / A, "2 / a"),
        (7 % A, "7 % a"),
        (A**2, "power(a, 2)"),
        (2**A, "power(2, a)"),
        (True & P, "TRUE AND p"),
        (False | P, "FALSE OR p"),
        (lit(1) < A, "1 < a"),
        (A == None, "a = NULL"),  # noqa: E711
        (and_(P, Q, P), "p AND q AND p"),
        (and_(P), "p"),
        (or_(P, and_(P, Q)), "p OR p AND q"),
        (not_(P), "NOT p"),
        (A.in_(1, 2), "a IN (1, 2)"),
        (A.in_([1, 2]), "a IN (1, 2)"),
        (A.isin(1), "a IN (1)"),
        (A.between(1, 2), "a BETWEEN 1 AND 2"),
        (A.not_between(1, 2), "a NOT BETWEEN 1 AND 2"),
        (S.upper_case(), "upper(s)"),
        (S.upper(), "upper(s)"),
        (A.try_cast("STRING"), "TRY_CAST(a AS STRING)"),
        (A.astype("BIGINT"), "CAST(a AS BIGINT)"),
        (if_then_else(P, 1, 2), "CASE WHEN p THEN 1 ELSE 2 END"),
        (F.when(P, 1).when(Q, 2), "CASE WHEN p THEN 1 WHEN q THEN 2 END"),
        (D + interval(years=1, months=2), "d + INTERVAL '1-2' YEAR TO MONTH"),
        (D + interval(days=90), "d + INTERVAL '90' DAY"),
    ],
)
def test_operators_and_methods(expression: Any, text: str) -> None:
    assert sql(expression) == text


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: A.in_(), "in_() needs at least one value"),
        (lambda: A.alias(""), "an alias is a name, not ''"),
        (lambda: A.distinct(), "distinct() belongs to a call of an aggregate function"),
        (lambda: F.when(P, 1).otherwise(2).otherwise(3), "has no otherwise() yet"),
        (lambda: F.when(P, 1).otherwise(2).when(Q, 3), "has no otherwise() yet"),
        (lambda: interval(years=1, days=1), "an interval is either years and months, or days"),
        (lambda: interval(), "an interval is either years and months, or days"),
        (lambda: A.cast("INTT"), "no type is called `INTT`"),
    ],
)
def test_misuse_says_what_to_do(build: Any, part: str) -> None:
    with pytest.raises(ValidationError) as caught:
        build()
    assert part in str(caught.value)


def test_repr_shows_what_was_typed() -> None:
    assert repr((A + 1).alias("x")) == "plus(a, 1) AS x"
    deep: Any = A
    for _ in range(5_000):
        deep = deep + 1
    assert repr(deep).endswith("…)" + ", 1)" * 11) or len(repr(deep)) < 4_000


def test_building_shares_nothing_that_changes() -> None:
    base = A + 1
    first, second = base * 2, base * 3
    assert (sql(first), sql(second), sql(base)) == ("(a + 1) * 2", "(a + 1) * 3", "a + 1")
