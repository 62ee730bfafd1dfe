"""Where rows come from: tables, ranges, functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, NotSerializableError, SqlSyntaxError, ViewscribeError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.author_texts import read_author_text, with_values
from viewscribe.parser.opaque import sql_text
from viewscribe.parser.tokens import refuse_variables
from viewscribe.spark.capture.connect.exclusions import literal_of
from viewscribe.spark.capture.connect.scopes import with_views
from viewscribe.spark.capture.connect.walker import PlanWorld
from viewscribe.spark.capture.lengths import refuse_lengths_in_text
from viewscribe.spark.capture.lowering.options import (
    join_patterns,
    select_with_options,
    split_reads,
    union_reads,
    with_options,
)
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import ArrayType, Field, LogicalType, MapType, StructType
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name
from viewscribe.types.policy import session_schema

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


# Rows that the program brings along: ``createDataFrame`` of Python values, pandas or Arrow.

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


# ``spark.sql(…)`` inside of a program, with its parameters bound.

Frames = Mapping[str, n.SubqueryAlias]


def _sql(walk: Walk, message: Any) -> QueryOperation:
    """The query as a tree; names of tables are spelled out in full."""
    return query_with(walk, message, ())


def query_with(walk: Walk, message: Any, frames: Sequence[n.SubqueryAlias]) -> QueryOperation:
    """The query of a ``sql`` message.

    Args:
        walk: the walk over the plan.
        message: the query and its parameters.
        frames: the DataFrames that stand in it, ``spark.sql("… {df} …", df=df)``, under the names
            that PySpark gave them. Those are made up anew each time, so others are given here.
    """
    named = {name: _value(value) for name, value in message.named_arguments.items()}
    named |= {name: literal_of(value) for name, value in message.args.items()}
    placed = [_value(value) for value in message.pos_arguments]
    placed += [literal_of(value) for value in message.pos_args]
    text, known = message.query, {}
    for number, frame in enumerate(frames, 1):
        name = _free(f"frame_{number}", text)
        text = text.replace(frame.name, name)
        known[name] = n.SubqueryAlias.of(frame.child, name)
    refuse_lengths_in_text(text, walk.sources.setting)
    try:
        reading = walk.texts.reading(named, placed)
        refuse_variables(text)
        world = PlanWorld(walk.sources, known)
        return read_author_text(text, world, reading, origin="spark.sql")
    except CaptureError:
        raise
    except ViewscribeError as error:
        kept = _keep_text(walk, with_values(text, named, placed), known)
        if kept is not None:
            return kept
        if not isinstance(error, SqlSyntaxError | NotSerializableError):
            raise
        raise CaptureError(
            error.message,
            code=error.code,
            location=error.location,
            hint="record it with a session, which is asked: vs.record(pipeline, spark); or say it "
            "with DataFrame methods",
        ) from error


def _free(name: str, text: str) -> str:
    while name in text:
        name += "_"
    return name


def _keep_text(walk: Walk, text: str, frames: Frames) -> n.SqlText | None:
    """A text that is not read, as it is: Spark tells its columns, if somebody can ask it.

    A temporary view that it reads is a step of it.
    """
    text, views = with_views(text, lambda parts: _frame(frames, parts) or walk.sources.table(parts))

    def resolve(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Field, ...]]:
        view = views.get(tuple(parts)) or _frame(frames, parts)
        if view is not None:
            return (parts[-1],), view.schema.fields
        found = walk.sources.table(parts)
        assert isinstance(found, n.CatalogSource)  # the others are steps of the text now
        return found.path, found.fields

    fields = walk.sources.query_schema(text)
    if fields is None:
        return None
    made = sql_text(text, resolve, walk.sources.function, fields)
    if not views:
        return made
    outside = tuple(path for path in made.dependencies if len(path) > 1)
    return n.SqlText.of(made.text, made.fields, outside, made.functions)


def _frame(frames: Frames, parts: Sequence[str]) -> n.SubqueryAlias | None:
    return frames.get(parts[0]) if len(parts) == 1 else None


def _value(message: Any) -> Literal:
    if message.WhichOneof("expr_type") != "literal":
        raise CaptureError(
            "a parameter of SQL text that is an expression", hint="write it into the text"
        )
    return literal_of(message.literal)


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
    "local_relation": _local,
    "sql": _sql,
    "read": _read,
    "range": _range,
}
