"""``spark.sql(…)`` inside of a program, with its parameters bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import (
    CaptureError,
    NotSerializableError,
    SqlSyntaxError,
    ViewscribeError,
)
from viewscribe.expressions.nodes import Literal
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.author_texts import read_author_text
from viewscribe.parser.opaque import sql_text
from viewscribe.parser.parameters import with_values
from viewscribe.parser.tokens import refuse_variables
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.spark.capture.connect.sql_world import PlanWorld
from viewscribe.spark.capture.connect.temporary_views import with_views
from viewscribe.spark.capture.lengths import refuse_lengths_in_text
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

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


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"sql": _sql}
