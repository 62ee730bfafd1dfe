"""Joins of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import Join

from viewscribe.errors import CaptureError
from viewscribe.expressions.literals import TRUE
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import require_boolean, resolve_in
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.relations.sources import query_with

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

_KINDS = {
    Join.JOIN_TYPE_INNER: n.JoinKind.INNER,
    Join.JOIN_TYPE_FULL_OUTER: n.JoinKind.FULL,
    Join.JOIN_TYPE_LEFT_OUTER: n.JoinKind.LEFT,
    Join.JOIN_TYPE_RIGHT_OUTER: n.JoinKind.RIGHT,
    Join.JOIN_TYPE_LEFT_ANTI: n.JoinKind.ANTI,
    Join.JOIN_TYPE_LEFT_SEMI: n.JoinKind.SEMI,
    Join.JOIN_TYPE_CROSS: n.JoinKind.CROSS,
}


def _join(walk: Walk, message: Any) -> QueryOperation:
    left, right = walk.input(message.left), walk.input(message.right)
    if message.HasField("join_data_type"):
        raise CaptureError("a typed join belongs to Scala's Datasets")
    kind = _KINDS[message.join_type]
    if message.using_columns:
        return build.join(left, right, kind, using=list(message.using_columns))
    if not message.HasField("join_condition"):
        if kind in (n.JoinKind.INNER, n.JoinKind.CROSS):
            return build.join(left, right, kind)
        return n.Join.of(left, right, kind, TRUE)
    if kind is n.JoinKind.CROSS:
        kind = n.JoinKind.INNER
    reader = walk.join_reader(left, right)
    resolution = Resolution(reader.scope.schema)
    condition = require_boolean(resolve_in(reader.read(message.join_condition), resolution), "join")
    build.forbid(resolution, "a join condition")
    return n.Join.of(left, right, kind, condition)


def _lateral_join(walk: Walk, message: Any) -> QueryOperation:
    left = walk.input(message.left)
    right = walk.inner(message.right.common.plan_id, walk.reader(left).scope)
    kind = _KINDS[message.join_type]
    if kind not in (n.JoinKind.INNER, n.JoinKind.LEFT, n.JoinKind.CROSS):
        raise CaptureError(f"a lateral {kind.words}", hint="SQL has inner, left and cross ones")
    if not message.HasField("join_condition"):
        return n.LateralJoin.of(left, right, kind)
    reader = walk.join_reader(left, right)
    resolution = Resolution(reader.scope.schema)
    condition = resolve_in(reader.read(message.join_condition), resolution)
    return n.LateralJoin.of(left, right, kind, require_boolean(condition, "a lateral join"))


def _with_relations(walk: Walk, message: Any) -> QueryOperation:
    """The root; its sub-queries are read where expressions refer to them.

    Of SQL text they are the DataFrames that stand in it.
    """
    if message.root.WhichOneof("rel_type") != "sql":
        return walk.input(message.root)
    frames = [walk.input(each) for each in message.references]
    named = [each for each in frames if isinstance(each, n.SubqueryAlias)]
    return query_with(walk, message.root.sql, named)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "join": _join,
    "lateral_join": _lateral_join,
    "with_relations": _with_relations,
}
