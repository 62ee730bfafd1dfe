"""Output strategies: the type of a call from the types of its arguments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.types.strategies import types
from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    NUMBER,
    OutputStrategy,
    always_nullable,
    argument,
    as_strategy,
    cascade,
    chain,
    common,
    element_of,
    exactly_argument,
    from_type,
    key_of,
    never_null,
    null_without_ansi,
    nullable_with_all_arguments,
    nullable_with_arguments,
    value_of,
    where,
)
from viewscribe.expressions.functions.operator_types import arithmetic
from viewscribe.expressions.functions.validators import exactly
from viewscribe.expressions.nodes import FieldReference
from viewscribe.types import BIGINT, DATE, DOUBLE, INT, STRING, LogicalType, array, decimal, map_of
from viewscribe.types.coercion import LEGACY, arithmetic_type, coercion, merged_type_of
from viewscribe.types.nested_types import value_type

FEW = st.lists(types(), min_size=1, max_size=4)


def call_of(given: list[LogicalType]) -> CallContext:
    """A call of columns of these types."""
    function = scalar("f(ANY...) -> INT")
    return CallContext(function, [FieldReference(i, "c", each) for i, each in enumerate(given)])


def found(strategy: OutputStrategy, *given: LogicalType) -> LogicalType:
    return strategy(call_of(list(given)))


@given(FEW)
def test_explicit(given: list[LogicalType]) -> None:
    call = call_of(given)
    assert from_type(INT)(call) == INT.with_nullability(call.any_nullable)
    assert from_type(INT.not_null())(call) == INT.not_null()
    assert as_strategy(INT)(call) == from_type(INT)(call)


@given(FEW)
def test_from_an_argument(given: list[LogicalType]) -> None:
    call = call_of(given)
    assert exactly_argument(0)(call) == value_type(given[0])
    assert argument(0)(call).same_type(value_type(given[0]))
    assert argument(0)(call).nullable == any(each.nullable for each in given)


@given(FEW, types())
def test_transformations_change_nullability_alone(
    given: list[LogicalType], type_: LogicalType
) -> None:
    call = call_of(given)
    expected: dict[Any, bool] = {
        nullable_with_arguments: any(each.nullable for each in given),
        nullable_with_all_arguments: all(each.nullable for each in given),
        always_nullable: True,
        never_null: False,
    }
    for transformation, nullable in expected.items():
        got = transformation(lambda context: type_)(call)
        assert got == type_.with_nullability(nullable)
        assert transformation(transformation(lambda context: type_))(call) == got


@given(FEW)
def test_a_cascade_applies_one_transformation_after_the_other(given: list[LogicalType]) -> None:
    call = call_of(given)
    nested = never_null(always_nullable(argument(0)))
    assert cascade(argument(0), always_nullable, never_null)(call) == nested(call)
    assert cascade(argument(0))(call) == argument(0)(call)
    assert cascade(INT, always_nullable, never_null)(call) == INT.not_null()


def test_null_where_ansi_is_off() -> None:
    strategy = null_without_ansi(INT.not_null())
    assert found(strategy, INT.not_null()) == INT.not_null()
    with coercion(LEGACY):
        assert found(strategy, INT.not_null()) == INT


def test_a_chain_takes_the_first_that_matches() -> None:
    strategy = chain(where(0, exactly(DATE), INT), where(0, NUMBER, argument(0)), STRING)
    assert found(strategy, DATE.not_null()) == INT.not_null()
    assert found(strategy, decimal(4, 1)) == decimal(4, 1)
    assert found(strategy, array(INT)) == STRING
    assert found(chain(where(1, INT, INT), DATE), INT) == DATE


def test_a_chain_that_ends_refuses() -> None:
    with pytest.raises(TypeMismatchError, match="no type for these arguments"):
        found(chain(where(0, exactly(DATE), INT)), INT)


@given(types(), types())
def test_common(a: LogicalType, b: LogicalType) -> None:
    expected = merged_type_of((a, b))
    if expected is None:
        with pytest.raises(TypeMismatchError, match="no common type"):
            found(common(), a, b)
    else:
        assert found(common(), a, b) == expected
        assert found(common(1), DATE, a, b) == expected


@given(st.integers(1, 38), st.integers(1, 38), st.sampled_from(["+", "-", "*", "/", "%"]))
def test_decimal_arithmetic(a: int, b: int, operator: Any) -> None:
    left, right = decimal(a, a // 2).not_null(), decimal(b, b // 3).not_null()
    got = found(arithmetic(operator), left, right)
    assert got == arithmetic_type(operator, left, right)
    with coercion(LEGACY):
        assert found(arithmetic(operator), left, right) == got.as_nullable()


def test_parts_of_collections() -> None:
    assert found(element_of(0), array(INT.not_null())) == INT.not_null()
    assert found(key_of(0), map_of(STRING, INT)) == STRING.not_null()
    assert found(value_of(0), map_of(STRING, INT)) == INT
    for strategy, wanted in ((element_of(0), "ARRAY"), (key_of(0), "MAP"), (value_of(0), "MAP")):
        with pytest.raises(TypeMismatchError, match=f"argument 1 is BIGINT, not {wanted}"):
            found(strategy, BIGINT)
    assert found(always_nullable(element_of(0)), array(DOUBLE.not_null())) == DOUBLE
