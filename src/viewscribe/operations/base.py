"""The base of the query operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from viewscribe.expressions.node import Node
from viewscribe.expressions.schema import Schema
from viewscribe.operations.kinds import Clause
from viewscribe.operations.printing import operation_to_sql, operation_to_summary

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression


class ColumnOrigin(NamedTuple):
    """The column of an input that a column of an operation is.

    Args:
        number: which input.
        place: which of its columns.
    """

    number: int
    place: int


class QueryOperation(Node, frozen=True, eq=False):
    """A step of a pipeline: knows its schema; children are the steps it reads and its expressions.

    ``of`` builds a node and works out its schema; the bare constructor wants the schema given.

    What an operation does to columns and rows is said here, once for all who ask.
    """

    if TYPE_CHECKING:

        @property
        def schema(self) -> Schema: ...

    derived_fields: ClassVar[tuple[str, ...]] = ("schema",)
    input_fields: ClassVar[tuple[str, ...]] = ()
    is_query: ClassVar[bool] = True

    keeps_columns: ClassVar[bool] = False
    """Whether its columns are those of its only input, under their names and in their order."""
    compares_rows: ClassVar[bool] = False
    """Whether a further column of the input could change which rows there are."""
    mixes_rows: ClassVar[bool] = False
    """Whether its rows come in no order, whatever order those of its inputs are in."""

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
        """The operations this one reads."""
        return [getattr(self, name) for name in self.input_fields]

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        """What computes each of its columns over those of its input; nothing where none does."""
        return ()

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        """For each of its columns the column of an input that it is, None for one that is made.

        In a row of an outer join or of a smaller grouping set, it may be missing and so NULL.
        An alias makes a column of its own, as it does in Spark's plans.
        """
        made = self.column_expressions()
        if made:
            return [_referred(each) for each in made]
        if not self.input_fields:
            return [None] * len(self.schema)
        width = len(self.inputs()[0].schema) if self.keeps_columns else 0
        kept: list[ColumnOrigin | None] = [ColumnOrigin(0, place) for place in range(width)]
        return kept + [None] * (len(self.schema) - width)

    def as_summary_string(self) -> str:
        """The indented tree of operations, one line a node."""
        return operation_to_summary(self)

    def as_serializable_string(self) -> str:
        """The pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: names the node that SQL cannot say, and the way out.
        """
        return operation_to_sql(self)

    def copy_with(self, changes: dict[str, object]) -> QueryOperation:
        """The same operation with other field values, its schema worked out again."""
        fields = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if name not in ("_hash", *self.derived_fields)
        }
        maker = getattr(type(self), "of", type(self))
        return maker(**(fields | changes))


def _referred(expression: Node) -> ColumnOrigin | None:
    from viewscribe.expressions.nodes import FieldReference

    return ColumnOrigin(0, expression.index) if type(expression) is FieldReference else None
