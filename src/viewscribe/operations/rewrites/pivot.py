"""Giving a pivot exactly the input that SQL's PIVOT wants.

SQL has no key list: it groups by every column that neither the aggregates nor FOR use. So the input
must hold the keys, the pivoted column and what the aggregates read, and a key that an aggregate
reads too must be there twice.
"""

from __future__ import annotations

import re

from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import (
    FieldReference,
    ResolvedExpression,
    alias,
)
from viewscribe.operations.nodes import Pivot, Project, Unpivot


def with_exact_input(pivot: Pivot) -> Pivot:
    """The same pivot over a projection of its keys, its column and its aggregates' inputs."""
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

    def moved(node: Node) -> Node:
        if isinstance(node, FieldReference):
            return FieldReference(place(node.index), node.name, node.type)
        return node

    aggregates = tuple(replace(aggregate, moved) for aggregate in pivot.aggregates)
    child = Project.of(pivot.child, tuple(inputs))
    keys = tuple(child.schema.reference(index) for index in range(len(pivot.keys)))
    return Pivot.of(
        child,
        keys,
        child.schema.reference(len(keys)),
        pivot.values,
        pivot.value_names,
        aggregates,  # type: ignore[arg-type]
    )


def with_plain_value_name(unpivot: Unpivot) -> Unpivot:
    """The same unpivot, its value column under a name that needs no quotes.

    Spark 4.3 takes the quotes off the name and parses it once more: a dot splits it, a space is
    an error.
    """
    wanted = unpivot.value_column
    plain = re.sub(r"\W", "_", wanted, flags=re.ASCII)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    if plain == wanted:
        return unpivot
    taken = {name.lower() for name in unpivot.schema.names}
    name, number = plain, 2
    while name.lower() in taken:
        name, number = f"{plain}_{number}", number + 1
    made = unpivot.copy_with({"value_column": name})
    assert isinstance(made, Unpivot)
    return made
