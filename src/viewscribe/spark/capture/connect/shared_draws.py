"""Draws of a DataFrame that is used twice: a classic session makes up one seed for both uses.

A server of Connect reads what it is sent at each place, and makes up a seed at each, as Spark does
of a text. So a recording that stands for a classic session cannot say it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from viewscribe.errors import CaptureError
from viewscribe.expressions.marks import IS_RANDOM
from viewscribe.expressions.node import Node, find, is_query, marks_in, postorder
from viewscribe.expressions.nodes import Call, SubqueryExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.summary import summary_line


def refuse_shared_draws(root: QueryOperation) -> None:
    """Refuses a step that draws without a seed and is used at several places.

    Raises:
        CaptureError: there is one.
    """
    if not marks_in(root) & IS_RANDOM:
        return
    uses = Counter({id(root): 1})
    for node in reversed([*postorder(root)]):
        if not isinstance(node, QueryOperation):
            continue
        for each in _queries_of(node):
            uses[id(each)] = min(2, uses[id(each)] + uses[id(node)])
        if uses[id(node)] > 1 and any(map(_draws, node.children())):
            raise CaptureError(
                "a DataFrame is used twice that SQL draws without a seed: a classic session draws "
                "once for both, and a text at each place",
                location=summary_line(node),
                hint="draw with a seed, rand(7), or save it as a table: df.write.saveAsTable(…)",
            )


def _queries_of(step: QueryOperation) -> Iterator[Node]:
    """What a step reads, each as often as it does, and the queries in its expressions."""
    for child in step.children():
        if child.is_query:
            yield child
        else:
            yield from (each.query for each in find(child, SubqueryExpression, skip=is_query))


def _draws(part: Node) -> bool:
    """Whether an expression calls a function of chance without its last argument, the seed."""
    calls = () if part.is_query else find(part, Call, skip=is_query)
    return any(
        each.function.marks & IS_RANDOM
        and each.function.built_in_name
        and len(each.args) < each.function.inference.most
        for each in calls
    )
