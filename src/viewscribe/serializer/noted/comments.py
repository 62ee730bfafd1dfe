"""Comments of SQL that cannot change what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

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


class NotedFragment(Fragment, eq=False):
    """A fragment that ends its line, with a comment behind it that no layout counts."""

    inner: Fragment = msgspec.field(default_factory=lambda: Fragment(""))
    behind: str = ""

    def render(self, indent: int = 0, reserve: int = 0) -> str:
        return self.inner.render(indent, reserve) + self.behind


def noted(fragment: Fragment, behind: str) -> Fragment:
    """The fragment with a comment behind it."""
    if not behind:
        return fragment
    return NotedFragment(fragment.text, fragment.binding, fragment.layout, fragment, behind)
