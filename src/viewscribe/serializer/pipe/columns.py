"""Steps that choose and compute columns: SELECT, EXTEND, hints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.expressions.nodes import FieldReference, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import unique_names
from viewscribe.serializer.literals import Fragment
from viewscribe.serializer.pipe.chain import can_extend, columns_after
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter, State, print_alias
from viewscribe.serializer.windows import share_windows

_MOST_EXTENDS = 8
"""Spark's analyzer takes about ten EXTENDs on top of each other, and gives up before fifty."""


def select(
    pipe: PipePrinter,
    state: State,
    expressions: Sequence[Any],
    given: Sequence[str],
    word: str = "SELECT",
    called: Sequence[str] | None = None,
) -> None:
    """Exactly these columns, under names told apart where two given ones are equal.

    Args:
        pipe: the printer.
        state: what is there so far.
        expressions: the columns.
        given: their names.
        word: the operator.
        called: their names where nobody has to tell them apart, after the last step.
    """
    names = unique_names(given) if called is None else list(called)
    pipe.prepare(state, expressions)
    env = pipe.env(state)

    def write() -> list[Fragment]:
        items = []
        for expression, name in zip(expressions, names, strict=True):
            inner = strip_alias(expression)
            column = env.columns[inner.index] if type(inner) is FieldReference else None
            made = pipe.expressions.print(inner, env)
            items.append(made if is_own_name(pipe, made, name) else print_alias(made, name, column))
        return items

    pipe.expressions.windows = []
    items, windows = write(), None
    if pipe.expressions.windows:
        taken = {name.lower() for name in (*names, *state.names())}
        items, windows = share_windows(pipe.expressions, write, taken)
    pipe.add(state, word, items, windows)
    state.renamed(names)


def is_own_name(pipe: PipePrinter, made: Fragment, name: str) -> bool:
    """Whether the name is only the expression once more, and nobody asks for it."""
    return pipe.anonymous and made.text == name


def _project(pipe: PipePrinter, state: State, step: n.Project) -> None:
    select(pipe, state, step.expressions, step.schema.names, called=pipe.final)


def _with_columns(pipe: PipePrinter, state: State, step: n.WithColumns) -> None:
    if _can_extend(state, step):
        pipe.prepare(state, step.columns)
        env = pipe.env(state)
        items = [print_alias(pipe.expressions.print(c.child, env), c.name) for c in step.columns]
        pipe.add(state, "EXTEND", items)
        state.extends += 1
        state.renamed(step.schema.names)
        return
    select(pipe, state, columns_after(step), step.schema.names, called=pipe.final)


def _can_extend(state: State, step: n.WithColumns) -> bool:
    """Whether the columns come after those there are, under new names."""
    known = list(step.schema.names[: len(state.columns)])
    return state.extends < _MOST_EXTENDS and can_extend(step) and state.names() == known


def _hint(pipe: PipePrinter, state: State, step: n.Hint) -> None:
    pipe.tell_apart(state)  # a step of its own, which the hint is not about
    env = pipe.env(state)
    shown = [pipe.expressions.print(item, env).render() for item in step.parameters]
    inside = f"{step.name}({', '.join(shown)})" if shown else step.name
    word = f"SELECT /*+ {inside} */"
    select(pipe, state, step.schema.references, step.schema.names, word)


HANDLERS: Handlers = {
    n.Project: _project,
    n.WithColumns: _with_columns,
    n.Hint: _hint,
}
