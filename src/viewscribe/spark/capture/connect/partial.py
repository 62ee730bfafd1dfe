"""Everything that cannot be captured, not only the first."""

from __future__ import annotations

from viewscribe.errors import CaptureError
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.exclusions import REFUSED_RELATIONS
from viewscribe.spark.capture.connect.walker import Walk, handlers, inputs, unknown_relation
from viewscribe.spark.capture.refusals import all_refused
from viewscribe.spark.capture.session_functions import refusals_in


def check_all(walk: Walk) -> None:
    """Walks as far as it goes, and past every refusal.

    Raises:
        CaptureError: every refusal of a relation that is not above another refusal.
    """
    found: list[CaptureError] = []
    made: list[QueryOperation] = []
    broken: set[int] = set()
    inner = walk.inner_relations()
    for plan_id, relation in walk.program.relations.items():
        if any(each.common.plan_id in broken for each in inputs(relation)):
            broken.add(plan_id)
            kind = relation.WhichOneof("rel_type")
            if kind in REFUSED_RELATIONS and kind not in handlers():
                found.append(unknown_relation(kind, relation))
            continue
        if plan_id in inner:
            continue
        try:
            made.append(walk.run(plan_id))
        except CaptureError as error:
            broken.add(plan_id)
            found.append(error)
    if found:
        calls = {id(error): error for each in made for error in refusals_in(each)}
        raise all_refused([*calls.values(), *found])
