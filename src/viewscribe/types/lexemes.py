"""Blanks, comments and strings as Spark's lexer finds them, and what its strings mean.

``'it''s'`` is one string, a backslash begins an escape unless a setting says otherwise, and in
``r'\\d'`` nothing is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

# The text that an author wrote, kept beside what it was read as: a witness of the reader.

SPARK_SQL = "spark-sql"


class AuthorText(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A query as its author wrote it, with what its meaning depends on.

    ``language`` is ``spark-sql`` or another engine's name. ``namespace`` is the catalog and the
    database where its names are meant, ``columns`` are the names that stand beside it, as in
    ``CREATE VIEW v (a, b) AS …``. ``settings`` are those of Spark that it was written for, where
    they are not the view's. ``origin`` says where it came from.
    """

    language: str = SPARK_SQL
    text: str
    namespace: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    origin: str | None = None


class Witness(NamedTuple):
    """A text beside the tree that it was read as; ``unasked`` is why Spark cannot be asked it."""

    text: AuthorText
    unasked: str = ""


BLANK = r"[\t-\r\ \xa0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000]+"
"""Not all that Unicode calls so: the others begin nothing."""

LINE_COMMENT = r"--[^\\\r\n]*+(?:\\\n?[^\\\r\n]*+)*+"
"""A backslash at the end of the line takes the next line in."""

FLAT_COMMENT = r"/\*(?!\+)(?:[^*/]|\*(?!/)|/(?!\*))*+\*/"
"""A comment that holds none: comments nest."""

STRING = (
    r"(?:[rR](?:'[^']*'|\"[^\"]*\")"
    r"|'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'|\"[^\"\\]*+(?:(?:\\.|\"\")[^\"\\]*+)*+\")"
)
QUOTED = r"`[^`]*+(?:``[^`]*+)*+`"

_ESCAPES = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_CHARACTERS = {
    "0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_",
}  # fmt: skip


def string_value(text: str, *, raw: bool = False) -> str:
    """The value of a string as it was typed, with its quotes.

    Args:
        text: the string.
        raw: ``spark.sql.parser.escapedStringLiterals``: nothing in a string is an escape.

    Raises:
        ValueError: an escape is no character, or half of one, in whose place Spark puts ``?``.
    """
    if raw:
        return text[1:-1]  # all that stands there: the first quote of r'…', too, and doubled ones
    if text[0] in "rR":
        return text[2:-1]
    quote, inner = text[0], text[1:-1]
    if "\\" not in inner:
        return inner.replace(quote * 2, quote) if quote in inner else inner
    pieces, place = [], 0
    for match in _ESCAPES.finditer(inner):
        pieces.append(inner[place : match.start()].replace(quote * 2, quote))
        pieces.append(_character(match))
        place = match.end()
    pieces.append(inner[place:].replace(quote * 2, quote))
    found = "".join(pieces)
    if _HALF.search(found):  # two halves are one character
        return found.encode("utf-16", "surrogatepass").decode("utf-16")
    return found


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or "0", 16)
    if code > sys.maxunicode:
        raise ValueError(f"{match[0]} is no character")
    if match[1] or match[2]:
        return chr(code)
    if match[3]:
        return chr(int(match[3], 8))
    return _CHARACTERS.get(match[4], match[4])
