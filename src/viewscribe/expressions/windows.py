"""Windows as users write them: partition keys, sort keys and a frame of rows or of a range."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import (
    CallExpression,
    Operand,
    SortExpression,
    ValueExpression,
    column_or,
    sort_key,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import (
    DISTINCT,
    FILTER,
    IGNORE_NULLS,
    RESPECT_NULLS,
    WITHIN_GROUP,
    Frames,
    FunctionDefinition,
    FunctionKind,
)
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    AggregateCall,
    Cast,
    Frame,
    FrameBound,
    Literal,
    SortOrder,
)
from viewscribe.expressions.summary import describe_frame
from viewscribe.types import (
    STRING,
    BinaryType,
    DateType,
    DayTimeIntervalType,
    DoubleType,
    FloatType,
    IntegralType,
    IntType,
    LogicalType,
    NumericType,
    StringType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)

# Window frames against the keys they run over.

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


# Checks the clauses of a call, and its window, against what its function accepts.
#
# The rules are those of Spark's analyzer (``FunctionResolution`` and ``CheckAnalysis``). The
# registry says which rules apply to a function.

_METHODS = {
    DISTINCT: "distinct",
    FILTER: "filter",
    WITHIN_GROUP: "within_group",
    IGNORE_NULLS: "ignore_nulls",
    RESPECT_NULLS: "respect_nulls",
}


def _list_clauses(expression: dsl.CallExpression) -> list[str]:
    there = {
        DISTINCT: expression.is_distinct,
        FILTER: expression.condition is not None,
        WITHIN_GROUP: bool(expression.order_by),
        IGNORE_NULLS: expression.nulls_ignored,
        RESPECT_NULLS: expression.nulls_respected,
    }
    return [clause for clause, is_there in there.items() if is_there]


def refuse_clauses(expression: dsl.CallExpression) -> None:
    """Refuses clauses on a call that is no aggregate, so that none is lost silently."""
    given = _list_clauses(expression)
    if given and expression.function.kind is FunctionKind.DECLARATIVE:
        raise ValidationError(
            f"{_METHODS[given[0]]}() does not fit {expression.function.name}, which stands for "
            "several functions of Spark",
            hint="aggregate over a table that is made so before: distinct(), order_by(…)",
        )
    if given:
        method = _METHODS[given[0]]
        raise ValidationError(
            f"{method}() belongs to a call of an aggregate function, and "
            f"{expression.function.name} is none",
            hint="F.filter(array, …) filters the elements of an array"
            if method == "filter"
            else "call it on F.sum(…), F.count(…) or another aggregate",
        )


def check_clauses(expression: dsl.CallExpression) -> None:
    """Refuses clauses that the aggregate or window function does not accept."""
    given = [
        each for each in _list_clauses(expression) if each != RESPECT_NULLS
    ]  # goes without saying
    _check(expression.function, given, bool(expression.args), len(expression.order_by))


def check_call(call: AggregateCall) -> None:
    """Refuses clauses of a resolved call that its function does not accept.

    Raises:
        ValidationError: the function does not accept a clause, or a required clause is missing.
    """
    there = {
        DISTINCT: call.distinct,
        FILTER: call.filter is not None,
        WITHIN_GROUP: bool(call.order_by),
        IGNORE_NULLS: call.ignore_nulls,
        RESPECT_NULLS: call.respect_nulls,
    }
    given = [clause for clause, is_there in there.items() if is_there]
    _check(call.function, given, bool(call.args), len(call.order_by))


def _check(function: FunctionDefinition, given: Sequence[str], has_args: bool, keys: int) -> None:
    for clause in given:
        if clause not in function.clauses:
            has = ", ".join(function.clauses)
            raise ValidationError(
                f"{function.name} has no {clause}",
                hint=f"it has only: {has}" if has else "it has no clause but OVER",
            )
    if keys and has_args and function.built_in_name == "mode":
        raise ValidationError(
            "mode takes its values from its argument or from a sort key, not from both",
            hint='write F.mode("…"), or call("mode").within_group("…")',
        )
    if (function.within_group or (keys and not has_args)) and keys != 1:
        raise ValidationError(
            f"{function.name} takes its values from one sort key, not {keys}",
            hint=f'write F.{function.name}(…).within_group("…")',
        )


_MERGED_AS_TEXT = (DoubleType, FloatType, TimestampType)
"""Types of which two different values may be one as text."""


def check_sorted_values(call: AggregateCall) -> None:
    """Distinct values can only be sorted by themselves, or by what they are made of one for one.

    Raises:
        ValidationError: DISTINCT with another sort key.
    """
    if not (call.distinct and call.order_by and call.args):
        return
    keys = [key.child for key in call.order_by]
    value = call.args[0]
    if type(value) is Cast and keys == [value.child] and not value.lenient:
        sorted_by_itself = isinstance(value.type, StringType | BinaryType)
        value = value.child
        if isinstance(value.type, StringType) and not value.type.same_type(STRING):
            sorted_by_itself = False
    else:
        sorted_by_itself = keys == [value]
    if call.function.built_in_name == "listagg" and isinstance(value.type, _MERGED_AS_TEXT):
        sorted_by_itself = False
    if not sorted_by_itself:
        raise ValidationError(
            f"the distinct values of {call.function.name} can only be sorted by themselves",
            hint="sort by what is aggregated, or leave DISTINCT out",
        )


def check_window(call: AggregateCall, order_by: Sequence[SortOrder], frame: Frame | None) -> None:
    """Refuses a window that the function does not run over.

    Raises:
        ValidationError: DISTINCT, a missing ORDER BY, or a frame that the function does not accept.
    """
    function = call.function
    if call.distinct:
        raise ValidationError(
            f"{function.name}(DISTINCT …) does not run over a window",
            hint="drop the duplicates first, or use F.size(F.collect_set(…).over(…))",
        )
    if function.kind is FunctionKind.WINDOW and not order_by:
        raise ValidationError(
            f"{function.name} needs an order",
            hint='add one: .over(over(partition_by=…, order_by="…"))',
        )
    frames = function.frames
    if frames is Frames.WHOLE_IF_SORTED:
        frames = Frames.WHOLE if call.order_by else Frames.ANY
    if frames is Frames.ANY or (frame is None and not (order_by and frames is Frames.WHOLE)):
        return
    if frame != _FRAMES.get(frames) or (order_by and frames is Frames.WHOLE):
        raise ValidationError(
            f"{function.name} only runs over {frames.value}",
            hint="leave the order and the frame of the window out"
            if frames is Frames.WHOLE
            else "leave the frame of the window out",
        )


_FRAMES: dict[Frames, Frame] = {
    Frames.ROWS: Frame("ROWS", UNBOUNDED_PRECEDING, CURRENT_ROW),
    Frames.RANGE: Frame("RANGE", UNBOUNDED_PRECEDING, CURRENT_ROW),
    Frames.WHOLE: Frame("ROWS", UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING),
}


class WindowSpec:
    """An OVER (…) specification: partition keys, sort keys, frame. Immutable, built by chaining."""

    __slots__ = ("frame", "order_keys", "partition_keys")

    def __init__(
        self,
        partition_keys: tuple[Operand, ...] = (),
        order_keys: tuple[SortExpression, ...] = (),
        frame: Frame | None = None,
    ) -> None:
        self.partition_keys = partition_keys
        self.order_keys = order_keys
        self.frame = frame

    def __repr__(self) -> str:
        parts = []
        if self.partition_keys:
            parts.append(f"PARTITION BY {', '.join(map(repr, self.partition_keys))}")
        if self.order_keys:
            parts.append(f"ORDER BY {', '.join(map(repr, self.order_keys))}")
        if self.frame is not None:
            parts.append(describe_frame(self.frame))
        return f"OVER ({' '.join(parts)})"

    def partition_by(self, *keys: Operand) -> WindowSpec:
        """Returns the window partitioned by these keys."""
        added = tuple(column_or(key) for key in keys)
        return WindowSpec(self.partition_keys + added, self.order_keys, self.frame)

    def order_by(self, *keys: Operand) -> WindowSpec:
        """Returns the window ordered by these keys."""
        added = tuple(sort_key(key) for key in keys)
        return WindowSpec(self.partition_keys, self.order_keys + added, self.frame)

    def rows_between(self, start: int | None, end: int | None) -> WindowSpec:
        """Sets a ROWS frame: -2 is two rows before, 0 the current row, None unbounded."""
        return self._frame("ROWS", start, end)

    def range_between(self, start: Operand, end: Operand) -> WindowSpec:
        """Sets a RANGE frame of numbers or intervals: 0 is the current row, None unbounded."""
        return self._frame("RANGE", start, end)

    def _frame(self, unit: str, start: Operand, end: Operand) -> WindowSpec:
        frame = Frame(
            unit, _make_bound(start, UNBOUNDED_PRECEDING), _make_bound(end, UNBOUNDED_FOLLOWING)
        )
        return WindowSpec(self.partition_keys, self.order_keys, frame)


def _make_bound(offset: Operand, unlimited: FrameBound) -> FrameBound:
    if offset is None:
        return unlimited
    if isinstance(offset, CallExpression) and offset.function is op.NEGATIVE:
        inner = offset.args[0]
        if isinstance(inner, ValueExpression) and isinstance(inner.resolved, Literal):
            offset = Literal(-inner.resolved.value, inner.resolved.type)  # -interval(days=7)
    if isinstance(offset, ValueExpression):
        offset = offset.resolved
    value = offset if isinstance(offset, Literal) else literal(offset)
    if value.type.sql_name in ("INT", "BIGINT") and abs(value.value) >= 2**62:
        return unlimited  # PySpark's Window.unboundedPreceding and …Following
    zero = value.value - value.value
    if value.value == zero:
        return CURRENT_ROW
    if value.value < zero:
        return FrameBound("PRECEDING", Literal(-value.value, value.type))
    return FrameBound("FOLLOWING", value)
