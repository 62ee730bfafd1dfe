"""Settings that Spark requires for what is in a tree."""

from __future__ import annotations

from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Call
from viewscribe.operations.base import QueryOperation
from viewscribe.types import TimeType
from viewscribe.types.nested import contains

_OF_TIME = frozenset(("time_diff", "time_to_micros", "time_to_millis", "time_to_seconds"))
"""Functions that read their arguments as TIME and give no TIME."""


def needed_settings(operation: QueryOperation) -> dict[str, str]:
    """Returns the settings Spark 4.3 needs beyond its defaults; TIME is off by default."""
    return {"spark.sql.timeType.enabled": "true"} if _has_time(operation) else {}


def _has_time(operation: QueryOperation) -> bool:
    for node in preorder(operation):
        if isinstance(node, Call) and node.function.name in _OF_TIME:
            return True
        if isinstance(node, QueryOperation):
            types = [field.type for field in node.schema.fields]
        else:
            types = [type_] if (type_ := getattr(node, "type", None)) else []
        if any(contains(type_, TimeType) for type_ in types):
            return True
    return False
