"""Traversal of the types nested inside a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from viewscribe.types.logical import (
    ArrayType,
    CharType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VarcharType,
)

Change = Callable[[LogicalType], LogicalType]


def change_inside(type_: LogicalType, change: Change) -> LogicalType:
    """Applies ``change`` to every nested type and to the type itself, innermost first."""
    handler = _REBUILD.get(type(type_))
    return change(handler(type_, change) if handler else type_)


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
    """Yields the type and all types nested in it."""
    waiting = [type_]
    while waiting:
        inner = waiting.pop()
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


def _array(type_: LogicalType, change: Change) -> LogicalType:
    assert isinstance(type_, ArrayType)
    return ArrayType(element=change_inside(type_.element, change), nullable=type_.nullable)


def _map(type_: LogicalType, change: Change) -> LogicalType:
    assert isinstance(type_, MapType)
    return MapType(
        key=change_inside(type_.key, change),
        value=change_inside(type_.value, change),
        nullable=type_.nullable,
    )


def _struct(type_: LogicalType, change: Change) -> LogicalType:
    assert isinstance(type_, StructType)
    fields = (
        Field(field.name, change_inside(field.type, change), field.comment)
        for field in type_.fields
    )
    return StructType(fields=tuple(fields), nullable=type_.nullable)


_REBUILD: dict[type[LogicalType], Callable[[LogicalType, Change], LogicalType]] = {
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
