"""The query operations: one small immutable node for each.

Names follow Flink's Table API and Spark's logical plans. ``of`` is how a node is built: it derives
the schema from the children, so that a rewrite can never leave a stale one behind. Checks of what
users typed live in ``build.py``; a node trusts its arguments.
"""

from __future__ import annotations

from typing import ClassVar, Self

from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Grouping, JoinKind, SetKind
from viewscribe.operations.schemas import (
    join_schema,
    output_name,
    pivoted_type,
    project_schema,
    set_schema,
    using_columns,
    using_schema,
    with_columns_schema,
)
from viewscribe.types import STRING, Field, StructType
from viewscribe.types.coercion import common_type_of

__all__ = [
    "Aggregate",
    "CatalogSource",
    "Distinct",
    "Filter",
    "Generate",
    "Grouping",
    "Hint",
    "Join",
    "JoinKind",
    "LateralJoin",
    "Limit",
    "Offset",
    "Pivot",
    "Project",
    "Sample",
    "SetKind",
    "SetOperation",
    "Sort",
    "SqlText",
    "SubqueryAlias",
    "TimeWindow",
    "Unpivot",
    "Values",
    "WithColumns",
    "join_schema",
    "output_name",
    "using_columns",
]


class CatalogSource(QueryOperation, frozen=True, eq=False):
    """A table or view of a catalog, by its full path."""

    path: tuple[str, ...]
    fields: tuple[Field, ...]
    schema: Schema

    @classmethod
    def of(cls, path: tuple[str, ...], fields: tuple[Field, ...]) -> Self:
        return cls(path, fields, Schema(fields, (path,) * len(fields)))


class Values(QueryOperation, frozen=True, eq=False):
    """Rows written in the query: ``values`` row by row, ``len(fields)`` to a row."""

    values: tuple[ResolvedExpression, ...]
    fields: tuple[Field, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("values",)

    @classmethod
    def of(cls, values: tuple[ResolvedExpression, ...], fields: tuple[Field, ...]) -> Self:
        return cls(values, fields, Schema(fields))


class SqlText(QueryOperation, frozen=True, eq=False):
    """A query given as SQL text, with its schema and the tables it reads."""

    text: str
    fields: tuple[Field, ...]
    dependencies: tuple[tuple[str, ...], ...]
    schema: Schema

    @classmethod
    def of(
        cls,
        text: str,
        fields: tuple[Field, ...],
        dependencies: tuple[tuple[str, ...], ...] = (),
    ) -> Self:
        return cls(text, fields, dependencies, Schema(fields))


class Project(QueryOperation, frozen=True, eq=False):
    """Columns computed from those of the input: each a reference or an alias."""

    child: QueryOperation
    expressions: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "expressions")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, expressions: tuple[ResolvedExpression, ...]) -> Self:
        return cls(child, expressions, project_schema(child.schema, expressions))


class WithColumns(QueryOperation, frozen=True, eq=False):
    """The input's columns, some replaced in place, others added at the end; all aliases.

    A column replaces the input's column of the same name; new ones see the old values.
    """

    child: QueryOperation
    columns: tuple[Alias, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "columns")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, columns: tuple[Alias, ...]) -> Self:
        return cls(child, columns, with_columns_schema(child.schema, columns))

    def places(self) -> list[int]:
        """The position of each column in the output."""
        before = self.child.schema
        by_name, added = before.by_name, len(before)
        found = []
        for column in self.columns:
            place = by_name.get(column.name.lower(), -1)
            if place < 0:
                place, added = added, added + 1
            found.append(place)
        return found


class Filter(QueryOperation, frozen=True, eq=False):
    """The rows of the input for which the condition is TRUE."""

    child: QueryOperation
    condition: ResolvedExpression
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "condition")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, condition: ResolvedExpression) -> Self:
        return cls(child, condition, child.schema)


