"""The steps of a pipeline, in the order they are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause, QueryOperation
from viewscribe.serializer.features import features_of
from viewscribe.serializer.sharing import without_alias

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
    while not root.is_source:
        if not (chain and type(root) is type(chain[-1]) is n.SubqueryAlias):
            chain.append(root)
        root = root.inputs()[0]
    return chain[::-1]


def noted_operations(step: Step) -> Sequence[QueryOperation]:
    """The operations that are written in the line of a step: names and tables have no other."""
    if isinstance(step, ComputedAggregate):
        return [step.aggregate, step.project]
    found: list[QueryOperation] = [step]
    right = step.right if isinstance(step, n.Join | n.LateralJoin) else None
    while isinstance(right, n.SubqueryAlias):
        found.insert(0, right)
        right = right.child
    return [right, *found] if isinstance(right, n.CatalogSource) else found


def steps_to_columns(chain: Sequence[QueryOperation]) -> int:
    """How many steps it takes from a row without columns to a table that has some."""
    return next(place for place, step in enumerate(chain, 1) if len(step.schema))


def wraps(step: QueryOperation) -> bool:
    """Whether the steps below are put in parentheses, for a plain SELECT around them.

    The keys of ROLLUP, CUBE and GROUPING SETS that are not columns yet are made by a step below,
    and so is a column that is a key twice.
    """
    if not isinstance(step, n.Aggregate) or step.grouping is n.Grouping.SIMPLE:
        return False
    keys = [strip_alias(key) for key in step.keys]
    named = all(type(key) is FieldReference for key in keys) and len(set(keys)) == len(keys)
    return not named or bool(without_alias(step.child).input_fields)


def with_computed_aggregates(steps: Iterable[QueryOperation]) -> Iterator[Step]:
    """The steps, a projection that computes with aggregates taken together with them.

    Projections that only choose and name aggregates make another aggregate, which is all that its
    text says, and the next one may compute with that.
    """
    waiting: n.Aggregate | None = None
    for step in steps:
        if waiting is not None:
            project = _as_project(step)
            if project is not None and _is_computed_from(waiting, project):
                chosen = _merge_names(waiting, project)
                if chosen is None:
                    yield ComputedAggregate(waiting, project)
                waiting = chosen
                continue
            yield waiting
        waiting = step if type(step) is n.Aggregate else None
        if waiting is None:
            yield step
    if waiting is not None:
        yield waiting


def _as_project(step: QueryOperation) -> n.Project | None:
    """The step as a SELECT, where it is written as one."""
    if type(step) is n.Project:
        return step
    if type(step) is not n.WithColumns or can_extend(step):
        return None
    return n.Project.of(step.child, columns_after(step))


def can_extend(step: n.WithColumns) -> bool:
    """Whether the columns come after those there are, under new names."""
    width = len(step.child.schema)
    names = set(map(str.lower, step.schema.names))
    return all(place >= width for place in step.places()) and len(names) == len(step.schema)


def columns_after(step: n.WithColumns) -> tuple[ResolvedExpression, ...]:
    """All columns that there are after the step."""
    columns: list[ResolvedExpression] = list(step.child.schema.references)
    for place, column in zip(step.places(), step.columns, strict=True):
        if place == len(columns):
            columns.append(column)
        else:
            columns[place] = column
    return tuple(columns)


def _merge_names(aggregate: n.Aggregate, project: n.Project) -> n.Aggregate | None:
    """The aggregate under the names of a projection that computes nothing."""
    names = project.schema.names
    columns = [strip_alias(each) for each in project.expressions]
    places = [each.index for each in columns if type(each) is FieldReference]
    if len(places) < len(columns) or len(set(map(str.lower, names))) < len(names):
        return None
    width = len(aggregate.keys)
    outputs = (*aggregate.keys, *aggregate.aggregates)
    named = [alias(outputs[place], name) for place, name in zip(places, names, strict=True)]
    return n.Aggregate.of(aggregate.child, tuple(named[:width]), tuple(named[width:]))


def _is_computed_from(aggregate: n.Aggregate, project: n.Project) -> bool:
    """Whether AGGREGATE can give the projection: the keys, then expressions over aggregates."""
    if aggregate.grouping is not n.Grouping.SIMPLE:
        return False
    width = len(aggregate.keys)
    expressions = [strip_alias(expression) for expression in project.expressions]
    places = [e.index if type(e) is FieldReference else -1 for e in expressions[:width]]
    if places != list(range(width)):
        return False
    used: Counter[int] = Counter()
    for expression in expressions[width:]:
        if not _is_plain(expression):
            return False
        used.update(features_of(expression).refs)
    calls = [features_of(strip_alias(call)).depth for call in aggregate.aggregates]
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
    computed = sum(Clause.GROUP_BY <= step.clause <= Clause.DISTINCT for step in chain)
    if computed > _MOST_COMPUTING or len(chain) > _MOST_STEPS:
        raise NotSerializableError(
            f"a pipe of {len(chain)} steps, {computed} of which make columns, is longer than Spark "
            f"analyzes ({_MOST_STEPS} and {_MOST_COMPUTING})",
            hint='use the readable style, which folds steps: to_sql("readable")',
        )
