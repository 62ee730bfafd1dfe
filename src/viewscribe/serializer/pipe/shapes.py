"""Steps that turn rows into columns and columns into rows: PIVOT, UNPIVOT."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.operations.rewrites.pivot import with_exact_input, with_plain_names
from viewscribe.serializer.blocks import unique_names
from viewscribe.serializer.clauses import CLAUSES
from viewscribe.serializer.pipe.columns import select
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter, State


def _pivot(pipe: PipePrinter, state: State, step: n.Pivot) -> None:
    exact = with_exact_input(step)
    pipe.tell_apart(state)
    if exact.child is not step.child:
        assert isinstance(exact.child, n.Project)
        select(pipe, state, exact.child.expressions, exact.child.schema.names)
    _clause(pipe, state, exact)
    if state.names() != unique_names(step.schema.names):
        select(pipe, state, exact.schema.references, step.schema.names)


def _unpivot(pipe: PipePrinter, state: State, step: n.Unpivot) -> None:
    pipe.tell_apart(state)
    plain = with_plain_names(step, state.names())
    _clause(pipe, state, plain)
    if state.names() != unique_names(step.schema.names):
        select(pipe, state, step.schema.references, step.schema.names)


def _clause(pipe: PipePrinter, state: State, step: n.Pivot | n.Unpivot) -> None:
    env = pipe.env(state)
    pipe.add(state, CLAUSES[type(step)](pipe.blocks.from_items, step, env, pipe.indent))
    names = state.names()
    kept = [names[place] for place in _find_kept(step)]
    state.renamed([*kept, *step.schema.names[len(kept) :]])


def _find_kept(step: n.Pivot | n.Unpivot) -> list[int]:
    """The places of the columns that come out as they went in, by the names that they have there.

    A step before may have told columns of equal names apart: the names of the tree are not those.
    """
    if isinstance(step, n.Pivot):
        return [key.index for key in step.keys]
    turned = {column.index for column in step.columns}
    return [place for place in range(len(step.child.schema)) if place not in turned]


HANDLERS: Handlers = {
    n.Pivot: _pivot,
    n.Unpivot: _unpivot,
}
