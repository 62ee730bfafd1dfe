"""Python values as literals, and the Python class that holds a value of each type.

==========================  =====================================================
type                        value of ``Literal``
==========================  =====================================================
VOID                        None
BOOLEAN, integers           bool, int
FLOAT, DOUBLE               float (NaN and the infinities included)
DECIMAL                     decimal.Decimal with exactly the scale of the type
STRING, BINARY              str, bytes
DATE, TIME                  datetime.date, datetime.time
TIMESTAMP                   datetime.datetime, aware, in UTC
TIMESTAMP_NTZ               datetime.datetime, naive
INTERVAL of years, months   int: months
INTERVAL of days to seconds datetime.timedelta
ARRAY                       tuple of such values
MAP                         tuple of (key, value) pairs
STRUCT                      tuple of such values, one a field
any type                    None for NULL
==========================  =====================================================
"""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from viewscribe.errors import NotSerializableError, TypeMismatchError, ValidationError
from viewscribe.expressions.nodes import Call, Literal, make_call
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    INT,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import common_type_of
from viewscribe.types.lexemes import string_value

# What type the text of a literal has in Spark, nullability included.
#
# A constructor such as ``array(1, NULL)`` knows for itself where it holds a NULL. Where that is not
# the type that was asked for, the text is under a CAST, and ``ARRAY<…>`` in a CAST cannot say NOT
# NULL of its elements. NaN and the infinities are written ``double('NaN')``, which Spark takes for
# a conversion that may fail, so for a value that may be NULL. The NULL of such a type is therefore
# ``if(FALSE, array(0), NULL)``.

_NESTED = (ArrayType, MapType, StructType)
_CONSTANT = (
    *(BooleanType, IntegralType, DoubleType, FloatType, DecimalType, StringType, BinaryType),
    *(DateType, TimestampType, TimestampNtzType, YearMonthIntervalType, DayTimeIntervalType),
)
_EMPTY: LogicalType = VOID.not_null()


def type_of_text(value: object, type_: LogicalType) -> LogicalType:
    """The type that the text of a value has: the one asked for, or the nearest that can be said.

    Args:
        value: the value, held as ``literals.py`` says.
        type_: the type asked for.
    """
    if value is None:
        return type_.as_nullable() if has_constant(type_) else cast_type(VOID, type_)
    if not isinstance(type_, _NESTED):
        return constructed_type(value, type_)
    made = constructed_type(value, type_)
    return made if made.same_type(type_) else cast_type(made, type_)


def is_cast(type_: LogicalType) -> bool:
    """Whether a NULL of the type is a CAST, which says no NOT NULL of what an array or map has."""
    return cast_type(VOID, type_).same_type(type_) or not has_constant(type_)


def has_constant(type_: LogicalType) -> bool:
    """Whether a constant can be written whose type is this very one, as NOT NULL inside as it is.

    The text of such a constant is neither a cast nor a conversion, which could give NULL.
    """
    if isinstance(type_, ArrayType):
        return type_.element.nullable or has_constant(type_.element)
    if isinstance(type_, MapType):
        return has_constant(type_.key) and (type_.value.nullable or has_constant(type_.value))
    if isinstance(type_, StructType):
        return all(each.nullable or has_constant(each.type) for each in type_.fields)
    return isinstance(type_, _CONSTANT)


def constructed_type(value: Any, type_: LogicalType) -> LogicalType:
    """The type of ``array(…)``, ``map(…)`` and ``named_struct(…)`` without a CAST around."""
    if value is None:
        return VOID
    if isinstance(type_, ArrayType):
        return ArrayType(element=_merge(value, type_.element), nullable=False)
    if isinstance(type_, MapType):
        keys = _merge((key for key, _ in value), type_.key)
        values = _merge((item for _, item in value), type_.value)
        return MapType(key=keys, value=values, nullable=False)
    if isinstance(type_, StructType):
        fields = tuple(
            Field(field.name, constructed_type(item, field.type))
            for field, item in zip(type_.fields, value, strict=True)
        )
        return StructType(fields=fields, nullable=False)
    if isinstance(type_, DoubleType | FloatType):
        return type_.with_nullability(not math.isfinite(value))
    return type_.not_null()


