"""The part of a table that takes another one: joins and set operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Operand
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import JoinKind, SetKind
from viewscribe.table_api.meant_settings import require_same_settings

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.table import Table


class CombinesTables:
    """The methods of ``Table`` that combine it with another table."""

    __slots__ = ()

    env: TableEnvironment

    def _build(
        self, builder: Callable[..., QueryOperation], *args: Operand, **options: Operand
    ) -> Table:
        raise NotImplementedError

    def _operation_of(self, other: Table) -> QueryOperation:
        """The pipeline of another table.

        Raises:
            ValidationError: it is meant for other settings than this one, or no table.
        """
        require_table(other)
        if other.env is not self.env:
            require_same_settings(self.env, other.env)
        return other.operation

    def join(
        self, other: Table, on: Operand = None, how: str = "inner", *, using: Operand = None
    ) -> Table:
        """Joins this table with another.

        Args:
            other: the right side.
            on: a condition over both sides, or names of shared columns (as in PySpark).
            how: inner, left, right, full, cross, semi or anti, or another of PySpark's spellings.
            using: names of shared columns; the output has each once, at the front.
        """
        return self._join(other, JoinKind.named(how), on, using)

    def _join(
        self, other: Table, kind: JoinKind, on: Operand = None, using: Operand = None
    ) -> Table:
        return self._build(build.join, self._operation_of(other), kind, on, using)

    def left_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of this table; NULLs where the other has no match."""
        return self._join(other, JoinKind.LEFT, on, using)

    def right_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of the other table; NULLs where this one has no match."""
        return self._join(other, JoinKind.RIGHT, on, using)

    def full_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of both tables; NULLs where there is no match."""
        return self._join(other, JoinKind.FULL, on, using)

    def cross_join(self, other: Table) -> Table:
        """Combines every row of this table with every row of the other."""
        return self._join(other, JoinKind.CROSS)

    def semi_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Keeps the rows of this table that have a match in the other."""
        return self._join(other, JoinKind.SEMI, on, using)

    def anti_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Keeps the rows of this table that have no match in the other."""
        return self._join(other, JoinKind.ANTI, on, using)

    def join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Joins each row with the result of a query that may refer to it (SQL ``LATERAL``).

        Args:
            query: a function that takes the outer row's columns and returns a table
                (``lambda outer: orders.filter(col("o_custkey") == outer("c_custkey"))``), or a
                generator call (``F.explode("tags").alias("tag")``).
            on: a condition over both sides.
        """
        return self._build(build.lateral_join, query, JoinKind.INNER, on)

    def left_outer_join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Like ``join_lateral``, but keeps rows without a match, with NULLs beside them."""
        return self._build(build.lateral_join, query, JoinKind.LEFT, on)

    lateral_join = join_lateral

    def union(self, other: Table) -> Table:
        """Returns the distinct rows of both tables. (PySpark's ``union`` is ``union_all``.)"""
        return self._set(other, SetKind.UNION, False)

    def union_all(self, other: Table) -> Table:
        """Returns the rows of both tables, duplicates included."""
        return self._set(other, SetKind.UNION, True)

    def union_by_name(self, other: Table, *, allow_missing: bool = False) -> Table:
        """Like ``union_all``, with columns matched by name; ``allow_missing`` fills in NULLs."""
        return self._build(
            build.union_by_name, self._operation_of(other), allow_missing=allow_missing
        )

    def intersect(self, other: Table) -> Table:
        """Returns the distinct rows that are in both tables."""
        return self._set(other, SetKind.INTERSECT, False)

    def intersect_all(self, other: Table) -> Table:
        """Returns the rows that are in both tables, as often as they occur in both."""
        return self._set(other, SetKind.INTERSECT, True)

    def minus(self, other: Table) -> Table:
        """Returns the distinct rows that are not in the other table."""
        return self._set(other, SetKind.EXCEPT, False)

    def minus_all(self, other: Table) -> Table:
        """Returns the rows that remain after each row of the other removes one equal row."""
        return self._set(other, SetKind.EXCEPT, True)

    subtract = minus
    except_all = minus_all

    def _set(self, other: Table, kind: SetKind, all_rows: bool) -> Table:
        return self._build(build.set_operation, self._operation_of(other), kind, all_rows)


def require_table(value: object) -> None:
    """Refuses what is no table where one is wanted.

    Raises:
        ValidationError: says of what class it is.
    """
    if not isinstance(value, CombinesTables):
        raise ValidationError(
            f"a table is wanted here, and this is of the class {type(value).__name__}",
            hint="of a DataFrame: env.from_dataframe(df); of a name: env.from_path(name)",
        )
