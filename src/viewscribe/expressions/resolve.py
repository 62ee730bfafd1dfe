"""From what users type to what is known: names to positions, calls to typed calls.

Resolution recurses for speed and hands subtrees that lie deeper than ``_DEEP`` levels to a loop,
so neither long chains nor deep nesting reach Python's recursion limit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, cast

import msgspec

from viewscribe.errors import TypeMismatchError, UnknownFunctionError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.clauses import (
    check_clauses,
    check_sorted_values,
    check_window,
    refuse_clauses,
)
from viewscribe.expressions.frames import fitted_frame
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.casting import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.declarative import DeclarativeFunction
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.in_force import IN_FORCE
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    Call,
    Cast,
    Exists,
    FieldReference,
    InSubquery,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    Over,
    ResolvedExpression,
    ScalarSubquery,
    SortOrder,
    alias,
)
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.user_calls import fitted, refuse_clauses_over, refuse_order
from viewscribe.types import (
    BOOLEAN,
    VOID,
    ArrayType,
    BooleanType,
    Field,
    LogicalType,
    StructType,
    VariantType,
    VoidType,
)
from viewscribe.types.coercion import CastMode, can_cast, is_comparable, is_orderable

_DEEP = 120
_SCALAR, _AGGREGATE, _GENERATOR = (
    FunctionKind.SCALAR,
    FunctionKind.AGGREGATE,
    FunctionKind.GENERATOR,
)

_outer_scopes: ContextVar[tuple[Schema, ...]] = ContextVar("outer_scopes", default=())


class Scope(msgspec.Struct, eq=False):
    """What names can mean in one place, and what was met while resolving there."""

    schema: Schema
    depth: int = 0
    known: dict[int, ResolvedExpression] = msgspec.field(default_factory=dict)
    deep: list[Any] = msgspec.field(default_factory=list)
    lambda_names: list[str] = msgspec.field(default_factory=list)
    aggregates: bool = False
    windows: bool = False
    generators: bool = False
    subqueries: bool = False
    inside_aggregate: bool = False
    python_aggregates: bool = False


def resolve(expression: Any, schema: Schema) -> ResolvedExpression:
    """The expression against the columns of ``schema``.

    Raises:
        UnknownColumnError, AmbiguousColumnError: a name that no or several columns have.
        TypeMismatchError, ArityError: a call that does not fit its function.
    """
    return resolve_in(expression, Scope(schema))


class _AnySchema(Schema):
    """A schema that has every column anybody asks for, of the type of NULL."""

    __slots__ = ()

    def find(self, name: str) -> int:
        known = [field.name for field in self.fields]
        if name not in known:
            self.fields = (*self.fields, Field(name, VOID))
            self.qualifiers = (*self.qualifiers, ())
            known.append(name)
        return known.index(name)

    def find_path(self, parts: Sequence[str]) -> tuple[int, Sequence[str]]:
        raise ValidationError(
            f"`{'.'.join(parts)}` could be a table's column or a struct's field",
            hint="print the table it is used in: table.select(…).to_sql()",
        )


def resolve_freely(expression: Any) -> ResolvedExpression:
    """The expression over columns of whose types nothing is known."""
    return resolve(expression, _AnySchema(()))


def resolve_in(expression: Any, scope: Scope) -> ResolvedExpression:
    """Like ``resolve``, noting in ``scope`` whether aggregates, windows … were met."""
    if type(expression) is dsl.ColumnExpression:  # the most frequent leaf takes the short way
        return _column(expression, scope)
    handler = _HANDLERS.get(type(expression))
    if handler is None:
        if isinstance(expression, ResolvedExpression):
            return expression
        return resolve_in(dsl.operand(expression), scope)
    if scope.known:
        found = scope.known.get(id(expression))
        if found is not None:
            return found
    depth = scope.depth
    if depth > _DEEP:
        return _resolve_deep(expression, scope)
    scope.depth = depth + 1
    resolved = handler(expression, scope)
    scope.depth = depth
    return resolved


def _resolve_deep(expression: Any, scope: Scope) -> ResolvedExpression:
    """Resolves a subtree bottom-up in a loop; its nodes find their children in ``scope.known``."""
    kept, depth = scope.known, scope.depth
    scope.known = dict(kept)
    scope.deep.append(expression)  # keeps the nodes alive while their ids are keys
    scope.depth = 0
    for node in _unresolved_postorder(expression):
        if id(node) not in scope.known:
            scope.known[id(node)] = _HANDLERS[type(node)](node, scope)
    resolved = scope.known[id(expression)]
    scope.known, scope.depth = kept, depth
    return resolved


def _unresolved_postorder(root: Any) -> list[Any]:
    order: list[Any] = []
    seen: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seen and type(node) in _HANDLERS:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in _unresolved_children(node))
    return order


def _unresolved_children(node: Any) -> Sequence[Any]:
    kind = type(node)
    if kind in (dsl.CallExpression, dsl.OptionedCall, dsl.NamedCallExpression):
        flat = _flattened(node) if node.function in (op.AND, op.OR) else node.args
        return [arg for arg in flat if type(arg) is not dsl.LambdaExpression]
    if kind in (dsl.AliasExpression, dsl.CastExpression, dsl.SortExpression):
        return (node.child,)
    if kind is dsl.ItemExpression:
        return (node.base, node.key)
    return ()


def _column(expression: dsl.ColumnExpression, scope: Scope) -> ResolvedExpression:
    schema = scope.schema
    if expression.parts is None:
        index = schema.by_name.get(expression.column.lower(), -1)
        if index < 0:
            index = schema.find(expression.column)
        field = schema.fields[index]
        return FieldReference(index, field.name, field.type)
    index, fields = schema.find_path(expression.parts)
    found: ResolvedExpression = schema.reference(index)
    for name in fields:
        found = make_call(op.GET_FIELD, (found, literal(name)))
    return found


def _value(expression: dsl.ValueExpression, scope: Scope) -> ResolvedExpression:
    return expression.resolved


def _outer(expression: dsl.OuterExpression, scope: Scope) -> ResolvedExpression:
    scopes = _outer_scopes.get()
    level = len(scopes) - expression.depth
    if level < 1:
        raise ValidationError(
            "a column of an enclosing query was used outside of its sub-query",
            hint="use outer(…) only inside the function that exists(), scalar() or a lateral "
            "join was given",
        )
    found = resolve(expression.column, scopes[expression.depth])

    def outwards(node: Node) -> Node:
        if isinstance(node, FieldReference):
            return OuterReference(level, node.index, node.name, node.type)
        return node

    return cast(ResolvedExpression, replace(found, outwards))


def _flattened(expression: dsl.CallExpression) -> list[Any]:
    """The terms of a chain of ANDs (or ORs), however it was nested, in the order written."""
    function = expression.function
    terms: list[Any] = []
    stack = list(reversed(expression.args))
    while stack:
        term = stack.pop()
        if type(term) is dsl.CallExpression and term.function is function:
            stack.extend(reversed(term.args))
        else:
            terms.append(term)
    return terms


def _call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    function = expression.function
    if function.kind is not _SCALAR:
        return _special_call(expression, scope)
    given: Sequence[Any] = expression.args
    if function is op.AND or function is op.OR:
        given = _flattened(expression)
    if expression.has_clauses:
        refuse_clauses(expression)
    args = _arguments(function, given, scope)
    return Call(function, args, function.infer(args))


def _arguments(
    function: FunctionDefinition, given: Sequence[Any], scope: Scope
) -> tuple[ResolvedExpression, ...]:
    args: list[ResolvedExpression] = []
    for place, argument in enumerate(given):
        kind = type(argument)
        if kind is dsl.ColumnExpression:  # straight to it, as in resolve_in
            args.append(_column(argument, scope))
        elif kind is Literal:
            args.append(argument)
        elif kind is dsl.LambdaExpression:
            args.append(_lambda(function, place, argument, args, scope))
        elif kind is dsl.StarExpression:
            args.extend(expand_star(argument, scope.schema))
        else:
            args.append(resolve_in(argument, scope))
    return tuple(args)


def _lambda(
    function: FunctionDefinition,
    place: int,
    given: dsl.LambdaExpression,
    before: Sequence[ResolvedExpression],
    scope: Scope,
) -> Lambda:
    arguments = function.inference.arguments
    wanted = arguments[min(place, len(arguments) - 1)]
    if wanted.parameters is None:
        raise TypeMismatchError(
            f"{function.name}: argument {place + 1} cannot be a function",
            hint=f"expected: {function.signature}",
        )
    names = list(inspect.signature(given.function).parameters)
    types = wanted.parameters(CallContext(function, before))
    fewest, most = wanted.fewest_parameters, len(types)
    if not fewest <= len(names) <= most:
        expected = str(most) if fewest == most else f"{fewest} to {most}"
        raise TypeMismatchError(
            f"{function.name}: the lambda has {len(names)} parameters, not {expected}",
            hint=f"expected: {function.signature}",
        )
    variables = tuple(
        LambdaVariable(_fresh(name, scope.lambda_names), type_)
        for name, type_ in zip(names, types, strict=False)
    )
    scope.lambda_names += [variable.name for variable in variables]
    result = given.function(*[dsl.ValueExpression(variable) for variable in variables])
    body = resolve_in(dsl.operand(result), scope)
    del scope.lambda_names[len(scope.lambda_names) - len(variables) :]
    return Lambda(variables, body, body.type)


def _fresh(name: str, taken: Sequence[str]) -> str:
    """The name, or one that no lambda around this one uses for another variable."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen


