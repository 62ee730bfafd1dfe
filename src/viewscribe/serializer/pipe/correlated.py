"""What Spark refuses of queries that see the row of another around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewscribe.expressions.functions.builtin.operators import AND
from viewscribe.expressions.node import holds, preorder, replace
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Lambda,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
    strip_alias,
)
from viewscribe.expressions.properties import (
    is_deterministic,
    refers_outside,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.kinds import Clause
from viewscribe.serializer.features import features_of
from viewscribe.serializer.pipe.chain import chain_of


def needs_blocks(operation: QueryOperation) -> bool:
    """Whether a correlated query has a form that Spark refuses between pipe operators."""
    if not refers_outside(operation):
        return False
    return _is_ordered(operation) or _filters_again(operation) or _generates(operation)


def _generates(operation: QueryOperation) -> bool:
    """Whether a generator reads the row around, which it does as a table alone.

    A function of FROM does so as well, which Spark takes in no pipeline.
    """
    return any(
        (isinstance(node, n.Generate) and holds(node.call, OuterReference))
        or (isinstance(node, n.TableFunction) and holds(node, OuterReference))
        for node in preorder(operation)
    )


def _is_ordered(operation: QueryOperation) -> bool:
    """Whether there is an order or a limit, which Spark's pipe operators cannot correlate."""
    return any(
        isinstance(node, QueryOperation) and node.clause in (Clause.ORDER_BY, Clause.LIMIT)
        for node in preorder(operation)
    )


def _filters_again(root: QueryOperation) -> bool:
    """Whether a filter is above a correlated column, or with others above a correlated filter."""
    correlated = between = False
    for step in chain_of(root):
        if type(step) is not n.Filter:
            computes = _computes_outside(step)
            between = between or correlated or computes
            correlated = correlated or computes
        elif between:
            return True
        else:
            correlated = correlated or refers_outside(step.condition)
    return False


def _computes_outside(step: QueryOperation) -> bool:
    """Whether a column that the step makes is one of a query around, or made of one."""
    if isinstance(step, n.Project):
        return any(holds(each, OuterReference) for each in step.expressions)
    return isinstance(step, n.WithColumns) and any(
        holds(each, OuterReference) for each in step.columns
    )


def with_filters_first(operation: QueryOperation) -> QueryOperation:
    """The same query, its filters below the columns of a query around that it computes.

    Spark refuses a ``|> WHERE`` above those; the condition says the same of what they are made of.
    """
    return _with_filters_first(operation) if refers_outside(operation) else operation


def _with_filters_first(operation: QueryOperation) -> QueryOperation:
    if operation.input_fields != ("child",):
        return operation
    (child,) = operation.inputs()
    below = _with_filters_first(child)
    if isinstance(operation, n.Filter) and isinstance(below, n.Project | n.WithColumns):
        condition = _written_out(operation.condition, below)
        if condition is not None:
            filtered = n.Filter.of(below.child, condition)
            return _over(below, _with_filters_first(filtered))
    return operation if below is child else _over(operation, below)


def _over(operation: QueryOperation, child: QueryOperation) -> QueryOperation:
    made = operation.copy_with({"child": child})
    assert isinstance(made, QueryOperation)
    return made


def _written_out(
    condition: ResolvedExpression, step: n.Project | n.WithColumns
) -> ResolvedExpression | None:
    """The condition on what the step's columns are made of; None where it has to stay above."""
    if not _computes_outside(step) or holds(condition, SubqueryExpression):
        return None
    if isinstance(step, n.Project):
        cells = [strip_alias(each) for each in step.expressions]
    else:
        cells = [*step.child.schema.references]
        for place, column in zip(step.places(), step.columns, strict=True):
            cells[place : place + 1] = [strip_alias(column)]
    if not all(map(is_deterministic, cells)) or any(holds(each, Over) for each in cells):
        return None
    made = replace(
        condition, lambda node: cells[node.index] if type(node) is FieldReference else node
    )
    assert isinstance(made, ResolvedExpression)
    return made


def with_joined_filters(chain: Sequence[QueryOperation]) -> Iterator[QueryOperation]:
    """The steps, filters that follow a correlated filter taken together with it.

    Spark refuses a ``|> WHERE`` above one that refers to an enclosing query.
    """
    waiting: n.Filter | None = None
    for step in chain:
        if waiting is not None and type(step) is n.Filter:
            terms = (*_terms(waiting.condition), *_terms(step.condition))
            waiting = n.Filter.of(waiting.child, make_call(AND, terms))
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if type(step) is n.Filter and refers_outside(step.condition):
            waiting = step
        else:
            yield step
    if waiting is not None:
        yield waiting


def _terms(condition: ResolvedExpression) -> Sequence[ResolvedExpression]:
    if type(condition) is Call and condition.function is AND:
        return condition.args
    return (condition,)


def seen_from_within(expressions: Sequence[ResolvedExpression]) -> set[int]:
    """The columns that must be qualified: those of sub-queries, those that a lambda would hide."""
    found: set[int] = set()
    for expression in expressions:
        features = features_of(expression)
        found.update(features.outer)
        if features.function:
            found |= _hidden_by_parameters(expression)
    return found


def _hidden_by_parameters(expression: ResolvedExpression) -> set[int]:
    """The columns inside of lambda functions of which a parameter has the name."""
    found: set[int] = set()
    for function in preorder(expression):
        if isinstance(function, Lambda):
            names = {parameter.name.lower() for parameter in function.parameters}
            for node in preorder(function.body):
                if isinstance(node, FieldReference) and node.name.lower() in names:
                    found.add(node.index)
    return found
