"""What a SQL text reaches besides the tables of catalogs: paths of files, and some functions.

It reads tokens and no grammar, so that nothing hides in syntax that a parser does not know. A name
of two parts where a table stands is a path if it looks like one, or if the first part is a format.
Double quotes count as those of a name: a setting of the view, or of the session, can make them so.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.operations.only_queries import Token, read_tokens

_RUNS = "runs any method of any class in Spark's own process"
_TELLS = "tells which files are read, and where they lie"

FUNCTIONS = {
    **dict.fromkeys(("reflect", "java_method", "try_reflect"), _RUNS),
    **dict.fromkeys(
        ("input_file_name", "input_file_block_start", "input_file_block_length"), _TELLS
    ),
}
"""Functions that reach out of the query, and what they do there."""

PROTOBUF = frozenset(("from_protobuf", "to_protobuf"))
"""Functions that read a file where they are given its name."""

_HIVE = "org.apache.hadoop.hive.ql.udf.generic."
CLASSES = frozenset(
    f"{_HIVE}{name}" for name in ("GenericUDFReflect", "GenericUDFReflect2", "GenericUDFInFile")
)
"""Classes that Hive brings along and that do the same, or read a file, under any name."""

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


def descriptors_read(text: str) -> Iterator[str]:
    """The files that calls of ``PROTOBUF`` functions read their descriptors from.

    The third argument is one, unless it holds the descriptors themselves, ``X'0a…'``.
    """
    before = ""
    calls: list[list[list[str]]] = []  # the arguments of each call that is open, innermost last
    depths: list[int] = []
    for token in read_tokens(text):
        if depths and token.text == ")" and token.depth == depths[-1]:
            depths.pop()
            yield from _descriptor_files(calls.pop())
        elif depths and token.text == "," and token.depth == depths[-1] + 1:
            calls[-1].append([])
        elif token.text == "(" and before in PROTOBUF:
            calls.append([[]])
            depths.append(token.depth)
        elif calls:
            calls[-1][-1].append(token.text)
        before = _name(token).lower()


def _descriptor_files(arguments: list[list[str]]) -> Iterator[str]:
    for each in arguments[2:]:
        if not _holds_descriptors(each):
            yield each[0].strip("'\"") if len(each) == 1 else " ".join(each)


def _holds_descriptors(argument: list[str]) -> bool:
    """Whether it is ``X'…'``, NULL, or a map of options and nothing more."""
    first = argument[0].upper() if argument else ""
    if first != "MAP":
        return (first == "NULL" and len(argument) == 1) or (first == "X" and len(argument) == 2)
    closing = ")" in argument and argument.index(")")
    return argument.count("(") == 1 and closing == len(argument) - 1


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
