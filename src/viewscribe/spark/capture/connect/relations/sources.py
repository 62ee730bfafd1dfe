"""Where rows come from: tables, ranges, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.relations.local import read_schema
from viewscribe.spark.capture.lowering.options import (
    join_patterns,
    select_with_options,
    split_reads,
    union_reads,
    with_options,
)
from viewscribe.types import Field
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _read(walk: Walk, message: Any) -> QueryOperation:
    if message.is_streaming:
        raise CaptureError("a stream is no table", hint="read the table without readStream")
    if message.WhichOneof("read_type") == "data_source":
        return _files(walk, message.data_source)
    named = message.named_table
    found = walk.sources.table(parse_name(named.unparsed_identifier))
    if not named.options:
        return found
    if not isinstance(found, n.CatalogSource):
        raise CaptureError("options of a temporary view")
    # An option says that it is the table as it was: it may have had other columns.
    place = quote_name(found.path)
    read = walk.sources.query_schema(f"SELECT * FROM {place}{with_options(named.options)}")
    fields = found.fields if read is None else read
    text = select_with_options([each.name for each in fields], place, named.options)
    return n.SqlText.of(text, fields, (found.path,))


_FILES = frozenset(("avro", "csv", "json", "orc", "parquet", "text", "xml", "binaryfile", "delta"))


def _files(walk: Walk, source: Any) -> QueryOperation:
    """Files with their options: ``FROM csv.`path` WITH ('header' = 'true')``."""
    form = source.format.lower() if source.HasField("format") else ""
    if form not in _FILES or source.predicates:
        raise CaptureError(
            f"a source of the format {form or 'that is Spark’s default'}",
            hint="create a table over it and read the table",
        )
    if not source.paths:
        raise CaptureError("a read of files without a path", hint='name it: load("…")')
    patterns = [*map(_refuse_lists, source.paths)] if source.paths[1:] else [*source.paths]
    reads = split_reads(patterns)
    if source.schema:
        given: Sequence[Field] = walk.sources.columns_of_files(
            form, source.paths, source.options, read_schema(source.schema)
        )
    elif reads[1:]:  # of all files together, while each read finds its own
        given = _columns_of(walk, form, join_patterns([*dict.fromkeys(patterns)]), source.options)
    else:
        fields = _columns_of(walk, form, reads[0], source.options)
        place = _place(form, reads[0])
        text = select_with_options([field.name for field in fields], place, source.options)
        return n.SqlText.of(text, fields)
    return union_reads(form, reads, source.options, given, walk.sources.query_schema)


def _place(form: str, path: str) -> str:
    place = f"{form}.{quote_identifier(path)}"
    return place if place.endswith("`") else f"{form}.`{path}`"


def _columns_of(walk: Walk, form: str, path: str, options: Mapping[str, str]) -> tuple[Field, ...]:
    """The columns that SQL finds in files.

    Raises:
        CaptureError: nobody can be asked for them.
    """
    found = walk.sources.query_schema(f"SELECT * FROM {_place(form, path)}{with_options(options)}")
    if found is None:
        raise CaptureError(
            "the columns of files are only known to Spark", hint="capture with a Spark session"
        )
    return found


def _refuse_lists(pattern: str) -> str:
    """A pattern that may stand in a list of them.

    Raises:
        CaptureError: it has a list of its own.
    """
    if any(sign in pattern for sign in "{},\\"):
        raise CaptureError(
            f"a list of paths with `{pattern}` among them", hint="read each and union them"
        )
    return pattern


def _range(walk: Walk, message: Any) -> QueryOperation:
    start = message.start if message.HasField("start") else 0
    args = [start, message.end, message.step]
    if message.HasField("num_partitions"):
        args.append(message.num_partitions)
    elif message.step == 1:
        args = args[:2] if start else args[1:2]
    return build.table_function(built_in("range"), args)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "read": _read,
    "range": _range,
}
