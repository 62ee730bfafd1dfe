"""What runs in Spark's Python workers around functions that are handed Arrow data.

Pickled by value, so a worker needs pyarrow and pyspark, but no viewscribe: nothing of viewscribe is
imported here. ``Gives`` says what a function must give; whatever else it gives is an error that
names the function, where Spark would cast, cut off or say nothing. The annotations of the inner
functions tell Spark how to call them.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds
from pyspark.sql.types import Row, VariantVal

BATCH = 10_000
"""How many rows of a group become Python values at once, and share an accumulator."""

Gives = tuple[str, str, Any]
"""The name of the function, the type of its result in SQL, and that type in Arrow."""

Run = Callable[..., Any]
"""From the arrays of a group, one an argument, to the value of an aggregate."""


# -- scalar functions of arrays --------------------------------------------------------------------


def vectorize(function: Callable[..., Any], gives: Gives) -> Callable[..., Any]:
    """A function of arrays that gives an array as long."""

    def of_a_batch(*columns: pa.Array) -> pa.Array:
        made = check(function(*columns), gives)
        if len(made) != len(columns[0]):
            raise ValueError(
                f"the vectorized function {gives[0]} gave {len(made)} values for "
                f"{len(columns[0])} rows"
            )
        return made

    return of_a_batch


def over_batches(function: Callable[..., Any], gives: Gives) -> Callable[..., Any]:
    """A function of an iterator over batches; it may cut the rows into batches of its own."""

    def of_batches(given: Iterator[pa.Array]) -> Iterator[pa.Array]:
        taken = made = 0

        def count_batches() -> Iterator[Any]:
            nonlocal taken
            for batch in given:
                taken += len(batch[0] if isinstance(batch, tuple) else batch)
                yield batch

        batches = count_batches()
        for result in function(batches):
            array = check(result, gives)
            made += len(array)
            yield array
        for _ in batches:  # what it left; only then all rows are counted
            pass
        if made != taken:
            raise ValueError(
                f"the vectorized function {gives[0]} gave {made} values for {taken} rows"
            )

    return of_batches


def check(made: object, gives: Gives) -> Any:
    """The array, of exactly the type wanted; another width of the same kind is cast safely."""
    name, shown, wanted = gives
    if isinstance(made, pa.ChunkedArray):
        made = made.combine_chunks()
    if not isinstance(made, pa.Array):
        raise TypeError(
            f"the vectorized function {name} gave a {type(made).__name__}, not a pyarrow.Array"
        )
    if not _is_kin(made.type, wanted):
        raise TypeError(
            f"the function {name} gave {made.type} in Arrow, and its result is {shown}, {wanted}"
        )
    try:
        return made.cast(wanted, safe=True)
    except pa.ArrowInvalid as error:
        raise ValueError(f"the function {name} gave what is no {shown}: {error}") from error


def _is_kin(given: Any, wanted: Any) -> bool:
    """Whether both types hold values of one kind, so that a cast changes none of them."""
    if kinds.is_dictionary(given):
        return _is_kin(given.value_type, wanted)
    if given == wanted or kinds.is_null(given):
        return True
    if kinds.is_floating(given) and kinds.is_floating(wanted):
        return bool(given.bit_width <= wanted.bit_width)
    if kinds.is_timestamp(given) and kinds.is_timestamp(wanted):
        return (given.tz is None) is (wanted.tz is None)
    if kinds.is_struct(given) and kinds.is_struct(wanted):
        return _fields(given) == _fields(wanted) and all(
            _is_kin(given.field(place).type, wanted.field(place).type)
            for place in range(wanted.num_fields)
        )
    if kinds.is_map(given) and kinds.is_map(wanted):
        return _is_kin(given.key_type, wanted.key_type) and _is_kin(
            given.item_type, wanted.item_type
        )
    if _is_list(given) and _is_list(wanted):
        return _is_kin(given.value_type, wanted.value_type)
    return any(is_kind(given) and is_kind(wanted) for is_kind in _KINDS)


def _fields(type_: Any) -> list[str]:
    return [type_.field(place).name for place in range(type_.num_fields)]


def _is_list(type_: Any) -> bool:
    return bool(kinds.is_list(type_) or kinds.is_large_list(type_) or kinds.is_list_view(type_))


def _is_text(type_: Any) -> bool:
    return bool(kinds.is_string(type_) or kinds.is_large_string(type_))


def _is_binary(type_: Any) -> bool:
    return bool(kinds.is_binary(type_) or kinds.is_large_binary(type_))


_KINDS = (
    kinds.is_integer,
    kinds.is_decimal,
    kinds.is_date,
    kinds.is_time,
    kinds.is_duration,
    _is_text,
    _is_binary,
)


# -- aggregates ------------------------------------------------------------------------------------


def over_group(run: Run, gives: Gives) -> Callable[..., Any]:
    """An aggregate of the arrays of a group."""

    def of_a_group(*columns: pa.Array) -> Any:
        return as_scalar(run(*columns), gives)

    return of_a_group


def over_collected(run: Run, gives: Gives) -> Callable[..., Any]:
    """An aggregate of groups that are arrays of rows: a batch of them at a time."""

    def of_groups(groups: pa.Array) -> pa.Array:
        found = [None if rows is None else run(*rows.flatten()) for rows in map(_rows, groups)]
        return pa.array([as_scalar(value, gives) for value in found], type=gives[2])

    return of_groups


def _rows(group: Any) -> Any:
    return group.values


def with_lists(function: Callable[..., Any]) -> Run:
    """Runs a function of the lists of a group's values."""
    return lambda *columns: function(*map(values, columns))


def with_arrays(function: Callable[..., Any]) -> Run:
    """Runs a function of the arrays of a group."""
    return function


