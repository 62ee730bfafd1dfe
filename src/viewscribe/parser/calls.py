"""Resolves operators and calls: the function of a name, with its arguments and clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from viewscribe.errors import (
    SqlSyntaxError,
    TypeMismatchError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
    did_you_mean,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.of_catalogs import how_to_declare
from viewscribe.expressions.functions.parameters import positional, refuse_names
from viewscribe.expressions.functions.registry import all_built_ins, built_in, find_built_in
from viewscribe.expressions.functions.user_defined import is_sparks
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.resolve import resolve_in
from viewscribe.operations.attributes import find_expression
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import refuse_argument_order, refuse_in_filter, refuse_nested
from viewscribe.types import VoidType
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader


def is_call_without_parentheses(name: str) -> bool:
    """Whether a name that no column has calls a function."""
    return name.lower() in CALLED_WITHOUT_PARENTHESES or name.lower() == "grouping__id"


def without_parentheses(reader: ExpressionReader, name: str) -> ResolvedExpression | None:
    """Builds the call of ``current_date`` and similar functions."""
    folded = name.lower()
    if folded == "grouping__id":
        folded = "grouping_id"
    elif folded not in CALLED_WITHOUT_PARENTHESES:
        return None
    return resolve_in(dsl.CallExpression(built_in(folded), ()), reader.met)


def operation_call(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    """Builds the call of an operator over its operands."""
    name = node.name
    special = _OPERATIONS.get(name)
    if special is not None:
        return special(reader, node, args)
    definition = find_built_in(name)
    assert definition is not None, name
    return resolve_in(dsl.CallExpression(definition, tuple(args)), reader.met)


def _operator(definition: FunctionDefinition) -> Callable[..., ResolvedExpression]:
    def make(reader: ExpressionReader, node: s.Operation, args: list[Any]) -> ResolvedExpression:
        return resolve_in(dsl.CallExpression(definition, tuple(args)), reader.met)

    return make


def _collate(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    collation = literal((node.shown or "").split(".")[-1])
    return resolve_in(dsl.CallExpression(built_in("collate"), (*args, collation)), reader.met)


def _path(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    if isinstance(args[0].type, VoidType):
        raise TypeMismatchError("a path with `:` is one into a VARIANT, and this is NULL")
    call = dsl.CallExpression(built_in("variant_get"), (*args, literal("variant")))
    return resolve_in(call, reader.met)


_OPERATIONS: dict[str, Callable[..., ResolvedExpression]] = {
    "+": _operator(op.PLUS),
    "-": _operator(op.MINUS),
    "negative": _operator(op.NEGATIVE),
    "!=": _operator(op.NOT_EQUALS),
    "not": _operator(op.NOT),
    "isnull": _operator(op.IS_NULL),
    "isnotnull": _operator(op.IS_NOT_NULL),
    "collate": _collate,
    "variant_get": _path,
}


# -- calls ----------------------------------------------------------------------------------------


def plain_call(reader: ExpressionReader, node: s.Function) -> ResolvedExpression:
    """Resolves a call by name, with its clauses."""
    if node.name == ("",):
        return _row(reader, node)
    made = call_of(reader, node)
    if node.over is not None:
        return resolve_in(dsl.OverExpression(made, reader.window(node.over)), reader.met)
    if made.function.kind is FunctionKind.WINDOW:
        raise ValidationError(
            f"{made.function.name}() needs a window", hint="write OVER (… ORDER BY …) behind it"
        )
    found = resolve_in(made, reader.met)
    if made.function.built_in_name == "window_time":
        _refuse_no_window(reader, node, found)
    return found


def _refuse_no_window(reader: ExpressionReader, node: s.Function, call: object) -> None:
    """Refuses ``window_time()`` of a column that is computed, and by no window."""
    operation = reader.columns.operation
    column = strip_alias(call.args[0]) if isinstance(call, Call) else None
    if operation is None or not isinstance(column, FieldReference):
        return
    made = find_expression(operation, column.index)
    if isinstance(made, Call) and made.function.is_step:
        return
    if isinstance(made, Call | AggregateCall | Cast):
        raise reader.queries.error(
            node,
            f"window_time() takes the column of a time window, and `{column.name}` is "
            f"{made.as_summary_string()}",
            "use the field `end` of it, less one microsecond",
        )


def call_of(reader: ExpressionReader, node: s.Function) -> dsl.CallExpression:
    """Resolves a call by name over resolved arguments, without its window."""
    function, user = _function(reader, node)
    if any(map(_is_named, node.args)):
        refuse_argument_order(node.args)
    named = {each.name: reader.read(each.value) for each in node.args if _is_named(each)}
    args = [_argument(reader, node, each, user) for each in node.args if not _is_named(each)]
    args = [each for arg in args for each in (arg if isinstance(arg, list) else [arg])]
    if named:
        if not (user or function.parameters):
            refuse_names(function, named)  # those that Python's calls may give are not SQL's
        args = _positional(reader, node, function, args, named)
    elif user:
        args = _positional(reader, node, function, args, {})
    if user and all(isinstance(each, ResolvedExpression) for each in args):
        function = function.of_call(args)
    refuse_nested(function.name, args, aggregate=_aggregates(node, function))
    made = dsl.CallExpression(function, tuple(args)) if user else _special(node, function, args)
    return _with_clauses(reader, node, made)


def kind_of_call(reader: ExpressionReader, node: s.Function) -> FunctionKind | None:
    """Returns the kind of the function that is called; None where there is none of the name.

    A session tells it of a catalog's own function for the types of the arguments.
    """
    user = reader.queries.world.function(node.name)
    found = user or find_built_in(node.name[-1])
    if user is None or user.kind is not FunctionKind.UNKNOWN:
        return None if found is None else found.kind
    met, reader.met = reader.met, structs.replace(reader.met)
    try:
        return call_of(reader, node).function.kind
    except ViewscribeError:  # said where the call is resolved
        return FunctionKind.SCALAR
    finally:
        reader.met = met


def _aggregates(node: s.Function, function: FunctionDefinition) -> bool:
    """Whether the call is an aggregate and not a window function."""
    return function.kind is FunctionKind.AGGREGATE and node.over is None


def _is_named(argument: Any) -> bool:
    return isinstance(argument, s.NamedArgument)


def function_of(reader: ExpressionReader, node: s.Function) -> FunctionDefinition:
    """Returns the function that a call means.

    Raises:
        UnknownFunctionError: there is no such function.
    """
    return _function(reader, node)[0]


def _function(reader: ExpressionReader, node: s.Function) -> tuple[FunctionDefinition, bool]:
    found = reader.queries.world.function(node.name)
    if found is not None:
        return found, True
    name = node.name[-1].lower()
    path = tuple(part.lower() for part in node.name[:-1])
    if path in ((), ("builtin",), ("system", "builtin")):
        definition = find_built_in(name)
        if definition is not None and is_sparks(name):
            return definition, False
    shown = ".".join(node.name)
    raise UnknownFunctionError(
        f"no function `{shown}`",
        hint=how_to_declare(node.name)
        or did_you_mean(name, filter(is_sparks, all_built_ins()))
        or "register it: env.create_function(…), env.create_temporary_system_function(…)",
    )


def _positional(
    reader: ExpressionReader,
    node: s.Function,
    function: FunctionDefinition,
    args: list[Any],
    named: dict[str, Any],
) -> list[Any]:
    return [dsl.operand(each) for each in positional(function, args, named)]


def _argument(reader: ExpressionReader, node: s.Function, argument: Any, user: bool) -> Any:
    if isinstance(argument, s.StarOf) and not user:
        if node.name[-1].lower() == "count" and not argument.qualifier and not node.distinct:
            return dsl.StarExpression(())
        if node.name[-1].lower() == "count" and argument.qualifier and len(node.args) == 1:
            raise SqlSyntaxError("count(t.*) is not what count(*) is: name the columns")
    if isinstance(argument, s.StarOf):
        return reader.star_items(argument)
    if isinstance(argument, s.TableOf):
        raise SqlSyntaxError("a TABLE argument is for a function that stands in FROM")
    found = reader.argument(argument)
    if isinstance(found, ResolvedExpression) and not user:
        if node.name[-1].lower() == "struct":
            return _name_field(argument, found, node.args.index(argument) + 1)
        if node.name[-1].lower() == "arrays_zip" and isinstance(argument, s.Name):
            return alias(found, argument.parts[-1]) if not isinstance(found, Alias) else found
    return found


def field_name(argument: Any) -> str | None:
    """What Spark's parser calls a field of a struct after: the last name of what is written."""
    if isinstance(argument, s.Name):
        return None if argument.is_computed else argument.parts[-1]
    if isinstance(argument, s.FieldOf):
        return argument.name
    if isinstance(argument, s.Subscript) and isinstance(argument.key, s.Constant):
        key = argument.key.value.value
        return key if isinstance(key, str) else None
    if isinstance(argument, s.Operation) and argument.name == "variant_get":
        return argument.shown or None
    return None


