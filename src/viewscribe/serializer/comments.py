"""Comments of SQL: what stands in them, and which pieces of a query they stand behind.

Comments never count for the layout: without them the text is the very text that is made without
notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from viewscribe.operations.kinds import Clause
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    Column,
    Condition,
    Env,
    FromItem,
    JoinItem,
)
from viewscribe.serializer.features import features_of
from viewscribe.serializer.fragments import Fragment

_UNFIT = re.compile(r"[^\w .,:/()<>\[\]=+@~-]|--+")
"""What no comment holds.

Line breaks would end one, and a backslash before one would not: Spark then goes on with the
comment on the next line. Spark replaces ``${…}`` in comments too, and clients that cut a text into
statements stumble over quotes and semicolons.
"""


def comment(texts: Iterable[str | None]) -> str:
    """`` -- a, b`` for the end of a line; nothing where there is no text."""
    known = dict.fromkeys(text for text in texts if text)
    return f" -- {', '.join(_UNFIT.sub('_', text) for text in known)}" if known else ""


class _CommentedFragment(Fragment, eq=False):
    """A fragment that ends its line, with a comment behind it that no layout counts."""

    inner: Fragment = msgspec.field(default_factory=lambda: Fragment(""))
    behind: str = ""

    def render(self, indent: int = 0, reserve: int = 0) -> str:
        return self.inner.render(indent, reserve) + self.behind


def with_comment(fragment: Fragment, behind: str) -> Fragment:
    """The fragment with a comment behind it."""
    if not behind:
        return fragment
    return _CommentedFragment(fragment.text, fragment.binding, fragment.layout, fragment, behind)


def comment_at(block: Block, clause: Clause) -> str:
    """The comment behind a clause of a block."""
    return comment(block.origins.get(clause, ())) if block.origins else ""


def comment_behind(item: FromItem) -> str:
    """The comment behind an item of FROM."""
    if not isinstance(item, JoinItem):
        return comment(item.origins) if item.origins else ""
    inside = [text for bound in item.conditions for text in origins_of_condition(bound)]
    return comment([*item.right.origins, *inside, *item.origins])


def origins_of_condition(bound: Condition) -> Sequence[str]:
    """The origins of a condition, and before it those of the columns that are written into it."""
    if not bound.origins:
        return ()
    return [*origins_within(bound.expression, bound.env), *bound.origins]


def origins_of_column(column: Column) -> Sequence[str]:
    """The origins of a column, and before it those of the columns that are written into it."""
    if not isinstance(column, BoundColumn):
        return column.origins
    return [*origins_within(column.expression, column.env), *column.origins]


def origins_within(expression: Any, env: Env) -> list[str]:
    """The origins of the columns that are written into an expression."""
    found: list[str] = []
    seen: set[int] = set()
    pending = [(expression, env.columns)]
    while pending:
        current, columns = pending.pop()
        for index in features_of(current).refs:
            column = columns[index]
            if isinstance(column, BoundColumn) and id(column) not in seen:
                seen.add(id(column))
                found[:0] = column.origins
                pending.append((column.expression, column.env.columns))
    return found
