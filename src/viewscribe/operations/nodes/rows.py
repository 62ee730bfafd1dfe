"""Operations on rows that keep their columns: filters, sorts, limits, names, hints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Self

from msgspec.structs import force_setattr

from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import (
    Clause,
    ColumnOrigin,
    Grouping,
    QueryOperation,
    output_name,
    pivoted_types,
    project_schema,
    with_columns_schema,
)
from viewscribe.types import STRING, Field, StructType
from viewscribe.types.coercion import cast_introduces_null, stacked_type_of

# Operations that change the number of rows: generators, unpivot, time windows.


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


# Projections: operations that compute other columns of a row.


class Project(QueryOperation, frozen=True, eq=False):
    """Columns computed from those of the input: each a reference or an alias.

    Where some are ``dropped`` and the others stay as they are, nobody lists these until they are
    asked for: a wide table may lose its columns one at a time.
    """

    child: QueryOperation
    listed: tuple[ResolvedExpression, ...] | None
    schema: Schema
    dropped: tuple[int, ...] = ()

    derived_fields: ClassVar[tuple[str, ...]] = ("listed", "schema", "dropped")
    child_fields: ClassVar[tuple[str, ...]] = ("child", "expressions")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.SELECT
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, expressions: tuple[ResolvedExpression, ...]) -> Self:
        return cls(child, expressions, project_schema(child.schema, expressions))

    @classmethod
    def without(cls, child: QueryOperation, places: Collection[int]) -> Self:
        """The input's columns but for those at some places, of which there is at least one."""
        dropped = tuple(sorted(places))
        return cls(child, None, child.schema.without(dropped), dropped)

    @property
    def expressions(self) -> tuple[ResolvedExpression, ...]:
        """The columns, in order."""
        found = self.listed
        if found is None:
            kept = [*self.child.schema.references]
            for place in reversed(self.dropped):
                del kept[place]
            found = tuple(kept)
            force_setattr(self, "listed", found)
        return found

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        return self.expressions

    def copy_with(self, changes: dict[str, Any]) -> Self:
        return self.of(**{"child": self.child, "expressions": self.expressions, **changes})


class WithColumns(QueryOperation, frozen=True, eq=False):
    """The input's columns, some replaced in place, others added at the end; all aliases.

    A column replaces the input's column of the same name; new ones see the old values.
    """

    child: QueryOperation
    columns: tuple[Alias, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "columns")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.SELECT
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, columns: tuple[Alias, ...]) -> Self:
        return cls(child, columns, with_columns_schema(child.schema, columns))

    def places(self) -> list[int]:
        """Returns the position of each column in the output."""
        before = self.child.schema
        by_name, added = before.by_name, len(before)
        found = []
        for column in self.columns:
            place = by_name.find_unique(column.name.lower())
            if place < 0:
                place, added = added, added + 1
            found.append(place)
        return found

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        columns: list[ResolvedExpression] = [*self.child.schema.references]
        for place, column in zip(self.places(), self.columns, strict=True):
            columns[place : place + 1] = [column]
        return tuple(columns)


# Grouping operations: aggregates and pivots.


class Aggregate(QueryOperation, frozen=True, eq=False):
    """Groups rows with equal keys. Outputs the keys, then the aggregates.

    ``sets`` holds, for GROUPING SETS, the positions of the keys of each set.
    """

    child: QueryOperation
    keys: tuple[ResolvedExpression, ...]
    aggregates: tuple[ResolvedExpression, ...]
    grouping: Grouping
    sets: tuple[tuple[int, ...], ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys", "aggregates")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.GROUP_BY
    mixes_rows: ClassVar[bool] = True
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        keys: tuple[ResolvedExpression, ...],
        aggregates: tuple[ResolvedExpression, ...],
        grouping: Grouping = Grouping.SIMPLE,
        sets: tuple[tuple[int, ...], ...] = (),
    ) -> Self:
        schema = project_schema(child.schema, (*keys, *aggregates))
        if grouping is not Grouping.SIMPLE:
            everywhere = set.intersection(*map(set, sets)) if sets else set()
            fields = [
                Field(field.name, field.type.as_nullable())
                if place < len(keys) and place not in everywhere
                else field
                for place, field in enumerate(schema.fields)
            ]
            schema = Schema(fields, schema.qualifiers)
        return cls(child, keys, aggregates, grouping, sets, schema)

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        return (*self.keys, *self.aggregates)