def _name_field(argument: Any, found: ResolvedExpression, place: int) -> ResolvedExpression:
    """An argument that names a field, in the case it was typed."""
    if isinstance(argument, s.Name) and argument.is_computed:
        return alias(found, f"col{place}")  # to Spark it is no name when it makes the struct
    name = None if isinstance(found, Alias) else field_name(argument)
    return found if name is None else alias(found, name)


def _row(reader: ExpressionReader, node: s.Function) -> ResolvedExpression:
    """``(a, b)``: a struct."""
    args = [_name_field(each, reader.read(each), at) for at, each in enumerate(node.args, 1)]
    return resolve_in(dsl.CallExpression(built_in("struct"), tuple(args)), reader.met)


def _with_clauses(
    reader: ExpressionReader, node: s.Function, made: dsl.CallExpression
) -> dsl.CallExpression:
    if not (node.distinct or node.where is not None or node.order or node.nulls):
        return made
    condition = None if node.where is None else reader.read(node.where)
    if condition is not None:
        refuse_in_filter(condition)
    return made.with_clauses(
        distinct=node.distinct,
        condition=condition,
        order_by=tuple(reader.sort_key(key) for key in node.order or ()),
        ignore_nulls=node.nulls == "IGNORE",
        respect_nulls=node.nulls == "RESPECT",
    )


def _special(node: s.Function, function: FunctionDefinition, args: list[Any]) -> Any:
    """Calls whose arguments Spark takes otherwise than ours."""
    name = function.name
    if name == "count" and not args:
        raise SqlSyntaxError("count() is given nothing", hint="write count(*)")
    if name in ("first", "last", "any_value", "nth_value"):
        count = 2 if name == "nth_value" else 1
        if len(args) == count + 1:
            given = args[-1]
            if not isinstance(given, Literal) or not isinstance(given.value, bool):
                raise SqlSyntaxError(f"{name}() says with TRUE or FALSE whether to ignore NULLs")
            made = dsl.CallExpression(function, tuple(args[:count]))
            return made.with_clauses(ignore_nulls=True) if given.value else made
    if name in ("trim", "ltrim", "rtrim") and len(args) == 2:
        args = args[::-1]
    return dsl.CallExpression(function, tuple(args))
