"""Text to tokens, as Spark's lexer cuts it (``SqlBaseLexer.g4``)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from string import ascii_letters, digits
from typing import NamedTuple

from viewscribe.errors import SqlSyntaxError
from viewscribe.types import lexemes
from viewscribe.types.arguments import require_text

WORD, QUOTED, STRING, NUMBER, SYMBOL, HINT, END = (
    "word",
    "quoted",
    "string",
    "number",
    "symbol",
    "hint",
    "end",
)

_TOKEN = re.compile(
    rf"""
    (?P<blank>{lexemes.BLANK}|{lexemes.LINE_COMMENT})
  | (?P<string>{lexemes.STRING})
  | (?P<number>
        [0-9]+[eE][+-][0-9]+(?:[bB][dD]|[fFdD])?
      | (?: [0-9]+[eE][0-9]+(?:[bB][dD]|[fFdD])?
          | (?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:[bB][dD]|[fFdD])?
          | [0-9]+(?:[bB][dD]|[lLsSyYfFdD])?
        )(?![A-Za-z0-9_])
    )
  | (?P<word>[A-Za-z0-9_]+)
  | (?P<quoted>{lexemes.QUOTED})
  | (?P<hint>/\*\+)
  | (?P<comment>/\*)
  | (?P<shift>>>>?)
  | (?P<symbol><=>|<=|>=|<>|==|!=|!<|!>|\|\||\|>|->|=>|::|<<|\*/|:(?!//)|[-+*/%&|~^()\[\]<>=,;.?!])
    """,
    re.VERBOSE | re.DOTALL,
)
"""The tokens of Spark's lexer, but for the end of a comment, and those that no query of ours has:
names with other letters than A to Z, paths, strings between dollar signs, and ``@``."""

_COMMENT_EDGE = re.compile(r"/\*(?!\+)|\*/")
_HALF = re.compile("[\ud800-\udfff]")
_TYPES = frozenset(("ARRAY", "MAP", "STRUCT"))
QUERY_WORDS = frozenset(("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"))
"""First words of queries."""


class Token(NamedTuple):
    """One token.

    Args:
        kind: what it is.
        word: its letters in capitals, or the symbol; empty for what is quoted, and at the end.
        text: as it was typed.
        start: the offset of its first character.
    """

    kind: str
    word: str
    text: str
    start: int


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, the last of kind ``END``.

    Raises:
        SqlSyntaxError: a character that begins no token, a comment or string without end.
    """
    if not text.isascii() and (half := _HALF.search(text)):
        raise syntax_error(text, half.start(), "half a character is no text to Spark")
    tokens: list[Token] = []
    add, new = tokens.append, tuple.__new__  # half the time of the named one
    match, place, size = _TOKEN.match, 0, len(text)
    open_types = counted = 0
    while place < size:
        found = match(text, place)
        if found is None:
            raise _unknown(text, place)
        kind = found.lastgroup
        end = found.end()
        if kind == "blank":
            pass
        elif kind == "word":
            typed = text[place:end]
            add(new(Token, (WORD, typed.upper(), typed, place)))
        elif kind == "symbol":
            typed = text[place:end]
            add(new(Token, (SYMBOL, typed, typed, place)))
        elif kind == "comment":
            end = _comment_end(text, place)
        elif kind == "shift":
            open_types, counted = _count_types(open_types, tokens[counted:]), len(tokens)
            end = place + 1 if open_types else end
            add(Token(SYMBOL, text[place:end], text[place:end], place))
        elif kind == "hint":
            add(Token(HINT, "/*+", "/*+", place))
        else:
            assert kind is not None
            add(Token(kind, "", text[place:end], place))
        place = end
    add(Token(END, "", "", size))
    return tokens


def skip_blanks(text: str, place: int = 0) -> int:
    """The offset of the first token from a place on; that of the end where there is none.

    Raises:
        SqlSyntaxError: a comment without end.
    """
    while (found := _TOKEN.match(text, place)) and found.lastgroup in ("blank", "comment"):
        place = _comment_end(text, place) if found.lastgroup == "comment" else found.end()
    return place


def word_at(text: str, place: int) -> str:
    """The word that begins at a place, in capitals; empty where something else stands."""
    found = _TOKEN.match(text, place)
    return found[0].upper() if found and found.lastgroup == WORD else ""


def begins_query(text: str) -> bool:
    """Whether the first word of a text is that of a query.

    Raises:
        SqlSyntaxError: a comment without end.
    """
    return word_at(text, skip_blanks(text)) in QUERY_WORDS


def _count_types(count: int, tokens: Iterable[Token]) -> int:
    """How many types are open behind further tokens, in which ``>>`` is two ends of types.

    To Spark each ARRAY, MAP and STRUCT begins a type, the function ``array`` too.
    """
    for token in tokens:
        if token.word in _TYPES:
            count += 1
        elif token.word == ">" and count:
            count -= 1
    return count


def _comment_end(text: str, start: int) -> int:
    """Where a comment ends; comments nest, but not hints."""
    depth, place = 0, start
    while True:
        edge = _COMMENT_EDGE.search(text, place)
        if edge is None:
            raise syntax_error(text, start, "this comment has no end", hint="close it with */")
        depth += 1 if edge[0] == "/*" else -1
        place = edge.end()
        if depth == 0:
            return place


def _unknown(text: str, place: int) -> SqlSyntaxError:
    character = text[place]
    if character in "'\"`":
        what = "name between backticks" if character == "`" else "string"
        return syntax_error(
            text, place, f"this {what} has no end", hint=f"close it with {character}"
        )
    if character.isalpha():
        place = len(text[:place].rstrip(f"{ascii_letters}{digits}_"))
        return _unquoted(text, place, "a name with other letters than A to Z")
    if character == ":":
        return _unquoted(text, place, "a path, which holds ://,")
    return syntax_error(text, place, f"{character!r} begins nothing in SQL")


def _unquoted(text: str, place: int, what: str) -> SqlSyntaxError:
    return syntax_error(text, place, f"{what} stands between backticks", hint="write `…`")


class Position(NamedTuple):
    """A place in a text; both numbers count from 1."""

    line: int
    column: int


def position(text: str, offset: int) -> Position:
    """The line and column of an offset."""
    starts = [0, *[each.end() for each in re.finditer(r"\n", text)]]
    line = bisect_right(starts, offset)
    return Position(line, offset - starts[line - 1] + 1)


def syntax_error(text: str, offset: int, message: str, hint: str | None = None) -> SqlSyntaxError:
    """The error for a place of a text: line and column, and the line with a caret under it."""
    return SqlSyntaxError(message, location=show_place(text, offset), hint=hint)


_VARIABLE = re.compile(r"\$\{\S+?\}")


def refuse_variables(text: str) -> None:
    """Refuses a text in which Spark puts the values of variables before it reads it.

    Raises:
        SqlSyntaxError: names the variable.
    """
    require_text(text, "SQL")
    found = _VARIABLE.search(text)
    if found is not None:
        raise syntax_error(
            text,
            found.start(),
            f"Spark puts the value of a variable in the place of {found[0]}",
            "write the value, or a parameter: :name, with args={…}; in a string, \\u0024{ is no "
            "variable",
        )


def show_place(text: str, offset: int) -> str:
    """``line 2, column 8`` and the line with a caret."""
    line, column = position(text, offset)
    written = text.split("\n")[line - 1].rstrip("\r")
    first = max(0, column - 61)
    shown = written[first : first + 100].replace("\t", " ")  # else the caret stands elsewhere
    caret = " " * (column - 1 - first) + "^"
    return f"line {line}, column {column}\n    {shown}\n    {caret}"
