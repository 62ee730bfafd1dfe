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
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.schema import Schema
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import kind_of_call
from viewscribe.parser.checks import has_window
from viewscribe.parser.scopes import Columns, SortColumns, calling_functions, with_fields
from viewscribe.parser.values import ExpressionReader

if TYPE_CHECKING:
    from viewscribe.parser.groups import GroupReader
    from viewscribe.parser.items import Item
    from viewscribe.parser.select import Select

_AGGREGATES = (FunctionKind.AGGREGATE, FunctionKind.WINDOW)


class _Shown:
    """What a SELECT shows; what is none of it becomes a hidden column.

    It knows no reader: one that its own columns led back to would be garbage that only Python's
    cycle collector finds, a tenth of the time in which thousands of texts are read.
    """

    def __init__(
        self,
        select: Select,
        schema: Schema,
        shown: Sequence[ResolvedExpression],
        only_shown: bool,
    ) -> None:
        self._select = select
        self._only_shown = only_shown
        self._schema = schema
        self._width = len(shown)
        self._places = {strip_alias(each): place for place, each in enumerate(shown)}

    def find(self, expression: ResolvedExpression) -> FieldReference | None:
        place = self._places.get(expression)
        return None if place is None else self._schema.reference(place)

    def find_or_hide(self, expression: ResolvedExpression) -> ResolvedExpression:
        found = self.find(expression)
        if found is not None:
            return found
        if self._only_shown:
            raise ValidationError(
                "HAVING, QUALIFY and ORDER BY see only what is shown beside DISTINCT or a "
                "generator of groups",
                hint="make it an item of the SELECT, or aggregate in a query of its own",
            )
        return self._select.hide(expression, self._schema.names[: self._width])


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
        self._known = _Shown(select, schema, shown, only_shown)
        names = [field.name for field in schema.fields]
        below = calling_functions(select.columns, names)
        columns = (
            Columns(schema, below.outer)
            if only_shown
            else SortColumns(
                schema, below, self._known.find_or_hide, _items_of_windows(names, shown)
            )
        )
        super().__init__(select.queries, columns, select.reader.windows)
        if groups is None:
            self.below = ExpressionReader(select.queries, below, self.windows)
        else:
            self.below = groups.reader_of_having()
            self.below.columns.functions = below.functions
        self.only_names = False

    def read(self, node: object) -> ResolvedExpression:
        if self.is_set_number(node):
            if self.groups is None:
                raise self.queries.error(
                    node,
                    "grouping__id is of the groups of ROLLUP, CUBE or GROUPING SETS",
                    "show it, and sort by its alias",
                )
            return self.find_or_hide(self.below.read(node))
        if isinstance(node, s.Operation | s.Function | s.CastTo):
            found = self.whole(node)
            if found is not None:
                return found
        return super().read(node)

    def whole(self, node: object) -> ResolvedExpression | None:
        """What is shown, a key or an aggregate as a whole."""
        own = self.select.reader  # which hides no column when it is asked
        if type(node) is s.Function and (node.over is not None or is_aggregate(own, node)):
            return self.find_or_hide(self.below.read(node))
        if self.groups is None or self.only_names or self._says_shown(node):
            return None
        try:
            found = self.below.read(node)
        except ViewscribeError:
            return None
        if self.groups.is_key(found):
            return self.find_or_hide(found)
        return self._known.find(found)

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

    def find_or_hide(self, expression: ResolvedExpression) -> ResolvedExpression:
        """What is shown, or a hidden column of the expression."""
        return self._known.find_or_hide(expression)


def _items_of_windows(
    names: Sequence[str], shown: Sequence[ResolvedExpression]
) -> dict[str, set[ResolvedExpression]]:
    """What is shown under each name, in lower case, that a window function has among the items."""
    found: dict[str, set[ResolvedExpression]] = {}
    for name, each in zip(names, shown, strict=False):
        found.setdefault(name.lower(), set()).add(strip_alias(each))
    return {name: items for name, items in found.items() if any(map(has_window, items))}


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
    return kind_of_call(reader, node) in _AGGREGATES
