"""Steps that keep the columns: WHERE, ORDER BY, LIMIT, samples, aliases, set operations."""

from __future__ import annotations

from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import Condition
from viewscribe.serializer.clauses import sample_clause
from viewscribe.serializer.expressions import no_ordinal, sort_fragment
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter, State, where


def _filter(pipe: PipePrinter, state: State, step: n.Filter) -> None:
    pipe.prepare(state, [step.condition])
    terms = pipe.blocks.terms([Condition(step.condition, pipe.env(state))])
    state.lines.append(where(terms, pipe.indent))


def _sort(pipe: PipePrinter, state: State, step: n.Sort) -> None:
    env = pipe.env(state)
    pipe.prepare(state, step.keys)
    keys = [
        sort_fragment(no_ordinal(pipe.expressions.print(key.child, env)), key) for key in step.keys
    ]
    pipe.add(state, step.word, keys)


def _limit(pipe: PipePrinter, state: State, step: n.Limit) -> None:
    pipe.add(state, f"LIMIT {step.count}")


def _offset(pipe: PipePrinter, state: State, step: n.Offset) -> None:
    pipe.add(state, f"OFFSET {step.count}")


def _sample(pipe: PipePrinter, state: State, step: n.Sample) -> None:
    pipe.add(state, sample_clause(step))


def _alias(pipe: PipePrinter, state: State, step: n.SubqueryAlias) -> None:
    pipe.tell_apart(state)
    pipe.call(state, step.name)


def _set_operation(pipe: PipePrinter, state: State, step: n.SetOperation) -> None:
    pipe.tell_apart(state)
    word = step.kind.value + (" ALL" if step.all else "")
    pipe.add(state, f"{word} {pipe.inner(step.right, None)}")
    state.renamed(state.names())


HANDLERS: Handlers = {
    n.Filter: _filter,
    n.Sort: _sort,
    n.Limit: _limit,
    n.Offset: _offset,
    n.Sample: _sample,
    n.SubqueryAlias: _alias,
    n.SetOperation: _set_operation,
}
