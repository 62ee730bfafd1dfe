"""What runs in Spark's Python workers around asynchronous functions: arrays in, arrays out.

Pickled by value, like ``arrow_runtime`` and ``async_runner``, so that a worker needs pyarrow and
pyspark, but no viewscribe. What a function gives must be of the class that its type says; Arrow
alone would make a BIGINT of True.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from types import FrameType
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds
from pyspark import TaskContext
from pyspark.sql.types import VariantVal

from viewscribe.spark.arrow_runtime import Gives, _write, values
from viewscribe.spark.async_runner import Chunk, How, Runner, shown_call

Layout = tuple[Sequence[int], int, str]
MakesArray = Callable[[Sequence[Any], Sequence[Any], Gives], pa.Array]


def over_batches(function: object, how: How, gives: Gives, *, guarded: bool) -> Callable[..., Any]:
    """A function of an iterator over batches, whose results come in the order of the rows.

    Args:
        function: a class with ``eval``, an object of one, or a coroutine function.
        how: how its calls are made.
        gives: what it must give.
        guarded: whether the first column says where a call is needed.
    """

    def of_batches(given: Iterator[pa.Array]) -> Iterator[pa.Array]:
        chunks = _chunks(given, how.sizes(), guarded)
        output, made = _Output(), as_rows if how.gives_rows else as_array
        with _Closing(function, how, output) as runner:
            for chunk in runner.in_order(chunks):
                yield made(chunk.results, chunk.rows, gives)
                output.flush()

    return of_batches


def over_rows(
    function: object, how: How, gives: Gives, layout: Layout, *, guarded: bool
) -> Callable[..., Any]:
    """A function of whole rows that gives them a column more, as soon as it is there.

    Args:
        function: a class with ``eval``, an object of one, or a coroutine function.
        how: how its calls are made.
        gives: what it must give.
        layout: which columns are its arguments, how many are kept, and the name of the new one.
        guarded: whether the first argument says where a call is needed.
    """

    def of_batches(given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        places, width, name = layout
        output, latest = _Output(), None
        added = width, name, as_rows if how.gives_rows else as_array

        def chunks() -> Iterator[Chunk]:
            nonlocal latest
            for latest in _row_chunks(given, how.sizes(), places, guarded):  # noqa: UP028
                yield latest

        with _Closing(function, how, output) as runner:
            for ready in runner.as_ready(chunks()):
                if not ready and latest is not None:
                    yield _with_results(latest, [], gives, added)
                    output.flush()
                by_chunk: dict[int, tuple[Chunk, list[int]]] = {}
                for chunk, place in ready:
                    by_chunk.setdefault(id(chunk), (chunk, []))[1].append(place)
                for chunk, found in by_chunk.values():
                    yield _with_results(chunk, found, gives, added)
                    output.flush()

    return of_batches


class _Closing:
    """A runner that is closed whatever happens; a LIMIT above ends the generator early."""

    def __init__(self, function: Any, how: How, output: _Output) -> None:
        task = TaskContext.get()
        place = (0, 0) if task is None else (task.partitionId(), task.attemptNumber())
        self.runner = Runner(function, how, *place, is_over=output.is_closed)

    def __enter__(self) -> Runner:
        return self.runner

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.runner.close(error)


class _Output:
    """What a worker of Spark writes results to, found among its frames; nothing elsewhere.

    The worker keeps results until there are many of them. Spark would learn of the first ones when
    the last calls are made: too late for a LIMIT that has rows enough, and it looks whether a job
    was cancelled when results come. It then closes its side, after which no call is of use.
    """

    def __init__(self) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.endswith("worker.py"):
            frame = frame.f_back
        found = None
        while frame is not None and found is None:
            found = frame.f_locals.get("outfile")
            frame = frame.f_back
        self._file = found
        self._poll = self._watch(found)

    @staticmethod
    def _watch(file: Any) -> Any:
        hung_up = getattr(select, "POLLRDHUP", None)
        if file is None or hung_up is None:  # only Linux says so
            return None
        try:
            number = file.fileno()
        except OSError:
            return None
        watch = select.poll()
        watch.register(number, hung_up)  # errors and the end of both sides are said anyway
        return watch

    def flush(self) -> None:
        """Gives Spark what is written."""
        if self._file is not None:
            self._file.flush()

    def is_closed(self) -> bool:
        """Whether Spark reads no more."""
        return self._poll is not None and bool(self._poll.poll(0))


def _chunks(given: Iterator[Any], sizes: Iterator[int], guarded: bool) -> Iterator[Chunk]:
    for batch in given:
        columns = batch if isinstance(batch, tuple) else (batch,)
        for start, size in _slices(len(columns[0]), sizes):
            yield Chunk(_rows([each.slice(start, size) for each in columns], guarded))


def _slices(count: int, sizes: Iterator[int]) -> Iterator[tuple[int, int]]:
    start = 0
    while start < count:
        size = next(sizes)
        yield start, size
        start += size


def _row_chunks(
    given: Iterator[Any], sizes: Iterator[int], places: Sequence[int], guarded: bool
) -> Iterator[Chunk]:
    for batch in given:
        for start, size in _slices(batch.num_rows, sizes):
            part = batch.slice(start, size)
            yield Chunk(_rows([part.column(place) for place in places], guarded), part)


def _rows(columns: Sequence[Any], guarded: bool) -> list[Any]:
    rows: Any = zip(*map(values, columns), strict=True)
    return [row[1:] if row[0] else None for row in rows] if guarded else list(rows)


def _with_results(
    chunk: Chunk, places: Sequence[int], gives: Gives, added: tuple[int, str, MakesArray]
) -> pa.RecordBatch:
    width, name, make_array = added
    results = [chunk.results[place] for place in places]
    made = make_array(results, [chunk.rows[place] for place in places], gives)
    rows = chunk.origin.take(pa.array(places, pa.int32()))
    names = [*rows.schema.names[:width], name]
    return pa.RecordBatch.from_arrays([*rows.columns[:width], made], names)


# -- results ---------------------------------------------------------------------------------------


def as_array(results: Sequence[Any], rows: Sequence[Any], gives: Gives) -> pa.Array:
    """The results as an array of exactly the type wanted.

    Args:
        results: what the calls gave.
        rows: the arguments of each, for messages.
        gives: what they must give.

    Raises:
        TypeError: a result is of another class, or does not fit.
    """
    name, shown, wanted = gives
    fits = _checker(wanted)
    for value, row in zip(results, rows, strict=True):
        if value is not None and not fits(value):
            raise _no(name, row, value, shown, f"it is of the class {type(value).__name__}")
    if not kinds.is_nested(wanted) and not kinds.is_timestamp(wanted):
        try:
            return pa.array(results, type=wanted)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            pass  # which of them it is, is found below
    written = [_write_array(value, row, gives) for value, row in zip(results, rows, strict=True)]
    return pa.array(written, type=wanted)


def as_rows(results: Sequence[Any], rows: Sequence[Any], gives: Gives) -> pa.Array:
    """What the calls of a table function gave, as an array with a list of rows for each.

    Args:
        results: what the calls gave.
        rows: the arguments of each, for messages; None where no call was needed.
        gives: what they must give, an array of rows.

    Raises:
        TypeError: a result is no list, or one of its rows is none.
    """
    name, shown, wanted = gives
    row_type = wanted.value_type
    shown = shown.removeprefix("ARRAY<").removesuffix(">")
    fits, is_bare = _checker(row_type), _tells_bare(row_type)
    written: list[Any] = []
    for result, call in zip(results, rows, strict=True):
        if call is None:
            written.append(None)
            continue
        if not isinstance(result, list):
            raise TypeError(
                f"the asynchronous call {shown_call(name, call)} gave {result!r:.200}, which is no "
                "list of rows: a table function returns one, without rows [], or yields its rows"
            )
        made = [(each,) if is_bare(each) else each for each in result]
        for place, (each, row) in enumerate(zip(result, made, strict=True), 1):
            if row is None or not fits(row):
                raise _no_row(name, call, place, each, shown, "its values are of other classes")
        written.append(_write_rows(made, call, (name, shown, row_type)))
    return pa.array(written, type=wanted)


def _write_rows(made: list[Any], call: Any, gives: Gives) -> list[Any]:
    name, shown, row_type = gives
    written = []
    for place, row in enumerate(made, 1):
        try:
            written.append(_write(row, row_type))
            pa.array(written[-1:], type=row_type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise _no_row(name, call, place, row, shown, str(error)) from error
    return written


def _no_row(name: str, call: Any, place: int, row: Any, shown: str, why: str) -> TypeError:
    return TypeError(
        f"row {place} of the asynchronous call {shown_call(name, call)} is {row!r:.200}, which is "
        f"no {shown}: {why}"
    )


def _tells_bare(row_type: Any) -> Fits:
    """Whether a row of one column is given as its value, and not as a row."""
    if row_type.num_fields != 1:
        return lambda value: False
    column = row_type.field(0)
    is_map = kinds.is_map(column.type)

    def is_bare(value: Any) -> bool:
        if isinstance(value, list) or (is_map and isinstance(value, dict)):
            return True
        return _fields_of(value, [column.name]) is None

    return is_bare


def _write_array(value: Any, row: Any, gives: Gives) -> Any:
    name, shown, wanted = gives
    try:
        made = _write(value, wanted)
        pa.array([made], type=wanted)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _no(name, row, value, shown, str(error)) from error
    return made


def _no(name: str, row: Any, value: Any, shown: str, why: str) -> TypeError:
    return TypeError(
        f"the asynchronous call {shown_call(name, row or ())} gave {value!r:.200}, which is no "
        f"{shown}: {why}"
    )


Fits = Callable[[Any], bool]


def _checker(type_: Any) -> Fits:
    """Whether a value, which is not None, is of the class that stands for the type."""
    nested = _NESTED.get(type(type_))
    if nested is not None:
        return nested(type_)
    found = next((fits for is_kind, fits in _CLASSES if is_kind(type_)), None)
    if found is None:  # Arrow says what it takes
        return lambda value: True
    classes, but = found
    return lambda value: isinstance(value, classes) and not (but and isinstance(value, but))


_CLASSES: tuple[tuple[Callable[[Any], bool], tuple[Any, Any]], ...] = (
    (kinds.is_boolean, (bool, None)),
    (kinds.is_integer, (int, bool)),
    (kinds.is_floating, ((float, int), bool)),
    (kinds.is_decimal, ((Decimal, int), bool)),
    (kinds.is_string, (str, None)),
    (kinds.is_large_string, (str, None)),
    (kinds.is_binary, ((bytes, bytearray), None)),
    (kinds.is_large_binary, ((bytes, bytearray), None)),
    (kinds.is_date, (dt.date, dt.datetime)),
    (kinds.is_timestamp, (dt.datetime, None)),
    (kinds.is_time, (dt.time, None)),
    (kinds.is_duration, (dt.timedelta, None)),
)
"""For each kind of type the classes of its values, and those that are none though they inherit."""


def _fits_each(fits: Fits, found: Any, field: Any) -> bool:
    return all(field.nullable if value is None else fits(value) for value in found)


def _list_checker(type_: Any) -> Fits:
    fits = _checker(type_.value_type)
    return lambda value: (
        isinstance(value, list | tuple) and _fits_each(fits, value, type_.value_field)
    )


def _map_checker(type_: Any) -> Fits:
    key, item = _checker(type_.key_type), _checker(type_.item_type)
    return lambda value: (
        isinstance(value, dict)
        and all(map(key, value))
        and _fits_each(item, value.values(), type_.item_field)
    )


def _struct_checker(type_: Any) -> Fits:
    fields = [type_.field(place) for place in range(type_.num_fields)]
    if any((field.metadata or {}).get(b"variant") == b"true" for field in fields):
        return lambda value: isinstance(value, VariantVal)
    names, checkers = [field.name for field in fields], [_checker(each.type) for each in fields]

    def fits(value: Any) -> bool:
        found = _fields_of(value, names)
        return found is not None and all(
            field.nullable if each is None else check(each)
            for each, check, field in zip(found, checkers, fields, strict=True)
        )

    return fits


def _fields_of(value: Any, names: Sequence[str]) -> Sequence[Any] | None:
    """The values of the fields; None where it has others."""
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return [value[name] for name in names] if set(value) == set(names) else None
    if set(getattr(value, "_fields", ())) == set(names):
        return [getattr(value, name) for name in names]
    return value if isinstance(value, list | tuple) and len(value) == len(names) else None


_NESTED: dict[type, Callable[[Any], Fits]] = {
    pa.ListType: _list_checker,
    pa.LargeListType: _list_checker,
    pa.MapType: _map_checker,
    pa.StructType: _struct_checker,
}
