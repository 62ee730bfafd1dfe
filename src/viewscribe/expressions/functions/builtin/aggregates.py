"""Aggregate functions: counts, sums, extremes, collections."""

from __future__ import annotations

from typing import Unpack

from viewscribe.expressions.functions.clauses import (
    DISTINCT,
    FILTER,
    IGNORE_NULLS,
    RESPECT_NULLS,
    WITHIN_GROUP,
    Frames,
)
from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, aggregate
from viewscribe.expressions.functions.families import ANY, INTEGRAL, ORDERED, TEXT_OR_BINARY
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.newer_forms import with_arguments
from viewscribe.expressions.functions.outputs import always_nullable, exactly_argument
from viewscribe.expressions.functions.validators import any_where, exactly, family, literal
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    DAY_TIME_INTERVAL,
    DOUBLE,
    INT,
    TINYINT,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    BinaryType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    TimestampType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.nested_types import contains, parts_of
from viewscribe.types.parameters import DEFAULT_COLLATION


def _total(context: CallContext) -> LogicalType:
    type_ = context.types[0]
    if isinstance(type_, DecimalType):
        return DecimalType(precision=min(type_.precision + 10, 38), scale=type_.scale)
    if isinstance(type_, YearMonthIntervalType | DayTimeIntervalType):
        return type_.as_nullable()
    return BIGINT if isinstance(type_, IntegralType) else DOUBLE


def mean_type(type_: LogicalType) -> LogicalType:
    """The type of the mean of values of a type."""
    if isinstance(type_, DecimalType):
        precision = min(type_.precision + 4, 38)
        return DecimalType(precision=precision, scale=min(type_.scale + 4, 38))
    if isinstance(type_, YearMonthIntervalType):
        return YEAR_MONTH_INTERVAL
    return DAY_TIME_INTERVAL if isinstance(type_, DayTimeIntervalType) else DOUBLE


def _mean(context: CallContext) -> LogicalType:
    return mean_type(context.types[0])


def _collect(context: CallContext) -> LogicalType:
    return ArrayType(element=context.types[0].not_null(), nullable=False)


def _unite(context: CallContext) -> LogicalType:
    array = context.types[0]
    assert isinstance(array, ArrayType)
    return ArrayType(element=array.element.not_null(), nullable=False)


def _check_deterministic(context: CallContext) -> None:
    if len(context.given) > 1 and context.literal(1) is None:
        raise context.mismatch("argument 2 is TRUE or FALSE")


def _extreme_by(context: CallContext) -> LogicalType:
    value = context.types[0].as_nullable()
    return value if len(context.types) == 2 else ArrayType(element=value)


def _holds_hashables(type_: LogicalType) -> bool:
    if not isinstance(type_, ArrayType) or contains(type_.element, MapType):
        return False
    return _is_hashable(type_.element)


def _is_hashable(type_: LogicalType) -> bool:
    """Whether equal values are equal bytes: texts of a collation may not be."""
    return all(
        inner.collation == DEFAULT_COLLATION
        for inner in parts_of(type_)
        if isinstance(inner, StringType)
    )


def _join(context: CallContext) -> LogicalType:
    given = [argument.type for argument in context.args]
    if len({isinstance(t, BinaryType) for t in given if not isinstance(t, VoidType)}) > 1:
        raise context.mismatch("text and binary do not mix")
    texts = [each for each in context.types if isinstance(each, StringType)]
    if any(not each.same_type(texts[0]) for each in texts):
        raise context.mismatch("the separator is not of the collation of the values")
    return context.types[0].as_nullable()


# Spark adds timestamps up as their seconds since 1970.
_ADDABLE = family(
    "<numeric> or INTERVAL",
    NumericType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    TimestampType,
    default=DOUBLE,
    text_as=DOUBLE,
)
_FIRST = always_nullable(exactly_argument(0))
_HASHABLE = any_where(
    "<any but MAP>", lambda type_: not isinstance(type_, MapType) and _is_hashable(type_)
)


_COLLECTED = (DISTINCT, FILTER, IGNORE_NULLS, RESPECT_NULLS)


