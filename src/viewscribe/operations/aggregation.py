"""Builds aggregations from items that have keys and aggregate calls anywhere inside.

``group_by(k).select(k, F.sum(x) / F.count())`` becomes an ``Aggregate`` that outputs the key, the
sum and the count, and a ``Project`` above it that divides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.equivalence import Equivalence, may_be_reordered
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Literal,
    Over,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    strip_alias,
    with_outer_columns,
)
from viewscribe.expressions.resolve.scope import KeyNames
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

# Which grouping key an expression is.


class PlacesOfKeys:
    """Which key an expression is, where the order of operands is all the same."""

    def __init__(self, keys: Sequence[ResolvedExpression]) -> None:
        self._keys = tuple(map(strip_alias, keys))
        # Most keys are columns, for which there is no need to compare expressions.
        self._by_column: dict[int, int] = {}
        self._by_expression: dict[ResolvedExpression, int] = {}
        for place, key in enumerate(self._keys):
            if type(key) is FieldReference:
                self._by_column.setdefault(key.index, place)
            else:
                self._by_expression.setdefault(key, place)
        self._equivalence = Equivalence() if may_be_reordered(self._by_expression) else None
        self._by_number: dict[int, int] = {}
        if self._equivalence is not None:
            for key, place in self._by_expression.items():
                self._by_number.setdefault(self._equivalence.number(key), place)

    def find(self, expression: ResolvedExpression) -> int | None:
        """The place of the first key that the expression is, or None."""
        if type(expression) is FieldReference:
            return self._by_column.get(expression.index)
        if not self._by_expression:
            return None
        place = self._by_expression.get(expression)
        if place is None and self._equivalence is not None:
            return self._by_number.get(self._equivalence.number(expression))
        return place

    def first_places(self) -> list[int]:
        """For each key the place of the first that is the same one to Spark."""
        if self._equivalence is None:
            same: list[object] = [*self._keys]
        else:
            same = [*map(self._equivalence.number, self._keys)]
        first: dict[object, int] = {}
        return [first.setdefault(each, place) for place, each in enumerate(same)]


MOST_KEYS_OF_SETS = 64
"""Spark numbers the sets of keys with a bit for each key, in a BIGINT."""


class GroupingKeys:
    """The resolved keys of a ``group_by`` and the way they form groups."""

    def __init__(
        self,
        keys: Sequence[ResolvedExpression],
        grouping: n.Grouping = n.Grouping.SIMPLE,
        sets: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        if not keys:  # a total, whatever it is called
            if len(sets) > 1:
                raise ValidationError(
                    f"GROUPING SETS of {len(sets)} empty sets, and no key in any",
                    hint="aggregate without groups, and union the total as often as it is wanted",
                )
            grouping, sets = n.Grouping.SIMPLE, ()
        if grouping is not n.Grouping.SIMPLE and len(keys) > MOST_KEYS_OF_SETS:
            raise ValidationError(
                f"{len(keys)} keys of ROLLUP, CUBE or GROUPING SETS: Spark takes "
                f"{MOST_KEYS_OF_SETS}",
                hint="group by fewer keys",
            )
        self.keys = tuple([_name_item(key) for key in keys])
        self.grouping = grouping
        self.sets = sets

    def names(self) -> KeyNames:
        """Returns the names that users gave to keys, for resolving items above the groups."""
        return KeyNames({key.name.lower(): key for key in self.keys if type(key) is Alias})


def aggregate_select(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression] | GroupingKeys,
    items: Sequence[ResolvedExpression],
    names: KeyNames | None = None,
    having: ResolvedExpression | None = None,
) -> QueryOperation:
    """Builds an Aggregate and the Project above it that outputs exactly ``items``.

    Args:
        child: the input.
        keys: the grouping keys.
        items: the select items, over the columns of ``child``.
        names: names by which items may refer to keys, from ``GroupingKeys.names``.
        having: the condition for groups, over the columns of ``child``.
    """
    grouping = keys if isinstance(keys, GroupingKeys) else GroupingKeys(keys)
    split = _Splitter(grouping, names)
    outputs = [split.output(item) for item in items]
    split.refuse_double_names()
    condition = None if having is None else split.rewrite(having)
    if not (grouping.keys or split.aggregates):  # constants alone do not say that it is one row
        split.rewrite(_count())
    aggregate = n.Aggregate.of(
        child, grouping.keys, tuple(split.aggregates), grouping.grouping, grouping.sets
    )
    kept: QueryOperation = aggregate
    if condition is not None:
        kept = n.Filter.of(aggregate, _retype([condition], aggregate)[0])
    return n.Project.of(kept, tuple(_retype(outputs, aggregate)))


def check_grouping_calls(grouping: GroupingKeys, items: Sequence[ResolvedExpression]) -> None:
    """Refuses GROUPING and GROUPING_ID where there are no grouping sets, or of what is no key.

    Raises:
        ValidationError: says which, and what to do.
    """
    for call in _find_grouping_calls(items):
        _check_grouping_call(call, grouping)


def _check_grouping_call(call: AggregateCall, grouping: GroupingKeys) -> None:
    if grouping.grouping is n.Grouping.SIMPLE:
        raise ValidationError(
            f"{call.function.name}() needs ROLLUP, CUBE or GROUPING SETS",
            hint="group by one of these",
        )
    places = PlacesOfKeys(grouping.keys)
    found = [places.find(strip_alias(argument)) for argument in call.args]
    if None in found:
        given = call.args[found.index(None)].as_summary_string()
        raise ValidationError(
            f"{call.function.name}() is of grouping keys, and {given} is none",
            hint="give it a key of ROLLUP, CUBE or GROUPING SETS as it is written there",
        )
    is_id = call.function.built_in_name == "grouping_id"
    if is_id and found and found != [*range(len(grouping.keys))]:
        raise ValidationError(
            "grouping_id() is of all grouping keys, in the order of the groups",
            hint="write grouping_id(), or use grouping() of one key",
        )


def _find_grouping_calls(items: Sequence[ResolvedExpression]) -> list[AggregateCall]:
    """The calls of GROUPING and GROUPING_ID, in order; leaves, which most nodes are, are passed."""
    found = []
    seen: set[int] = set()
    pending: list[Node] = [item for item in reversed(items) if not _is_of_columns(item)]
    while pending:
        node = pending.pop()
        if id(node) in seen or node.is_query:
            continue
        seen.add(id(node))
        if type(node) is AggregateCall and node.function in _OF_SETS:
            found.append(node)
        if node.child_fields:
            pending += [child for child in reversed(node.children()) if child.child_fields]
    return found


def _is_of_columns(item: ResolvedExpression) -> bool:
    """Whether it is a column, or an aggregate of columns as most are: seen without a walk."""
    found = strip_alias(item)
    if type(found) is not AggregateCall or found.filter is not None or found.order_by:
        return not found.child_fields
    if found.function in _OF_SETS:
        return False
    return not any(each.child_fields for each in found.args)


_OF_SETS = (built_in("grouping"), built_in("grouping_id"))


def _count() -> AggregateCall:
    count, one = built_in("count"), literal(1)
    return AggregateCall(count, (one,), count.infer((one,)))


def aggregate(
    child: QueryOperation,
    keys: Sequence[ResolvedExpression] | GroupingKeys,
    items: Sequence[ResolvedExpression],
    names: KeyNames | None = None,
) -> QueryOperation:
    """Builds PySpark's ``groupBy(…).agg(…)``: the keys, then the items."""
    grouping = keys if isinstance(keys, GroupingKeys) else GroupingKeys(keys)
    plain = all(type(strip_alias(item)) is AggregateCall for item in items)
    different = {n.output_name(item).lower() for item in (*grouping.keys, *items)}
    if plain and len(different) == len(grouping.keys) + len(items):
        check_grouping_calls(grouping, items)
        split = _Splitter(grouping, names)
        aggregates = tuple([_name_item(split.without_names(item)) for item in items])
        return n.Aggregate.of(child, grouping.keys, aggregates, grouping.grouping, grouping.sets)
    return aggregate_select(child, grouping, [*grouping.keys, *items], names)


