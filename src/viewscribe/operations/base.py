"""The base of the query operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from viewscribe.expressions.node import Node
from viewscribe.expressions.schema import Schema


class QueryOperation(Node, frozen=True, eq=False):
    """A step of a pipeline: knows its schema; children are the steps it reads and its expressions.

    ``of`` builds a node and works out its schema; the bare constructor wants the schema given.
    """

    if TYPE_CHECKING:

        @property
        def schema(self) -> Schema: ...

    derived_fields: ClassVar[tuple[str, ...]] = ("schema",)
    input_fields: ClassVar[tuple[str, ...]] = ()
    is_query: ClassVar[bool] = True

    def inputs(self) -> list[QueryOperation]:
        """The operations this one reads."""
        return [getattr(self, name) for name in self.input_fields]

    def as_summary_string(self) -> str:
        """The indented tree of operations, one line a node."""
        from viewscribe.operations.summary import summarize

        return summarize(self)

    def as_serializable_string(self) -> str:
        """The pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: names the node that SQL cannot say, and the way out.
        """
        from viewscribe.operations.printing import operation_to_sql

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
