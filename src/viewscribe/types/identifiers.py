"""Identifiers in Spark SQL: quoting them, and splitting dotted names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from viewscribe.errors import ValidationError
from viewscribe.types.arguments import require_text

# Words of Spark 4.3 that, without backticks, fail to parse or mean something else as the name of a
# column, table, view, alias, CTE or field, with spark.sql.ansi.enforceReservedKeywords on or off.
_WORDS = """
all and anti any as authorization both call case cast check collate collation collations column
constraint create cross current_date current_path current_schema current_time current_timestamp
current_user distinct else end escape except execute false fetch filter for foreign from full
grant group having identifier in inner intersect into is join lateral leading left localtime
minus natural not null offset on only or order outer overlaps primary recursive references right
select semi session_user some sql stream table then time to trailing true union unique unknown
user using when where with within
"""
RESERVED_WORDS = frozenset(_WORDS.split())

# Spark resolves these names as function calls without parentheses if no column has the name.
_LITERAL_FUNCTIONS = frozenset({"current_catalog", "current_database", "localtimestamp"})

CALLED_WITHOUT_PARENTHESES = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime"}
    | {"current_user", "session_user", "user"}
)
"""Functions that Spark calls by name alone, quoted or not, where a query has no such column itself:
before it looks for a column of the query around, so there a column of that name is qualified."""

_QUOTED_WORDS = RESERVED_WORDS | _LITERAL_FUNCTIONS
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)*)`|([^`.]+)")


def needs_quoting(name: str) -> bool:
    """Returns whether the name must be quoted in backticks."""
    return _PLAIN.fullmatch(name) is None or name.lower() in _QUOTED_WORDS


def quote_identifier(name: str) -> str:
    """Returns the name as SQL text, quoted only if necessary."""
    if not needs_quoting(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def quote_special(name: str) -> str:
    """Returns the name as in Spark's generated column names, which do not quote keywords."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def quote_name(parts: Iterable[str]) -> str:
    """Returns the dotted name as SQL text, each part quoted only if necessary."""
    return ".".join(map(quote_identifier, parts))


def parse_name(text: str) -> tuple[str, ...]:
    """Splits a dotted name into its parts, like ``col("`a.b`.c")``.

    A dot inside backticks belongs to the name, doubled backticks inside them stand for one, and
    blanks are kept.
    """
    require_text(text, "a name")
    parts: list[str] = []
    at = 0
    while match := _PART.match(text, at):
        quoted, plain = match.groups()
        parts.append(plain if quoted is None else quoted.replace("``", "`"))
        at = match.end()
        if at == len(text):
            return tuple(parts)
        if text[at] != ".":
            break
        at += 1
    if not text:
        return ("",)
    raise ValidationError(
        f"{text!r} is not a name",
        code="InvalidNameError",
        location=f"character {at + 1} of the name",
        hint="separate the parts by single dots; put a part with dots or backticks between "
        "backticks, and double the backticks in it",
    )
