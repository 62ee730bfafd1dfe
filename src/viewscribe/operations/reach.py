"""What a text names and calls: what may be asked of it before an engine is given it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

# Names of two parts that are files or directories: ``csv.`/data/x` ``.

_FORMATS = frozenset(
    (
        *("parquet", "orc", "avro", "csv", "json", "text", "xml", "hive", "jdbc", "binaryfile"),
        *("image", "libsvm", "delta", "iceberg", "hudi", "kafka", "socket", "rate", "console"),
        *("noop", "python", "statestore", "state-metadata", "lance", "paimon"),
        *("excel", "tfrecord", "tfrecords", "geoparquet", "shapefile", "cobol", "deltasharing"),
    )
)
_OF_PATHS = frozenset("/\\:*")


def is_path(name: str, rest: str) -> bool:
    """Whether a name of two parts is that of a file or directory.

    A format may be called by its class, ``com.example.Format``; databases have no dots. Spark takes
    two spellings for one if they are equal in capitals or in small letters.
    """
    return name.casefold() in _FORMATS or "." in name or bool(_OF_PATHS & set(rest))


def is_place(parts: Sequence[str]) -> bool:
    """Whether a name is surely a path, as no catalog has names with slashes."""
    return len(parts) == 2 and "/" in parts[1] and is_path(*parts)


def plain_location(location: str) -> str:
    """A location as all spellings of one place are: without ``file:`` and the slash at the end."""
    if location.startswith("file:"):
        location = "/" + location.removeprefix("file:").lstrip("/")
    return location.rstrip("/")


Parts = tuple[str, ...]
Options = tuple[tuple[str, str], ...]
"""A map of texts that are written out."""

OF_FILES = "_metadata"
"""The column of what is known of the files that are read; reading it is told as a call."""


class Part(Enum):
    """What a text is to be, and so where in a statement it may stand."""

    QUERY = "a query"
    EXPRESSION = "an expression"
    BODY = "the body of a function"
    """A query or an expression."""


class Argument(Enum):
    """An argument of a call whose text is not known."""

    CONSTANT = "a constant that is no text"
    COMPUTED = "a computed value, or NULL"
    NAMED = "an argument that is given by its name"


class CallReach(NamedTuple):
    """A call by a name; of each argument the text, the options or what else it is."""

    name: Parts
    arguments: tuple[str | Options | Argument, ...]


class Reach(NamedTuple):
    """What a text names.

    Args:
        relations: tables, views and paths; CTEs, too, which have one part.
        calls: every call by a name, and columns of ``OF_FILES``.
        options: those that the text gives to tables that it reads.
        computes_names: whether names are worked out while it is read.
        variables: names of columns; where Spark's own parser read it, only those that are names of
            variables of the session as well.
    """

    relations: tuple[Parts, ...] = ()
    calls: tuple[CallReach, ...] = ()
    options: Options = ()
    computes_names: bool = False
    variables: tuple[Parts, ...] = ()


def to_options(texts: list[str | None]) -> Options | Argument:
    """The options of a map that is written out; ``texts`` are its arguments."""
    known = [each for each in texts if each is not None]
    if len(known) < len(texts) or len(known) % 2:
        return Argument.COMPUTED
    return tuple(zip(known[::2], known[1::2], strict=True))
