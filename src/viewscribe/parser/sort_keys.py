"""Expressions over what a SELECT shows and what it hides: the keys of ORDER BY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import (
    AmbiguousColumnError,
    UnknownColumnError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.schema import Schema
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import has_window
from viewscribe.parser.scopes import Columns, SortColumns, calling_functions, with_fields
from viewscribe.parser.values import ExpressionReader

if TYPE_CHECKING:
    from viewscribe.parser.groups import GroupReader
    from viewscribe.parser.items import Item
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
        only_names: whether no key is known as a whole, as Spark has it over windows over groups.
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
        names = [field.name for field in schema.fields]
        below = calling_functions(select.columns, names)
        columns = (
            Columns(schema, below.outer) if only_shown else SortColumns(schema, below, self.hide)
        )
        super().__init__(select.queries, columns, select.reader.windows)
        if groups is None:
            self.below = ExpressionReader(select.queries, below, self.windows)
        else:
            self.below = groups.reader_of_having()
            self.below.columns.functions = below.functions
        self.only_names = False
        self.only_shown = only_shown
        self._places = {strip_alias(each): place for place, each in enumerate(shown)}

    def read(self, node: object) -> ResolvedExpression:
        if self.is_set_number(node):
            if self.groups is None:
                raise self.queries.error(
                    node,
                    "grouping__id is of the groups of ROLLUP, CUBE or GROUPING SETS",
                    "show it, and sort by its alias",
                )
            return self.place_or_hidden(self.below.read(node))
        if isinstance(node, s.Operation | s.Function | s.CastTo):
            found = self.whole(node)
            if found is not None:
                return found
        return super().read(node)

    def whole(self, node: object) -> ResolvedExpression | None:
        """What is shown, a key or an aggregate as a whole."""
        if type(node) is s.Function and (node.over is not None or is_aggregate(self, node)):
            return self.place_or_hidden(self.below.read(node))
        if self.groups is None or self.only_names or self._says_shown(node):
            return None
        try:
            found = self.below.read(node)
        except ViewscribeError:
            return None
        if found in self._places:
            return self._reference(self._places[found])
        return self.hide(found) if self.groups.is_key(found) else None

    def is_set_number(self, node: Any) -> bool:
        """Whether this is ``grouping__id``, and no column of that name."""
        if type(node) is not s.Name or node.parts[-1].lower() != "grouping__id":
            return False
        return len(node.parts) == 1 and self.columns.find_here(node.parts) is None

    def _says_shown(self, node: Any) -> bool:
        """Whether a name in it means something shown that is not the column below of that name.

        What is shown comes first: ``SELECT -n AS n … GROUP BY -n ORDER BY -n`` sorts by n. So does
        a field of it: ``t.n`` is one where a struct is called like the table.
        """
        for each in s.every(node):
            if type(each) is not s.Name:
                continue
            try:
                place, fields = self.columns.schema.find_path(each.parts)
            except (UnknownColumnError, AmbiguousColumnError):
                continue  # then it is the column below
            try:
                below = self.below.read(each)
                shown = with_fields(strip_alias(self.shown[place]), fields)
            except ViewscribeError:
                return True
            if shown != below:
                return True
        return False

    def place_or_hidden(self, expression: ResolvedExpression) -> ResolvedExpression:
        place = self._places.get(expression)
        return self.hide(expression) if place is None else self._reference(place)

    def _reference(self, place: int) -> FieldReference:
        return self.columns.schema.reference(place)

    def hide(self, expression: ResolvedExpression) -> ResolvedExpression:
        place = self._places.get(expression)
        if place is not None:
            return self._reference(place)
        if self.only_shown:
            raise ValidationError(
                "HAVING, QUALIFY and ORDER BY see only what is shown beside DISTINCT or a "
                "generator of groups",
                hint="make it an item of the SELECT, or aggregate in a query of its own",
            )
        return self.select.hide(expression, self.columns.schema.names[: self.width])


def refuse_without_groups(select: Select) -> None:
    """Refuses keys of ORDER BY that are made of several rows."""
    for each in calls_in([key.child for key in (*select.query.order, *select.query.sort)]):
        if each.over is not None or is_aggregate(select.reader, each):
            raise select.queries.error(
                each,
                "ORDER BY takes no aggregate without groups, and no window",
                "show it, and sort by its alias",
            )


def refuse_over_groups(select: Select, items: Sequence[Item]) -> None:
    """Refuses keys of ORDER BY that Spark does not find over groups."""
    has_windows = any(has_window(item.expression) for item in items)
    has_lateral = any(item.is_lateral for item in items)
    for each in calls_in([key.child for key in (*select.query.order, *select.query.sort)]):
        if each.over is not None:
            raise select.queries.error(
                each, "a window function over groups cannot stand in ORDER BY", "show it"
            )
        counts_rows = not any(type(part) is s.Name for part in s.every(each.args))
        if is_aggregate(select.reader, each) and (has_windows or (has_lateral and counts_rows)):
            beside = "a window function" if has_windows else "an item that uses an alias"
            raise select.queries.error(
                each, f"ORDER BY an aggregate beside {beside}", "show it, and sort by its alias"
            )


def calls_in(written: object) -> list[s.Function]:
    """The calls in something written, not those of its sub-queries."""
    return [each for each in s.every(written, sub_queries=False) if type(each) is s.Function]


def is_aggregate(reader: ExpressionReader, node: s.Function) -> bool:
    """Whether a call is one of an aggregate, or of a function over windows."""
    if not node.name[-1]:
        return False  # a row of values between parentheses
    user = reader.queries.world.function(node.name)
    definition = user or find_built_in(node.name[-1])
    return definition is not None and definition.kind in _AGGREGATES
