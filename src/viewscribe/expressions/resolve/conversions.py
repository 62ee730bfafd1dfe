"""Resolves casts and checks expressions that must have a certain type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from viewscribe.errors import TypeMismatchError, UnknownFunctionError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.declarative import DeclarativeFunction
from viewscribe.expressions.functions.definition import RESPECT_NULLS, FunctionKind
from viewscribe.expressions.functions.of_catalogs import IN_FORCE
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    Call,
    Cast,
    Over,
    ResolvedExpression,
    SortOrder,
    make_call,
)
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import (
    flatten,
    positional_arguments,
    resolve_arguments,
    resolve_declarative,
    resolve_in,
)
from viewscribe.expressions.user_calls import fit_call, refuse_clauses_over
from viewscribe.expressions.windows import (
    check_clauses,
    check_sorted_values,
    check_window,
    fitted_frame,
    refuse_clauses,
)
from viewscribe.types import BOOLEAN, BooleanType, LogicalType, VoidType
from viewscribe.types.coercion import CastMode, can_cast, is_orderable


def resolve_cast(expression: dsl.CastExpression, scope: Scope) -> ResolvedExpression:
    """Resolves CAST or TRY_CAST; casts that Spark does not have are refused."""
    child = resolve_in(expression.child, scope)
    target = expression.target
    mode: CastMode = "try" if expression.lenient else "plain"
    if not can_cast(child.type, target, mode):
        raise TypeMismatchError(f"{child.type.ddl} cannot be cast to {target.ddl}")
    lenient = expression.lenient
    return Cast(child, cast_type(child.type, target, lenient=lenient), lenient)


def require_boolean(condition: ResolvedExpression, where: str) -> ResolvedExpression:
    """Returns the condition, or raises where it is not BOOLEAN: Spark refuses ``WHERE NULL``."""
    if isinstance(condition.type, BooleanType):
        return condition
    is_null = isinstance(condition.type, VoidType)
    raise TypeMismatchError(
        f"the condition of {where} is {condition.type.ddl}, not BOOLEAN: "
        f"{condition.as_summary_string()}",
        hint='give the NULL its type: CAST(NULL AS BOOLEAN), lit(None).cast("boolean")'
        if is_null
        else None,
    )


def to_condition(condition: ResolvedExpression, where: str) -> ResolvedExpression:
    """Returns the condition of HAVING or QUALIFY, where Spark casts a NULL to BOOLEAN."""
    if isinstance(condition.type, VoidType):
        return Cast(condition, cast_type(condition.type, BOOLEAN))
    return require_boolean(condition, where)


def cast_if_needed(expression: ResolvedExpression, type_: LogicalType) -> ResolvedExpression:
    """Returns the expression, wrapped in a CAST unless it has the type already."""
    if expression.type.same_type(type_):
        return expression
    return Cast(expression, cast_type(expression.type, type_))


# Resolves aggregate and window calls with their clauses, sort keys and windows.


def resolve_aggregate(expression: dsl.CallExpression, scope: Scope) -> AggregateCall:
    """Resolves a call of an aggregate or window function, with its clauses."""
    windows, scope.windows = scope.windows, False
    call = _call(expression, scope)
    if scope.windows:
        raise ValidationError(
            f"{call.function.name} has a window function as an argument",
            hint="compute it with add_columns(…) first",
        )
    scope.windows = windows
    return call


def _call(expression: dsl.CallExpression, scope: Scope) -> AggregateCall:
    function = expression.function
    given = expression.args
    rows = not given or (len(given) == 1 and type(given[0]) is dsl.StarExpression)
    whole = rows and bool(given) and not expression.is_distinct
    counts = function is built_in("count")
    if whole and given[0].qualifier and counts:
        raise ValidationError(
            f"count({given[0]!r}) would count rows without a NULL in any of the columns",
            hint="F.count() counts rows; F.count(…) of the columns one by one says which count",
        )
    args: tuple[ResolvedExpression, ...]
    if rows and counts:
        # DISTINCT compares all columns, and a table below may have more of them.
        every = given or (dsl.StarExpression(),)
        args = resolve_arguments(function, every, scope) if expression.is_distinct else (STAR,)
    else:
        args = resolve_arguments(function, given, scope)
    if not expression.has_clauses and not function.within_group:
        return AggregateCall(function, args, function.infer(args))
    check_clauses(expression)
    condition = expression.condition
    if condition is not None:
        condition = require_boolean(resolve_in(condition, scope), "FILTER")
    order_by = tuple(sort_order(key, scope) for key in expression.order_by)
    # Every other function respects NULLs anyway.
    respect_nulls = expression.nulls_respected and RESPECT_NULLS in function.clauses
    keys = [key.child for key in order_by]
    call = AggregateCall(
        function,
        args,
        function.infer_aggregate(args, keys, respect_nulls=respect_nulls),
        expression.is_distinct,
        condition,
        order_by,
        expression.nulls_ignored,
        respect_nulls,
    )
    check_sorted_values(call)
    return call


def sort_order(expression: dsl.SortExpression, scope: Scope) -> SortOrder:
    """Resolves a sort key; types without an order are refused."""
    child = resolve_in(expression.child, scope)
    if not is_orderable(child.type):
        raise TypeMismatchError(f"{child.type.ddl} has no order to sort by")
    return SortOrder(child, expression.descending, expression.nulls_come_first, child.type)


def resolve_sort(key: object, scope: Scope) -> SortOrder:
    """Resolves a sort key in the scope; ascending by default."""
    return sort_order(dsl.sort_key(key), scope)


def resolve_over(expression: dsl.OverExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a window call and checks that its function accepts the window."""
    outside, scope.is_windowed = scope.aggregates, True
    window = expression.window
    call = resolve_in(expression.call, scope)
    scope.is_windowed = False
    if not isinstance(call, AggregateCall):
        raise ValidationError(
            f"{call.as_summary_string()} is not an aggregate or window function",
            hint="over(…) follows a call such as F.sum(…), F.rank()",
        )
    scope.aggregates = outside or any(map(_has_aggregate, call.args))
    if scope.python_aggregates:
        refuse_clauses_over(call)
    partition_by = tuple(resolve_in(key, scope) for key in window.partition_keys)
    order_by = tuple(sort_order(key, scope) for key in window.order_keys)
    scope.windows = True
    frame = fitted_frame(window.frame, order_by)
    check_window(call, order_by, frame)
    return Over(call, partition_by, order_by, frame, call.type)


