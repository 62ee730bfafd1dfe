"""Rows on their way through Spark's state: a key and a row as text, made of Arrow's arrays.

What Spark hands a stateful processor are rows of its own, whose structs are dicts here and rows
there, and whose times depend on the zone of the session. Packed before the shuffle, a row comes
back as the very values that a batch gives, is cheap to hand over, and is what the state keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from viewscribe.spark.process.driver import no_time_error
from viewscribe.spark.process.input_batches import at, children
from viewscribe.spark.process.plain import Turn, from_plain, optional, to_plain
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.stored_state import plain_of, text_of
from viewscribe.spark.process.values import micros_of, python_values

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
        self._columns = [_turns(source) for source in plan.sources]

    def key(self, text: str) -> tuple[Any, ...]:
        """The values of the keys."""
        return tuple(turn(value) for turn, value in zip(self._keys, plain_of(text), strict=True))

    def row(self, text: str) -> tuple[int, list[Any]]:
        """The number of the table, and the values of its columns."""
        source, values = plain_of(text)
        turns = self._columns[source]
        return source, [turn(value) for turn, value in zip(turns, values, strict=True)]


def _turns(source: SourcePlan) -> list[Turn]:
    return [optional(from_plain(field.type)) for field in source.columns]
