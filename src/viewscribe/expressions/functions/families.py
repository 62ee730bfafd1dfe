"""Families of argument types that many definitions name in ``args=(…)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.validators import ArgumentType, any_where, either, family
from viewscribe.types import (
    BIGINT,
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    CharType,
    DayTimeIntervalType,
    DecimalType,
    GeographyType,
    GeometryType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimeType,
    VarcharType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import decimal_of, is_orderable

_TEXT = (StringType, CharType, VarcharType)


def text_beside_others(types: Sequence[LogicalType]) -> bool:
    """Whether some types, or elements of arrays, are text and some are not; NULL is neither."""
    known = [type_ for type_ in types if not isinstance(type_, VoidType)]
    if known and all(isinstance(type_, ArrayType) for type_ in known):
        return text_beside_others([t.element for t in known if isinstance(t, ArrayType)])
    return len({isinstance(type_, _TEXT) for type_ in known}) > 1


def _decimal(given: LogicalType) -> LogicalType | None:
    if isinstance(given, DecimalType):
        return given
    if isinstance(given, IntegralType):
        return decimal_of(given)
    return implicit_cast(given, DecimalType(precision=38, scale=18))


ANY = any_where("<any>", lambda type_: True)
ORDERED = any_where("<orderable>", is_orderable)
NUMERIC = family("<numeric>", NumericType, default=DOUBLE, text_as=DOUBLE)
NUMBER = family("<numeric>", NumericType, default=DOUBLE)
INTEGRAL = family("<integral>", IntegralType, default=INT)
DECIMAL = ArgumentType("DECIMAL", _decimal)
ARRAY = family("ARRAY", ArrayType, default=ArrayType(element=VOID))
ARRAY_NOT_NULL = any_where("ARRAY", lambda type_: isinstance(type_, ArrayType))
MAP_NOT_NULL = any_where("MAP", lambda type_: isinstance(type_, MapType))
COLLECTION_NOT_NULL = any_where(
    "ARRAY or MAP", lambda type_: isinstance(type_, ArrayType | MapType)
)
MAP = family("MAP", MapType, default=MapType(key=VOID, value=VOID))
STRUCT = family("STRUCT", StructType, default=StructType())
COLLECTION = family("ARRAY or MAP", ArrayType, MapType, default=ArrayType(element=VOID))
FRACTIONAL = either(DOUBLE, FLOAT, description="<fractional>")
TEXT_OR_BINARY = either(STRING, BINARY)


def _text_where(description: str, holds: Callable[[str], bool]) -> ArgumentType:
    """What becomes text, of a collation of which something holds."""

    def coerce(given: LogicalType) -> LogicalType | None:
        found = implicit_cast(given, STRING)
        return found if isinstance(found, StringType) and holds(found.collation) else None

    return ArgumentType(description, coerce)


SEARCHED = _text_where("STRING", lambda collation: collation in ("UTF8_BINARY", "UTF8_LCASE"))
"""Text that regular expressions and LIKE look through: Java's know no other collation."""
PATTERN = _text_where("STRING", lambda collation: not collation.endswith("_RTRIM"))
"""A regular expression, or a pattern of LIKE."""
WHOLE = either(INT, BIGINT)
MOMENT = either(DATE, TIMESTAMP, TIMESTAMP_NTZ, description="<date or timestamp>")
ANY_TIMESTAMP = ArgumentType(
    "<timestamp>",
    lambda given: given if isinstance(given, TimestampNtzType) else implicit_cast(given, TIMESTAMP),
)
NUMERIC_OR_INTERVAL = family(
    "<numeric> or INTERVAL",
    NumericType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    default=DOUBLE,
    text_as=DOUBLE,
)
ANY_TIME = ArgumentType(
    "TIME",
    lambda given: given if isinstance(given, TimeType) else implicit_cast(given, TIME),
)
SHAPE = family("GEOMETRY or GEOGRAPHY", GeometryType, GeographyType, default=GeographyType())
