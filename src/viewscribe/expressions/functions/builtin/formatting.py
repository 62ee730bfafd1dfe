"""Values as text of a format, and back."""

from __future__ import annotations

import re

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    DECIMAL,
    always_nullable,
    nullable_with_arguments,
)
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.syntax import NamedArguments
from viewscribe.types import (
    STRING,
    BinaryType,
    DateType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
    decimal,
)

_NUMBER_FORMAT = re.compile(r"(?i)(S|MI)?\$?([09G,]*)([.D]([09]*))?\$?(S|MI|PR)?")

_LONE_COMMA = re.compile(r"(?i)^[,G]|[,G]{2}|[,G]$")
"""A sign between thousands without digits on both sides."""


def _digits(context: CallContext) -> tuple[int, int]:
    """How many digits the number format of argument 1 has before and after the point."""
    found = _NUMBER_FORMAT.fullmatch(str(context.literal(1)))
    whole = len(re.sub("[^09]", "", found[2])) if found else 0
    after = len(found[4] or "") if found else 0
    if not found or not whole + after or _LONE_COMMA.search(found[2]):
        raise context.mismatch("the format is not one of numbers, such as '999.99'")
    return whole, after


def _number_read(context: CallContext) -> LogicalType:
    if isinstance(context.args[1].type, VoidType):
        return decimal(10, 0)
    whole, after = _digits(context)
    return decimal(whole + after, after)


def _counts_from_one(context: CallContext) -> None:
    """The places of arguments in a pattern begin with 1."""
    if "%0$" in str(context.literal(0)):
        raise context.mismatch("the arguments are %1$, %2$ and so on, there is no %0$")


def _infer_written(context: CallContext) -> LogicalType:
    """Dates take any format, binaries the name of an encoding, everything else is a number."""
    type_ = context.types[0]
    if isinstance(type_, DateType | TimeType | TimestampType | TimestampNtzType):
        return STRING.with_nullability(context.any_nullable)
    if isinstance(type_, BinaryType):
        return _encode(context, type_)
    _digits(context)
    number = DECIMAL.coerce(type_)
    if number is None:
        raise context.mismatch(f"{type_.ddl} has no formats")
    return STRING.with_nullability(number.nullable)


def _encode(context: CallContext, type_: LogicalType) -> LogicalType:
    if str(context.literal(1)).lower() not in ("hex", "base64", "utf-8"):
        raise context.mismatch("the format of a BINARY is 'hex', 'base64' or 'utf-8'")
    nullable = type_.nullable or str(context.literal(1)).lower() == "utf-8"
    return STRING.with_nullability(nullable)


def _single_characters(context: CallContext) -> None:
    for place in range(1, len(context.types)):
        value = context.literal(place)
        if isinstance(value, str) and len(value) != 1:
            raise context.mismatch(f"argument {place + 1} is a single character or NULL")


FORMAT_NUMBER = scalar("""format_number(col: NUMBER, d: text(exactly(INT, STRING))) -> STRING?
    The number with thousands separators and a number of digits after the point.
    since 1.5.0""")
FORMAT_STRING = scalar("""format_string(format: text(STRING), ANY?...) -> exactly_argument(0)
    The arguments put into a printf pattern.
    since 1.5.0, alias printf, own collations""").where(check=_counts_from_one)
TO_CHAR = scalar("""to_char(col: ANY, format: literal(STRING))
    A number, date, time, timestamp or binary as text of a format.
    since 3.4.0, alias to_varchar, class ToCharacter
    """).where(returns=_infer_written, newer_form=with_type(TimeType, "4.3.0"))
TO_NUMBER = scalar("""to_number(col: STRING, format: literal(STRING))
    A text of a format as a number.
    since 3.3.0, collated""").where(returns=nullable_with_arguments(_number_read))
TRY_TO_NUMBER = scalar("""try_to_number(col: STRING, format: literal(STRING))
    A text of a format as a number, NULL where it is none.
    since 3.3.0, collated""").where(returns=always_nullable(_number_read))
MASK = scalar("""mask(col: exactly(STRING), upperChar: literal(exactly(STRING))?,
        lowerChar: literal(exactly(STRING))?, digitChar: literal(exactly(STRING))?,
        otherChar: literal(exactly(STRING))?) -> $0?
    The text with other upper- and lower-case letters, digits and other characters.
    since 3.4.0, collated""").where(
    check=_single_characters,
    syntax=NamedArguments(),
    parameters=(
        "str",
        ("upperChar", "X"),
        ("lowerChar", "x"),
        ("digitChar", "n"),
        ("otherChar", None),
    ),
)
QUOTE = scalar("""quote(col: STRING) -> STRING?
    The text as an SQL literal.
    since 4.1.0""")
