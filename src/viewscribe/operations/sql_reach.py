"""What a SQL text reaches besides the tables of catalogs: paths of files, and some functions.

It reads tokens and no grammar, so that nothing hides in syntax that a parser does not know. A name
of two parts where a table stands is a path if it looks like one, or if the first part is a format.
Double quotes count as those of a name: a setting of the view, or of the session, can make them so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from viewscribe.operations.only_queries import Token, read_tokens, require_clear

_RUNS = "runs any method of any class in Spark's own process"
_TELLS = "tells which files are read, and where they lie"
_LOGS = "tells what the Python functions of the session wrote to their logs"
_FOLLOWS = "loads what the document type of its XML names, a file or an address"

FUNCTIONS = {
    **dict.fromkeys(("reflect", "java_method", "try_reflect"), _RUNS),
    **dict.fromkeys(
        ("input_file_name", "input_file_block_start", "input_file_block_length"), _TELLS
    ),
    "python_worker_logs": _LOGS,
    **dict.fromkeys(
        (
            *("xpath", "xpath_boolean", "xpath_double", "xpath_float", "xpath_int", "xpath_long"),
            *("xpath_number", "xpath_short", "xpath_string"),
        ),
        _FOLLOWS,
    ),
}
"""Functions that reach out of the query, and what they do there."""

_NAMES_A_FILE = "reads or loads what its options name, a file, an address or a class"

WITH_OPTIONS = {
    **dict.fromkeys(("from_xml", "from_avro", "from_json", "from_csv"), 2),
    **dict.fromkeys(("schema_of_xml", "schema_of_avro", "schema_of_json", "schema_of_csv"), 1),
    **dict.fromkeys(("to_xml", "to_json", "to_csv"), 1),
}
"""Functions with an option that names a file or a class, and behind how many arguments they are."""

_REACHING = frozenset(("rowvalidationxsdpath", "avroschemaurl"))
_OF_CODECS = frozenset(("compression", "codec"))
_SHORT_NAME = re.compile(r"\w*", re.ASCII)

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
        *("excel", "tfrecord", "tfrecords", "geoparquet", "shapefile", "cobol", "deltasharing"),
    )
)
_BEFORE_TABLE = frozenset(("FROM", "JOIN", "TABLE", "LATERAL", "STREAM"))
_BEFORE_BY = frozenset(("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"))
_BEFORE_SELECT = frozenset(
    ("", "(", "|>", "UNION", "EXCEPT", "MINUS", "INTERSECT", "ALL", "DISTINCT", "NAME")
)
_OF_PATHS = frozenset("/\\:*")


def _mentions(text: str, words: Iterable[str]) -> bool:
    """Whether some of these words, in lower case, are anywhere in a text: if not, no token is one.

    A name between quotes in which quotes are doubled is longer than what it stands for, but holds
    a quote in it, as none of the words does.
    """
    lower = text.lower()
    return any(word in lower for word in words)


def _tokens_if(likely: bool, text: str) -> Iterable[Token]:
    """The tokens of a text, or none where it is known that nothing would be found among them.

    Raises:
        ValidationError: it is not clear how Spark takes the text apart.
    """
    if likely:
        return read_tokens(text)
    require_clear(text)
    return ()


def computes_names(text: str) -> bool:
    """Whether a text works out names while Spark reads it: ``IDENTIFIER('text.`/x`')``."""
    before = ""
    for token in _tokens_if("IDENTIFIER" in text.upper(), text):
        if token.text == "(" and before == "IDENTIFIER":
            return True
        before = token.text.upper() if token.kind == "word" else ""
    return False


def functions_called(text: str) -> Iterator[str]:
    """The functions among ``FUNCTIONS`` that a text calls."""
    before = None
    for token in _tokens_if(_mentions(text, FUNCTIONS), text):
        if token.text == "(" and before is not None and _name(before).lower() in FUNCTIONS:
            yield _name(before)
        before = token


def catalog_functions_called(text: str) -> Iterator[tuple[str, ...]]:
    """The calls by a name of two or more parts that is not of the session's own catalog.

    A catalog of Spark's may have functions itself, ``lake.system.bucket``, and calling one runs
    whatever class the catalog has it in. Of two parts the first may be a database as well.
    """
    name: list[str] = []
    joined = False
    for token in read_tokens(text):
        if token.text == "(" and len(name) > 1 and not joined:
            before = [each.lower() for each in name[:-1]]
            if before[0] != "spark_catalog" and before not in _OF_SPARK:
                yield tuple(name)
            name = []
        elif token.text == ".":
            joined = bool(name)
        elif token.kind in ("word", "name") or token.text.startswith('"'):
            name = [*name, _name(token)] if joined else [_name(token)]
            joined = False
        else:
            name, joined = [], False


_OF_SPARK = (["builtin"], ["session"], ["system", "builtin"], ["system", "session"])


def does(function: str) -> str:
    """What a function does that reaches out of the query."""
    return FUNCTIONS.get(function.lower(), _NAMES_A_FILE)


def is_plain_option(name: str, value: str) -> bool:
    """Whether an option names no file, and no class."""
    return name.lower() not in _REACHING and not names_a_class(name, value)


def names_a_class(option: str, value: str) -> bool:
    """Whether an option has Spark load a class: a codec has a short name, ``gzip``, or is one.

    It is loaded when the options are read, whether anything is written with it or not.
    """
    return option.lower() in _OF_CODECS and not _SHORT_NAME.fullmatch(value.strip())


def options_read(text: str) -> Iterator[str]:
    """The calls of functions whose options name a file, or are not written out."""
    for name, arguments in _arguments_of(text, WITH_OPTIONS):
        if not all(map(_are_plain_options, arguments[WITH_OPTIONS[name] :])):
            yield name


def _are_plain_options(argument: list[str]) -> bool:
    """Whether it is ``map('key', 'value', …)`` of plain texts, none of which names a file."""
    if [each.upper() for each in argument[:2]] != ["MAP", "("] or argument[-1] != ")":
        return False
    inner = argument[2:-1]
    given, commas = inner[::2], inner[1::2]
    if not all(each[0] in "'\"" and "\\" not in each for each in given):
        return False
    keys, values = ([each[1:-1] for each in given[start::2]] for start in (0, 1))
    return set(commas) <= {","} and all(map(is_plain_option, keys, values))


def table_options(text: str) -> Iterator[tuple[str, str]]:
    """The options that a text gives to the tables it reads: ``t WITH ('a' = 'b')``."""
    before = ""
    depth: int | None = None
    option: list[Token] = []
    for token in _tokens_if("WITH" in text.upper(), text):
        if depth is None:
            depth = token.depth if token.text == "(" and before == "WITH" else None
        elif token.text == "," or token.depth == depth:
            name, written = _option_name(option)
            yield name, "".join(each.text for each in option[written:]).strip("='\"")
            option = []
            depth = depth if token.text == "," else None
        else:
            option.append(token)
        before = token.text.upper() if token.kind == "word" else ""


def _option_name(option: list[Token]) -> tuple[str, int]:
    """What stands before the value, a text or a name of several parts, and of how many tokens."""
    name = ""
    for place, token in enumerate(option):
        if token.kind == "sign" and token.text != ".":
            return name, place
        if name and token.text != "." and not name.endswith("."):
            return name, place
        name += token.text[1:-1] if token.kind == "text" else _name(token)
    return name, len(option)


def descriptors_read(text: str) -> Iterator[str]:
    """The files that calls of ``PROTOBUF`` functions read their descriptors from.

    The third argument is one, unless it holds the descriptors themselves, ``X'0a…'``.
    """
    for _, arguments in _arguments_of(text, PROTOBUF):
        yield from _descriptor_files(arguments)


def _arguments_of(text: str, functions: Collection[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """The calls of some functions, each with the tokens of its arguments."""
    before = ""
    calls: list[tuple[str, list[list[str]]]] = []  # those that are open, innermost last
    depths: list[int] = []
    for token in _tokens_if(_mentions(text, functions), text):
        if depths and token.text == ")" and token.depth == depths[-1]:
            depths.pop()
            yield calls.pop()
        elif depths and token.text == "," and token.depth == depths[-1] + 1:
            calls[-1][1].append([])
        elif token.text == "(" and before in functions:
            calls.append((before, [[]]))
            depths.append(token.depth)
        elif calls:
            calls[-1][1][-1].append(token.text)
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
    # Only a name between quotes has signs in it.
    likely = "`" in text or '"' in text or _mentions(text, _SOURCES)
    for name, rest in _tables(_tokens_if(likely, text)):
        if len(rest) == 1 and is_path(name, rest[0]):
            yield name, rest[0]


def is_path(name: str, rest: str) -> bool:
    """Whether a name of two parts is that of a file or directory: ``csv.`/data/x` ``.

    A format may be called by its class, ``com.example.Format``; databases have no dots.
    """
    return name.lower() in _SOURCES or "." in name or bool(_OF_PATHS & set(rest))


def is_place(parts: Sequence[str]) -> bool:
    """Whether a name is surely a path, as no catalog has names with slashes."""
    return len(parts) == 2 and "/" in parts[1] and is_path(*parts)


def _tables(tokens: Iterable[Token]) -> Iterator[tuple[str, list[str]]]:
    """The names of several parts that stand where a table can: the first part, and the others."""
    listing: set[int] = set()
    expected = False
    parts: list[str] = []
    dotted = False
    before = ""
    for token in tokens:
        last, before = before, token.text.upper()
        before = "|>" if (last, before) == ("|", ">") else before
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
        word = before if token.kind == "word" else ""
        if word in _BEFORE_TABLE:
            expected = True
            listing.add(token.depth)
        elif _ends_tables(word, last, inside=token.depth in listing):
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


def _ends_tables(word: str, last: str, *, inside: bool) -> bool:
    """Whether a comma behind this word is followed by no table.

    Nearly every keyword can be a name, too: ``FROM a AS group, b``, ``FROM a where(x), b``. So only
    what can be nothing else ends a list of tables; WHERE, HAVING and LIMIT have no commas.
    """
    if word == "BY":
        return last in _BEFORE_BY
    if last == "|>":  # a step of a pipe
        return True
    return word == "SELECT" and (last in _BEFORE_SELECT or (last == ")" and not inside))


def _name(token: Token) -> str:
    if token.text.startswith('"'):
        return token.text[1:-1].replace('""', '"')
    return token.text[1:-1].replace("``", "`") if token.kind == "name" else token.text
