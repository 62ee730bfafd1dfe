"""Steps as text: on one line, or an item a line."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.serializer.blocks import Column, SourceColumn
from viewscribe.serializer.expressions import connected_list
from viewscribe.serializer.fragments import INDENT, WIDTH, Fragment, pieces
from viewscribe.serializer.literals import identifier


def aliased(made: Fragment, name: str, column: Column | None = None) -> Fragment:
    """``made AS name``; without the alias where it is a column of that name."""
    if isinstance(column, SourceColumn) and column.name == name:
        return made
    return pieces([made, f" AS {identifier(name)}"])


def clause(word: str, items: Sequence[Fragment], indent: int, tail: str = "") -> str:
    """``|> word a, b, c tail``, an item a line where it is too long."""
    if not items and not tail:
        return f"|> {word}"
    made = connected_list(f"|> {word} ", items)
    text = made.text
    if text is not None and len(text) + len(tail) + indent <= WIDTH:
        return text + tail
    pad = "\n" + " " * indent + INDENT
    shown = ("," + pad).join(item.render(indent + 2, 1) for item in items)
    tail = pad + tail.strip() if tail else ""
    return f"|> {word}{pad}{shown}{tail}"
