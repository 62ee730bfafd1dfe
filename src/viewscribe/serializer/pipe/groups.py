"""Steps that put rows together: AGGREGATE, DISTINCT, time windows."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.properties import functions_of, references_of
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import with_key_columns
from viewscribe.operations.user_functions import calls_catalog
from viewscribe.serializer.blocks import (
    BoundColumn,
    Column,
    Env,
    Relation,
    SourceColumn,
    unique_names,
)
from viewscribe.serializer.clauses import group_by
from viewscribe.serializer.fragments import Fragment
from viewscribe.serializer.literals import identifier
from viewscribe.serializer.pipe.chain import ComputedAggregate, wraps
from viewscribe.serializer.pipe.columns import is_own_name, select
from viewscribe.serializer.pipe.layout import listing, print_alias
from viewscribe.serializer.pipe.naming import describe
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter
from viewscribe.serializer.pipe.state import State


def _aggregate(pipe: PipePrinter, state: State, step: n.Aggregate) -> None:
    _group(pipe, state, step, step.schema.references, step.schema.names)


def _computed_aggregate(pipe: PipePrinter, state: State, step: ComputedAggregate) -> None:
    project = step.project
    _group(pipe, state, step.aggregate, project.expressions, project.schema.names)


def _group(
    pipe: PipePrinter,
    state: State,
    step: n.Aggregate,
    outputs: Sequence[ResolvedExpression],
    given: Sequence[str],
) -> None:
    """The keys and the aggregates; ``outputs`` are the keys and what to compute from all."""
    width = len(state.columns)
    keys = _plain_keys(pipe, state, step)
    if wraps(step):
        computed = any(type(strip_alias(key)) is not FieldReference for key in step.keys)
        _wrap(pipe, state, extended=len(state.columns) > width, computed=computed)
    names = unique_names(given)
    env = pipe.env(state)
    aggregates = [with_key_columns(each, step.keys, keys) for each in step.aggregates]
    found: list[Column] = [BoundColumn(strip_alias(each), env) for each in (*keys, *aggregates)]
    printed = [pipe.expressions.column(column) for column in found[: len(keys)]]
    only_all = len(keys) == 1 and names[0].lower() == "all"  # else Spark takes it for GROUP BY ALL
    named = [
        print_alias(
            made,
            name,
            env.columns[key.index] if type(key) is FieldReference and not only_all else None,
        )
        for made, key, name in zip(printed, keys, names, strict=False)
    ]
    shown = []
    for output, name in zip(outputs[len(keys) :], names[len(keys) :], strict=True):
        made = pipe.expressions.print(strip_alias(output), Env(found, pipe.outer))
        shown.append(made if is_own_name(pipe, made, name) else print_alias(made, name))
    _write(pipe, state, step, (printed, named, shown))
    state.renamed(names)


def _write(
    pipe: PipePrinter,
    state: State,
    step: n.Aggregate,
    parts: tuple[list[Fragment], list[Fragment], list[Fragment]],
) -> None:
    """AGGREGATE, or a plain SELECT, from the keys without and with names, and the aggregates."""
    keys, named, aggregates = parts
    simple = step.grouping is n.Grouping.SIMPLE
    group = group_by(step.grouping, named if simple else keys, step.sets) if keys else None
    if simple:
        state.lines.append(listing("AGGREGATE", aggregates, pipe.indent, group))
        return
    state.lines = [_select([*named, *aggregates], pipe.indent), *state.lines]
    if group is not None:
        state.lines.append(group.render(pipe.indent))


def _wrap(pipe: PipePrinter, state: State, *, extended: bool, computed: bool) -> None:
    """The steps so far as a derived table: they were indented as what is within parentheses."""
    if all(state.names()):
        pipe.tell_apart(state)
    given = state.relations[-1].alias if state.lines[-1].startswith("|> AS ") else ""
    if given:  # the name is the one of the parentheses
        state.lines.pop()
    inner = ("\n" + " " * pipe.indent).join(state.lines)
    pipe.indent -= 2
    name = given or pipe.free(describe(state.operation, extended=extended, computed=computed))
    relation = Relation(name, state.names())
    pipe.scopes.append({relation.alias.lower()})
    state.passed.append(relation)
    state.lines = [f"FROM {pipe.parenthesized(inner)} AS {identifier(relation.alias)}"]
    state.columns = [
        SourceColumn(relation, column.name) if isinstance(column, SourceColumn) else column
        for column in state.columns
    ]


def _select(items: Sequence[Fragment], indent: int) -> str:
    """A plain SELECT: AGGREGATE knows no ROLLUP, CUBE or sets."""
    pad = "\n" + " " * (indent + 2)
    return "SELECT" + ",".join(pad + item.render(indent + 2, 1) for item in items)


def _plain_keys(pipe: PipePrinter, state: State, step: n.Aggregate) -> list[ResolvedExpression]:
    """The keys; those of grouping sets, and constants (else ordinals), are columns first."""
    keys = [strip_alias(key) for key in step.keys]
    simple = step.grouping is n.Grouping.SIMPLE
    pipe.prepare(state, [*keys, *step.aggregates])
    written = [_is_written(key, keys[:place], simple) for place, key in enumerate(keys)]
    if not all(written):
        pipe.tell_apart(state)  # after EXTEND no table tells two columns of one name apart
    env = pipe.env(state)
    made, names = [], state.names() if not simple or step.keys else []
    result: list[ResolvedExpression] = []
    for key, given, as_it_is in zip(keys, step.keys, written, strict=True):
        if as_it_is:
            result.append(key)
            continue
        name = unique_names([*names, n.output_name(given)])[-1]
        made.append(print_alias(pipe.expressions.print(key, env), name))
        result.append(FieldReference(len(names), name, key.type))
        names = [*names, name]
    if made:
        pipe.add(state, "EXTEND", made)
        state.renamed(names)
        pipe.prepare(state, [*result, *step.aggregates])
    return result


def _is_written(key: ResolvedExpression, before: list[ResolvedExpression], simple: bool) -> bool:
    """Whether a key can be written out where the groups are made.

    In sets, Spark takes two keys that are written alike for one: ``ROLLUP (k, k)``.
    """
    if simple:
        # A window of a constant is none, and Spark takes it in GROUP BY alone.
        varies = references_of(key).columns or any(each.is_step for each in functions_of(key))
        return type(key) is FieldReference or (bool(varies) and not calls_catalog(key))
    return type(key) is FieldReference and key not in before


def _distinct(pipe: PipePrinter, state: State, step: n.Distinct) -> None:
    select(pipe, state, step.schema.references, step.schema.names, "SELECT DISTINCT")


def _time_window(pipe: PipePrinter, state: State, step: n.TimeWindow) -> None:
    if step.is_session:  # exists in groups only: the aggregate right above writes it out
        state.columns = [*state.columns, BoundColumn(step.call, pipe.env(state))]
        return
    pipe.tell_apart(state)
    made = pipe.expressions.print(step.call, pipe.env(state))
    pipe.add(state, "EXTEND", [print_alias(made, step.name)])
    state.renamed([*state.names(), step.name])


HANDLERS: Handlers = {
    n.Aggregate: _aggregate,
    ComputedAggregate: _computed_aggregate,
    n.Distinct: _distinct,
    n.TimeWindow: _time_window,
}
