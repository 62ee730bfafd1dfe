"""The steps of a Connect DataFrame, however long the chain is.

PySpark's own ``plan()`` recurses and copies what lies below into every step. Here each step is
asked for its own message alone: what it reads is replaced by a mere plan id first.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from pyspark.sql.connect import proto
from pyspark.sql.connect.plan import LogicalPlan

from viewscribe.errors import CaptureError


class Program:
    """Relations by plan id, each reading others by their plan ids.

    Args:
        plan: the DataFrame's plan, ``df._plan``.
        client: the session's client, which some steps ask for their settings.
    """

    def __init__(self, plan: LogicalPlan, client: Any) -> None:
        self.root: int = plan._plan_id
        self.relations: dict[int, proto.Relation] = {}
        for step in _postorder(plan):
            relation = _alone(step, client)
            self.relations[relation.common.plan_id] = relation

    def relation(self, relation: proto.Relation) -> proto.Relation:
        """The whole relation, where another only says its plan id."""
        if relation.WhichOneof("rel_type") is not None:
            return relation
        return self.relations[relation.common.plan_id]


class _Reference:
    """Stands for a step where the one above it asks for it."""

    def __init__(self, plan_id: int) -> None:
        self._plan_id = plan_id

    def plan(self, session: Any) -> proto.Relation:
        relation = proto.Relation()
        relation.common.plan_id = self._plan_id
        return relation


def _alone(step: LogicalPlan, client: Any) -> proto.Relation:
    """The step's message, with plan ids for what it reads."""
    lone = copy.copy(step)
    for name, value in vars(step).items():
        if isinstance(value, LogicalPlan):
            setattr(lone, name, _Reference(value._plan_id))
        elif _are_plans(value):
            setattr(lone, name, [_Reference(each._plan_id) for each in value])
    try:
        return lone.plan(client)
    except RecursionError as error:
        raise CaptureError(
            "an expression is nested too deeply for PySpark to say it",
            location=type(step).__name__,
            hint="split it over several columns",
        ) from error


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