def cast_type(made: LogicalType, target: LogicalType) -> LogicalType:
    """The type of a CAST: as nullable as its child, and inside of arrays and maps always."""
    if isinstance(target, ArrayType):
        element = made.element if isinstance(made, ArrayType) else _EMPTY
        result: LogicalType = ArrayType(element=cast_type(element, target.element).as_nullable())
    elif isinstance(target, MapType):
        key, value = (made.key, made.value) if isinstance(made, MapType) else (_EMPTY, _EMPTY)
        result = MapType(
            key=cast_type(key, target.key).not_null(),
            value=cast_type(value, target.value).as_nullable(),
        )
    elif isinstance(target, StructType):
        inner = [f.type for f in made.fields] if isinstance(made, StructType) else []
        inner = inner or [_EMPTY] * len(target.fields)
        fields = tuple(
            Field(field.name, _field_type(child, field.type), field.comment)
            for child, field in zip(inner, target.fields, strict=True)
        )
        result = StructType(fields=fields)
    else:
        result = target
    return result.with_nullability(made.nullable)


def _field_type(made: LogicalType, target: LogicalType) -> LogicalType:
    nullable = made.nullable or target.nullable
    return cast_type(made, target).with_nullability(nullable)


def _merge(values: Iterable[Any], type_: LogicalType) -> LogicalType:
    """The common type of the constructors of the values: NULL wherever one of them has it."""
    return reduce(_either, (constructed_type(value, type_) for value in values), _EMPTY)


def _either(a: LogicalType, b: LogicalType) -> LogicalType:
    nullable = a.nullable or b.nullable
    if isinstance(a, VoidType):
        return b.with_nullability(nullable)
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(element=_either(a.element, b.element), nullable=nullable)
    if isinstance(a, MapType) and isinstance(b, MapType):
        key, value = _either(a.key, b.key), _either(a.value, b.value)
        return MapType(key=key, value=value, nullable=nullable)
    if isinstance(a, StructType) and isinstance(b, StructType):
        fields = tuple(
            Field(x.name, _either(x.type, y.type)) for x, y in zip(a.fields, b.fields, strict=True)
        )
        return StructType(fields=fields, nullable=nullable)
    return a.with_nullability(nullable)


NULL = Literal(None, VOID)
TRUE = Literal(True, BOOLEAN.not_null())
FALSE = Literal(False, BOOLEAN.not_null())

_BOOLEAN, _INT, _BIGINT = BOOLEAN.not_null(), INT.not_null(), BIGINT.not_null()
_MOST_ZEROS = 38
_STRING, _DOUBLE = STRING.not_null(), DOUBLE.not_null()


def literal(value: object, type_: LogicalType | None = None) -> Literal:
    """A Python value as a literal.

    Args:
        value: None, bool, int, float, Decimal, str, bytes, date, time, datetime (aware is
            TIMESTAMP, naive is TIMESTAMP_NTZ), timedelta, list, dict, tuple (a struct).
        type_: the type of the literal; inferred from the value by default.

    Raises:
        TypeMismatchError: the value cannot be a literal, or does not fit the type.
    """
    if type_ is not None:
        return _make_literal(value, type_)
    maker = MAKERS.get(type(value))
    if maker is None:
        maker = next((make for kind, make in MAKERS.items() if isinstance(value, kind)), None)
    if maker is None:
        raise TypeMismatchError(
            f"a {type(value).__name__} cannot be a literal: {_show(value)}",
            hint="literals are None, bool, int, float, Decimal, str, bytes, date, time, datetime, "
            "timedelta, list, dict and tuple",
        )
    return maker(value)


def _integer(value: int) -> Literal:
    value = int(value)  # an IntEnum prints otherwise
    if -(2**31) <= value < 2**31:
        return Literal(value, _INT)
    if -(2**63) <= value < 2**63:
        return Literal(value, _BIGINT)
    return _decimal(Decimal(value))


def _decimal(value: Decimal) -> Literal:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise TypeMismatchError(f"DECIMAL has no {value}", hint="use a float for NaN and infinity")
    if exponent > 0:
        digits, exponent = (*digits, *([0] * exponent)), 0
    scale = -exponent
    precision = max(len(digits), scale, 1)
    if precision > 38:
        raise TypeMismatchError(f"{value} has more than the 38 digits that DECIMAL holds")
    type_ = DecimalType(precision=precision, scale=scale, nullable=False)
    return Literal(Decimal((sign, digits, exponent)), type_)


def _datetime(value: dt.datetime) -> Literal:
    if value.tzinfo is None:
        return Literal(value.replace(fold=0), TIMESTAMP_NTZ.not_null())
    return Literal(value.astimezone(dt.UTC), TIMESTAMP.not_null())


def _time(value: dt.time) -> Literal:
    if value.tzinfo is not None:
        raise TypeMismatchError(f"TIME has no time zone: {value}")
    return Literal(value.replace(fold=0), TIME.not_null())


def _array(value: Sequence[Any]) -> Literal:
    items = [literal(item) for item in value]
    element = common_type_of([item.type for item in items]) if items else VOID.not_null()
    if element is None:
        raise TypeMismatchError(f"the elements have no common type: {_show(value)}")
    return _make_literal(value, ArrayType(element=element, nullable=False))


