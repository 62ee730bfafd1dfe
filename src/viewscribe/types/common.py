"""The types that Spark's ANSI analyzer brings two operands to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from viewscribe.types.casts import can_cast, cast_introduces_null
from viewscribe.types.logical import (
    BIGINT,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    CalendarIntervalType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    Field,
    FloatType,
    GeographyType,
    GeometryType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VarcharType,
    VariantType,
    VoidType,
    YearMonthIntervalType,
)

MAX_DIGITS = 38

Widen = Callable[[LogicalType, LogicalType], LogicalType | None]


def common_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The least common type of two operands, or None where Spark finds none.

    This is the type of CASE, COALESCE, IF, IN, array(...), greatest, least, UNION and the other
    set operations under ``spark.sql.ansi.enabled``. It is nullable where either operand is; that a
    cast to it can yield NULL is what ``cast_introduces_null`` says. A STRING of the default
    collation yields to any other collation, which is what Spark does when it is a literal.
    """
    widened = a if a is b else _wide(_value(a), _value(b))
    return widened and _value(widened).with_nullability(a.nullable or b.nullable)


def common_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """The least common type of any number of operands, found from left to right as Spark does."""
    found: LogicalType | None = None
    for each in types:
        found = each if found is None else common_type(found, each)
        if found is None:
            return None
    return VOID if found is None else _value(found)


def merged_type_of(types: Iterable[LogicalType]) -> LogicalType | None:
    """``common_type_of``, nullable also where the cast of an operand to it can yield NULL.

    This is the type, nullability included, of CASE with ELSE and of a column of a set operation.
    """
    operands = tuple(types)
    found = common_type_of(operands)
    if found is None or found.nullable:
        return found
    forced = any(cast_introduces_null(_value(each), found) for each in operands)
    return found.with_nullability(forced)


def comparison_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The type that ``=``, ``<`` and the like compare in, or None where Spark refuses.

    Narrower than ``common_type``: inside arrays and structs neither strings nor decimals of
    different scale are brought together. Whether the type can be compared is ``is_orderable``.
    """
    left, right = _value(a), _value(b)
    found = _tight(left, right) or _decimal(left, right) or _promoted(left, right)
    return found and found.with_nullability(a.nullable or b.nullable)


def is_comparable(a: LogicalType, b: LogicalType) -> bool:
    """Whether Spark accepts ``a = b`` and ``a < b`` for operands of these types."""
    found = comparison_type(a, b)
    return found is not None and is_orderable(found)


_UNORDERED = (MapType, VariantType, CalendarIntervalType, GeometryType, GeographyType)
_NO_SET_ELEMENT = (MapType, VariantType)


@lru_cache(maxsize=10_000)
def is_orderable(type_: LogicalType) -> bool:
    """Whether Spark compares, sorts and partitions windows by the type.

    It does not where a map, a variant, a legacy interval or a shape is anywhere inside.
    """
    return _nowhere(type_, _UNORDERED)


def is_groupable(type_: LogicalType) -> bool:
    """Whether Spark accepts GROUP BY the type: maps it does, variants it does not."""
    return _nowhere(type_, (VariantType,))


def supports_distinct(type_: LogicalType) -> bool:
    """Whether Spark accepts the type in SELECT DISTINCT and in set operations but UNION ALL."""
    return _nowhere(type_, _NO_SET_ELEMENT)


def is_map_key(type_: LogicalType) -> bool:
    """Whether Spark accepts the type as the key of a map."""
    return _nowhere(type_, _NO_SET_ELEMENT)


def _nowhere(type_: LogicalType, unwanted: tuple[type[LogicalType], ...]) -> bool:
    if isinstance(type_, unwanted):
        return False
    if isinstance(type_, ArrayType):
        return _nowhere(type_.element, unwanted)
    if isinstance(type_, MapType):
        return _nowhere(type_.key, unwanted) and _nowhere(type_.value, unwanted)
    if isinstance(type_, StructType):
        return all(_nowhere(field.type, unwanted) for field in type_.fields)
    return True


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds both, giving up digits after the point first."""
    if a == b:
        return a
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    excess = max(0, precision - MAX_DIGITS)
    return DecimalType(precision=precision - excess, scale=max(0, scale - excess))


def decimal_of(type_: NumericType) -> DecimalType:
    """The decimal that holds every value of a whole-number type, or the decimal itself.

    An integer literal beside a decimal is narrower in Spark: see ``decimal_of_literal``.
    """
    if isinstance(type_, DecimalType):
        return type_
    if isinstance(type_, IntegralType):
        return DecimalType(precision=type_.digits, scale=0, nullable=type_.nullable)
    raise TypeError(f"{type_} has no exact decimal")


def decimal_of_literal(value: int) -> DecimalType:
    """The decimal that Spark reads an INT or BIGINT literal as, beside a decimal operand.

    It is nullable where it has fewer digits than the literal's own type, because the cast is one
    that Spark types as nullable: so ``price * 2`` may be NULL where ``price`` may not.
    """
    own = INT if -(2**31) <= value < 2**31 else BIGINT
    digits = len(str(abs(value)))
    return DecimalType(precision=digits, scale=0, nullable=digits < own.digits)


def _value(type_: LogicalType) -> LogicalType:
    # A column of CHAR or VARCHAR is a STRING in every expression.
    if isinstance(type_, (CharType, VarcharType)):
        return StringType(collation=type_.collation, nullable=type_.nullable)
    return type_


