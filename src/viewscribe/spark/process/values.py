"""Values between Arrow and Python, as process table functions see them.

TIMESTAMP is a datetime in UTC, TIMESTAMP_NTZ one without a time zone, a STRUCT a ``Row``, a MAP a
dict; all others are what pyarrow makes of them. What a function gives must be of the very kind: no
number becomes a text, no text a number, and a datetime has a time zone exactly where it should.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.rows import MutableRow, Row, row_class

_UTC_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EPOCH = dt.datetime(1970, 1, 1)
_MICRO = dt.timedelta(microseconds=1)


def from_micros(micros: int, naive: bool) -> dt.datetime:
    """The datetime of microseconds since 1970."""
    return (_EPOCH if naive else _UTC_EPOCH) + dt.timedelta(microseconds=micros)


def to_micros(time: object, naive: bool) -> int:
    """Microseconds since 1970 of a datetime, which has a time zone unless it is naive."""
    if not isinstance(time, dt.datetime):
        raise ValidationError(f"{time!r} is no datetime")
    if (time.tzinfo is None) is not naive:
        zone = "a time zone" if naive else "no time zone"
        raise ValidationError(
            f"the time {time} has {zone}, and the time column is "
            f"{'TIMESTAMP_NTZ' if naive else 'TIMESTAMP'}",
            hint="write time.replace(tzinfo=None)" if naive else "write datetime(…, tzinfo=UTC)",
        )
    return (time - (_EPOCH if naive else _UTC_EPOCH)) // _MICRO


# -- from Arrow ------------------------------------------------------------------------------------


def python_values(column: Any) -> list[Any]:
    """The values of an array."""
    type_ = column.type
    if kinds.is_timestamp(type_):
        return _times(column)
    found: list[Any] = column.to_pylist()
    read = _reader(type_)
    return found if read is None else [None if each is None else read(each) for each in found]


def micros_of(column: Any) -> list[int | None]:
    """The times of an array, in microseconds since 1970."""
    wanted = pa.timestamp("us", tz=column.type.tz)
    found: list[int | None] = column.cast(wanted).cast(pa.int64()).to_pylist()
    return found


def _times(column: Any) -> list[Any]:
    epoch = _EPOCH if column.type.tz is None else _UTC_EPOCH
    make = dt.timedelta
    return [None if each is None else epoch + make(microseconds=each) for each in micros_of(column)]


def _reader(type_: Any) -> Callable[[Any], Any] | None:
    make = _READERS.get(type(type_))
    return None if make is None else make(type_)


def _read_struct(type_: Any) -> Callable[[Any], Any]:
    fields = [type_.field(place) for place in range(type_.num_fields)]
    names = [field.name for field in fields]
    row = row_class(names)
    readers = [_reader(field.type) for field in fields]
    if not any(readers):
        return lambda value: row(value.values())
    pairs = list(zip(names, readers, strict=True))
    return lambda value: row([_read(value[name], read) for name, read in pairs])


def _read_map(type_: Any) -> Callable[[Any], Any]:
    key, item = _reader(type_.key_type), _reader(type_.item_type)
    return lambda value: {_read(k, key): _read(v, item) for k, v in value}


def _read_list(type_: Any) -> Callable[[Any], Any] | None:
    element = _reader(type_.value_type)
    return None if element is None else lambda value: [_read(each, element) for each in value]


def _read_timestamp(type_: Any) -> Callable[[Any], Any] | None:
    return None if type_.tz is None else lambda value: value.astimezone(dt.UTC)


def _read(value: Any, read: Callable[[Any], Any] | None) -> Any:
    return value if read is None or value is None else read(value)


_READERS: dict[type, Callable[[Any], Callable[[Any], Any] | None]] = {
    pa.StructType: _read_struct,
    pa.MapType: _read_map,
    pa.ListType: _read_list,
    pa.LargeListType: _read_list,
    pa.TimestampType: _read_timestamp,
}


# -- to Arrow --------------------------------------------------------------------------------------


def arrow_values(
    values: Sequence[Any],
    type_: object,
    where: str,
    ddl: str | None = None,
    *,
    locate: Callable[[int], str] | None = None,
) -> Any:
    """The array of values.

    Args:
        values: the values; None is NULL.
        type_: the type of the array.
        where: how messages name the column.
        ddl: how messages name the type; by default as Arrow does.
        locate: says for the place of a value where it comes from.

    Raises:
        ValidationError: a value is not of the type; names it.
    """
    write = None if _is_plain(values, type_) else _writer(type_)
    try:
        given = values if write is None else [None if v is None else write(v) for v in values]
        return pa.array(given, type=type_)
    except (TypeError, ValueError, OverflowError, ArithmeticError, pa.ArrowException) as error:
        raise _wrong(values, type_, f"{where} is {ddl or type_}", error, locate) from error


def _is_plain(values: Sequence[Any], type_: Any) -> bool:
    """Whether all values are of the one class that is the type's: a look at each would be slow."""
    return any(
        is_kind(type_) and {type(None), plain}.issuperset(map(type, values))
        for is_kind, plain in _PLAIN
    )


def shorten(value: object, most: int = 200) -> str:
    """A value as messages show it."""
    text = repr(value)
    return text if len(text) <= most else text[:most] + " …"


def _wrong(
    values: Sequence[Any],
    type_: Any,
    what: str,
    error: Exception,
    locate: Callable[[int], str] | None,
) -> ValidationError:
    """The first value that does not fit."""
    write = _writer(type_)
    for place, value in enumerate(values):
        if value is None:
            continue
        try:
            pa.array([value if write is None else write(value)], type=type_)
        except (TypeError, ValueError, OverflowError, ArithmeticError, pa.ArrowException) as cause:
            return ValidationError(
                f"{what}, and was given {value!r}: {cause}",
                location=None if locate is None else locate(place),
                hint="convert it in the function, or declare another type",
            )
    return ValidationError(f"{what}, and was given something else: {error}")


