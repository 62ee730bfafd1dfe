"""Computes constants where the value follows from the types alone.

Spark evaluates any constant of an analyzed query. What depends on the session (zones, ANSI errors)
or on the arithmetic of Java (roots, powers, FLOAT) is left to it.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from typing import Any

from viewscribe.expressions.auto_names import is_shown_alike
from viewscribe.expressions.node import Node, fold
from viewscribe.expressions.nodes import Alias, Call, Cast, Literal, ResolvedExpression
from viewscribe.expressions.schema import infer_csv, infer_json, infer_xml
from viewscribe.types import (
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    StringType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)


class _UnknownValueError(Exception):
    """Only Spark knows the value."""


def fold_constant(expression: ResolvedExpression) -> Literal | None:
    """Returns the literal that a constant equals; None where only Spark can compute it."""

    def step(node: Node, children: list[Literal | None]) -> Literal | None:
        if type(node) is Literal:
            return node
        if isinstance(node, Call) and (infer := _SAMPLES.get(node.function.built_in_name or "")):
            return _infer(infer, node, children[0])
        if not isinstance(node, Alias | Call | Cast) or None in children:
            return None
        known = [each for each in children if each is not None]
        if any(isinstance(each.type, YearMonthIntervalType) for each in known):
            return None  # its values are no numbers, though Python has numbers of months for them
        if isinstance(node, Alias):
            return known[0]
        try:
            value = _cast(known[0], node.type) if type(node) is Cast else _compute(node, known)
        except (_UnknownValueError, ArithmeticError, ValueError):
            return None
        return Literal(value, node.type.with_nullability(value is None))

    return fold(expression, step)


def _infer(
    infer: Callable[[str, Mapping[str, str]], str], call: Call, sample: Literal | None
) -> Literal | None:
    """The type of a sample, as text."""
    options = literal_options(call.args[1]) if len(call.args) > 1 else {}
    if sample is None or not isinstance(sample.value, str) or options is None:
        return None
    try:
        return Literal(infer(sample.value, options), call.type)
    except ValueError:
        return None


def literal_options(given: Node) -> dict[str, str] | None:
    """The options of a call, their names in lower case; None where they are no literals."""
    if not isinstance(given, Call) or given.function.built_in_name != "map":
        return None
    parts = [each.child if isinstance(each, Alias) else each for each in given.args]
    texts = [str(each.value) for each in parts if isinstance(each, Literal)]
    if len(texts) < len(parts):
        return None
    return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}


def _require(fits: bool) -> None:
    if not fits:
        raise _UnknownValueError


# -- calls -----------------------------------------------------------------------------------------


def _compute(call: Node, args: Sequence[Literal]) -> Any:
    assert isinstance(call, Call)
    if call.function.built_in_name in _CASTS:
        return _cast(args[0], call.type)
    compute = _FUNCTIONS.get(call.function.built_in_name)
    _require(compute is not None)
    assert compute is not None
    values = [each.value for each in args]
    if None in values:
        _require(call.function.built_in_name not in _SKIP_NULLS)
        return None
    return _exact(compute(*values), call.type)


def _arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A function of two numbers, which are made alike, or of two intervals."""

    def apply(left: Any, right: Any) -> Any:
        if isinstance(left, float) or isinstance(right, float):
            return compute(_double(left), _double(right))
        both = {type(left), type(right)}
        _require(both <= {int, Decimal} or both == {dt.timedelta})
        with localcontext(_WIDE):
            return compute(left, right)

    return apply


_WIDE = Context(prec=200)
_MOST_WHOLE = 1 << 53
"""Up to here a DOUBLE holds every whole number."""


def _double(value: Any) -> float:
    _require(isinstance(value, float) or (type(value) is int and abs(value) <= _MOST_WHOLE))
    return float(value)


def _plus(left: Any, right: Any) -> Any:
    if isinstance(right, dt.date):
        left, right = right, left
    return _moved(left, right, 1) if isinstance(left, dt.date) else _ADD(left, right)


def _minus(left: Any, right: Any) -> Any:
    return _moved(left, right, -1) if isinstance(left, dt.date) else _SUBTRACT(left, right)


def _moved(date: Any, by: Any, sign: int) -> Any:
    """A date or a time some days or an interval later."""
    if type(by) is int:
        _require(not isinstance(date, dt.datetime))
        by = dt.timedelta(days=by)
    _require(isinstance(by, dt.timedelta))
    if not isinstance(date, dt.datetime):
        _require(not by % _DAY)
    elif date.tzinfo is not None:  # days are those of the session's zone
        _require(abs(by) < _DAY)
    return date + sign * by


def _times(left: Any, right: Any) -> Any:
    if {type(left), type(right)} == {dt.timedelta, int}:
        return left * right
    _require(dt.timedelta not in (type(left), type(right)))
    return _MULTIPLY(left, right)


def _divide(left: Any, right: Any) -> float:
    return _double(left) / _double(right)


def _whole_divide(left: Any, right: Any) -> int:
    """Cuts off towards zero, as Java does, and not downwards."""
    _require(type(left) is type(right) is int)
    quotient: int = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: Any, right: Any) -> int:
    return int(left - right * _whole_divide(left, right))


def _negative(value: Any) -> Any:
    _require(type(value) in (int, float, Decimal, dt.timedelta))
    if not isinstance(value, Decimal):
        return -value
    _require(len(value.as_tuple().digits) <= 34)  # Spark rounds those with more
    return value.copy_negate()


def _concat(*texts: Any) -> str:
    _require(all(isinstance(each, str) for each in texts))
    return "".join(texts)