def _wide(a: LogicalType, b: LogicalType) -> LogicalType | None:
    return _tight(a, b) or _decimal(a, b) or _promoted(a, b) or _complex(a, b, _wide)


def _tight(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The wider of two types of one family, without any loss of digits."""
    if a.same_type(b):
        return a
    if isinstance(a, VoidType):
        return b
    if isinstance(b, VoidType):
        return a
    widen = _FAMILIES.get(_family(a), _complex_tight) if _family(a) is _family(b) else None
    return widen and widen(a, b)


def _family(type_: LogicalType) -> type[LogicalType]:
    for family in (NumericType, StringType):
        if isinstance(type_, family):
            return family
    return DateType if isinstance(type_, _DATETIME) else type(type_)


_DATETIME = (DateType, TimeType, TimestampType, TimestampNtzType)


def _numeric(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, DecimalType) or isinstance(b, DecimalType):
        return _whole_in_decimal(a, b) or _whole_in_decimal(b, a)
    if isinstance(a, IntegralType) and isinstance(b, IntegralType):
        return a if a.bits >= b.bits else b
    # A whole number beside a FLOAT becomes DOUBLE, lest digits be lost.
    return a if isinstance(a, FloatType) and isinstance(b, FloatType) else DOUBLE


def _whole_in_decimal(whole: LogicalType, wide: LogicalType) -> LogicalType | None:
    if isinstance(whole, IntegralType) and isinstance(wide, DecimalType):
        return wide if wide.precision - wide.scale >= whole.digits else None
    return None


def _datetime(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if isinstance(a, TimeType) or isinstance(b, TimeType):
        if isinstance(a, TimeType) and isinstance(b, TimeType):
            return a if a.precision >= b.precision else b
        return None
    zoned = isinstance(a, TimestampType) or isinstance(b, TimestampType)
    return TIMESTAMP if zoned else TIMESTAMP_NTZ


def _collated(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if b.same_type(STRING):
        return a
    return b if a.same_type(STRING) else None


def _interval(a: LogicalType, b: LogicalType) -> LogicalType:
    assert isinstance(a, (YearMonthIntervalType, DayTimeIntervalType))
    assert isinstance(b, (YearMonthIntervalType, DayTimeIntervalType))
    return type(a)(
        start=min(a.start, b.start, key=a.units.index), end=max(a.end, b.end, key=a.units.index)
    )


def _shape(a: LogicalType, b: LogicalType) -> LogicalType:
    assert isinstance(a, (GeometryType, GeographyType))
    return type(a)(srid="ANY")


def _complex_tight(a: LogicalType, b: LogicalType) -> LogicalType | None:
    return _complex(a, b, _tight)


_FAMILIES: dict[type[LogicalType], Widen] = {
    NumericType: _numeric,
    DateType: _datetime,
    StringType: _collated,
    YearMonthIntervalType: _interval,
    DayTimeIntervalType: _interval,
    GeometryType: _shape,
    GeographyType: _shape,
}


def _decimal(a: LogicalType, b: LogicalType) -> LogicalType | None:
    if not (isinstance(a, NumericType) and isinstance(b, NumericType)):
        return None
    if not (isinstance(a, DecimalType) or isinstance(b, DecimalType)):
        return None
    exact = (DecimalType, IntegralType)
    if isinstance(a, exact) and isinstance(b, exact):
        return wider_decimal(decimal_of(a), decimal_of(b))
    return DOUBLE


def _promoted(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The type that text beside another type is read as."""
    if isinstance(b, StringType):
        a, b = b, a
    if not isinstance(a, StringType) or isinstance(b, StringType):
        return None
    if isinstance(b, NumericType):
        return BIGINT if isinstance(b, IntegralType) else DOUBLE
    unknown = (YearMonthIntervalType, DayTimeIntervalType, CalendarIntervalType)
    return b if not isinstance(b, unknown) and can_cast(a, b) else None


def _complex(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    handler = _COMPLEX.get(type(a)) if type(a) is type(b) else None
    return handler and handler(a, b, widen)


def _member(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    found = widen(a, b)
    if found is None:
        return None
    forced = cast_introduces_null(a, found) or cast_introduces_null(b, found)
    return found.with_nullability(a.nullable or b.nullable or forced)


def _arrays(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, ArrayType)
    assert isinstance(b, ArrayType)
    element = _member(a.element, b.element, widen)
    return element and ArrayType(element=element)


def _maps(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, MapType)
    assert isinstance(b, MapType)
    key = _member(a.key, b.key, widen)
    if key is None or key.nullable:
        return None
    value = _member(a.value, b.value, widen)
    return value and MapType(key=key, value=value)


def _structs(a: LogicalType, b: LogicalType, widen: Widen) -> LogicalType | None:
    assert isinstance(a, StructType)
    assert isinstance(b, StructType)
    if [field.name.lower() for field in a.fields] != [field.name.lower() for field in b.fields]:
        return None
    fields = []
    for left, right in zip(a.fields, b.fields, strict=True):
        found = _member(left.type, right.type, widen)
        if found is None:
            return None
        fields.append(Field(left.name, found))
    return StructType(fields=tuple(fields))


_COMPLEX: dict[
    type[LogicalType], Callable[[LogicalType, LogicalType, Widen], LogicalType | None]
] = {ArrayType: _arrays, MapType: _maps, StructType: _structs}
