"""DEFAULT values of columns: constants that Spark stores in the column's type without loss.

As Spark 4.3 has it (``ResolveDefaultColumns.coerceDefaultValue``): the type is the column's or a
narrower one, or the constant has a value of the column's type.
"""

from __future__ import annotations

from decimal import Decimal

from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.expressions.properties import is_deterministic
from viewscribe.parser.literals import computed, date_value
from viewscribe.types import (
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    IntegralType,
    LogicalType,
    StringType,
    VarcharType,
)
from viewscribe.types.coercion import can_cast


def reason_against(found: ResolvedExpression, wanted: LogicalType) -> str | None:
    """Says why an expression cannot be the default of a column; None where it can.

    Args:
        found: the expression, without columns.
        wanted: the type of the column.
    """
    if not is_deterministic(found):
        return "is another value each time"
    if not can_cast(found.type, wanted, "plain"):
        return f"is {found.type.ddl}, and cannot be stored as {wanted.ddl}"
    value = computed(found, casts=True)
    if isinstance(value, Literal) and value.value is not None and not _fits(value, wanted):
        return f"is {value.as_summary_string()}, which is no {wanted.ddl}"
    return None


def _fits(constant: Literal, wanted: LogicalType) -> bool:
    value, is_text = constant.value, isinstance(constant.type, StringType)
    if isinstance(wanted, BooleanType):
        return isinstance(value, bool)
    if isinstance(wanted, DateType) and is_text:
        return date_value(value) is not None
    if isinstance(wanted, CharType | VarcharType) and is_text:
        return len(value.rstrip(" ")) <= wanted.length
    if isinstance(wanted, IntegralType | DecimalType):
        number = _number(value)
        return number is None or _holds(number, wanted)
    return True


def _number(value: object) -> Decimal | None:
    """The number of a constant; none where only Spark knows it, NaN where there is none."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Decimal(value)
    if not isinstance(value, str):
        return None
    try:
        return Decimal(value.strip())
    except ArithmeticError:
        return Decimal("NaN")


def _holds(number: Decimal, wanted: IntegralType | DecimalType) -> bool:
    if not number.is_finite():
        return False
    if isinstance(wanted, DecimalType):
        return bool(abs(number) < 10 ** (wanted.precision - wanted.scale))
    end = 1 << (wanted.bits - 1)
    return -end <= number < end
