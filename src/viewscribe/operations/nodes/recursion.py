"""Recursive queries: ``WITH RECURSIVE``."""

from __future__ import annotations

from typing import ClassVar, Self

from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import SetKind
from viewscribe.operations.schemas import set_schema
from viewscribe.types import Field


class Recursion(QueryOperation, frozen=True, eq=False):
    """A recursive query: the rows of ``anchor``, then those of each round of ``step``.

    Spark's ``UnionLoop``. Both are complete queries that no surrounding step reaches into, so the
    node is a source. ``step`` reads the rows of the previous round as a ``CteReference`` of its
    name; ``max_level`` limits the number of rounds, None is the session's limit.
    """

    anchor: QueryOperation
    step: QueryOperation
    name: str
    max_level: int | None
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("anchor", "step")
    is_source: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        anchor: QueryOperation,
        step: QueryOperation,
        name: str,
        max_level: int | None = None,
    ) -> Self:
        schema = set_schema(anchor.schema, step.schema, SetKind.UNION)
        return cls(anchor, step, name, max_level, schema)


def recursive_fields(anchor: Schema) -> tuple[Field, ...]:
    """The columns of the round before: those of the first rows, of which each may be NULL."""
    return tuple([Field(each.name, each.type.as_nullable()) for each in anchor])
