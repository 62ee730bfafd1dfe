"""When a new SELECT opens: operation × the clauses that the SELECT below holds already.

A step joins the SELECT below it, unless that holds a clause that the step's row names: then the
clause would be evaluated after the step, or before it, and not as it was asked for. Beside these
stand the exceptions: a clause that the step may follow, but for what a predicate sees. Each says
why in its docstring; they are in ``exceptions.py``. After Calcite's ``SqlImplementor``, which
compares the step's clause with the highest one present.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause, QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.serializer.blocks import Block, Relation, RelationItem
from viewscribe.serializer.folding import exceptions as x
from viewscribe.serializer.folding.exceptions import Step, names_what_is_renamed
from viewscribe.serializer.folding.folder import Folder, Handlers

Check = Callable[[Step], bool]


class Row:
    """Over which clauses a step opens a new SELECT.

    Args:
        always: these clauses.
        exceptions: these clauses, where the predicate holds.
    """

    __slots__ = ("_checks", "always", "clauses", "exceptions")

    def __init__(self, always: int, exceptions: Sequence[tuple[int, Check]]) -> None:
        self.always = always
        self.exceptions = exceptions
        self.clauses = always
        for clauses, _ in exceptions:
            self.clauses |= clauses
        self._checks: dict[int, list[Check]] = {}

    def checks_over(self, present: int) -> list[Check]:
        """Returns what is asked over a block that holds these clauses."""
        found = self._checks.get(present)
        if found is None:
            found = [check for clauses, check in self.exceptions if present & clauses]
            self._checks[present] = found
        return found


def must_open(
    folder: Folder,
    operation: QueryOperation,
    block: Block,
    expressions: Sequence[ResolvedExpression] | None = (),
    **more: Any,
) -> bool:
    """Whether a step needs a SELECT of its own over the block; the arguments are a ``Step``'s."""
    row = NEW_SELECTS[type(operation)]
    present = block.clauses() & row.clauses
    if not present:
        return False
    if present & row.always:
        return True
    step = Step(folder, operation, block, expressions, **more)
    # A generator would cost a frame for each step.
    for check in row.checks_over(present):  # noqa: SIM110
        if check(step):
            return True
    return False


_FROM, _WHERE, _GROUP_BY = int(Clause.FROM), int(Clause.WHERE), int(Clause.GROUP_BY)
_SELECT, _QUALIFY, _DISTINCT = int(Clause.SELECT), int(Clause.QUALIFY), int(Clause.DISTINCT)
_SET, _ORDER_BY, _LIMIT = int(Clause.SET_OPERATION), int(Clause.ORDER_BY), int(Clause.LIMIT)
_HINT = int(Clause.HINT)

_GROUPED = _GROUP_BY | _QUALIFY | _DISTINCT | _SET | _ORDER_BY | _LIMIT
"""What is over FROM, WHERE and the columns of SELECT."""

_OWN = "it is a FROM clause of its own"
_START = "nothing is below it"

