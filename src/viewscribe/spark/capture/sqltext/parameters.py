"""Parameters of SQL text, ``:name`` and ``?``, replaced by the literals given for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import CaptureError


def bound(text: str, named: Mapping[str, str], placed: Sequence[str]) -> str:
    """The text with a literal for each parameter.

    Raises:
        CaptureError: a parameter without a value, or what may be none.
    """
    if not named and not placed:
        return text
    from sqlglot import TokenType
    from sqlglot.dialects.spark import Spark

    tokens = list(Spark().tokenize(text))
    edits: list[tuple[int, int, str]] = []
    count = 0
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.token_type is TokenType.PLACEHOLDER and placed:
            if count == len(placed):
                raise _missing("?")
            edits.append((token.start, token.end + 1, placed[count]))
            count += 1
        elif token.token_type is TokenType.COLON and after is not None and named:
            if after.start != token.end + 1 or _touches(tokens, place):
                continue
            if after.text not in named:
                raise _missing(f":{after.text}")
            edits.append((token.start, after.end + 1, named[after.text]))
    for start, end, value in reversed(edits):
        text = text[:start] + value + text[end:]
    return text


def _touches(tokens: Sequence[Any], place: int) -> bool:
    """Whether the colon follows something at once, as in ``doc:path``."""
    return (
        place > 0
        and bool(tokens[place - 1].end + 1 == tokens[place].start)
        and (tokens[place - 1].text not in ("(", ",", "=", "<", ">", "+", "-", "*", "/"))
    )


def _missing(name: str) -> CaptureError:
    return CaptureError(f"the parameter {name} of SQL text has no value", location="sql")
