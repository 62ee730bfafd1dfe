"""Traversal of the types nested inside a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, Self

import msgspec

from viewscribe.errors import DataTypeError
from viewscribe.types.parameters import (
    DEFAULT_COLLATION,
    canonical_collation,
    check_length,
    check_units,
    collate_clause,
    interval_ddl,
)

# Logical types: every type of Spark 4, each with its nullability.
#
# A type is a small frozen value. Nullability is part of it, so an array knows whether its elements
# may be NULL, and a function can declare that its result never is. ``str(type)`` prints ``NOT
# NULL`` at every depth; ``type.ddl`` is the type without it, as used in CAST.

_force = msgspec.structs.force_setattr

MAX_DEPTH = 100
"""How deep types nest: Spark's parser overflows its stack at a few hundred levels."""

MOST_PARTS = 100_000
"""How many types there may be in one: what is twice in another, again and again, is never done."""


class LogicalType(msgspec.Struct, frozen=True, cache_hash=True, kw_only=True):
    """A type together with its nullability (nullable by default)."""

    nullable: bool = True

    sql_name: ClassVar[str] = "?"

    if TYPE_CHECKING:

        @property
        def levels(self) -> int:
            """How deep it nests; a type without others in it has one level."""

        @property
        def parts(self) -> int:
            """How many types there are in it, itself included."""

    else:
        levels = parts = 1

    @property
    def ddl(self) -> str:
        """The type as Spark DDL, without the outermost nullability."""
        return self.sql_name

    def __str__(self) -> str:
        from viewscribe.types.ddl import type_text

        return type_text(self)

    def __repr__(self) -> str:
        return f"<{self}>"

    def with_nullability(self, nullable: bool) -> Self:
        """Returns the same type with this nullability."""
        if self.nullable is nullable:
            return self
        return msgspec.structs.replace(self, nullable=nullable)

    def as_nullable(self) -> Self:
        """Returns the nullable form of this type."""
        return self.with_nullability(True)

    def not_null(self) -> Self:
        """Returns the NOT NULL form of this type."""
        return self.with_nullability(False)

    def same_type(self, other: LogicalType) -> bool:
        """Returns whether both are the same type, ignoring the outermost nullability."""
        return self is other or self.as_nullable() == other.as_nullable()


class VoidType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """The type of an untyped NULL."""

    sql_name = "VOID"


class BooleanType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """TRUE or FALSE."""

    sql_name = "BOOLEAN"


class NumericType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """Base of the numeric types."""


class IntegralType(NumericType, frozen=True, cache_hash=True, kw_only=True):
    """Base of the integer types; ``bits`` is the width, ``digits`` the decimal digits."""

    bits: ClassVar[int]
    digits: ClassVar[int]


class TinyIntType(IntegralType, frozen=True, cache_hash=True, kw_only=True):
    """8-bit signed integer."""

    sql_name = "TINYINT"
    bits = 8
    digits = 3


class SmallIntType(IntegralType, frozen=True, cache_hash=True, kw_only=True):
    """16-bit signed integer."""

    sql_name = "SMALLINT"
    bits = 16
    digits = 5


class IntType(IntegralType, frozen=True, cache_hash=True, kw_only=True):
    """32-bit signed integer."""

    sql_name = "INT"
    bits = 32
    digits = 10


class BigIntType(IntegralType, frozen=True, cache_hash=True, kw_only=True):
    """64-bit signed integer."""

    sql_name = "BIGINT"
    bits = 64
    digits = 20


class FloatType(NumericType, frozen=True, cache_hash=True, kw_only=True):
    """32-bit IEEE 754 floating-point number."""

    sql_name = "FLOAT"


class DoubleType(NumericType, frozen=True, cache_hash=True, kw_only=True):
    """64-bit IEEE 754 floating-point number."""

    sql_name = "DOUBLE"


