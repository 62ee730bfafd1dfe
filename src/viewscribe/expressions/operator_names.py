"""Spark's names of operators and casts, which depend on types: ``date_add(d, 7)``, ``(a > 1)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import NamedTuple

from viewscribe.expressions.functions.operator_types import is_truth_value
from viewscribe.expressions.nodes import Literal
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.policy import IN_FORCE as COERCION

TIMES = (DateType, TimestampType, TimestampNtzType)
_ANSI_INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)
_INTERVALS = (*_ANSI_INTERVALS, CalendarIntervalType)


class Operand(NamedTuple):
    """An operand as it is spelled.

    Args:
        text: how it is spelled.
        find_type: tells its type, which few operators ask for.
        value: the literal that it is.
    """

    text: str
    find_type: Callable[[], LogicalType]
    value: Literal | None = None


def operator_text(name: str, operands: Sequence[Operand]) -> str | None:
    """Returns the text of an operator; None where it does not depend on types."""
    if len(operands) != 2:
        return None
    if name in _NEGATED:
        made = operator_text(_NEGATED[name], operands)
        return made and f"(NOT {made})"
    if name in ("=", "==", "<=>"):
        return _equal(name, operands)
    if name in ("+", "-"):
        return _moved(name, operands)
    if name in ("*", "/"):
        types = [each.find_type() for each in operands]
        texts = [each.text for each in operands]
        if isinstance(types[1], _INTERVALS):
            texts.reverse()
        if any(isinstance(each, CalendarIntervalType) for each in types):
            return f"{'multiply' if name == '*' else 'divide'}_interval({', '.join(texts)})"
        return f"({texts[0]} {name} {texts[1]})"
    return _compared(name, operands) if name in _ROUNDED else None


def _moved(sign: str, operands: Sequence[Operand]) -> str | None:
    """A date plus days, or a time plus an interval."""
    date, by = (each.find_type() for each in operands)
    texts = [each.text for each in operands]
    if isinstance(date, TimeType) or isinstance(by, TimeType):
        if sign == "+" and not isinstance(date, TimeType):
            texts.reverse()
        return f"{texts[0]} {sign} {texts[1]}"
    behind = (*TIMES, StringType) if isinstance(date, _INTERVALS) else TIMES
    if sign == "+" and isinstance(by, behind) and not isinstance(date, TIMES):
        date, by = by, date  # the time stands first, wherever it was written
        texts.reverse()
    if sign == "+" and isinstance(date, TIMES) and isinstance(by, VoidType):
        return f"{texts[0]} + {texts[1]}"
    if isinstance(date, DateType) and isinstance(by, IntegralType):
        return f"date_{'add' if sign == '+' else 'sub'}({texts[0]}, {texts[1]})"
    if isinstance(date, DateType) and isinstance(by, DayTimeIntervalType) and by.end == "DAY":
        days = f"extractansiintervaldays({texts[1]})"
        return f"date_add({texts[0]}, {days if sign == '+' else f'(- {days})'})"
    types = (date, by)
    beside = any(isinstance(each, (*TIMES, StringType)) for each in types)
    if beside and any(isinstance(each, _INTERVALS) for each in types):
        return f"{texts[0]} {sign} {texts[1]}"
    return None


_ROUNDED = {">": ROUND_FLOOR, ">=": ROUND_CEILING, "<": ROUND_CEILING, "<=": ROUND_FLOOR}
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


_NEGATED = {"!=": "=", "is_distinct_from": "<=>"}


def _equal(name: str, operands: Sequence[Operand]) -> str | None:
    """Truth beside the numbers 0 and 1 is that truth to Spark, or its opposite, with ANSI off."""
    for place, each in enumerate(operands):
        truth, value = operands[1 - place], each.value
        if COERCION.get().ansi or value is None or not isinstance(value.type, NumericType):
            continue
        if is_truth_value(value.value) and isinstance(truth.find_type(), BooleanType):
            made = truth.text if value.value else f"(NOT {truth.text})"
            return f"(({truth.text} IS NOT NULL) AND {made})" if name == "<=>" else made
    return None


def _compared(name: str, operands: Sequence[Operand]) -> str | None:
    """A literal with decimals beside a whole number is compared as a whole number itself.

    ``a > 1.5`` is ``(a > 1)`` to Spark, and ``1.5 > a`` is ``(2 > a)``.
    """
    texts = [each.text for each in operands]
    for place, each in enumerate(operands):
        if each.value is None or not isinstance(each.value.type, DecimalType):
            continue
        if each.value.value is None or not isinstance(
            operands[1 - place].find_type(), IntegralType
        ):
            continue
        rounded = each.value.value.to_integral_value(_ROUNDED[name if place else _TURNED[name]])
        if rounded.copy_abs() < 1 << 63:
            texts[place] = f"{rounded:f}" if rounded else "0"
    return f"({texts[0]} {name} {texts[1]})"


def cast_text(child: str, target: LogicalType, *, lenient: bool) -> str:
    """Returns the text of a cast, which Spark leaves out for arrays, maps and structs."""
    if isinstance(target, ArrayType | MapType | StructType):
        return child
    ddl = re.sub(r"DECIMAL\((\d+), (\d+)\)", r"DECIMAL(\1,\2)", target.ddl)
    return f"{'TRY_CAST' if lenient else 'CAST'}({child} AS {ddl})"


def chars_call(name: str, texts: list[str], given: LogicalType) -> tuple[str, list[str]]:
    """Returns what to_char and to_varchar are called, by the type of what they are given."""
    if isinstance(given, (*TIMES, TimeType)):
        return "date_format", texts
    if not isinstance(given, BinaryType) or len(texts) < 2:
        return "to_char", texts
    form = texts[1].lower()
    if name == "to_varchar":
        return name, texts if form == "utf-8" else texts[:1]
    return ("decode", texts) if form == "utf-8" else (form, texts[:1])
