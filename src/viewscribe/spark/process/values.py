"""Values between Arrow and Python, as process table functions see them.

TIMESTAMP is a datetime in UTC, TIMESTAMP_NTZ one without a time zone, a STRUCT a ``Row``, a MAP a
dict; all others are what pyarrow makes of them. What a function gives must be of the very kind: no
number becomes a text, no text a number, and a datetime has a time zone exactly where it should.
"""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.rows import (
    ChangelogMode,
    MutableRow,
    Row,
    RowKind,
    row_class,
)
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.plan import CallPlan
from viewscribe.types import ArrayType, BinaryType, MapType, StructType

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
    write = (
        None
        if any(
            is_kind(type_) and {type(None), plain}.issuperset(map(type, values))
            for is_kind, plain in _PLAIN
        )
        else _writer(type_)
    )
    try:
        given = values if write is None else [None if v is None else write(v) for v in values]
        return pa.array(given, type=type_)
    except (TypeError, ValueError, OverflowError, ArithmeticError, pa.ArrowException) as error:
        raise _wrong(values, type_, f"{where} is {ddl or type_}", error, locate) from error


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


# What a function collected, as batches of the result's columns.

MOST_ROWS = 10_000
"""So many rows of the result wait before they are given on."""


class Results:
    """Takes the rows of the result, partition by partition, and gives batches.

    Args:
        plan: the call.
    """

    def __init__(self, plan: CallPlan) -> None:
        self._plan = plan
        signature = plan.signature
        self._retract = signature.output_mode is ChangelogMode.RETRACT
        self._passes = signature.passes_through
        self._own = plan.own[1:] if self._retract else plan.own
        self._names = [field.name for field in self._own]
        self._nested = [
            place
            for place, field in enumerate(self._own)
            if isinstance(field.type, ArrayType | MapType | StructType | BinaryType)
        ]
        self._takers: dict[type, Callable[[Any], Any]] = {}
        self._rows: list[Any] = []
        self._times: list[Any] = []
        self._keys: list[tuple[tuple[Any, ...], int]] = []
        self._passed: list[Any] = []
        self._origins: list[Any] = []
        self._key: tuple[Any, ...] = ()
        self._begun = 0
        self.input: Any = None
        """The row that is being processed, where its columns pass through."""
        self.schema = pa.schema(
            [
                pa.field(field.name, to_arrow(field.type), nullable=field.nullable)
                for field in plan.fields
            ]
        )

    def __len__(self) -> int:
        return len(self._rows)

    def partition(self, key: tuple[Any, ...]) -> None:
        """The rows that come now belong to the partition of these keys."""
        self._close()
        self._key = key

    def collect(self, row: object, kind: RowKind, time: int | None, origin: object = None) -> None:
        """A row of the result, its kind, its time, and the row or timer that it was made of."""
        take = self._takers.get(type(row))
        if take is None:
            take = self._takers[type(row)] = self._taker(row)
        values = take(row)
        if self._nested:
            values = [
                copy.deepcopy(value) if place in self._nested else value
                for place, value in enumerate(values)
            ]
        if self._retract:
            values = (kind.value, *values)
        elif kind is not RowKind.INSERT:
            raise ValidationError(
                f"{self._plan.name} gives a row of the kind {kind.value}, and its result is no "
                "changelog",
                hint="write def output_changelog_mode(self): return ChangelogMode.RETRACT",
            )
        self._rows.append(values)
        self._times.append(time)
        self._origins.append(origin)
        if self._passes:
            self._passed.append(self.input)

    def batch(self) -> Any:
        """All rows so far, as one batch; they are forgotten here."""
        self._close()
        plan = self._plan
        arrays: list[Any] = []
        if self._passes:
            arrays += self._columns(self._passed, len(plan.sources[0].columns), 0)
        else:
            arrays += self._key_columns()
        arrays += self._columns(self._rows, len(plan.own), len(arrays))
        if plan.time_name is not None:
            micros = pa.array(self._times, type=pa.int64())
            arrays.append(micros.cast(self.schema.types[-1]))
        self._rows, self._times, self._keys, self._passed = [], [], [], []
        self._origins = []
        self._begun = 0
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _close(self) -> None:
        made = len(self._rows) - self._begun
        if made:
            self._keys.append((self._key, made))
        self._begun = len(self._rows)

    def _key_columns(self) -> list[Any]:
        width = len(self._plan.key_types)
        if not width:
            return []
        repeats = pa.array(
            [place for place, (_, made) in enumerate(self._keys) for _ in range(made)],
            type=pa.int64(),
        )
        columns = []
        for place in range(width):
            type_ = self.schema.types[place]
            keys = arrow_values([key[place] for key, _ in self._keys], type_, "a key")
            columns.append(keys.take(repeats))
        return columns * len(self._plan.sources)

    def _columns(self, rows: list[Any], width: int, start: int) -> list[Any]:
        columns = list(zip(*rows, strict=True)) if rows else [()] * width
        return [self._column(start + place, values) for place, values in enumerate(columns)]

    def _column(self, place: int, values: Sequence[Any]) -> Any:
        field = self._plan.fields[place]
        where = f"the column `{field.name}` of {self._plan.name}"
        made = arrow_values(
            values,
            self.schema.types[place],
            where,
            field.type.as_nullable().ddl,
            locate=self._locate,
        )
        if made.null_count and not field.nullable:
            raise ValidationError(
                f"{where} is {field.type.ddl} NOT NULL, and was given None",
                location=self._locate(made.is_null().index(True).as_py()),
                hint="leave NOT NULL out, or give it a value",
            )
        return made

    def _locate(self, place: int) -> str:
        """What a row of the result was made of, for messages."""
        origin, time = self._origins[place], self._times[place]
        at = "" if time is None else f", at {from_micros(time, self._plan.naive)}"
        return f"{'row ' if isinstance(origin, tuple) else ''}{shorten(origin)}{at}"

    def _taker(self, row: Any) -> Callable[[Any], Any]:
        """How the values of rows of such a class are taken."""
        names = self._names
        if len(names) == 1 and self._is_value(row):
            return lambda value: (value,)
        if type(row) is tuple and len(row) == len(names):
            width = len(names)

            def check(value: Any) -> Any:
                if len(value) != width:
                    raise self._misfit(value, f"it has {len(value)} values for {width} columns")
                return value

            return check

        def take(value: Any) -> Any:
            try:
                return tuple(fields_of(value, names))
            except TypeError as error:
                raise self._misfit(value, str(error)) from error

        return take

    def _is_value(self, row: Any) -> bool:
        """Whether such a row is the value of the only column, and no record of it."""
        type_ = self._own[0].type
        if isinstance(type_, StructType):
            return False
        if isinstance(type_, ArrayType) and isinstance(row, list | ListState):
            return True
        if isinstance(type_, MapType) and isinstance(row, dict | MapState):
            return True
        return isinstance(row, _VALUES) or not (
            isinstance(row, tuple | list | dict) or all(hasattr(row, name) for name in self._names)
        )

    def _misfit(self, value: Any, why: str) -> ValidationError:
        return ValidationError(
            f"{self._plan.name} gave {value!r}, which is no row of its result: {why}",
            location=f"({', '.join(self._names)})",
            hint="collect a dataclass, a tuple, or a dict of the columns",
        )


_VALUES = (str, bytes, bytearray, int, float, Decimal, dt.date, dt.time, dt.timedelta)
"""Classes of values; some have attributes that a column may be named like: ``datetime.time``."""
