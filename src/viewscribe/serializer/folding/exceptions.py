"""What a step may not join although the order of the clauses allows it: one predicate each.

Each is asked only over the clauses that ``new_select.py`` names beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import FieldReference, Over, ResolvedExpression
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import (
    Block,
    BoundColumn,
    JoinItem,
    LateralViewItem,
    PivotItem,
    RelationItem,
    SourceColumn,
    has_source,
    inlined_features,
    is_only_called,
    is_table,
    writes_outside,
)
from viewscribe.serializer.features import Features, features_of
from viewscribe.serializer.folding.grouping_sets import (
    asks_sets_that_repeat,
    keeps_aggregates,
    may_filter_groups,
    may_look_at_groups,
    may_sort_by,
    tests_a_hidden_key,
)
from viewscribe.serializer.folding.inlining import FREE_SIZE, may_inline

if TYPE_CHECKING:
    from viewscribe.serializer.folding.folder import Folder


class Step(msgspec.Struct, eq=False, gc=False):
    """A step that asks whether it may join a block.

    Args:
        folder: what folds it.
        operation: the step.
        block: what it would join.
        given: what it would write there; None for the columns of a projection, which are listed
            where somebody asks for them.
        keys: the keys of its groups.
        owns: the features of the expressions, where they are known already.
        is_left: whether the block is the left input of a join.
    """

    folder: Folder
    operation: Any
    block: Block
    given: Sequence[ResolvedExpression] | None = ()
    keys: Sequence[ResolvedExpression] = ()
    owns: Sequence[Features | None] | None = None
    is_left: bool = True

    @property
    def expressions(self) -> Sequence[ResolvedExpression]:
        """What it would write there."""
        found: Sequence[ResolvedExpression] = (
            self.operation.expressions if self.given is None else self.given
        )
        return found

    def kept(self) -> Sequence[int | None]:
        """For each column after a projection the place of the block's column that it is."""
        if not isinstance(self.operation, n.WithColumns):
            return [e.index if type(e) is FieldReference else None for e in self.expressions]
        width = len(self.operation.schema)
        kept: list[int | None] = [*range(len(self.block.columns)), *[None] * width]
        for place in self.operation.places():
            kept[place] = None
        return kept[:width]


# Hints, unions, what stands in FROM


def hints_at_a_join(step: Step) -> bool:
    """A hint about the rows of one side, or of a join, would be about those of a larger join."""
    block = step.block
    about_rows = any(name not in n.JOIN_HINTS for name, _, _ in block.hints)
    return about_rows or not isinstance(block.from_, RelationItem)


def sees_partitions_of_a_hint(step: Step) -> bool:
    """What is drawn depends on how a hint divides the rows, which SELECT does last.

    And it divides them by columns that SELECT shows, under their own names.
    """
    if all(name in n.JOIN_HINTS for name, _, _ in step.block.hints):
        return False
    return draws_in_order(step) or _hides_parameters(step)


def _hides_parameters(step: Step) -> bool:
    """Whether a projection does not show a column that a hint names, or another by that name."""
    if isinstance(step.operation, n.Filter):
        return False
    columns, names = step.block.columns, step.operation.schema.names
    counts = Counter(map(str.lower, names))
    shown = {
        id(column)
        for place, name in zip(step.kept(), names, strict=True)
        if place is not None
        and isinstance(column := columns[place], SourceColumn)
        and column.name == name
        and counts[name.lower()] == 1
    }
    return any(
        id(env.columns[each.index]) not in shown
        for name, parameters, env in step.block.hints
        if name not in n.JOIN_HINTS
        for each in parameters
        if type(each) is FieldReference
    )


def names_what_is_computed(step: Step) -> bool:
    """A hint takes names of columns, no expressions."""
    return any(isinstance(step.block.columns[place], BoundColumn) for place in _parameters(step))


