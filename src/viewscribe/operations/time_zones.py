"""What in a query means another moment, or shows another text, in another time zone."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.expressions.node import find
from viewscribe.expressions.nodes import Call, Cast, Literal, ResolvedExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.types import BooleanType, LogicalType, TimestampType, VoidType
from viewscribe.types.nested_types import contains

_OF_ZONE = frozenset(("current_timezone", "convert_timezone", "from_unixtime", "unix_timestamp"))
"""Functions that read the zone, though none of their values need be a TIMESTAMP."""


def find_zoned(operation: QueryOperation) -> str | None:
    """The first part of a query that depends on the time zone: a literal, a cast or a call.

    A call may be told that does not: an hour later is an hour later anywhere.
    """
    return next(_zoned(operation), None)


def _zoned(operation: QueryOperation) -> Iterator[str]:
    for node in find(operation, Literal, Cast, Call):
        if isinstance(node, Literal):
            if isinstance(node.type, TimestampType) and node.value is not None:
                yield "TIMESTAMP '…'"
        elif isinstance(node, Cast):
            if _has_time(node.type) != _has_time(node.child.type) and not _is_null(node.child):
                yield f"a cast from {node.child.type.ddl} to {node.type.ddl}"
        elif isinstance(node, Call) and _mixes(node):
            yield node.function.sql_name or node.function.name


def _mixes(call: Call) -> bool:
    """Whether a call makes a TIMESTAMP of something else, or something else of a TIMESTAMP."""
    if call.function.built_in_name in _OF_ZONE:
        return True
    types = [each.type for each in call.args if not _is_null(each)]
    if not isinstance(call.type, BooleanType):
        types.append(call.type)
    return any(map(_has_time, types)) and not all(map(_has_time, types))


def _has_time(type_: LogicalType) -> bool:
    return contains(type_, TimestampType)


def _is_null(expression: ResolvedExpression) -> bool:
    return isinstance(expression.type, VoidType)
