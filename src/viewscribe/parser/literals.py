"""Literals, of the types that Spark's grammar gives them (``AstBuilder``)."""

from __future__ import annotations

import datetime as dt
import operator
import re
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, Cast, Literal, ResolvedExpression
from viewscribe.types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    DayTimeIntervalType,
    IntegralType,
    IntType,
    LogicalType,
    TimeType,
    YearMonthIntervalType,
    decimal,
)
from viewscribe.types.identifiers import knows_local_time, zone_of

# Constants that a text computes where Spark takes a value: ``LIMIT 1 + 1``, frames of windows.

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
}
_OPERANDS = (int, dt.timedelta)


def computed(expression: ResolvedExpression, *, casts: bool = False) -> ResolvedExpression:
    """The value of sums, differences and products of literals; what is none stays as it is.

    Args:
        expression: what was written.
        casts: whether whole numbers of different types are taken, too, as Spark does where the
            analyzer looks, and not the parser.
    """
    if casts and isinstance(expression, Cast) and isinstance(expression.type, IntegralType):
        child = computed(expression.child, casts=True)
        if _is_whole(child):
            return _fitting(child.value, expression)  # type: ignore[attr-defined]
    if isinstance(expression, Call) and expression.function.built_in_name in _OPERATORS:
        args = [computed(each, casts=casts) for each in expression.args]
        values = [each.value for each in args if isinstance(each, Literal)]
        alike = all(each.type.same_type(args[0].type) for each in args)
        if len(values) == len(args) == 2 and alike and type(values[0]) in _OPERANDS:
            if isinstance(values[0], dt.timedelta) and expression.function.built_in_name == "times":
                return expression
            return _fitting(_OPERATORS[expression.function.built_in_name](*values), expression)
    return expression


def _is_whole(expression: ResolvedExpression) -> bool:
    value = expression.value if isinstance(expression, Literal) else None
    return isinstance(value, int) and not isinstance(value, bool)


def _fitting(value: Any, expression: ResolvedExpression) -> ResolvedExpression:
    """The value as a literal of the expression's type, unless it is too large for that."""
    type_ = expression.type
    if (
        isinstance(type_, IntegralType)
        and not -(1 << type_.bits - 1) <= value < 1 << type_.bits - 1
    ):
        return expression
    return Literal(value, type_.not_null())


def whole_number(expression: ResolvedExpression) -> int | None:
    """The value of a constant; None for what is none, or no whole number."""
    found = computed(expression, casts=True)
    return found.value if _is_whole(found) else None  # type: ignore[attr-defined]


def count_of_rows(expression: ResolvedExpression) -> int | None:
    """The number that LIMIT and OFFSET take; None for what is no constant of INT."""
    folded = fold_constant(expression)
    count = whole_number(expression if folded is None else folded)
    return count if isinstance(expression.type, IntType) else None


_NUMBER = re.compile(r"(-?)(\d*\.?\d*(?:[eE][+-]?\d+)?)([a-zA-Z]*)", re.ASCII)
_LEADING = re.compile(r"^0+(?=\d)")
MOST_DIGITS = 38
"""No number of Spark's has more; Python refuses to read one of thousands."""
_WHOLE: dict[str, tuple[LogicalType, int]] = {
    "Y": (TINYINT, 8),
    "S": (SMALLINT, 16),
    "L": (BIGINT, 64),
}


def number(text: str) -> Literal:
    """``1`` is an INT, ``1.5`` a DECIMAL, ``1e3`` a DOUBLE, ``1L`` a BIGINT; wider where too large.

    Raises:
        ValidationError: the number is too large for its type.
    """
    match = _NUMBER.fullmatch(text)
    assert match is not None
    sign, digits, suffix = match[1], _LEADING.sub("", match[2]), match[3].upper()
    signed = sign + digits
    if digits.isdigit() and len(digits) > MOST_DIGITS:
        raise _too_many_digits(text)
    if suffix in ("", "BD"):
        if suffix == "" and digits.isdigit():
            return _integer(int(signed))
        if suffix == "" and "e" in digits.lower():
            return _floating(text, signed, DOUBLE)
        return _decimal(signed)
    if suffix in ("D", "F"):
        return _floating(text, signed, DOUBLE if suffix == "D" else FLOAT)
    type_, bits = _WHOLE[suffix]
    value = int(signed)
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ValidationError(f"{text} is no {type_.ddl}: it is too large")
    return literal(value, type_)


def _floating(text: str, digits: str, type_: LogicalType) -> Literal:
    value = float(digits)
    if abs(value) > (_LARGEST_FLOAT if type_ is FLOAT else sys.float_info.max):
        raise ValidationError(f"{text} is no {type_.ddl}: it is too large")
    return literal(value, type_)


_LARGEST_FLOAT = 3.4028234663852886e38


