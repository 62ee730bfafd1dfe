"""SQL text that is no query: Spark runs a command at once, and a recording runs nothing."""

from __future__ import annotations

import re
from typing import Any

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.parser.grammar import read_query
from viewscribe.parser.tokens import QUERY_WORDS, skip_blanks, tokenize, word_at

_CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE"))
_TEMPORARY_VIEW = re.compile(r"CREATE\s+(OR\s+REPLACE\s+)?(GLOBAL\s+)?TEMP(ORARY)?\s+VIEW\b", re.I)

_HINTS = {
    "SET": "set it before: a view is stored with the settings of its environment",
    "RESET": "set it before: a view is stored with the settings of its environment",
    "USE": 'name the database with each table: spark.table("database.table")',
    "DECLARE": "pass the value in as an argument of the pipeline: no view knows session variables",
}
_OTHERS = "run it outside of the pipeline, which only says its steps"


def refuse_command(relation: object) -> None:
    """Refuses the text of ``spark.sql(…)`` that is not a query.

    Args:
        relation: the message with the text.

    Raises:
        CaptureError: names the command, and says what to do instead.
    """
    text = _text(relation)
    if text is None or not _is_command(text):
        return
    start = text[_first_word(text) :]
    hint = _HINTS.get(word_at(start, 0), _OTHERS)
    if _TEMPORARY_VIEW.match(start):
        hint = 'make it of a DataFrame: spark.sql("SELECT …").createOrReplaceTempView("…")'
    shown = " ".join(start.split())
    raise CaptureError(
        f"the pipeline runs a command while it is recorded: {_shorten(shown)}",
        location="spark.sql",
        hint=hint,
    )


def _text(relation: Any) -> str | None:
    kind = relation.WhichOneof("rel_type")
    if kind == "with_relations":
        return _text(relation.with_relations.root)
    return str(relation.sql.query) if kind == "sql" else None


def _is_command(text: str) -> bool:
    """Whether a text is no query; one that does not parse is refused where it is used."""
    if word_at(text, _first_word(text)) not in QUERY_WORDS:
        return True
    try:
        read_query(text)
    except ValidationError:
        return ";" in text.rstrip().rstrip(";") or _holds_change(text)
    return False


def _holds_change(text: str) -> bool:
    """Whether a word of what is no query to the parser says that it changes a table."""
    try:
        return any(each.word in _CHANGES for each in tokenize(text))
    except ValidationError:
        return False


def _first_word(text: str) -> int:
    """Where the first token stands behind opening parentheses."""
    place = skip_blanks(text)
    while text.startswith("(", place):
        place = skip_blanks(text, place + 1)
    return place


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
