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
from viewscribe.expressions.node import Node, fold, preorder, replace
from viewscribe.expressions.nodes import Alias, Call, SubqueryExpression
from viewscribe.expressions.properties import refers_outside
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
from viewscribe.operations.rewrites.asynchronous.limits import (
    is_sampled,
    push_limit,
    push_sort,
    shuffled,
)
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
    """The tree with the calls in steps that do nothing else, over columns and constants.

    First the calls, each once for the same arguments, then what their arguments compute.
    """
    return _rewrite(_rewrite(root, _CALLS), _ARGUMENTS)


def _rewrite(root: QueryOperation, rules: Rules) -> QueryOperation:
    """The tree after the rules, in one pass from the leaves up.

    What an operation reads is settled when its own rules are tried, and what they make of it is
    settled before the operation above is looked at.
    """
    done: dict[int, tuple[Node, Node]] = {}  # by identity, with the node so that it stays its own
    becomes: dict[int, Node] = {}
    stack: list[Node] = [root]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        if id(node) in becomes:
            _, made = done[id(becomes[id(node)])]
        elif (left := _left_alone(node)) is not None and id(left) not in done:
            done[id(left)] = left, left
            continue
        else:
            missing = [each for each in node.children() if id(each) not in done]
            if missing:
                stack.extend(missing)
                continue
            made = _with_children(node, [done[id(each)][1] for each in node.children()])
            changed = _apply_rule(made, rules)
            if changed is not made:
                becomes[id(node)] = changed
                stack.append(changed)
                continue
        done[id(node)] = node, made
        done[id(made)] = made, made
    _, made = done[id(root)]
    assert isinstance(made, QueryOperation)
    return made


def _left_alone(node: Node) -> Node | None:
    """What is not looked into: Spark takes queries that refer to the row around apart itself."""
    if isinstance(node, SubqueryExpression) and refers_outside(node.query):
        return node.query
    if isinstance(node, n.LateralJoin) and refers_outside(node.right):
        return node.right
    return None


def _apply_rule(made: Node, rules: Rules) -> Node:
    """What the first rule that changes the operation makes of it; itself where none does."""
    if isinstance(made, QueryOperation):
        for rule in rules.get(type(made), ()):
            changed = rule(made)
            if changed is not made:
                return changed
    return made


_CALLS: HandlerTable[Sequence[Rule]] = HandlerTable(
    "the rules for asynchronous calls",
    {
        n.Filter: (push_condition, split_condition_rex_field, split_condition),
        n.Project: (split_projection_rex_field, split_project),
        n.WithColumns: (split_project, share_calls, nested_split),
        n.Limit: (push_limit,),
        n.Offset: (push_limit,),
        n.Aggregate: (split_aggregate,),
        n.Join: (split_join,),
        n.LateralJoin: (split_join,),
        n.Sort: (hoist, push_sort),
        n.Pivot: (hoist,),
        n.Generate: (hoist,),
        n.TimeWindow: (hoist,),
    },
    without=WITHOUT_STEPS,
)
_ARGUMENTS: Rules = {n.WithColumns: (expand_project,), n.Project: (merge_projections,)}


def _with_children(node: Node, children: Sequence[Node]) -> Node:
    if any(new is not old for new, old in zip(children, node.children(), strict=True)):
        return node.with_children(children)
    return node


# -- how the calls are made ------------------------------------------------------------------------


def _as_run(root: QueryOperation, settings: AsyncSettings) -> QueryOperation:
    """The tree with functions that know how they are called."""
    left_alone, ordered, counted = correlate(root), _find_ordered(root), _find_counted(root)

    def step(node: Node, children: list[Node]) -> Node:
        made = _with_children(node, children)
        if isinstance(made, n.Sort) and id(node) not in counted and is_sampled(made):
            return shuffled(made)
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


def _find_counted(root: QueryOperation) -> frozenset[int]:
    """The identities of what a LIMIT reads: of a sort Spark then keeps the first rows alone."""
    return frozenset(id(node.child) for node in preorder(root) if isinstance(node, n.Limit))


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