class DecimalType(NumericType, frozen=True, cache_hash=True, kw_only=True):
    """Exact number of ``precision`` digits (at most 38), ``scale`` of them fractional."""

    precision: int = 10
    scale: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.scale <= self.precision <= 38:
            raise DataTypeError(
                f"{self.ddl} is not a type", hint="precision is 0 to 38, scale is 0 to precision"
            )

    @property
    def ddl(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


class StringType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """Text with a collation; ``UTF8_BINARY`` compares bytes."""

    collation: str = DEFAULT_COLLATION

    def __post_init__(self) -> None:
        _spell_collation(self)

    @property
    def ddl(self) -> str:
        return f"STRING{collate_clause(self.collation)}"


class CharType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """Text of exactly ``length`` characters, padded with blanks; for table columns only."""

    length: int
    collation: str = DEFAULT_COLLATION

    def __post_init__(self) -> None:
        check_length(self.ddl, self.length)
        _spell_collation(self)

    @property
    def ddl(self) -> str:
        return f"CHAR({self.length}){collate_clause(self.collation)}"


class VarcharType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """Text of at most ``length`` characters; for table columns only."""

    length: int
    collation: str = DEFAULT_COLLATION

    def __post_init__(self) -> None:
        check_length(self.ddl, self.length)
        _spell_collation(self)

    @property
    def ddl(self) -> str:
        return f"VARCHAR({self.length}){collate_clause(self.collation)}"


class BinaryType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A sequence of bytes."""

    sql_name = "BINARY"


class DateType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A day of the proleptic Gregorian calendar."""

    sql_name = "DATE"


class TimeType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A time of day with ``precision`` fractional digits of a second (0 to 9)."""

    precision: int = 6

    def __post_init__(self) -> None:
        if not 0 <= self.precision <= 9:
            raise DataTypeError(f"{self.ddl} is not a type", hint="precision is 0 to 9")

    @property
    def ddl(self) -> str:
        return f"TIME({self.precision})"


class TimestampType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A point in time, in microseconds, shown in the session's time zone."""

    sql_name = "TIMESTAMP"


class TimestampNtzType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A date and a time of day, in microseconds, without a time zone."""

    sql_name = "TIMESTAMP_NTZ"


class YearMonthIntervalType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A number of months, shown from ``start`` to ``end`` (YEAR or MONTH)."""

    start: str = "YEAR"
    end: str = "MONTH"

    units: ClassVar[tuple[str, ...]] = ("YEAR", "MONTH")

    def __post_init__(self) -> None:
        check_units(self.units, self.start, self.end)

    @property
    def ddl(self) -> str:
        return interval_ddl(self.start, self.end)


class DayTimeIntervalType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A number of microseconds, shown from ``start`` to ``end`` (DAY, HOUR, MINUTE or SECOND)."""

    start: str = "DAY"
    end: str = "SECOND"

    units: ClassVar[tuple[str, ...]] = ("DAY", "HOUR", "MINUTE", "SECOND")

    def __post_init__(self) -> None:
        check_units(self.units, self.start, self.end)

    @property
    def ddl(self) -> str:
        return interval_ddl(self.start, self.end)


class CalendarIntervalType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """Spark's legacy interval of months, days and microseconds together."""

    sql_name = "INTERVAL"


class VariantType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A semi-structured value that carries its own type."""

    sql_name = "VARIANT"


class GeometryType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A shape on a plane; ``srid`` is its spatial reference system, or ANY."""

    srid: str = "0"

    @property
    def ddl(self) -> str:
        return f"GEOMETRY({self.srid})"


class GeographyType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A shape on the Earth; ``srid`` is its spatial reference system, or ANY."""

    srid: str = "4326"

    @property
    def ddl(self) -> str:
        return f"GEOGRAPHY({self.srid})"


class ArrayType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """An array of ``element``, whose nullability tells whether the array may contain NULLs."""

    element: LogicalType
    levels: int = 2
    parts: int = 2

    def __post_init__(self) -> None:
        inner = self.element
        _measure(self, inner.levels + 1, inner.parts + 1)

    @property
    def ddl(self) -> str:
        return f"ARRAY<{self.element.ddl}>"


class MapType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A mapping of ``key`` (never NULL) to ``value``."""

    key: LogicalType
    value: LogicalType
    levels: int = 2
    parts: int = 3

    def __post_init__(self) -> None:
        if self.key.nullable:
            _force(self, "key", self.key.not_null())
        key, value = self.key, self.value
        _measure(self, max(key.levels, value.levels) + 1, key.parts + value.parts + 1)

    @property
    def ddl(self) -> str:
        return f"MAP<{self.key.ddl}, {self.value.ddl}>"


class Field(msgspec.Struct, frozen=True, cache_hash=True):
    """A named, typed member of a struct or a schema, with an optional comment."""

    name: str
    type: LogicalType
    comment: str | None = None

    @property
    def nullable(self) -> bool:
        """Whether the field may be NULL."""
        return self.type.nullable


class StructType(LogicalType, frozen=True, cache_hash=True, kw_only=True):
    """A record of named fields, in order."""

    fields: tuple[Field, ...] = ()
    levels: int = 2
    parts: int = 2

    def __post_init__(self) -> None:
        levels, parts = 1, 1
        for field in self.fields:
            inner = field.type
            parts += inner.parts
            if inner.levels > levels:
                levels = inner.levels
        _measure(self, levels + 1, parts)

    @property
    def ddl(self) -> str:
        from viewscribe.types.ddl import field_ddl

        return f"STRUCT<{', '.join(field_ddl(field, separator=': ') for field in self.fields)}>"

    def field(self, name: str) -> Field | None:
        """Returns the first field of that name, ignoring case like Spark, or None."""
        folded = name.lower()
        return next((field for field in self.fields if field.name.lower() == folded), None)


def _measure(type_: ArrayType | MapType | StructType, levels: int, parts: int) -> None:
    """Notes how large a type is, and refuses one that is too large."""
    if type_.levels != levels:
        if levels > MAX_DEPTH:
            raise DataTypeError(f"the type is nested more than {MAX_DEPTH} levels deep")
        _force(type_, "levels", levels)
    if type_.parts != parts:
        if parts > MOST_PARTS:
            raise DataTypeError(f"the type has more than {MOST_PARTS:,} types in it")
        _force(type_, "parts", parts)


def _spell_collation(type_: StringType | CharType | VarcharType) -> None:
    spelled = canonical_collation(type_.collation)
    if spelled != type_.collation:
        _force(type_, "collation", spelled)


VOID = VoidType()
BOOLEAN = BooleanType()
TINYINT = TinyIntType()
SMALLINT = SmallIntType()
INT = IntType()
BIGINT = BigIntType()
FLOAT = FloatType()
DOUBLE = DoubleType()
STRING = StringType()
BINARY = BinaryType()
DATE = DateType()
TIME = TimeType()
TIMESTAMP = TimestampType()
TIMESTAMP_NTZ = TimestampNtzType()
YEAR_MONTH_INTERVAL = YearMonthIntervalType()
DAY_TIME_INTERVAL = DayTimeIntervalType()
CALENDAR_INTERVAL = CalendarIntervalType()
VARIANT = VariantType()


def decimal(precision: int = 10, scale: int = 0) -> DecimalType:
    """Returns DECIMAL(precision, scale)."""
    return DecimalType(precision=precision, scale=scale)


def array(element: LogicalType) -> ArrayType:
    """Returns an ARRAY of ``element``."""
    return ArrayType(element=element)


def map_of(key: LogicalType, value: LogicalType) -> MapType:
    """Returns a MAP from ``key`` to ``value``."""
    return MapType(key=key, value=value)


def struct(*fields: Field | tuple[str, LogicalType]) -> StructType:
    """Returns a STRUCT of the fields, each a Field or a (name, type) pair."""
    return StructType(
        fields=tuple(field if isinstance(field, Field) else Field(*field) for field in fields)
    )


Change = Callable[[LogicalType], LogicalType]
_Known = dict[int, LogicalType]
"""What types became, by identity."""


def change_inside(type_: LogicalType, change: Change) -> LogicalType:
    """Applies ``change`` to every nested type and to the type itself, innermost first.

    A type that is in several others is changed once, and one without a change is the same one.
    """
    return _changed(type_, change, {})


def _changed(type_: LogicalType, change: Change, known: _Known) -> LogicalType:
    if id(type_) not in known:
        handler = _REBUILD.get(type(type_))
        known[id(type_)] = change(handler(type_, change, known) if handler else type_)
    return known[id(type_)]


def deeply_nullable(type_: LogicalType) -> LogicalType:
    """Returns the type with NOT NULL removed at every depth, as a cast target may need it."""
    return change_inside(type_, lambda inner: inner.as_nullable())


def built_alike(one: LogicalType, other: LogicalType) -> bool:
    """Whether the types are equal but for NOT NULLs and the names of fields, anywhere inside."""
    return change_inside(one, _nameless) == change_inside(other, _nameless)


def _nameless(type_: LogicalType) -> LogicalType:
    if isinstance(type_, StructType):
        fields = [Field(str(place), each.type) for place, each in enumerate(type_.fields)]
        type_ = StructType(fields=tuple(fields))
    return type_.as_nullable()


def is_within(one: LogicalType, other: LogicalType) -> bool:
    """Returns whether the types are equal, except that the first may have more NOT NULLs."""
    if one.nullable and not other.nullable:
        return False
    pairs: list[tuple[LogicalType, LogicalType]] = []
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        pairs = [(one.element, other.element)]
    elif isinstance(one, MapType) and isinstance(other, MapType):
        pairs = [(one.key, other.key), (one.value, other.value)]
    elif isinstance(one, StructType) and isinstance(other, StructType):
        if [field.name for field in one.fields] != [field.name for field in other.fields]:
            return False
        pairs = [(a.type, b.type) for a, b in zip(one.fields, other.fields, strict=True)]
    else:
        return one.as_nullable() == other.as_nullable()
    return all(is_within(a, b) for a, b in pairs)


def contains(type_: LogicalType, kind: type[LogicalType]) -> bool:
    """Returns whether the type, or any type nested in it, is of a class."""
    return any(isinstance(inner, kind) for inner in parts_of(type_))


def parts_of(type_: LogicalType) -> Iterator[LogicalType]:
    """Yields the type and all types nested in it, one that is in several others once."""
    waiting = [type_]
    seen: set[int] = set()
    while waiting:
        inner = waiting.pop()
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        yield inner
        if isinstance(inner, ArrayType):
            waiting.append(inner.element)
        elif isinstance(inner, MapType):
            waiting += (inner.key, inner.value)
        elif isinstance(inner, StructType):
            waiting += (field.type for field in inner.fields)


def value_type(type_: LogicalType) -> LogicalType:
    """Returns the type that a column has in expressions: CHAR and VARCHAR become STRING."""
    return change_inside(type_, _without_length)


def _without_length(type_: LogicalType) -> LogicalType:
    if isinstance(type_, (CharType, VarcharType)):
        return StringType(collation=type_.collation, nullable=type_.nullable)
    return type_


def _array(type_: LogicalType, change: Change, known: _Known) -> LogicalType:
    assert isinstance(type_, ArrayType)
    element = _changed(type_.element, change, known)
    if element is type_.element:
        return type_
    return ArrayType(element=element, nullable=type_.nullable)


def _map(type_: LogicalType, change: Change, known: _Known) -> LogicalType:
    assert isinstance(type_, MapType)
    key, value = _changed(type_.key, change, known), _changed(type_.value, change, known)
    if key is type_.key and value is type_.value:
        return type_
    return MapType(key=key, value=value, nullable=type_.nullable)


def _struct(type_: LogicalType, change: Change, known: _Known) -> LogicalType:
    assert isinstance(type_, StructType)
    types = [_changed(field.type, change, known) for field in type_.fields]
    if all(new is field.type for new, field in zip(types, type_.fields, strict=True)):
        return type_
    fields = (
        Field(field.name, new, field.comment)
        for new, field in zip(types, type_.fields, strict=True)
    )
    return StructType(fields=tuple(fields), nullable=type_.nullable)


_REBUILD: dict[type[LogicalType], Callable[[LogicalType, Change, _Known], LogicalType]] = {
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
