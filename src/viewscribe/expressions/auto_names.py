"""Spark's auto-generated column names: ``(a + 1)``, ``max(x)``.

They follow ``toPrettySQL`` and the ``sql`` methods of Spark's expressions.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal

from viewscribe.expressions.functions.definition import Frames
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.nodes import Literal
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.types import (
    ArrayType,
    DayTimeIntervalType,
    DecimalType,
    FloatType,
    StructType,
    YearMonthIntervalType,
)


def call_text(folded: str, texts: list[str], *, distinct: bool = False) -> str:
    """Returns the text of a call, from the lower-case function name and its arguments' texts."""
    function = find_built_in(folded)
    if function is not None and function.casts_to is not None and len(texts) == 1:
        return f"CAST({texts[0]} AS {function.casts_to.ddl})"
    rule = _RULES.get(folded)
    if rule is not None and not distinct:
        return rule(texts)
    if folded in ("ceil", "floor", "ceiling") and len(texts) == 2:
        return f"{folded}({', '.join(texts)})"
    if folded in _WITHOUT_LAST and len(texts) == _WITHOUT_LAST[folded]:
        texts = texts[:-1]
    name = folded
    if function is not None:
        name, texts = function.spelled.get(folded, folded), function.spelled_arguments(texts)
    return f"{name}({'DISTINCT ' if distinct else ''}{', '.join(texts)})"


_WITHOUT_LAST = {
    "first": 2,
    "last": 2,
    "any_value": 2,
    "first_value": 2,
    "last_value": 2,
    "nth_value": 3,
}


def _infix(symbol: str) -> Callable[[list[str]], str]:
    return lambda texts: f"({f' {symbol} '.join(texts)})"


def _like(texts: list[str]) -> str:
    """Returns the text of ``LIKE``; a backslash escapes anyway, and is not shown."""
    escape = f" ESCAPE '{texts[2]}'" if texts[2:] not in ([], ["\\"]) else ""
    return f"{texts[0]} LIKE {texts[1]}{escape}"


def _in(texts: list[str]) -> str:
    return f"({texts[0]} IN ({', '.join(texts[1:])}))"


def _case(texts: list[str]) -> str:
    branches = "".join(
        f" WHEN {texts[at]} THEN {texts[at + 1]}" for at in range(0, len(texts) - 1, 2)
    )
    otherwise = f" ELSE {texts[-1]}" if len(texts) % 2 else ""
    return f"CASE{branches}{otherwise} END"


def _mode(texts: list[str]) -> str:
    """Returns the text of ``mode``, which gets an ORDER BY when it is told to be deterministic."""
    if not texts:
        return "mode()"
    ordered = len(texts) == 2 and texts[1] == "true"
    return f"mode() WITHIN GROUP (ORDER BY {texts[0]} DESC)" if ordered else f"mode({texts[0]})"


def _name_quantified(name: str, folded: bool) -> Callable[[list[str]], str]:
    """Returns the text of ``LIKE ANY`` and similar, whose patterns are not part of the name."""
    return lambda texts: f"{name}(lower({texts[0]}))" if folded else f"{name}({texts[0]})"


def _trim(name: str, side: str) -> Callable[[list[str]], str]:
    def text(texts: list[str]) -> str:
        if len(texts) == 1:
            return f"{name}({texts[0]})"
        return f"TRIM({side} {texts[0]} FROM {texts[1]})"

    return text


def _name_parsed(texts: list[str]) -> str:
    """A map that is parsed is called after what it holds."""
    schema = texts[1].strip() if len(texts) > 1 else ""
    of_map = schema.upper().startswith("MAP<")
    if schema.startswith("{"):
        of_map = loads(schema, depth=OUTER_DEPTH).get("type") == "map"
    return "entries" if of_map else f"from_json({texts[0]})"


_RULES: dict[str, Callable[[list[str]], str]] = {
    **{symbol: _infix(symbol) for symbol in ("+", "*", "/", "%", "&", "|", "^", "<", "<=")},
    **{symbol: _infix(symbol) for symbol in (">", ">=", "<=>", "<<", ">>", ">>>")},
    "-": lambda texts: _infix("-")(texts) if len(texts) > 1 else f"(- {texts[0]})",
    "==": _infix("="),
    "=": _infix("="),
    "and": _infix("AND"),
    "or": _infix("OR"),
    "div": _infix("div"),
    "not": lambda texts: f"(NOT {texts[0]})",
    "!": lambda texts: f"(NOT {texts[0]})",
    "~": lambda texts: f"~{texts[0]}",
    "negative": lambda texts: f"negative({texts[0]})",
    "positive": lambda texts: f"(+ {texts[0]})",
    "isnull": lambda texts: f"({texts[0]} IS NULL)",
    "isnotnull": lambda texts: f"({texts[0]} IS NOT NULL)",
    "in": _in,
    "like": _like,
    "ilike": lambda texts: f"ilike({', '.join(texts[:2])})",
    "when": _case,
    "mode": _mode,
    "trim": _trim("trim", "BOTH"),
    "ltrim": _trim("ltrim", "LEADING"),
    "rtrim": _trim("rtrim", "TRAILING"),
    **{
        f"{negated}{case}like_{which}": _name_quantified(f"{negated[:3]}like{which}", bool(case))
        for negated in ("", "not_")
        for case in ("", "i")
        for which in ("any", "all")
    },
    "is_true": lambda texts: f"({texts[0]} <=> true)",
    "is_distinct_from": lambda texts: f"(NOT ({texts[0]} <=> {texts[1]}))",
    "is_false": lambda texts: f"({texts[0]} <=> false)",
    "extract": lambda texts: f"extract({texts[0]} FROM {texts[1]})",
    "datepart": lambda texts: f"datepart({texts[0]} FROM {texts[1]})",
    "from_json": _name_parsed,
    "window": lambda texts: "window",
    "session_window": lambda texts: "session_window",
    "if": lambda texts: f"(IF({', '.join(texts)}))",
}


