"""How often a statement reads its tables once what is shared in it is written out, as Spark does.

A pipeline joined or united with itself again and again is short as a tree, and as text with CTEs.
Spark's analyzer writes every CTE out where it is read: each level doubles its work.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import holds, postorder
from viewscribe.expressions.nodes import SubqueryExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.summary import summary_line

MOST_READS = 8_000
"""Reads of tables that Spark 4.3 analyzes, in about half a minute."""

MOST_WRITTEN = 1_000
"""Reads of tables in a text that has no CTEs."""

_SHARED = 2
_SMALL = 100


def refuse_many_reads(root: QueryOperation, style: str, is_split: bool) -> None:
    """Refuses a tree that is much smaller than the query that Spark makes of its text.

    Args:
        root: the whole tree.
        style: what it is to be printed in.
        is_split: whether expressions that repeat a part were taken apart; until they are, queries
            inside of expressions do not count, as each of them may be computed once.

    Raises:
        NotSerializableError: says which step to save.
    """
    reads: dict[int, int] = {}
    tables = 0
    uses: dict[int, int] = {}
    operations: list[QueryOperation] = []
    for node in postorder(root, skip=lambda node: not holds(node, QueryOperation)):
        found = 0
        for child in node.children():
            found += reads.get(id(child), 0)  # an expression without a query reads nothing
            uses[id(child)] = uses.get(id(child), 0) + 1
        if isinstance(node, QueryOperation):
            operations.append(node)
            if not found:
                found, tables = 1, tables + 1
        elif isinstance(node, SubqueryExpression) and not is_split:
            found = 0
        reads[id(node)] = found
    whole = reads[id(root)]
    if whole <= _SHARED * tables or whole <= MOST_WRITTEN:
        return
    if style == "readable" and whole <= MOST_READS:
        return
    if style != "readable" and whole <= MOST_READS:
        hint = 'use the readable style, which writes a step once: to_sql("readable")'
    else:
        steps = [each for each in operations if each.input_fields]  # a table is saved already
        again = [each for each in steps if uses.get(id(each), 0) > 1]
        step = _worth_saving(again or steps, reads)
        hint = f"save this step as a table, and go on from there: {summary_line(step)}"
    raise NotSerializableError(
        f"the query reads its tables {_show(whole)} times, as it is used with itself again and "
        f"again: more than {'Spark analyzes' if whole > MOST_READS else 'can be written out'}",
        hint=hint,
    )


def _worth_saving(steps: Sequence[QueryOperation], reads: dict[int, int]) -> QueryOperation:
    """The largest of the steps that are small, or else the smallest."""
    small = [each for each in steps if reads[id(each)] <= _SMALL]
    if small:
        return max(small, key=lambda each: reads[id(each)])
    return min(steps, key=lambda each: reads[id(each)])


def _show(count: int) -> str:
    """The number, or about how many digits it has."""
    return f"{count:,}" if count < 10**12 else f"more than 10^{int(count.bit_length() * 0.301) - 1}"
