"""Checks the clauses of a call, and its window, against what its function accepts.

The rules are those of Spark's analyzer (``FunctionResolution`` and ``CheckAnalysis``). The registry
says which rules apply to a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.clauses import (
    DISTINCT,
    FILTER,
    IGNORE_NULLS,
    RESPECT_NULLS,
    WITHIN_GROUP,
    Frames,
)
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    AggregateCall,
    Cast,
    Frame,
    SortOrder,
)
from viewscribe.types import (
    STRING,
    BinaryType,
    DoubleType,
    FloatType,
    StringType,
    TimestampType,
)

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
