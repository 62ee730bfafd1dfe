"""``dropDuplicates`` of some columns: one row of each group, as Spark takes it."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import AggregateCall, Alias, Literal, Over, SortOrder
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.types import INT


def without_duplicates(child: QueryOperation, names: Sequence[str]) -> QueryOperation:
    """One row for each combination of the columns.

    Spark groups by them and takes the first of every other column. Where such a column is NOT
    NULL, ``first`` would forget it, so there the first row of each partition is taken instead.
    """
    places = [place for name in names for place in _places(child, name)]
    rest = [ref for ref in child.schema.references if ref.index not in places]
    if all(ref.type.nullable for ref in rest):
        return _group(child, places)
    return _number_rows(child, places)


def _places(child: QueryOperation, name: str) -> list[int]:
    found = [ref.index for ref in child.schema.references if ref.name.lower() == name.lower()]
    return found or [child.schema.find(name)]


def _group(child: QueryOperation, places: Sequence[int]) -> QueryOperation:
    references = child.schema.references
    keys = tuple(references[place] for place in dict.fromkeys(places))
    first = built_in("first")
    rest = [ref for ref in references if ref.index not in places]
    aggregates = tuple(
        Alias(AggregateCall(first, (ref,), first.infer((ref,))), ref.name, ref.type) for ref in rest
    )
    if not aggregates:
        return build.distinct(child)
    made = n.Aggregate.of(child, keys, aggregates)
    order = [key.index for key in keys] + [ref.index for ref in rest]
    outputs = made.schema.references
    return n.Project.of(made, tuple(outputs[order.index(ref.index)] for ref in references))


def _number_rows(child: QueryOperation, places: Sequence[int]) -> QueryOperation:
    references = child.schema.references
    keys = tuple(references[place] for place in dict.fromkeys(places))
    function = built_in("row_number")
    call = AggregateCall(function, (), function.infer(()))
    order = tuple(SortOrder(key, False, True, key.type) for key in keys[:1])
    name = _free("row_number", child)
    number = Alias(Over(call, keys, order, None, call.type), name, call.type)
    numbered = n.WithColumns.of(child, (number,))
    equals = built_in("equals")
    pair = (numbered.schema.references[-1], Literal(1, INT.not_null()))
    from viewscribe.expressions.resolve import make_call

    kept = n.Filter.of(numbered, make_call(equals, pair))
    return n.Project.of(kept, kept.schema.references[:-1])


def _free(wanted: str, child: QueryOperation) -> str:
    name, number = wanted, 2
    while name in child.schema.by_name:
        name, number = f"{wanted}_{number}", number + 1
    return name
