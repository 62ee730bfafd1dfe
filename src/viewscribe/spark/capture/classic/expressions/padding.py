"""CHAR columns: Spark fills their values up where a table is read, and what they are compared with.

Both happen again when the text is analyzed, so neither stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from viewscribe.expressions.nodes import Cast, ResolvedExpression
from viewscribe.spark.capture.classic.plan import PlanNode, nodes_in
from viewscribe.spark.types import CHAR_VARCHAR_KEY
from viewscribe.types import STRING

_PADDING = "readSidePadding"
_BUILT = frozenset(("If", "ArrayTransform", "MapFromArrays"))
"""What Spark builds around the padding of texts inside of structs, arrays and maps."""

_COMPARISONS = frozenset(
    (
        *("EqualTo", "EqualNullSafe", "LessThan", "LessThanOrEqual"),
        *("GreaterThan", "GreaterThanOrEqual", "In"),
    )
)
_CHAR = re.compile(r"char\((\d+)\)", re.IGNORECASE)


def padded_column(node: PlanNode) -> PlanNode | None:
    """The column of a table whose texts inside of it the expression fills up.

    Nobody but Spark writes such a call, and only around one column.
    """
    if node.kind not in _BUILT:
        return None
    parts = list(nodes_in(node))
    if not any(part.kind == "StaticInvoke" and part["functionName"] == _PADDING for part in parts):
        return None
    columns = {part.id: part for part in parts if part.kind == "AttributeReference"}
    return columns.popitem()[1] if len(columns) == 1 else None


def strip_padding(
    node: PlanNode, given: Sequence[Any], read: tuple[ResolvedExpression, ...]
) -> tuple[ResolvedExpression, ...]:
    """The operands, where a CHAR column is compared with a shorter text that was not filled up.

    A pivot compares so. Under a cast to STRING, which changes no value, the column is no longer
    one, and Spark fills nothing up when it analyzes the text.
    """
    if node.kind not in _COMPARISONS:
        return read
    lengths = [length for each in given if (length := _length(each)) is not None]
    shortest = min(lengths, default=None)
    if shortest is None:
        return read
    return tuple(
        Cast(made, STRING.with_nullability(made.type.nullable))
        if (declared := _find_length(each)) is not None and shortest < declared
        else made
        for each, made in zip(given, read, strict=True)
    )


def _length(node: Any) -> int | None:
    """The length of a text that is written as it is."""
    if type(node) is not PlanNode:
        return None
    while node.kind == "Cast":
        node = node["child"]
    text = node["value"] if node.kind == "Literal" else None
    return len(text) if isinstance(text, str) else None


def _find_length(node: Any) -> int | None:
    """The length of a CHAR column."""
    if type(node) is PlanNode and node.kind == "OuterReference":
        node = node["e"]
    if type(node) is not PlanNode or node.kind != "AttributeReference":
        return None
    found = _CHAR.fullmatch((node.get("metadata") or {}).get(CHAR_VARCHAR_KEY, ""))
    return int(found[1]) if found else None
