"""The steps of a Connect DataFrame, however long the chain is.

PySpark's own ``plan()`` recurses and copies what lies below into every step. Here each step is
asked for its own message alone: what it reads is replaced by a mere plan id first.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.message import DecodeError
from pyspark.sql.connect import proto
from pyspark.sql.connect.plan import LogicalPlan

from viewscribe.spark.capture.connect.origins import with_line
from viewscribe.spark.capture.connect.pieces import Pieces


class Program:
    """Relations by plan id, each reading others by their plan ids.

    Args:
        plan: the DataFrame's plan, ``df._plan``.
        client: the session's client, which some steps ask for their settings.
        lines: where steps are written, by plan id, as far as that is known.
    """

    def __init__(
        self, plan: LogicalPlan, client: Any, lines: Mapping[int, str] | None = None
    ) -> None:
        self.root: int = plan._plan_id
        self.relations: dict[int, proto.Relation] = {}
        self._client = client
        self._pieces = Pieces()
        for step in _postorder(plan):
            message = with_line(self._message(step), lines or {})
            self.relations[step._plan_id] = message
            for each in _embedded(message):
                self.relations.setdefault(each.common.plan_id, each)

    def _message(self, step: LogicalPlan) -> proto.Relation:
        """The step's own message, with marks for what lies too deep in it."""
        lone = _alone(step)
        try:
            return lone.plan(self._client)
        except (RecursionError, DecodeError):
            return self._pieces.cut(lone).plan(self._client)  # type: ignore[no-any-return]

    def pieces(self, mark: str) -> Iterator[tuple[str, proto.Expression]]:
        """The expression that a mark stands for, and before it those that it needs."""
        return self._pieces.upto(mark, self._client)


def _embedded(relation: proto.Relation) -> Iterator[proto.Relation]:
    """The relations that stand in a message themselves, as those that SQL text reads do."""
    stack = [relation]
    while stack:
        current = stack.pop()
        kind = current.WhichOneof("rel_type")
        if kind is None:
            continue
        if current is not relation and current.common.HasField("plan_id"):
            yield current
        for field, value in getattr(current, kind).ListFields():
            if field.message_type is proto.Relation.DESCRIPTOR:
                stack += [value] if isinstance(value, proto.Relation) else value


class _Reference:
    """Stands for a step where the one above it asks for it."""

    def __init__(self, plan_id: int) -> None:
        self._plan_id = plan_id

    def plan(self, session: Any) -> proto.Relation:
        relation = proto.Relation()
        relation.common.plan_id = self._plan_id
        return relation


def _alone(step: LogicalPlan) -> LogicalPlan:
    """The step with plan ids for what it reads."""
    lone = copy.copy(step)
    for name, value in vars(step).items():
        if isinstance(value, LogicalPlan):
            setattr(lone, name, _Reference(value._plan_id))
        elif _are_plans(value):
            setattr(lone, name, [_Reference(each._plan_id) for each in value])
    return lone


def _inputs(step: LogicalPlan) -> Iterator[LogicalPlan]:
    for value in vars(step).values():
        if isinstance(value, LogicalPlan):
            yield value
        elif _are_plans(value):
            yield from value


def _are_plans(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], LogicalPlan)


def _postorder(root: LogicalPlan) -> Iterator[LogicalPlan]:
    """Each step once, what it reads before it."""
    seen: set[int] = set()
    stack: list[tuple[LogicalPlan, bool]] = [(root, False)]
    while stack:
        step, expanded = stack.pop()
        if expanded:
            yield step
        elif id(step) not in seen:
            seen.add(id(step))
            stack.append((step, True))
            stack.extend((each, False) for each in reversed(list(_inputs(step))))
