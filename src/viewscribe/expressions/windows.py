"""Windows as users write them: partition keys, sort keys and a frame of rows or of a range."""

from __future__ import annotations

from viewscribe.expressions.dsl import (
    CallExpression,
    Operand,
    SortExpression,
    ValueExpression,
    column_or,
    sort_key,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    Frame,
    FrameBound,
    Literal,
)
from viewscribe.expressions.summary import describe_frame


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
