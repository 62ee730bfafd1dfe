"""The tree as SQL text, in three styles, and as a plan document."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.serializer.statement import DEFAULT, statement
from viewscribe.serializer.targets import TARGETS, target_of

STYLES = ("readable", "pipe", "nested")


def to_sql(
    operation: QueryOperation,
    style: str = "readable",
    target: str | None = None,
    *,
    notes: Notes | None = None,
    qualify: str = "full",
    current: tuple[str, str] = DEFAULT,
) -> str:
    """The operation as SQL text for Spark.

    Args:
        operation: the pipeline.
        style: ``readable``, as few SELECT blocks as meaning allows; ``pipe``, one ``|>`` line a
            step; ``nested``, one sub-query an operation.
        target: the Spark version that reads the text, ``4.0`` or ``4.1.4``; the newest by default.
        notes: what stands beside the steps: each becomes a comment behind the clause that its
            step became; it stands beside steps over tables of full names.
        qualify: how tables are called: ``full``, ``database`` or ``minimal``; see
            ``Table.to_sql``.
        current: the catalog and the database that shorter names leave out.

    Raises:
        NotSerializableError: names the node that SQL cannot say, and the way out.
        ValidationError: no such style, no such target, no such names.
    """
    if style not in STYLES:
        raise ValidationError(f"no style {style!r}", hint=f"the styles are: {', '.join(STYLES)}")
    if target is None and notes is None and qualify == "full":
        return statement(operation, style)
    return statement(operation, style, target_of(target), notes, qualify, current)


__all__ = ["STYLES", "TARGETS", "ResolvedExpression", "to_sql"]
