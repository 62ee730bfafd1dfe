"""Names for tables that nobody named, after what they are: ``orders_grouped``."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause, QueryOperation
from viewscribe.serializer.sharing import computes

_DEEDS = {
    Clause.GROUP_BY: "grouped",
    Clause.DISTINCT: "distinct",
    Clause.SET_OPERATION: "combined",
    Clause.ORDER_BY: "sorted",
    Clause.LIMIT: "limited",
}


def describe(operation: QueryOperation, *, extended: bool = False, computed: bool = False) -> str:
    """A name that says where the rows come from and what was done to them last.

    Args:
        operation: what gives the rows.
        extended: whether there are columns beside its own.
        computed: whether these are computed, and no columns under further names.
    """
    steps: list[QueryOperation] = []
    while operation.input_fields and type(operation) is not n.SubqueryAlias:
        steps.append(operation)
        operation = operation.inputs()[0]
    if not (steps or extended):
        return _source(operation)
    return f"{_source(operation)}_{_describe_operation(steps, computed)}"


def _source(operation: QueryOperation) -> str:
    if isinstance(operation, n.SubqueryAlias):
        return operation.name
    return operation.path[-1] if isinstance(operation, n.CatalogSource) else "rows"


def _describe_operation(steps: Sequence[QueryOperation], computed: bool) -> str:
    for step in steps:
        if step.clause in _DEEDS:
            return _DEEDS[step.clause]
    if computed or any(map(computes, steps)):
        return "computed"
    if any(isinstance(step, n.Filter) for step in steps):
        return "filtered"
    return "joined" if any(isinstance(step, n.Join) for step in steps) else "rows"
