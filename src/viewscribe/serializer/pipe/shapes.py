"""Steps that turn rows into columns and columns into rows: PIVOT, UNPIVOT."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.operations.rewrites.pivot import with_exact_input, with_plain_names
from viewscribe.serializer.blocks import unique_names
from viewscribe.serializer.from_items import CLAUSES
from viewscribe.serializer.pipe.columns import select
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter
from viewscribe.serializer.pipe.state import State


def _pivot(pipe: PipePrinter, state: State, step: n.Pivot) -> None:
    exact = with_exact_input(step)
    pipe.tell_apart(state)
    if exact.child is not step.child:
        assert isinstance(exact.child, n.Project)
        select(pipe, state, exact.child.expressions, exact.child.schema.names)
    _clause(pipe, state, exact)
    if exact.schema.names != step.schema.names:
        select(pipe, state, exact.schema.references, step.schema.names)


def _unpivot(pipe: PipePrinter, state: State, step: n.Unpivot) -> None:
    pipe.tell_apart(state)
    plain = with_plain_names(step, state.names())
    _clause(pipe, state, plain)
    if plain is not step:
        select(pipe, state, step.schema.references, step.schema.names)


def _clause(pipe: PipePrinter, state: State, step: n.Pivot | n.Unpivot) -> None:
    env = pipe.env(state)
    pipe.add(state, CLAUSES[type(step)](pipe.blocks.from_items, step, env, pipe.indent))
    state.renamed(unique_names(step.schema.names))


HANDLERS: Handlers = {
    n.Pivot: _pivot,
    n.Unpivot: _unpivot,
}
