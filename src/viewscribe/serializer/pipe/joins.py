"""Steps that bring in another table: JOIN, lateral joins, generators."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.properties import functions_of, is_deterministic, references_of
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import with_key_columns
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.user_functions import calls_catalog
from viewscribe.serializer.blocks import (
    BoundColumn,
    Column,
    Condition,
    Env,
    Relation,
    SourceColumn,
    is_table,
    outer_call,
    unique_names,
)
from viewscribe.serializer.clauses import group_by, join_condition, lateral_call
from viewscribe.serializer.describe import name_generated
from viewscribe.serializer.folding import Folder
from viewscribe.serializer.literals import Fragment, identifier
from viewscribe.serializer.pipe.chain import ComputedAggregate, wraps
from viewscribe.serializer.pipe.columns import is_own_name, select
from viewscribe.serializer.pipe.naming import describe
from viewscribe.serializer.pipe.printer import (
    Handlers,
    PipePrinter,
    State,
    columns_of,
    listing,
    needs_blocks,
    print_alias,
    source_relation,
    with_filters_first,
)
from viewscribe.serializer.sharing import without_alias

# Steps that put rows together: AGGREGATE, DISTINCT, time windows.


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


def _join(pipe: PipePrinter, state: State, step: n.Join) -> None:
    right, text = _right_side(pipe, state, step.right)
    head = f"|> {step.kind.value} {text}"
    if step.using:
        _join_using(state, step, right, head)
        return
    state.lines.append(_with_condition(pipe, state, right, head, step.condition))
    if step.kind.keeps_right:
        state.join(right)
    state.settle()


def _with_condition(
    pipe: PipePrinter,
    state: State,
    right: Relation,
    head: str,
    condition: ResolvedExpression | None,
) -> str:
    if condition is None:
        return head
    # A dotted name in ON may be taken for a column of either side.
    pipe.expressions.relations = [*state.passed, *state.relations, right]
    terms = pipe.blocks.terms([Condition(condition, pipe.env(state, columns_of(right)))])
    return join_condition(head, terms, pipe.indent)


def _join_using(state: State, step: n.Join, right: Relation, head: str) -> None:
    names = ", ".join(identifier(name) for name in step.using)
    state.lines.append(f"{head} USING ({names})")
    order = n.using_columns(step.left.schema, step.right.schema, step.kind, step.using)
    columns: list[Column] = []
    relation = Relation("", [])
    both = [*state.columns, *columns_of(right)]
    for place, (left, other) in enumerate(order):
        column = both[left]
        assert isinstance(column, SourceColumn)
        if place < len(step.using) or other is not None:
            columns.append(SourceColumn(relation, step.using[place]))
        else:
            columns.append(column)
    state.columns = columns
    if step.kind.keeps_right:
        state.relations = [*state.relations, right]
    state.settle()


def _right_side(pipe: PipePrinter, state: State, operation: QueryOperation) -> tuple[Relation, str]:
    """The right side of a join and its text; both sides get aliases where their names meet."""
    plain = without_alias(operation)
    if isinstance(plain, n.CatalogSource):
        relation = source_relation(plain)
        relation.wanted = _choose_name(operation)
        text = pipe.source(relation)
    else:
        names = unique_names(plain.schema.names)
        relation = _name_relation(pipe, _choose_name(operation), names)
        text = f"{pipe.inner(plain, names)} AS {identifier(relation.alias)}"
    _meet(pipe, state, relation)
    return relation, text


def _choose_name(operation: QueryOperation) -> str:
    """The name the user gave to a derived table, or one that says what it is."""
    return operation.name if isinstance(operation, n.SubqueryAlias) else describe(operation)


def _name_relation(pipe: PipePrinter, wanted: str, names: Sequence[str]) -> Relation:
    """A derived table under a free name."""
    relation = Relation(wanted, names)
    relation.alias = pipe.free(wanted)
    pipe.scopes.append({relation.alias.lower()})
    return relation


def _meet(pipe: PipePrinter, state: State, relation: Relation) -> None:
    """Where a name is on both sides, both sides' columns of that name are qualified."""
    common = state.common(relation)
    if not state.is_called([i for i, name in enumerate(state.names()) if name.lower() in common]):
        pipe.name(state)
    state.shadow(relation, common | state.common(relation))


def _lateral(pipe: PipePrinter, state: State, step: n.LateralJoin) -> None:
    if not state.is_called(range(len(state.columns))):
        pipe.name(state)
    names = unique_names(step.right.schema.names)
    scopes = list(pipe.scopes)
    relation = _name_relation(pipe, _choose_name(step.right), names)
    env = pipe.env(state)
    right = with_filters_first(step.right)
    if needs_blocks(right):
        printer = pipe.plain()
        folder = Folder(env, printer.steps, target=pipe.target)
        block = folder.fold(without_alias(right))
        visible = set().union(*scopes)
        inner = printer.lateral(visible, block, pipe.indent + 2, names)
    else:
        inner = pipe.another(env, scopes).query(right, names, pipe.indent + 2)
    _meet(pipe, state, relation)
    word = "JOIN" if step.kind is n.JoinKind.CROSS else step.kind.value
    head = f"|> {word} LATERAL {pipe.parenthesized(inner)} AS {identifier(relation.alias)}"
    state.lines.append(_with_condition(pipe, state, relation, head, step.condition))
    state.join(relation)
    state.settle()


def _generate(pipe: PipePrinter, state: State, step: n.Generate) -> None:
    if not state.is_called(range(len(state.columns))):
        pipe.name(state)
    if not is_deterministic(step.call):
        raise NotSerializableError(
            f"rows are made by {step.call.as_summary_string()}, which is not deterministic: in "
            "pipe style that is a lateral join, and Spark takes none of these",
            hint='take style="readable", which has LATERAL VIEW',
        )
    names = unique_names(step.names)
    relation = _name_relation(pipe, name_generated(step), names)
    made, kept = outer_call(step.call) if step.outer else (step.call, False)
    call = pipe.expressions.lateral(made, pipe.env(state)).render(pipe.indent)
    if isinstance(made.function, UserFunction) and not is_table(made):
        call = f"(SELECT {call})"  # a generator of Hive's, which is no table
    shown = ", ".join(identifier(name) for name in names)
    pipe.add(state, lateral_call(call, f"{identifier(relation.alias)}({shown})", kept))
    state.shadow(relation, state.common(relation))
    state.join(relation)
    state.settle()


HANDLERS: Handlers = {
    n.Aggregate: _aggregate,
    ComputedAggregate: _computed_aggregate,
    n.Distinct: _distinct,
    n.TimeWindow: _time_window,
    n.Join: _join,
    n.LateralJoin: _lateral,
    n.Generate: _generate,
}