def names_what_is_renamed(step: Step) -> bool:
    """Behind DISTINCT and groups, Spark finds the columns of a hint by no name but SELECT's."""
    block = step.block
    return any(
        isinstance(column := block.columns[place], SourceColumn)
        and column.name != block.names[place]
        for place in _parameters(step)
    )


def _parameters(step: Step) -> set[int]:
    return {place for each in step.operation.parameters for place in features_of(each).refs}


def looks_into_a_union(step: Step) -> bool:
    """Spark 4.3 fails on a sub-query that looks at the rows of a UNION ALL right below it.

    PushProjectionThroughUnion: ``key not found``. A SELECT between the two helps.
    """
    if not step.folder.reads_union(step.block) or step.folder.is_table(step.block):
        return False
    return any(features_of(expression).outer for expression in step.expressions)


def has_no_table(step: Step) -> bool:
    """A SELECT without FROM has nothing that a join or a generator could stand beside."""
    return step.block.from_ is None


def joins_after_a_lateral_view(step: Step) -> bool:
    """Spark takes no join after LATERAL VIEW, as which some generators are written."""
    item = step.block.from_
    lateral = type(item) is LateralViewItem and not item.joined
    joins = isinstance(step.operation, n.LateralJoin) or is_table(step.operation.call)
    return lateral and joins


def is_no_side_of_a_join(step: Step) -> bool:
    """LATERAL VIEW and PIVOT end a FROM clause; joins on the right would need parentheses."""
    item = type(step.block.from_)
    return item is LateralViewItem or item is PivotItem or (item is JoinItem and not step.is_left)


# Filters below joins and generators


def filters_by_what_is_drawn(step: Step) -> bool:
    """WHERE comes after FROM: it would draw for more rows, or look up more, than before."""
    block = step.block
    return any(term.draws for term in block.where[block.settled :])


def filters_what_may_be_missing(step: Step) -> bool:
    """A filter on the optional side of a join fits ON of some joins, and no clause of others."""
    return not (is_preserved(step.operation.kind, step.is_left)) and not moves_to_on(
        step.operation.kind, step.is_left
    )


def is_preserved(kind: n.JoinKind, is_left: bool) -> bool:
    """Whether a join gives the rows of a side as they are, so that a filter may come after it."""
    if kind in (n.JoinKind.INNER, n.JoinKind.CROSS):
        return True
    if is_left:
        return kind is n.JoinKind.LEFT or not kind.keeps_right
    return kind is n.JoinKind.RIGHT


def moves_to_on(kind: n.JoinKind, is_left: bool) -> bool:
    """Whether a filter of a side says the same as a condition of the join."""
    if is_left:
        return kind is n.JoinKind.RIGHT
    return kind is n.JoinKind.LEFT or not kind.keeps_right


# What SELECT computes


def computes_what_may_be_missing(step: Step) -> bool:
    """A computed column of the optional side is NULL where the row is missing."""
    kind = step.operation.kind
    only_in_on = not step.is_left and not kind.keeps_right
    return not is_preserved(kind, step.is_left) and not only_in_on


def computes_much(step: Step) -> bool:
    """What is more than a few characters is not written out again above a join."""
    for column in step.block.columns:
        if isinstance(column, SourceColumn):
            continue
        assert isinstance(column, BoundColumn)
        made = column.features
        if made.volatile or made.window or made.subquery or made.anchored:
            return True
        if made.size > FREE_SIZE:
            return True
    return False


def repeats_columns(step: Step) -> bool:
    """A column that is drawn, or long, or of a window cannot be written wherever it is used."""
    operation, block = step.operation, step.block
    if step.given is None:
        return False  # it drops some, and writes none
    expressions = step.expressions
    if isinstance(operation, n.Project):
        passed = {each.index for each in expressions if type(each) is FieldReference}
        if len(passed) == len(expressions):
            return False  # each as it is, at most once: nothing is written into anything
        return not may_inline(block, expressions, windows=True, anchors=True)
    if isinstance(operation, n.Aggregate):
        if block.is_anchored():
            return not may_inline(block, expressions, anchors=True)
        # A key stands in SELECT and in GROUP BY, so each counts twice.
        return not may_inline(block, [*step.keys, *step.keys, *expressions])
    windows = isinstance(operation, n.WithColumns | n.Filter)
    return not may_inline(block, expressions, owns=step.owns, kept=True, windows=windows)


