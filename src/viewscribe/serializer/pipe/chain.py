"""The steps of a pipeline, in the order they are done."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.nodes import FieldReference, unaliased
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation

_COMPUTING = (n.Project, n.WithColumns, n.Aggregate, n.Distinct, n.TimeWindow)
_MOST_COMPUTING = 60
_MOST_STEPS = 300


def chain_of(root: QueryOperation) -> list[QueryOperation]:
    """The operations along the first inputs, bottom-up, without the one it starts from."""
    chain: list[QueryOperation] = []
    while root.input_fields:
        chain.append(root)
        root = root.inputs()[0]
    return chain[::-1]


def wraps(step: QueryOperation) -> bool:
    """Whether the steps below are put in parentheses, for a plain SELECT around them.

    The keys of ROLLUP, CUBE and GROUPING SETS that are not columns yet are made by a step below.
    """
    if not isinstance(step, n.Aggregate) or step.grouping is n.Grouping.SIMPLE:
        return False
    named = all(type(unaliased(key)) is FieldReference for key in step.keys)
    return not named or bool(step.child.input_fields)


def refuse_long(chain: Sequence[QueryOperation]) -> None:
    """Refuses so many steps that Spark's analyzer would give up on them."""
    computed = sum(isinstance(step, _COMPUTING) for step in chain)
    if computed > _MOST_COMPUTING or len(chain) > _MOST_STEPS:
        raise NotSerializableError(
            f"a pipe of {len(chain)} steps, {computed} of which make columns, is longer than Spark "
            f"analyzes ({_MOST_STEPS} and {_MOST_COMPUTING})",
            hint='use the readable style, which folds steps: to_sql("readable")',
        )
