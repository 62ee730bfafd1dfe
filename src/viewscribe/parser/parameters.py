"""Parameters of SQL text that stays text, ``:name`` and ``?``, replaced by their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.nodes import Literal
from viewscribe.parser.names import Edit, edit
from viewscribe.parser.tokens import QUOTED, WORD, Token, tokenize


def with_values(text: str, named: Mapping[str, Literal], placed: Sequence[Literal]) -> str:
    """The text with a literal for each parameter.

    Raises:
        ValidationError: a parameter without a value.
    """
    if not named and not placed:
        return text
    return edit(text, _edits(tokenize(text), named, placed))


def _edits(
    tokens: Sequence[Token], named: Mapping[str, Literal], placed: Sequence[Literal]
) -> Iterator[Edit]:
    values = iter(placed)
    for place, token in enumerate(tokens):
        if token.word == "?" and placed:
            value = next(values, None)
            if value is None:
                raise _missing_error("?")
            yield token.start, token.start + 1, value.as_serializable_string()
        elif token.word == ":" and named and not _follows_value(tokens, place):
            after = tokens[place + 1]
            if after.kind not in (WORD, QUOTED) or after.start != token.start + 1:
                continue
            name = after.text if after.kind == WORD else after.text[1:-1].replace("``", "`")
            if name not in named:
                raise _missing_error(f":{name}")
            end = after.start + len(after.text)
            yield token.start, end, named[name].as_serializable_string()


def _follows_value(tokens: Sequence[Token], place: int) -> bool:
    """Whether the colon follows something at once, as in ``doc:path``."""
    if place == 0:
        return False
    before = tokens[place - 1]
    touches = before.start + len(before.text) == tokens[place].start
    return touches and (before.kind != "symbol" or before.word in (")", "]"))


def _missing_error(name: str) -> ValidationError:
    return ValidationError(f"the parameter {name} of SQL text has no value", location="sql")
