"""Families of argument types: what a definition writes in ``args=(…)``.

Each knows what Spark's analyzer casts an argument to by itself, as its ``implicitCast`` does, and
whether that cast can make a NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.functions.casting import implicit_cast
from viewscribe.expressions.functions.inference import ArgumentType, CallContext, as_argument
from viewscribe.types import (
    BIGINT,
    BINARY,
    DATE,
    DAY_TIME_INTERVAL,
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
from viewscribe.types.nested import value_type
from viewscribe.types.policy import IN_FORCE as COERCION

_TEXT = (StringType, CharType, VarcharType)


def implicitly(wanted: LogicalType) -> ArgumentType:
    """What Spark casts to ``wanted`` by itself."""
    target = wanted.as_nullable()
    return ArgumentType(wanted.ddl, lambda given: implicit_cast(given, target))


def family(
    description: str,
    *kinds: type[LogicalType],
    default: LogicalType = VOID,
    text_as: LogicalType | None = None,
) -> ArgumentType:
    """Any type of these classes as it is.

    Args:
        description: how signatures show it.
        kinds: the classes.
        default: what an untyped NULL is read as.
        text_as: what text is read as; None where text does not pass.
    """

    def coerce(given: LogicalType) -> LogicalType | None:
        if isinstance(given, kinds):
            return given
        if isinstance(given, VoidType):
            return default
        if text_as is not None and isinstance(given, _TEXT):
            return implicit_cast(given, text_as)
        return None

    return ArgumentType(description, coerce)


def exactly(*wanted: LogicalType) -> ArgumentType:
    """One of these types, which Spark does not cast to; only an untyped NULL becomes the first."""
    default = wanted[0].as_nullable()

    def coerce(given: LogicalType) -> LogicalType | None:
        if isinstance(given, CharType | VarcharType):
            given = STRING.with_nullability(given.nullable)
        if isinstance(given, VoidType):
            return default
        return given if any(type(given) is type(type_) for type_ in wanted) else None

    return ArgumentType(" or ".join(type_.ddl for type_ in wanted), coerce)


def any_where(description: str, holds: Callable[[LogicalType], bool]) -> ArgumentType:
    """Any type of which something holds, as it is; CHAR and VARCHAR are STRING in expressions."""

    def coerce(given: LogicalType) -> LogicalType | None:
        read_as = value_type(given) if isinstance(given, CharType | VarcharType) else given
        return read_as if holds(read_as) else None

    return ArgumentType(description, coerce)


def either(*options: ArgumentType | LogicalType, description: str | None = None) -> ArgumentType:
    """One of several: as it is where one passes it as it is, else the one closest to all.

    The closest is the first to which Spark casts the argument and that it casts to all others;
    with ANSI off simply the first.
    """
    wanted = tuple(map(as_argument, options))

    def coerce(given: LogicalType) -> LogicalType | None:
        found = [type_ for option in wanted if (type_ := option.coerce(given)) is not None]
        for type_ in found:
            if type_.same_type(given):
                return type_
        if isinstance(given, VoidType) or (found and not COERCION.get().ansi):
            return found[0]
        for type_ in found:
            if all(implicit_cast(type_, other) is not None for other in found):
                return type_
        return None

    return ArgumentType(description or " or ".join(o.description for o in wanted), coerce)


def function_of(
    *parameters: Callable[[CallContext], LogicalType], required: int | None = None
) -> ArgumentType:
    """A lambda whose parameters have these types; it takes all, or at least ``required``."""
    names = ", ".join("xyz"[place] for place in range(len(parameters)))

    def types(context: CallContext) -> tuple[LogicalType, ...]:
        return tuple(parameter(context) for parameter in parameters)

    return ArgumentType(
        f"({names}) -> …",
        lambda given: given,
        parameters=types,
        fewest_parameters=len(parameters) if required is None else required,
    )


def _decimal(given: LogicalType) -> LogicalType | None:
    if isinstance(given, DecimalType):
        return given
    if isinstance(given, IntegralType):
        return decimal_of(given)
    return implicit_cast(given, DecimalType(precision=38, scale=18))


def element_of(index: int) -> Callable[[CallContext], LogicalType]:
    """The type of the elements of argument ``index``."""

    def find(context: CallContext) -> LogicalType:
        type_ = context.types[index]
        if not isinstance(type_, ArrayType):
            raise context.mismatch(f"argument {index + 1} is {type_.ddl}, not ARRAY")
        return type_.element

    return find


def key_of(index: int) -> Callable[[CallContext], LogicalType]:
    """The type of the keys of argument ``index``."""
    return lambda context: map_at(context, index).key


def value_of(index: int) -> Callable[[CallContext], LogicalType]:
    """The type of the values of argument ``index``."""
    return lambda context: map_at(context, index).value


def map_at(context: CallContext, index: int) -> MapType:
    """The type of argument ``index``, which must be a map."""
    type_ = context.types[index]
    if isinstance(type_, MapType):
        return type_
    raise context.mismatch(f"argument {index + 1} is {type_.ddl}, not MAP")


def text_beside_others(types: Sequence[LogicalType]) -> bool:
    """Whether some types, or elements of arrays, are text and some are not; NULL is neither."""
    known = [type_ for type_ in types if not isinstance(type_, VoidType)]
    if known and all(isinstance(type_, ArrayType) for type_ in known):
        return text_beside_others([t.element for t in known if isinstance(t, ArrayType)])
    return len({isinstance(type_, _TEXT) for type_ in known}) > 1


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
WHOLE = either(INT, BIGINT)
MOMENT = either(DATE, TIMESTAMP, TIMESTAMP_NTZ, description="<date or timestamp>")
ANY_TIMESTAMP = ArgumentType(
    "<timestamp>",
    lambda given: given if isinstance(given, TimestampNtzType) else implicit_cast(given, TIMESTAMP),
)
INTERVAL = family("INTERVAL", YearMonthIntervalType, DayTimeIntervalType, default=DAY_TIME_INTERVAL)
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