def make_call(function: FunctionDefinition, args: tuple[ResolvedExpression, ...]) -> Call:
    """A typed call of a scalar function or generator."""
    return Call(function, args, function.infer(args))


def _named_call(expression: dsl.NamedCallExpression, scope: Scope) -> ResolvedExpression:
    """The call of the function that the name means here."""
    catalog = IN_FORCE.get()
    if not expression.parts:
        function = expression.function
    elif catalog is not None:
        function = catalog.lookup(expression.parts).function
    elif len(expression.parts) == 1:
        function = built_in(expression.parts[0])
    else:
        raise UnknownFunctionError(f"no function `{'.'.join(expression.parts)}`")
    if expression.options and function.kind is not FunctionKind.DECLARATIVE:
        raise ValidationError(
            f"{function.name} has no option `{next(iter(expression.options))}`",
            hint=dsl.NO_OPTIONS,
        )
    found = dsl.OptionedCall(
        function,
        expression.args,
        expression.is_distinct,
        expression.condition,
        expression.order_by,
        expression.nulls_ignored,
        expression.has_clauses,
        expression.options,
    )
    call = _call(found, scope)
    return _user_call(call, function, scope) if isinstance(function, UserFunction) else call


def _user_call(
    call: ResolvedExpression, function: UserFunction, scope: Scope
) -> ResolvedExpression:
    if function.is_python_aggregate and isinstance(call, AggregateCall):
        scope.python_aggregates = True
        refuse_order(call)
    return fitted(call)