def _name_item(expression: ResolvedExpression) -> ResolvedExpression:
    """Returns the expression under its output name."""
    if type(expression) is FieldReference or type(expression) is Alias:
        return expression
    return alias(expression, n.output_name(expression))


def with_key_columns(
    aggregate_: ResolvedExpression,
    keys: Sequence[ResolvedExpression],
    columns: Sequence[ResolvedExpression],
) -> ResolvedExpression:
    """The aggregate over keys that have become columns: GROUPING and GROUPING_ID name them."""
    places = PlacesOfKeys(keys)

    def column(argument: ResolvedExpression) -> ResolvedExpression:
        place = places.find(strip_alias(argument))
        return argument if place is None else columns[place]

    def step(node: Node) -> Node:
        if not isinstance(node, AggregateCall) or node.function not in _OF_SETS:
            return node
        return node.copy_with({"args": tuple(map(column, node.args))})

    replaced = replace(aggregate_, step)
    assert isinstance(replaced, ResolvedExpression)
    return replaced


_NAMING = frozenset(("struct", "arrays_zip"))
"""Functions that call fields after their arguments."""


class _Splitter:
    """Splits expressions at their aggregate calls and grouping keys."""

    def __init__(self, grouping: GroupingKeys, names: KeyNames | None = None) -> None:
        self.grouping = grouping
        self.keys = grouping.keys
        self.names = names
        # Names that are a column's and a key's: as which of them the items used them.
        self.keys_meant: set[str] = set()
        self.columns_meant: set[str] = set()
        self.places_of_keys = PlacesOfKeys(grouping.keys)
        self.aggregates: list[ResolvedExpression] = []
        self.places: dict[AggregateCall, int] = {}
        # The first call of each function: with no second one there is nothing to compare it to.
        self.alone: dict[FunctionDefinition, tuple[AggregateCall, int] | None] = {}
        self.taken = {n.output_name(key).lower() for key in grouping.keys}
        # What each expression became, which several items share: kept alive, or ids are reused.
        self.rewritten: dict[int, tuple[ResolvedExpression, ResolvedExpression]] = {}

    def output(self, item: ResolvedExpression) -> ResolvedExpression:
        """Rewrites the item over the columns of the aggregate, under its own name."""
        name = self._path_of_key(item) or n.output_name(item)
        rewritten = self.rewrite(strip_alias(item), preferred=name)
        return alias(rewritten, name)

    def _path_of_key(self, item: ResolvedExpression) -> str | None:
        """``k.f`` where the item is that field of the key named ``k``."""
        fields: list[str] = []
        while type(item) is Call and item.function is op.GET_FIELD:
            field = item.args[1]
            assert isinstance(field, Literal)
            fields.insert(0, field.value)
            item = item.args[0]
        return ".".join((item.name, *fields)) if fields and self._is_name(item) else None

    def _is_name(self, expression: Node) -> TypeGuard[Alias]:
        """Whether the expression refers to a key by its name."""
        return type(expression) is Alias and any(expression is key for key in self.keys)

    def without_names(self, aggregate_: ResolvedExpression) -> ResolvedExpression:
        """The aggregate over what the names of keys in it stand for."""
        if self.names is None or not self.names.keys:
            return aggregate_

        def step(node: Node) -> Node:
            children = node.children()
            named = [place for place, child in enumerate(children) if self._is_name(child)]
            if not named or (isinstance(node, Call) and node.function.built_in_name in _NAMING):
                return node
            for place in named:
                children[place] = strip_alias(children[place])  # type: ignore[arg-type]
            return node.with_children(children)

        found = replace(aggregate_, step)
        assert isinstance(found, ResolvedExpression)
        return found

    def rewrite(
        self, expression: ResolvedExpression, preferred: str | None = None
    ) -> ResolvedExpression:
        """Returns the expression with keys and aggregates replaced by references to them."""
        known = self.rewritten.get(id(expression))
        if known is None:
            known = expression, self._rewrite_new(expression, preferred)
            self.rewritten[id(expression)] = known
        return known[1]

    def _rewrite_new(
        self, expression: ResolvedExpression, preferred: str | None
    ) -> ResolvedExpression:
        called = self._is_name(expression)
        if called:
            expression = strip_alias(expression)
        place = self.places_of_keys.find(expression)
        if place is not None:
            return self._key(place, expression, called)
        if type(expression) is AggregateCall:
            return self._aggregate(expression, preferred)
        if type(expression) is Over:
            return self._over(expression)
        if type(expression) is FieldReference:
            return self._key_of_that_name(expression)
        children: list[Any] = expression.children()
        if not children or isinstance(expression, Literal):
            return expression
        rewritten: list[Any] = [
            self.rewrite(child) if isinstance(child, ResolvedExpression) else child
            for child in children
        ]
        if isinstance(expression, SubqueryExpression):
            rewritten[-1] = with_outer_columns(expression.query, self._outer)
        if all(new is old for new, old in zip(rewritten, children, strict=True)):
            return expression
        return expression.with_children(rewritten)

    def _outer(self, column: FieldReference) -> FieldReference:
        """Turns a sub-query's outer reference to a row's column into one to the group's column."""
        found = self.rewrite(column)
        assert isinstance(found, FieldReference)
        return found

    def _key(self, place: int, expression: ResolvedExpression, by_name: bool) -> FieldReference:
        if self.names is not None and not by_name and type(expression) is not FieldReference:
            below = (node for node in preorder(expression) if isinstance(node, FieldReference))
            self.columns_meant.update(node.name.lower() for node in below)
        return FieldReference(place, n.output_name(self.keys[place]), self.keys[place].type)

    def _key_of_that_name(self, column: FieldReference) -> FieldReference:
        """The key that has the name of a column without a value in a group.

        Raises:
            ValidationError: there is none, or the column was called by its table.
        """
        names = self.names
        key = None if names is None else names.find(column.name)
        if names is None or key is None or column.index in names.qualified:
            raise self._not_grouped(column)
        self.keys_meant.add(column.name.lower())
        found = self.rewrite(key)
        assert isinstance(found, FieldReference)
        return found

    def refuse_double_names(self) -> None:
        """Refuses a name that stands for a key once, and once for a column within a key."""
        for name in sorted(self.keys_meant & self.columns_meant):
            raise ValidationError(
                f"`{name}` is a column of the input and the name of a grouping key, and is used "
                "here as both",
                hint="give the key a name that no column of the input has",
            )

    def _over(self, expression: Over) -> ResolvedExpression:
        """Rewrites a window over groups, ``rank() OVER (ORDER BY sum(x))``; it stays a window."""
        call = expression.call
        arguments = [self.rewrite(child) for child in call.children()]  # type: ignore[arg-type]
        parts = [self.rewrite(child) for child in (*expression.partition_by, *expression.order_by)]
        return expression.with_children([call.with_children(arguments), *parts])

    def _aggregate(self, call: AggregateCall, preferred: str | None) -> FieldReference:
        if call.function.kind is FunctionKind.WINDOW:
            raise ValidationError(
                f"{call.function.name}() needs a window", hint="follow it with .over(…)"
            )
        place = self._place(call)
        if place == len(self.aggregates):
            if call.function in _OF_SETS:
                _check_grouping_call(call, self.grouping)
            name = self._free_name(preferred or n.output_name(call))
            self.aggregates.append(alias(self.without_names(call), name))
        name = n.output_name(self.aggregates[place])
        return FieldReference(len(self.keys) + place, name, call.type)

    def _place(self, call: AggregateCall) -> int:
        """Returns the position of an equal call among the aggregates, or the next free one."""
        function, free = call.function, len(self.aggregates)
        if function not in self.alone:
            self.alone[function] = (call, free)
            return free
        first = self.alone[function]
        if first is not None:
            self.places[first[0]] = first[1]
            self.alone[function] = None
        return self.places.setdefault(call, free)

    def _free_name(self, wanted: str) -> str:
        name, number = wanted, 2
        while name.lower() in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name.lower())
        return name

    def _not_grouped(self, reference: FieldReference) -> ValidationError:
        keys = [n.output_name(key) for key in self.keys]
        return ValidationError(
            f"column `{reference.name}` is neither a grouping key nor inside an aggregate function",
            location=f"group_by({', '.join(keys)})",
            hint=did_you_mean(reference.name, keys)
            or f'group by it, or take one value of each group: F.any_value("{reference.name}")',
        )


def _retype(outputs: list[ResolvedExpression], aggregate_: n.Aggregate) -> list[ResolvedExpression]:
    """Makes references to keys of ROLLUP, CUBE and GROUPING SETS nullable."""
    if aggregate_.grouping is n.Grouping.SIMPLE:
        return outputs
    from viewscribe.operations.rewrites.retype import retype

    return [retype(output, aggregate_.schema) for output in outputs]
