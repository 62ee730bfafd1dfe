"""Which column of an operation each of Spark's ids means."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference
from viewscribe.expressions.schema import Schema
from viewscribe.operations.base import QueryOperation

NOBODY = -1
"""The id of a column that nothing of the plan refers to."""


class Columns:
    """Columns of a schema and the ids by which Spark's expressions refer to them.

    Args:
        schema: the columns.
        ids: the id of each; of two columns with one id, which hold the same, the first counts.
    """

    __slots__ = ("_places", "ids", "schema")

    def __init__(self, schema: Schema, ids: Sequence[int]) -> None:
        self.schema = schema
        self.ids = tuple(ids)
        self._places: dict[int, int] | None = None

    @property
    def places(self) -> dict[int, int]:
        """The position of each id."""
        found = self._places
        if found is None:
            count = len(self.ids)
            found = dict(zip(reversed(self.ids), range(count - 1, -1, -1), strict=True))
            found.pop(NOBODY, None)
            self._places = found
        return found

    def reference(self, id_: int) -> FieldReference | None:
        """A reference to the column of an id, if there is one."""
        place = self.places.get(id_)
        return None if place is None else self.schema.references[place]


class Captured(Columns):
    """An operation of ours that gives the columns of an operator of Spark's.

    Args:
        operation: the operation.
        ids: the id of each of its columns.
    """

    __slots__ = ("operation",)

    def __init__(self, operation: QueryOperation, ids: Sequence[int]) -> None:
        super().__init__(operation.schema, ids)
        assert len(ids) == len(operation.schema), (ids, operation.schema)
        self.operation = operation