class Pivot(QueryOperation, frozen=True, eq=False):
    """Groups by ``keys`` with, for each value of ``column``, the aggregates over its rows.

    Output: the keys, then for each value each aggregate, named after the value, and after the
    aggregate too where there are several.
    """

    child: QueryOperation
    keys: tuple[FieldReference, ...]
    column: FieldReference
    values: tuple[Literal, ...]
    value_names: tuple[str, ...]
    aggregates: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys", "column", "values", "aggregates")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    mixes_rows: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        keys: tuple[FieldReference, ...],
        column: FieldReference,
        values: tuple[Literal, ...],
        value_names: tuple[str, ...],
        aggregates: tuple[ResolvedExpression, ...],
    ) -> Self:
        fields = [Field(key.name, key.type) for key in keys]
        types = pivoted_types(aggregates)
        for name in value_names:
            for aggregate, type_ in zip(aggregates, types, strict=True):
                full = f"{name}_{output_name(aggregate)}" if len(aggregates) > 1 else name
                fields.append(Field(full, type_))
        return cls(child, keys, column, values, value_names, aggregates, Schema(fields))


class Filter(QueryOperation, frozen=True, eq=False):
    """The rows of the input for which the condition is TRUE."""

    child: QueryOperation
    condition: ResolvedExpression
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "condition")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.WHERE
    keeps_columns: ClassVar[bool] = True
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, condition: ResolvedExpression) -> Self:
        return cls(child, condition, child.schema)


class Distinct(QueryOperation, frozen=True, eq=False):
    """The distinct rows of the input."""

    child: QueryOperation
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.DISTINCT
    mixes_rows: ClassVar[bool] = True
    keeps_columns: ClassVar[bool] = True
    compares_rows: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation) -> Self:
        return cls(child, child.schema)


class Sort(QueryOperation, frozen=True, eq=False):
    """The input sorted, either globally or within each of Spark's partitions."""

    child: QueryOperation
    keys: tuple[SortOrder, ...]
    within_partitions: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.ORDER_BY
    keeps_columns: ClassVar[bool] = True
    computes_each_row: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        keys: tuple[SortOrder, ...],
        within_partitions: bool = False,
    ) -> Self:
        return cls(child, keys, within_partitions, child.schema)

    @property
    def word(self) -> str:
        """Returns the SQL clause."""
        return "SORT BY" if self.within_partitions else "ORDER BY"


class Limit(QueryOperation, frozen=True, eq=False):
    """The first ``count`` rows of the input."""

    child: QueryOperation
    count: int
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.LIMIT
    counts_rows: ClassVar[bool] = True
    keeps_columns: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, count: int) -> Self:
        return cls(child, count, child.schema)


class Offset(QueryOperation, frozen=True, eq=False):
    """The rows of the input after the first ``count``."""

    child: QueryOperation
    count: int
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.LIMIT
    counts_rows: ClassVar[bool] = True
    keeps_columns: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, count: int) -> Self:
        return cls(child, count, child.schema)


class Sample(QueryOperation, frozen=True, eq=False):
    """A random sample of ``percent`` of the rows: the same for the same seed, or others each time.

    ``seed`` is None where none was given.
    """

    child: QueryOperation
    percent: float
    seed: int | None
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    keeps_columns: ClassVar[bool] = True

    draws: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, percent: float, seed: int | None) -> Self:
        return cls(child, percent, seed, child.schema)


class SubqueryAlias(QueryOperation, frozen=True, eq=False):
    """The input under an alias that can qualify its columns.

    ``temporary`` marks the body of a temporary view, which can be printed but not stored.
    """

    child: QueryOperation
    name: str
    temporary: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    keeps_columns: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(cls, child: QueryOperation, name: str, temporary: bool = False) -> Self:
        fields = child.schema.fields
        return cls(child, name, temporary, Schema(fields, ((name,),) * len(fields)))


JOIN_HINTS = frozenset(
    {
        "BROADCAST",
        "BROADCASTJOIN",
        "MAPJOIN",
        "MERGE",
        "MERGEJOIN",
        "SHUFFLE_HASH",
        "SHUFFLE_MERGE",
        "SHUFFLE_REPLICATE_NL",
    }
)
"""The hints that say how a table is joined; the others say how rows are partitioned."""


class Hint(QueryOperation, frozen=True, eq=False):
    """The input with a hint for Spark's planner: ``BROADCAST``, ``REPARTITION(3, key)`` …"""

    child: QueryOperation
    name: str
    parameters: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "parameters")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    clause: ClassVar[Clause] = Clause.HINT
    keeps_columns: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(
        cls, child: QueryOperation, name: str, parameters: tuple[ResolvedExpression, ...] = ()
    ) -> Self:
        return cls(child, name, parameters, child.schema)