def accumulate(function: Any) -> Run:
    """Runs an ``AggregateFunction`` over the rows of a group.

    Where accumulators can be merged each batch of rows has its own, else one takes in all.
    """

    def run(*columns: Any) -> Any:
        made = function() if isinstance(function, type) else function
        merge = getattr(made, "merge", None)
        accumulators = [made.create_accumulator()]
        for start in range(0, len(columns[0]), BATCH):
            if start and merge is not None:
                accumulators.append(made.create_accumulator())
            _take_in(made, accumulators[-1], [each.slice(start, BATCH) for each in columns])
        first, *others = accumulators
        if others and merge is not None:
            merge(first, others)
        return made.get_value(first)

    return run


def _take_in(function: Any, accumulator: Any, columns: Sequence[Any]) -> None:
    for row in zip(*map(values, columns), strict=True):
        returned = function.accumulate(accumulator, *row)
        if returned is not None:
            raise TypeError(
                f"{type(function).__name__}.accumulate changes the accumulator it is given, and "
                f"returns nothing; it returned {returned!r}"
            )


# -- values ----------------------------------------------------------------------------------------


def values(column: Any) -> list[Any]:
    """The values of an array as Python functions of rows get them: naive local times, Rows."""
    read = _reader(column.type)
    found: list[Any] = column.to_pylist()
    return found if read is None else [None if each is None else read(each) for each in found]


def _reader(type_: Any) -> Callable[[Any], Any] | None:
    """How a value of Arrow becomes Spark's in Python; None where it is the same."""
    make = _READERS.get(type(type_))
    return None if make is None else make(type_)


def _read_struct(type_: Any) -> Callable[[Any], Any]:
    fields = [type_.field(place) for place in range(type_.num_fields)]
    if any((field.metadata or {}).get(b"variant") == b"true" for field in fields):
        return lambda value: VariantVal(value["value"], value["metadata"])
    row = Row(*[field.name for field in fields])
    readers = [(field.name, _reader(field.type)) for field in fields]
    return lambda value: row(*[_read(value[name], read) for name, read in readers])


def _read_map(type_: Any) -> Callable[[Any], Any]:
    key, item = _reader(type_.key_type), _reader(type_.item_type)
    return lambda value: {_read(k, key): _read(v, item) for k, v in value}


def _read_list(type_: Any) -> Callable[[Any], Any] | None:
    element = _reader(type_.value_type)
    return None if element is None else lambda value: [_read(each, element) for each in value]


def _read_timestamp(type_: Any) -> Callable[[Any], Any] | None:
    if type_.tz is None:
        return None
    return lambda value: value.astimezone().replace(tzinfo=None)


def _read(value: Any, read: Callable[[Any], Any] | None) -> Any:
    return value if read is None or value is None else read(value)


_READERS: dict[type, Callable[[Any], Callable[[Any], Any] | None]] = {
    pa.StructType: _read_struct,
    pa.MapType: _read_map,
    pa.ListType: _read_list,
    pa.LargeListType: _read_list,
    pa.TimestampType: _read_timestamp,
}


def as_scalar(value: object, gives: Gives) -> Any:
    """The value of an aggregate as Arrow has it; NULL is None."""
    name, shown, wanted = gives
    if isinstance(value, pa.Scalar):
        return check(pa.array([value]), gives)[0] if value.is_valid else None
    try:
        written = _write(value, wanted)
        return None if written is None else pa.array([written], type=wanted)[0]
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"the function {name} gave {value!r}, which is no {shown}: {error}"
        ) from error


def _write(value: Any, type_: Any) -> Any:
    """The value as pyarrow takes it for the type."""
    if value is None:
        return None
    if kinds.is_integer(type_) and isinstance(value, float) and not value.is_integer():
        raise TypeError("it has a fraction")  # which pyarrow would cut off
    write = _WRITERS.get(type(type_))
    return value if write is None else write(value, type_)


def _write_struct(value: Any, type_: Any) -> Any:
    fields = [type_.field(place) for place in range(type_.num_fields)]
    if isinstance(value, VariantVal):
        return {"value": value.value, "metadata": value.metadata}
    if dataclasses.is_dataclass(value):
        value = vars(value) if hasattr(value, "__dict__") else dataclasses.asdict(value)  # type: ignore[arg-type]
    if isinstance(value, dict):
        value = [value.get(field.name) for field in fields]
    elif {*getattr(value, "_fields", ())} == {field.name for field in fields}:
        value = [getattr(value, field.name) for field in fields]  # a named tuple, in any order
    if not isinstance(value, list | tuple) or len(value) != len(fields):
        raise TypeError(f"it has not the {len(fields)} fields")
    pairs = zip(fields, value, strict=True)
    return {field.name: _write(item, field.type) for field, item in pairs}


def _write_map(value: Any, type_: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError("it is no dict")
    return [(_write(k, type_.key_type), _write(v, type_.item_type)) for k, v in value.items()]


def _write_list(value: Any, type_: Any) -> Any:
    if isinstance(value, str | bytes | dict):
        raise TypeError("it is no list")
    return [_write(each, type_.value_type) for each in value]


def _write_timestamp(value: Any, type_: Any) -> Any:
    if not isinstance(value, dt.datetime):
        raise TypeError("it is no datetime")
    if type_.tz is not None:
        return value.astimezone(dt.UTC)
    if value.tzinfo is not None:
        raise TypeError("it has a time zone")
    return value


_WRITERS: dict[type, Callable[[Any, Any], Any]] = {
    pa.StructType: _write_struct,
    pa.MapType: _write_map,
    pa.ListType: _write_list,
    pa.TimestampType: _write_timestamp,
}
