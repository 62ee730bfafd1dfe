"""Calls whose constants the analyzer looks into: percentages, sizes, seeds, reference systems."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.expressions.functions.matrix import text_of
from viewscribe import array, call, col, lit
from viewscribe.expressions.dsl import Expression, ValueExpression
from viewscribe.expressions.nodes import Literal
from viewscribe.types import DOUBLE

NAN = ValueExpression(Literal(float("nan"), DOUBLE))
"""As SQL text has it, which may be NULL to Spark."""

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


def calls() -> Iterator[Expression]:
    """Calls with constants, by turns valid and not."""
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


def texts() -> list[str]:
    """The SQL of all calls."""
    return [text_of(made) for made in calls()]
