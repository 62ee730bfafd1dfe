"""Steps that put rows together: AGGREGATE, DISTINCT, time windows."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, unaliased
from viewscribe.operations import nodes as n
from viewscribe.serializer.blocks import BoundColumn, unique_names
from viewscribe.serializer.fragments import INDENT, Fragment
from viewscribe.serializer.literals import identifier
from viewscribe.serializer.pipe.columns import select
from viewscribe.serializer.pipe.correlated import has_references
from viewscribe.serializer.pipe.layout import aliased, clause
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter
from viewscribe.serializer.pipe.state import State


def _aggregate(pipe: PipePrinter, state: State, step: n.Aggregate) -> None:
    keys = _plain_keys(pipe, state, step)
    names = unique_names(step.schema.names)
    env = pipe.env(state)
    aggregates = [
        aliased(pipe.expressions.print(unaliased(call), env), name)
        for call, name in zip(step.aggregates, names[len(keys) :], strict=True)
    ]
    printed = [pipe.expressions.print(key, env) for key in keys]
    named = [
        aliased(made, name, env.columns[key.index] if type(key) is FieldReference else None)
        for made, key, name in zip(printed, keys, names, strict=False)
    ]
    if step.grouping is n.Grouping.SIMPLE:
        state.lines.append(clause("AGGREGATE", aggregates, pipe.indent, _grouping(step, named)))
    else:
        _grouped_select(pipe, state, [*named, *aggregates], _grouping(step, printed))
    state.renamed(names)


def _grouped_select(
    pipe: PipePrinter, state: State, items: Sequence[Fragment], grouping: str
) -> None:
    """A plain SELECT around the steps so far: AGGREGATE knows no ROLLUP, CUBE or sets.

    The lines within are not indented further: a line break may lie within a quoted name.
    """
    name = state.relation.alias or pipe.free("input")
    shown = ",".join(f"\n{INDENT}{item.render(2, 1)}" for item in items)
    lines = state.lines
    state.lines = [f"SELECT{shown}", "FROM (", *lines, f") AS {identifier(name)}"]
    state.lines.append(grouping.strip())


def _plain_keys(pipe: PipePrinter, state: State, step: n.Aggregate) -> list[ResolvedExpression]:
    """The keys; those of grouping sets, and constants (else ordinals), are columns first."""
    keys = [unaliased(key) for key in step.keys]
    simple = step.grouping is n.Grouping.SIMPLE
    pipe.prepare(state, keys)
    env = pipe.env(state)
    made, names = [], state.names() if not simple or step.keys else []
    result: list[ResolvedExpression] = []
    for key, given in zip(keys, step.keys, strict=True):
        if type(key) is FieldReference or (simple and has_references(key)):
            result.append(key)
            continue
        name = unique_names([*names, n.output_name(given)])[-1]
        made.append(aliased(pipe.expressions.print(key, env), name))
        result.append(FieldReference(len(names), name, key.type))
        names = [*names, name]
    if made:
        pipe.add(state, "EXTEND", made)
        state.renamed(names)
    return result


def _grouping(step: n.Aggregate, keys: Sequence[Fragment]) -> str:
    if not keys:
        return ""
    texts = [key.render() for key in keys]
    if step.grouping is n.Grouping.SIMPLE:
        return " GROUP BY " + ", ".join(texts)
    if step.grouping is n.Grouping.SETS:
        sets = ", ".join(f"({', '.join(texts[p] for p in places)})" for places in step.sets)
        return f" GROUP BY GROUPING SETS ({sets})"
    return f" GROUP BY {step.grouping.value.upper()} ({', '.join(texts)})"


def _distinct(pipe: PipePrinter, state: State, step: n.Distinct) -> None:
    select(pipe, state, step.schema.references, step.schema.names, "SELECT DISTINCT")


def _time_window(pipe: PipePrinter, state: State, step: n.TimeWindow) -> None:
    if step.is_session:  # exists in groups only: the aggregate right above writes it out
        state.columns = [*state.columns, BoundColumn(step.call, pipe.env(state))]
        return
    pipe.tell_apart(state)
    made = pipe.expressions.print(step.call, pipe.env(state))
    pipe.add(state, "EXTEND", [aliased(made, step.name)])
    state.renamed([*state.names(), step.name])


HANDLERS: Handlers = {
    n.Aggregate: _aggregate,
    n.Distinct: _distinct,
    n.TimeWindow: _time_window,
}
