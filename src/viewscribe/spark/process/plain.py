"""Values as plain data that JSON can hold, by their types: what is kept between micro-batches.

=======================================  ========================================
type                                     as
=======================================  ========================================
BOOLEAN, integers, STRING                themselves
FLOAT, DOUBLE                            a number, or "NaN", "Infinity", "-Infinity"
DECIMAL                                  its text
BINARY                                   base64
DATE, TIME                               their ISO texts
TIMESTAMP, TIMESTAMP_NTZ                 microseconds since 1970
INTERVAL DAY TO SECOND                   microseconds
STRUCT, VARIANT                          the list of the fields
ARRAY, MAP                               a list; a list of pairs
=======================================  ========================================
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Union

from viewscribe.expressions.functions.process.rows import row_class
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.process.values import NO_LISTS, fields_of, from_micros, to_micros
from viewscribe.types import nested_types
from viewscribe.types.nested_types import LogicalType

# Which classes the values of a state are of, as its annotation says it: plain data for tasks.
#
# Read where the function is defined; a task may not know the names that annotations use.


@dataclass(frozen=True)
class Shape:
    """The class of a value and of what it holds.

    Args:
        kind: the dataclass or the named tuple; None for a ``Row``, and for all else.
        fields: the shapes of its fields.
        inner: the shapes of elements, or of keys and values.
    """

    kind: Any = None
    fields: Mapping[str, Shape] = field(default_factory=dict)
    inner: tuple[Shape, ...] = ()


ANY = Shape()


def shape_of(annotation: object) -> Shape:
    """The shape that an annotation means."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return shape_of(inner[0])
    if origin in (Union, types.UnionType):
        some = [each for each in inner if each is not type(None)]
        return shape_of(some[0]) if len(some) == 1 else ANY
    if origin is not None:
        return Shape(inner=tuple(map(shape_of, inner)))
    names = _names(annotation)
    if names is None:
        return ANY
    hints = typing.get_type_hints(annotation, include_extras=True)
    return Shape(annotation, {name: shape_of(hints[name]) for name in names})


def _names(kind: Any) -> list[str] | None:
    if not inspect.isclass(kind):
        return None
    if dataclasses.is_dataclass(kind):
        return [each.name for each in dataclasses.fields(kind)]
    found = getattr(kind, "_fields", None)
    return list(found) if found is not None and hasattr(kind, "__annotations__") else None


def remade(kind: Any, names: list[str], values: list[Any]) -> Any:
    """An object of a class as it was: neither defaults nor ``__post_init__`` take part."""
    made: Any = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


Turn = Callable[[Any], Any]
"""From a value to plain data, or back; never called with None."""

_MICRO = dt.timedelta(microseconds=1)
_VARIANT = ("value", "metadata")


def to_plain(type_: LogicalType) -> Turn:
    """Turns values of the type into plain data.

    It raises TypeError or ValueError for a value that is not of the type.
    """
    made: Turn = _handler(_TO_PLAIN, type_)(type_)
    return made


def from_plain(type_: LogicalType, shape: Shape = ANY) -> Turn:
    """Turns plain data back into values.

    Args:
        type_: their type.
        shape: which classes they are of; a STRUCT is a ``Row`` where it does not say.
    """
    made: Turn = _handler(_FROM_PLAIN, type_)(type_, shape)
    return made


def optional(turn: Turn) -> Turn:
    """The same, for values that may be None."""
    return lambda value: None if value is None else turn(value)


def _handler(table: dict[type[LogicalType], Any], type_: LogicalType) -> Any:
    made = table.get(type(type_))
    if made is None:
        raise NotInterpretableError(
            f"a process table function cannot keep {type_.ddl}",
            hint="cast it to a type that Python has, an INT or a STRING for one",
        )
    return made


# -- to plain data ---------------------------------------------------------------------------------


def _wrong(value: Any) -> TypeError:
    return TypeError(f"it is of the class {type(value).__name__}")


def _exactly(*allowed: type) -> Callable[[LogicalType], Turn]:
    def check(value: Any) -> Any:
        if type(value) not in allowed and (type(value) is bool or not isinstance(value, allowed)):
            raise _wrong(value)
        return value

    return lambda type_: check


def _whole(bits: int) -> Callable[[LogicalType], Turn]:
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def check(value: Any) -> Any:
        if type(value) is bool or not isinstance(value, int):
            raise _wrong(value)
        if not least <= value <= most:
            raise ValueError(f"it does not fit into {bits} bits")
        return value

    return lambda type_: check


def _float_out(type_: LogicalType) -> Turn:
    def turn(value: Any) -> Any:
        if type(value) is bool or not isinstance(value, float | int):
            raise _wrong(value)
        number = float(value)
        if math.isfinite(number):
            return number
        return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"

    return turn


def _by(kind: type | tuple[type, ...], turn: Turn) -> Callable[[LogicalType], Turn]:
    """Turns values of a class."""

    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise _wrong(value)
        return turn(value)

    return lambda type_: check


def _date_out(value: Any) -> str:
    if isinstance(value, dt.datetime):
        raise _wrong(value)
    return str(value.isoformat())


