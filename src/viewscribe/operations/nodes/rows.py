"""Operations on rows that keep their columns: filters, sorts, limits, names, hints."""

from __future__ import annotations

from typing import ClassVar, Self

from viewscribe.expressions.nodes import (
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Clause


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