def _integer(value: int) -> Literal:
    if -(2**31) <= value < 2**31:
        return literal(value, INT)
    if -(2**63) <= value < 2**63:
        return literal(value, BIGINT)
    return _decimal(str(value))


def _decimal(text: str) -> Literal:
    try:
        value = Decimal(text)
    except InvalidOperation:  # an exponent of more digits than a machine counts with
        raise _too_many_digits(text) from None
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    precision, scale = max(len(digits) + max(exponent, 0), -exponent), max(-exponent, 0)
    if precision > MOST_DIGITS:
        raise _too_many_digits(text)
    return literal(Decimal(f"{value:f}"), decimal(precision, scale))


def _too_many_digits(text: str) -> ValidationError:
    what = f"more than {MOST_DIGITS} digits, the most that a DECIMAL has"
    return ValidationError(f"{text} has {what}")


# -- times ----------------------------------------------------------------------------------------

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.DOTALL | re.ASCII)
_MOMENT = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?)?)?"
    r"\s*([A-Za-z]\w*(?:[/+-][\w:/+-]+)?|[+-]\d{1,2}(?::?\d{2})?)?",
    re.ASCII,
)
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?", re.ASCII)


def date_value(text: str) -> Literal | None:
    """The value of ``DATE '2024-1-5'``; None for what is no date, or one that Python lacks."""
    if text.strip().lower() == "epoch":
        return literal(dt.date(1970, 1, 1), DATE)
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return literal(dt.date(int(match[1]), int(match[2] or 1), int(match[3] or 1)), DATE)
    except ValueError:
        return None


def moment_value(text: str, type_: LogicalType | None, zone: dt.tzinfo | None) -> Literal | None:
    """The value of ``TIMESTAMP '…'``; None where only a session's time zone could say it.

    Args:
        text: what stands between the quotes.
        type_: the type, or None for one that a zone in the text decides.
        zone: the session's.

    Raises:
        ValidationError: Python and Java may disagree on what moment that is.
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(each or 0) for each in match.groups()[:6])
    micros = int((match[7] or "").ljust(6, "0")[:6])
    try:
        moment = dt.datetime(year, month or 1, day or 1, hour, minute, second, micros)
    except ValueError:
        return None
    offset = _offset(match[8])
    if match[8] and offset is None:
        return None
    if type_ is TIMESTAMP_NTZ:
        return literal(moment, TIMESTAMP_NTZ) if offset is None else None
    own = offset if offset is not None else zone
    if own is not None and not knows_local_time(own, year):
        raise ValidationError(
            f"what moment {text!r} is in {own} depends on how the zone database was built",
            hint="write it with an offset: TIMESTAMP '1950-01-01 00:00:00+01:00'",
        )
    return None if own is None else literal(moment.replace(tzinfo=own), TIMESTAMP)


def has_zone(text: str) -> bool:
    """Whether a moment says its own zone."""
    match = _MOMENT.fullmatch(text.strip())
    return match is not None and match[8] is not None


def _offset(text: str | None) -> dt.tzinfo | None:
    """The zone that a moment says; an offset may lack its colon."""
    if text is None:
        return None
    digits = text[1:].replace(":", "")
    if text[0] not in "+-" or not digits.isdigit():
        return zone_of(text)
    hours, minutes = (digits, "00") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    return zone_of(f"{text[0]}{hours}:{minutes}")


def time_value(text: str) -> Literal | None:
    """The value of ``TIME '12:30:00'``."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    fraction = match[4] or ""
    try:
        found = dt.time(
            int(match[1]), int(match[2]), int(match[3] or 0), int(fraction.ljust(6, "0"))
        )
    except ValueError:
        return None
    return literal(found, TimeType())


# -- intervals ------------------------------------------------------------------------------------

_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
_FIELD = {"WEEK": "DAY", "MILLISECOND": "SECOND", "MICROSECOND": "SECOND"}
_ORDER = ("DAY", "HOUR", "MINUTE", "SECOND")
_AMOUNT = re.compile(r"[+-]?(?:\d{1,38}(?:\.\d*)?|\.\d+)", re.ASCII)


def unit_of(word: str) -> str | None:
    """The unit of an interval that a word means: ``DAYS`` is DAY."""
    for unit in (word, word.removesuffix("S")):
        if unit in _MONTHS or unit in _MICROS:
            return unit
    return None


