"""The rules of Spark's names for unnamed columns."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from viewscribe.expressions import dsl
from viewscribe.expressions.nodes import (
    FieldReference,
    Frame,
    FrameBound,
    LambdaVariable,
    Literal,
    OuterReference,
)
from viewscribe.expressions.resolve import resolve
from viewscribe.spark.capture.connect.naming import CASTS, SPELLED, arguments_shown
from viewscribe.spark.capture.connect.spelling import Clause, Spelling, literal_in
from viewscribe.types import (
    VOID,
    ArrayType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    MapType,
    StructType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)


def spelled(expression: Any, known: Spelling) -> str:
    """The expression as Spark's analyzer spells it when it needs a name."""
    clause = known.known_clause(expression)
    if clause is not None:
        return _clause(clause, known)
    name = known.known_name(expression)
    if name is not None and not isinstance(expression, dsl.ItemExpression):
        return name
    call = known.known_call(expression)
    if call is not None:
        return _call(call.name, call.args, call.distinct, known)
    handler = _HANDLERS.get(type(expression))
    if handler is not None:
        return handler(expression, known)
    return _lambda(expression, known) if callable(expression) else repr(expression)


def _clause(clause: Clause, known: Spelling) -> str:
    """An aggregate with what comes after its parentheses."""
    call, inner = known.known_call(clause.call), spelled(clause.call, known)
    name = call.name.lower() if call is not None else ""
    if clause.kind == "FILTER":
        return f"{inner} FILTER (WHERE {spelled(clause.parts[0], known)})"
    if clause.kind == "IGNORE NULLS":
        return f"{inner} ignore nulls" if name == "nth_value" else inner
    if clause.kind == "RESPECT NULLS":
        return f"{inner} RESPECT NULLS" if name.startswith("collect_") else inner
    if name in ("listagg", "string_agg"):
        keys = ", ".join(_key(key, known) for key in clause.parts)
        return f"{inner} WITHIN GROUP (ORDER BY {keys})"
    (key,) = clause.parts
    turned = key.descending is not (name == "mode")  # Spark shows what it takes the mode by
    order = " DESC" if turned else ""
    return f"{inner} WITHIN GROUP (ORDER BY {spelled(key.child, known)}{order})"


def _lambda(function: Callable[..., Any], known: Spelling) -> str:
    count = len(inspect.signature(function).parameters)
    variables = [dsl.ValueExpression(LambdaVariable("x", VOID)) for _ in range(count)]
    names = ", ".join(["namedlambdavariable()"] * count)
    return f"lambdafunction({spelled(function(*variables), known)}, {names})"


def _all(args: Sequence[Any], known: Spelling) -> list[str]:
    texts: list[str] = []
    for arg in args:
        if isinstance(arg, dsl.StarExpression) and not arg.qualifier:
            texts += known.schema.names
        else:
            texts.append(spelled(arg, known))
    return texts


def _call(name: str, args: Sequence[Any], distinct: bool, known: Spelling) -> str:
    folded = name.lower()
    rule = _RULES.get(folded)
    every = folded == "count" and _is_star(args) and not distinct
    texts = ["1"] if every else _all(args, known)
    if folded in CASTS and len(texts) == 1:
        return f"CAST({texts[0]} AS {CASTS[folded]})"
    if folded in ("lag", "lead"):
        texts += ["1", "NULL"][len(texts) - 1 :]
    if folded in ("+", "-") and len(args) == 2:
        moved = _moved_date(folded, args, texts, known)
        if moved is not None:
            return moved
    if folded in ("+", "-") and _moves_time(args, known):
        return f"{texts[0]} {folded} {texts[1]}"
    if rule is not None and not distinct:
        return rule(texts)
    if folded in ("ceil", "floor", "ceiling") and len(texts) == 2:
        return f"{folded}({', '.join(texts)})"
    if folded in _WITHOUT_LAST and len(texts) == _WITHOUT_LAST[folded]:
        texts = texts[:-1]
    listed = ", ".join(arguments_shown(folded, texts))
    return f"{SPELLED.get(folded, folded)}({'DISTINCT ' if distinct else ''}{listed})"


def _moved_date(
    sign: str, args: Sequence[Any], texts: Sequence[str], known: Spelling
) -> str | None:
    """A date moved by days, which are a number or an interval of days alone."""
    date, days = (resolve(arg, known.schema).type for arg in args)
    if not isinstance(date, DateType):
        return None
    if isinstance(days, IntegralType):
        return f"date_{'add' if sign == '+' else 'sub'}({texts[0]}, {texts[1]})"
    if not isinstance(days, DayTimeIntervalType) or days.end != "DAY":
        return None
    moved = f"extractansiintervaldays({texts[1]})"
    return f"date_add({texts[0]}, {moved if sign == '+' else f'(- {moved})'})"