def _special_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    function = expression.function
    if function.kind is FunctionKind.TABLE:
        raise ValidationError(
            f"{function.name} makes a table, not a value",
            hint=f'start a pipeline with env.from_function("{function.name}", …)',
        )
    if function.kind is _GENERATOR:
        scope.generators = True
        refuse_clauses(expression)
        return make_call(function, _arguments(function, expression.args, scope))
    if isinstance(function, DeclarativeFunction):
        return resolve_in(_expanded(expression, function, scope), scope)
    if scope.inside_aggregate and function.kind is _AGGREGATE:
        raise ValidationError(
            f"{function.name} inside another aggregate function",
            hint="aggregate twice: group_by(…).select(…) and again on its result",
        )
    scope.aggregates = True
    scope.inside_aggregate = True
    call = _aggregate_call(expression, scope)
    scope.inside_aggregate = False
    return call


def _expanded(
    expression: dsl.CallExpression, function: DeclarativeFunction, scope: Scope
) -> dsl.Expression:
    """What a call of a declarative function stands for; its arguments are resolved once."""
    args = _arguments(function, expression.args, scope)
    function.infer(args)
    given = expression.options if isinstance(expression, dsl.OptionedCall) else {}
    options = function.options_of(given)
    made: dsl.Expression = function.expansion(*map(dsl.ValueExpression, args), **options)
    if not expression.has_clauses:
        return made
    if not isinstance(made, dsl.CallExpression) or made.function.kind is not _AGGREGATE:
        refuse_clauses(expression)
        return made
    return made.with_clauses(
        distinct=expression.is_distinct,
        condition=expression.condition,
        order_by=expression.order_by,
        ignore_nulls=expression.nulls_ignored,
    )


