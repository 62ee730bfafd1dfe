"""Window frames against the keys they run over."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions.nodes import Frame, FrameBound, Literal, SortOrder
from viewscribe.types import (
    DateType,
    DayTimeIntervalType,
    IntegralType,
    IntType,
    LogicalType,
    NumericType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)

_OF_TIME = (DateType, TimestampType, TimestampNtzType)
_DAYS = DayTimeIntervalType(start="DAY", end="DAY", nullable=False)
_TO_SECOND = DayTimeIntervalType(nullable=False)
_TO_MONTH = YearMonthIntervalType(nullable=False)


def fitted_frame(frame: Frame | None, order_by: Sequence[SortOrder]) -> Frame | None:
    """The frame with its offsets in a type that Spark adds to the sort key.

    Raises:
        ValidationError: the frame ends before it begins, or a RANGE frame does not have the sort
            keys that it needs.
        TypeMismatchError: an offset cannot be added to the sort key.
    """
    if frame is None:
        return None
    bounds = (frame.start, frame.end)
    _check_ends(frame)
    whole = tuple(bound.kind for bound in bounds) == _WHOLE
    if frame.unit == "RANGE" and not order_by and not whole:
        raise ValidationError(
            "a RANGE frame needs a sort key", hint="order the window, or count with a ROWS frame"
        )
    if all(bound.offset is None for bound in bounds):
        return frame
    if frame.unit == "ROWS":
        for bound in bounds:
            if bound.offset is not None and not isinstance(bound.offset.type, IntegralType):
                raise TypeMismatchError(
                    f"a ROWS frame counts rows, and {bound.offset.type.ddl} is no count",
                    hint="use range_between(…) for intervals",
                )
        return frame
    if len(order_by) != 1:
        raise ValidationError(
            f"a RANGE frame with offsets needs one sort key, not {len(order_by)}",
            hint="order by the one column that the offsets are measured in",
        )
    key = order_by[0].type
    start, end = _fit_bound(frame.start, key), _fit_bound(frame.end, key)
    if isinstance(key, _OF_TIME):  # to others, Spark casts the offsets
        start, end = _in_one_type(start, end)
    return Frame(frame.unit, start, end)


_WHOLE = ("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING")


def _check_ends(frame: Frame) -> None:
    """Refuses a frame that Spark refuses: it cannot hold a row, wherever it stands."""
    start, end = frame.start, frame.end
    wrong = start.kind == _WHOLE[1] or end.kind == _WHOLE[0]
    if not wrong and start.offset is not None and end.offset is not None:
        wrong = start.kind != end.kind and start.kind == "FOLLOWING"
        if start.kind == end.kind and start.offset.type.same_type(end.offset.type):
            nearer = start.offset.value < end.offset.value
            wrong = start.offset.value != end.offset.value and nearer is (start.kind == "PRECEDING")
    if wrong:
        raise ValidationError(
            f"a window frame cannot begin with {_show(start)} and end with {_show(end)}",
            hint="the beginning comes first",
        )


def _show(bound: FrameBound) -> str:
    return bound.kind if bound.offset is None else f"{bound.offset.value} {bound.kind}"


def _in_one_type(start: FrameBound, end: FrameBound) -> tuple[FrameBound, FrameBound]:
    """Both bounds with offsets of one type, which Spark asks for: intervals in their widest."""
    if start.offset is None or end.offset is None:
        return start, end
    first, second = start.offset.type, end.offset.type
    if first.same_type(second):
        return start, end
    for wide in (_TO_MONTH, _TO_SECOND):
        if type(first) is type(second) is type(wide):
            return (
                FrameBound(start.kind, Literal(start.offset.value, wide)),
                FrameBound(end.kind, Literal(end.offset.value, wide)),
            )
    raise TypeMismatchError(
        f"a RANGE frame reaches from {first.ddl} to {second.ddl}",
        hint="give both offsets in one type",
    )


def _fit_bound(bound: FrameBound, key: LogicalType) -> FrameBound:
    offset = bound.offset
    if offset is None:
        return bound
    if isinstance(key, DateType) and isinstance(offset.type, DayTimeIntervalType):
        if offset.value % dt.timedelta(days=1) == dt.timedelta(0):
            return FrameBound(bound.kind, Literal(offset.value, _DAYS))
    elif _adds(key, offset.type):
        return bound
    raise TypeMismatchError(
        f"an offset of {offset.type.ddl} cannot be added to a sort key of {key.ddl}",
        hint="use a number for numbers, interval(days=7) for dates, intervals for timestamps",
    )


def _adds(key: LogicalType, offset: LogicalType) -> bool:
    if isinstance(key, DateType):
        return isinstance(offset, IntType | YearMonthIntervalType)
    if isinstance(key, _OF_TIME):
        return isinstance(offset, DayTimeIntervalType | YearMonthIntervalType)
    for spans in (DayTimeIntervalType, YearMonthIntervalType):
        if isinstance(key, spans):
            return isinstance(offset, spans)
    return isinstance(key, NumericType) and isinstance(offset, NumericType)
