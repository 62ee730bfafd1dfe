"""Where rows come from: tables, ranges, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _read(walk: Walk, message: Any) -> QueryOperation:
    if message.is_streaming:
        raise CaptureError("a stream is no table", hint="read the table without readStream")
    if message.WhichOneof("read_type") == "named_table":
        if message.named_table.options:
            raise CaptureError(
                "options of a table read", hint="a view reads the table as it is stored"
            )
        return walk.sources.table(parse_name(message.named_table.unparsed_identifier))
    raise CaptureError("files are not captured yet", hint="create a table over the files")


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
