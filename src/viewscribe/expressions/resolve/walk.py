"""The traversal that resolves user expressions: one handler for each kind of node.

Resolution recurses for speed and handles subtrees deeper than ``_DEEP`` levels in a loop, so
neither long chains nor deep nesting reach Python's recursion limit. It does so, too, after
``_MANY`` nested calls: the loop resolves a part that is used again and again only once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.declarative import DeclarativeFunction
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import Language, UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
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
    SubqueryExpression,
    make_call,
)
from viewscribe.expressions.properties import is_deterministic
from viewscribe.expressions.resolve.scope import (
    Scope,
    expand,
    is_several,
    outer_scopes,
    refuse_columns_around_limits,
    resolve_column,
)
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.windows import refuse_clauses
from viewscribe.types import BOOLEAN, VOID, ArrayType, Field, StructType, VariantType
from viewscribe.types.coercion import is_comparable
from viewscribe.types.nested_types import value_type

_DEEP = 120
_NESTED = 3
_MANY = 2_000

Handler = Callable[[Any, Scope], ResolvedExpression]

HANDLERS: dict[type, Handler] = {}
"""How each kind of node is resolved; the modules beside this one have them."""


def resolve(expression: object, schema: Schema) -> ResolvedExpression:
    """Resolves the expression against the columns of ``schema``.

    Raises:
        UnknownColumnError, AmbiguousColumnError: no column has a name, or several have it.
        TypeMismatchError, ArityError: a call that does not fit its function.
    """
    return resolve_in(expression, Scope(schema))


class _AnySchema(Schema):
    """A schema that has every column that is looked up, of type VOID."""

    __slots__ = ()

    def find(self, name: str) -> int:
        known = [field.name for field in self.fields]
        if name not in known:
            self._fields = (*self.fields, Field(name, VOID))
            self._qualifiers = (*self.qualifiers, ())
            self._width += 1
            known.append(name)
        return known.index(name)

    def find_path(self, parts: Sequence[str]) -> tuple[int, Sequence[str]]:
        raise ValidationError(
            f"`{'.'.join(parts)}` could be a table's column or a struct's field",
            hint="print the table it is used in: table.select(…).to_sql()",
        )


def resolve_freely(expression: object) -> ResolvedExpression:
    """Resolves the expression over columns of unknown types."""
    return resolve(expression, _AnySchema(()))


def resolve_in(expression: object, scope: Scope) -> ResolvedExpression:
    """Like ``resolve``, noting in ``scope`` whether aggregates, windows … were met."""
    if type(expression) is dsl.ColumnExpression:  # a short cut for the most frequent leaf
        return resolve_column(expression, scope)
    handler = HANDLERS.get(type(expression))
    if handler is None:
        if isinstance(expression, ResolvedExpression):
            return expression
        return resolve_in(dsl.operand(expression), scope)
    if scope.known:
        found = scope.known.get(id(expression))
        if found is not None:
            return found
    depth = scope.depth
    if depth > _NESTED:
        scope.nested += 1
        if depth > _DEEP or scope.nested > _MANY:
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
            scope.known[id(node)] = HANDLERS[type(node)](node, scope)
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
        elif id(node) not in seen and type(node) in HANDLERS:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in _unresolved_children(node))
    return order


def _unresolved_children(node: Any) -> Sequence[Any]:
    kind = type(node)
    if kind in (dsl.CallExpression, dsl.OptionedCall, dsl.NamedCallExpression):
        flat = flatten(node) if node.function in (op.AND, op.OR) else node.args
        named = node.options.values() if isinstance(node, dsl.OptionedCall) else ()
        return [arg for arg in (*flat, *named) if type(arg) is not dsl.LambdaExpression]
    if kind in (dsl.AliasExpression, dsl.CastExpression, dsl.SortExpression, dsl.NamesExpression):
        return (node.child,)
    if kind is dsl.ItemExpression:
        return (node.base, node.key)
    return ()


def flatten(expression: dsl.CallExpression) -> list[Any]:
    """Flattens a nested chain of ANDs (or ORs) to its terms, in the order written."""
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


# Resolves ``base[key]``: items of arrays, maps, structs and VARIANTs.


def resolve_item(expression: dsl.ItemExpression, scope: Scope) -> ResolvedExpression:
    """Resolves ``base[key]`` by the type of the base."""
    base = resolve_in(expression.base, scope)
    key = resolve_in(expression.key, scope)
    named = isinstance(key, Literal) and isinstance(key.value, str)
    if not expression.in_python:
        # Refuses what the Table API has and Spark has not.
        if isinstance(base.type, VariantType):
            raise TypeMismatchError(
                "Spark has no items of a VARIANT in brackets, and no fields of it after a dot",
                hint="name the path and the type: variant_get(v, '$.a', 'string')",
            )
        if isinstance(base.type, StructType) and not named:
            raise TypeMismatchError(
                f"Spark has no field of {base.type.ddl} but by its name",
                hint=f"name it: ['{base.type.fields[0].name}']" if base.type.fields else None,
            )
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
    """Extracts an element or field of a VARIANT; nested accesses become a single path."""
    path = "$"
    if type(base) is Call and base.function.built_in_name == "variant_get":
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


# Resolves the arguments of a call, including lambdas.


def resolve_arguments(
    function: FunctionDefinition, given: Sequence[Any], scope: Scope
) -> tuple[ResolvedExpression, ...]:
    """Resolves the arguments of a call; stars are expanded and lambda parameters typed."""
    args: list[ResolvedExpression] = []
    for place, argument in enumerate(given):
        kind = type(argument)
        if kind is dsl.ColumnExpression:  # straight to it, as in resolve_in
            args.append(resolve_column(argument, scope))
        elif kind is Literal:
            args.append(argument)
        elif kind is dsl.CallExpression:
            args.append(resolve_in(argument, scope))
        elif kind is dsl.LambdaExpression:
            args.append(resolve_lambda(function, place, argument, args, scope))
        elif is_several(argument):
            args.extend(expand(argument, scope))
        else:
            args.append(resolve_in(argument, scope))
    if scope.subqueries and function.takes_functions:
        # Refuses what Spark's analyzer refuses: sub-queries beside and in lambdas.
        inside = (node for each in args for node in preorder(each, skip=lambda node: node.is_query))
        if any(isinstance(node, SubqueryExpression) for node in inside):
            raise SubqueryInFunctionError(
                f"{function.name}() takes lambdas, and has a sub-query in it",
                hint="compute the sub-query in a query of its own, and use its column",
            )
    if function.takes_functions:
        _refuse_sql_functions(function, args)
    return tuple(args)


class SubqueryInFunctionError(ValidationError):
    """A sub-query is in the call of a function that takes lambdas."""


def _refuse_sql_functions(function: FunctionDefinition, args: Sequence[ResolvedExpression]) -> None:
    """Refuses what Spark's analyzer refuses: a SQL function of users inside of a lambda."""
    bodies = [each.body for each in args if isinstance(each, Lambda)]
    for node in (each for body in bodies for each in preorder(body)):
        called = node.function if isinstance(node, Call) else None
        if isinstance(called, UserFunction) and called.source.language is Language.SQL:
            raise ValidationError(
                f"{function.name}() takes lambdas, and `{called!r}` in one is a SQL function, "
                "which Spark takes in none",
                hint=f"write out its body: {called.source.body}",
            )


