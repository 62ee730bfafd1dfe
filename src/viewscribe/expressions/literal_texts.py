"""Literals as the text that a default is stored by, and back; for all else there is a parser.

A default of a parameter stands in documents as SQL text. Where a call leaves it out, the call
needs its value: a plain literal is read here, exactly as Spark reads it; anything more is None.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal

from viewscribe.errors import NotSerializableError, TypeMismatchError
from viewscribe.expressions.literals import NULL, literal
from viewscribe.expressions.nodes import Literal
from viewscribe.types import BIGINT, INT, SMALLINT, TINYINT, LogicalType
from viewscribe.types.lexemes import string_value

_NUMBER = re.compile(
    r"(?P<digits>-?(?:\d+(?P<point>\.\d*)?|(?P<bare>\.\d+))(?P<exponent>E[+-]?\d+)?)"
    r"(?P<suffix>BD|[LSYDF])?",
    re.IGNORECASE | re.ASCII,
)
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_BINARY = re.compile(r"X'((?:[0-9A-F]{2})*)'", re.IGNORECASE)
_DATE = re.compile(r"DATE\s*'(\d{4}-\d{2}-\d{2})'", re.IGNORECASE | re.ASCII)

_WORDS = {"NULL": NULL, "TRUE": literal(True), "FALSE": literal(False)}
_INTEGERS: dict[str, LogicalType] = {"L": BIGINT, "S": SMALLINT, "Y": TINYINT}


def literal_of(text: str) -> Literal | None:
    """The literal that a SQL text is; None where it is none of the plain ones.

    Plain are NULL, TRUE, FALSE, numbers, strings, DATE '…' and X'…'.
    """
    text = text.strip()
    try:
        return _WORDS.get(text.upper()) or next(
            (read(match) for form, read in _FORMS if (match := form.fullmatch(text))), None
        )
    except (TypeMismatchError, ValueError):  # a number that is too large, a day that is none
        return None


def text_of(value: Literal) -> str | None:
    """The text of a plain literal, which ``literal_of`` reads back; None of any other."""
    try:
        text = value.as_serializable_string()
    except NotSerializableError:
        return None
    return text if literal_of(text) == value else None


def _number(match: re.Match[str]) -> Literal | None:
    digits, suffix = match["digits"], (match["suffix"] or "").upper()
    whole = match["point"] is None and match["bare"] is None and match["exponent"] is None
    if suffix in _INTEGERS:
        return literal(int(digits), _INTEGERS[suffix]) if whole else None
    if suffix == "F":
        return None  # Spark rounds what Python has no type for
    if suffix == "BD":
        return literal(Decimal(digits))
    if suffix == "D" or match["exponent"] is not None:
        return literal(float(digits))
    if not whole:
        return literal(Decimal(digits))
    return _smallest(int(digits))


def _smallest(value: int) -> Literal:
    for type_ in (INT, BIGINT):
        try:
            return literal(value, type_)
        except TypeMismatchError:
            continue
    return literal(Decimal(value))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Literal | None]], ...] = (
    (_NUMBER, _number),
    (_STRING, lambda match: literal(string_value(match[0]))),
    (_BINARY, lambda match: literal(bytes.fromhex(match[1]))),
    (_DATE, lambda match: literal(dt.date.fromisoformat(match[1]))),
)