def _aggregate_call(expression: dsl.CallExpression, scope: Scope) -> AggregateCall:
    function = expression.function
    given = expression.args
    rows = not given or (len(given) == 1 and type(given[0]) is dsl.StarExpression)
    if rows and function.name == "count":
        args: tuple[ResolvedExpression, ...] = (STAR,)
    else:
        args = _arguments(function, given, scope)
    if not expression.has_clauses and not function.within_group:
        return AggregateCall(function, args, function.infer(args))
    check_clauses(expression)
    condition = expression.condition
    if condition is not None:
        condition = require_boolean(resolve_in(condition, scope), "FILTER")
    order_by = tuple(_sort(key, scope) for key in expression.order_by)
    call = AggregateCall(
        function,
        args,
        function.infer_ordered(args, [key.child for key in order_by]),
        expression.is_distinct,
        condition,
        order_by,
        expression.nulls_ignored,
    )
    check_sorted_values(call)
    return call


def _item(expression: dsl.ItemExpression, scope: Scope) -> ResolvedExpression:
    base = resolve_in(expression.base, scope)
    key = resolve_in(expression.key, scope)
    named = isinstance(key, Literal) and isinstance(key.value, str)
    if isinstance(base.type, VariantType) and isinstance(key, Literal):
        return _path_into(base, key.value)
    if isinstance(base.type, StructType) and named:
        return make_call(op.GET_FIELD, (base, key))
    if isinstance(base.type, ArrayType) and named:
        return make_call(op.GET_FIELD, (base, key))
    if isinstance(base.type, StructType) and isinstance(key, Literal):
        return make_call(op.GET_FIELD, (base, literal(_field_name(base.type, key.value))))
    return make_call(op.GET_ITEM, (base, key))


def _path_into(base: ResolvedExpression, key: Any) -> ResolvedExpression:
    """An element or field of a VARIANT; one path leads through all of the VARIANT."""
    path = "$"
    if type(base) is Call and base.function.name == "variant_get":
        known = base.args[1]
        if type(known) is Literal and known.value is not None:
            base, path = base.args[0], known.value
    if isinstance(key, str):
        plain = key.isascii() and key.isidentifier()
        quoted = repr(key) if "'" not in key else f'"{key}"'
        path += f".{key}" if plain else f"[{quoted}]"
    elif type(key) is int and key >= 0:
        path += f"[{key}]"
    else:
        raise TypeMismatchError(
            f"a VARIANT has no element {key!r}",
            hint="elements are counted from 0, fields have names",
        )
    return make_call(built_in("variant_get"), (base, literal(path), literal("variant")))


def _field_name(type_: StructType, place: Any) -> str:
    if not isinstance(place, int) or not 0 <= place < len(type_.fields):
        raise TypeMismatchError(f"{type_.ddl} has no field at position {place!r}")
    return type_.fields[place].name


def _alias(expression: dsl.AliasExpression, scope: Scope) -> ResolvedExpression:
    return alias(resolve_in(expression.child, scope), expression.alias_name)


def _cast(expression: dsl.CastExpression, scope: Scope) -> ResolvedExpression:
    child = resolve_in(expression.child, scope)
    target = expression.target
    mode: CastMode = "try" if expression.lenient else "plain"
    if not can_cast(child.type, target, mode):
        raise TypeMismatchError(f"{child.type.ddl} cannot be cast to {target.ddl}")
    lenient = expression.lenient
    return Cast(child, cast_type(child.type, target, lenient=lenient), lenient)


def _sort(expression: dsl.SortExpression, scope: Scope) -> SortOrder:
    child = resolve_in(expression.child, scope)
    if not is_orderable(child.type):
        raise TypeMismatchError(f"{child.type.ddl} has no order to sort by")
    return SortOrder(child, expression.descending, expression.nulls_come_first, child.type)


def resolve_sort(key: Any, scope: Scope) -> SortOrder:
    """A sort key against the columns of the scope; ascending unless it says otherwise."""
    return _sort(dsl.sort_key(key), scope)


def _over(expression: dsl.OverExpression, scope: Scope) -> ResolvedExpression:
    outer_aggregates = scope.aggregates
    scope.windows = True
    window = expression.window
    call = resolve_in(expression.call, scope)
    if not isinstance(call, AggregateCall):
        raise ValidationError(
            f"{call.as_summary_string()} is not an aggregate or window function",
            hint="over(…) follows a call such as F.sum(…), F.rank()",
        )
    scope.aggregates = outer_aggregates
    if scope.python_aggregates:
        refuse_clauses_over(call)
    partition_by = tuple(resolve_in(key, scope) for key in window.partition_keys)
    order_by = tuple(_sort(key, scope) for key in window.order_keys)
    frame = fitted_frame(window.frame, order_by)
    check_window(call, order_by, frame)
    return Over(call, partition_by, order_by, frame, call.type)