def positional_arguments(
    function: FunctionDefinition, given: Sequence[Any], named: Mapping[str, Any], scope: Scope
) -> tuple[Any, ...]:
    """Returns the arguments by position, with named arguments and defaults filled in.

    Raises:
        ValidationError, ArityError: an unknown, duplicate or missing argument.
    """
    if not named and not isinstance(function, UserFunction):
        return tuple(given)
    every: list[Any] = []
    for each in given:
        every.extend(expand(each, scope) if is_several(each) else (each,))
    return tuple(map(dsl.operand, positional(function, every, named)))


def resolve_lambda(
    function: FunctionDefinition,
    place: int,
    given: dsl.LambdaExpression,
    before: Sequence[ResolvedExpression],
    scope: Scope,
) -> Lambda:
    """Resolves a Python function as a lambda by calling it once with its variables."""
    taken = function.inference.arguments
    wanted = taken[min(place, len(taken) - 1)] if taken else None
    if wanted is None or wanted.parameters is None:
        raise TypeMismatchError(
            f"{function.name}: argument {place + 1} cannot be a function",
            hint=f"expected: {function.signature}",
        )
    names = given.names or list(inspect.signature(given.function).parameters)
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
    _refuse_windows_over(function, body, variables)
    del scope.lambda_names[len(scope.lambda_names) - len(variables) :]
    return Lambda(variables, body, body.type)