NEW_SELECTS: HandlerTable[Row] = HandlerTable(
    "when a new SELECT opens",
    {
        n.Filter: Row(
            _DISTINCT | _SET | _LIMIT,
            [
                (_HINT, x.sees_partitions_of_a_hint),
                (_SELECT, x.sees_a_time_window),
                (_SELECT | _GROUP_BY | _QUALIFY, x.filters_what_is_drawn),
                (_SELECT | _QUALIFY, x.does_not_fit_qualify),
                (_SELECT, x.repeats_columns),
                (_GROUP_BY, x.does_not_fit_having),
                (_ORDER_BY, x.draws_in_order),
                (_ORDER_BY, x.filters_a_drawn_order),
                (_ORDER_BY, x.hides_an_aggregate_in_order),
            ],
        ),
        n.Project: Row(
            _SET,
            [
                (_HINT, x.sees_partitions_of_a_hint),
                (_FROM, x.looks_into_a_union),
                (_GROUP_BY, x.loses_the_one_group),
                (_GROUP_BY, x.looks_up_groups),
                (_GROUP_BY, x.looks_outside_of_groups),
                (_GROUP_BY, x.hides_a_key_of_having),
                (_GROUP_BY, x.computes_beside_having),
                (_GROUP_BY, x.filters_a_window_by_groups),
                (_SELECT, x.drops_a_time_window),
                (_SELECT, x.repeats_columns),
                (_QUALIFY | _DISTINCT | _LIMIT, x.computes_for_all_rows),
                (_LIMIT, x.hides_the_order_of_a_limit),
                (_DISTINCT, x.changes_what_is_distinct),
                (_ORDER_BY, x.draws_in_order),
                (_ORDER_BY, x.looks_at_sorted_rows),
                (_ORDER_BY, x.loses_a_sort_key),
            ],
        ),
        n.WithColumns: Row(
            _DISTINCT | _SET,
            [
                (_HINT, x.sees_partitions_of_a_hint),
                (_FROM, x.looks_into_a_union),
                (_GROUP_BY, x.loses_the_one_group),
                (_GROUP_BY, x.looks_up_groups),
                (_GROUP_BY, x.looks_outside_of_groups),
                (_GROUP_BY, x.hides_a_key_of_having),
                (_GROUP_BY, x.computes_beside_having),
                (_GROUP_BY, x.filters_a_window_by_groups),
                (_SELECT, x.drops_a_time_window),
                (_SELECT, x.repeats_columns),
                (_QUALIFY | _LIMIT, x.computes_for_all_rows),
                (_LIMIT, x.hides_the_order_of_a_limit),
                (_ORDER_BY, x.draws_in_order),
                (_ORDER_BY, x.looks_at_sorted_rows),
                (_ORDER_BY, x.loses_a_sort_key),
            ],
        ),
        n.Aggregate: Row(
            _GROUPED | _HINT,
            [
                (_SELECT, x.groups_by_no_whole_time_window),
                (_SELECT, x.repeats_columns),
                (_SELECT, x.aggregates_what_is_drawn),
                (_SELECT, x.looks_outside_of_groups),
            ],
        ),
        n.Distinct: Row(
            _SET | _ORDER_BY | _LIMIT | _HINT,
            [(_SELECT, x.sees_a_time_window)],
        ),
        n.TimeWindow: Row(
            _GROUPED,
            [
                (_FROM, x.has_no_table),
                (_HINT, x.hints_at_a_join),
                (_SELECT, x.computes_much),
                (_SELECT, x.repeats_columns),
            ],
        ),
        n.Generate: Row(
            _GROUPED | _HINT,
            [
                (_FROM, x.has_no_table),
                (_FROM, x.joins_after_a_lateral_view),
                (_WHERE, x.filters_by_what_is_drawn),
                (_SELECT, x.computes_much),
                (_SELECT, x.generates_from_outside),
                (_SELECT, x.repeats_columns),
            ],
        ),
        n.Join: Row(
            _GROUPED,
            [
                (_FROM, x.has_no_table),
                (_HINT, x.hints_at_a_join),
                (_FROM, x.is_no_side_of_a_join),
                (_WHERE, x.filters_by_what_is_drawn),
                (_WHERE, x.filters_what_may_be_missing),
                (_SELECT, x.computes_what_may_be_missing),
                (_SELECT, x.computes_much),
            ],
        ),
        n.LateralJoin: Row(
            _GROUPED,
            [
                (_FROM, x.has_no_table),
                (_FROM, x.joins_after_a_lateral_view),
                (_HINT, x.hints_at_a_join),
                (_WHERE, x.filters_by_what_is_drawn),
                (_SELECT, x.computes_much),
            ],
        ),
        n.Sort: Row(
            _LIMIT,
            [
                (_SELECT, x.sees_a_time_window),
                (_SELECT, x.repeats_columns),
                (_SELECT, x.sorts_by_a_name_that_is_there_twice),
                (_HINT, x.sorts_groups_behind_a_hint),
                (_GROUP_BY, x.sorts_groups_by_what_is_hidden),
                (_GROUP_BY, x.looks_outside_of_groups),
                (_DISTINCT | _SET, x.sorts_by_no_column),
                (_ORDER_BY, x.draws_in_order),
                (_ORDER_BY, x.sorts_again_within_partitions),
            ],
        ),
        n.Limit: Row(0, [(_SELECT, x.sees_a_time_window)]),
        n.Offset: Row(0, [(_SELECT, x.sees_a_time_window)]),
        n.Hint: Row(_SET | _ORDER_BY | _LIMIT, [(_SELECT, x.names_what_is_computed)]),
    },
    without={
        n.CatalogSource: _START,
        n.OneRow: _START,
        n.Pivot: _OWN,
        n.Process: _OWN,
        n.Recursion: _START,
        n.CteReference: _START,
        n.WithCte: _START,
        n.Sample: "it is said of a table in FROM",
        n.SetOperation: "its inputs are branches, each a query of its own",
        n.SqlText: _START,
        n.SubqueryAlias: "a name is no clause",
        n.TableFunction: _START,
        n.Unpivot: _OWN,
        n.Values: _START,
    },
)


# Hints: those of a join name a table, the others say how the rows of a SELECT are partitioned.


def _hint(folder: Folder, operation: n.Hint, block: Block) -> Block:
    if operation.name in n.JOIN_HINTS:
        if not (block.bare and isinstance(block.from_, RelationItem)):
            block = folder.close(block)
        assert isinstance(block.from_, RelationItem)
        named = Named(block.from_.relation)
        block.hints = [*block.hints, (operation.name, (named,), block.env)]
        return block
    # A column under another name is no clause, so the table of new SELECTs does not ask about it.
    renamed = names_what_is_renamed(Step(folder, operation, block))
    if renamed or must_open(folder, operation, block):
        block = folder.close(block)
    # Spark applies the last hint of a list first.
    of_joins = [hint for hint in block.hints if hint[0] in n.JOIN_HINTS]
    of_rows = [hint for hint in block.hints if hint[0] not in n.JOIN_HINTS]
    block.hints = [*of_joins, (operation.name, operation.parameters, block.env), *of_rows]
    return block


class Named:
    """The parameter of a join hint: a relation, by whatever alias it gets."""

    __slots__ = ("relation",)

    def __init__(self, relation: Relation) -> None:
        self.relation = relation


HANDLERS: Handlers = {n.Hint: _hint}
