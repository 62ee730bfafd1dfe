"""What a function collected, as batches of the result's columns."""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.changelog import ChangelogMode, RowKind
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.values import arrow_values, fields_of, from_micros, shorten
from viewscribe.types import ArrayType, BinaryType, MapType, StructType

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
        return isinstance(row, _VALUES) or not _is_record(row, self._names)

    def _misfit(self, value: Any, why: str) -> ValidationError:
        return ValidationError(
            f"{self._plan.name} gave {value!r}, which is no row of its result: {why}",
            location=f"({', '.join(self._names)})",
            hint="collect a dataclass, a tuple, or a dict of the columns",
        )


_VALUES = (str, bytes, bytearray, int, float, Decimal, dt.date, dt.time, dt.timedelta)
"""Classes of values; some have attributes that a column may be named like: ``datetime.time``."""


def _is_record(row: Any, names: list[str]) -> bool:
    return isinstance(row, tuple | list | dict) or all(hasattr(row, name) for name in names)
