"""The types of expressions, inferred again and compared with what the document says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.errors import PlanDocumentError, TypeMismatchError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.clauses import check_call, check_sorted_values, check_window
from viewscribe.expressions.frames import fitted_frame
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.resolve import require_boolean
from viewscribe.expressions.user_calls import fitted_arguments
from viewscribe.operations.base import QueryOperation
from viewscribe.types import BOOLEAN, VOID, LogicalType
from viewscribe.types.coercion import can_cast, is_comparable, is_orderable
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import IN_FORCE as COERCION
from viewscribe.types.policy import SETTING


def check_type(node: e.ResolvedExpression) -> None:
    """Raises where the node has another type than it would be built with, or cannot be built.

    Raises:
        ViewscribeError: says what is wrong.
    """
    infer = _INFER.get(type(node))
    if infer is None:
        return
    found = infer(node)
    if found != node.type:
        raise PlanDocumentError(
            f"its type is {found}, and the document says {node.type}",
            hint="a plan made with ANSI off has other types: read it in an environment of that "
            f'setting, settings={{"{SETTING}": "false"}}'
            if COERCION.get().ansi
            else None,
        )


def _literal(node: e.Literal) -> LogicalType:
    return literal(node.value, node.type).type


def _call(node: e.Call) -> LogicalType:
    function = node.function
    if function.kind not in (FunctionKind.SCALAR, FunctionKind.GENERATOR):
        raise PlanDocumentError(f"{function.name} is a {function.kind.value} function")
    _check_lambdas(function, node.args)
    found = function.infer(node.args)
    check_fitted(function, node.args)
    return found


def check_fitted(function: FunctionDefinition, args: tuple[e.ResolvedExpression, ...]) -> None:
    """A user function is handed what it takes: casts of its arguments stand in the tree."""
    if not isinstance(function, UserFunction) or function.source.collected:
        return
    if fitted_arguments(function, args) is not args:
        raise PlanDocumentError(f"an argument of {function!r} is not of the type that it takes")


def _check_lambdas(function: FunctionDefinition, args: tuple[e.ResolvedExpression, ...]) -> None:
    inference = function.inference
    for place, argument in enumerate(args[: inference.most]):
        wanted = inference.argument(place).parameters if inference.arguments else None
        if type(argument) is not e.Lambda:
            if wanted is not None:
                raise PlanDocumentError(f"argument {place + 1} of {function.name} is no lambda")
            continue
        if wanted is None:
            raise PlanDocumentError(f"argument {place + 1} of {function.name} cannot be a lambda")
        types = wanted(CallContext(function, args[:place]))
        given = [parameter.type for parameter in argument.parameters]
        fewest = inference.argument(place).fewest_parameters
        if not fewest <= len(given) <= len(types) or given != list(types)[: len(given)]:
            shown = ", ".join(map(str, types))
            raise PlanDocumentError(f"the lambda of {function.name} has the parameters ({shown})")


def _aggregate_call(node: e.AggregateCall) -> LogicalType:
    function = node.function
    if function.kind not in (FunctionKind.AGGREGATE, FunctionKind.WINDOW):
        raise PlanDocumentError(f"{function.name} is a {function.kind.value} function")
    if any(type(argument) is e.Lambda for argument in node.args):
        raise PlanDocumentError(f"an argument of {function.name} cannot be a lambda")
    if node.filter is not None:
        require_boolean(node.filter, "FILTER")
    check_call(node)
    keys = [key.child for key in node.order_by]
    found = function.infer_aggregate(node.args, keys, respect_nulls=node.respect_nulls)
    check_fitted(function, node.args)
    check_sorted_values(node)
    return found


def _cast(node: e.Cast) -> LogicalType:
    given = node.child.type
    if not can_cast(given, node.type, "try" if node.lenient else "plain"):
        raise TypeMismatchError(f"{given.ddl} cannot be cast to {node.type.ddl}")
    return cast_type(given, node.type, lenient=node.lenient)


def _child_type(node: e.Alias) -> LogicalType:
    return node.child.type


def _sort_order(node: e.SortOrder) -> LogicalType:
    if not is_orderable(node.child.type):
        raise TypeMismatchError(f"{node.child.type.ddl} has no order to sort by")
    return node.child.type


def _over(node: e.Over) -> LogicalType:
    if node.frame is not None:
        _check_frame(node.frame)
    if fitted_frame(node.frame, node.order_by) != node.frame:
        raise PlanDocumentError("the offsets of the frame are not of the type of the sort key")
    check_window(node.call, node.order_by, node.frame)
    return node.call.type


def _check_frame(frame: e.Frame) -> None:
    """A frame goes from a row to a later one, or to the same."""
    start, end = _place(frame.start), _place(frame.end)
    if frame.start == e.UNBOUNDED_FOLLOWING or frame.end == e.UNBOUNDED_PRECEDING:
        raise PlanDocumentError(f"a frame from {frame.start.kind} to {frame.end.kind}")
    if start[0] > end[0] or (start[0] == end[0] and _beyond(start[1], end[1])):
        raise PlanDocumentError("the frame ends before it starts")


def _place(bound: e.FrameBound) -> tuple[int, Any]:
    """The bound as something that is larger for a later row: which side, and how far."""
    offset = None if bound.offset is None else bound.offset.value
    if bound.offset is not None and (offset is None or offset < offset - offset):
        raise PlanDocumentError(f"a frame has the offset {offset}")
    if bound.kind == "PRECEDING":
        return -1, -offset if offset is not None else None
    return _SIDES[bound.kind], offset


def _beyond(start: Any, end: Any) -> bool:
    return type(start) is type(end) and start is not None and bool(start > end)


_SIDES = {"UNBOUNDED PRECEDING": -2, "CURRENT ROW": 0, "FOLLOWING": 1, "UNBOUNDED FOLLOWING": 2}


def _scalar_subquery(node: e.ScalarSubquery) -> LogicalType:
    fields = _query(node).schema.fields
    if len(fields) != 1:
        raise PlanDocumentError(f"a scalar sub-query has one column, not {len(fields)}")
    return value_type(fields[0].type).as_nullable()


def _in_subquery(node: e.InSubquery) -> LogicalType:
    fields, operands = _query(node).schema.fields, node.operands
    if len(operands) != len(fields):
        raise PlanDocumentError(f"{len(operands)} operands IN a query of {len(fields)} columns")
    for item, field in zip(operands, fields, strict=True):
        if not is_comparable(item.type, field.type):
            raise TypeMismatchError(f"{item.type.ddl} and {field.type.ddl} cannot be compared")
    nullable = any(item.type.nullable for item in operands) or any(f.type.nullable for f in fields)
    return BOOLEAN.with_nullability(nullable)


def _query(node: e.SubqueryExpression) -> QueryOperation:
    query = node.query
    assert isinstance(query, QueryOperation)
    return query


_INFER: dict[type[e.ResolvedExpression], Callable[[Any], LogicalType]] = {
    e.Literal: _literal,
    e.Call: _call,
    e.AggregateCall: _aggregate_call,
    e.Cast: _cast,
    e.Alias: _child_type,
    e.Star: lambda node: VOID.not_null(),
    e.SortOrder: _sort_order,
    e.Lambda: lambda node: node.body.type,
    e.Over: _over,
    e.ScalarSubquery: _scalar_subquery,
    e.Exists: lambda node: BOOLEAN.not_null(),
    e.InSubquery: _in_subquery,
}
"""How each kind of expression is typed; the types of references are those of what they refer to."""
