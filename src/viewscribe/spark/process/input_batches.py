"""Batches of the input as rows of partitions."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.process.inference import StateDeclaration, StaticArgument
from viewscribe.expressions.functions.process.rows import (
    OPERATION,
    ChangelogMode,
    MutableRow,
    RowKind,
    row_class,
)
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.process.driver import Driver, no_time_error
from viewscribe.spark.process.plain import Shape, Turn, from_plain, optional, to_plain
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.values import micros_of, python_values
from viewscribe.types import ArrayType, LogicalType, MapType, StructType

Keyed = tuple[tuple[Any, ...], int, Any, "int | None"]
"""A row with its keys, the number of its table, and its time."""


class BatchReader:
    """Reads the rows of batches.

    Args:
        plan: the call.
    """

    def __init__(self, plan: CallPlan) -> None:
        self.plan = plan
        signature = plan.signature
        retract = signature.input_mode is ChangelogMode.RETRACT
        self._makers = [
            _RowMaker(source, signature.argument(source.name), retract) for source in plan.sources
        ]
        self._is_passed = all(maker.is_whole for maker in self._makers) and not any(
            isinstance(column.type, ArrayType | MapType | StructType)
            for source in plan.sources
            for column in source.columns
        )

    def rows(self, batch: Any) -> Iterator[Keyed]:
        """The rows of a batch, in their order."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        count = batch.num_rows
        keys = self._keys(columns, count)
        times: Sequence[int | None] = [None] * count
        if self.plan.time_name is not None:
            times = micros_of(columns[self.plan.time_name])
        if self.plan.source_name is None:
            made = self._makers[0].rows([columns[f.name] for f in self.plan.sources[0].columns])
            return zip(keys, [0] * count, made, times, strict=True)
        return self._tag(columns, keys, times)

    def row(self, source: int, values: Sequence[Any]) -> Any:
        """The row of a table, from the values of all its columns."""
        return self._makers[source].row(values)

    def passed(self, batch: Any) -> Iterator[Sequence[Any]] | None:
        """The values of all columns of each row, for columns that pass through as they came.

        None where the row that the function is given holds just these, and cannot be changed.
        """
        if self._is_passed:
            return None
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        names = [field.name for field in self.plan.sources[0].columns]
        return zip(*[python_values(columns[name]) for name in names], strict=True)

    def passed_of(self, values: Sequence[Any]) -> Sequence[Any]:
        """The same for the values of one row, of which another was made."""
        return values if self._is_passed else copy.deepcopy(values)

    def _tag(
        self,
        columns: dict[str, Any],
        keys: Iterable[tuple[Any, ...]],
        times: Sequence[int | None],
    ) -> Iterator[Keyed]:
        assert self.plan.source_name is not None
        sources = columns[self.plan.source_name]
        rows = [
            iter(maker.rows(children(columns[source.name].filter(pc.equal(sources, place)))))
            for place, (maker, source) in enumerate(
                zip(self._makers, self.plan.sources, strict=True)
            )
        ]
        for key, number, time in zip(keys, sources.to_pylist(), times, strict=True):
            yield key, number, next(rows[number]), time

    def _keys(self, columns: dict[str, Any], count: int) -> Iterable[tuple[Any, ...]]:
        if not self.plan.key_paths:
            return [()] * count
        return zip(*[python_values(at(columns, path)) for path in self.plan.key_paths], strict=True)


def at(columns: dict[str, Any], path: Sequence[str]) -> Any:
    """The column at a path: a column, and fields in it."""
    found = columns[path[0]]
    for name in path[1:]:
        found = pc.struct_field(found, name)
    return found