def _moves_time(args: Sequence[Any], known: Spelling) -> bool:
    """Whether an interval is added to a time."""
    types = [resolve(arg, known.schema).type for arg in args]
    intervals = (DayTimeIntervalType, YearMonthIntervalType)
    times = (DateType, TimestampType, TimestampNtzType)
    return any(isinstance(t, intervals) for t in types) and any(isinstance(t, times) for t in types)


def _is_star(args: Sequence[Any]) -> bool:
    return len(args) == 1 and isinstance(args[0], dsl.StarExpression)


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


def _in(texts: list[str]) -> str:
    return f"({texts[0]} IN ({', '.join(texts[1:])}))"


def _case(texts: list[str]) -> str:
    branches = "".join(
        f" WHEN {texts[at]} THEN {texts[at + 1]}" for at in range(0, len(texts) - 1, 2)
    )
    otherwise = f" ELSE {texts[-1]}" if len(texts) % 2 else ""
    return f"CASE{branches}{otherwise} END"


def _mode(texts: list[str]) -> str:
    """Told to be deterministic, ``mode`` orders the values."""
    if not texts:
        return "mode()"
    ordered = len(texts) == 2 and texts[1] == "true"
    return f"mode() WITHIN GROUP (ORDER BY {texts[0]} DESC)" if ordered else f"mode({texts[0]})"


def _quantified(name: str, folded: bool) -> Callable[[list[str]], str]:
    """``LIKE ANY`` and its kin, whose patterns are no part of the name."""
    return lambda texts: f"{name}(lower({texts[0]}))" if folded else f"{name}({texts[0]})"


def _trimmed(name: str, side: str) -> Callable[[list[str]], str]:
    def text(texts: list[str]) -> str:
        if len(texts) == 1:
            return f"{name}({texts[0]})"
        return f"TRIM({side} {texts[0]} FROM {texts[1]})"

    return text


def _parsed(texts: list[str]) -> str:
    """A map that is parsed is called after what it holds."""
    schema = texts[1].strip() if len(texts) > 1 else ""
    of_map = schema.upper().startswith("MAP<")
    if schema.startswith("{"):
        of_map = json.loads(schema).get("type") == "map"
    return "entries" if of_map else f"from_json({texts[0]})"


_RULES: dict[str, Callable[[list[str]], str]] = {
    **{symbol: _infix(symbol) for symbol in ("+", "*", "/", "%", "&", "|", "^", "<", "<=")},
    **{symbol: _infix(symbol) for symbol in (">", ">=", "<=>")},
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
    "like": lambda texts: (
        f"{texts[0]} LIKE {texts[1]}" + (f" ESCAPE '{texts[2]}'" if len(texts) > 2 else "")
    ),
    "ilike": lambda texts: f"ilike({', '.join(texts)})",
    "when": _case,
    "mode": _mode,
    "trim": _trimmed("trim", "BOTH"),
    "ltrim": _trimmed("ltrim", "LEADING"),
    "rtrim": _trimmed("rtrim", "TRAILING"),
    **{
        f"{negated}{case}like_{which}": _quantified(f"{negated[:3]}like{which}", bool(case))
        for negated in ("", "not_")
        for case in ("", "i")
        for which in ("any", "all")
    },
    "is_true": lambda texts: f"({texts[0]} <=> true)",
    "is_distinct_from": lambda texts: f"(NOT ({texts[0]} <=> {texts[1]}))",
    "is_false": lambda texts: f"({texts[0]} <=> false)",
    "extract": lambda texts: f"extract({texts[0]} FROM {texts[1]})",
    "from_json": _parsed,
    "window": lambda texts: "window",
    "session_window": lambda texts: "session_window",
    "if": lambda texts: f"(IF({', '.join(texts)}))",
}


def _value(expression: dsl.ValueExpression, known: Spelling) -> str:
    resolved = expression.resolved
    if isinstance(resolved, FieldReference | OuterReference):
        return resolved.name
    if isinstance(resolved, LambdaVariable):
        return "namedlambdavariable()"
    if isinstance(resolved, Literal):
        return _literal(resolved, known)
    return resolved.as_summary_string()


