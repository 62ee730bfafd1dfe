"""CTEs that stay CTEs in every text: ``WITH x AS (SELECT rand() …)``, read more than once."""

from __future__ import annotations

from typing import ClassVar, Self

from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.types import Field


class WithCte(QueryOperation, frozen=True, eq=False):
    """The rows of ``body``, which reads those of ``definition`` as a ``CteReference`` of its name.

    Spark's ``WithCTE``. A CTE that gives the same rows every time is no such node: it stands where
    it is read. Of others Spark decides how often they are computed: once where a function draws,
    and a mere sample at each place that reads it. No surrounding step reaches into either query, so
    the node is a source.
    """

    definition: QueryOperation
    body: QueryOperation
    name: str
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("definition", "body")
    is_source: ClassVar[bool] = True

    @classmethod
    def of(cls, definition: QueryOperation, body: QueryOperation, name: str) -> Self:
        return cls(definition, body, name, Schema(body.schema.fields))


class CteReference(QueryOperation, frozen=True, eq=False):
    """The rows of the CTE of that name: the nearest ``WithCte`` whose body, or ``Recursion`` whose
    step, it stands in; of a recursion those of the round before."""

    name: str
    fields: tuple[Field, ...]
    schema: Schema

    is_source: ClassVar[bool] = True

    @classmethod
    def of(cls, name: str, fields: tuple[Field, ...]) -> Self:
        return cls(name, fields, Schema(fields, ((name,),) * len(fields)))
