"""Steps with the columns that they, and the steps below them, left out.

It is as far as Spark looks for a column that a filter or a sort names: through projections, and
through what keeps columns as they are. A table alias ends it, and so does what has two inputs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.provenance import Copy


def is_transparent(operation: QueryOperation) -> bool:
    """Whether it keeps the columns of its input, and would keep the rows of a wider one."""
    ends = operation.compares_rows or isinstance(operation, n.SubqueryAlias)
    return operation.keeps_columns and not ends


class Widening:
    """Widens steps.

    Args:
        deduplicated: the groups that ``dropDuplicates`` of some columns became, by identity; takes
            those that are made here.
        copies: what steps were made of, by identity of what they became; takes the wider steps,
            whose first columns are still those of the DataFrame.
    """

    def __init__(self, deduplicated: dict[int, n.Aggregate], copies: dict[int, Copy]) -> None:
        self._deduplicated, self._copies = deduplicated, copies

    def widened(
        self, operation: QueryOperation, depth: int
    ) -> tuple[QueryOperation, list[int]] | None:
        """The step with the columns at its end that the nearest projections below left out.

        Args:
            operation: the step.
            depth: of how many projections at most that leave something out.

        Returns:
            The step, and how many columns it has without them, with those of the nearest
            projection, and so on. None where nothing was left out.
        """
        path: list[QueryOperation] = []
        widths = [len(operation.schema)]
        deepest: tuple[QueryOperation, int, QueryOperation] | None = None
        while len(widths) <= depth:
            if self._passes(operation):
                path.append(operation)
                operation = operation.inputs()[0]
                continue
            wider = with_left_out(operation)
            if wider is not None:
                widths.append(widths[-1] + len(wider.schema) - len(operation.schema))
                deepest = wider, len(path), operation
            if not isinstance(operation, n.Project | n.WithColumns):
                break
            path.append(operation)
            operation = operation.child
        if deepest is None:
            return None
        found, above, narrow = deepest
        self._copies[id(found)] = Copy(narrow, False, found)
        for step in reversed(path[:above]):
            found = self._over(step, found)
            self._copies[id(found)] = Copy(step, False, found)
        return found, widths

    def _passes(self, operation: QueryOperation) -> bool:
        """Whether the step gives the columns that it reads."""
        if is_transparent(operation) or isinstance(operation, n.Distinct):
            return True
        return id(operation) in self._deduplicated

    def _over(self, step: QueryOperation, wider: QueryOperation) -> QueryOperation:
        """The step over its input with further columns, which it gives at its end."""
        width = len(step.inputs()[0].schema)
        added = wider.schema.references[width:]
        if isinstance(step, n.Distinct):
            return self._widen_groups(wider, wider.schema.references[:width], (), added)
        if isinstance(step, n.Aggregate):
            return self._widen_groups(wider, step.keys, step.aggregates, added)
        shown = _split_projection(step)
        if shown is None:
            return step.copy_with({"child": wider})
        below, expressions = shown
        return n.Project.of(wider, (*expressions, *_lack(below, expressions), *added))

    def _widen_groups(
        self,
        wider: QueryOperation,
        keys: tuple[ResolvedExpression, ...],
        aggregates: tuple[ResolvedExpression, ...],
        added: tuple[FieldReference, ...],
    ) -> QueryOperation:
        """``distinct`` and ``dropDuplicates`` take the first of a column that is not compared."""
        first = built_in("first")
        firsts = [
            Alias(call := AggregateCall(first, (ref,), first.infer((ref,))), ref.name, call.type)
            for ref in added
        ]
        made = n.Aggregate.of(wider, keys, (*aggregates, *firsts))
        self._deduplicated[id(made)] = made
        return made


class HiddenColumns:
    """The columns that selects below an input left out, found again as names ask for them.

    The columns of a nearer select come first, so the place of a column stays the same whether or
    not deeper selects are looked at.

    Args:
        child: the input.
        widening: widens it.
    """

    def __init__(self, child: QueryOperation, widening: Widening) -> None:
        self.operation = child
        self.widths: Sequence[int] = (len(child.schema),)
        self._child, self._widening = child, widening
        self._depth = 0
        self._last = 0

    def look_deeper(self) -> bool:
        """Finds the columns of further selects; returns False if there are none."""
        if len(self.widths) <= self._depth:
            return False  # the last look met the end
        # Twice as deep each time: a chain of a thousand selects is not widened a thousand times.
        self._depth = 2 * self._depth or 1
        found = self._widening.widened(self._child, self._depth)
        before = len(self.widths)
        if found is not None:
            self.operation, self.widths = found
        return len(self.widths) > before

    def use(self, index: int) -> None:
        """Notes that an expression names the column at ``index``."""
        self._last = max(self._last, index)

    def widen(self) -> QueryOperation:
        """The input, with the columns of as few selects as have all that was named."""
        depth = bisect_right(self.widths, self._last)
        if depth in (0, len(self.widths) - 1):
            return self.operation if depth else self._child
        found = self._widening.widened(self._child, depth)
        assert found is not None, "a deeper look found as much"
        return found[0]


def with_left_out(operation: QueryOperation) -> QueryOperation | None:
    """A projection, or a join by names, with the columns at its end that it left out.

    Returns:
        None where it leaves nothing out.
    """
    shown = _split_projection(operation)
    if shown is None:
        return None
    below, expressions = shown
    lacking = _lack(below, expressions)
    return n.Project.of(below, (*expressions, *lacking)) if lacking else None


def _lack(
    below: QueryOperation, expressions: tuple[ResolvedExpression, ...]
) -> tuple[FieldReference, ...]:
    known = {each.index for each in expressions if type(each) is FieldReference}
    return tuple(ref for ref in below.schema.references if ref.index not in known)


def _split_projection(
    operation: QueryOperation,
) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """What a projection reads, and the columns it makes of it."""
    if isinstance(operation, n.Join) and operation.using:
        return _join_on(operation)
    if not isinstance(operation, n.Project | n.WithColumns):
        return None
    return operation.child, operation.column_expressions()


def _join_on(join: n.Join) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """A join by names as Spark makes it: one on equal keys, and a projection to one key each."""
    left, right = join.left.schema, join.right.schema
    if not join.kind.keeps_right:
        return None
    both = n.join_schema(left, right, n.JoinKind.INNER)
    pairs = [(left.find(name), right.find(name) + len(left)) for name in join.using]
    keys = [_call("equals", both.reference(one), both.reference(other)) for one, other in pairs]
    condition = keys[0]
    for key in keys[1:]:
        condition = _call("and", condition, key)
    made = n.Join.of(join.left, join.right, join.kind, condition)
    columns: list[ResolvedExpression] = []
    for place, other in n.using_columns(left, right, join.kind, join.using):
        column: ResolvedExpression = made.schema.reference(place)
        if other is not None:
            shared = _call("coalesce", column, made.schema.reference(other))
            column = alias(shared, left.names[place])
        columns.append(column)
    types = tuple(strip_alias(column).type for column in columns)
    same = types == tuple(field.type for field in join.schema.fields)
    return (made, tuple(columns)) if same else None


def _call(name: str, *args: ResolvedExpression) -> ResolvedExpression:
    function = built_in(name)
    return Call(function, args, function.infer(args))
