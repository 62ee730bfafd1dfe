"""SQL text with a comment behind each clause, such as the Python line of the step it came from.

Comments never count for the layout: without them the text is the very text that is made without
notes.
"""

from __future__ import annotations

from collections.abc import Collection

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.serializer.noted.folding import Clauses, NotedFolder, NotedSteps
from viewscribe.serializer.noted.pipe import NotedPipePrinter
from viewscribe.serializer.noted.queries import NotedQueryPrinter
from viewscribe.serializer.targets import Target


def noted_text(
    root: QueryOperation,
    style: str,
    notes: Notes,
    target: Target,
    shared: Collection[QueryOperation],
    hidden: set[str],
) -> str:
    """The operation as a SQL statement with comments.

    Args:
        root: the operation.
        style: one of the styles of ``to_sql``.
        notes: what stands beside the steps.
        target: the Spark version that reads the text.
        shared: the operations that are CTEs of the text without comments.
        hidden: names, in lower case, that no table is given.
    """
    if style == "pipe":
        printer = NotedPipePrinter(None, [hidden], target, notes)
        return printer.query(root, root.schema.names, 0)
    flat = style == "readable"
    steps = NotedSteps(shared, clauses=Clauses(notes))
    blocks = NotedQueryPrinter(steps, flat=flat, target=target)
    blocks.inner_names = hidden
    block = NotedFolder(steps=steps, flat=flat, target=target).fold(root)
    return blocks.under_steps(blocks.query(block, 0, root.schema.names))


__all__ = ["noted_text"]
