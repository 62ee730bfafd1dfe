"""From a tree to the tree that is run: every asynchronous call in a step of its own, or explained.

The stored SQL stays what the user wrote. What ``explain`` says and what is run come from here, so
they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from viewscribe.expressions.functions.asynchronous.options import (
    AsyncSettings,
    Manner,
    OutputMode,
    RunningFunction,
    is_async_call,
)
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, fold, holds, preorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import is_special, refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable, summarize, summary_line
from viewscribe.operations.rewrites.asynchronous.conditions import (
    WITHOUT_STEPS,
    Fate,
    Placed,
    below_projection,
    correlate,
    placed_calls,
    push_condition,
    split_condition,
    split_condition_rex_field,
    split_join,
)
from viewscribe.operations.rewrites.asynchronous.finding import (
    Moved,
    Occurrence,
    call_of,
    expand_project,
    fresh_names,
    hoist,
    holds_async,
    holds_async_anywhere,
    is_async_step,
    merge_projections,
    nested_split,
    occurrences,
    own_expressions,
    split_project,
    split_projection_rex_field,
    substitute,
)
from viewscribe.operations.rewrites.asynchronous.sharing import share_calls

# The rules for LIMIT and ORDER BY: rows are counted and sorted before calls are made for them.


def push_limit(operation: QueryOperation) -> QueryOperation:
    """LIMIT and OFFSET, and the sort that they count in, go below a projection with calls.

    A projection gives a row for a row, so the same rows are left. A sort stays where it needs what
    a call gives.
    """
    assert isinstance(operation, n.Limit | n.Offset)
    counted = [operation]
    node = operation.child
    while isinstance(node, n.Limit | n.Offset):
        counted.append(node)
        node = node.child
    sort = node if isinstance(node, n.Sort) and not node.within_partitions else None
    projections, keys, below = _pass_projections(node if sort is None else sort.child, sort)
    if not projections:
        return operation
    made = below if sort is None else n.Sort.of(below, keys)
    for each in reversed(counted):
        made = each.with_children([made])
    for projection in reversed(projections):
        made = projection.with_children([made, *own_expressions(projection)])
    return made


def push_sort(operation: QueryOperation) -> QueryOperation:
    """ORDER BY goes below a projection with calls where it does not need what they give.

    Spark reads all that it sorts twice, first a sample of it to find the ranges: calls, too.
    """
    assert isinstance(operation, n.Sort)
    if operation.within_partitions:
        return operation
    projections, keys, below = _pass_projections(operation.child, operation)
    if not projections:
        return operation
    made: QueryOperation = n.Sort.of(below, keys)
    for projection in reversed(projections):
        made = projection.with_children([made, *own_expressions(projection)])
    return made


def shuffled(operation: n.Sort) -> n.Sort:
    """The sort with what it reads shuffled first, so that no call is made again for the sample."""
    hint = n.Hint.of(operation.child, "REPARTITION")
    made = operation.with_children([hint, *own_expressions(operation)])
    assert isinstance(made, n.Sort)
    return made


def is_sampled(operation: QueryOperation) -> bool:
    """Whether Spark makes the calls below a sort twice: for nothing keeps their results."""
    if not isinstance(operation, n.Sort) or operation.within_partitions:
        return False
    left: list[QueryOperation] = [operation.child]
    while left:
        node = left.pop()
        if is_async_step(node):
            return True
        if not isinstance(node, n.Aggregate | n.Distinct | n.Sort | n.Limit):
            left += node.inputs()
    return False


Keys = tuple[SortOrder, ...]


def _pass_projections(
    node: QueryOperation, sort: n.Sort | None
) -> tuple[list[QueryOperation], Keys, QueryOperation]:
    """The projections down to the last one with calls, the keys below it, and what it reads."""
    keys: Keys = () if sort is None else sort.keys
    steps: list[QueryOperation] = []
    found: tuple[list[QueryOperation], Keys, QueryOperation] = ([], keys, node)
    while isinstance(node, n.Project | n.WithColumns | n.SubqueryAlias):
        if not isinstance(node, n.SubqueryAlias):
            lowered = [below_projection(key.child, node) for key in keys]
            if any(each is None for each in lowered) or any(map(is_special, own_expressions(node))):
                break
            keys = tuple(
                key.copy_with({"child": each, "type": each.type})
                for key, each in zip(keys, lowered, strict=True)
                if each is not None
            )
        steps.append(node)
        calling = any(map(holds_async, own_expressions(node)))
        node = node.child
        if calling:
            found = (list(steps), keys, node)
    return found


# The rule for aggregates: calls over rows are made below the groups, those over groups above.


def split_aggregate(operation: QueryOperation) -> QueryOperation:
    """Calls in keys and in arguments of aggregates, in a step below; others in one above.

    ``sum(f(x))`` becomes ``sum(async_1)`` over ``f(x) AS async_1``; ``f(count(*))`` becomes a
    projection ``f(aggregate_1)`` over ``count(*) AS aggregate_1``.
    """
    assert isinstance(operation, n.Aggregate)
    return _over_groups(_over_rows(operation))


def _over_rows(operation: n.Aggregate) -> n.Aggregate:
    """The aggregate with the calls for each row made below it."""
    inside = [call for each in operation.aggregates for call in _aggregate_calls(each)]
    moved = Moved(found for each in (*operation.keys, *inside) for found in _free(each))
    if not moved:
        return operation
    below = moved.below(operation.child)

    def column(node: Node) -> Node | None:
        # An equal call outside of the aggregates is a key that is written once more.
        return moved.reference_to(node) if is_async_call(node) else None

    def replace(expression: ResolvedExpression) -> ResolvedExpression:
        return substitute(moved.replaced(expression), column)

    return n.Aggregate.of(
        below,
        tuple(map(replace, operation.keys)),
        tuple(map(replace, operation.aggregates)),
        operation.grouping,
        operation.sets,
    )


def _free(expression: ResolvedExpression) -> list[Occurrence]:
    return [each for each in occurrences(expression) if not each.bound]


def _aggregate_calls(expression: ResolvedExpression) -> list[AggregateCall]:
    """The aggregates in an expression, those in the arguments of asynchronous calls too."""
    inside = preorder(expression, skip=lambda node: node.is_query)
    return [node for node in inside if isinstance(node, AggregateCall)]


def _over_groups(operation: n.Aggregate) -> QueryOperation:
    """The aggregate below a projection, where it has calls of the groups' values."""
    calling = [each for each in operation.aggregates if holds_async(each)]
    if not calling or any(holds(each, SubqueryExpression) for each in calling):
        return operation
    keys = {strip_alias(key): place for place, key in enumerate(operation.keys)}
    inner: dict[ResolvedExpression, int] = {}

    def reference(value: ResolvedExpression) -> FieldReference:
        place = keys.get(value)
        if place is None:
            place = len(keys) + inner.setdefault(value, len(inner))
        return FieldReference(place, "", value.type)

    def output(node: Node) -> Node | None:
        known = isinstance(node, AggregateCall) or node in keys
        return reference(node) if known and isinstance(node, ResolvedExpression) else None

    values = [
        substitute(strip_alias(each), output) if holds_async(each) else reference(strip_alias(each))
        for each in operation.aggregates
    ]
    return _project(operation, list(inner), values)


