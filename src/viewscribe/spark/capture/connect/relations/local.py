"""Rows that the program brings along: ``createDataFrame`` of Python values, pandas or Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.literals import literal
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import ArrayType, Field, LogicalType, MapType, StructType
from viewscribe.types.session_types import session_schema

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

MOST_CELLS = 10_000
"""How many values a view may hold: what is more belongs into a table."""


def _local(walk: Walk, message: Any) -> QueryOperation:
    import pyarrow as pa

    fields = read_schema(message.schema) if message.HasField("schema") else None
    if fields is not None and not fields:
        raise CaptureError("rows without columns have no form in SQL")
    if not message.HasField("data"):
        return n.Values.of((), tuple(fields or ()))
    with pa.ipc.open_stream(message.data) as stream:
        table = stream.read_all()
    if table.num_rows * max(table.num_columns, 1) > MOST_CELLS:
        raise CaptureError(
            f"{table.num_rows} rows of {table.num_columns} columns are too much for a view",
            hint='save them first: df.write.saveAsTable("…"), and start from spark.table("…")',
        )
    fields = fields or _of_arrow(table.schema)
    if len(fields) != table.num_columns:
        raise CaptureError("the data has other columns than its schema")
    if not table.num_rows:
        return n.Values.of((), tuple(fields))
    typed = [Field(field.name, field.type.as_nullable()) for field in fields]
    columns = [
        [literal(_convert_value(value, field.type), field.type) for value in column.to_pylist()]
        for column, field in zip(table.columns, typed, strict=True)
    ]
    made = build.values(list(zip(*columns, strict=True)), typed)
    return n.Values.of(made.values, tuple(fields)) if walk.as_declared else made


def _convert_value(value: Any, type_: LogicalType) -> Any:
    """Arrow's value in the form of our literals: a struct is not the map that its dict would be."""
    if value is None:
        return None
    if isinstance(type_, StructType):
        parts = zip(value.values(), type_.fields, strict=True)
        return tuple(_convert_value(part, field.type) for part, field in parts)
    if isinstance(type_, ArrayType):
        return tuple(_convert_value(part, type_.element) for part in value)
    if isinstance(type_, MapType):
        return tuple(
            (_convert_value(key, type_.key), _convert_value(part, type_.value))
            for key, part in value
        )
    return value


def read_schema(text: str) -> Sequence[Field]:
    """The schema: JSON, or DDL as users type it."""
    if text.lstrip().startswith("{"):
        from pyspark.sql.types import StructType

        return schema_from_spark(StructType.fromJson(json.loads(text)))
    return session_schema(text)


def _of_arrow(schema: Any) -> Sequence[Field]:
    from pyspark.sql.pandas.types import from_arrow_schema

    return schema_from_spark(from_arrow_schema(schema))


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"local_relation": _local}