def _has_aggregate(expression: ResolvedExpression) -> bool:
    own = preorder(expression, skip=lambda node: node.is_query)
    return any(isinstance(node, AggregateCall) for node in own)


# Resolves calls: finds the function of a name and builds the typed call.

_SCALAR, _AGGREGATE, _GENERATOR = (
    FunctionKind.SCALAR,
    FunctionKind.AGGREGATE,
    FunctionKind.GENERATOR,
)


def resolve_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call; aggregates, generators and so on go through ``_special_call``."""
    function = expression.function
    if function.kind is not _SCALAR:
        return _special_call(expression, scope)
    given: Sequence[Any] = expression.args
    if function is op.AND or function is op.OR:
        given = flatten(expression)
    if expression.has_clauses:
        refuse_clauses(expression)
    if function.is_step:
        scope.time_windows = True
    args = resolve_arguments(function, given, scope)
    type_ = function.infer(args)
    return Call(function.of_call(args), args, type_)


def _special_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    function = expression.function
    if function.kind is FunctionKind.UNKNOWN:
        return _asked_call(expression, scope)
    if function.kind is FunctionKind.TABLE:
        raise ValidationError(
            f"{function.name} makes a table, not a value",
            hint=f'start a pipeline with env.from_function("{function.name}", …)',
        )
    if function.kind is _GENERATOR:
        scope.generators = True
        refuse_clauses(expression)
        return make_call(function, resolve_arguments(function, expression.args, scope))
    if isinstance(function, DeclarativeFunction):
        return resolve_declarative(expression, function, scope)
    if scope.inside_aggregate and function.kind is _AGGREGATE:
        raise ValidationError(
            f"{function.name} inside another aggregate function",
            hint="aggregate twice: group_by(…).select(…) and again on its result",
        )
    if scope.is_windowed:  # it is computed after the groups: its arguments may be of them
        scope.is_windowed = False
        return resolve_aggregate(expression, scope)
    scope.aggregates = True
    scope.inside_aggregate = True
    call = resolve_aggregate(expression, scope)
    scope.inside_aggregate = False
    return call


def _asked_call(expression: dsl.CallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call of which a session tells for the types of its arguments what it is."""
    around = scope.aggregates, scope.windows, scope.is_windowed
    scope.aggregates = scope.windows = scope.is_windowed = False
    args = resolve_arguments(expression.function, expression.args, scope)
    function = expression.function.of_call(args)
    nested = scope.aggregates and not around[-1]
    if function.kind is _AGGREGATE and (nested or scope.windows):
        what = "an aggregate function" if nested else "a window function"
        raise ValidationError(
            f"{function.name} has {what} as an argument",
            hint="compute it in a step of its own first",
        )
    scope.aggregates |= around[0]
    scope.windows |= around[1]
    scope.is_windowed = around[2]
    return resolve_call(structs.replace(expression, function=function, args=args), scope)


_TRIMMING = ("trim", "ltrim", "rtrim")


def resolve_named_call(expression: dsl.NamedCallExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a call by name, with the function that the name means here."""
    catalog = IN_FORCE.get()
    if not expression.parts:
        function = expression.function
    elif catalog is not None:
        function = catalog.lookup(expression.parts).function
    elif len(expression.parts) == 1:
        function = built_in(expression.parts[0])
    else:
        raise UnknownFunctionError(f"no function `{'.'.join(expression.parts)}`")
    args, options = expression.args, expression.options
    if expression.parts and function.built_in_name in _TRIMMING and len(args) == 2:
        args = args[::-1]  # by its name it takes SQL's arguments: first what is taken away
    if function.kind is not FunctionKind.DECLARATIVE:
        args, options = positional_arguments(function, args, options, scope), {}
    found = dsl.OptionedCall(
        function,
        args,
        expression.is_distinct,
        expression.condition,
        expression.order_by,
        expression.nulls_ignored,
        expression.has_clauses,
        expression.nulls_respected,
        options,
    )
    call = resolve_call(found, scope)
    return _user_call(call, function, scope) if isinstance(function, UserFunction) else call


def _user_call(
    call: ResolvedExpression, function: UserFunction, scope: Scope
) -> ResolvedExpression:
    if function.is_python_aggregate and isinstance(call, AggregateCall):
        scope.python_aggregates = True
    return fit_call(call)
