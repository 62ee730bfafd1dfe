"""Operations that change the number of rows: generators, unpivot, time windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import ColumnOrigin, QueryOperation
from viewscribe.operations.kinds import Clause
from viewscribe.types import STRING, Field, StructType
from viewscribe.types.coercion import cast_introduces_null, stacked_type_of


class Generate(QueryOperation, frozen=True, eq=False):
    """Each input row beside the rows a generator makes of it; ``outer`` keeps rows without any."""

    child: QueryOperation
    call: Call
    outer: bool
    names: tuple[str, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "call")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    computes_each_row: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, call: Call, outer: bool, names: tuple[str, ...]) -> Self:
        made = call.type
        assert isinstance(made, StructType)
        fields = tuple(
            Field(name, field.type.with_nullability(outer or field.type.nullable))
            for name, field in zip(names, made.fields, strict=True)
        )
        return cls(child, call, outer, names, child.schema.extended(fields))

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        return _beside(len(self.child.schema), len(self.schema))


class Unpivot(QueryOperation, frozen=True, eq=False):
    """Columns turned into rows of the other columns, the column's label and its value."""

    child: QueryOperation
    columns: tuple[FieldReference, ...]
    labels: tuple[str, ...]
    name_column: str
    value_column: str
    include_nulls: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "columns")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        columns: tuple[FieldReference, ...],
        labels: tuple[str, ...],
        name_column: str,
        value_column: str,
        include_nulls: bool,
    ) -> Self:
        turned = {column.index for column in columns}
        kept = [place for place in range(len(child.schema)) if place not in turned]
        value = stacked_type_of([column.type for column in columns])
        assert value is not None
        if any(cast_introduces_null(column.type, value) for column in columns):
            value = value.as_nullable()
        fields = [child.schema[place] for place in kept]
        fields += [Field(name_column, STRING.not_null()), Field(value_column, value)]
        qualifiers = [child.schema.qualifiers[place] for place in kept] + [(), ()]
        schema = Schema(fields, qualifiers)
        return cls(child, columns, labels, name_column, value_column, include_nulls, schema)

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        turned = {column.index for column in self.columns}
        width = len(self.child.schema)
        kept = [ColumnOrigin(0, place) for place in range(width) if place not in turned]
        return [*kept, None, None]


class TimeWindow(QueryOperation, frozen=True, eq=False):
    """The input with each row's time window as a column: a struct of start and end.

    ``call`` is Spark's ``window(…)`` (tumbling and hopping) or ``session_window(…)``; the latter
    only makes sense right below an aggregate that groups by it. Rows with a NULL time are dropped.
    """

    child: QueryOperation
    call: Call
    name: str
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "call")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.SELECT
    computes_each_row: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, call: Call, name: str) -> Self:
        return cls(child, call, name, child.schema.extended((Field(name, call.type),)))

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        return _beside(len(self.child.schema), len(self.schema))

    @property
    def is_session(self) -> bool:
        """Whether the window is a session window."""
        return self.call.function.built_in_name == "session_window"


def _beside(before: int, width: int) -> list[ColumnOrigin | None]:
    """Returns the column origins of the input's columns and of the new ones beside them."""
    kept: list[ColumnOrigin | None] = [ColumnOrigin(0, place) for place in range(before)]
    return kept + [None] * (width - before)
