"""Operations on two inputs: joins and set operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.nodes import (
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
    JoinKind,
    QueryOperation,
    SetKind,
    join_schema,
    set_schema,
    using_columns,
    using_schema,
)
from viewscribe.types import Field

# The call of a process table function, an operator written by a user.


class Process(QueryOperation, frozen=True, eq=False):
    """A call of a process table function.

    Several tables are combined into one input, since Spark cannot pass several tables to an
    operator: the rows of all tables, with the columns ``KEY``, ``TIME``, ``SOURCE`` and a STRUCT
    for each table, which is NULL except in the table's own rows. The input of a function without
    tables is ``OneRow``: it is called once.

    Args:
        child: the input.
        function: the called function.
        tables: the names of the table arguments.
        partition_by: the PARTITION BY columns of each table, by their names there.
        keys: the partition keys of the input; empty for a single partition.
        order: the sort keys within each partition.
        arguments: the names of the scalar arguments.
        args: their values, which are constants.
        on_time: the time columns.
        by_row: whether the function processes each row on its own.
        uid: the unique name of the call in a statement; None for the name of the function.
        fields: the columns of the result.
    """

    child: QueryOperation
    function: FunctionDefinition
    tables: tuple[str, ...]
    partition_by: tuple[str, ...]
    keys: tuple[ResolvedExpression, ...]
    order: tuple[SortOrder, ...]
    arguments: tuple[str, ...]
    args: tuple[ResolvedExpression, ...]
    on_time: tuple[str, ...]
    by_row: bool
    uid: str | None
    fields: tuple[Field, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child", "keys", "order", "args")
    input_fields: ClassVar[tuple[str, ...]] = ("child",)
    is_source: ClassVar[bool] = True
    mixes_rows: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        child: QueryOperation,
        function: FunctionDefinition,
        tables: tuple[str, ...],
        partition_by: tuple[str, ...],
        keys: tuple[ResolvedExpression, ...],
        order: tuple[SortOrder, ...],
        arguments: tuple[str, ...],
        args: tuple[ResolvedExpression, ...],
        on_time: tuple[str, ...],
        by_row: bool,
        fields: tuple[Field, ...],
        uid: str | None = None,
    ) -> Self:
        return cls(
            child,
            function,
            tables,
            partition_by,
            keys,
            order,
            arguments,
            args,
            on_time,
            by_row,
            uid,
            fields,
            Schema(fields),
        )

    @property
    def is_tagged(self) -> bool:
        """Whether the input combines several tables."""
        return len(self.tables) > 1

    @property
    def key_names(self) -> tuple[str, ...]:
        """What the table is partitioned by, fields with those they are in; of several, the names.

        Where the result has the column ``x``, this says ``place.x``.
        """
        if self.is_tagged:
            return self.partition_by
        names = self.child.schema.names
        return tuple(".".join(path_of(key, names)) for key in self.keys)

    @property
    def order_by(self) -> tuple[str, ...]:
        """Returns the ORDER BY columns, with fields as full paths: ``("ts", "place.x")``."""
        names = self.child.schema.names
        return tuple(".".join(path_of(key.child, names)) for key in self.order)

    @property
    def said_keys(self) -> tuple[str, ...]:
        """What a text says beside the table of its keys, as Spark tells no function of them."""
        return self.key_names if self.partition_by else ()

    @property
    def said_order_keys(self) -> tuple[str, ...]:
        """The same of its order, where that is not by time alone."""
        by_time = self.is_tagged or len(self.order) <= len(self.on_time)
        return () if by_time else self.order_by

    @property
    def keeps_null_times(self) -> bool:
        """Whether rows whose time is NULL come after all others."""
        return bool(self.on_time) and bool(self.order) and not self.order[0].nulls_first

    @property
    def call_uid(self) -> str:
        """Returns the unique name of the call in a statement."""
        return self.uid or repr(self.function)


def path_of(key: ResolvedExpression, columns: Sequence[str]) -> tuple[str, ...]:
    """Returns a key as a path of names: a column and the fields in it.

    Args:
        key: a column, or a field of one.
        columns: the names of the columns it is one of.
    """
    names: list[str] = []
    while isinstance(key, Call):
        key, name = key.args
        assert isinstance(name, Literal)
        names.append(str(name.value))
    assert isinstance(key, FieldReference)
    names.append(columns[key.index])
    return tuple(reversed(names))


class Join(QueryOperation, frozen=True, eq=False):
    """Two inputs side by side, ON a condition over both or USING columns of equal name.

    An INNER join with neither is ``FROM a, b``: the rows of a CROSS join, but another Spark plan.
    With USING, the output has the shared columns first, then the others of each side.
    """

    left: QueryOperation
    right: QueryOperation
    kind: JoinKind
    condition: ResolvedExpression | None
    using: tuple[str, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("left", "right", "condition")
    input_fields: ClassVar[tuple[str, ...]] = ("left", "right")
    mixes_rows: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        left: QueryOperation,
        right: QueryOperation,
        kind: JoinKind = JoinKind.INNER,
        condition: ResolvedExpression | None = None,
        using: tuple[str, ...] = (),
    ) -> Self:
        if using:
            schema = using_schema(left.schema, right.schema, kind, using)
        else:
            schema = join_schema(left.schema, right.schema, kind)
        return cls(left, right, kind, condition, using, schema)

    def both_sides(self) -> Schema:
        """Returns the columns the condition sees: the left input's, then the right input's."""
        return Schema.side_by_side(self.left.schema, self.right.schema)

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        left, right = self.left.schema, self.right.schema
        if not self.using:
            return _side_by_side(len(left), len(self.schema))
        both = _side_by_side(len(left), len(left) + len(right))
        order = using_columns(left, right, self.kind, self.using)
        return [both[place] if other is None else None for place, other in order]


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
    mixes_rows: ClassVar[bool] = True
    inner_fields: ClassVar[tuple[str, ...]] = ("right",)
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        left: QueryOperation,
        right: QueryOperation,
        kind: JoinKind = JoinKind.INNER,
        condition: ResolvedExpression | None = None,
    ) -> Self:
        return cls(left, right, kind, condition, join_schema(left.schema, right.schema, kind))

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        return _side_by_side(len(self.left.schema), len(self.schema))


class SetOperation(QueryOperation, frozen=True, eq=False):
    """Union, intersection or difference of two inputs, by position; ``all`` keeps duplicates."""

    left: QueryOperation
    right: QueryOperation
    kind: SetKind
    all: bool
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("left", "right")
    input_fields: ClassVar[tuple[str, ...]] = ("left", "right")
    clause: ClassVar[Clause] = Clause.SET_OPERATION
    mixes_rows: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True
    is_recursive_step: ClassVar[bool] = True

    @classmethod
    def of(
        cls, left: QueryOperation, right: QueryOperation, kind: SetKind, all: bool = False
    ) -> Self:
        return cls(left, right, kind, all, set_schema(left.schema, right.schema, kind))

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        if self.kind is SetKind.UNION:
            return [None] * len(self.schema)
        return [ColumnOrigin(0, place) for place in range(len(self.schema))]


def _side_by_side(left: int, width: int) -> list[ColumnOrigin | None]:
    """Returns the column origins of two inputs side by side, the left one of the given width."""
    return [
        ColumnOrigin(0, place) if place < left else ColumnOrigin(1, place - left)
        for place in range(width)
    ]
