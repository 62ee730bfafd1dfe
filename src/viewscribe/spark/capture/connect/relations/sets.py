"""Set operations, by position and by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import SetOperation

from viewscribe.errors import CaptureError
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.qualifiers import with_qualifiers
from viewscribe.spark.capture.connect.relations.struct_merge import merge

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

_KINDS = {
    SetOperation.SET_OP_TYPE_UNION: n.SetKind.UNION,
    SetOperation.SET_OP_TYPE_INTERSECT: n.SetKind.INTERSECT,
    SetOperation.SET_OP_TYPE_EXCEPT: n.SetKind.EXCEPT,
}


def _set_operation(walk: Walk, message: Any) -> QueryOperation:
    left, right = walk.input(message.left_input), walk.input(message.right_input)
    kind = _KINDS[message.set_op_type]
    every = message.is_all if message.HasField("is_all") else False
    if not message.by_name:
        both = build.set_operation(left, right, kind, every)
        return with_qualifiers(both, left.schema.qualifiers)
    if kind is not n.SetKind.UNION:
        raise CaptureError(f"{kind.value} by name", hint="select the columns in one order first")
    left, right = merge(left, right, allow_missing=message.allow_missing_columns)
    made = build.union_by_name(left, right, allow_missing=message.allow_missing_columns)
    made = with_qualifiers(made, left.schema.qualifiers)
    return made if every else build.distinct(made)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {"set_op": _set_operation}
