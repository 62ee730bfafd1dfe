"""The texts of the sub-queries in an expression: what stands there, not what sqlglot prints."""

from __future__ import annotations

import re

_TOKENS = re.compile(
    r"""
    `(?:[^`]|``)*` | --[^\n]* | /\*.*?\*/
    | '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*"
    | (?P<open>\() | (?P<close>\)) | (?P<word>\w+)
    """,
    re.VERBOSE | re.DOTALL,
)
_FIRST = frozenset(("SELECT", "WITH", "FROM", "VALUES"))


def queries_in(text: str) -> list[str]:
    """The outermost queries in parentheses, in the order in which they stand."""
    found: list[str] = []
    opened: list[int] = []
    start: int | None = None
    previous = ""
    for match in _TOKENS.finditer(text):
        if match["open"]:
            opened.append(match.end())
        elif match["close"] and opened:
            begun = opened.pop()
            if start == begun:
                found.append(text[begun : match.start()].strip())
                start = None
        elif start is None and previous == "(" and (match["word"] or "").upper() in _FIRST:
            start = opened[-1]
        previous = match[0]
    return found