def computes_for_all_rows(step: Step) -> bool:
    """Windows, draws and sub-queries would come before rows are left out, not after it."""
    owns = (features_of(each) for each in step.expressions if type(each) is not FieldReference)
    return any(own.window or own.volatile or own.subquery for own in owns)


# Time windows


def sees_a_time_window(step: Step) -> bool:
    """A time window makes rows: what counts or compares rows comes after it."""
    return step.block.is_anchored()


def drops_a_time_window(step: Step) -> bool:
    """A time window makes rows, whether its column is there or not: none would, without it."""
    return step.block.anchors and not _anchored(step.block) <= set(step.kept())


def groups_by_no_whole_time_window(step: Step) -> bool:
    """Groups are made over a time window where that is a key, and in no aggregate."""
    block = step.block
    if not block.is_anchored():
        return False
    anchored = _anchored(block)
    if step.operation.grouping is not n.Grouping.SIMPLE:
        return True
    if not anchored <= {key.index for key in step.keys if type(key) is FieldReference}:
        return True
    return any(not anchored.isdisjoint(features_of(call).refs) for call in step.expressions)


def _anchored(block: Block) -> set[int]:
    return {
        place
        for place, column in enumerate(block.columns)
        if isinstance(column, BoundColumn) and column.features.anchored
    }


# Groups


def loses_the_one_group(step: Step) -> bool:
    """Without keys and without an aggregate, SELECT would give a row for each row."""
    group, columns = step.block.group, step.block.columns
    if group is None or group.keys:
        return False
    kept = [columns[place] for place in step.kept() if place is not None]
    if any(isinstance(column, BoundColumn) and column.features.aggregate for column in kept):
        return False
    return not any(
        inlined_features(features_of(each), columns).aggregate for each in step.expressions
    )


def looks_up_groups(step: Step) -> bool:
    """Spark refuses some sub-queries and windows over the keys in a SELECT that makes groups."""
    return not may_look_at_groups(step.block, step.expressions)


def looks_outside_of_groups(step: Step) -> bool:
    """Spark takes a column of a query around in no SELECT that groups, but in HAVING."""
    return _looks_outside(step)


def generates_from_outside(step: Step) -> bool:
    """Spark takes a column of a query around in no generator beside a table."""
    return _looks_outside(step)


def _looks_outside(step: Step) -> bool:
    """Whether a column of a query around would be written, and not the constant that it is."""
    if step.folder.outer is None:
        return False  # there is no query around
    columns = step.block.columns
    for expression in (*step.keys, *step.expressions):
        if type(expression) is FieldReference:  # as most keys are
            column = columns[expression.index]
            if type(column) is BoundColumn and column.features.correlated:
                return True
            continue
        own = features_of(expression)
        if own.correlated and writes_outside(expression, step.block.env):
            return True
        if any(type(c := columns[i]) is BoundColumn and c.features.correlated for i in own.refs):
            return True
    return False


def aggregates_what_is_drawn(step: Step) -> bool:
    """Spark takes an aggregate of what is drawn anew for each row as one of a column."""
    columns, block = step.block.columns, step.block
    places: Collection[int] = range(len(columns))
    if not block.is_anchored():
        places = {index for call in step.expressions for index in features_of(call).refs}
    return any(_is_drawn(block, place) for place in places)


def _is_drawn(block: Block, place: int) -> bool:
    column = block.columns[place]
    return isinstance(column, BoundColumn) and column.features.volatile


