"""The most frequent values, and the sketches they come from."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.validators import any_where, exactly, literal
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
_NUMBER = literal(INT)

APPROX_TOP_K = aggregate(
    "approx_top_k",
    args=(_ITEM, _NUMBER, _NUMBER),
    optional=2,
    parameter_names=("expr", "k", "maxItemsTracked"),
    returns=lambda context: _infer_counts(context.types[0]),
    picks_any_row=True,
    newer_form=with_type(TimeType, "4.3.0"),
    since="4.1.0",
    defaults=("5", "10000"),
    doc="The (by default 5) most frequent values and about how often they occur.",
)
APPROX_TOP_K_ACCUMULATE = aggregate(
    "approx_top_k_accumulate",
    args=(_ITEM, _NUMBER),
    optional=1,
    parameter_names=("expr", "maxItemsTracked"),
    returns=lambda context: _state(context.types[0]),
    picks_any_row=True,
    newer_form=with_type(TimeType, "4.3.0"),
    since="4.1.0",
    defaults=("10000",),
    doc="A sketch of the frequent values, for approx_top_k_estimate.",
)
APPROX_TOP_K_COMBINE = aggregate(
    "approx_top_k_combine",
    args=(_STATE, literal(exactly(INT))),
    optional=1,
    parameter_names=("state", "maxItemsTracked"),
    check=number_where(1, f"from 1 to {_MOST_TRACKED}", lambda most: 1 <= most <= _MOST_TRACKED),
    returns=lambda context: _state(_item_of_state(context)),
    picks_any_row=True,
    since="4.1.0",
    defaults=("-1",),
    doc="The sketches of frequent values as one.",
)
APPROX_TOP_K_ESTIMATE = scalar(
    "approx_top_k_estimate",
    args=(_STATE, _NUMBER),
    optional=1,
    parameter_names=("state", "k"),
    returns=lambda context: _infer_counts(_item_of_state(context)),
    since="4.1.0",
    defaults=("5",),
    doc="The (by default 5) most frequent values in a sketch and about how often they occur.",
)
