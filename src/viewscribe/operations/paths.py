"""Names of two parts that are files or directories: ``csv.`/data/x` ``."""

from __future__ import annotations

from collections.abc import Sequence

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
