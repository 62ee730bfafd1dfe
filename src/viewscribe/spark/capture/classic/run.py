"""One run over an analyzed plan, as the operators see it; ``capture.py`` knows the operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.spark.capture.classic.columns import NOBODY, Captured, Columns
from viewscribe.spark.capture.classic.expressions.reader import Expressions
from viewscribe.spark.capture.classic.plan import (
    PlanNode,
    count_reads,
    line_of,
    locate,
    refusal,
    repeated_seeds,
)
from viewscribe.spark.capture.lines import short_line
from viewscribe.spark.capture.session_functions import without_dropped
from viewscribe.types import Field

Handler = Callable[["CaptureRun", PlanNode, list[Captured]], Captured]


class Fold(NamedTuple):
    """Operators that are captured as one: what they read, and how."""

    inputs: list[PlanNode]
    capture: Callable[[CaptureRun, list[Captured]], Captured]


class CaptureRun:
    """One run over a plan.

    Args:
        local_rows: how many rows of local data may stand in a view.
        partitions: says into how many partitions the session divides a range by itself.
        notes: takes the Python line of each step.
        target: the version of Spark that made the plan, in which what becomes text is written.
        query_schema: tells the columns of a query, as files have them to SQL.
    """

    def __init__(
        self,
        *,
        local_rows: int = 1_000,
        partitions: Callable[[], int] | None = None,
        notes: Notes | None = None,
        target: str | None = None,
        query_schema: Callable[[str], Sequence[Field] | None] | None = None,
    ) -> None:
        self.local_rows = local_rows
        self.partitions = partitions
        self.notes = notes
        self.target = target
        self.query_schema = query_schema
        self.shared: dict[int, Captured] = {}
        """What a CTE gives, by its id."""
        self.computed: dict[int, tuple[str, QueryOperation]] = {}
        """Those that are read several times, others each time, and the names of their queries."""
        self.loops: dict[int, n.CteReference] = {}
        """The round before of the recursive queries around what is captured now, innermost last."""
        self.outer: tuple[Columns, ...] = ()
        """The columns of the queries around what is captured now, the nearest last."""
        self._done: dict[int, Captured] = {}
        self._reads: Counter[int] | None = None
        self._repeated_seeds: frozenset[object] = frozenset()
        self._step_now: PlanNode | None = None

    def run(self, root: PlanNode) -> QueryOperation:
        """The operation of a whole plan.

        Raises:
            CaptureError: a part of it cannot become a view; names the node and the way out.
        """
        made = self.captured(root)
        if all(each == NOBODY for each in made.ids):
            raise refusal(root, "a select without columns", hint="a view has at least one")
        return made.operation

    def captured(self, root: PlanNode) -> Captured:
        """The operation of an operator, and which of Spark's columns its columns are."""
        if self._reads is None:
            self._reads = count_reads(root)
            self._repeated_seeds = repeated_seeds(root)
        done = self._done
        stack: list[tuple[PlanNode, Fold | None]] = [(root, None)]
        while stack:
            node, step = stack.pop()
            if id(node) in done:
                continue
            if step is None:
                step = self._step(node)
                stack.append((node, step))
                stack.extend((each, None) for each in reversed(step.inputs))
                continue
            done[id(node)] = self._captured(node, step, [done[id(each)] for each in step.inputs])
        return done[id(root)]

    def _captured(self, node: PlanNode, step: Fold, inputs: list[Captured]) -> Captured:
        self._step_now = node
        try:
            found = step.capture(self, inputs)
        except CaptureError as error:
            raise self.placed(error, node) from error.__cause__
        except ViewscribeError as error:
            raise CaptureError(error.message, location=locate(node), hint=error.hint) from error
        if self.notes is not None:
            line = line_of(node)
            self.notes.note(found.operation, None if line is None else short_line(line))
        return found

    def placed(self, error: CaptureError, node: PlanNode) -> CaptureError:
        """The error with the Python line of the operator, where it says none itself."""
        where = error.location or node.kind
        line = line_of(node) if ", at " not in where else None
        if line:
            error.location = f"{where}, at {line}"
        return error

    def _step(self, node: PlanNode) -> Fold:
        """What an operator reads, and how it is captured then."""
        raise NotImplementedError

    def expressions(self, *inputs: Captured) -> Expressions:
        """Reads expressions over the columns of the inputs, one after the other."""
        columns: Columns
        if len(inputs) == 1:
            columns = inputs[0]
        else:
            first = inputs[0].operation.schema
            for each in inputs[1:]:
                first = n.join_schema(first, each.operation.schema, n.JoinKind.INNER)
            columns = Columns(first, [id_ for each in inputs for id_ in each.ids])
        made = Expressions(columns, self.outer, self.query, self._step_now)
        made.repeated_seeds = self._repeated_seeds
        return made

    def names_of_ctes(self) -> list[str]:
        """The names by which queries are read that are around, or before, what is captured now."""
        rounds = [each.name for each in self.loops.values()]
        return [*rounds, *(name for name, _ in self.computed.values())]

    def is_read_again(self, cte: int) -> bool:
        """Whether the plan reads a CTE more than once."""
        return self._reads is not None and self._reads[cte] > 1

    def query(self, plan: PlanNode, outer: tuple[Columns, ...]) -> Captured:
        """A sub-query, given the columns of the queries around it."""
        before, done, step = self.outer, self._done, self._step_now
        self.outer, self._done = outer, {}
        try:
            found = self.captured(plan)
            return Captured(without_dropped(found.operation, self.notes), found.ids)
        finally:
            self.outer, self._done, self._step_now = before, done, step


def ids_of(attributes: Sequence[PlanNode]) -> list[int]:
    """The ids of an operator's output."""
    return [each.id for each in attributes]
