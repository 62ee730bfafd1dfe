"""Groups: groupBy, rollup, cube, grouping sets, pivot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import Aggregate

from viewscribe.errors import CaptureError
from viewscribe.expressions.auto_names import value_text
from viewscribe.expressions.dsl import AliasExpression, CallExpression, ValueExpression
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import resolve_in
from viewscribe.expressions.schema import Qualifier
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import (
    GroupingKeys,
    PlacesOfKeys,
    aggregate,
    aggregate_select,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.exclusions import classic_literal_of, literal_of
from viewscribe.spark.capture.connect.known_names import is_column, place_in
from viewscribe.spark.capture.connect.missing_input import JoinKeys, over_keys
from viewscribe.spark.capture.connect.qualifiers import (
    Item,
    aliased_again,
    is_generator,
    items_of,
    read_items,
    with_qualifiers,
)
from viewscribe.spark.capture.connect.walker import parts_of

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk

_GROUPINGS = {
    Aggregate.GROUP_TYPE_GROUPBY: n.Grouping.SIMPLE,
    Aggregate.GROUP_TYPE_ROLLUP: n.Grouping.ROLLUP,
    Aggregate.GROUP_TYPE_CUBE: n.Grouping.CUBE,
    Aggregate.GROUP_TYPE_GROUPING_SETS: n.Grouping.SETS,
}


def _aggregate(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    if message.group_type == Aggregate.GROUP_TYPE_PIVOT:
        return _pivot(walk, message, child)
    grouping = _GROUPINGS.get(message.group_type)
    if grouping is None:
        raise CaptureError("groups of a kind that is not known")
    return over_keys(walk, child, partial(_group, walk, message, grouping))


def _group(
    walk: Walk, message: Any, grouping: n.Grouping, reader: Reader, child: QueryOperation
) -> QueryOperation:
    plain = child
    child, keys = with_windows(walk, reader, child, list(message.grouping_expressions))
    if child is not plain:
        reader = walk.reader(child, left_out=JoinKeys(child))
    key_items = [item for key in keys for item in items_of(reader, _read(reader, key))]
    if grouping is not n.Grouping.SIMPLE and not key_items:
        raise CaptureError(
            f"{grouping.name.lower()} without a key gives a row where there are none, or it does "
            "not: that depends on Spark's version and settings",
            hint="df.agg(…) is the total; df.agg(…).where(…) has no row where it is not wanted",
        )
    _check_places(key_items, grouping)
    resolution = Resolution(child.schema)
    resolved = [_resolve(item, resolution) for item in key_items]
    build.forbid(resolution, "group_by")
    sets = _sets(reader, message.grouping_sets, resolved, resolution)
    if grouping is n.Grouping.SETS and not sets:
        raise CaptureError("grouping sets without a set")
    keys_once = _each_once(resolved, grouping, sets)
    for item in key_items:
        if isinstance(item.expression, AliasExpression):
            reader.note_alias(item.name, item.expression)
    items = read_items(reader, message.aggregate_expressions)
    outputs = [_resolve(item, resolution) for item in items]
    build.refuse_rows_of_groups(resolution, grouped=True)
    if len(keys_once.keys) == len(resolved):
        made = aggregate(child, keys_once, outputs)
    else:
        made = aggregate_select(child, keys_once, [*_shown(key_items, resolved), *outputs])
    return with_qualifiers(made, [_qualifier(child, key) for key in resolved])


def _qualifier(child: QueryOperation, key: ResolvedExpression) -> Qualifier:
    """The table that a key can still be called by: that of the column that it is."""
    return child.schema.qualifiers[key.index] if type(key) is FieldReference else ()


def _shown(
    items: Sequence[Item], keys: Sequence[ResolvedExpression]
) -> Iterator[ResolvedExpression]:
    """The keys as columns: a column that is there again is called as it was before."""
    for item, key, first in zip(items, keys, PlacesOfKeys(keys).first_places(), strict=True):
        if not is_column(item.expression):
            yield key
        elif is_column(items[first].expression):
            yield keys[first]
        else:
            raise CaptureError(
                f"`{item.name}` is a key under another name, too", hint="give each key once"
            )


def _read(reader: Reader, key: Any) -> Any:
    return key if isinstance(key, ValueExpression) else reader.read(key)


def _resolve(item: Item, resolution: Resolution) -> ResolvedExpression:
    made = alias(resolve_in(item.expression, resolution), item.name)
    return aliased_again(made, item.name) if isinstance(item.expression, AliasExpression) else made


def _check_places(items: Sequence[Item], grouping: n.Grouping) -> None:
    """Numbers among the keys are places of columns, of which the keys are the first.

    One that means a key makes no other groups than the constant that it shows.
    """
    same = range(1, len(items) + 1) if grouping is n.Grouping.SIMPLE else ()
    for item in items:
        place = place_in(item.expression)
        if place is not None and place not in same:
            raise CaptureError(
                f"{place} as a grouping key is the place of a column",
                hint="group by the column's name",
            )


def _each_once(
    keys: Sequence[ResolvedExpression], grouping: n.Grouping, sets: Sequence[Sequence[int]]
) -> GroupingKeys:
    """The keys without repetitions: one that is there twice is in every set that has it once."""
    first, width = PlacesOfKeys(keys).first_places(), len(keys)
    kept = list(dict.fromkeys(first))
    if grouping is n.Grouping.SIMPLE or len(kept) == width:
        return GroupingKeys(keys, grouping, tuple(map(tuple, sets)))
    if grouping is n.Grouping.ROLLUP:
        sets = [range(size) for size in range(width, -1, -1)]
    elif grouping is n.Grouping.CUBE:
        sizes = range(width, -1, -1)
        sets = [chosen for size in sizes for chosen in combinations(range(width), size)]
    once = tuple(
        tuple(dict.fromkeys(kept.index(first[place]) for place in members)) for members in sets
    )
    return GroupingKeys([keys[place] for place in kept], n.Grouping.SETS, once)


def _sets(
    reader: Reader, sets: Any, keys: Sequence[ResolvedExpression], resolution: Resolution
) -> tuple[tuple[int, ...], ...]:
    keys_by_expression = PlacesOfKeys(keys)
    found = []
    for group in sets:
        members = [resolve_in(each, resolution) for each in reader.read_all(group.grouping_set)]
        places = [keys_by_expression.find(strip_alias(member)) for member in members]
        if None in places:
            raise CaptureError("a grouping set has a column that is no grouping key")
        found.append(tuple(place for place in places if place is not None))
    return tuple(found)


_WINDOWS = ("window", "session_window")


def with_windows(
    walk: Walk, reader: Reader, child: QueryOperation, keys: list[Any]
) -> tuple[QueryOperation, list[Any]]:
    """The input with the windows of time that are grouped by as columns, and the keys."""
    made: list[Any] = []
    for key in keys:
        read = reader.read(key)
        inner = read.child if isinstance(read, AliasExpression) else read
        name = read.alias_name if isinstance(read, AliasExpression) else None
        if isinstance(inner, CallExpression) and inner.function.built_in_name in _WINDOWS:
            name = name or inner.function.built_in_name
            child = build.time_window(child, inner, name)
            reader = walk.reader(child)
            made.append(name)
        else:
            made.append(key)
    schema = child.schema
    return child, [
        ValueExpression(schema.reference(schema.find(key))) if isinstance(key, str) else key
        for key in made
    ]


def _pivot(walk: Walk, message: Any, child: QueryOperation) -> QueryOperation:
    if not message.pivot.values:
        raise CaptureError(
            "a pivot without values takes its columns from the data of the moment",
            hint='name them: .pivot("column", ["a", "b"])',
        )
    _refuse_stars(message.aggregate_expressions)
    reader = walk.reader(child)
    named = [
        item for key in message.grouping_expressions for item in items_of(reader, reader.read(key))
    ]
    column = reader.read(message.pivot.col)
    read = classic_literal_of if walk.is_classic else literal_of
    values = [read(value) for value in message.pivot.values]
    child, (*keys, column) = _as_columns(child, [*(item.expression for item in named), column])
    zone = reader.spelling.zone()
    given = [ValueExpression(value).alias(value_text(value, zone)) for value in values]
    items = read_items(walk.reader(child), message.aggregate_expressions)
    aggregates = [
        item.expression
        if isinstance(item.expression, AliasExpression) or is_generator(item)
        else item.expression.alias(item.name)
        for item in items
    ]
    owners = [child.schema.qualifiers[key.resolved.index] for key in keys]
    made = with_qualifiers(build.pivot(child, keys, column, given, aggregates), owners)
    names = [item.name for item in named]
    if list(made.schema.names[: len(names)]) == names:
        return made
    references = made.schema.references
    return n.Project.of(
        made,
        (*map(alias, references, names), *references[len(names) :]),
    )


def _refuse_stars(messages: Iterable[Any]) -> None:
    """Refuses ``F.count("*")`` and the like: Spark expands no star that a pivot is computed of."""
    pending = [*messages]
    while pending:
        message = pending.pop()
        if message.DESCRIPTOR.name in _STARS:
            raise CaptureError(
                "Spark takes no star in the aggregates of a pivot", hint="F.count(F.lit(1))"
            )
        pending += parts_of(message)


_STARS = ("UnresolvedStar", "UnresolvedRegex")


def _as_columns(
    child: QueryOperation, expressions: Sequence[Any]
) -> tuple[QueryOperation, list[Any]]:
    """The input with what is computed as further columns, and the expressions as columns of it.

    SQL groups and turns the rows of a pivot by columns alone.
    """
    computed = [each for each in expressions if not is_column(each)]
    if not computed:
        return child, list(expressions)
    resolution = Resolution(child.schema)
    taken = {name.lower() for name in child.schema.names}
    free = (name for number in count(1) if (name := f"key{number}") not in taken)
    added = [
        alias(resolve_in(each, resolution), name)
        for each, name in zip(computed, free, strict=False)
    ]
    build.forbid(resolution, "pivot")
    wider = n.Project.of(child, (*child.schema.references, *added))
    places = iter(wider.schema.references[len(child.schema) :])
    return wider, [
        each if is_column(each) else ValueExpression(next(places)) for each in expressions
    ]


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"aggregate": _aggregate}
