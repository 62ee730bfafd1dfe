"""A whole plan as PySpark sends it: one message that holds all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql.connect import proto

from viewscribe.spark.capture.connect.origins import with_line
from viewscribe.spark.capture.connect.program import Program
from viewscribe.spark.capture.connect.walker import inputs


class MessageProgram(Program):
    """The relations of a message, by plan id.

    Args:
        root: the message.
        lines: where steps are written, by plan id.
    """

    def __init__(self, root: proto.Relation, lines: Mapping[int, str]) -> None:
        self.root = root.common.plan_id
        self.relations = {}
        seen: set[int] = set()
        stack = [(root, False)]
        while stack:  # what a relation reads comes before it, as in every program
            relation, expanded = stack.pop()
            plan_id = relation.common.plan_id
            if expanded:
                self.relations[plan_id] = with_line(relation, lines)
            elif plan_id not in seen:
                seen.add(plan_id)
                stack.append((relation, True))
                stack += [(each, False) for each in reversed(inputs(relation))]
                stack += [(each, False) for each in _list_relations(relation)]


def _list_relations(relation: proto.Relation) -> list[Any]:
    """The relations of sub-queries, and a lateral join's right side."""
    kind = relation.WhichOneof("rel_type")
    if kind == "with_relations":
        return list(relation.with_relations.references)
    if kind == "lateral_join":
        return [relation.lateral_join.right]
    return []
