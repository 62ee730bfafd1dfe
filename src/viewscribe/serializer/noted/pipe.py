"""The pipe style with a comment at the end of each operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.serializer.blocks import Env
from viewscribe.serializer.noted.comments import comment
from viewscribe.serializer.noted.folding import Clauses, NotedSteps
from viewscribe.serializer.noted.queries import NotedQueryPrinter
from viewscribe.serializer.pipe.chain import ComputedAggregate, Step
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter
from viewscribe.serializer.pipe.state import State
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.targets import Target


class _NotedHandlers(dict[type[Step], Callable[..., None]]):
    """The handlers of the plain printer, each with the note of its step."""

    def __missing__(self, kind: type[Step]) -> Callable[..., None]:
        handler = PipePrinter.handlers[kind]

        def write(pipe: NotedPipePrinter, state: State, step: Step) -> None:
            before = list(state.lines)
            handler(pipe, state, step)
            pipe.waiting += pipe.texts(step)
            if state.lines != before:  # a session window is only written by what groups by it
                state.lines[-1] += comment(pipe.waiting)
                pipe.waiting = []

        self[kind] = write
        return write


class _NotedNoSteps(NotedSteps):
    is_full = True


class NotedPipePrinter(PipePrinter):
    """Prints a pipeline as the plain printer does, and the note of each step behind it.

    Args:
        outer: the environment of the enclosing query.
        visible: names that a table must not be given.
        target: the Spark version that reads the text.
        notes: the notes of the steps.
    """

    handlers: ClassVar[Handlers] = _NotedHandlers()

    def __init__(
        self, outer: Env | None, visible: Sequence[set[str]], target: Target, notes: Notes
    ) -> None:
        super().__init__(outer, visible, target)
        self.notes = notes
        self.waiting: list[str | None] = []

    def another(self, outer: Env | None, visible: Sequence[set[str]]) -> PipePrinter:
        return NotedPipePrinter(outer, visible, self.target, self.notes)

    def texts(self, step: Any) -> list[str | None]:
        """The texts beside a step."""
        if isinstance(step, ComputedAggregate):
            return [self.notes.of(step.aggregate), self.notes.of(step.project)]
        found = [self.notes.of(step)]
        right = step.right if isinstance(step, n.Join | n.LateralJoin) else None
        while isinstance(right, n.SubqueryAlias):
            found.insert(0, self.notes.of(right))
            right = right.child
        if isinstance(right, n.CatalogSource):  # a table has no line of its own
            found.insert(0, self.notes.of(right))
        return found

    def plain(self) -> QueryPrinter:
        printer = NotedQueryPrinter(_NotedNoSteps(clauses=Clauses(self.notes)), target=self.target)
        printer.scopes = list(self.scopes)
        return printer

    def _start(self, operation: QueryOperation, named: n.SubqueryAlias | None) -> State:
        state = super()._start(operation, named)
        beside = [operation] if named is None else [operation, named]
        state.lines[0] += comment(self.notes.of(each) for each in beside)
        return state
