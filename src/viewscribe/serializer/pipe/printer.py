"""The walk along a pipeline: where it starts, one handler a step, names for tables on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.builtin.operators import AND
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import holds, preorder, replace
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Lambda,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause, Notes, QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.serializer.blocks import (
    UNSEEN,
    Column,
    Env,
    Relation,
    RelationItem,
    SourceColumn,
    comment,
    free_name,
    unique_names,
)
from viewscribe.serializer.clauses import conditions, flat_conditions
from viewscribe.serializer.expressions import ExpressionPrinter, connected_list
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.literals import WIDTH, Fragment, follow, identifier
from viewscribe.serializer.pipe.chain import (
    ComputedAggregate,
    Step,
    chain_of,
    noted_operations,
    refuse_long,
    steps_to_columns,
    with_computed_aggregates,
    wraps,
)
from viewscribe.serializer.pipe.naming import describe
from viewscribe.serializer.process import process_call
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.sharing import without_alias
from viewscribe.serializer.targets import Target

# What Spark refuses of queries that see the row of another around them.


def needs_blocks(operation: QueryOperation) -> bool:
    """Whether a correlated query has a form that Spark refuses between pipe operators."""
    if not refers_outside(operation):
        return False
    # Whether a generator reads the row around, which it does as a table alone. A function of FROM
    # does so as well, which Spark takes in no pipeline.
    return (
        _is_ordered(operation)
        or _filters_again(operation)
        or any(
            (isinstance(node, n.Generate) and holds(node.call, OuterReference))
            or (isinstance(node, n.TableFunction) and holds(node, OuterReference))
            for node in preorder(operation)
        )
    )


def _is_ordered(operation: QueryOperation) -> bool:
    """Whether there is an order or a limit, which Spark's pipe operators cannot correlate."""
    return any(
        isinstance(node, QueryOperation) and node.clause in (Clause.ORDER_BY, Clause.LIMIT)
        for node in preorder(operation)
    )


def _filters_again(root: QueryOperation) -> bool:
    """Whether a filter is above a correlated column, or with others above a correlated filter."""
    correlated = between = False
    for step in chain_of(root):
        if type(step) is not n.Filter:
            computes = _computes_outside(step)
            between = between or correlated or computes
            correlated = correlated or computes
        elif between:
            return True
        else:
            correlated = correlated or refers_outside(step.condition)
    return False


def _computes_outside(step: QueryOperation) -> bool:
    """Whether a column that the step makes is one of a query around, or made of one."""
    if isinstance(step, n.Project):
        return any(holds(each, OuterReference) for each in step.expressions)
    return isinstance(step, n.WithColumns) and any(
        holds(each, OuterReference) for each in step.columns
    )


def with_filters_first(operation: QueryOperation) -> QueryOperation:
    """The same query, its filters below the columns of a query around that it computes.

    Spark refuses a ``|> WHERE`` above those; the condition says the same of what they are made of.
    """
    return _with_filters_first(operation) if refers_outside(operation) else operation


def _with_filters_first(operation: QueryOperation) -> QueryOperation:
    if operation.input_fields != ("child",):
        return operation
    (child,) = operation.inputs()
    below = _with_filters_first(child)
    if isinstance(operation, n.Filter) and isinstance(below, n.Project | n.WithColumns):
        condition = _written_out(operation.condition, below)
        if condition is not None:
            filtered = n.Filter.of(below.child, condition)
            return _over(below, _with_filters_first(filtered))
    return operation if below is child else _over(operation, below)


def _over(operation: QueryOperation, child: QueryOperation) -> QueryOperation:
    made = operation.copy_with({"child": child})
    assert isinstance(made, QueryOperation)
    return made


def _written_out(
    condition: ResolvedExpression, step: n.Project | n.WithColumns
) -> ResolvedExpression | None:
    """The condition on what the step's columns are made of; None where it has to stay above."""
    if not _computes_outside(step) or holds(condition, SubqueryExpression):
        return None
    if isinstance(step, n.Project):
        cells = [strip_alias(each) for each in step.expressions]
    else:
        cells = [*step.child.schema.references]
        for place, column in zip(step.places(), step.columns, strict=True):
            cells[place : place + 1] = [strip_alias(column)]
    if not all(map(is_deterministic, cells)) or any(holds(each, Over) for each in cells):
        return None
    made = replace(
        condition, lambda node: cells[node.index] if type(node) is FieldReference else node
    )
    assert isinstance(made, ResolvedExpression)
    return made


