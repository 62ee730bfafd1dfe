"""Where the steps of a program are written: what PySpark notes, and what a recording notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from viewscribe.spark.capture.lines import short_line
from viewscribe.spark.capture.refusals import python_line

_STEP = "spark.connect.Relation"


def with_line(relation: Any, lines: Mapping[int, str]) -> Any:
    """The relation, its line noted where PySpark notes those of expressions."""
    site = lines.get(relation.common.plan_id)
    if site is not None:
        relation.common.origin.python_origin.call_site = site
    if relation.WhichOneof("rel_type") == "with_relations":
        with_line(relation.with_relations.root, lines)
    return relation


def step_line(relation: Any) -> str | None:
    """The line of a step: its own, or that of its first expression that has one."""
    pending = [relation]
    while pending:
        message = pending.pop()
        line = python_line(message.common.origin) if _has_common(message) else None
        if line is not None:
            return short_line(line)
        pending += reversed(list(parts_of(message)))
    return None


def _has_common(message: Any) -> bool:
    return "common" in message.DESCRIPTOR.fields_by_name and message.HasField("common")


def parts_of(message: Any) -> Iterator[Any]:
    """The messages in a message, but for what a step reads: those are steps of their own."""
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is None or kind.full_name == _STEP or kind.GetOptions().map_entry:
            continue
        if field.is_repeated:
            yield from value
        else:
            yield value
