"""Strings of SQL text as Spark's grammar reads them, which sqlglot does otherwise.

``'it''s'`` is one string, a backslash begins an escape unless a setting says otherwise, and in
``r'\\d'`` nothing is one (``SparkParserUtils.unescapeSQLString``).
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

ESCAPED = "spark.sql.parser.escapedStringLiterals"
"""The setting by which a backslash is a character like any other."""

_PARTS = re.compile(
    r"""
    (?P<other>`(?:[^`]|``)*` | --[^\n]* | /\*.*?\*/)
    | (?<![\w$])(?P<raw>[rR])(?P<rawtext>'[^']*'|"[^"]*")
    | (?P<single>'(?:[^'\\]|\\.|'')*')
    | (?P<double>"(?:[^"\\]|\\.|"")*")
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))|''|\"\"", re.DOTALL
)
_CHARACTERS = {
    "0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_",
}  # fmt: skip


class Strings:
    """The text with a mark for each string that sqlglot would read otherwise.

    Args:
        text: an expression in SQL.
        escaped: whether the text has a backslash for itself wherever it stands.
    """

    def __init__(self, text: str, *, escaped: bool) -> None:
        self._escaped = escaped
        self._values: dict[str, str] = {}
        self.marked = _PARTS.sub(self._mark, text)

    def _mark(self, match: re.Match[str]) -> str:
        if match["other"]:
            return match[0]
        raw = match["raw"] is not None
        if raw and self._escaped:
            return match[0]  # Spark would keep a quote, so it is refused further on
        written = match["rawtext"] if raw else match[0]
        inner, quote = written[1:-1], written[0]
        if not raw and "\\" not in inner and quote * 2 not in inner:
            return match[0]
        mark = f"\ue000{len(self._values)}\ue000"
        self._values[mark] = inner if raw else self._value(inner, quote)
        return f"'{mark}'"

    def _value(self, inner: str, quote: str) -> str:
        if self._escaped:
            return inner.replace(quote * 2, quote)
        return _ESCAPES.sub(lambda match: _unescaped(match, quote), inner)

    def restore(self, tree: exp.Expression) -> None:
        """Puts the strings in the place of their marks."""
        for literal in tree.find_all(exp.Literal):
            value = self._values.get(literal.this) if literal.is_string else None
            if value is not None:
                literal.set("this", value)


def _unescaped(match: re.Match[str], quote: str) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    if match[3]:
        return chr(int(match[3], 8))
    if match[4] is None:  # two quotes
        return quote if match[0] == quote * 2 else match[0]
    return _CHARACTERS.get(match[4], match[4])


def joined(node: exp.Concat) -> str | None:
    """The string that strings beside each other are; None where it is a call of ``concat``."""
    parts: list[Any] = node.expressions
    if not all(isinstance(part, exp.Literal) and part.is_string for part in parts):
        return None
    return "".join(part.this for part in parts)
