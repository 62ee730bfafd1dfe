"""SQL expressions as expressions of the DSL: one handler for each node of sqlglot's tree.

What is not exactly known is refused. sqlglot binds some operators otherwise than Spark does;
where the two could differ the text must have parentheses (``binding.py``).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Protocol

from sqlglot import exp

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    ItemExpression,
    OverExpression,
    SortExpression,
    StarExpression,
    ValueExpression,
    WindowSpec,
)
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.capture.sqltext.arguments import is_known
from viewscribe.spark.capture.sqltext.binding import check_binding
from viewscribe.spark.capture.sqltext.dialect import TypedLiteral, parsed_item
from viewscribe.spark.capture.sqltext.literals import interval, number, typed
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_name


class Names(Protocol):
    """What the reader of the expressions around the text knows."""

    scope: Any
    spelling: Any

    def call(self, name: str, args: list[Any], distinct: bool = False) -> Expression: ...


class _Text:
    """One text being read.

    Args:
        names: what names mean.
        text: the text.
    """

    def __init__(self, names: Names, text: str) -> None:
        self.names = names
        self.text = text
        self.variables: dict[str, Expression] = {}

    def read(self, node: Any) -> Any:
        """The expression of a node."""
        handler = _HANDLERS.get(type(node))
        if handler is None or not is_known(node):
            raise self.refused(node)
        return handler(self, node)

    def read_all(self, nodes: Any) -> list[Any]:
        """The expressions of several nodes."""
        return [self.read(node) for node in nodes]

    def refused(self, node: Any, why: str = "") -> CaptureError:
        """The error for a part of the text."""
        shown = type(node).__name__ if isinstance(node, TypedLiteral) else _shown(node)
        return CaptureError(
            f"`{shown}` in the SQL text `{self.text[:80]}` is not read{why}",
            location="expression_string",
            hint="write it with functions of pyspark.sql.functions",
        )


def _shown(node: exp.Expression) -> str:
    try:
        return node.sql(dialect="spark")[:60]
    except ValueError:  # a node of our own inside, which sqlglot cannot print
        return type(node).__name__


def read_expression(text: str, names: Names) -> Any:
    """The expression that SQL text says; an alias in it is one.

    Raises:
        CaptureError: a part of the text that is not exactly known.
    """
    if "\\" in text:
        raise CaptureError(
            f"the SQL text `{text[:80]}` has a backslash, which settings give its meaning",
            location="expression_string",
            hint="pass the text with lit(…) to functions of pyspark.sql.functions",
        )
    item = parsed_item(text)
    check_binding(item, text)
    return _Text(names, text).read(item)


# -- names ----------------------------------------------------------------------------------------


def _column(text: _Text, node: exp.Column) -> Any:
    if isinstance(node.this, exp.Star):
        return StarExpression(tuple(part.name for part in node.parts[:-1]))
    parts = tuple(part.name for part in node.parts)
    if parts[0] in text.variables:
        return _fields(text.variables[parts[0]], parts[1:])
    found = text.names.scope.column(quote_name(parts), None)
    text.names.spelling.name(found, parts[-1])
    return found


def _identifier(text: _Text, node: exp.Identifier) -> Any:
    if node.name in text.variables:
        return text.variables[node.name]
    raise text.refused(node)


def _fields(base: Expression, names: tuple[str, ...]) -> Expression:
    for name in names:
        base = ItemExpression(base, literal(name))
    return base


def _dot(text: _Text, node: exp.Dot) -> Any:
    if not isinstance(node.expression, exp.Identifier):
        raise text.refused(node)
    return ItemExpression(text.read(node.this), literal(node.expression.name))


def _bracket(text: _Text, node: exp.Bracket) -> Any:
    if (
        len(node.expressions) != 1
        or node.args.get("safe")
        or isinstance(node.expressions[0], exp.Slice)
    ):
        raise text.refused(node)
    return ItemExpression(text.read(node.this), text.read(node.expressions[0]))


def _star(text: _Text, node: exp.Star) -> Any:
    if any(node.args.get(name) for name in ("except_", "except", "replace", "rename")):
        raise text.refused(node)
    return StarExpression()


def _alias(text: _Text, node: exp.Alias) -> Any:
    made = text.read(node.this)
    if isinstance(made, StarExpression) or not isinstance(node.args["alias"], exp.Identifier):
        raise text.refused(node)
    return made.alias(node.alias)


def _aliases(text: _Text, node: exp.Aliases) -> Any:
    names = tuple(each.name for each in node.expressions)
    return text.names.spelling.several(text.read(node.this), names)


# -- values ---------------------------------------------------------------------------------------


def _literal(text: _Text, node: exp.Literal) -> Any:
    return ValueExpression(literal(node.this) if node.is_string else number(node.this))


def _negative(text: _Text, node: exp.Neg) -> Any:
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return ValueExpression(number(f"-{inner.this}"))
    return text.names.call("-", [text.read(inner)])


def _boolean(text: _Text, node: exp.Boolean) -> Any:
    return ValueExpression(literal(bool(node.this)))


def _null(text: _Text, node: exp.Null) -> Any:
    return ValueExpression(literal(None))


def _typed_literal(text: _Text, node: TypedLiteral) -> Any:
    found = typed(node.this.name, node.args["to"].sql(dialect="spark"))
    if found is None:
        raise text.refused(node, ": its meaning depends on the session's time zone")
    return ValueExpression(found)


def _interval(text: _Text, node: exp.Interval) -> Any:
    unit = node.args.get("unit")
    value = node.this
    if not isinstance(value, exp.Literal) or not isinstance(unit, exp.Var):
        raise text.refused(node)
    found = interval(value.this, unit.name)
    if found is None:
        raise text.refused(node)
    return ValueExpression(found)


_SUFFIXED = {"BIGINT": "L", "SMALLINT": "S", "TINYINT": "Y", "DOUBLE": "D", "FLOAT": "F"}


def _suffixed(text: _Text, inner: exp.Literal, target: str) -> Literal | None:
    """``5L``, which sqlglot makes a CAST of 5; a type asked for with CAST gives the same value."""
    written = text.text.upper()
    if target.startswith("DECIMAL") and re.search(r"\dBD\b", written):
        raise text.refused(inner, ": a DECIMAL literal with BD")
    suffix = _SUFFIXED.get(target)
    if suffix is None or f"{inner.this}{suffix}".upper() not in written:
        return None
    floating = target in ("DOUBLE", "FLOAT")
    return literal(float(inner.this) if floating else int(inner.this), parse_type(target))


def _type_name(text: _Text, type_: Any) -> str:
    """The type as it was typed; sqlglot would write TIMESTAMP for TIME."""
    if type_.this is exp.DataType.Type.TIME:
        precision = "".join(f"({each.name})" for each in type_.expressions)
        return f"TIME{precision}"
    if any(each.this is exp.DataType.Type.TIME for each in type_.find_all(exp.DataType)):
        raise text.refused(type_, ": a TIME within another type")
    name: str = type_.sql(dialect="spark")
    return name


def _cast(text: _Text, node: exp.Cast) -> Any:
    target = _type_name(text, node.to)
    inner = node.this
    if isinstance(inner, exp.Literal) and (found := _suffixed(text, inner, target)):
        return ValueExpression(found)
    child = text.read(inner)
    type_ = parse_type(target)
    return child.try_cast(type_) if isinstance(node, exp.TryCast) else child.cast(type_)


# -- operators and calls --------------------------------------------------------------------------


def _binary(name: str) -> Callable[[_Text, Any], Any]:
    return lambda text, node: text.names.call(
        name, [text.read(node.this), text.read(node.expression)]
    )


def _unary(name: str) -> Callable[[_Text, Any], Any]:
    return lambda text, node: text.names.call(name, [text.read(node.this)])


def _not(text: _Text, node: exp.Not) -> Any:
    inner = node.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return text.names.call("isnotnull", [text.read(inner.this)])
    return text.names.call("not", [text.read(inner)])


def _is(text: _Text, node: exp.Is) -> Any:
    right = node.expression
    if isinstance(right, exp.Null):
        return text.names.call("isnull", [text.read(node.this)])
    if isinstance(right, exp.Boolean):
        name = "is_true" if right.this else "is_false"
        return text.names.call(name, [text.read(node.this)])
    raise text.refused(node)


def _neq(text: _Text, node: exp.NEQ) -> Any:
    equal = text.names.call("==", [text.read(node.this), text.read(node.expression)])
    return text.names.call("not", [equal])


def _in(text: _Text, node: exp.In) -> Any:
    return text.names.call("in", [text.read(node.this), *text.read_all(node.expressions)])


def _between(text: _Text, node: exp.Between) -> Any:
    parts = [node.this, node.args["low"], node.args["high"]]
    return text.names.call("between", text.read_all(parts))


def _escape(text: _Text, node: exp.Escape) -> Any:
    inner = node.this
    name = {exp.Like: "like", exp.ILike: "ilike"}.get(type(inner))
    if name is None:
        raise text.refused(node)
    args = text.read_all([inner.this, inner.expression, node.expression])
    made = text.names.call(name, args)
    return text.names.call("not", [made]) if inner.args.get("negate") else made


def _like(name: str) -> Callable[[_Text, Any], Any]:
    def read(text: _Text, node: Any) -> Any:
        if isinstance(node.expression, exp.Any | exp.All | exp.Tuple):
            raise text.refused(node)
        made = text.names.call(name, [text.read(node.this), text.read(node.expression)])
        return text.names.call("not", [made]) if node.args.get("negate") else made

    return read


def _case(text: _Text, node: exp.Case) -> Any:
    subject = node.args.get("this")
    args: list[Any] = []
    for branch in node.args["ifs"]:
        condition = text.read(branch.this)
        if subject is not None:
            condition = text.names.call("==", [text.read(subject), condition])
        args += [condition, text.read(branch.args["true"])]
    if node.args.get("default") is not None:
        args.append(text.read(node.args["default"]))
    return text.names.call("when", args)


def _if(text: _Text, node: exp.If) -> Any:
    parts = [node.this, node.args["true"], node.args.get("false")]
    if parts[2] is None:
        raise text.refused(node)
    return text.names.call("if", text.read_all(parts))


def _function(text: _Text, node: exp.Anonymous) -> Any:
    if not isinstance(node.this, str):
        raise text.refused(node)
    args = node.expressions
    distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
    if distinct:
        if args[0].args.get("on"):
            raise text.refused(node)
        args = args[0].expressions
    return text.names.call(node.this, text.read_all(args), distinct)


def _no_parentheses(name: str) -> Callable[[_Text, Any], Any]:
    def read(text: _Text, node: Any) -> Any:
        if node.args.get("this"):
            raise text.refused(node)
        return text.names.call(name, [])

    return read


def _extract(text: _Text, node: exp.Extract) -> Any:
    unit = literal(node.this.name.upper())
    return text.names.call("extract", [ValueExpression(unit), text.read(node.expression)])


def _lambda(text: _Text, node: exp.Lambda) -> Any:
    names = [each.name for each in node.expressions]
    around = text.variables

    def body(*given: Expression) -> Any:
        before = text.variables
        text.variables = {**around, **dict(zip(names, given, strict=True))}
        try:
            return text.read(node.this)
        finally:
            text.variables = before

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return body


def _filtered(text: _Text, node: exp.Filter) -> Any:
    call = text.read(node.this)
    return call.filter(text.read(node.expression.this))


def _ignoring(text: _Text, node: exp.IgnoreNulls) -> Any:
    return text.read(node.this).ignore_nulls()


def _respecting(text: _Text, node: exp.RespectNulls) -> Any:
    return text.read(node.this).respect_nulls()


def _ordered(text: _Text, node: exp.Ordered) -> SortExpression:
    descending = bool(node.args.get("desc"))
    nulls_first = node.args.get("nulls_first")
    first = not descending if nulls_first is None else bool(nulls_first)
    return SortExpression(text.read(node.this), descending, first)


def _over(text: _Text, node: exp.Window) -> Any:
    if node.args.get("over") != "OVER":
        raise text.refused(node)
    window = WindowSpec().partition_by(*text.read_all(node.args.get("partition_by") or []))
    order = node.args.get("order")
    if order is not None:
        window = window.order_by(*text.read_all(order.expressions))
    call = text.read(node.this)
    if not isinstance(call, CallExpression):
        raise text.refused(node)
    return OverExpression(call, window)


_HANDLERS: dict[type, Callable[[_Text, Any], Any]] = {
    exp.Column: _column,
    exp.Identifier: _identifier,
    exp.Dot: _dot,
    exp.Bracket: _bracket,
    exp.Star: _star,
    exp.Alias: _alias,
    exp.Aliases: _aliases,
    exp.Paren: lambda text, node: text.read(node.this),
    exp.Literal: _literal,
    exp.Neg: _negative,
    exp.Boolean: _boolean,
    exp.Null: _null,
    TypedLiteral: _typed_literal,
    exp.Interval: _interval,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Add: _binary("+"),
    exp.Sub: _binary("-"),
    exp.Mul: _binary("*"),
    exp.Div: _binary("/"),
    exp.Mod: _binary("%"),
    exp.IntDiv: _binary("div"),
    exp.DPipe: _binary("concat"),
    exp.BitwiseAnd: _binary("&"),
    exp.BitwiseOr: _binary("|"),
    exp.BitwiseXor: _binary("^"),
    exp.BitwiseNot: _unary("~"),
    exp.EQ: _binary("=="),
    exp.NEQ: _neq,
    exp.LT: _binary("<"),
    exp.LTE: _binary("<="),
    exp.GT: _binary(">"),
    exp.GTE: _binary(">="),
    exp.NullSafeEQ: _binary("<=>"),
    exp.And: _binary("and"),
    exp.Or: _binary("or"),
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: _between,
    exp.Like: _like("like"),
    exp.ILike: _like("ilike"),
    exp.RegexpLike: _like("rlike"),
    exp.Escape: _escape,
    exp.Case: _case,
    exp.If: _if,
    exp.Anonymous: _function,
    exp.Transform: lambda text, node: text.names.call(
        "transform", text.read_all([node.this, node.expression])
    ),
    exp.CurrentDate: _no_parentheses("current_date"),
    exp.CurrentTimestamp: _no_parentheses("current_timestamp"),
    exp.CurrentUser: _no_parentheses("current_user"),
    exp.Extract: _extract,
    exp.Lambda: _lambda,
    exp.Filter: _filtered,
    exp.IgnoreNulls: _ignoring,
    exp.RespectNulls: _respecting,
    exp.Ordered: _ordered,
    exp.Window: _over,
}
