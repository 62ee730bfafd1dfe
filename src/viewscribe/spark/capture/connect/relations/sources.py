"""Where rows come from: tables, ranges, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.lowering.options import select_with_options, split_time, with_options
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
    as_of, _ = _time_of(named.options)
    if as_of is not None:
        then = walk.world.columns_then(found.path, as_of)
        return n.CatalogSource.of(found.path, then or found.fields, as_of)
    text = select_with_options(found.schema.names, quote_name(found.path), named.options)
    return n.SqlText.of(text, found.fields, (found.path,))


def _time_of(options: Mapping[str, str]) -> tuple[str | None, dict[str, str]]:
    as_of, others = split_time(options)
    if as_of is not None and others:
        raise CaptureError(
            f"a table as it was is read with options: {', '.join(sorted(others))}",
            hint="save that version as a table",
        )
    return as_of, others


_FILES = frozenset(("avro", "csv", "json", "orc", "parquet", "text", "xml", "binaryfile", "delta"))


def _files(walk: Walk, source: Any) -> QueryOperation:
    """Files with their options: ``FROM csv.`path` WITH ('header' = 'true')``."""
    form = source.format.lower() if source.HasField("format") else ""
    if form not in _FILES or source.predicates:
        raise CaptureError(
            f"a source of the format {form or 'that is Spark’s default'}",
            hint="create a table over it and read the table",
        )
    if source.HasField("schema") and source.schema:
        raise CaptureError(
            "SQL text reads files with the schema they have, not with one of its own",
            hint=f"create a table with the schema: CREATE TABLE … USING {form} LOCATION …",
        )
    if len(source.paths) != 1:
        raise CaptureError(
            f"{len(source.paths)} paths in one read", hint="read each and union them"
        )
    place = f"{form}.{quote_identifier(source.paths[0])}"
    if not place.endswith("`"):
        place = f"{form}.`{source.paths[0]}`"
    as_of, options = _time_of(source.options) if form == "delta" else (None, source.options)
    if as_of is not None:
        place = f"{place} {as_of}"
    fields = walk.sources.query_schema(f"SELECT * FROM {place}{with_options(options)}")
    if fields is None:
        raise CaptureError(
            "the columns of files are only known to Spark", hint="capture with a Spark session"
        )
    text = select_with_options([field.name for field in fields], place, options)
    return n.SqlText.of(text, tuple(fields))


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
