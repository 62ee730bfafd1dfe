"""SQL expressions as expressions of the DSL: one handler for each node of sqlglot's tree.

What is not exactly known is refused. sqlglot binds some operators otherwise than Spark does;
where the two could differ the text must have parentheses (``binding.py``).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from viewscribe.expressions.dsl import (
    Expression,
    ItemExpression,
    QueryExpression,
    StarExpression,
    ValueExpression,
)
from viewscribe.expressions.literals import literal
from viewscribe.spark.capture.lengths import refuse_lengths_in_text
from viewscribe.spark.capture.sqltext import clauses, values
from viewscribe.spark.capture.sqltext.binding import check_binding
from viewscribe.spark.capture.sqltext.clauses import query
from viewscribe.spark.capture.sqltext.dialect import parsed_item
from viewscribe.spark.capture.sqltext.named import positional
from viewscribe.spark.capture.sqltext.reading import Handlers, Names, Text
from viewscribe.spark.capture.sqltext.strings import ESCAPED, Strings
from viewscribe.types.identifiers import quote_name


def read_expression(text: str, names: Names) -> Any:
    """The expression that SQL text says; an alias in it is one.

    Raises:
        CaptureError: a part of the text that is not exactly known.
    """
    refuse_lengths_in_text(text, names.setting)
    strings = Strings(text, escaped=names.setting(ESCAPED) == "true")
    item = parsed_item(strings.marked)
    strings.restore(item)
    check_binding(item, text)
    return Text(names, text).read(item)


# -- names ----------------------------------------------------------------------------------------


def _column(text: Text, node: exp.Column) -> Any:
    if isinstance(node.this, exp.Star):
        return StarExpression(tuple(part.name for part in node.parts[:-1]))
    parts = tuple(part.name for part in node.parts)
    if parts[0] in text.variables:
        return _fields(text.variables[parts[0]], parts[1:])
    found = text.names.scope.column(quote_name(parts), None)
    text.names.spelling.name(found, parts[-1])
    return found


def _identifier(text: Text, node: exp.Identifier) -> Any:
    if node.name in text.variables:
        return text.variables[node.name]
    raise text.refused(node)


def _fields(base: Expression, names: tuple[str, ...]) -> Expression:
    for name in names:
        base = ItemExpression(base, literal(name))
    return base


def _dot(text: Text, node: exp.Dot) -> Any:
    if not isinstance(node.expression, exp.Identifier):
        raise text.refused(node)
    return ItemExpression(text.read(node.this), literal(node.expression.name))


def _bracket(text: Text, node: exp.Bracket) -> Any:
    if (
        len(node.expressions) != 1
        or node.args.get("safe")
        or isinstance(node.expressions[0], exp.Slice)
    ):
        raise text.refused(node)
    return ItemExpression(text.read(node.this), text.read(node.expressions[0]))


def _star(text: Text, node: exp.Star) -> Any:
    if any(node.args.get(name) for name in ("except_", "except", "replace", "rename")):
        raise text.refused(node)
    return StarExpression()


def _alias(text: Text, node: exp.Alias) -> Any:
    made = text.read(node.this)
    if isinstance(made, StarExpression) or not isinstance(node.args["alias"], exp.Identifier):
        raise text.refused(node)
    return made.alias(node.alias)


def _aliases(text: Text, node: exp.Aliases) -> Any:
    names = tuple(each.name for each in node.expressions)
    return text.names.spelling.several(text.read(node.this), names)


# -- operators and calls --------------------------------------------------------------------------


def _binary(name: str) -> Callable[[Text, Any], Any]:
    return lambda text, node: text.names.call(
        name, [text.read(node.this), text.read(node.expression)]
    )


def _unary(name: str) -> Callable[[Text, Any], Any]:
    return lambda text, node: text.names.call(name, [text.read(node.this)])


def _not(text: Text, node: exp.Not) -> Any:
    inner = node.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return text.names.call("isnotnull", [text.read(inner.this)])
    return text.names.call("not", [text.read(inner)])


def _is(text: Text, node: exp.Is) -> Any:
    right = node.expression
    if isinstance(right, exp.Null):
        return text.names.call("isnull", [text.read(node.this)])
    if isinstance(right, exp.Boolean):
        name = "is_true" if right.this else "is_false"
        return text.names.call(name, [text.read(node.this)])
    raise text.refused(node)


def _distinct_from(text: Text, node: exp.NullSafeNEQ) -> Any:
    same = text.names.call("<=>", [text.read(node.this), text.read(node.expression)])
    return text.names.call("not", [same])


def _neq(text: Text, node: exp.NEQ) -> Any:
    equal = text.names.call("==", [text.read(node.this), text.read(node.expression)])
    return text.names.call("not", [equal])


def _collated(text: Text, node: exp.Collate) -> Any:
    if not isinstance(node.expression, exp.Var | exp.Identifier):
        raise text.refused(node)
    return text.names.call(
        "collate", [text.read(node.this), ValueExpression(literal(node.expression.name))]
    )


def _in(text: Text, node: exp.In) -> Any:
    if node.args.get("field") is not None:
        raise text.refused(node)
    if node.args.get("query") is not None:
        return QueryExpression("in", query(text, node), (text.read(node.this),))
    return text.names.call("in", [text.read(node.this), *text.read_all(node.expressions)])


def _between(text: Text, node: exp.Between) -> Any:
    parts = [node.this, node.args["low"], node.args["high"]]
    return text.names.call("between", text.read_all(parts))


def _escape(text: Text, node: exp.Escape) -> Any:
    inner = node.this
    name = {exp.Like: "like", exp.ILike: "ilike"}.get(type(inner))
    if name is None:
        raise text.refused(node)
    args = text.read_all([inner.this, inner.expression, node.expression])
    made = text.names.call(name, args)
    return text.names.call("not", [made]) if inner.args.get("negate") else made


def _quantified(text: Text, node: Any, name: str) -> Any:
    """``LIKE ANY ('a%', 'b%')``."""
    patterns = node.expression.this
    if name == "rlike" or not isinstance(patterns, exp.Tuple | exp.Paren):
        raise text.refused(node)
    listed = patterns.expressions if isinstance(patterns, exp.Tuple) else [patterns.this]
    which = "any" if isinstance(node.expression, exp.Any) else "all"
    negated = "not_" if node.args.get("negate") else ""
    return text.names.call(f"{negated}{name}_{which}", text.read_all([node.this, *listed]))


def _like(name: str) -> Callable[[Text, Any], Any]:
    def read(text: Text, node: Any) -> Any:
        if isinstance(node.expression, exp.Any | exp.All):
            return _quantified(text, node, name)
        if isinstance(node.expression, exp.Tuple):
            raise text.refused(node)
        made = text.names.call(name, [text.read(node.this), text.read(node.expression)])
        return text.names.call("not", [made]) if node.args.get("negate") else made

    return read


def _case(text: Text, node: exp.Case) -> Any:
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


def _if(text: Text, node: exp.If) -> Any:
    parts = [node.this, node.args["true"], node.args.get("false")]
    if parts[2] is None:
        raise text.refused(node)
    return text.names.call("if", text.read_all(parts))


def _function(text: Text, node: exp.Anonymous) -> Any:
    if not isinstance(node.this, str):
        raise text.refused(node)
    args = node.expressions
    distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
    if distinct:
        if args[0].args.get("on"):
            raise text.refused(node)
        args = args[0].expressions
    name = node.this
    inside = args[0] if len(args) == 1 and name.lower() == "position" else None
    if isinstance(inside, exp.In) and inside.args.get("field") is not None:
        return text.names.call("locate", text.read_all([inside.this, inside.args["field"]]))
    if len(args) == 3 and name.lower() in _BY_UNIT:
        name = _BY_UNIT[name.lower()]
    if any(isinstance(each, exp.Kwarg) for each in args):
        return text.names.call(name, positional(text, node, args), distinct)
    return text.names.call(name, _units(text, node.this.lower(), args), distinct)


def _no_parentheses(name: str) -> Callable[[Text, Any], Any]:
    def read(text: Text, node: Any) -> Any:
        if node.args.get("this"):
            raise text.refused(node)
        return text.names.call(name, [])

    return read


def _extract(text: Text, node: exp.Extract) -> Any:
    folded = node.this.name.upper()  # sqlglot's spelling, not what was typed
    typed = {word for word in _EXTRACTED.findall(text.text) if word.upper() == folded}
    unit = _unit(text, typed.pop() if len(typed) == 1 else folded)
    return text.names.call("extract", [unit, text.read(node.expression)])


_EXTRACTED = re.compile(r"\bextract\s*\(\s*(\w+)\s+from\b", re.IGNORECASE)


def _unit(text: Text, word: str) -> Expression:
    """A unit of time; a column that is not named shows the word as it was typed."""
    unit = ValueExpression(literal(word.upper()))
    text.names.spelling.name(unit, word)
    return unit


def _lambda(text: Text, node: exp.Lambda) -> Any:
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


def _units(text: Text, name: str, args: list[Any]) -> list[Any]:
    """The arguments, of which the first may be a word: ``timestampadd(DAY, 1, at)``."""
    first = args[0] if len(args) == 3 else None
    if name not in _BY_UNIT or not isinstance(first, exp.Column) or first.table:
        return text.read_all(args)
    return [_unit(text, first.name), *text.read_all(args[1:])]


_BY_UNIT = {
    "timestampadd": "timestampadd",
    "dateadd": "timestampadd",
    "date_add": "timestampadd",
    "timestampdiff": "timestampdiff",
    "datediff": "timestampdiff",
    "date_diff": "timestampdiff",
}
"""Functions of a unit of time; under some of the names there is one of two arguments, too."""


HANDLERS: Handlers = {
    exp.Column: _column,
    exp.Identifier: _identifier,
    exp.Dot: _dot,
    exp.Bracket: _bracket,
    exp.Star: _star,
    exp.Alias: _alias,
    exp.Aliases: _aliases,
    exp.Paren: lambda text, node: text.read(node.this),
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
    exp.NullSafeNEQ: _distinct_from,
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
    exp.Any: lambda text, node: text.names.call("any", [text.read(node.this)]),
    exp.Transform: lambda text, node: text.names.call(
        "transform", text.read_all([node.this, node.expression])
    ),
    exp.CurrentDate: _no_parentheses("current_date"),
    exp.CurrentTimestamp: _no_parentheses("current_timestamp"),
    exp.CurrentUser: _no_parentheses("current_user"),
    exp.Extract: _extract,
    exp.Lambda: _lambda,
    exp.NullSafeNEQ: _binary("is_distinct_from"),
    exp.Collate: _collated,
}

Text.handlers.update(HANDLERS | values.HANDLERS | clauses.HANDLERS)
