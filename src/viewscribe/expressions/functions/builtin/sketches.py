"""Sketches that count distinct values (HLL, theta) or how often values occur (count-min)."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import every_check, number_where
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import any_where, exactly, literal
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
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


SKETCH = exactly(BINARY)
"""The bytes of a sketch, which Spark reads from no other type."""

_SIZE = exactly(INT)
_COUNTED = any_where(
    "<integral>, STRING or BINARY",
    lambda type_: isinstance(type_, IntegralType | StringType | BinaryType | VoidType),
)
_HASHED = any_where(
    "INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, ARRAY<INT> or ARRAY<BIGINT>", _has_theta_hash
)

HLL_SKETCH_AGG = aggregate(
    "hll_sketch_agg",
    args=(exactly(INT, BIGINT, STRING, BINARY), _SIZE),
    optional=1,
    parameter_names=("col", "lgConfigK"),
    returns=BINARY.not_null(),
    picks_any_row=True,
    since="3.5.0",
    defaults=("12",),
    doc="An HLL sketch of the distinct values, with 2 to the power of the size buckets.",
)
HLL_SKETCH_ESTIMATE = scalar(
    "hll_sketch_estimate",
    args=(SKETCH,),
    returns=BIGINT,
    since="3.5.0",
    doc="About the number of distinct values in an HLL sketch.",
)
HLL_UNION = scalar(
    "hll_union",
    args=(SKETCH, SKETCH, exactly(BOOLEAN)),
    optional=1,
    parameter_names=("col1", "col2", "allowDifferentLgConfigK"),
    returns=BINARY,
    since="3.5.0",
    defaults=("false",),
    doc="An HLL sketch of the values of both; TRUE allows sketches of different sizes.",
)
HLL_UNION_AGG = aggregate(
    "hll_union_agg",
    args=(SKETCH, exactly(BOOLEAN)),
    optional=1,
    parameter_names=("col", "allowDifferentLgConfigK"),
    returns=BINARY.not_null(),
    picks_any_row=True,
    since="3.5.0",
    defaults=("false",),
    doc="An HLL sketch of the values of all sketches; TRUE allows different sizes.",
)


def _theta_of_two(name: str, doc: str) -> FunctionDefinition:
    return scalar(
        name,
        args=(SKETCH, SKETCH),
        parameter_names=("col1", "col2"),
        returns=BINARY,
        since="4.1.0",
        doc=doc,
    )


THETA_SKETCH_AGG = aggregate(
    "theta_sketch_agg",
    args=(_HASHED, _SIZE),
    optional=1,
    parameter_names=("col", "lgNomEntries"),
    returns=BINARY.not_null(),
    since="4.1.0",
    defaults=("12",),
    doc="A theta sketch of the distinct values, with 2 to the power of the size entries.",
)
THETA_SKETCH_ESTIMATE = scalar(
    "theta_sketch_estimate",
    args=(SKETCH,),
    returns=BIGINT,
    since="4.1.0",
    doc="About the number of distinct values in a theta sketch.",
)
THETA_UNION = scalar(
    "theta_union",
    args=(SKETCH, SKETCH, _SIZE),
    optional=1,
    parameter_names=("col1", "col2", "lgNomEntries"),
    returns=BINARY,
    since="4.1.0",
    defaults=("12",),
    doc="A theta sketch of the values of either.",
)
THETA_INTERSECTION = _theta_of_two(
    "theta_intersection", "A theta sketch of the values that both have."
)
THETA_DIFFERENCE = _theta_of_two(
    "theta_difference", "A theta sketch of the values of the first that the second has not."
)
THETA_UNION_AGG = aggregate(
    "theta_union_agg",
    args=(SKETCH, _SIZE),
    optional=1,
    parameter_names=("col", "lgNomEntries"),
    returns=BINARY.not_null(),
    since="4.1.0",
    defaults=("12",),
    doc="A theta sketch of the values of any sketch.",
)
THETA_INTERSECTION_AGG = aggregate(
    "theta_intersection_agg",
    args=(SKETCH,),
    returns=BINARY.not_null(),
    since="4.1.0",
    doc="A theta sketch of the values that all sketches have.",
)

COUNT_MIN_SKETCH = aggregate(
    "count_min_sketch",
    args=(
        _COUNTED,
        literal(exactly(DOUBLE)),
        literal(exactly(DOUBLE)),
        literal(exactly(INT, BIGINT)),
    ),
    parameter_names=("col", "eps", "confidence", "seed"),
    check=every_check(
        number_where(1, "above 0", lambda error: error > 0),
        number_where(2, "between 0 and 1", lambda confidence: 0 < confidence < 1),
        number_where(3, "a whole number", lambda seed: True),
    ),
    returns=BINARY.not_null(),
    catalyst="CountMinSketchAgg",
    since="2.2.0",
    parameters=("column", "epsilon", "confidence", "seed"),
    doc="A count-min sketch of how often values occur, of a relative error, confidence and seed.",
)