def _struct_out(type_: Any) -> Turn:
    names = [field.name for field in type_.fields]
    turns = [optional(to_plain(field.type)) for field in type_.fields]
    known = frozenset(names)

    def fields(value: Any) -> Any:
        held = getattr(value, "__dict__", None)
        if held and not known.issuperset(held):
            raise TypeError(
                f"it was given the attribute `{min(held.keys() - known)}`, which is none of its "
                "fields and would be lost between the micro-batches of a stream"
            )
        return [turn(each) for turn, each in zip(turns, fields_of(value, names), strict=True)]

    return fields


def _list_out(type_: Any) -> Turn:
    turn = optional(to_plain(type_.element))

    def all_of(value: Any) -> Any:
        if isinstance(value, NO_LISTS) or not hasattr(value, "__iter__"):
            raise _wrong(value)
        return [turn(each) for each in value]

    return all_of


def _map_out(type_: Any) -> Turn:
    key, item = to_plain(type_.key), optional(to_plain(type_.value))

    def pairs(value: Any) -> Any:
        if not hasattr(value, "items"):
            raise _wrong(value)
        return [[key(k), item(v)] for k, v in value.items()]

    return pairs


def _void(*anything: Any) -> Turn:
    return lambda value: None


def _base64(value: Any) -> str:
    return base64.b64encode(value).decode("ascii")


_TO_PLAIN: dict[type[LogicalType], Callable[[Any], Turn]] = {
    nested_types.VoidType: _void,
    nested_types.BooleanType: _exactly(bool),
    nested_types.TinyIntType: _whole(8),
    nested_types.SmallIntType: _whole(16),
    nested_types.IntType: _whole(32),
    nested_types.BigIntType: _whole(64),
    nested_types.FloatType: _float_out,
    nested_types.DoubleType: _float_out,
    nested_types.DecimalType: _by(Decimal, str),
    nested_types.StringType: _exactly(str),
    nested_types.CharType: _exactly(str),
    nested_types.VarcharType: _exactly(str),
    nested_types.BinaryType: _by((bytes, bytearray), _base64),
    nested_types.DateType: _by(dt.date, _date_out),
    nested_types.TimeType: _by(dt.time, lambda value: value.isoformat()),
    nested_types.TimestampType: lambda type_: lambda value: to_micros(value, naive=False),
    nested_types.TimestampNtzType: lambda type_: lambda value: to_micros(value, naive=True),
    nested_types.DayTimeIntervalType: _by(dt.timedelta, lambda value: value // _MICRO),
    nested_types.VariantType: lambda type_: (
        lambda value: [_base64(each) for each in fields_of(value, _VARIANT)]
    ),
    nested_types.ArrayType: _list_out,
    nested_types.MapType: _map_out,
    nested_types.StructType: _struct_out,
}


# -- from plain data -------------------------------------------------------------------------------


def _inner(shape: Shape, count: int) -> tuple[Shape, ...]:
    return shape.inner if len(shape.inner) == count else (ANY,) * count


def _as_is(type_: LogicalType, shape: Shape) -> Turn:
    return lambda value: value


def _back(turn: Turn) -> Callable[[LogicalType, Shape], Turn]:
    return lambda type_, shape: turn


def _struct_in(type_: Any, shape: Shape) -> Turn:
    names = [field.name for field in type_.fields]
    turns = [
        optional(from_plain(field.type, shape.fields.get(field.name, ANY)))
        for field in type_.fields
    ]
    make = _record(names, shape.kind)
    return lambda value: make([turn(each) for turn, each in zip(turns, value, strict=True)])


def _record(names: list[str], kind: Any) -> Turn:
    """What makes a record of its values."""
    if kind is None:
        return row_class(names)
    if dataclasses.is_dataclass(kind):
        return lambda values: remade(kind, names, values)
    return lambda values: kind(*values)


def _list_in(type_: Any, shape: Shape) -> Turn:
    turn = optional(from_plain(type_.element, _inner(shape, 1)[0]))
    return lambda value: [turn(each) for each in value]


def _map_in(type_: Any, shape: Shape) -> Turn:
    of_key, of_item = _inner(shape, 2)
    key, item = from_plain(type_.key, of_key), optional(from_plain(type_.value, of_item))
    return lambda value: {key(k): item(v) for k, v in value}


_FROM_PLAIN: dict[type[LogicalType], Callable[[Any, Shape], Turn]] = {
    nested_types.VoidType: _void,
    nested_types.BooleanType: _as_is,
    nested_types.TinyIntType: _as_is,
    nested_types.SmallIntType: _as_is,
    nested_types.IntType: _as_is,
    nested_types.BigIntType: _as_is,
    nested_types.FloatType: _back(float),
    nested_types.DoubleType: _back(float),
    nested_types.DecimalType: _back(Decimal),
    nested_types.StringType: _as_is,
    nested_types.CharType: _as_is,
    nested_types.VarcharType: _as_is,
    nested_types.BinaryType: _back(base64.b64decode),
    nested_types.DateType: _back(dt.date.fromisoformat),
    nested_types.TimeType: _back(dt.time.fromisoformat),
    nested_types.TimestampType: _back(lambda value: from_micros(value, False)),
    nested_types.TimestampNtzType: _back(lambda value: from_micros(value, True)),
    nested_types.DayTimeIntervalType: _back(lambda value: value * _MICRO),
    nested_types.VariantType: _back(
        lambda value: row_class(_VARIANT)([base64.b64decode(each) for each in value])
    ),
    nested_types.ArrayType: _list_in,
    nested_types.MapType: _map_in,
    nested_types.StructType: _struct_in,
}
