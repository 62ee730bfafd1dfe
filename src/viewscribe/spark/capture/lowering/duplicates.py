"""``dropDuplicates`` of some columns: one row of each group, as Spark takes it."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    FieldReference,
    Literal,
    Over,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.types import INT, DoubleType, FloatType
from viewscribe.types.nested_types import contains


def without_duplicates(child: QueryOperation, names: Sequence[str]) -> QueryOperation:
    """One row for each combination of the columns of these names."""
    return one_row_of_each(child, [place for name in names for place in _places(child, name)])


def one_row_of_each(child: QueryOperation, places: Sequence[int]) -> QueryOperation:
    """One row for each combination of the columns at these places.

    Spark groups by them and takes the first of every other column. Where such a column is NOT
    NULL, ``first`` would forget it, so there the first row of each partition is taken instead.
    """
    rest = [ref for ref in child.schema.references if ref.index not in places]
    if not rest:
        return build.distinct(child)
    if all(ref.type.nullable for ref in rest):
        return _group(child, places, rest)
    return _number_rows(child, places)


def _places(child: QueryOperation, name: str) -> list[int]:
    found = [ref.index for ref in child.schema.references if ref.name.lower() == name.lower()]
    return found or [child.schema.find(name)]


def _group(
    child: QueryOperation, places: Sequence[int], rest: Sequence[FieldReference]
) -> QueryOperation:
    references = child.schema.references
    keys = tuple(references[place] for place in dict.fromkeys(places))
    first = built_in("first")
    aggregates = tuple(
        Alias(AggregateCall(first, (ref,), first.infer((ref,))), ref.name, ref.type) for ref in rest
    )
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
    pair = (numbered.schema.references[-1], Literal(1, INT.not_null()))
    kept = n.Filter.of(numbered, make_call(built_in("equals"), pair))
    shown = kept.schema.references[:-1]
    return n.Project.of(kept, tuple(_shown(ref) if ref in keys else ref for ref in shown))


def _shown(key: FieldReference) -> ResolvedExpression:
    """The key as groups show it: they make 0.0 of -0.0, which a partition compares but keeps.

    Raises:
        CaptureError: the number is inside an array or a struct.
    """
    if not any(contains(key.type, kind) for kind in (FloatType, DoubleType)):
        return key
    if not isinstance(key.type, FloatType | DoubleType):
        raise CaptureError(
            f"`{key.name}` holds floating point numbers, and another column is NOT NULL: no query "
            "finds one row for each of its values as dropDuplicates does",
            hint="compare all columns: dropDuplicates()",
        )
    zero = Literal(0.0, key.type.not_null())
    return Alias(make_call(built_in("plus"), (key, zero)), key.name, key.type)


def _free(wanted: str, child: QueryOperation) -> str:
    name, number = wanted, 2
    while name in child.schema.by_name:
        name, number = f"{wanted}_{number}", number + 1
    return name
