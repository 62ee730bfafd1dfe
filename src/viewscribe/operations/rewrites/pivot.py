"""Giving a pivot exactly the input that SQL's PIVOT wants.

SQL has no key list: it groups by every column that neither the aggregates nor FOR use. So the input
must hold the keys, the pivoted column and what the aggregates read, and a key that an aggregate
reads too must be there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viewscribe.expressions.nodes import (
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
    with_columns,
)
from viewscribe.operations.nodes import Pivot, Project, Unpivot, output_name


def with_exact_input(pivot: Pivot) -> Pivot:
    """The same pivot over its keys, its column and its aggregates' inputs, and nothing else."""
    schema = pivot.child.schema
    inputs: list[ResolvedExpression] = []
    taken: set[str] = set()

    def add(index: int) -> int:
        reference = schema.reference(index)
        name, number = reference.name, 2
        while name.lower() in taken:
            name, number = f"{reference.name}_{number}", number + 1
        taken.add(name.lower())
        inputs.append(alias(reference, name))
        return len(inputs) - 1

    for key in pivot.keys:
        add(key.index)
    places: dict[int, int] = {pivot.column.index: add(pivot.column.index)}

    def place(index: int) -> int:
        if index not in places:
            places[index] = add(index)
        return places[index]

    def move(column: FieldReference) -> FieldReference:
        return FieldReference(place(column.index), column.name, column.type)

    pivot = _with_unlike_aggregates(pivot)
    aggregates = tuple(with_columns(aggregate, move) for aggregate in pivot.aggregates)
    child = pivot.child
    if tuple(map(strip_alias, inputs)) != schema.references:
        child = Project.of(child, tuple(inputs))
    keys = tuple(child.schema.reference(index) for index in range(len(pivot.keys)))
    return Pivot.of(
        child,
        keys,
        child.schema.reference(len(keys)),
        pivot.values,
        tuple(_make_unique(pivot, [key.name for key in keys])),
        aggregates,
    )


def _with_unlike_aggregates(pivot: Pivot) -> Pivot:
    """The same pivot, each aggregate of a name of its own: it is a part of a column's name."""
    taken: set[str] = set()
    aggregates = []
    for each in pivot.aggregates:
        name = _free(output_name(each), taken)
        taken.add(name.lower())
        aggregates.append(each if name == output_name(each) else alias(strip_alias(each), name))
    return Pivot.of(
        pivot.child, pivot.keys, pivot.column, pivot.values, pivot.value_names, tuple(aggregates)
    )


def _make_unique(pivot: Pivot, keys: Sequence[str]) -> Iterator[str]:
    """The names of the values, so that no column is called as a key or as another column.

    ``PIVOT (sum(n) FOR q IN ('k' AS k))`` beside a key ``k`` makes two columns that nothing tells
    apart.
    """
    several = len(pivot.aggregates) > 1
    endings = [f"_{output_name(each)}" if several else "" for each in pivot.aggregates]
    taken = {key.lower() for key in keys}
    for wanted in pivot.value_names:
        name, number = wanted, 2
        while any(f"{name}{ending}".lower() in taken for ending in endings):
            name, number = f"{wanted}_{number}", number + 1
        taken.update(f"{name}{ending}".lower() for ending in endings)
        yield name


def with_plain_names(unpivot: Unpivot, names: Sequence[str]) -> Unpivot:
    """The same unpivot, its new columns called as no other, and the value without quotes.

    ``names`` are what the text calls the columns of the input.

    Spark 4.3 takes the quotes off the value's name and parses it once more: a dot splits it, a
    space is an error. And nothing tells apart two columns of one name where UNPIVOT made one.
    """
    plain = re.sub(r"\W", "_", unpivot.value_column, flags=re.ASCII)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    turned = {column.index for column in unpivot.columns}
    taken = {name.lower() for place, name in enumerate(names) if place not in turned}
    label = _free(unpivot.name_column, taken)
    value = _free(plain, taken | {label.lower()})
    if (label, value) == (unpivot.name_column, unpivot.value_column):
        return unpivot
    made = unpivot.copy_with({"name_column": label, "value_column": value})
    assert isinstance(made, Unpivot)
    return made


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name.lower() in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
