"""Sources: tables, values, SQL text."""

from __future__ import annotations

import re
from typing import ClassVar, Self

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation, SetKind, set_schema
from viewscribe.types import Field, StructType

# CTEs that stay CTEs in every text: ``WITH x AS (SELECT rand() …)``, read more than once.


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


# Recursive queries: ``WITH RECURSIVE``.


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


class CatalogSource(QueryOperation, frozen=True, eq=False):
    """A table or view of a catalog, by its full path.

    ``as_of`` is the time-travel clause: ``VERSION AS OF 3``.
    """

    path: tuple[str, ...]
    fields: tuple[Field, ...]
    as_of: str | None
    schema: Schema

    is_source: ClassVar[bool] = True
    follows_types: ClassVar[bool] = True

    @classmethod
    def of(cls, path: tuple[str, ...], fields: tuple[Field, ...], as_of: str | None = None) -> Self:
        return cls(path, fields, as_of, Schema(fields, (path,) * len(fields)))


AS_OF = re.compile(r"VERSION AS OF (\d+|'[^'\\]*')|TIMESTAMP AS OF ((DATE|TIMESTAMP) )?'[^'\\]*'")
"""What ``CatalogSource.as_of`` may be: constants, in the one form in which they are printed."""


class Values(QueryOperation, frozen=True, eq=False):
    """Literal rows: ``values`` holds the cells row by row, ``len(fields)`` to a row."""

    values: tuple[ResolvedExpression, ...]
    fields: tuple[Field, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("values",)
    is_source: ClassVar[bool] = True

    @classmethod
    def of(cls, values: tuple[ResolvedExpression, ...], fields: tuple[Field, ...]) -> Self:
        return cls(values, fields, Schema(fields))


class OneRow(QueryOperation, frozen=True, eq=False):
    """One row without columns: the input of a SELECT without FROM.

    Spark's ``OneRowRelation``.
    """

    schema: Schema

    is_source: ClassVar[bool] = True

    @classmethod
    def of(cls) -> Self:
        return cls(Schema(()))


class TableFunction(QueryOperation, frozen=True, eq=False):
    """A call of a table-valued function such as ``range(10)``, with constant arguments."""

    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("args",)
    is_source: ClassVar[bool] = True

    @classmethod
    def of(cls, function: FunctionDefinition, args: tuple[ResolvedExpression, ...]) -> Self:
        rows = function.infer(args)
        assert isinstance(rows, StructType)
        return cls(function, args, Schema(rows.fields))


class SqlText(QueryOperation, frozen=True, eq=False):
    """A query given as SQL text, with its schema, the tables it reads and the functions it calls.

    ``functions`` are user functions only.
    """

    text: str
    fields: tuple[Field, ...]
    dependencies: tuple[tuple[str, ...], ...]
    functions: tuple[UserFunction, ...]
    schema: Schema

    is_source: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        text: str,
        fields: tuple[Field, ...],
        dependencies: tuple[tuple[str, ...], ...] = (),
        functions: tuple[UserFunction, ...] = (),
    ) -> Self:
        return cls(text, fields, dependencies, functions, Schema(fields))
