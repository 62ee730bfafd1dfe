"""Values in SQL text: literals, intervals, casts."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from viewscribe.expressions.dsl import ValueExpression
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.capture.sqltext.dialect import TypedLiteral
from viewscribe.spark.capture.sqltext.literals import interval, number, typed
from viewscribe.spark.capture.sqltext.reading import Handlers, Text
from viewscribe.spark.capture.sqltext.strings import joined
from viewscribe.types.session_types import session_type
from viewscribe.types.zones import SETTING, zone_of


def _literal(text: Text, node: exp.Literal) -> Any:
    return ValueExpression(literal(node.this) if node.is_string else number(node.this))


def _negative(text: Text, node: exp.Neg) -> Any:
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return ValueExpression(number(f"-{inner.this}"))
    if isinstance(inner, exp.Cast) and isinstance(inner.this, exp.Literal):  # ``-5L``
        found = _suffixed(text, inner.this, _type_name(text, inner.to))
        if found is not None:
            return ValueExpression(literal(-found.value, found.type))
    return text.names.call("-", [text.read(inner)])


def _binary(text: Text, node: exp.HexString) -> Any:
    """``X'1F'``; Spark fills up an odd number of digits."""
    digits: str = node.this
    if "0x" in text.text.lower():  # sqlglot's own, and to Spark a name
        raise text.refused(node)
    return ValueExpression(literal(bytes.fromhex("0" * (len(digits) % 2) + digits)))


def _boolean(text: Text, node: exp.Boolean) -> Any:
    return ValueExpression(literal(bool(node.this)))


def _null(text: Text, node: exp.Null) -> Any:
    return ValueExpression(literal(None))


def _typed_literal(text: Text, node: TypedLiteral) -> Any:
    zone = zone_of(text.names.setting(SETTING))
    found = typed(node.this.name, node.args["to"].sql(dialect="spark"), zone)
    if found is None:
        raise text.refused(node, ": its meaning depends on the session's time zone")
    return ValueExpression(found)


def _interval(text: Text, node: exp.Interval) -> Any:
    unit = node.args.get("unit")
    value = node.this
    if not isinstance(value, exp.Literal) or not isinstance(unit, exp.Var):
        raise text.refused(node)
    found = interval(value.this, unit.name)
    if found is None:
        raise text.refused(node)
    return ValueExpression(found)


_SUFFIXED = {"BIGINT": "L", "SMALLINT": "S", "TINYINT": "Y", "DOUBLE": "D", "FLOAT": "F"}


def _suffixed(text: Text, inner: exp.Literal, target: str) -> Literal | None:
    """``5L``, which sqlglot makes a CAST of 5; a type asked for with CAST gives the same value."""
    written = text.text.upper()
    if target.startswith("DECIMAL") and re.search(r"\dBD\b", written):
        raise text.refused(inner, ": a DECIMAL literal with BD")
    suffix = _SUFFIXED.get(target)
    if suffix is None or f"{inner.this}{suffix}".upper() not in written:
        return None
    floating = target in ("DOUBLE", "FLOAT")
    return literal(float(inner.this) if floating else int(inner.this), session_type(target))


def _type_name(text: Text, type_: Any) -> str:
    """The type as it was typed; sqlglot would write TIMESTAMP for TIME."""
    if type_.this is exp.DataType.Type.TIME:
        precision = "".join(f"({each.name})" for each in type_.expressions)
        return f"TIME{precision}"
    if any(each.this is exp.DataType.Type.TIME for each in type_.find_all(exp.DataType)):
        raise text.refused(type_, ": a TIME within another type")
    name: str = type_.sql(dialect="spark")
    return name


def _cast(text: Text, node: exp.Cast) -> Any:
    target = _type_name(text, node.to)
    inner = node.this
    if isinstance(inner, exp.Literal) and (found := _suffixed(text, inner, target)):
        return ValueExpression(found)
    child = text.read(inner)
    type_ = session_type(target)
    return child.try_cast(type_) if isinstance(node, exp.TryCast) else child.cast(type_)


def _joined(text: Text, node: exp.Concat) -> Any:
    found = joined(node)
    if found is None:
        raise text.refused(node)
    return ValueExpression(literal(found))


HANDLERS: Handlers = {
    exp.Literal: _literal,
    exp.Neg: _negative,
    exp.HexString: _binary,
    exp.Boolean: _boolean,
    exp.Null: _null,
    TypedLiteral: _typed_literal,
    exp.Interval: _interval,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Concat: _joined,
}