# Filters


def filters_what_is_drawn(step: Step) -> bool:
    """A filter would draw again, or draw where rows have become others."""
    (condition,), block = step.expressions, step.block
    drawn = any(_is_drawn(block, place) for place in range(len(block.columns)))
    return drawn or features_of(condition).volatile


def does_not_fit_qualify(step: Step) -> bool:
    """QUALIFY holds conditions on windows, without sub-queries, over no groups, in Spark 4.2.

    Another condition beside windows would leave out rows that the windows ran over.
    """
    (condition,), block = step.expressions, step.block
    if not (block.has_windows() or block.qualify):
        return False
    own = features_of(condition)
    if block.group is not None or own.subquery or not step.folder.target.has_qualify:
        return True
    return not inlined_features(own, block.columns).window


def does_not_fit_having(step: Step) -> bool:
    """Over ROLLUP, CUBE and sets, HAVING takes no sub-query and no key behind another's name.

    Nor does it find ``grouping(k)`` where a set of keys is there twice.
    """
    (condition,), block = step.expressions, step.block
    assert block.group is not None
    if block.group.grouping is n.Grouping.SIMPLE:
        return False
    asked = [(condition, block.env)]
    hidden = tests_a_hidden_key(block, block.columns, block.names, asked)
    return hidden or features_of(condition).subquery or asks_sets_that_repeat(block, asked)


def hides_a_key_of_having(step: Step) -> bool:
    """HAVING calls a key of ROLLUP, CUBE or sets by its own name, which SELECT must show."""
    block = step.block
    if not block.having:
        return False
    columns = [None if place is None else block.columns[place] for place in step.kept()]
    asked = [(term.expression, term.env) for term in block.having]
    names = step.operation.schema.names
    return tests_a_hidden_key(block, columns, names, asked)


def computes_beside_having(step: Step) -> bool:
    """Beside ROLLUP, CUBE and sets, Spark computes windows before HAVING, if that looks at keys.

    And beside a window, it finds no key in a sub-query of HAVING that SELECT does not show.
    """
    block = step.block
    assert block.group is not None
    if not block.having or not any(features_of(each).window for each in step.expressions):
        return False
    simple = block.group.grouping is n.Grouping.SIMPLE
    return not simple or any(features_of(term.expression).outer for term in block.having)


def filters_a_window_by_groups(step: Step) -> bool:
    """FILTER of a function over a window takes no aggregate, so that must be a column by then."""
    block = step.block
    for expression in step.expressions:
        if type(expression) is FieldReference or not features_of(expression).window:
            continue
        for node in preorder(expression, skip=lambda node: node.is_query):
            if isinstance(node, Over) and node.call.filter is not None:
                used = features_of(node.call.filter)
                if inlined_features(used, block.columns).aggregate:
                    return True
    return False


# DISTINCT and set operations


def changes_what_is_distinct(step: Step) -> bool:
    """DISTINCT compares the columns that SELECT gives: only their names and order may change."""
    places = [each.index for each in step.expressions if type(each) is FieldReference]
    columns = step.block.columns
    return len(places) < len(step.expressions) or sorted(places) != [*range(len(columns))]


def sorts_by_no_column(step: Step) -> bool:
    """Over DISTINCT and set operations there are columns alone to sort by, each by its name."""
    if step.expressions:
        return True
    names = [name.lower() for name in step.operation.schema.names]
    if len(set(names)) == len(names):
        return False
    counts = Counter(names)
    keys = (key.child for key in step.operation.keys)
    return any(type(key) is FieldReference and counts[names[key.index]] > 1 for key in keys)


# ORDER BY


def draws_in_order(step: Step) -> bool:
    """What is drawn or counted row by row comes after the rows are sorted, and SELECT before."""
    return any(features_of(expression).volatile for expression in step.expressions)


