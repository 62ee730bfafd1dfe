"""Batches of the input as rows of partitions."""

from __future__ import annotations

import copy
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
from viewscribe.types import ArrayType, Field, MapType, StructType

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
            _is_mutable(column) for source in plan.sources for column in source.columns
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


def _is_mutable(field: Field) -> bool:
    return isinstance(field.type, ArrayType | MapType | StructType)


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
