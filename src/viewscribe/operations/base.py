"""The base of the query operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import msgspec

from viewscribe.expressions.node import MEMOS, Node
from viewscribe.expressions.schema import Schema
from viewscribe.operations.kinds import Clause
from viewscribe.operations.printing import operation_to_sql, operation_to_summary
from viewscribe.types.author_text import Witness

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression

O = TypeVar("O", bound="QueryOperation")  # noqa: E741


class ColumnOrigin(NamedTuple):
    """The input column that an output column is, unchanged.

    Args:
        number: which input.
        place: which of its columns.
    """

    number: int
    place: int


class QueryOperation(Node, frozen=True, eq=False, kw_only=True):
    """A step of a pipeline, with its schema. Its children are its inputs and its expressions.

    ``of`` builds a node and derives its schema; the bare constructor takes the schema as given.

    The properties of an operation (what it does to columns and rows) are declared here once.
    """

    if TYPE_CHECKING:

        @property
        def schema(self) -> Schema: ...

    witness: Witness | None = None
    """The text that it was read from; equal operations may have been written in other words."""

    stored: bool = False
    """Whether it comes, with its inputs, from a document, which anybody may have written."""

    derived_fields: ClassVar[tuple[str, ...]] = ("schema",)
    input_fields: ClassVar[tuple[str, ...]] = ()
    is_query: ClassVar[bool] = True

    keeps_columns: ClassVar[bool] = False
    """Whether its columns are those of its only input, under their names and in their order."""
    compares_rows: ClassVar[bool] = False
    """Whether a further column of the input could change which rows there are."""
    mixes_rows: ClassVar[bool] = False
    """Whether its rows come in no order, whatever order those of its inputs are in."""

    counts_rows: ClassVar[bool] = False
    """Whether it keeps rows by their number."""

    computes_each_row: ClassVar[bool] = False
    """Whether its expressions are over its only input, so that a step below may compute parts."""
    follows_types: ClassVar[bool] = False
    """Whether it is the same operation over inputs of wider types, its own types with them."""
    is_recursive_step: ClassVar[bool] = False
    """Whether Spark lets it stand between a recursive query's step and the round before."""

    clause: ClassVar[Clause] = Clause.FROM
    """The clause of a SELECT that says it."""
    is_source: ClassVar[bool] = False
    """Whether it stands in FROM as one table, whatever it reads."""

    def inputs(self) -> list[QueryOperation]:
        """Returns the operations that this one reads."""
        return [getattr(self, name) for name in self.input_fields]

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        """Returns the expressions that compute its columns from the input's; empty if none do."""
        return ()

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        """Returns for each output column the input column it is; None for a computed one.

        Outer joins and smaller grouping sets may still turn the value into NULL. An alias makes a
        new column, as in Spark's plans.
        """
        made = self.column_expressions()
        if made:
            return [_find_origin(each) for each in made]
        if not self.input_fields:
            return [None] * len(self.schema)
        width = len(self.inputs()[0].schema) if self.keeps_columns else 0
        kept: list[ColumnOrigin | None] = [ColumnOrigin(0, place) for place in range(width)]
        return kept + [None] * (len(self.schema) - width)

    def as_summary_string(self) -> str:
        """The indented tree of operations, one line a node."""
        return operation_to_summary(self)

    def as_serializable_string(self) -> str:
        """Returns the pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: SQL cannot express a node; names it and the way out.
        """
        return operation_to_sql(self)

    def copy_with(self, changes: dict[str, object]) -> QueryOperation:
        """Returns a copy with some fields changed and the schema recomputed."""
        fields = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if name not in (*MEMOS, *self.derived_fields)
        }
        maker = getattr(type(self), "of", type(self))
        made: QueryOperation = maker(**(fields | changes))
        return as_stored(made) if self.stored else made


def with_witness(operation: O, witness: Witness) -> O:
    """Notes on an operation that was just made the text that it was read from."""
    msgspec.structs.force_setattr(operation, "witness", witness)
    return operation


def as_stored(operation: O, stored: bool = True) -> O:
    """Notes on an operation that was just made that it comes from a document, with its inputs."""
    msgspec.structs.force_setattr(operation, "stored", stored)
    return operation


def _find_origin(expression: Node) -> ColumnOrigin | None:
    from viewscribe.expressions.nodes import FieldReference

    return ColumnOrigin(0, expression.index) if type(expression) is FieldReference else None