def filters_a_drawn_order(step: Step) -> bool:
    """What rows are sorted by is drawn for all of them, and WHERE comes before."""
    return any(features_of(key.child).volatile for key, _ in step.block.order)


def looks_at_sorted_rows(step: Step) -> bool:
    """What a window collects or picks comes in the order of the rows, which it also breaks."""
    return any(features_of(expression).window for expression in step.expressions)


def loses_a_sort_key(step: Step) -> bool:
    """A sort key that can only be called by name needs a column with a name of its own.

    Written out again, a random value would be drawn anew, and Spark takes no window in ORDER BY,
    and no sub-query that looks at the row.
    """
    block = step.block
    if block.plain:
        return False
    called = _called_columns(step)
    if any(id(c) not in called and is_only_called(c) for c in _sort_columns(block)):
        return True
    return block.group is not None and not keeps_aggregates(block, step.expressions, called)


def hides_the_order_of_a_limit(step: Step) -> bool:
    """Spark 4.3 limits a correlated query without its order where a sort key is not shown.

    Of ``LATERAL (SELECT b + t.a AS z FROM u ORDER BY b DESC LIMIT 1)`` it makes ``row_number()``
    over no order; the row it takes is any.
    """
    block = step.block
    if step.folder.outer is None or not block.order or not refers_outside(step.operation):
        return False
    if any(features_of(each).correlated for each in step.expressions):
        return True
    called = _called_columns(step)
    return any(id(column) not in called for column in _sort_columns(block))


def _called_columns(step: Step) -> set[int]:
    """The columns of the block that a projection keeps under names of their own."""
    names = step.operation.schema.names
    counts = Counter(map(str.lower, names))
    return {
        id(step.block.columns[place])
        for place, name in zip(step.kept(), names, strict=True)
        if place is not None and counts[name.lower()] == 1
    }


def _sort_columns(block: Block) -> Iterator[Any]:
    for key, env in block.order:
        for index in features_of(key.child).refs:
            yield env.columns[index]


def hides_an_aggregate_in_order(step: Step) -> bool:
    """Spark takes no aggregate in ORDER BY beside one in HAVING that is no column."""
    (condition,), block = step.expressions, step.block
    return block.group is not None and not may_filter_groups(block, condition)


def sorts_by_a_name_that_is_there_twice(step: Step) -> bool:
    """Another column has the name, and written out again Spark would not sort by the column.

    So it is with windows, with sub-queries that look at the row, with aggregates of sets, and
    beside windows with all that is computed of groups.
    """
    block = step.block
    if block.plain:
        return False
    lowered = [name.lower() for name in block.names]
    if len(set(lowered)) == len(lowered):
        return False
    counts = Counter(lowered)
    of_sets = block.group is not None and block.group.grouping is not n.Grouping.SIMPLE
    beside_windows = block.group is not None and block.has_windows()
    for key in step.operation.keys:
        for index in features_of(key.child).refs:
            column = block.columns[index]
            if counts[block.names[index].lower()] == 1 or not isinstance(column, BoundColumn):
                continue
            if is_only_called(column) or (of_sets and column.features.aggregate):
                return True
            if beside_windows and (column.features.aggregate or has_source(column)):
                return True
    return False


def sorts_groups_by_what_is_hidden(step: Step) -> bool:
    """Spark takes an aggregate in ORDER BY only beside some windows and conditions."""
    return bool(step.expressions) and not may_sort_by(step.block, step.expressions)


def sorts_groups_behind_a_hint(step: Step) -> bool:
    """Behind a hint for its rows, ORDER BY sees no groups: only columns of SELECT, by name."""
    block = step.block
    if block.group is None or all(name in n.JOIN_HINTS for name, _, _ in block.hints):
        return False
    return any(type(each) is not FieldReference for each in step.expressions)


def sorts_again_within_partitions(step: Step) -> bool:
    """What sorts all rows also says which partition each is in."""
    return bool(step.operation.within_partitions)