class Aggregate(QueryOperation, frozen=True, eq=False):
    """Groups of rows with equal keys; gives the keys, then the aggregates.

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
            fields = [
                Field(field.name, field.type.as_nullable()) if place < len(keys) else field
                for place, field in enumerate(schema.fields)
            ]
            schema = Schema(fields, schema.qualifiers)
        return cls(child, keys, aggregates, grouping, sets, schema)


class Distinct(QueryOperation, frozen=True, eq=False):
    """The different rows of the input."""

    child: QueryOperation
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation) -> Self:
        return cls(child, child.schema)


class Join(QueryOperation, frozen=True, eq=False):
    """Two inputs side by side, ON a condition over both or USING columns of equal name.

    With USING the output is the shared columns first, then the others of each side.
    """

    left: QueryOperation
    right: QueryOperation
    kind: JoinKind
    condition: ResolvedExpression | None
    using: tuple[str, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("left", "right", "condition")
    input_fields: ClassVar[tuple[str, ...]] = ("left", "right")

    @classmethod
    def of(
        cls,
        left: QueryOperation,
        right: QueryOperation,
        kind: JoinKind = JoinKind.INNER,
        condition: ResolvedExpression | None = None,
        using: tuple[str, ...] = (),
    ) -> Self:
        schema = join_schema(left.schema, right.schema, kind)
        if using:
            schema = using_schema(schema, left.schema, right.schema, kind, using)
        return cls(left, right, kind, condition, using, schema)

    def both_sides(self) -> Schema:
        """The columns that the condition sees: the left input's, then the right input's."""
        return join_schema(self.left.schema, self.right.schema, JoinKind.INNER)


class LateralJoin(QueryOperation, frozen=True, eq=False):
    """A join whose right input is a query that may refer to the left input's row.

    ``kind`` is INNER, LEFT or CROSS.
    """

    left: QueryOperation
    right: QueryOperation
    kind: JoinKind
    condition: ResolvedExpression | None
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("left", "right", "condition")
    input_fields: ClassVar[tuple[str, ...]] = ("left", "right")

    @classmethod
    def of(
        cls,
        left: QueryOperation,
        right: QueryOperation,
        kind: JoinKind = JoinKind.INNER,
        condition: ResolvedExpression | None = None,
    ) -> Self:
        return cls(left, right, kind, condition, join_schema(left.schema, right.schema, kind))


class SetOperation(QueryOperation, frozen=True, eq=False):
    """Union, intersection or difference of two inputs, by position; ``all`` keeps duplicates."""

    left: QueryOperation
    right: QueryOperation
    kind: SetKind
    all: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("left", "right")
    input_fields: ClassVar[tuple[str, ...]] = ("left", "right")

    @classmethod
    def of(
        cls, left: QueryOperation, right: QueryOperation, kind: SetKind, all: bool = False
    ) -> Self:
        return cls(left, right, kind, all, set_schema(left.schema, right.schema, kind))


class Sort(QueryOperation, frozen=True, eq=False):
    """The rows of the input in an order."""

    child: QueryOperation
    keys: tuple[SortOrder, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, keys: tuple[SortOrder, ...]) -> Self:
        return cls(child, keys, child.schema)


class Limit(QueryOperation, frozen=True, eq=False):
    """The first ``count`` rows of the input."""

    child: QueryOperation
    count: int
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

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

    @classmethod
    def of(cls, child: QueryOperation, count: int) -> Self:
        return cls(child, count, child.schema)


class Sample(QueryOperation, frozen=True, eq=False):
    """A random part of the rows, ``percent`` of 100, the same for the same seed."""

    child: QueryOperation
    percent: float
    seed: int
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, percent: float, seed: int) -> Self:
        return cls(child, percent, seed, child.schema)


class SubqueryAlias(QueryOperation, frozen=True, eq=False):
    """The input under a name, by which its columns can be qualified.

    ``temporary`` marks the body of a temporary view: it may be printed, but not stored.
    """

    child: QueryOperation
    name: str
    temporary: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, name: str, temporary: bool = False) -> Self:
        fields = child.schema.fields
        return cls(child, name, temporary, Schema(fields, ((name,),) * len(fields)))


class Generate(QueryOperation, frozen=True, eq=False):
    """The input's row beside each row that a generator makes of it; ``outer`` keeps the others."""

    child: QueryOperation
    call: Call
    outer: bool
    names: tuple[str, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "call")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, call: Call, outer: bool, names: tuple[str, ...]) -> Self:
        made = call.type
        assert isinstance(made, StructType)
        before = child.schema
        fields = tuple(
            Field(name, field.type.with_nullability(outer or field.type.nullable))
            for name, field in zip(names, made.fields, strict=True)
        )
        qualifiers = before.qualifiers + ((),) * len(fields)
        return cls(child, call, outer, names, Schema(before.fields + fields, qualifiers))


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
        for name in value_names:
            for aggregate in aggregates:
                full = f"{name}_{output_name(aggregate)}" if len(aggregates) > 1 else name
                fields.append(Field(full, pivoted_type(aggregate)))
        return cls(child, keys, column, values, value_names, aggregates, Schema(fields))


class Unpivot(QueryOperation, frozen=True, eq=False):
    """Columns turned into rows: the other columns, the column's label and its value."""

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
        value = common_type_of([column.type for column in columns])
        assert value is not None
        fields = [child.schema[place] for place in kept]
        fields += [Field(name_column, STRING.not_null()), Field(value_column, value)]
        qualifiers = [child.schema.qualifiers[place] for place in kept] + [(), ()]
        schema = Schema(fields, qualifiers)
        return cls(child, columns, labels, name_column, value_column, include_nulls, schema)


class TimeWindow(QueryOperation, frozen=True, eq=False):
    """The input with the time window of each row as a column, a struct of start and end.

    ``call`` is Spark's ``window(…)`` (tumbling and hopping) or ``session_window(…)``; the latter
    only makes sense right below an aggregate that groups by it. Rows without a time fall out.
    """

    child: QueryOperation
    call: Call
    name: str
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "call")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(cls, child: QueryOperation, call: Call, name: str) -> Self:
        before = child.schema
        fields = (*before.fields, Field(name, call.type))
        return cls(child, call, name, Schema(fields, (*before.qualifiers, ())))

    @property
    def is_session(self) -> bool:
        """Whether the window is a session window."""
        return self.call.function.name == "session_window"


class Hint(QueryOperation, frozen=True, eq=False):
    """The input with a hint for Spark's planner: ``BROADCAST``, ``REPARTITION(3, key)`` …"""

    child: QueryOperation
    name: str
    parameters: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "parameters")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)

    @classmethod
    def of(
        cls, child: QueryOperation, name: str, parameters: tuple[ResolvedExpression, ...] = ()
    ) -> Self:
        return cls(child, name, parameters, child.schema)