def interval_of_units(parts: Sequence[tuple[str, str]]) -> Literal:
    """``INTERVAL 1 DAY 2 HOURS``: amounts with their units.

    Raises:
        ValidationError: an amount that is no number, or months beside days.
    """
    months, micros = 0, 0
    units = [unit for _, unit in parts]
    for amount, unit in parts:
        text = re.sub(r"\s+", "", amount)
        if not _AMOUNT.fullmatch(text) or ("." in text and unit != "SECOND"):
            raise ValidationError(f"{amount!r} is no number of {unit.lower()}s")
        if unit in _MONTHS:
            months += int(text) * _MONTHS[unit]
        else:
            micros += _micros_of(text, unit)
    in_months = [unit for unit in units if unit in _MONTHS]
    if in_months and len(in_months) < len(units):
        raise ValidationError(
            "an interval has years and months, or days and smaller units, and not both",
            hint="add them one after the other: a + INTERVAL '1' MONTH + INTERVAL '1' DAY",
        )
    if in_months:
        first, last = (
            ("YEAR" if "YEAR" in units else "MONTH"),
            ("MONTH" if "MONTH" in units else "YEAR"),
        )
        return literal(months, YearMonthIntervalType(start=first, end=last))
    fields = sorted({_FIELD.get(unit, unit) for unit in units}, key=_ORDER.index)
    return _span(micros, fields[0], fields[-1])


def _span(micros: int, first: str, last: str) -> Literal:
    try:
        span = dt.timedelta(microseconds=micros)
    except OverflowError:
        raise ValidationError("an interval of more than 999,999,999 days is not read") from None
    return literal(span, DayTimeIntervalType(start=first, end=last))


_WORDS = re.compile(r"\s*([+-]?\s*(?:\d+(?:\.\d*)?|\.\d+))\s*([a-zA-Z]+)", re.ASCII)


def interval_of_text(text: str) -> Literal:
    """``INTERVAL '1 day 2 hours'``.

    Raises:
        ValidationError: the text is no interval.
    """
    rest = text.strip()
    if rest[:8].lower() == "interval":
        rest = rest[8:].strip()
    parts, place = [], 0
    while place < len(rest):
        match = _WORDS.match(rest, place)
        unit = unit_of(match[2].upper()) if match else None
        if match is None or unit is None:
            raise ValidationError(f"{text!r} is no interval", hint="write INTERVAL '1 day 2 hours'")
        parts.append((re.sub(r"\s", "", match[1]), unit))
        place = match.end()
        while place < len(rest) and rest[place].isspace():
            place += 1
    if not parts:
        raise ValidationError(f"{text!r} is no interval", hint="write INTERVAL '1 day 2 hours'")
    return interval_of_units(parts)


_YEARS_MONTHS = re.compile(r"([+-]?)(\d{1,38})-(\d{1,38})", re.ASCII)
_CLOCK = {
    ("DAY", "HOUR"): r"(?P<DAY>\d+) (?P<HOUR>\d+)",
    ("DAY", "MINUTE"): r"(?P<DAY>\d+) (?P<HOUR>\d+):(?P<MINUTE>\d+)",
    ("DAY", "SECOND"): r"(?P<DAY>\d+) (?P<HOUR>\d+):(?P<MINUTE>\d+):(?P<SECOND>\d+(?:\.\d{1,9})?)",
    ("HOUR", "MINUTE"): r"(?P<HOUR>\d+):(?P<MINUTE>\d+)",
    ("HOUR", "SECOND"): r"(?P<HOUR>\d+):(?P<MINUTE>\d+):(?P<SECOND>\d+(?:\.\d{1,9})?)",
    ("MINUTE", "SECOND"): r"(?P<MINUTE>\d+):(?P<SECOND>\d+(?:\.\d{1,9})?)",
}


def interval_of_range(text: str, first: str, last: str, *, negative: bool = False) -> Literal:
    """``INTERVAL '1-2' YEAR TO MONTH``, ``INTERVAL '1 02:03:04.5' DAY TO SECOND``.

    Raises:
        ValidationError: the text has another form, or there is no such interval.
    """
    written = text.strip()
    if (first, last) == ("YEAR", "MONTH"):
        match = _YEARS_MONTHS.fullmatch(written)
        if match is not None:
            months = 12 * int(match[2]) + int(match[3])
            turned = negative is not (match[1] == "-")
            return literal(
                -months if turned else months, YearMonthIntervalType(start=first, end=last)
            )
    elif (first, last) in _CLOCK:
        match = re.fullmatch(f"(?P<sign>[+-]?){_CLOCK[first, last]}", written, re.ASCII)
        if match is not None:
            micros = sum(
                _micros_of(amount, unit)
                for unit, amount in match.groupdict().items()
                if unit != "sign"
            )
            turned = negative is not (match["sign"] == "-")
            return _span(-micros if turned else micros, first, last)
    else:
        raise ValidationError(f"there is no interval from {first} to {last}")
    raise ValidationError(f"{text!r} is no interval {first} TO {last}")


def _micros_of(amount: str, unit: str) -> int:
    """The microseconds in some units of time; no part is rounded up."""
    from fractions import Fraction

    return int(Fraction(Decimal(amount)) * _MICROS[unit])
