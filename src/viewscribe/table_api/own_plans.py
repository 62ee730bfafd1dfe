"""Plans of the user's own pipelines: what this process wrote is no document if it is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from viewscribe.operations.base import QueryOperation, as_stored
from viewscribe.operations.user_functions import stored_parts
from viewscribe.serializer.plan_document import from_plan, to_plan

_WRITTEN: set[bytes] = set()


def write_plan(operation: QueryOperation) -> dict[str, Any]:
    """The plan of a pipeline, which is noted if no part of that comes from a document."""
    plan = to_plan(operation)
    if next(stored_parts(operation), None) is None:
        _WRITTEN.add(_digest(plan))
    return plan


def read_plan(plan: Mapping[str, Any]) -> QueryOperation:
    """The pipeline of a plan, which anybody may have written unless it is word for word the user's.

    Raises:
        PlanDocumentError: the plan is damaged or was written by a newer version.
    """
    made = from_plan(plan)
    return as_stored(made, _digest(plan) not in _WRITTEN)


def _digest(plan: Mapping[str, Any]) -> bytes:
    return sha256(
        json.dumps(plan, sort_keys=True, default=repr).encode("utf-8", "replace")
    ).digest()
