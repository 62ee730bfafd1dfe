"""Bodies of SQL functions, checked without Spark: they parse, names mean something, types fit.

What the reader here does not know (windows, lambdas, sub-queries …) has no type that is found out;
the functions that are called are known all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins, find_built_in
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
    is_sparks,
)
from viewscribe.expressions.literals import literal
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.operations.sql_names import FunctionResolver, parsed
from viewscribe.types import Field, LogicalType
from viewscribe.types.coercion import can_cast
from viewscribe.types.ddl import parse_type


class _UnreadError(Exception):
    """A part of a body that this reader does not know; Spark may."""


def check_body(
    name: str, source: FunctionSource, find: FunctionResolver, *, temporary: bool = False
) -> None:
    """Refuses a SQL function that Spark would refuse, as far as that shows without it.

    Args:
        name: what the function is called.
        source: the function; one that is not in SQL is not looked at.
        find: finds functions of users.
        temporary: whether it ends with the session, and may call what does.

    Raises:
        ViewscribeError: the body does not parse, names what is not there, calls a function that
            ends with the session, or is of a type that is not cast to the declared one.
    """
    if source.language is not Language.SQL or source.body is None or source.returns is None:
        return
    parameters = source.parameters or ()
    for each in parameters:
        if each.default is not None:
            what = f"the default of `{each.name}`"
            _check_expression(name, what, each.default, each.type, (), find, temporary)
    if source.kind is FunctionKind.GENERATOR:
        tree = parsed(source.body)
        _check_calls(name, _plain_parsed(source.body) or tree, find, temporary)
        return
    _check_expression(name, "the body", source.body, source.returns, parameters, find, temporary)


def _check_expression(
    name: str,
    what: str,
    text: str,
    wanted: LogicalType,
    parameters: Sequence[FunctionParameter],
    find: FunctionResolver,
    temporary: bool,
) -> None:
    from sqlglot import exp

    tree = _plain_parsed(f"SELECT {text}")
    items = tree.expressions if isinstance(tree, exp.Select) else []
    if len(items) != 1 or any(value for key, value in tree.args.items() if key != "expressions"):
        raise ValidationError(
            f"{what} of the function {name} is not one expression: {text}",
            hint="write … RETURN x + 1; a query goes into parentheses",
        )
    _check_calls(name, tree, find, temporary)
    fields = [Field(each.name, each.type) for each in parameters]
    try:
        read = _Reader(name, [each.name for each in parameters], find).read(items[0])
        type_ = resolve(read, Schema(fields)).type
    except _UnreadError:
        return
    if not can_cast(type_, wanted, "plain"):
        raise ValidationError(
            f"{what} of the function {name} is {type_.ddl}, and cannot be cast to {wanted.ddl}",
            location=text,
            hint=f"declare RETURNS {type_.ddl}, or write another body",
        )


def _check_calls(name: str, tree: Any, find: FunctionResolver, temporary: bool) -> None:
    from sqlglot import exp

    for call in tree.find_all(exp.Anonymous):
        parts = _path_of(call)
        found = find(parts)
        shown = ".".join(parts)
        if found is None:
            if len(parts) == 1 and (is_sparks(parts[0]) or _is_syntax(parts[0])):
                continue
            raise ValidationError(
                f"the function {name} calls `{shown}`, which is no function",
                hint=did_you_mean(parts[-1], all_built_ins()) or "create it first",
            )
        if found.temporary and not temporary:
            raise ValidationError(
                f"the function {name} calls the temporary function {found!r}, which ends with the "
                "session",
                hint=f'store it in a catalog first: env.create_function("{found!r}", …)',
            )


_SYNTAX = ("cast", "try_cast", "extract", "if", "in", "exists", "any", "all", "some", "struct")


def _is_syntax(name: str) -> bool:
    """Names that are Spark's without an entry of ours."""
    return name.lower() in _SYNTAX or find_built_in(name) is not None


def _path_of(call: Any) -> list[str]:
    from sqlglot import exp

    around, path = call.parent, []
    if isinstance(around, exp.Dot) and around.expression is call:
        found = around.this
        if isinstance(found, exp.Column):
            path = [part.name for part in found.parts]
        else:
            path = [each.name for each in found.find_all(exp.Identifier)]
    return [*path, str(call.this)]


@cache
def _dialect() -> Any:
    from sqlglot.dialects.spark import Spark

    class PlainSpark(Spark):
        """Spark's grammar, calls of functions as they are typed."""

        class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
            """The parser that knows no function."""

            STRICT_CAST = True
            FUNCTIONS: dict[str, Any] = {}  # noqa: RUF012

    return PlainSpark()


def _plain_parsed(text: str) -> Any:
    from sqlglot.errors import SqlglotError

    try:
        statements = _dialect().parse(text)
    except (SqlglotError, RecursionError) as error:
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValidationError(f"the SQL of the function does not parse: {first}") from error
    return statements[0] if len(statements) == 1 else None


