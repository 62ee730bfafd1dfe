"""The most frequent values, and the sketches they come from."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import (
    BIGINT,
    BINARY,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    Field,
    IntType,
    LogicalType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
)

_MOST_TRACKED = 1_000_000
_FIELDS = 4


def _is_item(type_: LogicalType) -> bool:
    moments = (DateType, TimeType, TimestampType, TimestampNtzType)
    return isinstance(type_, (BooleanType, NumericType, StringType, *moments))


def _is_state(type_: LogicalType) -> bool:
    if not isinstance(type_, StructType) or len(type_.fields) != _FIELDS:
        return False
    sketch, tracked, item, ddl = (field.type for field in type_.fields)
    fixed = isinstance(sketch, BinaryType) and isinstance(tracked, IntType)
    return fixed and _is_item(item) and isinstance(ddl, StringType)


def _infer_counts(item: LogicalType) -> LogicalType:
    fields = (Field("item", item.as_nullable()), Field("count", BIGINT.not_null()))
    return ArrayType(element=StructType(fields=fields, nullable=False), nullable=False)


def _state(item: LogicalType) -> LogicalType:
    fields = (
        Field("sketch", BINARY.not_null()),
        Field("maxItemsTracked", INT.not_null()),
        Field("itemDataType", item.as_nullable()),
        Field("itemDataTypeDDL", STRING.not_null()),
    )
    return StructType(fields=fields, nullable=False)


def _item_of_state(context: CallContext) -> LogicalType:
    state = context.types[0]
    assert isinstance(state, StructType)
    return state.fields[2].type


_ITEM = any_where("BOOLEAN, <numeric>, STRING, TIME or <date or timestamp>", _is_item)
_STATE = any_where("a state of approx_top_k_accumulate", _is_state)

APPROX_TOP_K = aggregate("""approx_top_k(expr: _, k: literal(INT) = 5,
        maxItemsTracked: literal(INT) = 10000)
    The (by default 5) most frequent values and about how often they occur.
    since 4.1.0, picks any row""").where(
    args=(_ITEM,),
    returns=lambda context: _infer_counts(context.types[0]),
    newer_form=with_type(TimeType, "4.3.0"),
)
APPROX_TOP_K_ACCUMULATE = aggregate("""approx_top_k_accumulate(expr: _,
        maxItemsTracked: literal(INT) = 10000)
    A sketch of the frequent values, for approx_top_k_estimate.
    since 4.1.0, picks any row""").where(
    args=(_ITEM,),
    returns=lambda context: _state(context.types[0]),
    newer_form=with_type(TimeType, "4.3.0"),
)
APPROX_TOP_K_COMBINE = aggregate("""approx_top_k_combine(state: _,
        maxItemsTracked: literal(exactly(INT)) = -1)
    The sketches of frequent values as one.
    since 4.1.0, picks any row""").where(
    args=(_STATE,),
    returns=lambda context: _state(_item_of_state(context)),
    check=number_where(1, f"from 1 to {_MOST_TRACKED}", lambda most: 1 <= most <= _MOST_TRACKED),
)
APPROX_TOP_K_ESTIMATE = scalar("""approx_top_k_estimate(state: _, k: literal(INT) = 5)
    The (by default 5) most frequent values in a sketch and about how often they occur.
    since 4.1.0
    """).where(args=(_STATE,), returns=lambda context: _infer_counts(_item_of_state(context)))
