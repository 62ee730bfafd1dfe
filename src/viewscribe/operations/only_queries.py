"""Whether a SQL text is a query and nothing else, as Spark's own lexer takes it apart.

``spark.sql(text)`` carries out what it is given: a text that somebody else wrote could drop a
database. So texts of catalogs are looked at before Spark sees them. A statement that begins with
SELECT, VALUES, TABLE or a parenthesis is a query in Spark's grammar; after WITH and FROM an INSERT,
UPDATE, DELETE or MERGE may follow. Where Spark's lexer and this one might differ, the text is
refused: nested comments, comments continued by a backslash, dollar quotes, signs beyond ASCII.
Blanks are what Spark 4.3 takes for blanks, no-break spaces and form feeds among them.

Grammar: ``SqlBaseLexer.g4`` and ``SqlBaseParser.g4`` of Spark 4.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from viewscribe.errors import ValidationError

NOT_A_QUERY = "NotAQueryError"
"""The code of the error for a text that may be other than a query."""

_QUERIES = frozenset(("SELECT", "VALUES", "TABLE"))
_CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE"))
_SCRIPTS = frozenset(("MAP", "REDUCE"))
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    | (?P<comment>--[^\r\n]* | /\*(?!\+)(?:[^*/]|\*(?!/)|/(?!\*))*\*/)
    | (?P<text>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.|"")*")
    | (?P<name>`(?:[^`]|``)*`)
    | (?P<word>\w+)
    | (?P<unclear>/\*(?!\+)|['"`$\\]|[^!-~])
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_BEHIND = "behind"
_USING = re.compile("using", re.IGNORECASE)


class Token(NamedTuple):
    """A word, a quoted text or a sign, and how deep in parentheses it stands."""

    kind: str
    text: str
    depth: int
    """Within how many parentheses it stands; a parenthesis itself stands outside of its own."""
    start: int
    """Where in the text it begins."""

    @property
    def end(self) -> int:
        """Where in the text it has ended."""
        return self.start + len(self.text)


class _UnclearError(Exception):
    """The lexer of Spark may take a text apart otherwise; says where."""


def require_query(text: str) -> None:
    """Refuses every text that Spark would carry out, and scripts of the shell in a query.

    Args:
        text: what would be given to ``spark.sql``.

    Raises:
        ValidationError: it is not a query, or nobody can be sure that it is.
    """
    try:
        first = next(_scan(text), None)  # the only one that a SELECT needs
    except _UnclearError as error:
        raise _refusal(str(error)) from None
    if first is None:
        raise _refusal("it is empty")
    word = first.text.upper()
    if word == "WITH":
        _require_query_after_steps(read_tokens(text))
    elif word == "FROM":
        _require_no_insert(read_tokens(text))
    elif word not in _QUERIES and word != "(":
        raise _refusal(f"it begins with `{first.text[:40]}`")
    require_no_script(text)


def one_expression(text: str) -> str:
    """A text that is to stand as one expression in a statement.

    Raises:
        ValidationError: as ``require_one_expression``.
    """
    require_one_expression(text)
    return text


def require_one_expression(text: str) -> None:
    """Refuses a text that would be more than one expression where a statement holds it.

    A parenthesis that closes what it did not open, a comma or a comment at its end would turn what
    follows into something else.

    Raises:
        ValidationError: nobody can be sure that it is one expression.
    """
    token = None
    for token in read_tokens(f"{text} {_BEHIND}"):
        if token.depth < 0 or (token.depth == 0 and token.text in (",", ";")):
            raise _refusal(f"`{text[:40]}` is not one expression")
    # Within a parenthesis or a comment, what follows the text would not be seen.
    if token is None or (token.text, token.depth) != (_BEHIND, 0):
        raise _refusal(f"`{text[:40]}` is not one expression")


def _require_query_after_steps(tokens: Iterator[Token]) -> None:
    """What follows the steps of WITH is the first word after a closing parenthesis.

    Between a name and its step there may be columns, AS and MAX RECURSION LEVEL.
    """
    closed = False
    for token in tokens:
        if closed and token.kind == "word" and token.text.upper() not in ("AS", "MAX"):
            word = token.text.upper()
            if word in _CHANGES or word in _SCRIPTS:
                raise _refusal(f"its WITH is followed by {word}")
            if word == "FROM":
                _require_no_insert(tokens)
            return
        closed = token.text == ")" and token.depth == 0


def _require_no_insert(tokens: Iterator[Token]) -> None:
    """``FROM t INSERT …`` changes a table, ``FROM t MAP …`` runs a script."""
    before = ""
    for token in tokens:
        word = token.text.upper() if token.kind == "word" and token.depth == 0 else ""
        if before == "INSERT" and word in ("INTO", "OVERWRITE"):
            raise _refusal("its FROM is followed by INSERT")
        before = word


def require_no_script(text: str) -> None:
    """Refuses ``SELECT TRANSFORM(…) USING 'script'``, which runs a script; so do MAP and REDUCE.

    A query can hold it anywhere, and so can the body of a function. USING of a join is followed by
    a parenthesis.

    Raises:
        ValidationError: the text runs a script.
    """
    if not _USING.search(text):
        return
    before = ""
    for token in read_tokens(text):
        if before == "USING" and token.kind == "text":
            raise _refusal(f"it runs the script {token.text[:40]}")
        before = token.text.upper() if token.kind == "word" else ""


def read_tokens(text: str) -> Iterator[Token]:
    """The words, quoted texts and signs of a text.

    Raises:
        ValidationError: what follows the last token is not clear.
    """
    tokens, unclear = _read(text)
    yield from tokens
    if unclear is not None:
        raise _refusal(unclear)


def require_clear(text: str) -> None:
    """Refuses a text of which it is not clear how Spark takes it apart.

    Raises:
        ValidationError: as ``read_tokens``.
    """
    unclear = _read(text)[1]
    if unclear is not None:
        raise _refusal(unclear)


@lru_cache(maxsize=4)
def _read(text: str) -> tuple[list[Token], str | None]:
    """The tokens of a text, and why there are no more; it is asked several things in a row."""
    tokens: list[Token] = []
    try:
        tokens.extend(_scan(text))
    except _UnclearError as error:
        return tokens, str(error)
    return tokens, None


def _scan(text: str) -> Iterator[Token]:
    depth = at = 0
    while at < len(text):
        raw = text[at] in "rR" and text[at + 1 : at + 2] in ("'", '"')
        found = _TOKEN.match(text, at)
        assert found is not None
        kind, token = str(found.lastgroup), found[0]
        if raw:
            # In R'…' a backslash is one. The regular expression took the R alone for a word.
            end = text.find(text[at + 1], at + 2)
            kind, token = ("unclear", text[at]) if end < 0 else ("text", text[at : end + 1])
        at += len(token)
        if kind == "comment" and token.startswith("--") and token.endswith("\\"):
            kind = "unclear"
        if kind == "unclear":
            raise _UnclearError(f"what `{token[:40]}` means in it is not clear")
        if kind in ("blank", "comment"):
            continue
        if token == ")":
            depth -= 1
        yield Token(kind, token, depth, at - len(token))
        if token == "(":
            depth += 1


def _refusal(why: str) -> ValidationError:
    return ValidationError(
        f"the text is not given to Spark, for it may be other than a query: {why}",
        code=NOT_A_QUERY,
        hint="look at it; what is not a query you can run yourself: spark.sql(…)",
    )
