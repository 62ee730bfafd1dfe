"""What a SQL text reaches besides the tables of catalogs: paths of files, and some functions.

It reads tokens and no grammar, so that nothing hides in syntax that a parser does not know. A name
of two parts where a table stands is a path if it looks like one, or if the first part is a format.
Double quotes count as those of a name: a setting of the view, or of the session, can make them so.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.operations.only_queries import Token, read_tokens

FUNCTIONS = frozenset(("reflect", "java_method", "try_reflect"))
"""Functions that call any method of any class in Spark's own process."""

_SOURCES = frozenset(
    (
        *("parquet", "orc", "avro", "csv", "json", "text", "xml", "hive", "jdbc", "binaryfile"),
        *("image", "libsvm", "delta", "iceberg", "hudi", "kafka", "socket", "rate", "console"),
        *("noop", "python", "statestore", "state-metadata", "lance", "paimon"),
    )
)
_BEFORE_TABLE = frozenset(("FROM", "JOIN", "TABLE", "LATERAL", "STREAM"))
_AFTER_FROM = frozenset(
    (
        *("SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT"),
        *("UNION", "EXCEPT", "MINUS", "INTERSECT", "WINDOW", "QUALIFY"),
        *("EXTEND", "AGGREGATE", "SET", "DROP", "RENAME"),  # of pipes
    )
)
_OF_PATHS = frozenset("/\\:*")


def computes_names(text: str) -> bool:
    """Whether a text works out names while Spark reads it: ``IDENTIFIER('text.`/x`')``."""
    before = ""
    for token in read_tokens(text):
        if token.text == "(" and before == "IDENTIFIER":
            return True
        before = token.text.upper() if token.kind == "word" else ""
    return False


def functions_called(text: str) -> Iterator[str]:
    """The functions among ``FUNCTIONS`` that a text calls."""
    before = None
    for token in read_tokens(text):
        if token.text == "(" and before is not None and _name(before).lower() in FUNCTIONS:
            yield _name(before)
        before = token


def paths_read(text: str) -> Iterator[tuple[str, str]]:
    """The format and the path of each file or directory that a text reads: ``csv.`/data/x` ``."""
    for name, rest in _tables(text):
        if len(rest) == 1 and is_path(name, rest[0]):
            yield name, rest[0]


def is_path(name: str, rest: str) -> bool:
    """Whether a name of two parts is that of a file or directory: ``csv.`/data/x` ``."""
    return name.lower() in _SOURCES or bool(_OF_PATHS & set(rest))


def _tables(text: str) -> Iterator[tuple[str, list[str]]]:
    """The names of several parts that stand where a table can: the first part, and the others."""
    listing: set[int] = set()
    expected = False
    parts: list[str] = []
    dotted = False
    for token in read_tokens(text):
        if parts and token.text == ".":
            dotted = True
            continue
        if parts and dotted:
            parts.append(_name(token))
            dotted = False
            continue
        if parts:
            yield parts[0], parts[1:]
            parts = []
        word = token.text.upper() if token.kind == "word" else ""
        if word in _BEFORE_TABLE:
            expected = True
            listing.add(token.depth)
        elif word in _AFTER_FROM:
            expected = False
            listing.discard(token.depth)
        elif expected and (token.kind in ("word", "name") or token.text.startswith('"')):
            parts, expected = [_name(token)], False
        elif token.text == "(":
            if expected:  # FROM (a JOIN b)
                listing.add(token.depth + 1)
            else:
                listing.discard(token.depth + 1)
        else:
            expected = token.text == "," and token.depth in listing
    if parts:
        yield parts[0], parts[1:]


def _name(token: Token) -> str:
    if token.text.startswith('"'):
        return token.text[1:-1].replace('""', '"')
    return token.text[1:-1].replace("``", "`") if token.kind == "name" else token.text