class _Reader:
    """Reads an expression over the parameters of a function."""

    def __init__(self, name: str, parameters: Sequence[str], find: FunctionResolver) -> None:
        self.name = name
        self.parameters = {each.lower(): each for each in parameters}
        self.find = find

    def read(self, node: Any) -> Any:
        """The expression of a node; raises ``_UnreadError`` for what is not known."""
        from sqlglot import exp

        if isinstance(node, exp.Paren):
            return self.read(node.this)
        if isinstance(node, exp.Cast):
            target = parse_type(node.to.sql(dialect="spark"))
            lenient = type(node) is exp.TryCast
            return dsl.CastExpression(self.read(node.this), target, lenient)
        for kinds, handler in _handlers().items():
            if type(node) in kinds:
                return handler(self, node)
        raise _UnreadError

    def column(self, node: Any) -> Any:
        """A parameter, also with the function's name before it, or a field of one."""
        parts = [part.name for part in node.parts]
        if len(parts) > 1 and parts[0].lower() == self.name.rpartition(".")[2].lower():
            parts = parts[1:]
        found = self.parameters.get(parts[0].lower())
        if found is None:
            if len(parts) > 1 or parts[0].lower() in _CONSTANTS:
                raise _UnreadError
            known = ", ".join(self.parameters.values())
            raise ValidationError(
                f"the function {self.name} has no parameter `{parts[0]}`",
                hint=did_you_mean(parts[0], self.parameters)
                or f"its parameters are: {known or 'none'}",
            )
        read: Any = dsl.ColumnExpression(found, None)
        for part in parts[1:]:
            read = dsl.ItemExpression(read, literal(part))
        return read

    def call(self, node: Any) -> Any:
        """A call of one of Spark's functions or of a user's."""
        from sqlglot import exp

        parts = _path_of(node)
        if any(isinstance(each, exp.Kwarg | exp.Distinct | exp.Star) for each in node.expressions):
            raise _UnreadError
        function = self.find(parts) or (find_built_in(parts[0]) if len(parts) == 1 else None)
        with_unit = len(node.expressions) == 3 and parts[-1].lower() in _OF_UNITS
        if function is None or with_unit or function.kind not in _VALUES:
            raise _UnreadError
        return dsl.CallExpression(function, tuple(map(self.read, node.expressions)))


_VALUES = (FunctionKind.SCALAR,)
_OF_UNITS = ("timestampadd", "dateadd", "date_add", "timestampdiff", "datediff", "date_diff")
_CONSTANTS = (
    *(
        "current_date",
        "current_timestamp",
        "current_time",
        "current_user",
        "user",
        "localtimestamp",
    ),
    *("current_catalog", "current_database", "current_schema", "session_user"),
)


def _number(text: str) -> Any:
    if "e" in text.lower():
        return literal(float(text))
    return literal(Decimal(text)) if "." in text else literal(int(text))


def _literal(reader: _Reader, node: Any) -> Any:
    return literal(node.this) if node.is_string else _number(node.this)


def _binary(function: Any) -> Callable[[_Reader, Any], Any]:
    return lambda reader, node: dsl.CallExpression(
        function, (reader.read(node.this), reader.read(node.expression))
    )


def _unary(function: Any) -> Callable[[_Reader, Any], Any]:
    return lambda reader, node: dsl.CallExpression(function, (reader.read(node.this),))


def _is(reader: _Reader, node: Any) -> Any:
    from sqlglot import exp

    if not isinstance(node.expression, exp.Null):
        raise _UnreadError
    return dsl.CallExpression(op.IS_NULL, (reader.read(node.this),))


def _case(reader: _Reader, node: Any) -> Any:
    if node.args.get("this") is not None:
        raise _UnreadError
    given = [
        reader.read(part) for each in node.args["ifs"] for part in (each.this, each.args["true"])
    ]
    if node.args.get("default") is not None:
        given.append(reader.read(node.args["default"]))
    function = find_built_in("when")
    if function is None:
        raise _UnreadError
    return dsl.CallExpression(function, tuple(given))


def _in(reader: _Reader, node: Any) -> Any:
    if not node.expressions or node.args.get("query") is not None:
        raise _UnreadError
    given = (reader.read(node.this), *map(reader.read, node.expressions))
    return dsl.CallExpression(op.IN, given)


def _between(reader: _Reader, node: Any) -> Any:
    parts = (node.this, node.args["low"], node.args["high"])
    return dsl.CallExpression(op.BETWEEN, tuple(map(reader.read, parts)))


@cache
def _handlers() -> Mapping[tuple[type, ...], Callable[[_Reader, Any], Any]]:
    from sqlglot import exp

    concat = find_built_in("concat")
    return {
        (exp.Column,): _Reader.column,
        (exp.Anonymous,): _Reader.call,
        (exp.Literal,): _literal,
        (exp.Null,): lambda reader, node: literal(None),
        (exp.Boolean,): lambda reader, node: literal(bool(node.this)),
        (exp.Add,): _binary(op.PLUS),
        (exp.Sub,): _binary(op.MINUS),
        (exp.Mul,): _binary(op.TIMES),
        (exp.Div,): _binary(op.DIVIDE),
        (exp.Mod,): _binary(op.MODULO),
        (exp.IntDiv,): _binary(op.INTEGER_DIVIDE),
        (exp.EQ,): _binary(op.EQUALS),
        (exp.NEQ,): _binary(op.NOT_EQUALS),
        (exp.LT,): _binary(op.LESS),
        (exp.LTE,): _binary(op.LESS_OR_EQUAL),
        (exp.GT,): _binary(op.GREATER),
        (exp.GTE,): _binary(op.GREATER_OR_EQUAL),
        (exp.NullSafeEQ,): _binary(op.NULL_SAFE_EQUALS),
        (exp.And,): _binary(op.AND),
        (exp.Or,): _binary(op.OR),
        (exp.DPipe,): _binary(concat),
        (exp.Not,): _unary(op.NOT),
        (exp.Neg,): _unary(op.NEGATIVE),
        (exp.Is,): _is,
        (exp.Case,): _case,
        (exp.In,): _in,
        (exp.Between,): _between,
    }
