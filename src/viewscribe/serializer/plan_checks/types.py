"""The types of expressions, inferred again and compared with what the document says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.errors import PlanDocumentError, TypeMismatchError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import holds, preorder
from viewscribe.expressions.properties import is_foldable, refers_outside
from viewscribe.expressions.resolve import require_boolean
from viewscribe.expressions.user_calls import fitted_arguments
from viewscribe.expressions.windows import (
    check_call,
    check_sorted_values,
    check_window,
    fitted_frame,
)
from viewscribe.operations import nodes as o
from viewscribe.operations.aggregation import GroupingKeys, check_grouping_calls
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import check_session, refuse_duplicates, refuse_session
from viewscribe.operations.build.rows import check_hint
from viewscribe.operations.handlers import HandlerTable
from viewscribe.types import BOOLEAN, VOID, LogicalType, StructType
from viewscribe.types.coercion import can_cast, common_type_of, is_comparable, is_orderable
from viewscribe.types.nested_types import deeply_nullable, value_type
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
        frame = node.frame
        start, end = _place(frame.start), _place(frame.end)
        if frame.start == e.UNBOUNDED_FOLLOWING or frame.end == e.UNBOUNDED_PRECEDING:
            raise PlanDocumentError(f"a frame from {frame.start.kind} to {frame.end.kind}")
        if start[0] > end[0] or (start[0] == end[0] and _beyond(start[1], end[1])):
            raise PlanDocumentError("the frame ends before it starts")
    if fitted_frame(node.frame, node.order_by) != node.frame:
        raise PlanDocumentError("the offsets of the frame are not of the type of the sort key")
    check_window(node.call, node.order_by, node.frame)
    return node.call.type


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


# The fields of each operation, held against what its builder makes.

_MOST_ROWS = 2**31
_BOTH_KINDS = (o.JoinKind.INNER, o.JoinKind.LEFT, o.JoinKind.CROSS)


def check_operation(node: QueryOperation) -> None:
    """Raises where the operation could not be built so.

    Raises:
        ViewscribeError: says what is wrong.
    """
    if isinstance(node, o.Aggregate):
        check_session(node.child, node.keys)
    else:
        for child in node.inputs():
            refuse_session(child)
    check = _CHECKS.get(type(node))
    if check is not None:
        check(node)


def _refuse(problem: bool, message: str) -> None:
    if problem:
        raise PlanDocumentError(message)


def _filter(node: o.Filter) -> None:
    require_boolean(node.condition, "filter")


def _join(node: o.Join) -> None:
    kind, words = node.kind, node.kind.name.lower()
    if node.condition is not None:
        require_boolean(node.condition, "join")
        _refuse(bool(node.using), "the join has both a condition and USING columns")
        _refuse(kind is o.JoinKind.CROSS, "a cross join has no condition")
    elif node.using:
        _refuse(kind is o.JoinKind.CROSS, "a cross join has no USING columns")
        refuse_duplicates(node.using, "USING")
        for name in node.using:
            a = node.left.schema[node.left.schema.find(name)].type
            b = node.right.schema[node.right.schema.find(name)].type
            if not is_comparable(a, b):
                raise TypeMismatchError(f"join using `{name}`: {a.ddl} and {b.ddl}")
    else:
        needs = kind not in (o.JoinKind.INNER, o.JoinKind.CROSS)
        _refuse(needs, f"a {words} join needs a condition or USING columns")


def _lateral_join(node: o.LateralJoin) -> None:
    words = node.kind.name.lower()
    _refuse(node.kind not in _BOTH_KINDS, f"there is no lateral {words} join")
    if node.condition is not None:
        require_boolean(node.condition, "a lateral join")
    calls = holds(node.right, o.Process)
    _refuse(calls, "the right side of a lateral join calls a process table function")


def _set_operation(node: o.SetOperation) -> None:
    for a, b in zip(node.left.schema, node.right.schema, strict=True):
        if not _merge(a.type, b.type):
            raise TypeMismatchError(
                f"`{a.name}` is {a.type.ddl} on the left and {b.type.ddl} on the right"
            )


def _merge(left: LogicalType, right: LogicalType) -> bool:
    """Whether a set operation brings the types together; fields of structs by place, as Spark."""
    if common_type_of([left, right]) is not None:
        return True
    if not isinstance(left, StructType) or not isinstance(right, StructType):
        return False
    pairs = zip(left.fields, right.fields, strict=False)
    same_width = len(left.fields) == len(right.fields)
    return same_width and all(_merge(a.type, b.type) for a, b in pairs)


def _check_names(expressions: Sequence[e.ResolvedExpression], where: str) -> None:
    for each in expressions:
        named = type(each) in (e.FieldReference, e.Alias)
        _refuse(not named, f"{where} is neither a column nor an expression with a name")


def _project(node: o.Project) -> None:
    _refuse(not node.expressions, "a project has no columns")
    _check_names(node.expressions, "an expression")


def _with_columns(node: o.WithColumns) -> None:
    refuse_duplicates([column.name for column in node.columns], "with_columns")
    by_name = node.child.schema.by_name
    for column in node.columns:
        if (by_name.get(column.name.lower()) or 0) < 0:
            raise node.child.schema.ambiguous(column.name)


def _aggregate(node: o.Aggregate) -> None:
    _check_names((*node.keys, *node.aggregates), "a key or an aggregate")
    _refuse(not (node.keys or node.aggregates), "an aggregate has no columns")
    is_sets = node.grouping is o.Grouping.SETS
    _refuse(bool(node.sets) and not is_sets, "only GROUPING SETS have sets")
    _refuse(is_sets and not node.sets, "GROUPING SETS without a set")
    _refuse(not node.keys and node.grouping is not o.Grouping.SIMPLE, "grouping sets without keys")
    for group in node.sets:
        for place in group:
            _refuse(
                not 0 <= place < len(node.keys),
                f"a grouping set has the key {place}, and there are {len(node.keys)}",
            )
    check_grouping_calls(GroupingKeys(node.keys, node.grouping, node.sets), node.aggregates)
    _check_groups(node.keys, node.aggregates)


def _check_groups(
    keys: Sequence[e.ResolvedExpression], items: Sequence[e.ResolvedExpression]
) -> None:
    """Columns outside of aggregate functions are grouping keys."""
    known = {e.strip_alias(key) for key in keys}

    def skip(node: Any) -> bool:
        return type(node) is e.AggregateCall or node.is_query or node in known

    for item in items:
        for node in preorder(e.strip_alias(item), skip=skip):
            if type(node) is e.FieldReference:
                raise PlanDocumentError(
                    f"column `{node.name}` is neither a key nor inside an aggregate function"
                )


def _pivot(node: o.Pivot) -> None:
    _check_names(node.aggregates, "an aggregate")
    _refuse(not node.aggregates, "a pivot has no aggregate function")
    _refuse(len(node.values) != len(node.value_names), "each pivot value has one name")
    for value in node.values:
        if not value.type.same_type(node.column.type) and value.value is not None:
            raise TypeMismatchError(
                f"a pivot value is {value.type.ddl}, the column {node.column.type.ddl}"
            )
    _check_groups(node.keys, node.aggregates)


def _generate(node: o.Generate) -> None:
    function = node.call.function
    _refuse(function.kind is not FunctionKind.GENERATOR, f"{function.name} is not a generator")
    _refuse(function.name.endswith("_outer"), f"{function.name} is the flag `outer`")


def _unpivot(node: o.Unpivot) -> None:
    _refuse(not node.columns, "an unpivot has no columns")
    _refuse(len(node.columns) != len(node.labels), "each column of an unpivot has one label")


def _time_window(node: o.TimeWindow) -> None:
    name = node.call.function.built_in_name
    _refuse(name not in ("window", "session_window"), f"{name} is not a time window")
    taken = node.name.lower() in node.child.schema.by_name
    _refuse(taken, f"the input already has a column `{node.name}`")


def _row_count(node: o.Limit | o.Offset) -> None:
    problem = not 0 <= node.count < _MOST_ROWS
    _refuse(problem, f"a number of rows is from 0 to {_MOST_ROWS - 1}, not {node.count}")


def _sample(node: o.Sample) -> None:
    fits = math.isfinite(node.percent) and 0 <= node.percent <= 100
    _refuse(not fits, f"a sample is from 0 to 100 percent, not {node.percent}")
    fits = node.seed is None or -(2**63) <= node.seed < 2**63
    _refuse(not fits, f"a seed is a BIGINT, and {node.seed} is none")


def _sort(node: o.Sort) -> None:
    _refuse(not node.keys, "a sort has no key")


def _subquery_alias(node: o.SubqueryAlias) -> None:
    _refuse(not node.name, "an alias is empty")


def _hint(node: o.Hint) -> None:
    _refuse(not node.name.isidentifier(), f"{node.name!r} is not the name of a hint")
    for item in node.parameters:
        fits = isinstance(item, e.Literal | e.FieldReference)
        _refuse(not fits, "a hint takes numbers and columns")
    check_hint(node.name, node.parameters)


def _source(node: o.CatalogSource) -> None:
    _refuse(not node.path or not all(node.path), "a path of a table has an empty part, or none")
    wrong = node.as_of is not None and o.AS_OF.fullmatch(node.as_of) is None
    _refuse(wrong, f"a table cannot be read {node.as_of!r}")


def _values(node: o.Values) -> None:
    width = len(node.fields)
    _refuse(bool(node.values) and not width, "rows without columns")
    _refuse(bool(width and len(node.values) % width), "the last row is not as long as the others")
    for place, cell in enumerate(node.values):
        _refuse(not is_foldable(cell), "a value of a row is not a constant")
        field = node.fields[place % width]
        if not cell.type.same_type(field.type) and cell.type.ddl != "VOID":
            raise TypeMismatchError(f"`{field.name}` is {field.type.ddl}, a value {cell.type.ddl}")
    for place, field in enumerate(node.fields if node.values else ()):
        found = common_type_of([cell.type for cell in node.values[place::width]])
        if found is not None and found.with_nullability(True) == field.type.with_nullability(True):
            _refuse(found != field.type, f"`{field.name}` is {found}, not {field.type}")


def _table_function(node: o.TableFunction) -> None:
    function = node.function
    of_user = isinstance(function, UserFunction) and function.kind is FunctionKind.GENERATOR
    fits = of_user or function.kind is FunctionKind.TABLE
    _refuse(not fits, f"{function.name} does not make a table")
    for argument in node.args:
        _refuse(not is_foldable(argument), f"an argument of {function.name} is not a constant")
    check_fitted(function, node.args)


def _process(node: o.Process) -> None:
    function = node.function
    fits = function.kind is FunctionKind.PROCESS_TABLE and isinstance(function, UserFunction)
    _refuse(not fits, f"{function.name} is not a process table function")
    _refuse(refers_outside(node.child), f"a table of {function.name} refers to the row around it")
    without = isinstance(node.child, o.OneRow)
    _refuse(without is bool(node.tables), "a call takes tables, or has one row for its input")
    _refuse(len(node.arguments) != len(node.args), "each argument has one name")
    for key in (*node.keys, *(key.child for key in node.order)):
        _path(key)
    for argument in node.args:
        _refuse(not is_foldable(argument), f"an argument of {function.name} is not a constant")


def _path(key: e.ResolvedExpression) -> None:
    """A key is a column or a field in one."""
    while isinstance(key, e.Call) and key.function.built_in_name == "get_field":
        key = key.args[0]
    _refuse(type(key) is not e.FieldReference, "a key is a column, or a field in one")


def _recursion(node: o.Recursion) -> None:
    fields = o.recursive_fields(node.anchor.schema)
    _refuse(len(fields) != len(node.step.schema), "the two queries differ in their columns")
    for first, following in zip(node.anchor.schema, node.step.schema, strict=True):
        common = common_type_of([first.type, following.type])
        if common is None or deeply_nullable(common) != deeply_nullable(first.type):
            raise TypeMismatchError(f"`{first.name}` is {first.type.ddl}, then {following.type}")
    for each in preorder(node.step):
        if isinstance(each, o.CteReference) and each.name == node.name:
            _refuse(each.fields != fields, f"`{node.name}` is read with other columns")
    least = node.max_level is not None and node.max_level < 0
    _refuse(least, "a number of rounds is not negative")


def _with_cte(node: o.WithCte) -> None:
    fields, pending = node.definition.schema.fields, [node.body]
    while pending:
        each: Any = pending.pop()
        if isinstance(each, o.CteReference) and each.name == node.name:
            _refuse(each.fields != fields, f"`{node.name}` is read with other columns")
        hides = isinstance(each, o.WithCte) and each.name == node.name
        pending += [each.definition] if hides else each.children()


_NOTHING_MORE = "its columns are all there is to check"

_CHECKS: HandlerTable[Callable[[Any], None]] = HandlerTable(
    "the check of a plan document",
    {
        o.Aggregate: _aggregate,
        o.CatalogSource: _source,
        o.Filter: _filter,
        o.Generate: _generate,
        o.Hint: _hint,
        o.Join: _join,
        o.LateralJoin: _lateral_join,
        o.Limit: _row_count,
        o.Offset: _row_count,
        o.Pivot: _pivot,
        o.Process: _process,
        o.Project: _project,
        o.Recursion: _recursion,
        o.Sample: _sample,
        o.SetOperation: _set_operation,
        o.Sort: _sort,
        o.SubqueryAlias: _subquery_alias,
        o.TableFunction: _table_function,
        o.TimeWindow: _time_window,
        o.Unpivot: _unpivot,
        o.Values: _values,
        o.WithColumns: _with_columns,
        o.WithCte: _with_cte,
    },
    without={
        o.CteReference: "it is held against its CTE, or its recursion",
        o.Distinct: _NOTHING_MORE,
        o.OneRow: _NOTHING_MORE,
        o.SqlText: _NOTHING_MORE,
    },
)
"""What each operation must be besides having columns and conditions that fit."""