def with_joined_filters(chain: Sequence[QueryOperation]) -> Iterator[QueryOperation]:
    """The steps, filters that follow a correlated filter taken together with it.

    Spark refuses a ``|> WHERE`` above one that refers to an enclosing query.
    """
    waiting: n.Filter | None = None
    for step in chain:
        if waiting is not None and type(step) is n.Filter:
            terms = (*_terms(waiting.condition), *_terms(step.condition))
            waiting = n.Filter.of(waiting.child, make_call(AND, terms))
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if type(step) is n.Filter and refers_outside(step.condition):
            waiting = step
        else:
            yield step
    if waiting is not None:
        yield waiting


def _terms(condition: ResolvedExpression) -> Sequence[ResolvedExpression]:
    if type(condition) is Call and condition.function is AND:
        return condition.args
    return (condition,)


def seen_from_within(expressions: Sequence[ResolvedExpression]) -> set[int]:
    """The columns that must be qualified: those of sub-queries, those that a lambda would hide."""
    found: set[int] = set()
    for expression in expressions:
        features = features_of(expression)
        found.update(features.outer)
        if features.function:
            found |= _hidden_by_parameters(expression)
    return found


def _hidden_by_parameters(expression: ResolvedExpression) -> set[int]:
    """The columns inside of lambda functions of which a parameter has the name."""
    found: set[int] = set()
    for function in preorder(expression):
        if isinstance(function, Lambda):
            names = {parameter.name.lower() for parameter in function.parameters}
            for node in preorder(function.body):
                if isinstance(node, FieldReference) and node.name.lower() in names:
                    found.add(node.index)
    return found


# Steps as text: on one line, or an item a line.


def print_alias(made: Fragment, name: str, column: Column | None = None) -> Fragment:
    """``made AS name``; without the alias where it is a column of that name."""
    if isinstance(column, SourceColumn) and column.name == name:
        return made
    return follow(made, f" AS {identifier(name)}")


def listing(
    word: str, items: Sequence[Fragment], indent: int, clause: Fragment | None = None
) -> str:
    """``|> word a, b, c clause``, an item a line where it is too long.

    The clause has a line of its own where it does not fit behind the items. Where these take a
    line each, they stand deeper than the clause after them.
    """
    if clause is None:
        return connected_list(f"|> {word} ", items).render(indent) if items else f"|> {word}"
    head = f"|> {word} {', '.join(item.text or '' for item in items)}".rstrip()
    is_flat = all(item.text is not None for item in items)
    if is_flat and clause.text is not None and indent + len(f"{head} {clause.text}") <= WIDTH:
        return f"{head} {clause.text}"
    if not is_flat or indent + len(head) > WIDTH:
        pad = "\n" + " " * (indent + 4)
        head = f"|> {word}" + ",".join(pad + item.render(indent + 4, 1) for item in items)
    return f"{head}\n{' ' * (indent + 2)}{clause.render(indent + 2)}"


def where(terms: Sequence[Fragment], indent: int) -> str:
    """``|> WHERE a AND b``, a term a line where it is too long."""
    flat = flat_conditions(terms)
    if flat is not None and indent + len(flat) + 9 <= WIDTH:
        return f"|> WHERE {flat}"
    return conditions("|> WHERE", terms, indent)


# The table that the steps so far give.


