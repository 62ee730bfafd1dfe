"""Windows of time that are computed beside other columns become steps of their own.

``window(at, '1 hour', '20 minutes')`` is no value of a row: each row is there once for every window
that it lies in, and a row without a time not at all, whether anybody reads the window or not. Spark
makes a step of it, below the one in which it is written; so it is one here, for all who read trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.node import IS_STEP, Node, holds, marks_in, postorder
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Lambda,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import references_of
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation, rewrite
from viewscribe.operations.handlers import summary_line

# A window of time that is only there to group by it is a key of the groups, as SQL writes it.


def with_windows_as_keys(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree without the steps that compute a window of time for the groups right above."""
    if not holds(root, n.TimeWindow):
        return root

    def change(before: Node, node: Node) -> Node:
        if not isinstance(node, n.Aggregate):
            return node
        grouped = _over_rows(node)
        if notes is not None and grouped is not node:
            assert isinstance(before, n.Aggregate)
            notes.join(node.child, before, grouped)
        return grouped

    return rewrite(root, change, notes)


def _over_rows(groups: n.Aggregate) -> n.Aggregate:
    """The groups over the input of the window; as they are where the window is more than a key."""
    windowed = groups.child
    if type(windowed) is not n.TimeWindow or groups.grouping is not n.Grouping.SIMPLE:
        return groups
    last = len(windowed.schema) - 1
    keys: list[ResolvedExpression] = []
    for key in groups.keys:
        inner = strip_alias(key)
        if isinstance(inner, FieldReference) and inner.index == last:
            keys.append(alias(windowed.call, n.output_name(key)))
        else:
            keys.append(key)
    changed = [new for new, old in zip(keys, groups.keys, strict=True) if new is not old]
    kept = [each for each in (*keys, *groups.aggregates) if each not in changed]
    if len(changed) != 1 or any(last in references_of(each).columns for each in kept):
        return groups
    return n.Aggregate.of(windowed.child, tuple(keys), groups.aggregates)


_NAME = "time_window"


def with_windows_as_steps(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree in which every window of time is a step, or the key of a group.

    Raises:
        ValidationError: a window stands where Spark computes none.
    """
    if not marks_in(root) & IS_STEP:
        return root

    def change(_: Node, node: Node) -> Node:
        return with_windows_below(node) if isinstance(node, QueryOperation) else node

    return rewrite(root, change, notes)


def with_windows_below(operation: QueryOperation) -> QueryOperation:
    """The operation with the window that its own expressions call for as a step below it.

    Raises:
        ValidationError: there is more than one, or Spark computes none in such an operation.
    """
    calls = list(_own_windows(operation))
    if not calls or type(operation) is n.TimeWindow:
        return operation
    call = calls[0]
    if any(other != call for other in calls):
        raise ValidationError(
            "two windows of time in one step: Spark computes one",
            location=summary_line(operation),
            hint="compute one of them in a select(…) of its own, under a name",
        )
    if type(operation) is n.Aggregate:
        return operation
    handler = _HANDLERS.get(type(operation))
    if handler is None:
        raise ValidationError(
            f"{call.function.name} gives no value of a row, and cannot stand here",
            location=summary_line(operation),
            hint="compute it in a select(…) of its own below, under a name",
        )
    return handler(operation, call)


def _own_windows(operation: QueryOperation) -> Iterator[Call]:
    for child in operation.children():
        for node in postorder(child, skip=lambda node: node.is_query):
            if isinstance(node, Lambda) and any(map(_is_window, postorder(node))):
                raise ValidationError("a window of time cannot stand in a lambda")
            if _is_window(node):
                assert isinstance(node, Call)
                yield node


def _is_window(node: Node) -> bool:
    return type(node) is Call and node.function.is_step


def _windowed(child: QueryOperation, call: Call, wanted: str | None) -> n.TimeWindow:
    """The rows with their windows in a last column, of a name that is free."""
    # Not `window`: Spark calls its own column so, and takes neither where both are there.
    stem = wanted or _NAME
    name, number = stem, 2
    while name.lower() in child.schema.by_name:
        name, number = f"{stem}_{number}", number + 1
    return n.TimeWindow.of(child, call, name)


def _swapped(windowed: n.TimeWindow, expressions: tuple[Any, ...]) -> tuple[Any, ...]:
    """The expressions with the last column in the place of the call that makes it."""
    made = windowed.schema.reference(len(windowed.schema) - 1)
    done: dict[int, Node] = {}
    for expression in expressions:
        for node in postorder(expression, skip=lambda node: node.is_query):
            if node == windowed.call:
                done[id(node)] = made
                continue
            old = node.children()
            new = [done.get(id(child), child) for child in old]
            changed = any(one is not other for one, other in zip(new, old, strict=True))
            done[id(node)] = node.with_children(new) if changed else node
    return tuple(done[id(expression)] for expression in expressions)


def _wanted(columns: tuple[Any, ...], call: Call) -> str | None:
    """What the step calls the window, where it is a column of it."""
    found = (each.name for each in columns if type(each) is Alias and each.child == call)
    return next(found, None)


def _project(node: n.Project, call: Call) -> QueryOperation:
    windowed = _windowed(node.child, call, _wanted(node.expressions, call))
    items = _swapped(windowed, node.expressions)
    return n.Project.of(windowed, tuple(map(_plain, items)))


def _plain(item: Any) -> Any:
    """A column under its own name as it is."""
    if type(item) is Alias and type(item.child) is FieldReference and item.child.name == item.name:
        return item.child
    return item


def _with_columns(node: n.WithColumns, call: Call) -> QueryOperation:
    wanted, width = _wanted(node.columns, call), len(node.child.schema)
    windowed = _windowed(node.child, call, wanted)
    if len(node.columns) == 1 and windowed.name == wanted and not windowed.is_session:
        return windowed
    # A column called as the window is not to be replaced by one of that name.
    taken = {column.name.lower() for column in node.columns}
    while windowed.name.lower() in taken:
        windowed = _windowed(node.child, call, f"{windowed.name}_")
    made = n.WithColumns.of(windowed, _swapped(windowed, node.columns))
    columns = made.schema.references
    return n.Project.of(made, (*columns[:width], *columns[width + 1 :]))


def _filter(node: n.Filter, call: Call) -> QueryOperation:
    windowed = _windowed(node.child, call, None)
    (condition,) = _swapped(windowed, (node.condition,))
    return _without(n.Filter.of(windowed, condition), len(node.child.schema))


def _sort(node: n.Sort, call: Call) -> QueryOperation:
    windowed = _windowed(node.child, call, None)
    keys = _swapped(windowed, node.keys)
    return _without(n.Sort.of(windowed, keys, node.within_partitions), len(node.child.schema))


def _generate(node: n.Generate, call: Call) -> QueryOperation:
    windowed = _windowed(node.child, call, None)
    (made,) = _swapped(windowed, (node.call,))
    return _without(n.Generate.of(windowed, made, node.outer, node.names), len(node.child.schema))


def _without(made: QueryOperation, place: int) -> QueryOperation:
    """The columns but the one at that place."""
    columns = made.schema.references
    return n.Project.of(made, (*columns[:place], *columns[place + 1 :]))


_HANDLERS: Mapping[type[QueryOperation], Callable[[Any, Call], QueryOperation]] = {
    n.Project: _project,
    n.WithColumns: _with_columns,
    n.Filter: _filter,
    n.Sort: _sort,
    n.Generate: _generate,
}
