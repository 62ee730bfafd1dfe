"""Sources: tables, values, SQL text."""

from __future__ import annotations

import re
from typing import ClassVar, Self

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import (
    ResolvedExpression,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation
from viewscribe.types import Field, StructType


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