def _literal(value: Literal, known: Spelling) -> str:
    held = value.value
    if held is None:
        return "NULL"
    if isinstance(held, bool):
        return "true" if held else "false"
    if isinstance(held, str):
        return held
    if isinstance(value.type, DayTimeIntervalType | YearMonthIntervalType):
        return value.as_serializable_string()
    if isinstance(held, dt.datetime):
        if held.tzinfo is None:
            return f"TIMESTAMP_NTZ '{_moment(held)}'"
        return f"TIMESTAMP '{_moment(known.local(held))}'"
    if isinstance(held, dt.date):
        return f"DATE '{held.isoformat()}'"
    if isinstance(value.type, DecimalType):
        return f"{held:f}"
    if isinstance(held, bytes):
        return f"X'{held.hex().upper()}'"
    if isinstance(value.type, ArrayType):
        element = value.type.element
        return f"array({', '.join(_literal(Literal(each, element), known) for each in held)})"
    if isinstance(held, tuple):
        return value.as_serializable_string()
    return floating_text(held) if isinstance(held, float) else str(held)


def floating_text(value: float) -> str:
    """The number as Java writes it: ``1.0E10`` where Python says ``10000000000.0``."""
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


def _moment(moment: dt.datetime) -> str:
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def _alias(expression: dsl.AliasExpression, known: Spelling) -> str:
    return f"{spelled(expression.child, known)} AS {expression.alias_name}"


def _cast(expression: dsl.CastExpression, known: Spelling) -> str:
    word = "TRY_CAST" if expression.lenient else "CAST"
    target = re.sub(r"DECIMAL\((\d+), (\d+)\)", r"DECIMAL(\1,\2)", expression.target.ddl)
    return f"{word}({spelled(expression.child, known)} AS {target})"


def _item(expression: dsl.ItemExpression, known: Spelling) -> str:
    base = spelled(expression.base, known)
    key = literal_in(expression.key)
    type_ = resolve(expression.base, known.schema).type
    inner = type_.element if isinstance(type_, ArrayType) else type_
    if key is not None and isinstance(key.value, str) and not isinstance(type_, MapType):
        return f"{base}.{key.value}" if isinstance(inner, StructType) else f"{base}[{key.value}]"
    return f"{base}[{spelled(expression.key, known)}]"


def _key(key: dsl.SortExpression, known: Spelling) -> str:
    direction = "DESC" if key.descending else "ASC"
    nulls = "FIRST" if key.nulls_come_first else "LAST"
    return f"{spelled(key.child, known)} {direction} NULLS {nulls}"


def _over(expression: dsl.OverExpression, known: Spelling) -> str:
    window = expression.window
    parts = []
    if window.partition_keys:
        parts.append(f"PARTITION BY {', '.join(_all(window.partition_keys, known))}")
    if window.order_keys:
        parts.append("ORDER BY " + ", ".join(_key(key, known) for key in window.order_keys))
    parts.append(_frame(expression, window, known))
    return f"{spelled(expression.call, known)} OVER ({' '.join(parts)})"


_BY_ROWS = frozenset(
    (
        "rank", "dense_rank", "percent_rank", "row_number", "ntile", "cume_dist", "lag", "lead",
        "counter_diff",
    )
)  # fmt: skip


def _frame(expression: dsl.OverExpression, window: dsl.WindowSpec, known: Spelling) -> str:
    call = known.known_call(expression.call)
    name = call.name.lower() if call else ""
    if name in ("lag", "lead") and call is not None:
        offset = literal_in(call.args[1]) if len(call.args) > 1 else None
        shift = offset.value if offset else 1
        shift = -shift if name == "lag" else shift
        return f"ROWS BETWEEN {shift} FOLLOWING AND {shift} FOLLOWING"
    if name == "cume_dist":
        return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    frame = window.frame
    if frame is None:
        unit = "ROWS" if name in _BY_ROWS or not window.order_keys else "RANGE"
        ordered = window.order_keys or name in _BY_ROWS
        end = "CURRENT ROW" if ordered else "UNBOUNDED FOLLOWING"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND {end}"
    return _bounds(frame, known, known.is_in_text(expression))


def _bounds(frame: Frame, known: Spelling, in_text: bool) -> str:
    start, end = (_bound(each, known, in_text) for each in (frame.start, frame.end))
    return f"{frame.unit} BETWEEN {start} AND {end}"


def _bound(bound: FrameBound, known: Spelling, in_text: bool) -> str:
    if bound.offset is None:
        return bound.kind
    if in_text:
        return f"{_literal(bound.offset, known)} {bound.kind}"
    sign = "-" if bound.kind == "PRECEDING" else ""
    return f"{sign}{_literal(bound.offset, known)} FOLLOWING"


def _query(expression: dsl.QueryExpression, known: Spelling) -> str:
    return f"{expression.kind}subquery()"


_HANDLERS: dict[type, Callable[[Any, Spelling], str]] = {
    dsl.ValueExpression: _value,
    dsl.AliasExpression: _alias,
    dsl.CastExpression: _cast,
    dsl.ItemExpression: _item,
    dsl.OverExpression: _over,
    dsl.QueryExpression: _query,
    Literal: lambda literal, known: _literal(literal, known),
}
