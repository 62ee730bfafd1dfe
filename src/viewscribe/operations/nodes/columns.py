"""Projections: operations that compute other columns of a row."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, Self

from msgspec.structs import force_setattr

from viewscribe.expressions.nodes import (
    Alias,
    ResolvedExpression,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Clause
from viewscribe.operations.schemas import (
    project_schema,
    with_columns_schema,
)


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
