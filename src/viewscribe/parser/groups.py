"""Resolves GROUP BY and HAVING: all forms of keys, and names over groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any

from viewscribe.errors import TypeMismatchError, UnknownColumnError, ViewscribeError
from viewscribe.expressions.equivalence import Equivalence
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.nodes import (
    AggregateCall,
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import references_of
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import output_name
from viewscribe.parser.calls import ShownByClassError, kind_of_call
from viewscribe.parser.checks import arguments_of, has_aggregate, has_window, keys_of
from viewscribe.parser.queries import place_of
from viewscribe.parser.scopes import Columns, with_fields
from viewscribe.parser.values import ExpressionReader
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES

if TYPE_CHECKING:
    from viewscribe.parser.checks import Item
    from viewscribe.parser.select import Select

MOST_IN_SETS = 100_000
"""How many grouping sets there may be, with the keys in all of them: each set is listed."""


class GroupReader:
    """Resolves the grouping keys of a SELECT, and expressions over its groups.

    Args:
        select: the SELECT.
        items: its items.
    """

    def __init__(self, select: Select, items: Sequence[Item]) -> None:
        self.select = select
        self.items = items
        by_alias = select.queries.reading.group_aliases
        columns = _KeyColumns(select.columns, items, by_alias=by_alias)
        self.reader = ExpressionReader(select.queries, columns, select.reader.windows)
        self.reader.shows_names = False
        self._keys: list[ResolvedExpression] = []
        self._same = Equivalence()  # a + b is the key that b + a is
        self._numbers: set[int] = set()
        self.written: list[ResolvedExpression] = []
        """The keys that GROUP BY lists, where it lists keys alone."""

    def keys(self, node: s.GroupBy | None) -> GroupingKeys:
        """Resolves the grouping of a SELECT; without keys, it is a total."""
        if node is None:
            return GroupingKeys(())
        if node.every and not self._is_all(node):
            return self._every(node)
        if node.every:
            return self._made([self._key(s.Name(node.at, ("all",)))], n.Grouping.SIMPLE)
        if node.sets:
            return self._sets(node, [self._set(each) for each in node.sets], node.keys)
        grouping = [each for each in node.keys if isinstance(each, s.GroupingSets)]
        if not grouping:
            self.written = [self._key(each) for each in node.keys]
            return self._made(_once(self.written), n.Grouping.SIMPLE)
        if len(node.keys) == 1:
            return self._only(node, grouping[0])
        return self._cross(node)

    def _is_all(self, node: s.GroupBy) -> bool:
        """Whether ALL is a column, or the alias of an item."""
        columns = self.reader.columns
        return columns.find_here(("all",)) is not None or _item_named("all", self.items) is not None

    def _only(self, node: s.GroupBy, grouping: s.GroupingSets) -> GroupingKeys:
        plain = all(len(each) == 1 for each in grouping.sets)
        if grouping.kind in ("ROLLUP", "CUBE") and plain:
            keys = [self._key(each) for (each,) in grouping.sets]
            if len({self._number(key) for key in keys}) == len(keys):
                kind = n.Grouping.ROLLUP if grouping.kind == "ROLLUP" else n.Grouping.CUBE
                return self._made(keys, kind)
        return self._cross(node)

    def _cross(self, node: s.GroupBy) -> GroupingKeys:
        """Returns the cross product of the grouping elements."""
        count, keys = _count_sets(node.keys)
        if count + keys > MOST_IN_SETS:
            raise self.select.queries.error(
                node,
                f"the grouping sets are {_shown(count)}, with {_shown(keys)} keys in all; sets "
                f"and keys together may be {MOST_IN_SETS:,}",
                hint="group by fewer sets, or by one CUBE or ROLLUP of columns",
            )
        parts = [self._alternatives(each) for each in node.keys]
        return self._of_sets([_flat(chosen) for chosen in product(*parts)])

    def _alternatives(self, node: Any) -> list[list[ResolvedExpression]]:
        """Returns the grouping sets of a key, ROLLUP, CUBE or GROUPING SETS."""
        if not isinstance(node, s.GroupingSets):
            return [[self._key(node)]]
        if node.kind == "SETS":
            found: list[list[ResolvedExpression]] = []
            for each in node.sets:
                if len(each) == 1 and isinstance(each[0], s.GroupingSets):
                    found += self._alternatives(each[0])
                else:
                    found.append(self._set(each))
            return found
        units = [self._set(each) for each in node.sets]
        if node.kind == "ROLLUP":
            return [_flat(units[:count]) for count in range(len(units), -1, -1)]
        masks = range(2 ** len(units) - 1, -1, -1)
        width = len(units)
        return [
            _flat([unit for place, unit in enumerate(units) if mask >> (width - 1 - place) & 1])
            for mask in masks
        ]

    def _set(self, nodes: Sequence[Any]) -> list[ResolvedExpression]:
        return [self._key(each) for each in nodes]

    def _sets(
        self, node: s.GroupBy, sets: list[list[ResolvedExpression]], keys: Sequence[Any]
    ) -> GroupingKeys:
        """``GROUP BY a, b GROUPING SETS (…)``: the keys are named before the sets."""
        return self._of_sets(sets, _once([self._key(each) for each in keys]))

    def _of_sets(
        self, sets: list[list[ResolvedExpression]], named: Sequence[ResolvedExpression] = ()
    ) -> GroupingKeys:
        keys = {self._number(key): key for key in named}
        numbers = {id(key): self._number(key) for members in sets for key in members}
        for members in sets:
            for key in members:
                keys.setdefault(numbers[id(key)], key)
        places = {number: place for place, number in enumerate(keys)}
        found = [dict.fromkeys(places[numbers[id(key)]] for key in members) for members in sets]
        return self._made([*keys.values()], n.Grouping.SETS, tuple(map(tuple, found)))

    def _every(self, node: s.GroupBy) -> GroupingKeys:
        """Expands ``GROUP BY ALL`` to the items without an aggregate."""
        keys = []
        for item in self.items:
            if not item.aggregates:
                self._refuse_lateral(node, item)
            keys += keys_of(item)
        for key in keys:
            self._refuse_key(node, key)
        return self._made(_once(keys), n.Grouping.SIMPLE)

    def _made(
        self,
        keys: list[ResolvedExpression],
        kind: n.Grouping,
        sets: tuple[tuple[int, ...], ...] = (),
    ) -> GroupingKeys:
        self._keys = keys
        self._numbers = {self._number(key) for key in keys}
        return GroupingKeys(keys, kind, sets)

    def _number(self, key: ResolvedExpression) -> int:
        return self._same.number(strip_alias(key))

    def _key(self, node: Any) -> ResolvedExpression:
        place = place_of(node) if self.select.queries.reading.group_places else None
        if place is not None:
            if not 1 <= place <= len(self.items):
                raise self.select.queries.error(
                    node, f"there is no item {place}: the SELECT has {len(self.items)}"
                )
            if any(isinstance(each, s.StarOf) for each in self.select.node.items):
                raise self.select.queries.error(node, "a place in a SELECT with `*` is no key")
            item = self.items[place - 1]
            found = item.expression
            self._refuse_lateral(node, item)
            if item.is_generator:
                return self._read_generator(node, item)
        else:
            columns = self.reader.columns
            assert isinstance(columns, _KeyColumns)
            columns.met = []
            found = strip_alias(self.reader.read(node))
            for item in columns.met:
                self._refuse_lateral(node, item)
        self._refuse_key(node, found)
        if isinstance(found, FieldReference):
            return found
        if place is not None:
            return alias(found, (self.items[place - 1].names or ("key",))[0])
        try:
            return alias(found, output_name(self.reader, node))
        except ShownByClassError:
            return alias(found, "key")

    def _refuse_key(self, node: Any, key: ResolvedExpression) -> None:
        for has, what in ((has_aggregate, "an aggregate"), (has_window, "a window")):
            if has(key):
                raise self.select.queries.error(node, f"{what} function cannot be a grouping key")
        try:
            build.require_groupable(key)
        except ViewscribeError as error:
            raise self.reader.located(error, node) from None

    def _refuse_lateral(self, node: Any, item: Item) -> None:
        if item.is_lateral:
            raise self.select.queries.error(
                node,
                "a grouping key uses the alias of another item",
                "write out what the alias stands for",
            )

    def _read_generator(self, node: Any, item: Item) -> ResolvedExpression:
        """What the generator at a place makes its rows of, which is what the place means."""
        args = arguments_of(item)
        if len(args) != 1:
            raise self.select.queries.error(node, "the place of a generator is no key")
        self._refuse_key(node, args[0])
        return args[0] if isinstance(args[0], FieldReference) else alias(args[0], "_gen_input_0")

    # -- over groups -----------------------------------------------------------------------------

    def is_key(self, expression: ResolvedExpression) -> bool:
        """Whether an expression is a grouping key: ``a + 1`` is the key that ``1 + a`` is."""
        return self._same.number(expression) in self._numbers

    def columns_of_keys(self) -> set[int]:
        """The columns that are in a grouping key."""
        return {column for key in self._keys for column in references_of(key).columns}

    def means_aliases(self, condition: ResolvedExpression) -> bool:
        """Whether HAVING names columns that have no value in a group, and no key that has parts.

        An alias of such a name is meant then: ``upper(s) AS y, count(*) AS s … HAVING s > 1``.
        """
        loose = False
        pending: list[ResolvedExpression] = [condition]
        seen: set[int] = set()
        while pending:
            node = pending.pop()
            if id(node) in seen or isinstance(node, AggregateCall):
                continue
            seen.add(id(node))
            if self.is_key(node):
                if not isinstance(node, FieldReference):
                    return False
                continue
            loose = loose or isinstance(node, FieldReference)
            pending += [e for e in node.children() if isinstance(e, ResolvedExpression)]
        return loose

    def reader_of_having(self, *, whole_keys: bool = False) -> HavingReader:
        """Reads over groups: a name is a column that has a value in a group, or else an alias.

        Args:
            whole_keys: whether only keys that are columns have such values.
        """
        grouped: set[int] = set()
        for key in map(strip_alias, self._keys):
            if not whole_keys or isinstance(key, FieldReference):
                grouped |= references_of(key).columns
        columns = _HavingColumns(self.select.columns, self.items, grouped)
        return HavingReader(self.select.queries, columns, self.select.reader.windows)


class _KeyColumns(Columns):
    """The columns in scope of GROUP BY: those of FROM, then the aliases of items."""

    def __init__(self, below: Columns, items: Sequence[Item], *, by_alias: bool = True) -> None:
        super().__init__(
            below.whole,
            below.outer,
            width=len(below.schema),
            time_windows=below.time_windows,
            operation=below.operation,
        )
        self.items = items
        self.by_alias = by_alias
        self.met: list[Item] = []
        """The items that were called by their aliases."""

    def find_beside(self, parts: Sequence[str]) -> ResolvedExpression | None:
        if len(parts) == 1 and self.by_alias:
            found = _item_named(parts[0], self.items)
            if found is not None and not found.is_generator:  # its rows are made of the groups
                self.met.append(found)
                return found.expression
        return super().find_beside(parts)


class _HavingColumns(_KeyColumns):
    """The columns in scope of HAVING; inside aggregates, those of FROM."""

    def __init__(self, below: Columns, items: Sequence[Item], grouped: set[int]) -> None:
        super().__init__(below, items)
        self.grouped = grouped
        self.inside = False

    def find_here(self, parts: Sequence[str]) -> ResolvedExpression | None:
        try:
            found = super().find_here(parts)
        except (UnknownColumnError, TypeMismatchError):  # no such field: of an alias, perhaps
            item = _item_named(parts[0], self.items)
            if self.inside or item is None:
                raise
            return with_fields(item.expression, parts[1:])
        if self.inside or len(parts) > 1:
            return found
        if found is None:  # an alias comes before a function of its name
            item = _item_named(parts[0], self.items)
            called = item is not None and parts[0].lower() in CALLED_WITHOUT_PARENTHESES
            return item.expression if item is not None and called else None
        if references_of(found).columns <= self.grouped:
            return found
        item = _item_named(parts[0], self.items)
        return found if item is None else item.expression


class HavingReader(ExpressionReader):
    """Resolves HAVING, and knows when it is inside an aggregate."""

    columns: _HavingColumns

    def call(self, node: s.Function) -> ResolvedExpression:
        before, self.columns.inside = self.columns.inside, True
        try:
            self.columns.inside = before or self._aggregates(node)
            return super().call(node)
        finally:
            self.columns.inside = before

    def _aggregates(self, node: s.Function) -> bool:
        """Whether it is an aggregate, or nobody knows; a session is asked of columns of rows."""
        kind = kind_of_call(self, node)
        return kind is None or kind is FunctionKind.AGGREGATE


def _item_named(name: str, items: Sequence[Item]) -> Item | None:
    found = [
        item
        for item in items
        if item.names and len(item.names) == 1 and item.names[0].lower() == name.lower()
    ]
    return found[0] if len(found) == 1 else None


def _once(keys: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
    """Returns the keys without duplicates."""
    found: dict[ResolvedExpression, ResolvedExpression] = {}
    for key in keys:
        found.setdefault(strip_alias(key), key)
    return list(found.values())


def _count_sets(elements: Sequence[Any]) -> tuple[int, int]:
    """How many sets the product of grouping elements has, and how many keys all these have."""
    sets, keys = 1, 0
    for each in elements:
        more, within = _count_alternatives(each)
        sets, keys = sets * more, keys * more + within * sets
    return sets, keys


def _count_alternatives(node: Any) -> tuple[int, int]:
    if not isinstance(node, s.GroupingSets):
        return 1, 1
    if node.kind == "SETS":
        counts = [_count_sets(each) for each in node.sets]
        return sum(sets for sets, _ in counts), sum(keys for _, keys in counts)
    widths = [len(each) for each in node.sets]
    if node.kind == "ROLLUP":
        return len(widths) + 1, sum(accumulate(widths))
    return 2 ** len(widths), sum(widths) * 2 ** len(widths) // 2


def _shown(count: int) -> str:
    return f"{count:,}" if count < 10**12 else "over a trillion"


def _flat(units: Sequence[list[ResolvedExpression]]) -> list[ResolvedExpression]:
    return [key for unit in units for key in unit]
