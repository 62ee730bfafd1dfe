"""Sketches that count distinct values (HLL, theta) or how often values occur (count-min)."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import every_check, number_where
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    DoubleType,
    FloatType,
    IntegralType,
    IntType,
    LogicalType,
    StringType,
    VoidType,
)


def _has_theta_hash(type_: LogicalType) -> bool:
    if isinstance(type_, ArrayType):
        return isinstance(type_.element, IntType | BigIntType)
    plain = (IntType, BigIntType, FloatType, DoubleType, StringType, BinaryType, VoidType)
    return isinstance(type_, plain)


_COUNTED = any_where(
    "<integral>, STRING or BINARY",
    lambda type_: isinstance(type_, IntegralType | StringType | BinaryType | VoidType),
)
_HASHED = any_where(
    "INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, ARRAY<INT> or ARRAY<BIGINT>", _has_theta_hash
)

HLL_SKETCH_AGG = aggregate("""hll_sketch_agg(col: exactly(INT, BIGINT, STRING, BINARY),
        lgConfigK: exactly(INT) = 12) -> BINARY!
    An HLL sketch of the distinct values, with 2 to the power of the size buckets.
    since 3.5.0, picks any row""")
HLL_SKETCH_ESTIMATE = scalar("""hll_sketch_estimate(col: exactly(BINARY)) -> BIGINT
    About the number of distinct values in an HLL sketch.
    since 3.5.0""")
HLL_UNION = scalar("""hll_union(col1: exactly(BINARY), col2: exactly(BINARY),
        allowDifferentLgConfigK: exactly(BOOLEAN) = false) -> BINARY
    An HLL sketch of the values of both; TRUE allows sketches of different sizes.
    since 3.5.0""")
HLL_UNION_AGG = aggregate("""hll_union_agg(col: exactly(BINARY),
        allowDifferentLgConfigK: exactly(BOOLEAN) = false) -> BINARY!
    An HLL sketch of the values of all sketches; TRUE allows different sizes.
    since 3.5.0, picks any row""")


THETA_SKETCH_AGG = aggregate("""theta_sketch_agg(col: _, lgNomEntries: exactly(INT) = 12) -> BINARY!
    A theta sketch of the distinct values, with 2 to the power of the size entries.
    since 4.1.0""").where(args=(_HASHED,))
THETA_SKETCH_ESTIMATE = scalar("""theta_sketch_estimate(col: exactly(BINARY)) -> BIGINT
    About the number of distinct values in a theta sketch.
    since 4.1.0""")
THETA_UNION = scalar("""theta_union(col1: exactly(BINARY), col2: exactly(BINARY),
        lgNomEntries: exactly(INT) = 12) -> BINARY
    A theta sketch of the values of either.
    since 4.1.0""")
THETA_INTERSECTION = scalar("""theta_intersection(col1: exactly(BINARY),
        col2: exactly(BINARY)) -> BINARY
    A theta sketch of the values that both have.
    since 4.1.0""")
THETA_DIFFERENCE = scalar("""theta_difference(col1: exactly(BINARY),
        col2: exactly(BINARY)) -> BINARY
    A theta sketch of the values of the first that the second has not.
    since 4.1.0""")
THETA_UNION_AGG = aggregate("""theta_union_agg(col: exactly(BINARY),
        lgNomEntries: exactly(INT) = 12) -> BINARY!
    A theta sketch of the values of any sketch.
    since 4.1.0""")
THETA_INTERSECTION_AGG = aggregate("""theta_intersection_agg(col: exactly(BINARY)) -> BINARY!
    A theta sketch of the values that all sketches have.
    since 4.1.0""")

COUNT_MIN_SKETCH = aggregate("""count_min_sketch(col: _, eps: literal(exactly(DOUBLE)),
        confidence: literal(exactly(DOUBLE)), seed: literal(exactly(INT, BIGINT))) -> BINARY!
    A count-min sketch of how often values occur, of a relative error, confidence and seed.
    since 2.2.0, class CountMinSketchAgg""").where(
    args=(_COUNTED,),
    check=every_check(
        number_where(1, "above 0", lambda error: error > 0),
        number_where(2, "between 0 and 1", lambda confidence: 0 < confidence < 1),
        number_where(3, "a whole number", lambda seed: True),
    ),
    parameters=("column", "epsilon", "confidence", "seed"),
)
