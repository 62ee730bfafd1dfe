"""Steps as text: on one line, or an item a line."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.serializer.blocks import Column, SourceColumn
from viewscribe.serializer.clauses import conditions, flat_conditions
from viewscribe.serializer.expressions import connected_list
from viewscribe.serializer.fragments import WIDTH, Fragment, follow
from viewscribe.serializer.literals import identifier


def print_alias(made: Fragment, name: str, column: Column | None = None) -> Fragment:
    """``made AS name``; without the alias where it is a column of that name."""
    if isinstance(column, SourceColumn) and column.name == name:
        return made
    return follow(made, f" AS {identifier(name)}")


def listing(
    word: str, items: Sequence[Fragment], indent: int, clause: Fragment | None = None
) -> str:
    """``|> word a, b, c clause``, an item a line where it is too long.

    The clause has a line of its own where it does not fit behind the items. Where these take a
    line each, they stand deeper than the clause after them.
    """
    if clause is None:
        return connected_list(f"|> {word} ", items).render(indent) if items else f"|> {word}"
    head = f"|> {word} {', '.join(item.text or '' for item in items)}".rstrip()
    is_flat = all(item.text is not None for item in items)
    if is_flat and clause.text is not None and indent + len(f"{head} {clause.text}") <= WIDTH:
        return f"{head} {clause.text}"
    if not is_flat or indent + len(head) > WIDTH:
        pad = "\n" + " " * (indent + 4)
        head = f"|> {word}" + ",".join(pad + item.render(indent + 4, 1) for item in items)
    return f"{head}\n{' ' * (indent + 2)}{clause.render(indent + 2)}"


def where(terms: Sequence[Fragment], indent: int) -> str:
    """``|> WHERE a AND b``, a term a line where it is too long."""
    flat = flat_conditions(terms)
    if flat is not None and indent + len(flat) + 9 <= WIDTH:
        return f"|> WHERE {flat}"
    return conditions("|> WHERE", terms, indent)
