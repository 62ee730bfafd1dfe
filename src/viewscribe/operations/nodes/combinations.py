"""Operations on two inputs: joins and set operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from viewscribe.expressions.nodes import (
    ResolvedExpression,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import ColumnOrigin, QueryOperation
from viewscribe.operations.kinds import Clause, JoinKind, SetKind
from viewscribe.operations.schemas import (
    join_schema,
    set_schema,
    using_columns,
    using_schema,
)


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
