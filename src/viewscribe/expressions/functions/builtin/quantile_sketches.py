"""KLL sketches of quantiles: every function once for BIGINT, FLOAT and DOUBLE values."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.inference import nullable_with_arguments
from viewscribe.expressions.functions.validators import ArgumentType, either, literal
from viewscribe.types import BIGINT, DOUBLE, FLOAT, ArrayType, LogicalType, NumericType, VoidType

_Strategy = Callable[[CallContext], LogicalType]
_SMALLEST, _LARGEST = 8, 65_535

_SIZE_FITS = number_where(
    1, f"from {_SMALLEST} to {_LARGEST}", lambda size: _SMALLEST <= size <= _LARGEST
)


def _one_or_many(wanted: LogicalType) -> ArgumentType:
    """A constant that Spark casts to the type, or an array of them without NULL."""

    def coerce(given: LogicalType) -> LogicalType | None:
        if not isinstance(given, ArrayType):
            return None
        element = given.element
        numbers = isinstance(element, NumericType | VoidType) and not element.nullable
        return given if numbers or element.same_type(wanted) else None

    return literal(either(wanted, ArgumentType(f"ARRAY<{wanted.ddl}>", coerce)))


def _for_each(value: LogicalType) -> _Strategy:
    """The value, or an array of it where the second argument is an array."""

    def returns(context: CallContext) -> LogicalType:
        many = isinstance(context.types[1], ArrayType)
        return ArrayType(element=value.not_null()) if many else value

    return nullable_with_arguments(returns)


KLL_SKETCH_AGG_BIGINT = aggregate("""kll_sketch_agg_bigint(col: INTEGRAL,
        k: literal(exactly(INT))?) -> BINARY!
    A KLL sketch of BIGINT values; a larger size (by default 200) is more exact.
    since 4.1.0, picks any row""").where(check=_SIZE_FITS)
KLL_SKETCH_AGG_FLOAT = aggregate("""kll_sketch_agg_float(col: exactly(FLOAT),
        k: literal(exactly(INT))?) -> BINARY!
    A KLL sketch of FLOAT values; a larger size (by default 200) is more exact.
    since 4.1.0, picks any row""").where(check=_SIZE_FITS)
KLL_SKETCH_AGG_DOUBLE = aggregate("""kll_sketch_agg_double(col: exactly(DOUBLE, FLOAT),
        k: literal(exactly(INT))?) -> BINARY!
    A KLL sketch of DOUBLE values; a larger size (by default 200) is more exact.
    since 4.1.0, picks any row""").where(check=_SIZE_FITS)
KLL_MERGE_AGG_BIGINT = aggregate("""kll_merge_agg_bigint(col: exactly(BINARY),
        k: literal(exactly(INT))?) -> BINARY!
    The KLL sketches of BIGINT values as one.
    since 4.1.2, picks any row""").where(check=_SIZE_FITS)
KLL_MERGE_AGG_FLOAT = aggregate("""kll_merge_agg_float(col: exactly(BINARY),
        k: literal(exactly(INT))?) -> BINARY!
    The KLL sketches of FLOAT values as one.
    since 4.1.2, picks any row""").where(check=_SIZE_FITS)
KLL_MERGE_AGG_DOUBLE = aggregate("""kll_merge_agg_double(col: exactly(BINARY),
        k: literal(exactly(INT))?) -> BINARY!
    The KLL sketches of DOUBLE values as one.
    since 4.1.2, picks any row""").where(check=_SIZE_FITS)
KLL_SKETCH_MERGE_BIGINT = scalar("""kll_sketch_merge_bigint(left: BINARY, right: BINARY) -> BINARY
    Two KLL sketches of BIGINT values as one.
    since 4.1.0""")
KLL_SKETCH_MERGE_FLOAT = scalar("""kll_sketch_merge_float(left: BINARY, right: BINARY) -> BINARY
    Two KLL sketches of FLOAT values as one.
    since 4.1.0""")
KLL_SKETCH_MERGE_DOUBLE = scalar("""kll_sketch_merge_double(left: BINARY, right: BINARY) -> BINARY
    Two KLL sketches of DOUBLE values as one.
    since 4.1.0""")
KLL_GET_N_BIGINT = scalar("""kll_sketch_get_n_bigint(col: BINARY) -> BIGINT
    The number of values that a KLL sketch of BIGINT values has seen.
    since 4.1.0""")
KLL_GET_N_FLOAT = scalar("""kll_sketch_get_n_float(col: BINARY) -> BIGINT
    The number of values that a KLL sketch of FLOAT values has seen.
    since 4.1.0""")
KLL_GET_N_DOUBLE = scalar("""kll_sketch_get_n_double(col: BINARY) -> BIGINT
    The number of values that a KLL sketch of DOUBLE values has seen.
    since 4.1.0""")
KLL_GET_QUANTILE_BIGINT = scalar("""kll_sketch_get_quantile_bigint(sketch: BINARY, rank: _)
    About the BIGINT value at one or more ranks from 0 to 1.
    since 4.1.0""").where(args=(_one_or_many(DOUBLE),), returns=_for_each(BIGINT))
KLL_GET_QUANTILE_FLOAT = scalar("""kll_sketch_get_quantile_float(sketch: BINARY, rank: _)
    About the FLOAT value at one or more ranks from 0 to 1.
    since 4.1.0""").where(args=(_one_or_many(DOUBLE),), returns=_for_each(FLOAT))
KLL_GET_QUANTILE_DOUBLE = scalar("""kll_sketch_get_quantile_double(sketch: BINARY, rank: _)
    About the DOUBLE value at one or more ranks from 0 to 1.
    since 4.1.0""").where(args=(_one_or_many(DOUBLE),), returns=_for_each(DOUBLE))
KLL_GET_RANK_BIGINT = scalar("""kll_sketch_get_rank_bigint(sketch: BINARY, quantile: _)
    About the rank, from 0 to 1, of one or more BIGINT values.
    since 4.1.0""").where(args=(_one_or_many(BIGINT),), returns=_for_each(DOUBLE))
KLL_GET_RANK_FLOAT = scalar("""kll_sketch_get_rank_float(sketch: BINARY, quantile: _)
    About the rank, from 0 to 1, of one or more FLOAT values.
    since 4.1.0""").where(args=(_one_or_many(FLOAT),), returns=_for_each(DOUBLE))
KLL_GET_RANK_DOUBLE = scalar("""kll_sketch_get_rank_double(sketch: BINARY, quantile: _)
    About the rank, from 0 to 1, of one or more DOUBLE values.
    since 4.1.0""").where(args=(_one_or_many(DOUBLE),), returns=_for_each(DOUBLE))
KLL_TO_STRING_BIGINT = scalar("""kll_sketch_to_string_bigint(col: BINARY) -> STRING
    What a KLL sketch of BIGINT values holds, in words.
    since 4.1.0""")
KLL_TO_STRING_FLOAT = scalar("""kll_sketch_to_string_float(col: BINARY) -> STRING
    What a KLL sketch of FLOAT values holds, in words.
    since 4.1.0""")
KLL_TO_STRING_DOUBLE = scalar("""kll_sketch_to_string_double(col: BINARY) -> STRING
    What a KLL sketch of DOUBLE values holds, in words.
    since 4.1.0""")
