"""Named windows: what several calls of one SELECT run over is written once, ``WINDOW w AS (…)``.

Spark puts the specification where the name stands before it looks at any name in it, so a named
window means what the same text after each OVER means. That is why specifications are compared by
their text, frame included. A frame can not be added to a named window: ``OVER (w ROWS …)`` is no
Spark SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from viewscribe.expressions.functions.syntax import Binding
from viewscribe.serializer.blocks import Block, BoundColumn, Column, inlined_features
from viewscribe.serializer.expressions import ExpressionPrinter
from viewscribe.serializer.features import features_of
from viewscribe.serializer.literals import Fragment, pieces

_NAME = "w"

T = TypeVar("T")


def share_windows(
    printer: ExpressionPrinter, write: Callable[[], T], taken: Collection[str]
) -> tuple[T, Fragment | None]:
    """What ``write`` prints, with names for the windows that come up in it twice, and WINDOW.

    Args:
        printer: what ``write`` prints with.
        write: prints all that stands in one SELECT and may hold window functions. It is called
            two times at most, so sub-queries, which may become CTEs, must not be among it.
        taken: names, in lower case, that no window gets, so that none reads like a column.
    """
    printer.windows, printer.named = [], {}
    made = write()
    windows = {window.text: window for window in printer.windows}
    uses = Counter(window.text for window in printer.windows)
    shared = [window for text, window in windows.items() if uses[text] > 1]
    clause = None
    if shared:
        names = _names(len(shared), taken)
        printer.named = {
            window.text or "": name for window, name in zip(shared, names, strict=True)
        }
        made = write()
        defined = [pieces([f"{n} AS ", w]) for n, w in zip(names, shared, strict=True)]
        clause = pieces(["WINDOW ", *defined]) if len(defined) == 1 else _one_a_line(defined)
    printer.windows, printer.named = [], None
    return made, clause


def share_in_block(
    printer: ExpressionPrinter,
    block: Block,
    items: list[Fragment],
    kept: list[Fragment],
    qualify: Callable[[], list[Fragment]],
) -> tuple[list[Fragment], list[Fragment], Fragment | None]:
    """The last columns of SELECT and the terms of QUALIFY with named windows, and WINDOW.

    Args:
        printer: prints the block's expressions.
        block: the block.
        items: the columns as they are without names.
        kept: the terms as they are without names.
        qualify: prints the terms.
    """
    columns = block.columns
    first = len(columns) - len(items)
    places = [place for place, column in enumerate(columns[first:]) if _is_rewritable(column)]
    rewritable = not any(
        inlined_features(features_of(term.expression), term.env.columns).subquery
        for term in block.qualify
    )

    def write() -> tuple[list[Fragment], list[Fragment]]:
        made = [printer.column(columns[first + place]) for place in places]
        return made, qualify() if rewritable else kept

    taken = {name.lower() for relation in block.relations for name in relation.columns}
    taken.update(map(str.lower, block.names))
    (made, kept), clause = share_windows(printer, write, taken)
    named = dict(zip(places, made, strict=True))
    return [named.get(place, item) for place, item in enumerate(items)], kept, clause


def _is_rewritable(column: Column) -> bool:
    """Whether the column holds a window, and no sub-query, which can be folded only once."""
    if not isinstance(column, BoundColumn):
        return False
    return column.features.window and not column.features.subquery


def _one_a_line(windows: Sequence[Fragment]) -> Fragment:
    def layout(indent: int) -> str:
        pad = "\n" + " " * (indent + 2)
        return "WINDOW" + ",".join(pad + window.render(indent + 2, 1) for window in windows)

    return Fragment(None, Binding.PRIMARY, layout)


def _names(count: int, taken: Collection[str]) -> list[str]:
    """``w``, ``w2``, … without those that are taken."""
    names: list[str] = []
    number = 1
    while len(names) < count:
        name = _NAME if number == 1 else f"{_NAME}{number}"
        if name not in taken:
            names.append(name)
        number += 1
    return names