def children(column: Any) -> list[Any]:
    """The fields of a struct, NULL where it is."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return list(column.flatten())


class _RowMaker:
    """Makes the rows of a table as the function's annotation wants them."""

    def __init__(self, source: SourcePlan, argument: StaticArgument, retract: bool) -> None:
        names = [field.name for field in source.columns]
        lowered = [name.lower() for name in names]
        self._operation = lowered.index(OPERATION) if retract else None
        self._data = [place for place in range(len(names)) if place != self._operation]
        wanted = argument.row
        if wanted is None:
            self._fields = [names[place] for place in self._data]
            self._make: Callable[[Any], Any] = row_class(self._fields)
        else:
            self._fields = _fields_of(wanted)
            self._data = [lowered.index(name.lower()) for name in self._fields]
            self._make = _maker_of(wanted, self._fields)
        self.is_whole = wanted is None and not retract
        """Whether a row is the tuple of all columns."""
        self._where = f"the table `{source.name}`"

    def rows(self, columns: Sequence[Any]) -> Iterable[Any]:
        """The rows of columns."""
        values = [python_values(columns[place]) for place in self._data]
        if not values:
            cells: Iterable[Any] = [()] * len(columns[0])
        else:
            cells = zip(*values, strict=True)
        if self._operation is None:
            return map(self._make, cells)
        kinds = columns[self._operation].to_pylist()
        return [self._of_kind(kind)(cell) for kind, cell in zip(kinds, cells, strict=True)]

    def row(self, values: Sequence[Any]) -> Any:
        """The row of the values of all columns."""
        cells = [values[place] for place in self._data]
        if self._operation is None:
            return self._make(cells)
        return self._of_kind(values[self._operation])(cells)

    def _of_kind(self, kind: Any) -> Callable[[Any], Any]:
        try:
            return row_class(self._fields, RowKind(kind))
        except ValueError as error:
            shown = "NULL" if kind is None else repr(kind)
            raise ValidationError(
                f"{self._where} has {shown} in its column `{OPERATION}`",
                hint="a changelog has +I, -U, +U or -D there",
            ) from error


def _fields_of(kind: Any) -> list[str]:
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    return list(kind._fields)


