"""The pipe style: ``FROM t |> WHERE … |> AGGREGATE …``, one operator a step.

Spark's pipe operators take the table below and give a table, so each operation is one operator and
nothing needs folding. Columns are known by bare names; where a step would leave two of one name,
the step before gives them names of their own. A new operation is a handler in one of the modules
here.
"""

from __future__ import annotations

from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.operations.user_functions import check_calls
from viewscribe.serializer.pipe import columns, joins, rows, shapes
from viewscribe.serializer.pipe.printer import HANDLERS, PipePrinter
from viewscribe.serializer.targets import Target

for _module in (rows, columns, joins, joins, shapes):
    HANDLERS.update(_module.HANDLERS)


def pipe_statement(
    root: QueryOperation, target: Target, hidden: set[str], notes: Notes | None = None
) -> str:
    """The operation as a statement of pipe operators; no table is given a name of `hidden`."""
    check_calls(root)
    return PipePrinter(None, [hidden], target, notes).query(root, root.schema.names, 0)


__all__ = ["pipe_statement"]
