"""Expressions over what a SELECT shows and what it hides: ORDER BY and QUALIFY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError, ViewscribeError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, unaliased
from viewscribe.expressions.schema import Schema
from viewscribe.parser import syntax as s
from viewscribe.parser.scopes import Columns, SortColumns
from viewscribe.parser.values import ExpressionReader

if TYPE_CHECKING:
    from viewscribe.parser.groups import GroupReader
    from viewscribe.parser.select import Select

_AGGREGATES = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)


class OrderReader(ExpressionReader):
    """Reads expressions over the columns that a SELECT shows.

    What is an aggregate, a window or a column that is not shown becomes a hidden column.

    Args:
        select: the SELECT.
        schema: the columns that it shows.
        shown: what these are, over the columns of the FROM.
        groups: its groups.
        only_shown: whether nothing may be hidden, as beside DISTINCT.
    """

    def __init__(
        self,
        select: Select,
        schema: Schema,
        shown: Sequence[ResolvedExpression],
        groups: GroupReader | None = None,
        *,
        only_shown: bool = False,
    ) -> None:
        self.select = select
        self.shown = shown
        self.groups = groups
        self.width = len(shown)
        below = select.columns
        columns = (
            Columns(schema, below.outer) if only_shown else SortColumns(schema, below, self._hide)
        )
        super().__init__(select.queries, columns, select.reader.windows)
        self.below = select.reader if groups is None else groups.reader_of_having()
        self._only_shown = only_shown
        self._places = {unaliased(each): place for place, each in enumerate(shown)}

    def read(self, node: Any) -> ResolvedExpression:
        if isinstance(node, s.Operation | s.Function | s.CastTo):
            found = self.whole(node)
            if found is not None:
                return found
        return super().read(node)

    def whole(self, node: Any) -> ResolvedExpression | None:
        """What is shown, a key or an aggregate as a whole."""
        if type(node) is s.Function and (node.over is not None or _is_aggregate(self, node)):
            return self._place_or_hidden(self.below.read(node))
        if self.groups is None or self._says_shown(node):
            return None
        try:
            found = self.below.read(node)
        except ViewscribeError:
            return None
        if found in self._places:
            return self._reference(self._places[found])
        return self._hide(found) if self.groups.is_key(found) else None

    def _says_shown(self, node: Any) -> bool:
        """Whether a name in it means something shown that is not the column below of that name.

        What is shown comes first: ``SELECT -n AS n … GROUP BY -n ORDER BY -n`` sorts by n.
        """
        for each in s.every(node):
            if type(each) is not s.Name or len(each.parts) > 1:
                continue
            try:
                place = self.columns.schema.find(each.parts[0])
            except (UnknownColumnError, AmbiguousColumnError):
                continue  # then it is the column below
            try:
                below = self.below.read(each)
            except ViewscribeError:
                return True
            if unaliased(self.shown[place]) != below:
                return True
        return False

    def _place_or_hidden(self, expression: ResolvedExpression) -> ResolvedExpression:
        place = self._places.get(expression)
        return self._hide(expression) if place is None else self._reference(place)

    def _reference(self, place: int) -> FieldReference:
        return self.columns.schema.reference(place)

    def _hide(self, expression: ResolvedExpression) -> ResolvedExpression:
        place = self._places.get(expression)
        if place is not None:
            return self._reference(place)
        return self.select.hide(expression, self.width)


def _is_aggregate(reader: ExpressionReader, node: s.Function) -> bool:
    user = reader.queries.world.function(node.name)
    definition = user or find_built_in(node.name[-1])
    return definition is not None and definition.kind in _AGGREGATES