def _value(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return aggregate(
        name,
        args=(ANY, BOOLEAN),
        optional=1,
        clauses=(DISTINCT, FILTER, IGNORE_NULLS),
        returns=_FIRST,
        picks_any_row=True,
        doc=doc,
        **names,
    )


COUNT = aggregate(
    "count",
    args=(ANY,),
    required=0,
    variadic=True,
    returns=BIGINT.not_null(),
    doc="The number of rows, or of rows in which no argument is NULL.",
)
COUNT_IF = aggregate(
    "count_if",
    args=(BOOLEAN,),
    returns=BIGINT.not_null(),
    since="3.0.0",
    doc="The number of rows for which the condition holds.",
)
APPROX_COUNT_DISTINCT = aggregate(
    "approx_count_distinct",
    args=(ANY, literal(DOUBLE)),
    optional=1,
    parameter_names=("col", "rsd"),
    returns=BIGINT.not_null(),
    catalyst="HyperLogLogPlusPlus",
    spelled_arguments=first(1),
    since="1.6.0",
    doc="About the number of distinct values, within a relative standard deviation.",
)
SUM = aggregate("sum", args=(_ADDABLE,), returns=_total, doc="The sum.")
TRY_SUM = aggregate(
    "try_sum",
    args=(_ADDABLE,),
    returns=_total,
    catalyst=(),
    catalyst_try="Sum",
    since="3.3.0",
    doc="The sum, NULL on overflow.",
)
AVG = aggregate(
    "avg", args=(_ADDABLE,), returns=_mean, aliases=("mean",), catalyst="Average", doc="The mean."
)
TRY_AVG = aggregate(
    "try_avg",
    args=(_ADDABLE,),
    returns=_mean,
    catalyst=(),
    catalyst_try="Average",
    since="3.3.0",
    doc="The mean, NULL on overflow.",
)
MIN = aggregate("min", args=(ORDERED,), returns=_FIRST, doc="The least value.")
MAX = aggregate("max", args=(ORDERED,), returns=_FIRST, doc="The greatest value.")
MIN_BY = aggregate(
    "min_by",
    args=(ANY, ORDERED, literal(INT)),
    optional=1,
    check=number_where(2, "a number from 1 to 100,000", lambda count: 1 <= count <= 100_000),
    parameter_names=("col", "ord", "k"),
    returns=_extreme_by,
    newer_form=with_arguments(3, "4.2.0"),
    since="3.0.0",
    doc="The first argument where the second is least, or an array of a number of those.",
)
MAX_BY = aggregate(
    "max_by",
    args=(ANY, ORDERED, literal(INT)),
    optional=1,
    check=number_where(2, "a number from 1 to 100,000", lambda count: 1 <= count <= 100_000),
    parameter_names=("col", "ord", "k"),
    returns=_extreme_by,
    newer_form=with_arguments(3, "4.2.0"),
    since="3.0.0",
    doc="The first argument where the second is greatest, or an array of a number of those.",
)
FIRST = _value(
    "first",
    "The value of the first row met; with TRUE the first that is not NULL.",
    aliases=("first_value",),
    since="2.0.0",
)
LAST = _value(
    "last",
    "The value of the last row met; with TRUE the last that is not NULL.",
    aliases=("last_value",),
    since="2.0.0",
)
ANY_VALUE = _value(
    "any_value", "A value of some row; with TRUE one that is not NULL.", since="3.4.0"
)
MODE = aggregate(
    "mode",
    args=(ANY, literal(exactly(BOOLEAN))),
    optional=1,
    check=_check_deterministic,
    parameter_names=("col", "deterministic"),
    returns=_FIRST,
    picks_any_row=True,
    since="3.4.0",
    clauses=(FILTER, WITHIN_GROUP),
    doc="The most frequent value.",
)
COLLECT_LIST = aggregate(
    "collect_list",
    args=(ANY,),
    returns=_collect,
    aliases=("array_agg",),
    methods=("collect",),
    spelled={"array_agg": "collect_list"},
    picks_any_row=True,
    since="2.0.0",
    clauses=_COLLECTED,
    doc="The values that are not NULL, as an array.",
)
COLLECT_SET = aggregate(
    "collect_set",
    args=(_HASHABLE,),
    returns=_collect,
    picks_any_row=True,
    since="2.0.0",
    clauses=_COLLECTED,
    doc="The distinct values that are not NULL, as an array.",
)
COLLECT_UNION = aggregate(
    "collect_union",
    args=(any_where("ARRAY of <any but MAP>", _holds_hashables),),
    returns=_unite,
    picks_any_row=True,
    since="4.3.0",
    clauses=_COLLECTED,
    doc="The distinct elements of arrays that are not NULL, as an array.",
)
LISTAGG = aggregate(
    "listagg",
    args=(TEXT_OR_BINARY, literal(TEXT_OR_BINARY)),
    optional=1,
    parameter_names=("col", "delimiter"),
    returns=_join,
    aliases=("string_agg",),
    catalyst="ListAgg",
    picks_any_row=True,
    since="4.0.0",
    clauses=(DISTINCT, FILTER, WITHIN_GROUP),
    frames=Frames.WHOLE_IF_SORTED,
    defaults=("NULL",),
    doc="The values that are not NULL, joined by a separator.",
)
BOOL_AND = aggregate(
    "bool_and",
    args=(BOOLEAN,),
    returns=always_nullable(BOOLEAN),
    aliases=("every",),
    since="3.0.0",
    doc="Whether the condition holds for all rows.",
)
BOOL_OR = aggregate(
    "bool_or",
    args=(BOOLEAN,),
    returns=always_nullable(BOOLEAN),
    aliases=("some", "any"),
    since="3.0.0",
    doc="Whether the condition holds for any row.",
)
BIT_AND = aggregate(
    "bit_and",
    args=(INTEGRAL,),
    returns=_FIRST,
    catalyst="BitAndAgg",
    since="3.0.0",
    doc="The bits that all have.",
)
BIT_OR = aggregate(
    "bit_or",
    args=(INTEGRAL,),
    returns=_FIRST,
    catalyst="BitOrAgg",
    since="3.0.0",
    doc="The bits that any has.",
)
BIT_XOR = aggregate(
    "bit_xor",
    args=(INTEGRAL,),
    returns=_FIRST,
    catalyst="BitXorAgg",
    since="3.0.0",
    doc="The bits that an odd number of them has.",
)
GROUPING = aggregate(
    "grouping",
    args=(ANY,),
    returns=TINYINT.not_null(),
    catalyst=(),
    since="2.0.0",
    clauses=(),
    doc="1 where the column is rolled up in this row, else 0.",
)
GROUPING_ID = aggregate(
    "grouping_id",
    args=(ANY,),
    required=0,
    variadic=True,
    returns=lambda context: context.grouping_id.not_null(),
    catalyst=(),
    since="2.0.0",
    clauses=(),
    doc="The bits of grouping() of the columns, or of all grouping columns.",
)
MEASURE = aggregate(
    "measure",
    args=(ANY,),
    returns=exactly_argument(0),
    since="4.2.0",
    doc="The value of a measure of a metric view.",
)
