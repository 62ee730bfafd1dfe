"""The steps of a pipeline, in the order they are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, unaliased
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.blocks import features_of
from viewscribe.serializer.sharing import without_alias

_COMPUTING = (n.Project, n.WithColumns, n.Aggregate, n.Distinct, n.TimeWindow)
_MOST_COMPUTING = 60
_MOST_STEPS = 300
_MOST_DEPTH = 40


class ComputedAggregate(msgspec.Struct, eq=False):
    """An aggregate and the projection that computes with its results: one AGGREGATE."""

    aggregate: n.Aggregate
    project: n.Project


Step = QueryOperation | ComputedAggregate


def chain_of(root: QueryOperation) -> list[QueryOperation]:
    """The operations along the first inputs, bottom-up, without the one it starts from.

    A process table function is where one starts: the pipeline it reads stands inside of its call.

    Of names given one after the other, the last is the one that counts.
    """
    chain: list[QueryOperation] = []
    while root.input_fields and type(root) is not n.Process:
        if not (chain and type(root) is type(chain[-1]) is n.SubqueryAlias):
            chain.append(root)
        root = root.inputs()[0]
    return chain[::-1]


def steps_to_columns(chain: Sequence[QueryOperation]) -> int:
    """How many steps it takes from a row without columns to a table that has some."""
    return next(place for place, step in enumerate(chain, 1) if len(step.schema))


def wraps(step: QueryOperation) -> bool:
    """Whether the steps below are put in parentheses, for a plain SELECT around them.

    The keys of ROLLUP, CUBE and GROUPING SETS that are not columns yet are made by a step below.
    """
    if not isinstance(step, n.Aggregate) or step.grouping is n.Grouping.SIMPLE:
        return False
    named = all(type(unaliased(key)) is FieldReference for key in step.keys)
    return not named or bool(without_alias(step.child).input_fields)


def with_computed_aggregates(steps: Iterable[QueryOperation]) -> Iterator[Step]:
    """The steps, a projection that computes with aggregates taken together with them."""
    waiting: n.Aggregate | None = None
    for step in steps:
        if waiting is not None:
            if type(step) is n.Project and _is_computed_from(waiting, step):
                yield ComputedAggregate(waiting, step)
                waiting = None
                continue
            yield waiting
        waiting = step if type(step) is n.Aggregate else None
        if waiting is None:
            yield step
    if waiting is not None:
        yield waiting


def _is_computed_from(aggregate: n.Aggregate, project: n.Project) -> bool:
    """Whether AGGREGATE can give the projection: the keys, then expressions over aggregates."""
    if aggregate.grouping is not n.Grouping.SIMPLE:
        return False
    width = len(aggregate.keys)
    expressions = [unaliased(expression) for expression in project.expressions]
    places = [e.index if type(e) is FieldReference else -1 for e in expressions[:width]]
    if places != list(range(width)):
        return False
    used: Counter[int] = Counter()
    for expression in expressions[width:]:
        if not _is_plain(expression):
            return False
        used.update(features_of(expression).refs)
    calls = [features_of(unaliased(call)).depth for call in aggregate.aggregates]
    return all(
        place >= width and count == 1 and calls[place - width] <= _MOST_DEPTH
        for place, count in used.items()
    )


def _is_plain(expression: ResolvedExpression) -> bool:
    """Whether the expression uses a column, and nothing that must stand above an aggregate."""
    found = features_of(expression)
    special = found.window or found.subquery or found.volatile or refers_outside(expression)
    return bool(found.refs) and not special and found.depth <= _MOST_DEPTH


def refuse_long(chain: Sequence[QueryOperation]) -> None:
    """Refuses so many steps that Spark's analyzer would give up on them."""
    computed = sum(isinstance(step, _COMPUTING) for step in chain)
    if computed > _MOST_COMPUTING or len(chain) > _MOST_STEPS:
        raise NotSerializableError(
            f"a pipe of {len(chain)} steps, {computed} of which make columns, is longer than Spark "
            f"analyzes ({_MOST_STEPS} and {_MOST_COMPUTING})",
            hint='use the readable style, which folds steps: to_sql("readable")',
        )
