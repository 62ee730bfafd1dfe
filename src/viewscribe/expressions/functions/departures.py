"""Calls that have another type under a setting that types do not follow: refused by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.types import (
    BinaryType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
)

_Given = Sequence[ResolvedExpression]
_Changes = Callable[[_Given, LogicalType], bool]


def refuse_departures(
    settings: frozenset[str], name: str, args: _Given, found: LogicalType
) -> None:
    """Refuses a call whose type one of the settings changes.

    Args:
        settings: those that have another value than the one types are found by.
        name: the function.
        args: what it is given.
        found: the type that the call has by Spark's default.

    Raises:
        ValidationError: names the setting.
    """
    for setting in sorted(settings):
        names, changes = _CHANGED[setting]
        if (not names or name in names) and changes(args, found):
            raise ValidationError(
                f"{name} has another type with the value that {setting} has",
                hint="leave the setting at Spark's default, or cast what the call is given",
            )


def _is_binary(_: _Given, found: LogicalType) -> bool:
    return isinstance(found, BinaryType)


def _is_empty(args: _Given, _: LogicalType) -> bool:
    return not args


def _always(_: _Given, __: LogicalType) -> bool:
    return True


def _is_span_of_moments(args: _Given, found: LogicalType) -> bool:
    moments = (DateType, TimestampType, TimestampNtzType)
    return isinstance(found, DayTimeIntervalType) and any(
        isinstance(each.type, moments) for each in args
    )


def _is_beside_whole_number(args: _Given, _: LogicalType) -> bool:
    return any(isinstance(each.type, DecimalType) for each in args) and any(
        isinstance(each, Literal) and isinstance(each.type, IntegralType) for each in args
    )


def _holds_widest_decimal(args: _Given, found: LogicalType) -> bool:
    """Two decimals that no decimal holds without a loss: which digits go is then the question."""
    decimals = [each.type for each in args if isinstance(each.type, DecimalType)]
    if len(decimals) < 2:
        return False
    scale = max(each.scale for each in decimals)
    return max(each.precision - each.scale for each in decimals) + scale > _MOST_DIGITS


_MOST_DIGITS = 38
_ARITHMETIC = frozenset(("plus", "minus", "times", "divide", "mod", "pmod"))

_CHANGED: Mapping[str, tuple[frozenset[str], _Changes]] = {
    "spark.sql.function.concatBinaryAsString": (frozenset(("concat",)), _is_binary),
    "spark.sql.function.eltOutputAsString": (frozenset(("elt",)), _is_binary),
    "spark.sql.legacy.createEmptyCollectionUsingStringType": (
        frozenset(("array", "map")), _is_empty,
    ),
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": (
        frozenset(), _holds_widest_decimal,
    ),
    "spark.sql.legacy.histogramNumericPropagateInputType": (
        frozenset(("histogram_numeric",)), _always,
    ),
    "spark.sql.legacy.interval.enabled": (frozenset(), _is_span_of_moments),
    "spark.sql.legacy.literal.pickMinimumPrecision": (_ARITHMETIC, _is_beside_whole_number),
    "spark.sql.legacy.lpadRpadAlwaysReturnString": (frozenset(("lpad", "rpad")), _is_binary),
}  # fmt: skip
"""By the setting: the functions, or none for all, and which of their calls."""
