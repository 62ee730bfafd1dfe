"""Literals of SQL text, of the types that Spark's grammar gives them."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DayTimeIntervalType,
    YearMonthIntervalType,
    decimal,
)
from viewscribe.types.policy import IN_FORCE


def number(text: str) -> Literal:
    """``1`` is an INT, ``1.5`` a DECIMAL, ``1e3`` a DOUBLE; what is too large is wider."""
    if "e" in text.lower():
        return literal(float(text), DOUBLE)
    if "." in text:
        return _decimal(text)
    value = int(text)
    if -(2**31) <= value < 2**31:
        return literal(value, INT)
    if -(2**63) <= value < 2**63:
        return literal(value, BIGINT)
    return _decimal(text)


def _decimal(text: str) -> Literal:
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    return literal(value, decimal(max(len(digits), scale), scale))


def typed(text: str, type_: str, zone: dt.tzinfo | None) -> Literal | None:
    """``DATE '…'`` and its kin; None where a time zone decides that is not known.

    Args:
        text: what stands between the quotes.
        type_: the type before them.
        zone: the session's.
    """
    if type_ == "DATE":
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip()):
            return None
        return literal(dt.date.fromisoformat(text.strip()), DATE)
    if not _MOMENT.fullmatch(text.strip()):
        return None
    moment = dt.datetime.fromisoformat(text.strip())
    if type_ == "TIMESTAMP" and moment.tzinfo is None:
        type_ = IN_FORCE.get().timestamp.ddl
    if type_ == "TIMESTAMP_NTZ":
        return literal(moment, TIMESTAMP_NTZ) if moment.tzinfo is None else None
    if type_ in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        if moment.tzinfo is None and zone is not None:
            moment = moment.replace(tzinfo=zone)
        return literal(moment, TIMESTAMP) if moment.tzinfo is not None else None
    return None


_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?"
)
"""A moment as SQL text and Python write it alike."""


_MONTHS = {"YEAR": 12, "MONTH": 1}
_SECONDS = {"DAY": 86400, "HOUR": 3600, "MINUTE": 60, "SECOND": 1}


def interval(value: str, unit: str) -> Literal | None:
    """``INTERVAL 3 DAY``: one whole number of one unit; None for anything else."""
    folded = unit.upper().removesuffix("S")
    if not re.fullmatch(r"-?\d+", value.strip()):
        return None
    amount = int(value)
    if folded == "WEEK":
        folded, amount = "DAY", 7 * amount
    if folded in _MONTHS:
        return literal(amount * _MONTHS[folded], YearMonthIntervalType(start=folded, end=folded))
    if folded in _SECONDS:
        span = dt.timedelta(seconds=amount * _SECONDS[folded])
        return literal(span, DayTimeIntervalType(start=folded, end=folded))
    return None