def _refuse_windows_over(
    function: FunctionDefinition, body: ResolvedExpression, variables: Sequence[LambdaVariable]
) -> None:
    """Refuses window functions and aggregates over what only exists inside of a row."""
    for node in preorder(body, skip=lambda node: node.is_query):
        of_rows = isinstance(node, Over | AggregateCall)
        if of_rows and any(each in variables for each in preorder(node)):
            what = "a window" if isinstance(node, Over) else "an aggregate"
            raise ValidationError(
                f"{function.name}: {what} is of rows, and a lambda has elements",
                hint="explode the array first",
            )


def _fresh(name: str, taken: Sequence[str]) -> str:
    """Returns the name, or a variant of it that no enclosing lambda uses."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen


# Expands calls of declarative functions to the expressions they stand for.

_AGGREGATE = FunctionKind.AGGREGATE


def resolve_declarative(
    expression: dsl.CallExpression, function: DeclarativeFunction, scope: Scope
) -> ResolvedExpression:
    """Expands a call of a declarative function; its arguments are resolved once.

    Raises:
        ValidationError: the call has clauses that its expansion cannot have, or a non-deterministic
        argument that the expansion would compute twice.
    """
    args = resolve_arguments(function, expression.args, scope)
    function.infer(args)
    given = expression.options if isinstance(expression, dsl.OptionedCall) else {}
    options = function.options_of(given)
    made: dsl.Expression = function.expansion(*map(dsl.ValueExpression, args), **options)
    if expression.has_clauses:
        made = _with_clauses(made, expression)
    resolved = resolve_in(made, scope)
    changing = [argument for argument in args if not is_deterministic(argument)]
    if changing:
        _refuse_repeated(function, changing, resolved)
    return resolved


def _with_clauses(made: dsl.Expression, expression: dsl.CallExpression) -> dsl.Expression:
    """Moves the clauses of the call to the aggregate it expands to.

    Where that is inside of other calls it has a FILTER: which rows count is the same there.
    """
    if isinstance(made, dsl.CallExpression) and made.function.kind is _AGGREGATE:
        return made.with_clauses(
            distinct=expression.is_distinct,
            condition=expression.condition,
            order_by=expression.order_by,
            ignore_nulls=expression.nulls_ignored,
            respect_nulls=expression.nulls_respected,
        )
    condition = expression.condition
    filtered: dsl.Expression = made if condition is None else _filter(made, condition)
    if filtered is made:
        refuse_clauses(expression)
        return made
    others = dsl.CallExpression(expression.function, expression.args).with_clauses(
        distinct=expression.is_distinct,
        order_by=expression.order_by,
        ignore_nulls=expression.nulls_ignored,
        respect_nulls=expression.nulls_respected,
    )
    refuse_clauses(others)
    return filtered


def _filter(made: Any, condition: Any) -> Any:
    """Adds a FILTER to each aggregate in the expression."""
    if isinstance(made, dsl.AliasExpression | dsl.CastExpression):
        child = _filter(made.child, condition)
        if child is made.child:
            return made
        if isinstance(made, dsl.AliasExpression):
            return dsl.AliasExpression(child, made.alias_name)
        return dsl.CastExpression(child, made.target, made.lenient)
    if not isinstance(made, dsl.CallExpression):
        return made
    if made.function.kind is _AGGREGATE:
        own = made.condition
        both = condition if own is None else dsl.operand(own) & dsl.operand(condition)
        return made.with_condition(both)
    args = tuple(_filter(argument, condition) for argument in made.args)
    if all(new is old for new, old in zip(args, made.args, strict=True)):
        return made
    return dsl.CallExpression(made.function, args)


def _refuse_repeated(
    function: DeclarativeFunction,
    changing: Sequence[ResolvedExpression],
    resolved: ResolvedExpression,
) -> None:
    """Refuses non-deterministic arguments that the expansion uses more than once."""
    places = [child for node in preorder(resolved) for child in node.children()]
    for argument in changing:
        if sum(child is argument for child in places) > 1:
            raise ValidationError(
                f"{function.name} stands for an expression that has its argument "
                f"{argument.as_summary_string()} several times, and each time that is another",
                hint="compute it first: add_columns(….alias(…)), and use the column",
            )


# Resolves sub-queries and their outer references.


def resolve_query(expression: dsl.QueryExpression, scope: Scope) -> ResolvedExpression:
    """Resolves a scalar, EXISTS or IN sub-query."""
    scope.subqueries = True
    query = evaluate_query(expression.query, scope.schema)
    fields = query.schema.fields
    if expression.kind == "exists":
        return Exists(query)
    if expression.kind == "scalar":
        if len(fields) != 1:
            raise ValidationError(f"a scalar sub-query has one column, not {len(fields)}")
        return ScalarSubquery(query, value_type(fields[0].type).as_nullable())
    operands = tuple(resolve_in(item, scope) for item in expression.operands)
    if len(operands) != len(fields):
        raise ValidationError(f"{len(operands)} operands IN a query of {len(fields)} columns")
    for item, field in zip(operands, fields, strict=True):
        if not is_comparable(item.type, field.type):
            raise TypeMismatchError(f"{item.type.ddl} and {field.type.ddl} cannot be compared")
    nullable = any(item.type.nullable for item in operands) or any(f.nullable for f in fields)
    return InSubquery(operands, query, BOOLEAN.with_nullability(nullable))


def resolve_outer(expression: dsl.OuterExpression, scope: Scope) -> ResolvedExpression:
    """Resolves an outer reference to the number of queries out and the column's position."""
    scopes = outer_scopes.get()
    level = len(scopes) - expression.depth
    if level < 1:
        raise ValidationError(
            "a column of an enclosing query was used outside of its sub-query",
            hint="use outer(…) only inside the function that exists(), scalar() or a lateral "
            "join was given",
        )
    found = resolve(expression.column, scopes[expression.depth])
    scope.outer = found.as_summary_string()

    def outwards(node: Node) -> Node:
        if isinstance(node, FieldReference):
            return OuterReference(level, node.index, node.name, node.type)
        return node

    return cast(ResolvedExpression, replace(found, outwards))


