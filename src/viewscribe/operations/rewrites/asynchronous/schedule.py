"""From a tree to the tree that is run: every asynchronous call in a step of its own, or explained.

The stored SQL stays what the user wrote. What ``explain`` says and what is run come from here, so
they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from viewscribe.expressions.functions.asynchronous.options import AsyncSettings, OutputMode
from viewscribe.expressions.functions.asynchronous.running_function import (
    Manner,
    RunningFunction,
    is_async_call,
)
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, fold, replace
from viewscribe.expressions.nodes import Alias, Call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.rewrites.asynchronous.conditions import (
    push_condition,
    split_condition,
    split_condition_rex_field,
)
from viewscribe.operations.rewrites.asynchronous.finding import (
    call_of,
    holds_async_anywhere,
    is_async_step,
)
from viewscribe.operations.rewrites.asynchronous.groups import split_aggregate
from viewscribe.operations.rewrites.asynchronous.joins import split_join
from viewscribe.operations.rewrites.asynchronous.limits import push_limit
from viewscribe.operations.rewrites.asynchronous.places import (
    WITHOUT_STEPS,
    Fate,
    Placed,
    correlate,
    placed_calls,
)
from viewscribe.operations.rewrites.asynchronous.projections import (
    expand_project,
    merge_projections,
    nested_split,
    split_project,
    split_projection_rex_field,
)
from viewscribe.operations.rewrites.asynchronous.sharing import share_calls
from viewscribe.operations.rewrites.asynchronous.steps import hoist

Rule = Callable[[QueryOperation], QueryOperation]
Rules = Mapping[type[QueryOperation], Sequence[Rule]]


class Schedule(msgspec.Struct, frozen=True):
    """How a tree is run.

    Args:
        operation: the tree to run.
        calls: every asynchronous call of the tree as it was written.
    """

    operation: QueryOperation
    calls: tuple[Placed, ...] = ()

    @property
    def refused(self) -> list[Placed]:
        """The calls that cannot be made."""
        return [each for each in self.calls if each.fate is Fate.REFUSED]


def schedule(root: QueryOperation, settings: AsyncSettings) -> Schedule:
    """The tree with every asynchronous call where, and as, it is to be made.

    Args:
        root: the tree as it was written.
        settings: the options of the functions.
    """
    if not holds_async_anywhere(root):
        return Schedule(root)
    calls = tuple(placed_calls(root))
    if any(each.fate is Fate.REFUSED for each in calls):
        return Schedule(root, calls)
    return Schedule(_as_run(with_steps(root), settings), calls)


def with_steps(root: QueryOperation) -> QueryOperation:
    """The tree with the calls in steps that do nothing else, over columns and constants."""
    for rules in (_SPLIT, _SHARE, _NEST, _SHARE, _EXPAND, _TIDY):
        root = _settle(root, rules)
    return root


_SPLIT: HandlerTable[Sequence[Rule]] = HandlerTable(
    "the rules for asynchronous calls",
    {
        n.Filter: (push_condition, split_condition_rex_field, split_condition),
        n.Project: (split_projection_rex_field, split_project),
        n.WithColumns: (split_project,),
        n.Limit: (push_limit,),
        n.Offset: (push_limit,),
        n.Aggregate: (split_aggregate,),
        n.Join: (split_join,),
        n.LateralJoin: (split_join,),
        n.Sort: (hoist,),
        n.Pivot: (hoist,),
        n.Generate: (hoist,),
        n.TimeWindow: (hoist,),
    },
    without=WITHOUT_STEPS,
)
_SHARE: Rules = {n.WithColumns: (share_calls,)}
_NEST: Rules = {n.WithColumns: (nested_split,)}
_EXPAND: Rules = {n.WithColumns: (expand_project,)}
_TIDY: Rules = {n.Project: (merge_projections,)}


def _settle(root: QueryOperation, rules: Rules) -> QueryOperation:
    """The tree after the rules, applied again and again until none changes anything."""
    while True:
        left_alone = correlate(root)

        def step(node: Node, children: list[Node], left: frozenset[int] = left_alone) -> Node:
            made = _with_children(node, children)
            if not isinstance(made, QueryOperation) or id(node) in left:
                return made
            for rule in rules.get(type(made), ()):
                changed = rule(made)
                if changed is not made:
                    return changed
            return made

        made = fold(root, step)
        assert isinstance(made, QueryOperation)
        if made is root:
            return root
        root = made


def _with_children(node: Node, children: Sequence[Node]) -> Node:
    if any(new is not old for new, old in zip(children, node.children(), strict=True)):
        return node.with_children(children)
    return node


# -- how the calls are made ------------------------------------------------------------------------


def _as_run(root: QueryOperation, settings: AsyncSettings) -> QueryOperation:
    """The tree with functions that know how they are called."""
    left_alone, ordered = correlate(root), _find_ordered(root)

    def step(node: Node, children: list[Node]) -> Node:
        made = _with_children(node, children)
        if id(node) in left_alone or not is_async_step(made):
            return made
        assert isinstance(made, n.WithColumns)
        assert isinstance(node, n.WithColumns)
        keeps_order = id(node.child) in ordered
        columns = tuple(_make_call(column, settings, keeps_order) for column in made.columns)
        return n.WithColumns.of(made.child, columns)

    made = replace(fold(root, step), lambda node: _in_place(node, settings))
    assert isinstance(made, QueryOperation)
    return made


def _make_call(column: Alias, settings: AsyncSettings, keeps_order: bool) -> Alias:
    call = call_of(column)
    assert isinstance(call.function, UserFunction)
    options = settings.of(author_of(call).identifier)
    free = options.output is OutputMode.ALLOW_UNORDERED and not keeps_order
    manner = Manner.UNORDERED if free else Manner.ORDERED
    function = RunningFunction(call.function, options, manner)
    return Alias(call.copy_with({"function": function}), column.name, column.type)


def _in_place(node: Node, settings: AsyncSettings) -> Node:
    """What was left where it stands."""
    if not is_async_call(node) or isinstance(node.function, RunningFunction):
        return node
    assert isinstance(node.function, UserFunction)
    options = settings.of(author_of(node).identifier)
    return node.copy_with({"function": RunningFunction(node.function, options, Manner.SYNCHRONOUS)})


def author_of(call: Call) -> UserFunction:
    """The function that the user calls."""
    function = call.function
    while not isinstance(function, RunningFunction) and hasattr(function, "called"):
        function = function.called
    assert isinstance(function, UserFunction)
    return function.author if isinstance(function, RunningFunction) else function


def _find_ordered(root: QueryOperation) -> frozenset[int]:
    """The identities of the operations whose rows have an order that can be observed."""
    found: set[int] = set()

    def step(node: Node, children: list[bool]) -> bool:
        if not isinstance(node, QueryOperation):
            return False
        inputs = {id(each) for each in node.inputs()}
        below = any(
            value
            for value, child in zip(children, node.children(), strict=True)
            if id(child) in inputs
        )
        made = isinstance(node, n.Sort | n.SqlText) or (below and not node.mixes_rows)
        if made:
            found.add(id(node))
        return made

    fold(root, step)
    return frozenset(found)
