"""Steps as text: on one line, or an item a line."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.serializer.blocks import Column, SourceColumn
from viewscribe.serializer.clauses import conditions, flat_conditions
from viewscribe.serializer.expressions import connected_list
from viewscribe.serializer.fragments import WIDTH, Fragment, followed
from viewscribe.serializer.literals import identifier


def aliased(made: Fragment, name: str, column: Column | None = None) -> Fragment:
    """``made AS name``; without the alias where it is a column of that name."""
    if isinstance(column, SourceColumn) and column.name == name:
        return made
    return followed(made, f" AS {identifier(name)}")


def listing(word: str, items: Sequence[Fragment], indent: int) -> str:
    """``|> word a, b, c``, an item a line where it is too long."""
    return connected_list(f"|> {word} ", items).render(indent) if items else f"|> {word}"


def where(terms: Sequence[Fragment], indent: int) -> str:
    """``|> WHERE a AND b``, a term a line where it is too long."""
    flat = flat_conditions(terms)
    if flat is not None and indent + len(flat) + 9 <= WIDTH:
        return f"|> WHERE {flat}"
    return conditions("|> WHERE", terms, indent)


def aggregate(items: Sequence[Fragment], group: Fragment | None, indent: int) -> str:
    """``|> AGGREGATE a, b GROUP BY c``, the GROUP BY on a line of its own where it is too long.

    Where the aggregates take a line each, they stand deeper than the GROUP BY after them.
    """
    if group is None:
        return listing("AGGREGATE", items, indent)
    head = f"|> AGGREGATE {', '.join(item.text or '' for item in items)}".rstrip()
    is_flat = all(item.text is not None for item in items)
    if is_flat and indent + len(f"{head} {group.text}") <= WIDTH:
        return f"{head} {group.text}"
    if not is_flat or indent + len(head) > WIDTH:
        pad = "\n" + " " * (indent + 4)
        head = "|> AGGREGATE" + ",".join(pad + item.render(indent + 4, 1) for item in items)
    return f"{head}\n{' ' * (indent + 2)}{group.render(indent + 2)}"