def _project(
    operation: n.Aggregate, inner: list[ResolvedExpression], values: list[ResolvedExpression]
) -> QueryOperation:
    names = fresh_names(operation, "aggregate", len(inner))
    aggregates = tuple(
        Alias(value, name, value.type) for value, name in zip(inner, names, strict=True)
    )
    below = n.Aggregate.of(
        operation.child, operation.keys, aggregates, operation.grouping, operation.sets
    ).schema
    width = len(operation.keys)

    def name_item(node: Node) -> Node | None:
        return below.reference(node.index) if isinstance(node, FieldReference) else None

    columns = [below.reference(place) for place in range(width)]
    shown = operation.schema.names[width:]
    made = [alias(substitute(v, name_item), name) for v, name in zip(values, shown, strict=True)]
    aggregate = operation.copy_with({"aggregates": aggregates})
    return n.Project.of(aggregate, (*columns, *made))


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
    # The identities of what a LIMIT reads: of a sort Spark then keeps the first rows alone.
    left_alone, ordered, counted = (
        correlate(root),
        _find_ordered(root),
        frozenset(id(node.child) for node in preorder(root) if isinstance(node, n.Limit)),
    )

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


# What ``explain`` says: how each call is made and why, and the tree that is run.

_MOST = 100

Manners = Mapping[FunctionIdentifier, set[Manner]]


def explain(plan: Schedule, settings: AsyncSettings) -> str:
    """The calls with what becomes of them, then the tree that is run."""
    lines: list[str] = []
    found: dict[FunctionIdentifier, set[Manner]] = {}
    for node in preorder(plan.operation):
        if is_async_call(node) and isinstance(node.function, RunningFunction):
            function = node.function
            found.setdefault(function.author.identifier, set()).add(function.manner)
    manners = found
    for each in plan.calls:
        lines += _of_call(each, settings, manners)
    if plan.refused:
        return "\n".join(lines)
    return "\n".join([*lines, *([""] if lines else []), summarize(plan.operation)])


def _of_call(each: Placed, settings: AsyncSettings, manners: Manners) -> list[str]:
    identifier = author_of(each.call).identifier
    lines = [
        f"{_cut(each.call.as_summary_string())} in {_cut(summary_line(each.operation))}",
        f"  {each.fate.value}: {each.why}",
    ]
    if each.hint is not None:
        lines.append(f"  {each.hint}")
    if each.needed is not None:
        lines.append(f"  only where {_cut(each.needed.as_summary_string())}")
    if each.fate is Fate.HOISTED:
        order = _order(manners.get(identifier, set()))
        lines.append(f"  {settings.of(identifier)}; results {order}")
    elif each.fate is Fate.IN_PLACE:
        lines.append("  one call after the other, perhaps more than one a row")
    return lines


def _order(manners: set[Manner]) -> str:
    if Manner.UNORDERED not in manners:
        return "in the order of the rows"
    if Manner.ORDERED not in manners:
        return "as they are ready"
    return "as they are ready where the rows have no order, else in that"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[:_MOST] + "…"
