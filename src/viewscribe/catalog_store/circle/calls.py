"""Calls of process table functions, read from the text of a tree that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from viewscribe.expressions.functions.process.inference import (
    KEYS,
    LAST,
    NULL_TIMES,
    ON_TIME,
    ORDER_KEYS,
    TABLES,
    UID,
)
from viewscribe.expressions.resolve import Scope, resolve_in
from viewscribe.operations.build.process.arguments import TableArgument, texts_of
from viewscribe.operations.nodes import Process


def _with_fields(call: Process, **fields: Any) -> Process:
    """The call with other fields and the columns that it has."""
    return msgspec.structs.replace(call, _hash=0, _marks=0, **fields)


def find_written_call(
    call: Process, args: Sequence[Any], named: Mapping[str, Any]
) -> Process | None:
    """The call that is written, where it has the shape of one of the tree, else None.

    Args:
        call: the call of the tree.
        args: what is written without names: nothing, in a text of ours.
        named: what is written with names.
    """
    given = dict(named)
    if not call.tables:
        is_same = not args and tuple(given) == call.arguments
        return _with_fields(call, args=tuple(given.values())) if is_same else None
    table = given.pop(TABLES if call.is_tagged else call.tables[0], None)
    on_time, null_times, keys, order_keys, uid = (
        texts_of(given.pop(name)) if name in given else ()
        for name in (ON_TIME, NULL_TIMES, KEYS, ORDER_KEYS, UID)
    )
    if args or not isinstance(table, TableArgument) or tuple(given) != call.arguments:
        return None
    child, scope = table.operation, Scope(table.operation.schema)
    if child.schema.names != call.child.schema.names:
        return None
    again = _with_fields(
        call,
        child=child,
        keys=tuple(resolve_in(each, scope) for each in table.partition_by or ()),
        order=tuple(resolve_in(each, scope) for each in table.order_by),
        args=tuple(given.values()),
        on_time=on_time,
        uid=uid[0] if uid else None,
    )
    said = (again.said_keys, again.said_order_keys, again.keeps_null_times)
    return again if (keys, order_keys, null_times == (LAST,)) == said else None
