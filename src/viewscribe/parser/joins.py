"""Joins of two relations: on a condition, and by the names that both have."""

from __future__ import annotations

from collections import Counter

import msgspec

from viewscribe.errors import AmbiguousColumnError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import ResolvedExpression, alias, make_call
from viewscribe.expressions.resolve import cast_if_needed
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.attributes import attribute
from viewscribe.operations.schemas import using_schema
from viewscribe.parser import syntax as s
from viewscribe.parser.relation import Source, beside, hidden_last, rename_join
from viewscribe.types.coercion import common_type_of


def join(
    left: Source, right: Source, kind: n.JoinKind, condition: ResolvedExpression | None
) -> Source:
    """A join on a condition; an outer join without one is met by every pair."""
    if condition is not None and kind is n.JoinKind.CROSS:
        kind = n.JoinKind.INNER
    elif condition is None and kind not in (n.JoinKind.INNER, n.JoinKind.CROSS):
        condition = literal(True)
    operation = n.Join.of(left.operation, right.operation, kind, condition)
    return hidden_last(rename_join(operation, left, right, kind), left, right)


def shared_names(node: s.Joined, left: Source, right: Source) -> tuple[str, ...] | None:
    """The names that a join is by: those of USING, or all that both sides have."""
    if node.using:
        return node.using
    if not node.natural:
        return None
    on_right = Counter(_shown(right))
    shared = []
    for name in _shown(left):  # one that both have twice is a key twice, as in Spark
        if on_right[name] > 0:
            on_right[name] -= 1
            shared.append(name)
    return tuple(shared) or None


def _shown(side: Source) -> list[str]:
    return [name.lower() for name in side.names.names[: side.width]]


def _find_first(side: Source, name: str) -> int:
    """Where the column stands that Spark joins by: the first of its name that the side shows."""
    places = [place for place, each in enumerate(_shown(side)) if each == name.lower()]
    if not places:
        raise side.names.unknown(name)
    makers = {attribute(side.operation, place)[:2] for place in places}
    if len(makers) < len(places):
        raise AmbiguousColumnError(
            f"a join by `{name}`, which one side has twice: what is a copy Spark leaves out, too",
            hint="show it once, or join on a condition",
        )
    return places[0]


class NamedJoin(msgspec.Struct):
    """A join by names."""

    left: Source
    right: Source
    kind: n.JoinKind
    names: tuple[str, ...]


def joined_by_names(join: NamedJoin, *, show_keys: bool) -> Source:
    """A join by names; where keys are called by their tables, with those that it leaves out."""
    left, right, kind = join.left, join.right, join.kind
    if kind is n.JoinKind.CROSS:
        join.kind = kind = n.JoinKind.INNER
    whole = left.width == len(left.names) and right.width == len(right.names)
    shown = Counter((*_shown(left), *_shown(right)))
    several = any(shown[name.lower()] > 2 for name in join.names)
    if show_keys or several or not whole:
        return _with_keys(join)
    operation = build.join(left.operation, right.operation, kind, using=join.names)
    called = using_schema(left.names, right.names, kind, join.names)
    made = Schema(operation.schema.fields, called.qualifiers)
    return Source(operation, made, len(made))


def _with_keys(join: NamedJoin) -> Source:
    """A join by names that also has, at its end, the keys that it leaves out."""
    left, right, kind, names = join.left, join.right, join.kind, join.names
    both = beside(left, right)
    width = len(left.names)
    on_left = [_find_first(left, name) for name in names]
    on_right = [_find_first(right, name) + width for name in names]
    references = both.references
    pairs = [
        make_call(op.EQUALS, (references[a], references[b]))
        for a, b in zip(on_left, on_right, strict=True)
    ]
    condition: ResolvedExpression = pairs[0] if len(pairs) == 1 else make_call(op.AND, tuple(pairs))
    joined = n.Join.of(left.operation, right.operation, kind, condition)
    if not kind.keeps_right:
        return _keys_first(rename_join(joined, left, right, kind), on_left, left.width)
    schema = rename_join(joined, left, right, kind).names
    shown: list[tuple[ResolvedExpression, tuple[str, ...]]] = []
    hidden: list[int] = []
    for a, b in zip(on_left, on_right, strict=True):
        if kind is n.JoinKind.FULL:
            pair = (schema.reference(a), schema.reference(b))
            common = common_type_of([each.type for each in pair]) or pair[0].type
            call = make_call(
                built_in("coalesce"), tuple(cast_if_needed(each, common) for each in pair)
            )
            shown.append((alias(call, schema[a].name), ()))
            hidden += [a, b]
        else:
            kept, gone = (b, a) if kind is n.JoinKind.RIGHT else (a, b)
            shown.append((schema.reference(kept), schema.qualifiers[kept]))
            hidden.append(gone)
    hidden += [*range(left.width, width), *range(width + right.width, len(both))]
    keys = {*on_left, *on_right}
    every = [*range(left.width), *range(width, width + right.width)]
    rest = [place for place in every if place not in keys]
    shown += [(schema.reference(place), schema.qualifiers[place]) for place in rest]
    count = len(shown)
    shown += [(schema.reference(place), schema.qualifiers[place]) for place in hidden]
    operation = n.Project.of(joined, tuple(each for each, _ in shown))
    names_of = Schema(operation.schema.fields, [each for _, each in shown])
    return Source(operation, names_of, count)


def _keys_first(source: Source, keys: list[int], width: int) -> Source:
    """What is left of one side, with the keys before all other columns."""
    names = source.names
    rest = [place for place in range(len(names)) if place not in keys]
    columns = tuple(names.reference(place) for place in (*keys, *rest))
    operation = n.Project.of(source.operation, columns)
    qualifiers = [names.qualifiers[place] for place in (*keys, *rest)]
    return Source(operation, Schema(operation.schema.fields, qualifiers), width)