def _writer(type_: Any) -> Callable[[Any], Any] | None:
    for is_kind, write in _WRITERS:
        if is_kind(type_):
            return write(type_)
    return None


def _exactly(*allowed: type) -> Callable[[Any], Callable[[Any], Any]]:
    """Lets only values of these classes through, ``bool`` never as a number."""

    def make(type_: Any) -> Callable[[Any], Any]:
        def write(value: Any) -> Any:
            if not isinstance(value, allowed) or (type(value) is bool and bool not in allowed):
                raise TypeError(f"it is of the class {type(value).__name__}")
            return value

        return write

    return make


def _write_timestamp(type_: Any) -> Callable[[Any], Any]:
    naive = type_.tz is None

    def write(value: Any) -> Any:
        if not isinstance(value, dt.datetime):
            raise TypeError(f"it is of the class {type(value).__name__}")
        if (value.tzinfo is None) is not naive:
            raise TypeError("it has a time zone" if naive else "it has no time zone")
        return value if naive else value.astimezone(dt.UTC)

    return write


def _write_date(type_: Any) -> Callable[[Any], Any]:
    def write(value: Any) -> Any:
        if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
            raise TypeError(f"it is of the class {type(value).__name__}")
        return value

    return write


def _write_time(type_: Any) -> Callable[[Any], Any]:
    def write(value: Any) -> Any:
        if not isinstance(value, dt.time):
            raise TypeError(f"it is of the class {type(value).__name__}")
        if value.tzinfo is not None:
            raise TypeError("it has a time zone")
        return value

    return write


def _write_struct(type_: Any) -> Callable[[Any], Any]:
    fields = [type_.field(place) for place in range(type_.num_fields)]
    names = [field.name for field in fields]
    writers = [_part_writer(field) for field in fields]

    def write(value: Any) -> Any:
        items = fields_of(value, names)
        return {
            name: item if make is None else make(item)
            for name, item, make in zip(names, items, writers, strict=True)
        }

    return write


NO_LISTS = (str, bytes, bytearray, memoryview, dict, set, frozenset)
"""What can be gone through, and is no list: a set has no order."""


def _part_writer(field: Any) -> Callable[[Any], Any] | None:
    """Writes a part of a value, which may be None where its field may be NULL."""
    write = _writer(field.type)
    if field.nullable and write is None:
        return None

    def part(value: Any) -> Any:
        if value is None and not field.nullable:
            raise TypeError(f"`{field.name}` in it is None, and NOT NULL")
        return value if value is None or write is None else write(value)

    return part


def _write_list(type_: Any) -> Callable[[Any], Any]:
    element = _part_writer(type_.value_field)

    def write(value: Any) -> Any:
        if isinstance(value, NO_LISTS) or not hasattr(value, "__iter__"):
            raise TypeError(f"it is of the class {type(value).__name__}")
        return [each if element is None else element(each) for each in value]

    return write


def _write_map(type_: Any) -> Callable[[Any], Any]:
    key, item = _part_writer(type_.key_field), _part_writer(type_.item_field)

    def write(value: Any) -> Any:
        if not hasattr(value, "items"):
            raise TypeError(f"it is of the class {type(value).__name__}")
        return [
            (k if key is None else key(k), v if item is None else item(v)) for k, v in value.items()
        ]

    return write


def _is_text(type_: Any) -> bool:
    return bool(kinds.is_string(type_) or kinds.is_large_string(type_))


def _is_binary(type_: Any) -> bool:
    return bool(kinds.is_binary(type_) or kinds.is_large_binary(type_))


_WRITERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Callable[[Any], Any]]], ...] = (
    (kinds.is_boolean, _exactly(bool)),
    (kinds.is_integer, _exactly(int)),
    (kinds.is_floating, _exactly(float, int)),
    (_is_text, _exactly(str)),
    (_is_binary, _exactly(bytes, bytearray)),
    (kinds.is_decimal, _exactly(Decimal, int)),
    (kinds.is_duration, _exactly(dt.timedelta)),
    (kinds.is_time, _write_time),
    (kinds.is_timestamp, _write_timestamp),
    (kinds.is_date, _write_date),
    (kinds.is_struct, _write_struct),
    (kinds.is_map, _write_map),
    (kinds.is_list, _write_list),
)


_PLAIN: tuple[tuple[Callable[[Any], bool], type], ...] = (
    (kinds.is_integer, int),
    (kinds.is_floating, float),
    (_is_text, str),
    (kinds.is_boolean, bool),
)


def fields_of(value: object, names: Sequence[str]) -> Sequence[Any]:
    """The values of a record: a row, a tuple, a dict, a dataclass.

    Those of a named tuple by their names, where it has just these names, else in their order.

    Raises:
        TypeError: it has other fields.
    """
    if isinstance(value, Row) and value.fields:
        if set(value.fields) != set(names):
            raise TypeError(f"it has the columns {', '.join(value.fields)}")
        return [value[name] for name in names]
    if isinstance(value, tuple | list):
        if len(value) != len(names):
            raise TypeError(f"it has {len(value)} values for {len(names)} columns")
        if set(getattr(value, "_fields", ())) == set(names):
            return [getattr(value, name) for name in names]
        return value
    if isinstance(value, MutableRow):
        value = value.as_dict()
    if isinstance(value, dict):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise TypeError(f"it has the unknown column {unknown[0]!r}")
        return [value.get(name) for name in names]
    try:
        return [getattr(value, name) for name in names]
    except AttributeError as error:
        raise TypeError(f"it is of the class {type(value).__name__}, and {error}") from error