class State:
    """The table after the steps so far: its lines, and how each column is called.

    ``operation`` is what gives it, ``extends`` counts the EXTENDs right on top of each other.
    ``relations`` are those whose names still tell its columns apart; ``passed`` those before, by
    whose names Spark knows columns that later steps only pass on.
    """

    def __init__(self, line: str, relation: Relation, operation: QueryOperation) -> None:
        self.lines = [line]
        self.operation = operation
        self.relations = [relation]
        self.passed: list[Relation] = []
        self.columns: list[Column] = columns_of(relation)
        self.extends = 0

    def names(self) -> list[str]:
        """The names of the columns; empty for one that is not in the table by itself."""
        return [c.name if isinstance(c, SourceColumn) else "" for c in self.columns]

    def renamed(self, names: Sequence[str], alias: str = "") -> None:
        """After a step that makes a new table: its columns by bare names."""
        relation = Relation(alias, names)
        self.passed = [] if alias else [*self.passed, *self.relations]
        self.relations = [relation]
        self.columns = columns_of(relation)

    def shadow(self, relation: Relation, names: set[str]) -> None:
        """Columns of these names (in lower case) are qualified, here and in the relation."""
        for each in (*self.relations, relation):
            each.shadowed |= names

    def is_called(self, places: Collection[int]) -> bool:
        """Whether the columns at these places belong to tables that have a name."""
        columns = [self.columns[place] for place in places]
        return all(isinstance(c, SourceColumn) and c.relation.alias for c in columns)

    def join(self, relation: Relation) -> None:
        """The columns of the relation come after those there are."""
        self.columns = [*self.columns, *columns_of(relation)]
        self.relations = [*self.relations, relation]

    def settle(self) -> None:
        """After a join: from here on only names that two columns share are qualified."""
        counts = Counter(map(str.lower, self.names()))
        for relation in self.relations:
            relation.shadowed = {
                name for name in relation.shadowed if counts[name] > 1 or name in UNSEEN
            }

    def common(self, relation: Relation) -> set[str]:
        """The names, in lower case, that the table and the relation both have."""
        mine, others = set(map(str.lower, self.names())), set(map(str.lower, relation.columns))
        return (mine & others) | ((mine | others) & UNSEEN)


def columns_of(relation: Relation) -> list[Column]:
    """All columns of a relation."""
    return [SourceColumn(relation, name) for name in relation.columns]


Handlers = Mapping[type[Step], Callable[..., None]]
"""How each operation is written: a function of the printer, the state and the operation."""

_STARTS = "a pipeline starts from it"

HANDLERS: HandlerTable[Callable[..., None]] = HandlerTable(
    "the pipe operator",
    without={
        n.CatalogSource: _STARTS,
        n.OneRow: "a SELECT without a table says it",
        n.Process: _STARTS,
        n.Recursion: _STARTS,
        n.CteReference: _STARTS,
        n.WithCte: _STARTS,
        n.SqlText: _STARTS,
        n.TableFunction: _STARTS,
        n.Values: _STARTS,
    },
)


_ONE = literal(1)


class NoSteps(Steps):
    """For a query inside a pipeline, which has no place for CTEs."""

    is_full = True


