"""Steps that bring in another table: JOIN, lateral joins, generators."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.blocks import (
    Column,
    Condition,
    Relation,
    SourceColumn,
    is_table,
    outer_call,
    unique_names,
)
from viewscribe.serializer.clauses import join_condition
from viewscribe.serializer.describe import name_generated
from viewscribe.serializer.folding import Folder
from viewscribe.serializer.from_items import lateral_call
from viewscribe.serializer.literals import identifier
from viewscribe.serializer.pipe.correlated import needs_blocks, with_filters_first
from viewscribe.serializer.pipe.naming import describe
from viewscribe.serializer.pipe.printer import Handlers, PipePrinter, source_relation
from viewscribe.serializer.pipe.state import State, columns_of
from viewscribe.serializer.sharing import without_alias


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
    n.Join: _join,
    n.LateralJoin: _lateral,
    n.Generate: _generate,
}
