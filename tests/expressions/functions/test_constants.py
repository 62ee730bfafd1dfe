"""Constants that Spark's analyzer refuses for their value are refused here, and no others."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.expressions.functions.constant_calls import calls
from tests.expressions.functions.matrix import REFUSED, shown, text_of, type_of
from tests.expressions.functions.recorded import recorded
from viewscribe import TableEnvironment, array, call, col, lit
from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.constants import UNKNOWN, constant_value
from viewscribe.expressions.resolve import resolve_freely
from viewscribe.types.policy import ANSI, LEGACY, Coercion, coercion


@pytest.mark.parametrize(("mode", "policy"), [("ansi", ANSI), ("legacy", LEGACY)])
def test_spark_refuses_the_same(mode: str, policy: Coercion) -> None:
    theirs = recorded("constants", mode)
    with coercion(policy):
        ours = {text_of(made): shown(type_of(made)) for made in calls()}
    assert {text for text in ours if ours[text] != theirs[text]} == set()
    assert 60 < sum(type_ == REFUSED for type_ in ours.values()) < len(ours) - 60


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (lit(1), 1),
        (lit(None), None),
        (-(lit(1) + 2 * lit(3)), -7),
        (lit("1.5").cast("DOUBLE"), 1.5),
        (lit(2.9).cast("INT"), 2),
        (array(1, None), [1, None]),
        (lit(0.5) + Decimal("0.25"), 0.75),
    ],
)
def test_values_that_are_known(made: Expression, value: Any) -> None:
    assert constant_value(resolve_freely(made)) == value


@pytest.mark.parametrize(
    "made", [col("a"), call("upper", "x"), lit("x").cast("DOUBLE"), lit(1) / 2, lit("1") + 1]
)
def test_values_that_are_not_known(made: Expression) -> None:
    assert constant_value(resolve_freely(made)) is UNKNOWN


def test_the_message_names_the_value() -> None:
    env = TableEnvironment()
    env.create_table("t", "d DOUBLE")
    with pytest.raises(TypeMismatchError, match=r"a percentage is from 0 to 1, not 1\.5"):
        env.from_path("t").select(call("percentile", col("d"), array(0.5, 1.5)).alias("x"))
