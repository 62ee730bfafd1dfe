"""Python values as literals: the type that follows, and what does not fit."""

from __future__ import annotations

import datetime as dt
import enum
from collections import namedtuple
from decimal import Decimal
from typing import Any

import pytest

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.literals import literal
from viewscribe.types.ddl import parse_type, type_text

Point = namedtuple("Point", ["x", "y"])


class Colour(enum.IntEnum):
    RED = 3


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (None, "VOID"),
        (True, "BOOLEAN"),
        (1, "INT"),
        (2**31 - 1, "INT"),
        (2**31, "BIGINT"),
        (-(2**63), "BIGINT"),
        (2**63, "DECIMAL(19, 0)"),
        (1.0, "DOUBLE"),
        (float("nan"), "DOUBLE"),
        (Decimal("1.50"), "DECIMAL(3, 2)"),
        (Decimal("0.001"), "DECIMAL(3, 3)"),
        (Decimal("1E+3"), "DECIMAL(4, 0)"),
        (Decimal("-0"), "DECIMAL(1, 0)"),
        ("x", "STRING"),
        (b"x", "BINARY"),
        (bytearray(b"x"), "BINARY"),
        (dt.date(2020, 1, 1), "DATE"),
        (dt.datetime(2020, 1, 1), "TIMESTAMP_NTZ"),
        (dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "TIMESTAMP"),
        (dt.timedelta(1), "INTERVAL DAY TO SECOND"),
        ([1, 2], "ARRAY<INT NOT NULL>"),
        ([1, None], "ARRAY<INT>"),
        ([1, 2.5], "ARRAY<DOUBLE NOT NULL>"),
        ({"a": 1}, "MAP<STRING, INT NOT NULL>"),
        ((1, "x"), "STRUCT<col1: INT NOT NULL, col2: STRING NOT NULL>"),
        (Point(1, None), "STRUCT<x: INT NOT NULL, y: VOID>"),
        (Colour.RED, "INT"),
    ],
)
def test_the_type_follows_from_the_value(value: Any, type_: str) -> None:
    made = literal(value)
    assert type_text(made.type.as_nullable()) == type_
    assert made.type.nullable == (value is None or value != value)  # only NaN differs from itself


def test_values_are_held_plainly() -> None:
    berlin = dt.timezone(dt.timedelta(hours=2))
    moment = literal(dt.datetime(2020, 1, 1, 1, tzinfo=berlin)).value
    assert (moment.hour, moment.utcoffset()) == (23, dt.timedelta(0))
    assert type(literal(Colour.RED).value) is int
    assert literal([1, [2]][:1]).value == (1,)
    assert literal({"a": [1]}).value == (("a", (1,)),)
    assert literal(dt.datetime(2020, 10, 25, 2, fold=1)).value.fold == 0


def test_values_take_the_type_that_is_asked_for() -> None:
    assert literal(Decimal(1), parse_type("DECIMAL(5, 2)")).value.as_tuple().exponent == -2
    assert literal(0.1, parse_type("FLOAT")).value != 0.1
    assert literal(None, parse_type("INT")).type == parse_type("INT")
    assert literal({"b": 1}, parse_type("STRUCT<a: INT, b: INT>")).value == (None, 1)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (128, "TINYINT"),
        (True, "INT"),
        (1, "BOOLEAN"),
        ("1", "INT"),
        (1, "STRING"),
        (1e300, "FLOAT"),
        (Decimal("1.234"), "DECIMAL(5, 2)"),
        (Decimal("1000"), "DECIMAL(5, 2)"),
        (dt.datetime(2020, 1, 1), "TIMESTAMP"),
        (dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "TIMESTAMP_NTZ"),
        (dt.datetime(2020, 1, 1), "DATE"),
        (13, "INTERVAL YEAR"),
        (dt.timedelta(hours=1), "INTERVAL DAY"),
        ((1,), "STRUCT<a: INT, b: INT>"),
        (["x"], "ARRAY<INT>"),
        (1, "VARIANT"),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, type_: str) -> None:
    with pytest.raises(TypeMismatchError):
        literal(value, parse_type(type_))


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (object(), "a object cannot be a literal"),
        ({1, 2}, "a set cannot be a literal"),
        (10**38, "more than the 38 digits"),
        (Decimal("NaN"), "DECIMAL has no NaN"),
        ([1, [2]], "the elements have no common type"),
        (dt.time(1, tzinfo=dt.UTC), "TIME has no time zone"),
    ],
)
def test_values_without_a_literal_say_why(value: Any, part: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        literal(value)
    assert part in str(caught.value)