def _length(text: Any) -> int:
    _require(isinstance(text, str))
    return len(text)


def _cased(change: Callable[[str], str]) -> Callable[[Any], str]:
    """The letters of English are the same in all versions of Unicode."""

    def apply(text: Any) -> str:
        _require(isinstance(text, str) and text.isascii())
        return change(text)

    return apply


def _absolute(value: Any) -> int:
    _require(type(value) is int)
    return abs(int(value))


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    """The greatest or least of whole numbers."""

    def apply(*values: Any) -> Any:
        _require({type(each) for each in values} == {int})
        return choose(values)

    return apply


_DAY = dt.timedelta(days=1)
_ADD, _SUBTRACT = _arithmetic(operator.add), _arithmetic(operator.sub)
_MULTIPLY = _arithmetic(operator.mul)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "plus": _plus,
    "minus": _minus,
    "times": _times,
    "divide": _divide,
    "div": _whole_divide,
    "mod": _remainder,
    "negative": _negative,
    "concat": _concat,
    **dict.fromkeys(("length", "char_length", "character_length", "len"), _length),
    **dict.fromkeys(("upper", "ucase"), _cased(str.upper)),
    **dict.fromkeys(("lower", "lcase"), _cased(str.lower)),
    "abs": _absolute,
    "coalesce": lambda first, *_: first,
    "greatest": _extreme(max),
    "least": _extreme(min),
}
"""What is computed here; a NULL among the arguments makes NULL of each but those that skip it."""
_SKIP_NULLS = frozenset(("coalesce", "greatest", "least"))
_SAMPLES = {
    "schema_of_json": infer_json,
    "schema_of_csv": infer_csv,
    "schema_of_xml": infer_xml,
}
"""Functions of a sample and of options."""
_INTEGRAL = ("tinyint", "smallint", "int", "bigint")
_CASTS = frozenset((*_INTEGRAL, "boolean", "date", "decimal", "double", "float", "string"))
"""Functions that are casts: ``double('NaN')``."""


# -- casts and types -------------------------------------------------------------------------------


def _cast(given: Literal, target: LogicalType) -> Any:
    value = given.value
    if value is None or given.type.same_type(target):
        return value
    if isinstance(value, bool):
        value = str(value).lower() if isinstance(target, StringType) else int(value)
    elif isinstance(target, BooleanType) and type(value) in (int, Decimal, float):
        value = bool(value)
    elif isinstance(value, float) and isinstance(target, DecimalType):
        _require(is_shown_alike(given))
        value = Decimal(repr(value))
    elif isinstance(value, Decimal) and isinstance(target, DoubleType):
        value = float(value)
    elif isinstance(value, str):
        value = _of_text(value.strip(" "), target)
    elif isinstance(value, Decimal | float) and isinstance(target, IntegralType):
        value = int(value)  # cut off towards zero
    elif isinstance(target, StringType):
        _require(type(value) in (int, dt.date))
        value = str(value)
    else:
        _require(type(value) in (int, Decimal, float))
        value = _double(value) if isinstance(target, DoubleType) else value
    return _exact(value, target)


def _of_text(text: str, target: LogicalType) -> Any:
    for kind, pattern, read in _TEXTS:
        if isinstance(target, kind) and pattern.fullmatch(text):
            return read(text)
    raise _UnknownValueError


_TEXTS: tuple[tuple[Any, re.Pattern[str], Callable[[str], Any]], ...] = (
    (IntegralType, re.compile(r"[+-]?[0-9]+"), int),
    (DecimalType, re.compile(r"[+-]?[0-9]+(\.[0-9]+)?"), Decimal),
    (DateType, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), dt.date.fromisoformat),
    (DoubleType | FloatType, re.compile(r"NaN|-?Infinity"), float),
    (DoubleType, re.compile(r"[+-]?[0-9]+(\.[0-9]+)?"), float),
    (BooleanType, re.compile(r"true|false", re.IGNORECASE), lambda text: text.lower() == "true"),
)
"""Texts that everybody reads alike."""


def _exact(value: Any, target: LogicalType) -> Any:
    """The value in the class that stands for the type, if it has it exactly."""
    if isinstance(target, DecimalType):
        _require(type(value) in (int, Decimal))
        with localcontext(_WIDE):
            scaled = Decimal(value).quantize(Decimal(1).scaleb(-target.scale))
        _require(scaled == value and len(scaled.as_tuple().digits) <= target.precision)
        return scaled
    _require(any(isinstance(target, kind) and fits(value, target) for kind, fits in _FITS))
    return value


def _is_in_range(value: Any, target: LogicalType) -> bool:
    assert isinstance(target, IntegralType)
    return type(value) is int and -(1 << target.bits - 1) <= value < 1 << target.bits - 1


def _is_interval(value: Any, target: LogicalType) -> bool:
    most = 1 << 63
    return type(value) is dt.timedelta and -most <= value // dt.timedelta(microseconds=1) < most


_FITS: tuple[tuple[type[LogicalType], Callable[[Any, LogicalType], bool]], ...] = (
    (IntegralType, _is_in_range),
    (DoubleType, lambda value, target: type(value) is float),
    (FloatType, lambda value, target: type(value) is float and not math.isfinite(value)),
    (StringType, lambda value, target: type(value) is str),
    (BooleanType, lambda value, target: type(value) is bool),
    (DateType, lambda value, target: type(value) is dt.date),
    (DayTimeIntervalType, _is_interval),
    (TimestampType, lambda value, target: isinstance(value, dt.datetime)),
    (TimestampNtzType, lambda value, target: isinstance(value, dt.datetime)),
)
"""Whether a value is one of the type."""
