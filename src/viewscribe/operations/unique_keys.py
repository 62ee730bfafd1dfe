"""Unique keys of a tree: columns that no two of its rows have in common, as far as it shows.

What is derived is true of every content of the tables. NULLs count as equal, as they do for GROUP
BY, so that a key is one for UNIQUE constraints, too. Of each step two things are known: its keys,
and which columns determine which others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Grouping, JoinKind, QueryOperation, SetKind, using_columns
from viewscribe.operations.handlers import HandlerTable

# Whether the rows of a tree are in an order.


def is_sorted(operation: QueryOperation) -> bool:
    """Whether the rows are in an order that somebody gave them."""
    node = operation
    while keeps_order(node):
        (node,) = node.inputs()
    return isinstance(node, n.Sort) and not node.within_partitions


def keeps_order(node: QueryOperation) -> bool:
    """Whether it surely gives rows in the order of its input: a hint may deal them out anew."""
    unsure = node.mixes_rows or isinstance(node, n.Sort | n.Hint | n.Sample)
    return len(node.input_fields) == 1 and not unsure


Places = frozenset[int]
FindKeys = Callable[[n.CatalogSource], Iterable[Sequence[str]]]
"""The unique keys of a table or view that a tree reads, by names of columns."""

_MOST = 64
"""How many keys of a step are followed: without the others less is shown, and nothing wrong."""
_NONE: Places = frozenset()
_CONSTANT = (Literal, OuterReference)
"""What is the same for all rows; a row around a query is one while the query runs."""


class Dependency(NamedTuple):
    """Rows that agree in the columns ``on`` agree in ``columns``."""

    on: Places
    columns: Places


class Keys(NamedTuple):
    """What is known of the rows of a step.

    Args:
        keys: sets of columns that no two rows have in common; the empty set for a single row.
        dependencies: which columns determine which.
    """

    keys: tuple[Places, ...] = ()
    dependencies: tuple[Dependency, ...] = ()

    def is_key(self, columns: Iterable[int]) -> bool:
        """Whether no two rows agree in these columns."""
        reached = _closure(frozenset(columns), self.dependencies)
        return any(key <= reached for key in self.keys)


def unique_keys(tree: QueryOperation, find_keys: FindKeys = lambda source: ()) -> Keys:
    """Returns what is known of the unique keys of a tree.

    Args:
        tree: the tree.
        find_keys: finds the keys of tables that it reads.
    """
    return _known(tree, find_keys)[id(tree)]


def step_without_key(
    tree: QueryOperation, find_keys: FindKeys = lambda source: ()
) -> QueryOperation:
    """Returns the first step from the sources upwards that has no key though its inputs have."""
    known = _known(tree, find_keys)
    node = tree
    while True:
        below = [each for each in node.inputs() if not known[id(each)].keys]
        if known[id(node)].keys or not below:
            return node
        node = below[0]


def _known(tree: QueryOperation, find_keys: FindKeys) -> dict[int, Keys]:
    known: dict[int, Keys] = {}
    for node in postorder(tree, skip=_is_expression):
        if isinstance(node, n.CatalogSource):
            known[id(node)] = _source(node, find_keys)
        elif isinstance(node, QueryOperation):
            inputs = [known[id(each)] for each in node.inputs()]
            known[id(node)] = _HANDLERS[type(node)](node, inputs)
    return known


def _is_expression(node: Node) -> bool:
    return not node.is_query


# -- sources ---------------------------------------------------------------------------------------


def _source(node: n.CatalogSource, find_keys: FindKeys) -> Keys:
    places = {name.lower(): place for place, name in enumerate(node.schema.names)}
    keys = [
        frozenset(places[name.lower()] for name in key)
        for key in find_keys(node)
        if all(name.lower() in places for name in key)
    ]
    return _make(keys, (), len(node.schema))


def _values(node: n.Values, inputs: Sequence[Keys]) -> Keys:
    is_single = bool(node.fields) and len(node.values) <= len(node.fields)
    return Keys((_NONE,)) if is_single else Keys()


def _one_row(node: n.OneRow, inputs: Sequence[Keys]) -> Keys:
    return Keys((_NONE,))


def _nothing(node: QueryOperation, inputs: Sequence[Keys]) -> Keys:
    return Keys()


# -- rows ------------------------------------------------------------------------------------------


def _same(node: QueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0]


def _limit(node: n.Limit, inputs: Sequence[Keys]) -> Keys:
    (below,) = inputs
    return below if node.count > 1 else _make([_NONE], below.dependencies, len(node.schema))


def _filter(node: n.Filter, inputs: Sequence[Keys]) -> Keys:
    (below,) = inputs
    found = (*below.dependencies, *_equalities(node.condition))
    return _make(below.keys, found, len(node.schema))


def _distinct(node: n.Distinct, inputs: Sequence[Keys]) -> Keys:
    (below,) = inputs
    whole = frozenset(range(len(node.schema)))
    return _make([*below.keys, whole], below.dependencies, len(whole))


# -- columns ---------------------------------------------------------------------------------------


def _project(node: n.Project | n.WithColumns, inputs: Sequence[Keys]) -> Keys:
    return _move(inputs[0], _places(node.column_expressions()), len(node.schema))


def _aggregate(node: n.Aggregate, inputs: Sequence[Keys]) -> Keys:
    if node.grouping is not Grouping.SIMPLE:
        return Keys()  # a set may have the keys of another one, all NULL
    keys = frozenset(range(len(node.keys)))
    moved = _move(inputs[0], _places(node.keys), len(node.schema))
    return _make([*moved.keys, keys], moved.dependencies, len(node.schema))


def _pivot(node: n.Pivot, inputs: Sequence[Keys]) -> Keys:
    return _make([frozenset(range(len(node.keys)))], (), len(node.schema))


def _generate(node: n.Generate, inputs: Sequence[Keys]) -> Keys:
    return Keys((), inputs[0].dependencies)


def _time_window(node: n.TimeWindow, inputs: Sequence[Keys]) -> Keys:
    """A row may be in several windows, in each of them once."""
    (below,) = inputs
    window = len(node.schema) - 1
    keys = [key | {window} for key in below.keys]
    return _make(keys, below.dependencies, len(node.schema))


def _unpivot(node: n.Unpivot, inputs: Sequence[Keys]) -> Keys:
    (below,) = inputs
    origins = enumerate(node.column_origins())
    kept = {origin.place: place for place, origin in origins if origin is not None}
    width, label = len(node.schema), len(node.schema) - 2
    moved = _move(Keys((), below.dependencies), kept, width)
    if len(set(node.labels)) < len(node.labels):
        return moved
    keys = [key for key in below.keys if key <= kept.keys()]
    with_label = [frozenset((*(kept[each] for each in key), label)) for key in keys]
    return _make(with_label, moved.dependencies, width)


# -- combinations ----------------------------------------------------------------------------------


def _join(node: n.Join, inputs: Sequence[Keys]) -> Keys:
    left, right = inputs
    width = len(node.left.schema)
    both = _shift(right, width)
    equal = [*_equalities(node.condition), *_shared(node)]
    found = _joined_keys(node.kind, left, both, equal, (width, len(node.right.schema)))
    if not node.using:
        return found
    order = using_columns(node.left.schema, node.right.schema, node.kind, node.using)
    kept = {place: new for new, (place, other) in enumerate(order) if other is None}
    return _move(found, kept, len(node.schema))


def _joined_keys(
    kind: JoinKind,
    left: Keys,
    right: Keys,
    equal: Sequence[Dependency],
    widths: tuple[int, int],
) -> Keys:
    """The keys of a join, its columns side by side."""
    if not kind.keeps_right:
        return left
    if kind is JoinKind.FULL:
        return Keys()  # a row of one side without a partner may look like one of the other
    width, all_ = widths[0], sum(widths)
    pairs = [one | other for one in left.keys for other in right.keys][:_MOST]
    matched = (*left.dependencies, *right.dependencies, *equal)
    if kind in (JoinKind.INNER, JoinKind.CROSS):
        return _make(pairs, matched, all_)
    kept, others = (left, right) if kind is JoinKind.LEFT else (right, left)
    side = range(width) if kind is JoinKind.LEFT else range(width, all_)
    reached = _closure(frozenset(side), matched)
    if any(key <= reached for key in others.keys):  # each row has one partner at most
        return _make(kept.keys, kept.dependencies, all_)
    return _make(pairs, kept.dependencies, all_)


def _shared(node: n.Join) -> Iterator[Dependency]:
    """The columns of USING, which are equal on both sides."""
    left, right = node.left.schema, node.right.schema
    for name in node.using:
        one, other = left.find(name), right.find(name)
        if left[one].type.as_nullable() == right[other].type.as_nullable():
            yield from _both_ways(one, len(left) + other)


def _lateral_join(node: n.LateralJoin, inputs: Sequence[Keys]) -> Keys:
    """For each row of the left side the right one is a query of its own."""
    left, right = inputs
    moved = _shift(right, len(node.left.schema))
    pairs = [one | other for one in left.keys for other in moved.keys][:_MOST]
    return _make(pairs, left.dependencies, len(node.schema))


def _set_operation(node: n.SetOperation, inputs: Sequence[Keys]) -> Keys:
    width = len(node.schema)
    whole = [] if node.all else [frozenset(range(width))]
    if node.kind is SetKind.UNION or not _keeps_types(node):
        return _make(whole, (), width)
    left = inputs[0]
    return _make([*left.keys, *whole], left.dependencies, width)


def _keeps_types(node: n.SetOperation) -> bool:
    """Whether the left side is not cast: two numbers may become one."""
    pairs = zip(node.left.schema.fields, node.schema.fields, strict=True)
    return all(a.type.as_nullable() == b.type.as_nullable() for a, b in pairs)


# -- what conditions say ---------------------------------------------------------------------------


def _equalities(condition: ResolvedExpression | None) -> Iterator[Dependency]:
    """What the equalities that AND joins determine, in the rows for which the condition is TRUE."""
    stack = [] if condition is None else [condition]
    while stack:
        each = stack.pop()
        if not isinstance(each, Call):
            continue
        if each.function is op.AND:
            stack.extend(each.args)
        elif each.function in (op.EQUALS, op.NULL_SAFE_EQUALS):
            yield from _equality(*each.args)


def _equality(one: ResolvedExpression, other: ResolvedExpression) -> Iterator[Dependency]:
    if one.type.as_nullable() != other.type.as_nullable():
        return
    if isinstance(one, FieldReference) and isinstance(other, FieldReference):
        yield from _both_ways(one.index, other.index)
    elif isinstance(one, FieldReference) and isinstance(other, _CONSTANT):
        yield Dependency(_NONE, frozenset((one.index,)))
    elif isinstance(one, _CONSTANT) and isinstance(other, FieldReference):
        yield Dependency(_NONE, frozenset((other.index,)))


def _both_ways(one: int, other: int) -> Iterator[Dependency]:
    yield Dependency(frozenset((one,)), frozenset((other,)))
    yield Dependency(frozenset((other,)), frozenset((one,)))


# -- sets of columns -------------------------------------------------------------------------------


def _make(keys: Iterable[Places], dependencies: Iterable[Dependency], width: int) -> Keys:
    """Makes keys as small as the dependencies allow; each key determines all columns."""
    known = tuple(dict.fromkeys(each for each in dependencies if not each.columns <= each.on))
    known = known[: 4 * _MOST]
    small = sorted({_reduce(key, known) for key in keys}, key=lambda key: (len(key), sorted(key)))
    found: list[Places] = []
    for key in small[: 4 * _MOST]:
        if not any(other <= key for other in found):
            found.append(key)
    found = found[:_MOST]
    whole = frozenset(range(width))
    of_keys = (Dependency(key, whole) for key in found)
    return Keys(tuple(found), tuple(dict.fromkeys((*known, *of_keys))))


def _reduce(key: Places, dependencies: Sequence[Dependency]) -> Places:
    for column in sorted(key):
        smaller = key - {column}
        if column in _closure(smaller, dependencies):
            key = smaller
    return key


def _closure(columns: Places, dependencies: Sequence[Dependency]) -> Places:
    """All columns that these determine."""
    while True:
        more = [each.columns for each in dependencies if each.on <= columns]
        wider = columns.union(*more)
        if wider == columns:
            return columns
        columns = wider


def _places(expressions: Sequence[ResolvedExpression]) -> dict[int, int]:
    """From columns of the input to the places where they are unchanged."""
    found: dict[int, int] = {}
    for place, expression in enumerate(expressions):
        plain = strip_alias(expression)
        if isinstance(plain, FieldReference):
            found.setdefault(plain.index, place)
    return found


def _move(known: Keys, places: Mapping[int, int], width: int) -> Keys:
    """What is known where columns are at other places, or gone."""

    def move(columns: Places) -> Places:
        return frozenset(places[each] for each in columns if each in places)

    dependencies = [
        Dependency(move(each.on), move(_closure(each.on, known.dependencies)))
        for each in known.dependencies
        if each.on <= places.keys()
    ]
    keys = [move(key) for key in _alternatives(known, places)]
    return _make(keys, dependencies, width)


def _alternatives(known: Keys, places: Mapping[int, int]) -> Iterator[Places]:
    """The keys whose columns are all kept, or determined by columns that are."""
    kept = frozenset(places)
    for key in known.keys:
        if key <= kept:
            yield key
        elif key <= _closure(kept, known.dependencies):
            yield kept


def _shift(known: Keys, by: int) -> Keys:
    def move(columns: Places) -> Places:
        return frozenset(each + by for each in columns)

    return Keys(
        tuple(map(move, known.keys)),
        tuple(Dependency(move(each.on), move(each.columns)) for each in known.dependencies),
    )


_HANDLERS: HandlerTable[Callable[..., Keys]] = HandlerTable(
    "the unique keys",
    {
        n.Aggregate: _aggregate,
        n.CatalogSource: _nothing,
        n.Distinct: _distinct,
        n.Filter: _filter,
        n.Generate: _generate,
        n.Hint: _same,
        n.Join: _join,
        n.LateralJoin: _lateral_join,
        n.Limit: _limit,
        n.Offset: _same,
        n.OneRow: _one_row,
        n.Pivot: _pivot,
        n.Process: _nothing,
        n.Project: _project,
        n.Recursion: _nothing,
        n.CteReference: _nothing,
        n.WithCte: _nothing,
        n.Sample: _same,
        n.SetOperation: _set_operation,
        n.Sort: _same,
        n.SqlText: _nothing,
        n.SubqueryAlias: _same,
        n.TableFunction: _nothing,
        n.TimeWindow: _time_window,
        n.Unpivot: _unpivot,
        n.Values: _values,
        n.WithColumns: _project,
    },
)