class OuterColumns:
    """The columns of an enclosing row: ``outer("name")`` or ``outer["name"]``."""

    __slots__ = ("_depth",)

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def __call__(self, name: str) -> dsl.Expression:
        return dsl.OuterExpression(dsl.column(name), self._depth)

    __getitem__ = __call__


TAKE_TABLE: ContextVar[Callable[[Any], Any] | None] = ContextVar("take_table", default=None)
"""What gives the operation of another table, or refuses the table, for the step being built."""


def _operation_of(table: Any) -> Any:
    take = TAKE_TABLE.get()
    return table.operation if take is None else take(table)


def evaluate_query(query: object, outer: Schema) -> Any:
    """Builds the operation of a sub-query, which may refer to the columns of ``outer``.

    ``query`` is a table, or a function from ``OuterColumns`` to a table.
    """
    if hasattr(query, "operation"):
        return _operation_of(query)
    if not callable(query):
        raise ValidationError(f"a sub-query is a table or a function that gives one, not {query!r}")
    scopes = outer_scopes.get()
    token = outer_scopes.set((*scopes, outer))
    try:
        found = query(OuterColumns(len(scopes)))
    finally:
        outer_scopes.reset(token)
    if not hasattr(found, "operation"):
        raise ValidationError(f"the function of a sub-query gave {found!r}, not a table")
    refuse_columns_around_limits(found.operation, outer)
    return _operation_of(found)
