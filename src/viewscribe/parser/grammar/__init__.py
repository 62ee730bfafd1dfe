"""Spark's grammar: text to what was written. Names mean nothing here yet."""

from __future__ import annotations

from viewscribe.parser.grammar.cursor import Reading
from viewscribe.parser.grammar.pipes import PipeGrammar
from viewscribe.parser.syntax import QueryOf

__all__ = ["PipeGrammar", "Reading", "read_query"]


def read_query(text: str, reading: Reading | None = None) -> QueryOf:
    """What a query says.

    Raises:
        SqlSyntaxError: the text is no query of Spark's.
    """
    return PipeGrammar(text, reading or Reading()).statement()
