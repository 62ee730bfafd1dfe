"""``spark.sql(…)`` inside of a program, with its parameters bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.opaque import NEEDS_SCHEMA, sql_text
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.spark.capture.sqltext.parameters import bound
from viewscribe.spark.capture.sqltext.views import with_views
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _sql(walk: Walk, message: Any) -> QueryOperation:
    """The query as it is; names of tables are spelled out in full."""
    return query_with(walk, message, ())


def query_with(walk: Walk, message: Any, frames: Sequence[n.SubqueryAlias]) -> QueryOperation:
    """The query of a ``sql`` message.

    Args:
        walk: the walk over the plan.
        message: the query and its parameters.
        frames: the DataFrames that stand in it, ``spark.sql("… {df} …", df=df)``, under the names
            that PySpark gave them. Those are made up anew each time, so others are given here.
    """
    named = {name: _written(value) for name, value in message.named_arguments.items()}
    named |= {name: literal_of(v).as_serializable_string() for name, v in message.args.items()}
    placed = [_written(value) for value in message.pos_arguments]
    placed += [literal_of(value).as_serializable_string() for value in message.pos_args]
    text, known = message.query, {}
    for number, frame in enumerate(frames, 1):
        name = _free(f"frame_{number}", text)
        text = text.replace(frame.name, name)
        known[name] = n.SubqueryAlias.of(frame.child, name)
    return query_of(walk, bound(text, named, placed), frames=known)


def _free(name: str, text: str) -> str:
    while name in text:
        name += "_"
    return name


def query_of(
    walk: Walk,
    text: str,
    *,
    alone: bool = False,
    frames: Mapping[str, n.SubqueryAlias] | None = None,
) -> n.SqlText:
    """A query in SQL text; a temporary view that it reads is a step of it.

    Args:
        walk: the walk over the plan.
        text: the query.
        alone: whether it stands within another, and must mean something without it.
        frames: DataFrames by the names that they have in it.
    """
    held = frames or {}
    text, views = with_views(text, lambda parts: _frame(held, parts) or walk.sources.table(parts))

    def resolve(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Field, ...]]:
        view = views.get(tuple(parts)) or _frame(held, parts)
        if view is not None:
            return (parts[-1],), view.schema.fields
        found = walk.sources.table(parts)
        assert isinstance(found, n.CatalogSource)  # the others are steps of the text now
        return found.path, found.fields

    fields = walk.sources.query_schema(text)
    if alone and fields is None:
        raise CaptureError(
            "whether it uses columns of the query around it is only known to Spark",
            hint="capture with a Spark session, or join the other DataFrame",
        )
    try:
        made = sql_text(text, resolve, lambda parts: None, fields)
    except ValidationError as error:
        if error.code != NEEDS_SCHEMA:
            raise
        raise CaptureError(
            error.message,
            code=error.code,
            hint="record it with a session, which is asked: vs.record(pipeline, spark); or say it "
            "with DataFrame methods",
        ) from error
    if not views:
        return made
    outside = tuple(path for path in made.dependencies if len(path) > 1)
    return n.SqlText.of(made.text, made.fields, outside, made.functions)


def _frame(frames: Mapping[str, n.SubqueryAlias], parts: Sequence[str]) -> n.SubqueryAlias | None:
    return frames.get(parts[0]) if len(parts) == 1 else None


def _written(message: Any) -> str:
    if message.WhichOneof("expr_type") != "literal":
        raise CaptureError(
            "a parameter of SQL text that is an expression", hint="write it into the text"
        )
    return literal_of(message.literal).as_serializable_string()


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"sql": _sql}
