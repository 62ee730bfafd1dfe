"""Expressions over what a SELECT shows and what it hides: the keys of ORDER BY."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import (
    AmbiguousColumnError,
    UnknownColumnError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import find, holds, is_query, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    FieldReference,
    Over,
    ResolvedExpression,
    SortOrder,
    strip_alias,
    with_columns,
)
from viewscribe.expressions.properties import is_deterministic, references_of
from viewscribe.expressions.schema import Schema
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import kind_of_call
from viewscribe.parser.checks import has_window
from viewscribe.parser.scopes import Columns, SortColumns, calling_functions, with_fields
from viewscribe.parser.values import ExpressionReader

if TYPE_CHECKING:
    from viewscribe.parser.checks import Item
    from viewscribe.parser.groups import GroupReader, HavingReader
    from viewscribe.parser.select import Select


# An order by what FROM gives, whatever the SELECT lists: the rows are sorted first.


def keys_below(
    keys: Sequence[SortOrder], shown: Sequence[ResolvedExpression], width: int
) -> list[SortOrder] | None:
    """The keys over the columns of FROM; none where one is of what an item computes.

    Args:
        keys: over what the SELECT shows and hides.
        shown: that, over the columns of FROM.
        width: how many of them are shown; the others are there for the order alone.
    """
    values = [strip_alias(each) for each in shown]
    if not all(is_deterministic(each) and not holds(each, Over) for each in values):
        return None

    def move(column: FieldReference) -> FieldReference:
        value = values[column.index]
        assert isinstance(value, FieldReference)
        return value

    found = []
    for key in keys:
        child = key.child
        if isinstance(child, FieldReference) and child.index >= width:
            below = values[child.index]
        else:
            used = references_of(child)
            plain = all(isinstance(values[place], FieldReference) for place in used.columns)
            if not plain or used.queries:
                return None
            below = with_columns(child, move)
        found.append(key.copy_with({"child": below}))
    return found


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


# What Spark's analyzer refuses over groups, though every name and type in it fits.
#
# Spark resolves HAVING and ORDER BY twice: over what SELECT shows, and over the groups. What is
# found in the first round stays, be it another thing than the groups know.

_OF_SETS = ("grouping", "grouping_id")
_OF_TIME = ("window", "session_window", "window_time")


class GroupChecks:
    """Checks a SELECT over groups.

    Args:
        select: the SELECT.
        groups: its groups.
        order: what reads its ORDER BY.
        has_sets: whether there are several sets of keys.
    """

    def __init__(
        self, select: Select, groups: GroupReader, order: OrderReader, *, has_sets: bool
    ) -> None:
        self.select = select
        self.groups = groups
        self.order = order
        self.has_sets = has_sets

    # -- items -----------------------------------------------------------------------------------

    def refuse_in_items(self, hidden: Sequence[ResolvedExpression]) -> None:
        """Refuses what Spark takes for a column that is no key.

        Args:
            hidden: what is computed beside the items.
        """
        for item in self.groups.items:
            if any(_windows_of_time(item.expression, self.groups.is_key)):
                how = "group by window_time(window(…)), or compute it in"
                raise self._window_time(item.node, how)
            self._refuse_window_over_key(item.expression, item.node)
        for each in hidden:
            self._refuse_window_over_key(each, self.select.node)

    def _refuse_window_over_key(self, expression: ResolvedExpression, node: Any) -> None:
        """In an aggregate over a window, Spark takes a key of sets for the column it was."""
        for over in find(expression, Over, skip=is_query) if self.has_sets else ():
            if _aggregates_a_key(over.call):
                raise self.select.queries.error(
                    node,
                    f"{over.call.function.name}() over a window is given a key of ROLLUP, CUBE or "
                    "GROUPING SETS",
                    "compute the window in a query around the groups",
                )

    # -- HAVING ----------------------------------------------------------------------------------

    def refuse_in_having(self, condition: ResolvedExpression) -> None:
        """Refuses keys in HAVING that Spark does not find, which only those of sets can be."""
        written = self.select.node.having
        if any(call.name[-1].lower() == "window_time" for call in calls_in(written)):
            raise self._window_time(written, "filter in")
        has_windows = any(has_window(item.expression) for item in self.groups.items)
        if has_windows:
            self._refuse_items_in_having(written)
        if not self.has_sets:
            return
        for call, names in self._grouping_calls([written]):
            if names and has_windows:
                raise self.select.queries.error(
                    call,
                    f"HAVING {call.name[-1]}() of a key beside a window function",
                    "filter in a query around the groups, and compute the window around that",
                )
            if not all(self._shown_as_it_is(each) for each in names):
                raise self.select.queries.error(
                    call,
                    f"HAVING {call.name[-1]}() of a key that SELECT does not show as it is",
                    "show the key, without an alias, or filter in a query around this one",
                )
        hidden = self._hidden_key(written)
        if hidden is not None and _is_left_to_resolve(written, condition):
            raise self.select.queries.error(
                hidden,
                f"HAVING calls or casts, and is on the key `{'.'.join(hidden.parts)}`, which "
                "SELECT does not show under its name",
                "show the key, or filter in a query around this one",
            )

    def _refuse_items_in_having(self, written: Any) -> None:
        """Beside windows, Spark takes a name for the item, or for neither; else for the column."""
        inside = self._inside_aggregates(written)
        reader = self.groups.reader_of_having()
        for each in s.every(written):
            if type(each) is not s.Name:
                continue
            reader.columns.inside = id(each) in inside
            named = [
                i
                for i in self.groups.items
                if each.parts[0].lower() in [name.lower() for name in i.names or ()]
            ]
            if any(item.expression != _read(reader, each) for item in named):
                raise self.select.queries.error(
                    each,
                    f"`{each.parts[0]}` in HAVING is a column and the alias of an item, beside a "
                    "window function",
                    "give the item another alias, or name the table before the column",
                )

    def _inside_aggregates(self, written: Any) -> set[int]:
        """The names inside of aggregates."""
        return {
            id(name)
            for call in calls_in(written)
            if is_aggregate(self.select.reader, call)
            for name in s.every((call.args, call.where, call.order))
        }

    def _hidden_key(self, written: Any) -> s.Name | None:
        """A name of a key, outside of aggregates, that nothing shown has, or another item."""
        inside = self._inside_aggregates(written)
        for each in s.every(written, sub_queries=False):
            if type(each) is not s.Name or each.parts[-1].lower() == "grouping__id":
                continue
            if id(each) not in inside and not self._is_shown(each):
                return each
        return None

    def _is_shown(self, name: s.Name) -> bool:
        """Whether a name means the same among the items as over the groups."""
        place = self._place(name)
        if place is None:
            return False
        item = self.groups.items[place]
        return not item.is_aliased or self.groups.reader_of_having().read(name) == item.expression

    # -- ORDER BY --------------------------------------------------------------------------------

    def refuse_in_order(self, having: ResolvedExpression | None) -> None:
        """Refuses aggregates in ORDER BY that Spark refuses there."""
        keys = [key.child for key in (*self.select.query.order, *self.select.query.sort)]
        needs_more = having is not None and self._needs_more(having)
        for call in calls_in(keys):
            if call.name[-1].lower() == "window_time":
                shown = all(self._shown_as_it_is(each) for each in call.args)
                if not shown and not (needs_more and self._is_of_key(call)):
                    raise self._window_time(call, "show the window as it is, or sort in")
            elif is_aggregate(self.select.reader, call):
                self._refuse_alias_inside(call)
                self._refuse_aggregate(call, needs_more=needs_more)
                self._refuse_key_inside(call)
        for call, names in self._grouping_calls(keys):
            self._refuse_renamed_key(call, names)

    def _refuse_key_inside(self, call: s.Function) -> None:
        """Refuses an aggregate of a key of sets, which is NULL to Spark 4.3 in totals.

        So it does where the same aggregate is an item, which is of the rows.
        """
        inside = calls_in((call.args, call.where, call.order))
        if any(each.name[-1].lower() == "window_time" for each in inside):
            raise self._window_time(call, "show it, or sort in")
        if not self.has_sets or call.name[-1].lower() in _OF_SETS:
            return
        if references_of(self.order.below.read(call)).columns & self.groups.columns_of_keys():
            raise self.select.queries.error(
                call,
                f"ORDER BY {call.name[-1]}() of a key of ROLLUP, CUBE or GROUPING SETS, which is "
                "NULL to Spark where the key is left out",
                "make it an item of the SELECT, and sort by its alias",
            )

    def _is_of_key(self, call: s.Function) -> bool:
        return all(self.groups.is_key(self.order.below.read(each)) for each in call.args)

    def _refuse_aggregate(self, call: s.Function, *, needs_more: bool) -> None:
        """Refuses an aggregate, shown or not, where Spark sorts what is made of the groups."""
        beside = None
        if self.select.node.distinct:
            beside = "DISTINCT"
        elif needs_more and call.name[-1].lower() not in _OF_SETS:
            beside = "HAVING with what SELECT does not show"
        if beside is not None:
            raise self.select.queries.error(
                call,
                f"ORDER BY an aggregate beside {beside}",
                "make it an item of the SELECT, and sort by its alias",
            )

    # -- QUALIFY ---------------------------------------------------------------------------------

    def refuse_in_qualify(self) -> None:
        """Refuses what Spark takes for no value of a group in QUALIFY."""
        written = self.select.node.qualify
        for each in s.every(written, sub_queries=False):
            if type(each) is s.Name and each.parts[-1].lower() == "grouping__id":
                raise self.select.queries.error(
                    each, "grouping__id cannot stand in QUALIFY", "show it under an alias"
                )
        for call in calls_in(written):
            if call.name[-1].lower() != "window_time":
                continue
            renamed = any(self._is_renamed(each) for each in call.args)
            if renamed or not self._is_of_key(call):
                raise self._window_time(call, "show it, or filter in")

    def _refuse_alias_inside(self, call: s.Function) -> None:
        """In ORDER BY, an alias comes before a column in the argument of an aggregate, too."""
        for each in s.every((call.args, call.where, call.order), sub_queries=False):
            if type(each) is not s.Name:
                continue
            place = self._place(each)
            if place is not None and self._item(place).is_aliased:
                name = ".".join(each.parts)
                raise self.select.queries.error(
                    each,
                    f"`{name}` in {call.name[-1]}() is an item of the SELECT in ORDER BY, not the "
                    "column",
                    "give the item another alias, or name the table before the column",
                )

    def _refuse_renamed_key(self, call: s.Function, names: Sequence[Any]) -> None:
        for each in names:
            key = self.order.below.read(each)
            if not isinstance(key, FieldReference) or self._is_renamed(each):
                raise self.select.queries.error(
                    call,
                    f"ORDER BY {call.name[-1]}() of a key that is computed, or shown under an "
                    "alias",
                    "make it an item of the SELECT, and sort by its alias",
                )

    def _needs_more(self, having: ResolvedExpression) -> bool:
        """Whether HAVING has an aggregate or a key that is no item: groups are made for it."""
        shown = {strip_alias(item.expression) for item in self.groups.items}
        pending = [having]
        while pending:
            node = pending.pop()
            if node in shown:
                continue
            if isinstance(node, AggregateCall | FieldReference) or self.groups.is_key(node):
                return True
            pending += [e for e in node.children() if isinstance(e, ResolvedExpression)]
        return False

    # -- names -----------------------------------------------------------------------------------

    def _grouping_calls(self, written: Any) -> Iterator[tuple[s.Function, Sequence[Any]]]:
        """The calls of GROUPING and GROUPING_ID, and what they are given."""
        for call in calls_in(written):
            if call.name[-1].lower() in _OF_SETS:
                yield call, call.args

    def _place(self, name: s.Name) -> int | None:
        """Which item a name means."""
        try:
            return self.order.columns.schema.find_path(name.parts)[0]
        except (UnknownColumnError, AmbiguousColumnError):
            return None

    def _item(self, place: int) -> Item:
        return self.groups.items[place]

    def _shown_as_it_is(self, node: Any) -> bool:
        """Whether a column is an item, without an alias."""
        place = self._place(node) if type(node) is s.Name else None
        return place is not None and not self._item(place).is_aliased

    def _is_renamed(self, node: Any) -> bool:
        """Whether a key is an item under an alias alone."""
        key = self.order.below.read(node)
        renamed = any(
            item.is_aliased and strip_alias(item.expression) == key for item in self.groups.items
        )
        return renamed and not self._shown_as_it_is(node)

    def _window_time(self, node: Any, what: str) -> Exception:
        return self.select.queries.error(
            node,
            "a window of time, or its window_time(), is no value of a group if it is no key",
            f"{what} a query around this one",
        )


def _read(reader: HavingReader, name: s.Name) -> ResolvedExpression | None:
    """What the first part of a name means; None if it has no meaning there."""
    try:
        return strip_alias(reader.read(s.Name(name.at, name.parts[:1])))
    except ViewscribeError:
        return None


def _aggregates_a_key(call: AggregateCall) -> bool:
    """Whether an aggregate has a column in it that no aggregate of the groups has."""
    if call.function.kind is not FunctionKind.AGGREGATE:
        return False
    return any(
        isinstance(node, FieldReference)
        for child in call.children()
        for node in preorder(child, skip=lambda node: isinstance(node, AggregateCall))
    )


def _windows_of_time(
    root: ResolvedExpression, is_key: Callable[[ResolvedExpression], bool]
) -> Iterator[Call]:
    """The calls of windows of time outside of aggregates, if they are in no key."""
    calls = [
        each
        for each in find(root, Call, skip=lambda node: isinstance(node, AggregateCall))
        if each.function.built_in_name in _OF_TIME
    ]
    if calls and not is_key(strip_alias(root)):
        below = [each for each in root.children() if isinstance(each, ResolvedExpression)]
        yield from (each for each in calls if each is root)
        for child in below:
            if not isinstance(child, AggregateCall):
                yield from _windows_of_time(child, is_key)


_CASTING = ("/", "div", "between")


def _is_left_to_resolve(written: Any, condition: ResolvedExpression) -> bool:
    """Whether Spark needs another round for it: it calls functions, or casts operands."""
    for node in s.every(written, sub_queries=False):
        if type(node) is s.Function:
            return True
        if type(node) is s.Operation and node.name.lower() in _CASTING:
            return True
    return any(
        not each.type.same_type(node.args[0].type)
        for node in find(condition, Call, skip=is_query)
        for each in node.args[1:]
    )