class PipePrinter:
    """Prints one pipeline; sub-queries get a printer of their own.

    Args:
        outer: the environment of the enclosing query, for a correlated sub-query.
        visible: names, in lower case, that a table must not be given, a set for each table.
        target: the Spark version that reads the text.
        notes: texts beside the steps, which become comments.
    """

    def __init__(
        self,
        outer: Env | None,
        visible: Sequence[set[str]],
        target: Target,
        notes: Notes | None = None,
    ) -> None:
        self.outer = outer
        self.notes = notes
        self.unwritten: list[str | None] = []  # notes of steps that have no line yet
        self.target = target
        self.scopes: list[set[str]] = list(visible)
        self.indent = 0
        self.final: Sequence[str] | None = None  # of the columns after the last step
        self.anonymous = False  # whether nobody asks for the names of the step being written
        self.expressions = ExpressionPrinter(self.subquery)
        self.blocks = QueryPrinter(Steps(), target=target)
        self.blocks.from_items.outer = outer
        self.blocks.expressions = self.expressions

    def query(self, root: QueryOperation, names: Sequence[str] | None, indent: int) -> str:
        """The whole pipeline, its further lines indented; its columns get ``names``."""
        self.indent = indent
        if not root.schema.names:
            if names is not None:
                raise NotSerializableError(
                    "a join with a query without columns has no form between pipe operators",
                    hint='use style="readable"',
                )
            root = n.Project.of(root, (alias(_ONE, "1"),))
        state = self.steps(without_alias(root), names)
        if names is not None and state.names() != list(names):
            self.rename(state, names)
        return ("\n" + " " * indent).join(state.lines)

    def inner(self, root: QueryOperation, names: Sequence[str] | None) -> str:
        """Another pipeline, between parentheses, that sees nothing of this one."""
        return self.wrapped(self.another(self.outer, self.scopes[:1]), root, names)

    def wrapped(
        self, printer: PipePrinter, root: QueryOperation, names: Sequence[str] | None
    ) -> str:
        """A pipeline on lines of its own between parentheses."""
        return self.parenthesized(printer.query(root, names, self.indent + 2))

    def parenthesized(self, query: str) -> str:
        """A query, indented by two more than this one, on lines between parentheses."""
        pad = "\n" + " " * self.indent
        return f"({pad}  {query}{pad})"

    def subquery(
        self, operation: Any, env: Env, only_existence: bool = False
    ) -> Callable[[int], str]:
        """The query of a sub-query expression."""
        operation = with_filters_first(operation)
        if needs_blocks(operation):
            return self.plain().subquery(operation, env, only_existence)
        visible = list(self.scopes) if refers_outside(operation) else self.scopes[:1]

        def layout(indent: int) -> str:
            with self.expressions.limits.inside_query():
                return self.another(env, visible).query(operation, None, indent)

        return layout

    def another(self, outer: Env | None, visible: Sequence[set[str]]) -> PipePrinter:
        """A printer of the same kind for a query inside of this one."""
        return PipePrinter(outer, visible, self.target, self.notes)

    def plain(self) -> QueryPrinter:
        """Prints SELECT blocks instead, for what Spark refuses between pipe operators."""
        printer = QueryPrinter(NoSteps(notes=self.notes), target=self.target)
        printer.scopes = list(self.scopes)
        return printer

    def steps(self, root: QueryOperation, names: Sequence[str] | None) -> State:
        """The state after all operations, bottom-up along the first inputs.

        Args:
            root: the last of them.
            names: what the columns are called at the end; None where nobody asks for it.
        """
        chain = chain_of(root)
        refuse_long(chain)
        self.indent += 2 * sum(map(wraps, chain))
        named = chain[0] if chain and isinstance(chain[0], n.SubqueryAlias) else None
        if isinstance(chain[0].inputs()[0] if chain else root, n.OneRow):
            count = steps_to_columns(chain)
            state, chain = self._without_from(chain[count - 1]), chain[count:]
        else:
            state = self._start(without_alias(chain[0].inputs()[0]) if chain else root, named)
            chain = chain if named is None else chain[1:]
        plain = with_joined_filters(chain)
        steps = list(with_computed_aggregates(plain))
        for place, step in enumerate(steps, 1):
            self.anonymous = names is None and place == len(steps)
            self.final = names if place == len(steps) else None
            self.expressions.relations = [*state.passed, *state.relations]
            before = None if self.notes is None else list(state.lines)
            HANDLERS[type(step)](self, state, step)
            if before is not None:
                self._add_comment(state, step, before)
            state.extends = state.extends if isinstance(step, n.WithColumns) else 0
            state.operation = step.project if isinstance(step, ComputedAggregate) else step
        return state

    def _start(self, operation: QueryOperation, named: n.SubqueryAlias | None) -> State:
        relation = source_relation(operation)
        relation.wanted = relation.wanted if named is None else named.name
        state = State(f"FROM {self.source(relation)}", relation, named or operation)
        if self.notes is not None:
            beside = [operation] if named is None else [operation, named]
            state.lines[0] += comment(map(self.notes.of, beside))
        return state

    def _add_comment(self, state: State, step: Step, before: Sequence[str]) -> None:
        """The notes of a step behind what it added to the lines before."""
        assert self.notes is not None
        self.unwritten += map(self.notes.of, noted_operations(step))
        if state.lines != before:  # a session window is only written by what groups by it
            state.lines[-1] += comment(self.unwritten)
            self.unwritten = []

    def _without_from(self, operation: QueryOperation) -> State:
        """A pipeline that starts with a SELECT: there is no table to start from."""
        names = unique_names(operation.schema.names)
        printer = self.plain()
        block = Folder(self.outer, printer.steps, target=self.target).fold(operation)
        text = printer.query(block, self.indent, names)
        return State(text, Relation("", names), operation)

    def source(self, relation: Relation) -> str:
        """A table as FROM and JOIN name it, under a free alias."""
        relation.alias = self.free(relation.wanted)
        self.scopes.append({relation.alias.lower()})
        if isinstance(relation.source, n.Process):
            return self._print_process(relation, relation.source)
        if isinstance(relation.source, n.Recursion | n.WithCte):
            return self._in_parentheses(relation, relation.source)
        return self.blocks.from_items.relation(relation, self.indent)

    def _in_parentheses(self, relation: Relation, operation: n.Recursion | n.WithCte) -> str:
        """What has no pipe operator, for it needs a WITH of its own."""
        printer = self.plain()
        block = Folder(None, printer.steps, target=self.target).fold(operation)
        item = block.from_
        assert isinstance(item, RelationItem)
        item.relation.alias = relation.alias
        return printer.from_items.relation(item.relation, self.indent)

    def _print_process(self, relation: Relation, call: n.Process) -> str:
        """A process table function over a pipeline of its own."""
        names = unique_names(call.child.schema.names)
        another = self.another(self.outer, self.scopes[:1])
        inner = another.query(call.child, names, self.indent + 4) if call.tables else ""
        env = Env(list(columns_of(Relation("", names))))
        text = process_call(call, inner, self.expressions, env, self.indent)
        return f"{text} AS {identifier(relation.alias)}"

    def env(self, state: State, columns: Sequence[Column] = ()) -> Env:
        """What references mean; ``columns`` come after those of the table."""
        return Env([*state.columns, *columns], self.outer)

    def add(
        self,
        state: State,
        word: str,
        items: Sequence[Fragment] = (),
        clause: Fragment | None = None,
    ) -> None:
        """A step: ``|> word a, b, c``, with a clause after it where there is one."""
        state.lines.append(listing(word, items, self.indent, clause))

    def rename(self, state: State, names: Sequence[str]) -> None:
        """A step that gives the columns other names."""
        items = [
            print_alias(self.expressions.column(column), name, column)
            for column, name in zip(state.columns, names, strict=True)
        ]
        self.add(state, "SELECT", items)
        state.renamed(names)

    def tell_apart(self, state: State) -> None:
        """Gives columns of equal names names of their own, where a step takes away the aliases."""
        names = state.names()
        unique = unique_names(names)
        if unique != names:
            self.rename(state, unique)

    def free(self, wanted: str) -> str:
        """An alias that nothing else goes by."""
        return free_name(wanted, set().union(*self.scopes))

    def prepare(self, state: State, expressions: Sequence[Any]) -> None:
        """A sub-query that uses columns of this table's row needs a name to call them by."""
        if not state.is_called(seen_from_within(expressions)):
            self.name(state)

    def name(self, state: State) -> None:
        """Gives a table a name for all its columns, after what it is."""
        self.tell_apart(state)
        self.call(state, describe(state.operation))

    def call(self, state: State, wanted: str) -> None:
        """Gives the table an alias."""
        name = self.free(wanted)
        self.add(state, f"AS {identifier(name)}")
        state.renamed(state.names(), name)
        self.scopes.append({name.lower()})


def source_relation(operation: QueryOperation) -> Relation:
    """What a pipeline starts from."""
    if isinstance(operation, n.CatalogSource):
        path, columns = operation.path, operation.schema.names
        return Relation(path[-1], columns, path=path, as_of=operation.as_of)
    names = unique_names(operation.schema.names)
    if isinstance(operation, n.Recursion | n.WithCte):
        return Relation(operation.name, names, source=operation)
    if isinstance(operation, n.TableFunction | n.Process):
        return Relation(operation.function.name, names, source=operation)
    wanted = "v" if isinstance(operation, n.Values) else "query"
    return Relation(wanted, names, source=operation)
