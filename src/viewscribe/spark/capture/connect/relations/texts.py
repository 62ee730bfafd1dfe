"""``spark.sql(…)`` inside of a program, with its parameters bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.sql_text import NEEDS_SCHEMA, sql_text
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.spark.capture.sqltext.parameters import bound
from viewscribe.spark.capture.sqltext.views import with_views
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def _sql(walk: Walk, message: Any) -> QueryOperation:
    """The query as it is; names of tables are spelled out in full."""
    named = {name: _written(value) for name, value in message.named_arguments.items()}
    named |= {name: literal_of(v).as_serializable_string() for name, v in message.args.items()}
    placed = [_written(value) for value in message.pos_arguments]
    placed += [literal_of(value).as_serializable_string() for value in message.pos_args]
    return query_of(walk, bound(message.query, named, placed))


def query_of(walk: Walk, text: str, *, alone: bool = False) -> n.SqlText:
    """A query in SQL text; a temporary view that it reads is a step of it.

    Args:
        walk: the walk over the plan.
        text: the query.
        alone: whether it stands within another, and must mean something without it.
    """
    text, views = with_views(text, walk.sources.table)

    def resolve(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Field, ...]]:
        view = views.get(tuple(parts))
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


def _written(message: Any) -> str:
    if message.WhichOneof("expr_type") != "literal":
        raise CaptureError(
            "a parameter of SQL text that is an expression", hint="write it into the text"
        )
    return literal_of(message.literal).as_serializable_string()


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"sql": _sql}