def _map(value: Mapping[Any, Any]) -> Literal:
    keys, values = _array(list(value.keys())).type, _array(list(value.values())).type
    assert isinstance(keys, ArrayType)
    assert isinstance(values, ArrayType)
    type_ = MapType(key=keys.element, value=values.element, nullable=False)
    return _make_literal(value, type_)


def _struct(value: tuple[Any, ...]) -> Literal:
    items = [literal(item) for item in value]
    names = getattr(value, "_fields", None) or getattr(value, "__fields__", None)
    names = names or [f"col{place}" for place in range(1, len(items) + 1)]
    fields = tuple(Field(name, item.type) for name, item in zip(names, items, strict=True))
    type_ = StructType(fields=fields, nullable=False)
    return _make_literal(tuple(item.value for item in items), type_)


def not_null(value: Literal) -> Literal | Call:
    """The literal of a Python value, which is never NULL, as text that is never NULL either.

    NaN and the infinities are written ``double('NaN')``, which Spark takes for a conversion that
    may fail.
    """
    if type(value.value) is not float or math.isfinite(value.value):
        return value
    from viewscribe.expressions.functions.registry import built_in

    return make_call(built_in("coalesce"), (value, literal(0.0, value.type)))


MAKERS: dict[type, Callable[[Any], Literal]] = {
    type(None): lambda value: NULL,
    bool: lambda value: TRUE if value else FALSE,
    int: _integer,
    str: lambda value: Literal(str(value), _STRING),
    float: lambda value: Literal(float(value), _DOUBLE if math.isfinite(value) else DOUBLE),
    Decimal: _decimal,
    bytes: lambda value: Literal(value, BINARY.not_null()),
    bytearray: lambda value: Literal(bytes(value), BINARY.not_null()),
    dt.datetime: _datetime,
    dt.date: lambda value: Literal(value, DATE.not_null()),
    dt.time: _time,
    dt.timedelta: lambda value: Literal(value, DAY_TIME_INTERVAL.not_null()),
    list: _array,
    dict: _map,
    tuple: _struct,
}
"""How values of each Python type become literals."""


def _make_literal(value: Any, type_: LogicalType) -> Literal:
    """Returns a checked literal of the type; nullable only where the value or its text is NULL."""
    held = None if value is None else _convert_value(value, type_)
    return Literal(held, type_of_text(held, type_))


def _convert_value(value: Any, type_: LogicalType) -> Any:
    if value is None:
        if not type_.nullable:
            raise TypeMismatchError(f"NULL where the type is {type_}")
        return None
    holder = _HOLDERS.get(type(type_))
    if holder is None:
        raise TypeMismatchError(
            f"{type_.ddl} has no literals", hint="build the value from a literal with a function"
        )
    return holder(value, type_)


def _misfit(value: Any, type_: LogicalType) -> TypeMismatchError:
    return TypeMismatchError(f"{_show(value)} is not a value of {type_.ddl}")


def _hold_integer(value: Any, type_: IntegralType) -> int:
    limit = 1 << (type_.bits - 1)
    if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
        raise _misfit(value, type_)
    return int(value)


def _hold_float(value: Any, type_: LogicalType) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(value, type_)
    number = float(value)
    if isinstance(type_, FloatType) and math.isfinite(number):
        try:
            number = float(struct.unpack("<f", struct.pack("<f", number))[0])
        except OverflowError:
            raise _misfit(value, type_) from None
    return number


def _hold_decimal(value: Any, type_: DecimalType) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _misfit(value, type_)
    sign, digits, exponent = Decimal(value).as_tuple()
    # A large exponent is as many zeros.
    if not isinstance(exponent, int) or not -type_.scale <= exponent <= _MOST_ZEROS:
        raise _misfit(value, type_)
    held = Decimal((sign, (*digits, *([0] * (exponent + type_.scale))), -type_.scale))
    if len(str(held.as_tuple().digits and int("".join(map(str, held.as_tuple().digits))))) > (
        type_.precision
    ):
        raise _misfit(value, type_)
    return held


def _hold_datetime(value: Any, type_: LogicalType) -> dt.datetime:
    aware = isinstance(type_, TimestampType)
    if not isinstance(value, dt.datetime) or (value.tzinfo is not None) is not aware:
        raise _misfit(value, type_)
    if not aware:
        return value.replace(fold=0)
    try:
        return value.astimezone(dt.UTC)
    except OverflowError:
        raise ValidationError(
            f"{value} is not between the years 1 and 9999 in UTC",
            hint="write it as TIMESTAMP_NTZ, or cast a text",
        ) from None


