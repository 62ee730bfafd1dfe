"""Constants that Spark's analyzer refuses for their value are refused here, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.expressions.functions.matrix import shown, text_of, type_of
from tests.expressions.functions.oracle import SparkOracle
from viewscribe import TableEnvironment, array, call, col, lit
from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.constants import UNKNOWN, constant_value
from viewscribe.expressions.resolve import resolve_freely
from viewscribe.types.policy import ANSI, LEGACY, Coercion, coercion

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAN = float("nan")

PERCENTAGES: list[Any] = [
    *(0.5, 0, 1, 1.5, -0.1, Decimal("0.5"), Decimal("1.5"), None, "0.5", "1.5", "x", NAN, 2, True),
    lit(None, "DOUBLE"),
    lit(0.5) + 0.7,
    lit(Decimal("0.1")) + Decimal("0.9"),
    lit(2) * 0.5 - 1,
    -lit(0.5),
    lit(1.5).cast("DOUBLE"),
    lit("1.5").cast("DOUBLE"),
    lit(1.5).cast("INT"),
    lit(1.00000001).cast("FLOAT"),
    lit(None).cast("DOUBLE"),
    array(0.5, 0.7),
    array(0.5, 1.5),
    array(0.5, None),
    array(None),
    array(),
    array("0.5"),
    array("1.5"),
    array(Decimal("0.5")),
    array(Decimal("0.5"), None),
    array(0.5, NAN),
    array(0, 1),
    array(0, 2),
    array(0.5, lit(0.5) + 0.7),
    array(-lit(0.5)),
    array(lit(1.5).cast("FLOAT")),
    array(array(0.5)),
    lit([0.5, 1.5]),
    lit([0.5]),
    lit([0.5, None]),
    lit(None, "ARRAY<DOUBLE>"),
    lit([None], "ARRAY<DOUBLE>"),
]


def _calls() -> Iterator[Expression]:
    value, half = col("d"), lit(0.5)
    for given in PERCENTAGES:
        place = given if isinstance(given, Expression) else lit(given)
        for name in ("percentile", "percentile_approx"):
            yield call(name, value, place)
        for name in ("percentile_cont", "percentile_disc"):
            yield call(name, place).within_group(value)
    for size in (0, -1, 1, 2**31 - 1, 2**31, None, 1.5, "5", lit(0).cast("BIGINT"), lit(1) - 1):
        yield call("percentile_approx", value, half, size)
    for times in (0, None, 1.5, "5", col("i")):
        yield call("percentile", value, half, times)
    for error in (0.0, -lit(0.1), lit(0.5) - 0.5, 0.1):
        yield call("count_min_sketch", col("i"), error, half, 1)
    for seed in (
        1,
        2**40,
        None,
        1.5,
        "1",
        lit(1) + 1,
        lit(None, "INT"),
        col("i"),
        lit(1).cast("INT"),
    ):
        yield call("uuid", seed)
    # PySpark itself reads no other system's type than these.
    for system in (0, 3857, 4326, 99999, -1, lit(99999), lit(1) + 1, lit(99999).cast("INT")):
        yield call("st_geomfromwkb", col("bin"), system)
        yield call("st_setsrid", col("gm"), system)
        yield call("st_setsrid", col("gg"), system)
    for bins in (1, 2, lit(1) + 1, lit(2) - 1):
        yield call("histogram_numeric", value, bins)


@pytest.mark.parametrize("policy", [ANSI, LEGACY], ids=repr)
def test_spark_refuses_the_same(
    spark: SparkSession, spark_types: SparkOracle, policy: Coercion
) -> None:
    from viewscribe.spark.session import settings

    with coercion(policy), settings(spark, {"spark.sql.ansi.enabled": str(policy.ansi).lower()}):
        ours = {text_of(made): type_of(made) for made in _calls()}
        theirs = spark_types.types(ours)
    assert {text for text in ours if shown(ours[text]) != shown(theirs[text])} == set()
    assert 60 < sum(type_ is None for type_ in ours.values()) < len(ours) - 60


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