def literal_text(value: Literal, zone: dt.tzinfo | None = None) -> str:
    """Returns a literal as Spark spells it; timestamps in the session time zone."""
    held = value.value
    if held is None:
        return "NULL"
    if isinstance(held, bool):
        return "true" if held else "false"
    if isinstance(held, str):
        return held
    if isinstance(value.type, DayTimeIntervalType | YearMonthIntervalType):
        return _interval(value)
    if isinstance(held, dt.datetime):
        if held.tzinfo is None:
            return f"TIMESTAMP_NTZ '{_moment(held)}'"
        return f"TIMESTAMP '{_moment(held.astimezone(zone or dt.UTC))}'"
    if isinstance(held, dt.time):
        return f"TIME '{_time(held)}'"
    if isinstance(held, dt.date):
        return f"DATE '{held.isoformat()}'"
    if isinstance(value.type, DecimalType):
        return str(held if held else abs(held))  # Java's decimals know no -0.0
    if isinstance(held, bytes):
        return f"X'{held.hex().upper()}'"
    if isinstance(value.type, ArrayType):
        element = value.type.element
        return f"array({', '.join(literal_text(Literal(each, element), zone) for each in held)})"
    if isinstance(held, tuple):
        return value.as_serializable_string()
    if isinstance(held, float):
        return floating_text(_shortest(held) if isinstance(value.type, FloatType) else held)
    return str(held)


def value_text(value: Literal, zone: dt.tzinfo | None = None) -> str:
    """Returns a literal as Spark casts it to STRING: so it calls the column of a pivot's value.

    Args:
        value: the literal, as it was written.
        zone: the session time zone, in which timestamps are shown.
    """
    held, type_ = value.value, value.type
    if held is None:
        return "null"
    if isinstance(held, bytes):
        return held.decode(errors="replace")
    if isinstance(type_, StructType):
        pairs = zip(held, type_.fields, strict=True)
        return f"{{{', '.join(value_text(Literal(v, f.type), zone) for v, f in pairs)}}}"
    if isinstance(type_, ArrayType):
        return f"[{', '.join(value_text(Literal(v, type_.element), zone) for v in held)}]"
    text = literal_text(value, zone)
    # DATE '…', TIMESTAMP '…'; an interval is the same text in both.
    return text.split("'")[1] if isinstance(held, dt.date | dt.time) else text


def _shortest(value: float) -> float:
    """Returns the number with the fewest digits that is still the same FLOAT."""
    if math.isnan(value) or math.isinf(value):
        return value
    single = struct.pack("f", value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next(float(text) for text in texts if struct.pack("f", float(text)) == single)


def is_shown_alike(value: Literal) -> bool:
    """Whether all versions of Java show a FLOAT or DOUBLE alike.

    Before Java 19 (JDK-4511638) ``1e23`` was shown as ``9.999999999999999E22``. Numbers of few
    digits within these powers of ten were always shown with the fewest that tell them apart.
    """
    held, single = value.value, isinstance(value.type, FloatType)
    if held == 0 or math.isnan(held) or math.isinf(held):
        return True
    shown = Decimal(repr(_shortest(held) if single else held)).normalize()
    lowest, highest, most = (-37, 7, 7) if single else (-300, 16, 15)
    return lowest < shown.adjusted() < highest and len(shown.as_tuple().digits) <= most


def floating_text(value: float) -> str:
    """Formats a number as Java does: ``1.0E10`` where Python writes ``10000000000.0``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return f"{Decimal(repr(value)):f}"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    shown = "".join(map(str, digits))
    power = int(exponent) + len(digits) - 1
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{power}"


def _time(time: dt.time) -> str:
    text = time.strftime("%H:%M:%S")
    return f"{text}.{time.microsecond:06d}".rstrip("0") if time.microsecond else text


def _interval(value: Literal) -> str:
    """Of an interval that begins below the day, the first number has two digits, too."""
    text = value.as_serializable_string()
    if isinstance(value.type, DayTimeIntervalType) and value.type.start != "DAY":
        return re.sub(r"'(-?)(\d)(?!\d)", r"'\g<1>0\2", text, count=1)
    return text


def _moment(moment: dt.datetime) -> str:
    text = moment.replace(tzinfo=None).isoformat(" ", "seconds")
    return f"{text}.{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def runs_over_rows(name: str) -> bool:
    """Whether the function's default window frame is a ROWS frame."""
    function = find_built_in(name)
    return function is not None and function.frames is Frames.ROWS


def is_name_of_cast(name: str) -> bool:
    """Whether a function name is that of a cast, as in ``int(x)``."""
    function = find_built_in(name)
    return function is not None and function.casts_to is not None