def _hold_date(value: Any, type_: LogicalType) -> dt.date:
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date):
        raise _misfit(value, type_)
    return value


def _hold_time(value: Any, type_: TimeType) -> dt.time:
    step = 10 ** (6 - type_.precision)
    if not isinstance(value, dt.time) or value.tzinfo is not None or value.microsecond % step:
        raise _misfit(value, type_)
    return value.replace(fold=0)


def _hold_months(value: Any, type_: YearMonthIntervalType) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise _misfit(value, type_)
    if type_.end == "YEAR" and value % 12:
        raise _misfit(value, type_)
    return value


_MICROSECONDS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1}


def _hold_timedelta(value: Any, type_: DayTimeIntervalType) -> dt.timedelta:
    if not isinstance(value, dt.timedelta):
        raise _misfit(value, type_)
    microseconds = value // dt.timedelta(microseconds=1)
    if microseconds % _MICROSECONDS[type_.end] or not -(2**63) <= microseconds < 2**63:
        raise _misfit(value, type_)
    return value


def _hold_array(value: Any, type_: ArrayType) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _misfit(value, type_)
    return tuple(_convert_value(_widen(item, type_.element), type_.element) for item in value)


def _hold_map(value: Any, type_: MapType) -> tuple[tuple[Any, Any], ...]:
    pairs = value.items() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | list | tuple) or any(len(each) != 2 for each in pairs):
        raise _misfit(value, type_)
    return tuple(
        (
            _convert_value(_widen(key, type_.key), type_.key),
            _convert_value(_widen(item, type_.value), type_.value),
        )
        for key, item in pairs
    )


def _hold_struct(value: Any, type_: StructType) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        value = tuple(value.get(field.name) for field in type_.fields)
    if not isinstance(value, list | tuple) or len(value) != len(type_.fields):
        raise _misfit(value, type_)
    return tuple(
        _convert_value(_widen(item, field.type), field.type)
        for item, field in zip(value, type_.fields, strict=True)
    )


def _widen(value: Any, type_: LogicalType) -> Any:
    """Converts an element to the common type of its collection."""
    if isinstance(type_, FloatType | DoubleType) and isinstance(value, int | Decimal):
        return value if isinstance(value, bool) else float(value)
    if isinstance(type_, TimestampNtzType) and type(value) is dt.date:
        return dt.datetime(value.year, value.month, value.day)
    return value


def _instance_of(*kinds: type) -> Callable[[Any, LogicalType], Any]:
    def hold(value: Any, type_: LogicalType) -> Any:
        if not isinstance(value, kinds):
            raise _misfit(value, type_)
        return value

    return hold


_HOLDERS: dict[type[LogicalType], Callable[[Any, Any], Any]] = {
    VoidType: lambda value, type_: _none(value, type_),
    BooleanType: _instance_of(bool),
    **dict.fromkeys(IntegralType.__subclasses__(), _hold_integer),
    FloatType: _hold_float,
    DoubleType: _hold_float,
    DecimalType: _hold_decimal,
    StringType: _instance_of(str),
    BinaryType: _instance_of(bytes),
    DateType: _hold_date,
    TimeType: _hold_time,
    TimestampType: _hold_datetime,
    TimestampNtzType: _hold_datetime,
    YearMonthIntervalType: _hold_months,
    DayTimeIntervalType: _hold_timedelta,
    ArrayType: _hold_array,
    MapType: _hold_map,
    StructType: _hold_struct,
}


def _none(value: Any, type_: LogicalType) -> None:
    raise _misfit(value, type_)


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


# Literals as the text that a default is stored by, and back; for all else there is a parser.
#
# A default of a parameter stands in documents as SQL text. Where a call leaves it out, the call
# needs its value: a plain literal is read here, exactly as Spark reads it; anything more is None.

_NUMBER = re.compile(
    r"(?P<digits>-?(?:\d+(?P<point>\.\d*)?|(?P<bare>\.\d+))(?P<exponent>E[+-]?\d+)?)"
    r"(?P<suffix>BD|[LSYDF])?",
    re.IGNORECASE | re.ASCII,
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
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
    value = int(digits)
    for type_ in (INT, BIGINT):
        try:
            return literal(value, type_)
        except TypeMismatchError:
            continue
    return literal(Decimal(value))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Literal | None]], ...] = (
    (_NUMBER, _number),
    (_QUOTED, lambda match: literal(string_value(match[0]))),
    (_BINARY, lambda match: literal(bytes.fromhex(match[1]))),
    (_DATE, lambda match: literal(dt.date.fromisoformat(match[1]))),
)