def _query(expression: dsl.QueryExpression, scope: Scope) -> ResolvedExpression:
    scope.subqueries = True
    query = evaluate_query(expression.query, scope.schema)
    fields = query.schema.fields
    if expression.kind == "exists":
        return Exists(query)
    if expression.kind == "scalar":
        if len(fields) != 1:
            raise ValidationError(f"a scalar sub-query has one column, not {len(fields)}")
        return ScalarSubquery(query, fields[0].type.as_nullable())
    operands = tuple(resolve_in(item, scope) for item in expression.operands)
    if len(operands) != len(fields):
        raise ValidationError(f"{len(operands)} operands IN a query of {len(fields)} columns")
    for item, field in zip(operands, fields, strict=True):
        if not is_comparable(item.type, field.type):
            raise TypeMismatchError(f"{item.type.ddl} and {field.type.ddl} cannot be compared")
    nullable = any(item.type.nullable for item in operands) or any(f.nullable for f in fields)
    return InSubquery(operands, query, BOOLEAN.with_nullability(nullable))


class OuterColumns:
    """The columns of an enclosing row: ``outer("name")`` or ``outer["name"]``."""

    __slots__ = ("_depth",)

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def __call__(self, name: str) -> dsl.Expression:
        return dsl.OuterExpression(dsl.column(name), self._depth)

    __getitem__ = __call__


def evaluate_query(query: Any, outer: Schema) -> Any:
    """The operation of a sub-query, whose columns may refer to those of ``outer``.

    ``query`` is a table, or a function from ``OuterColumns`` to a table.
    """
    if hasattr(query, "operation"):
        return query.operation
    if not callable(query):
        raise ValidationError(f"a sub-query is a table or a function that gives one, not {query!r}")
    scopes = _outer_scopes.get()
    token = _outer_scopes.set((*scopes, outer))
    try:
        found = query(OuterColumns(len(scopes)))
    finally:
        _outer_scopes.reset(token)
    if not hasattr(found, "operation"):
        raise ValidationError(f"the function of a sub-query gave {found!r}, not a table")
    return found.operation


def _star(expression: dsl.StarExpression, scope: Scope) -> ResolvedExpression:
    raise ValidationError(
        "`*` stands for columns, not for a value", hint="use it in select(…) or F.count(…)"
    )


def expand_star(expression: dsl.StarExpression, schema: Schema) -> list[FieldReference]:
    """The columns that a star means."""
    if not expression.qualifier:
        return list(schema.references)
    wanted = tuple(part.lower() for part in expression.qualifier)
    found = [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    ]
    if found:
        return found
    known = sorted({qualifier[-1] for qualifier in schema.qualifiers if qualifier})
    raise ValidationError(
        f"no table or alias `{'.'.join(expression.qualifier)}` in the input",
        hint=f"there are: {', '.join(known)}" if known else "the input has no table names",
    )


def _lambda_alone(expression: dsl.LambdaExpression, scope: Scope) -> ResolvedExpression:
    raise ValidationError("a Python function can only be an argument of a higher-order function")


_CONDITIONS = (BooleanType, VoidType)


def require_boolean(condition: ResolvedExpression, where: str) -> ResolvedExpression:
    """The condition, or the error that says it is none."""
    if isinstance(condition.type, _CONDITIONS):
        return condition
    raise TypeMismatchError(
        f"the condition of {where} is {condition.type.ddl}, not BOOLEAN: "
        f"{condition.as_summary_string()}"
    )


def cast_if_needed(expression: ResolvedExpression, type_: LogicalType) -> ResolvedExpression:
    """The expression as it is where it has the type, else under a CAST."""
    if expression.type.same_type(type_):
        return expression
    return Cast(expression, cast_type(expression.type, type_))


_HANDLERS: dict[type, Callable[[Any, Scope], ResolvedExpression]] = {
    dsl.ColumnExpression: _column,
    dsl.ValueExpression: _value,
    dsl.OuterExpression: _outer,
    dsl.CallExpression: _call,
    dsl.NamedCallExpression: _named_call,
    dsl.OptionedCall: _call,
    dsl.ItemExpression: _item,
    dsl.AliasExpression: _alias,
    dsl.CastExpression: _cast,
    dsl.SortExpression: _sort,
    dsl.OverExpression: _over,
    dsl.QueryExpression: _query,
    dsl.StarExpression: _star,
    dsl.LambdaExpression: _lambda_alone,
}
