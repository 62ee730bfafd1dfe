"""Spark's grammar: text to what was written. Names mean nothing here yet."""

from __future__ import annotations

from viewscribe.parser.grammar.pipes import PipeGrammar
from viewscribe.parser.grammar.words import LENGTHS, Reading
from viewscribe.parser.syntax import QueryOf

__all__ = ["LENGTHS", "PipeGrammar", "Reading", "read_query"]


def read_query(text: str, reading: Reading | None = None, start: int = 0) -> QueryOf:
    """What a query says, which begins at ``start`` and ends with the text.

    Raises:
        SqlSyntaxError: the text is no query of Spark's.
    """
    grammar = PipeGrammar(text, reading or Reading())
    grammar.skip_to(start)
    return grammar.statement()