def _maker_of(kind: Any, names: Sequence[str]) -> Callable[[Any], Any]:
    """What makes an object of the class from the values of all its fields."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    if all(each.init and not each.kw_only for each in fields):
        return lambda values: kind(*values)
    taken = {each.name for each in fields if each.init}

    def make(values: Any) -> Any:
        by_name = dict(zip(names, values, strict=True))
        made = kind(**{name: value for name, value in by_name.items() if name in taken})
        for name in by_name.keys() - taken:
            object.__setattr__(made, name, by_name[name])
        return made

    return make


# A partition between two micro-batches: its state and timers as text, and back into a driver.
#
# State is JSON of plain values by the declared types, never a pickle: a class may move or change as
# long as its columns stay. The types are kept beside it, so that a changed one is an error that
# says which, and not a value that means something else.


class StateChangedError(ViewscribeError):
    """What a checkpoint keeps of a function is of other types than the function has now."""


def text_of(plain: object) -> str:
    """Plain data as JSON."""
    return msgspec.json.encode(plain).decode()


def plain_of(text: str) -> Any:
    """The plain data of JSON."""
    return msgspec.json.decode(text)


class Keeper:
    """Turns the partition that a driver holds into text, and back.

    Args:
        driver: the driver.
        shapes: which classes the values of each state are of.
    """

    def __init__(self, driver: Driver, shapes: Mapping[str, Shape]) -> None:
        self._driver = driver
        self._plan = driver.plan
        declared = driver.signature.states
        self._names = [each.name for each in declared]
        self._back = [
            _back(self._plan.states[each.name], each, shapes[each.name]) for each in declared
        ]
        self.types = text_of(_types(self._plan))
        """The types of the state and of the tables."""

    def check(self, types: str) -> None:
        """Refuses what was kept under other types; a state that has come since is new.

        Raises:
            StateChangedError: names the state, or the table, its old and its new type.
        """
        if types != self.types:
            _compare(self._plan, plain_of(types))

    def dump(self) -> str | None:
        """The partition as text; None where nothing of it is left to be kept.

        Raises:
            ProcessFunctionError: a state holds something that is not of its type.
        """
        driver = self._driver
        states = driver.plain_states()
        if driver.is_new():
            return None
        return text_of(
            {
                "last": driver.last,
                "watermark": driver.watermark,
                "states": {
                    name: [state, changed]
                    for name, state, changed in zip(
                        self._names, states, driver.changed, strict=True
                    )
                },
                "timers": driver.timers.dump(),
            }
        )

    def load(self, text: str | None) -> None:
        """Begins the partition that the text is of; a new one for None."""
        driver = self._driver
        driver.begin()
        if text is None:
            return
        kept = plain_of(text)
        driver.last = driver.marked = kept["last"]
        driver.now = driver.watermark = kept["watermark"]
        for place, (name, back) in enumerate(zip(self._names, self._back, strict=True)):
            if name in kept["states"]:
                plain, changed = kept["states"][name]
                driver.states[place] = back(plain)
                driver.changed[place] = changed
        driver.arrange()
        driver.timers.load(kept["timers"])


def _back(type_: LogicalType, declared: StateDeclaration, shape: Shape) -> Turn:
    if isinstance(type_, ArrayType):
        items = from_plain(type_, shape)
        return lambda plain: ListState(items(plain))
    if isinstance(type_, MapType):
        pairs = from_plain(type_, shape)
        return lambda plain: MapState(pairs(plain))
    assert isinstance(type_, StructType)
    record = from_plain(type_, shape)
    if declared.make is not None:
        return record
    names = [field.name for field in type_.fields]
    return lambda plain: MutableRow(names, record(plain))


# -- types -----------------------------------------------------------------------------------------


def _types(plan: CallPlan) -> dict[str, dict[str, str]]:
    return {
        "states": {name: type_.as_nullable().ddl for name, type_ in plan.states.items()},
        "tables": {
            source.name: ", ".join(
                f"{field.name} {field.type.as_nullable().ddl}" for field in source.columns
            )
            for source in plan.sources
        },
    }


def _compare(plan: CallPlan, kept: Mapping[str, Mapping[str, str]]) -> None:
    now = _types(plan)
    for name, old in kept["states"].items():
        new = now["states"].get(name)
        if new is None:
            raise StateChangedError(
                f"the checkpoint keeps the state `{name}` {old} of {plan.name}, which declares no "
                "such state any more",
                location=f"({', '.join(now['states'])})",
                hint="declare it again, under that name, or begin with a new checkpoint directory",
            )
        if new != old:
            raise _changed_error(plan, f"the state `{name}`", old, new)
    for name, old in kept["tables"].items():
        new = now["tables"].get(name, "not passed")
        if new != old:
            raise _changed_error(plan, f"the table `{name}`", f"({old})", f"({new})")


def _changed_error(plan: CallPlan, what: str, old: str, new: str) -> StateChangedError:
    return StateChangedError(
        f"{what} of {plan.name} is {new}, and the checkpoint was written when it was {old}",
        hint="give it the old type again, or begin with a new checkpoint directory",
    )


# Rows on their way through Spark's state: a key and a row as text, made of Arrow's arrays.
#
# What Spark hands a stateful processor are rows of its own, whose structs are dicts here and rows
# there, and whose times depend on the zone of the session. Packed before the shuffle, a row comes
# back as the very values that a batch gives, is cheap to hand over, and is what the state keeps.

CALL = ""
"""The key of the partition that keeps how the others are made; that of any other is JSON."""


def keys_text(plan: CallPlan) -> str:
    """What the tables of a call are partitioned by, as text."""
    types = [type_.as_nullable().ddl for type_ in plan.key_types]
    tables = []
    for source in plan.sources:
        keys = ", ".join(f"{name} {ddl}" for name, ddl in zip(source.keys, types, strict=True))
        tables.append(f"{source.name} ({keys})")
    return "; ".join(tables)


class Packer:
    """Packs the columns of the input.

    Args:
        plan: the call.
        names: the names of the columns.
    """

    def __init__(self, plan: CallPlan, names: Sequence[str]) -> None:
        self._plan, self._names = plan, names
        self._keys = [optional(to_plain(type_)) for type_ in plan.key_types]
        self._columns = [
            [optional(to_plain(field.type)) for field in source.columns] for source in plan.sources
        ]

    def pack(self, arrays: Sequence[Any]) -> Any:
        """The structs of key and row for arrays of the columns."""
        columns = dict(zip(self._names, arrays, strict=True))
        count = len(arrays[0])
        sources: Sequence[int] = [0] * count
        if self._plan.source_name is None:
            rows = [self._rows(0, [columns[field.name] for field in self._plan.sources[0].columns])]
        else:
            sources = columns[self._plan.source_name].to_pylist()
            rows = [
                self._rows(place, children(columns[source.name]))
                for place, source in enumerate(self._plan.sources)
            ]
        self._refuse_no_time(columns, sources, rows)
        texts = [text_of([source, rows[source][place]]) for place, source in enumerate(sources)]
        keys = self._key_texts(columns, count)
        return pa.StructArray.from_arrays(
            [pa.array(keys, pa.string()), pa.array(texts, pa.string())], names=["key", "row"]
        )

    def pack_with_call(self, arrays: Sequence[Any]) -> Any:
        """Lists of such structs: one for each row, and for the latest of them one of the call.

        The one of the call goes to a partition of its own, which notices where a query goes on
        with other keys: the partitions that its checkpoint keeps would never be met again.
        """
        packed = self.pack(arrays)
        count = len(packed)
        if not count:
            return pa.array([], pa.list_(packed.type))
        latest = self._latest(arrays, count)
        call = pa.array([{"key": CALL, "row": keys_text(self._plan)}], packed.type)
        order = [*range(latest + 1), count, *range(latest + 1, count)]
        ends = [place + (place > latest) for place in range(count + 1)]
        return pa.ListArray.from_arrays(
            pa.array(ends, pa.int32()), pa.concat_arrays([packed, call]).take(pa.array(order))
        )

    def _latest(self, arrays: Sequence[Any], count: int) -> int:
        """The place of the latest row, which no watermark is after; any without a time."""
        if self._plan.time_name is None:
            return 0
        times = micros_of(arrays[self._names.index(self._plan.time_name)])
        return max(range(count), key=lambda place: times[place] or 0)

    def _rows(self, source: int, arrays: Iterable[Any]) -> list[list[Any]]:
        """The rows of a table as plain data."""
        turned = [
            [turn(value) for value in python_values(array)]
            for turn, array in zip(self._columns[source], arrays, strict=True)
        ]
        return [list(row) for row in zip(*turned, strict=True)]

    def _key_texts(self, columns: dict[str, Any], count: int) -> list[str]:
        if not self._plan.key_paths:
            return ["[]"] * count
        turned = [
            [turn(value) for value in python_values(at(columns, path))]
            for turn, path in zip(self._keys, self._plan.key_paths, strict=True)
        ]
        return [text_of(key) for key in zip(*turned, strict=True)]

    def _refuse_no_time(
        self, columns: dict[str, Any], sources: Sequence[int], rows: list[list[list[Any]]]
    ) -> None:
        if self._plan.time_name is None:
            return
        times = columns[self._plan.time_name]
        if not times.null_count:
            return
        place = times.is_null().to_pylist().index(True)
        raise no_time_error(self._plan, sources[place], text_of(rows[sources[place]][place]))


class Unpacker:
    """Unpacks keys and rows.

    Args:
        plan: the call.
    """

    def __init__(self, plan: CallPlan) -> None:
        self._keys = [optional(from_plain(type_)) for type_ in plan.key_types]
        self._columns = [
            [optional(from_plain(field.type)) for field in source.columns]
            for source in plan.sources
        ]

    def key(self, text: str) -> tuple[Any, ...]:
        """The values of the keys."""
        return tuple(turn(value) for turn, value in zip(self._keys, plain_of(text), strict=True))

    def row(self, text: str) -> tuple[int, list[Any]]:
        """The number of the table, and the values of its columns."""
        source, values = plain_of(text)
        turns = self._columns[source]
        return source, [turn(value) for turn, value in zip(turns, values, strict=True)]
