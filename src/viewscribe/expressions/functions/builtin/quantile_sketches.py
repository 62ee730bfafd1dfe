"""KLL sketches of quantiles: every function once for BIGINT, FLOAT and DOUBLE values."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.functions.builtin.sketches import SKETCH
from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.families import INTEGRAL
from viewscribe.expressions.functions.outputs import nullable_with_arguments
from viewscribe.expressions.functions.validators import ArgumentType, either, exactly, literal
from viewscribe.types import (
    BIGINT,
    BINARY,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    ArrayType,
    LogicalType,
    NumericType,
    VoidType,
)

_Three = tuple[FunctionDefinition, FunctionDefinition, FunctionDefinition]
_Strategy = Callable[[CallContext], LogicalType]
_SMALLEST, _LARGEST = 8, 65_535

_SIZE = literal(exactly(INT))
_SIZE_FITS = number_where(
    1, f"from {_SMALLEST} to {_LARGEST}", lambda size: _SMALLEST <= size <= _LARGEST
)
_VALUES: dict[LogicalType, ArgumentType] = {
    BIGINT: INTEGRAL,
    FLOAT: exactly(FLOAT),
    DOUBLE: exactly(DOUBLE, FLOAT),
}


def _each(make: Callable[[str, LogicalType], FunctionDefinition]) -> _Three:
    """One function for each type of values."""
    return make("bigint", BIGINT), make("float", FLOAT), make("double", DOUBLE)


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


def _aggregate(kind: str, type_: LogicalType) -> FunctionDefinition:
    return aggregate(
        f"kll_sketch_agg_{kind}",
        args=(_VALUES[type_], _SIZE),
        optional=1,
        parameter_names=("col", "k"),
        check=_SIZE_FITS,
        returns=BINARY.not_null(),
        since="4.1.0",
        picks_any_row=True,
        doc=f"A KLL sketch of {type_.ddl} values; a larger size (by default 200) is more exact.",
    )


def _merged_all(kind: str, type_: LogicalType) -> FunctionDefinition:
    return aggregate(
        f"kll_merge_agg_{kind}",
        args=(SKETCH, _SIZE),
        optional=1,
        parameter_names=("col", "k"),
        check=_SIZE_FITS,
        returns=BINARY.not_null(),
        since="4.1.2",
        picks_any_row=True,
        doc=f"The KLL sketches of {type_.ddl} values as one.",
    )


def _merge(kind: str, type_: LogicalType) -> FunctionDefinition:
    return scalar(
        f"kll_sketch_merge_{kind}",
        args=(BINARY, BINARY),
        parameter_names=("left", "right"),
        returns=BINARY,
        since="4.1.0",
        doc=f"Two KLL sketches of {type_.ddl} values as one.",
    )


def _define_count(kind: str, type_: LogicalType) -> FunctionDefinition:
    return scalar(
        f"kll_sketch_get_n_{kind}",
        args=(BINARY,),
        returns=BIGINT,
        since="4.1.0",
        doc=f"The number of values that a KLL sketch of {type_.ddl} values has seen.",
    )


def _quantile(kind: str, type_: LogicalType) -> FunctionDefinition:
    return scalar(
        f"kll_sketch_get_quantile_{kind}",
        args=(BINARY, _one_or_many(DOUBLE)),
        parameter_names=("sketch", "rank"),
        returns=_for_each(type_),
        since="4.1.0",
        doc=f"About the {type_.ddl} value at one or more ranks from 0 to 1.",
    )


def _rank(kind: str, type_: LogicalType) -> FunctionDefinition:
    return scalar(
        f"kll_sketch_get_rank_{kind}",
        args=(BINARY, _one_or_many(type_)),
        parameter_names=("sketch", "quantile"),
        returns=_for_each(DOUBLE),
        since="4.1.0",
        doc=f"About the rank, from 0 to 1, of one or more {type_.ddl} values.",
    )


def _define_description(kind: str, type_: LogicalType) -> FunctionDefinition:
    return scalar(
        f"kll_sketch_to_string_{kind}",
        args=(BINARY,),
        returns=STRING,
        since="4.1.0",
        doc=f"What a KLL sketch of {type_.ddl} values holds, in words.",
    )


KLL_SKETCH_AGG_BIGINT, KLL_SKETCH_AGG_FLOAT, KLL_SKETCH_AGG_DOUBLE = _each(_aggregate)
KLL_MERGE_AGG_BIGINT, KLL_MERGE_AGG_FLOAT, KLL_MERGE_AGG_DOUBLE = _each(_merged_all)
KLL_SKETCH_MERGE_BIGINT, KLL_SKETCH_MERGE_FLOAT, KLL_SKETCH_MERGE_DOUBLE = _each(_merge)
KLL_GET_N_BIGINT, KLL_GET_N_FLOAT, KLL_GET_N_DOUBLE = _each(_define_count)
KLL_GET_QUANTILE_BIGINT, KLL_GET_QUANTILE_FLOAT, KLL_GET_QUANTILE_DOUBLE = _each(_quantile)
KLL_GET_RANK_BIGINT, KLL_GET_RANK_FLOAT, KLL_GET_RANK_DOUBLE = _each(_rank)
KLL_TO_STRING_BIGINT, KLL_TO_STRING_FLOAT, KLL_TO_STRING_DOUBLE = _each(_define_description)
