"""Aggregate functions: counts, sums, extremes, collections."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import (
    DISTINCT,
    FILTER,
    IGNORE_NULLS,
    RESPECT_NULLS,
    WITHIN_GROUP,
    Frames,
)
from viewscribe.expressions.functions.entries import aggregate
from viewscribe.expressions.functions.newer_forms import first, with_arguments
from viewscribe.expressions.functions.validators import any_where, family
from viewscribe.types import (
    BIGINT,
    DAY_TIME_INTERVAL,
    DOUBLE,
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
_HASHABLE = any_where(
    "<any but MAP>", lambda type_: not isinstance(type_, MapType) and _is_hashable(type_)
)


_COLLECTED = (DISTINCT, FILTER, IGNORE_NULLS, RESPECT_NULLS)


COUNT = aggregate("""count(ANY?...) -> BIGINT!
    The number of rows, or of rows in which no argument is NULL.""")
COUNT_IF = aggregate("""count_if(col: BOOLEAN) -> BIGINT!
    The number of rows for which the condition holds.
    since 3.0.0""")
APPROX_COUNT_DISTINCT = aggregate("""approx_count_distinct(col: ANY,
        rsd: literal(DOUBLE)?) -> BIGINT!
    About the number of distinct values, within a relative standard deviation.
    since 1.6.0, class HyperLogLogPlusPlus""").where(spelled_arguments=first(1))
SUM = aggregate("""sum(col: _)
    The sum.""").where(args=(_ADDABLE,), returns=_total)
TRY_SUM = aggregate("""try_sum(col: _)
    The sum, NULL on overflow.
    since 3.3.0, try-class Sum, no class""").where(args=(_ADDABLE,), returns=_total)
AVG = aggregate("""avg(col: _)
    The mean.
    alias mean, class Average""").where(args=(_ADDABLE,), returns=_mean)
TRY_AVG = aggregate("""try_avg(col: _)
    The mean, NULL on overflow.
    since 3.3.0, try-class Average, no class""").where(args=(_ADDABLE,), returns=_mean)
MIN = aggregate("""min(col: ORDERED) -> $0?
    The least value.""")
MAX = aggregate("""max(col: ORDERED) -> $0?
    The greatest value.""")
MIN_BY = aggregate("""min_by(col: ANY, ord: ORDERED, k: literal(INT)?)
    The first argument where the second is least, or an array of a number of those.
    since 3.0.0""").where(
    returns=_extreme_by,
    check=number_where(2, "a number from 1 to 100,000", lambda count: 1 <= count <= 100_000),
    newer_form=with_arguments(3, "4.2.0"),
)
MAX_BY = aggregate("""max_by(col: ANY, ord: ORDERED, k: literal(INT)?)
    The first argument where the second is greatest, or an array of a number of those.
    since 3.0.0""").where(
    returns=_extreme_by,
    check=number_where(2, "a number from 1 to 100,000", lambda count: 1 <= count <= 100_000),
    newer_form=with_arguments(3, "4.2.0"),
)
FIRST = aggregate("""first(ANY, BOOLEAN?) -> $0?
    The value of the first row met; with TRUE the first that is not NULL.
    since 2.0.0, alias first_value, picks any row
    """).where(clauses=(DISTINCT, FILTER, IGNORE_NULLS))
LAST = aggregate("""last(ANY, BOOLEAN?) -> $0?
    The value of the last row met; with TRUE the last that is not NULL.
    since 2.0.0, alias last_value, picks any row""").where(clauses=(DISTINCT, FILTER, IGNORE_NULLS))
ANY_VALUE = aggregate("""any_value(ANY, BOOLEAN?) -> $0?
    A value of some row; with TRUE one that is not NULL.
    since 3.4.0, picks any row""").where(clauses=(DISTINCT, FILTER, IGNORE_NULLS))
MODE = aggregate("""mode(col: ANY, deterministic: literal(exactly(BOOLEAN))?) -> $0?
    The most frequent value.
    since 3.4.0, picks any row""").where(check=_check_deterministic, clauses=(FILTER, WITHIN_GROUP))
COLLECT_LIST = aggregate("""collect_list(col: ANY)
    The values that are not NULL, as an array.
    since 2.0.0, alias array_agg, method collect, picks any row
    """).where(returns=_collect, spelled={"array_agg": "collect_list"}, clauses=_COLLECTED)
COLLECT_SET = aggregate("""collect_set(col: _)
    The distinct values that are not NULL, as an array.
    since 2.0.0, picks any row""").where(args=(_HASHABLE,), returns=_collect, clauses=_COLLECTED)
COLLECT_UNION = aggregate("""collect_union(col: _)
    The distinct elements of arrays that are not NULL, as an array.
    since 4.3.0, picks any row""").where(
    args=(any_where("ARRAY of <any but MAP>", _holds_hashables),),
    returns=_unite,
    clauses=_COLLECTED,
)
LISTAGG = aggregate("""listagg(col: TEXT_OR_BINARY, delimiter: literal(TEXT_OR_BINARY) = NULL)
    The values that are not NULL, joined by a separator.
    since 4.0.0, alias string_agg, class ListAgg, picks any row""").where(
    returns=_join, clauses=(DISTINCT, FILTER, WITHIN_GROUP), frames=Frames.WHOLE_IF_SORTED
)
BOOL_AND = aggregate("""bool_and(col: BOOLEAN) -> BOOLEAN?
    Whether the condition holds for all rows.
    since 3.0.0, alias every""")
BOOL_OR = aggregate("""bool_or(col: BOOLEAN) -> BOOLEAN?
    Whether the condition holds for any row.
    since 3.0.0, alias some any""")
BIT_AND = aggregate("""bit_and(col: INTEGRAL) -> $0?
    The bits that all have.
    since 3.0.0, class BitAndAgg""")
BIT_OR = aggregate("""bit_or(col: INTEGRAL) -> $0?
    The bits that any has.
    since 3.0.0, class BitOrAgg""")
BIT_XOR = aggregate("""bit_xor(col: INTEGRAL) -> $0?
    The bits that an odd number of them has.
    since 3.0.0, class BitXorAgg""")
GROUPING = aggregate("""grouping(col: ANY) -> TINYINT!
    1 where the column is rolled up in this row, else 0.
    since 2.0.0, no class""").where(clauses=())
GROUPING_ID = aggregate("""grouping_id(ANY?...)
    The bits of grouping() of the columns, or of all grouping columns.
    since 2.0.0, no class
    """).where(returns=lambda context: context.grouping_id.not_null(), clauses=())
MEASURE = aggregate("""measure(col: ANY) -> exactly_argument(0)
    The value of a measure of a metric view.
    since 4.2.0""")
