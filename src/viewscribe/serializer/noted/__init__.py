"""SQL text with a comment behind each clause, such as the Python line of the step it came from.

Comments never count for the layout: without them the text is the very text that is made without
notes.
"""

from __future__ import annotations

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.serializer.noted.folding import Clauses, NotedFolder, NotedSteps
from viewscribe.serializer.noted.pipe import NotedPipePrinter
from viewscribe.serializer.noted.queries import NotedQueryPrinter
from viewscribe.serializer.sharing import inner_names, shared_operations
from viewscribe.serializer.targets import Target


def noted_text(root: QueryOperation, style: str, notes: Notes, target: Target) -> str:
    """The operation as a SQL statement with comments.

    Args:
        root: the operation.
        style: one of the styles of ``to_sql``.
        notes: what stands beside the steps.
        target: the Spark version that reads the text.
    """
    if style == "pipe":
        printer = NotedPipePrinter(None, [inner_names(root)], target, notes)
        return printer.query(root, root.schema.names, 0)
    flat = style == "readable"
    steps = NotedSteps(shared_operations(root) if flat else set(), clauses=Clauses(notes))
    blocks = NotedQueryPrinter(steps, flat=flat, target=target)
    blocks.inner_names = inner_names(root)
    block = NotedFolder(steps=steps, flat=flat, target=target).fold(root)
    return blocks.under_steps(blocks.query(block, 0, root.schema.names))


__all__ = ["noted_text"]
