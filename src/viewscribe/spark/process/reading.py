"""Batches of the input as rows of partitions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.changelog import (
    OPERATION,
    ChangelogMode,
    RowKind,
)
from viewscribe.expressions.functions.process.inference import StaticArgument
from viewscribe.expressions.functions.process.rows import row_class
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.values import micros_of, python_values

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
        return self._tagged(columns, keys, times)

    def row(self, source: int, values: Sequence[Any]) -> Any:
        """The row of a table, from the values of all its columns."""
        return self._makers[source].row(values)

    def _tagged(
        self,
        columns: dict[str, Any],
        keys: Iterable[tuple[Any, ...]],
        times: Sequence[int | None],
    ) -> Iterator[Keyed]:
        assert self.plan.source_name is not None
        sources = columns[self.plan.source_name].to_pylist()
        made = [
            maker.rows(children(columns[source.name]))
            for maker, source in zip(self._makers, self.plan.sources, strict=True)
        ]
        rows = [list(each) for each in made]
        for place, (key, number, time) in enumerate(zip(keys, sources, times, strict=True)):
            yield key, number, rows[number][place], time

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
        self._make: Callable[[Any], Any] | None
        if wanted is None:
            self._fields = [names[place] for place in self._data]
            self._make = row_class(self._fields)
        else:
            declared = _fields_of(wanted)
            self._fields = declared
            self._data = [lowered.index(name.lower()) for name in declared]
            self._make = lambda values: wanted(*values)
        self._where = f"the table `{source.name}`"

    def rows(self, columns: Sequence[Any]) -> Iterable[Any]:
        """The rows of columns."""
        values = [python_values(columns[place]) for place in self._data]
        if not values:
            cells: Iterable[Any] = [()] * len(columns[0])
        else:
            cells = zip(*values, strict=True)
        if self._operation is None:
            assert self._make is not None
            return map(self._make, cells)
        kinds = columns[self._operation].to_pylist()
        return [self._of_kind(kind)(cell) for kind, cell in zip(kinds, cells, strict=True)]

    def row(self, values: Sequence[Any]) -> Any:
        """The row of the values of all columns."""
        cells = [values[place] for place in self._data]
        if self._operation is None:
            assert self._make is not None
            return self._make(cells)
        return self._of_kind(values[self._operation])(cells)

    def _of_kind(self, kind: Any) -> Callable[[Any], Any]:
        try:
            return row_class(self._fields, RowKind(kind)) if kind is not None else row_class(())
        except ValueError as error:
            raise ValidationError(
                f"{self._where} has {kind!r} in its column `{OPERATION}`",
                hint="a changelog has +I, -U, +U or -D there",
            ) from error


def _fields_of(kind: Any) -> list[str]:
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    return list(kind._fields)
