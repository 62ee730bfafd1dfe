"""Keys to sort by, and windows: the rows in an order that a function looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import Expression as Message

from viewscribe.expressions.dsl import Expression, OverExpression, SortExpression
from viewscribe.expressions.windows import WindowSpec
from viewscribe.spark.capture.lowering.products import collect, multiply

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader


def sort_order(reader: Reader, message: Any, whole: Message | None = None) -> SortExpression:
    """A sort key with its direction and the place of NULLs."""
    descending = message.direction == Message.SortOrder.SORT_DIRECTION_DESCENDING
    nulls_first = message.null_ordering == Message.SortOrder.SORT_NULLS_FIRST
    if message.null_ordering == Message.SortOrder.SORT_NULLS_UNSPECIFIED:
        nulls_first = not descending
    return SortExpression(reader.read(message.child), descending, nulls_first)


def window(reader: Reader, message: Any, whole: Message) -> Expression:
    """A function over a window."""
    spec = WindowSpec().partition_by(*reader.read_all(message.partition_spec))
    spec = spec.order_by(*[sort_order(reader, key) for key in message.order_spec])
    if message.HasField("frame_spec"):
        spec = _frame(reader, spec, message.frame_spec)
    call = reader.read(message.window_function)
    over = OverExpression(call, spec)
    known = reader.spelling.known_call(call)
    if known is None or known.name.lower() != "product":
        return over
    # The factors are what is over the window; the column is called as Spark calls it.
    made = multiply(OverExpression(collect(known.args[0]), spec))
    return reader.spelling.name(made, reader.spelling.text(over))


def _frame(reader: Reader, spec: WindowSpec, frame: Any) -> WindowSpec:
    start, end = _read_bound(reader, frame.lower), _read_bound(reader, frame.upper)
    if frame.frame_type == Message.Window.WindowFrame.FRAME_TYPE_ROW:
        return spec.rows_between(start, end)
    return spec.range_between(start, end)


def _read_bound(reader: Reader, bound: Any) -> Any:
    kind = bound.WhichOneof("boundary")
    if kind == "unbounded":
        return None
    if kind == "current_row":
        return 0
    literal = bound.value.literal
    plain = literal.WhichOneof("literal_type")
    if bound.value.WhichOneof("expr_type") == "literal" and plain in ("integer", "long"):
        return getattr(literal, plain)
    return reader.read(bound.value)


HANDLERS = {"sort_order": sort_order, "window": window}
