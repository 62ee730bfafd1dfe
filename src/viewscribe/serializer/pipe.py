"""The pipe style: ``FROM t |> WHERE … |> AGGREGATE …``, one line a step.

Spark's pipe operators take the table below and give a table, so each operation is one operator and
nothing needs folding. Columns are known by bare names; where a step would leave two of one name,
the step before gives them names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.builtin.operators import AND
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    ResolvedExpression,
    SubqueryExpression,
    unaliased,
)
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.pivot import with_exact_input, with_plain_value_name
from viewscribe.serializer.blocks import (
    BoundColumn,
    Column,
    Env,
    Relation,
    SourceColumn,
    refers_outside,
    unique_names,
)
from viewscribe.serializer.expressions import (
    ExpressionPrinter,
    connected_list,
    no_ordinal,
    sort_fragment,
)
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.fragments import INDENT, WIDTH, Fragment, pieces
from viewscribe.serializer.from_items import CLAUSES, FromPrinter
from viewscribe.serializer.literals import identifier
from viewscribe.serializer.queries import QueryPrinter, without_alias
from viewscribe.serializer.sharing import inner_names

_MOST_EXTENDS = 8
"""Spark's analyzer takes about ten EXTENDs on top of each other, and gives up before fifty."""

_COMPUTING = (n.Project, n.WithColumns, n.Aggregate, n.Distinct, n.TimeWindow)
_MOST_COMPUTING = 60
_MOST_STEPS = 300


def pipe_statement(root: QueryOperation) -> str:
    """The operation as a statement of pipe operators."""
    return _Pipe(None, [inner_names(root)]).query(root, root.schema.names, 0)


class _NoSteps(Steps):
    """For a query inside a pipeline, which has no place for CTEs."""

    is_full = True


def _needs_blocks(operation: QueryOperation) -> bool:
    """Whether a correlated query has a form that Spark refuses between pipe operators."""
    if not refers_outside(operation):
        return False
    return _is_ordered(operation) or _filters_again(operation)


def _is_ordered(operation: QueryOperation) -> bool:
    """Whether there is an order or a limit, which Spark's pipe operators cannot correlate."""
    return any(isinstance(node, n.Sort | n.Limit | n.Offset) for node in preorder(operation))


class _State:
    """The table after the steps so far: its lines, and how each column is called."""

    def __init__(self, lines: list[str], relation: Relation, columns: list[Column]) -> None:
        self.lines = lines
        self.relation = relation
        self.columns = columns
        self.extends = 0
        self.relations = [relation]

    def names(self) -> list[str]:
        return [c.name if isinstance(c, SourceColumn) else "" for c in self.columns]


class _Pipe:
    """Prints one pipeline; sub-queries get a printer of their own."""

    def __init__(self, outer: Env | None, visible: Sequence[set[str]]) -> None:
        self.outer = outer
        self.printer = ExpressionPrinter(self.subquery)
        self.scopes: list[set[str]] = list(visible)
        self.indent = 0

    def query(self, root: QueryOperation, names: Sequence[str] | None, indent: int) -> str:
        """The whole pipeline, its further lines indented; its columns get ``names``."""
        self.indent = indent
        state = self.steps(without_alias(root))
        if names is not None and state.names() != list(names):
            items = [
                self._named(column, name) for column, name in zip(state.columns, names, strict=True)
            ]
            self._line(state, "SELECT", items)
        return ("\n" + " " * indent).join(state.lines)

    def subquery(
        self, operation: Any, env: Env, only_existence: bool = False
    ) -> Callable[[int], str]:
        """The query of a sub-query expression."""
        if _needs_blocks(operation):
            return self._plain().subquery(operation, env, only_existence)
        visible = list(self.scopes) if refers_outside(operation) else self.scopes[:1]
        return lambda indent: _Pipe(env, visible).query(operation, None, indent)

    def _plain(self) -> QueryPrinter:
        """Prints SELECT blocks instead, for what Spark refuses between pipe operators."""
        printer = QueryPrinter(_NoSteps())
        printer.scopes = list(self.scopes)
        return printer

    def steps(self, root: QueryOperation) -> _State:
        """The state after all operations, bottom-up along the first inputs."""
        chain = _chain(root)
        _refuse_long(chain)
        state = self._start(chain[0].inputs()[0] if chain else root)
        for step in _with_joined_filters(chain):
            _HANDLERS[type(step)](self, state, step)
            state.extends = state.extends if isinstance(step, n.WithColumns) else 0
        return state

    def _env(self, state: _State, columns: Sequence[Column] | None = None) -> Env:
        return Env(list(columns or state.columns), self.outer)

    # -- where it starts -------------------------------------------------------------------------

    def _start(self, operation: QueryOperation) -> _State:
        relation = self._source(operation)
        relation.alias = self._free(relation.wanted)
        text = self._relation_text(relation, self.indent)
        columns: list[Column] = [SourceColumn(relation, name) for name in relation.columns]
        self.scopes.append({relation.alias.lower()})
        return _State([f"FROM {text}"], relation, columns)

    def _source(self, operation: QueryOperation) -> Relation:
        names = unique_names(operation.schema.names)
        if isinstance(operation, n.CatalogSource):
            return Relation(operation.path[-1], operation.schema.names, path=operation.path)
        if isinstance(operation, n.Values):
            return Relation("v", names, source=operation)
        return Relation("query", names, source=operation)

    def _relation_text(self, relation: Relation, indent: int) -> str:
        printer = QueryPrinter(Steps())
        printer.expressions = self.printer
        return FromPrinter(printer).relation(relation, indent)

    def _free(self, wanted: str) -> str:
        taken = set().union(*self.scopes) if self.scopes else set()
        name, number = wanted, 2
        while name.lower() in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    # -- lines -----------------------------------------------------------------------------------

    def _line(self, state: _State, word: str, items: Sequence[Fragment], tail: str = "") -> None:
        """``|> word a, b, c tail``, an item a line where it is too long."""
        made = connected_list(f"|> {word} ", items)
        text = made.text
        if text is not None and len(text) + len(tail) + self.indent <= WIDTH:
            state.lines.append(text + tail)
            return
        pad = "\n" + " " * self.indent + INDENT
        shown = ("," + pad).join(item.render(self.indent + 2, 1) for item in items)
        tail = pad[:-2] + INDENT + tail.strip() if tail else ""
        state.lines.append(f"|> {word}{pad}{shown}{tail}")

    def _word(self, state: _State, text: str) -> None:
        state.lines.append(f"|> {text}")

    def _named(self, column: Column, name: str) -> Fragment:
        return self._aliased(self.printer.column(column), name, column)

    def _aliased(self, made: Fragment, name: str, column: Column | None) -> Fragment:
        if isinstance(column, SourceColumn) and column.name == name:
            return made
        return pieces([made, f" AS {identifier(name)}"])

    def _renamed(self, state: _State, names: Sequence[str], *, keep_alias: bool = False) -> None:
        """After a step that makes a new table: its columns by bare names."""
        relation = Relation(state.relation.alias, names)
        relation.alias = state.relation.alias
        state.relation = relation
        state.relations = [relation]
        state.columns = [SourceColumn(relation, name) for name in names]
        if not keep_alias:
            relation.alias = ""

    # -- steps -----------------------------------------------------------------------------------

    def _ready(self, state: _State, expressions: Sequence[Any]) -> None:
        """A sub-query that refers to this table's row needs a name to call it by."""
        if state.relation.alias:
            return
        for expression in expressions:
            for node in preorder(expression, skip=_is_operation):
                if isinstance(node, SubqueryExpression) and refers_outside(node.query):
                    self._name(state)
                    return

    def _name(self, state: _State) -> None:
        """Gives a table without a name one."""
        self._told_apart(state)
        if not state.relation.alias:
            name = self._free("input")
            self._word(state, f"AS {identifier(name)}")
            self._under(state, name)

    def filter(self, state: _State, step: n.Filter) -> None:
        self._ready(state, [step.condition])
        condition = self.printer.print(step.condition, self._env(state))
        state.lines.append(f"|> WHERE {condition.render(self.indent, 9)}")

    def project(self, state: _State, step: n.Project) -> None:
        self._select(state, step.expressions, step.schema.names)

    def _select(
        self, state: _State, expressions: Sequence[Any], given: Sequence[str], word: str = "SELECT"
    ) -> None:
        names = unique_names(given)
        self._ready(state, expressions)
        env = self._env(state)
        items = []
        for expression, name in zip(expressions, names, strict=True):
            inner = unaliased(expression)
            column = env.columns[inner.index] if type(inner) is FieldReference else None
            items.append(self._aliased(self.printer.print(inner, env), name, column))
        self._line(state, word, items)
        self._renamed(state, names)

    def with_columns(self, state: _State, step: n.WithColumns) -> None:
        places = step.places()
        names = list(step.schema.names)
        added = all(place >= len(step.child.schema) for place in places)
        unique = len(set(map(str.lower, names))) == len(names)
        kept = state.names() == names[: len(state.columns)]
        if added and unique and kept and state.extends < _MOST_EXTENDS:
            self._ready(state, step.columns)
            env = self._env(state)
            items = [
                pieces([self.printer.print(c.child, env), f" AS {identifier(c.name)}"])
                for c in step.columns
            ]
            self._line(state, "EXTEND", items)
            state.extends += 1
            self._renamed(state, names)
            return
        expressions: list[Any] = list(step.child.schema.references)
        for place, column in zip(places, step.columns, strict=True):
            if place == len(expressions):
                expressions.append(column)
            else:
                expressions[place] = column
        self._select(state, expressions, names)

    def aggregate(self, state: _State, step: n.Aggregate) -> None:
        plain_keys = self._plain_keys(state, step)
        env = self._env(state)
        names = unique_names(step.schema.names)
        keys = []
        for inner, name in zip(plain_keys, names, strict=False):
            column = env.columns[inner.index] if type(inner) is FieldReference else None
            made = self.printer.print(inner, env)
            simple = step.grouping is n.Grouping.SIMPLE
            keys.append(self._aliased(made, name, column) if simple else made)
        aggregates = [
            pieces([self.printer.print(unaliased(call), env), f" AS {identifier(name)}"])
            for call, name in zip(step.aggregates, names[len(keys) :], strict=True)
        ]
        if step.grouping is n.Grouping.SIMPLE:
            self._line(state, "AGGREGATE", aggregates, self._grouping(step, keys))
        else:
            outputs = [
                self._aliased(key, name, env.columns[inner.index])  # type: ignore[attr-defined]
                for key, name, inner in zip(keys, names, plain_keys, strict=False)
            ]
            self._grouped_select(state, [*outputs, *aggregates], self._grouping(step, keys))
        self._renamed(state, names)

    def _grouped_select(self, state: _State, items: Sequence[Fragment], grouping: str) -> None:
        """A plain SELECT around the steps so far: AGGREGATE knows no ROLLUP, CUBE or sets.

        The lines within are not indented further: a line break may lie within a quoted name.
        """
        name = state.relation.alias or self._free("input")
        shown = ",".join(f"\n{INDENT}{item.render(2, 1)}" for item in items)
        lines = state.lines
        state.lines = [f"SELECT{shown}", "FROM (", *lines, f") AS {identifier(name)}"]
        state.lines.append(grouping.strip())

    def _plain_keys(self, state: _State, step: n.Aggregate) -> list[ResolvedExpression]:
        """The keys; those of grouping sets, and constants (else ordinals), are columns first."""
        keys = [unaliased(key) for key in step.keys]
        simple = step.grouping is n.Grouping.SIMPLE
        self._ready(state, keys)
        env = self._env(state)
        made, names = [], state.names() if not simple or step.keys else []
        result: list[ResolvedExpression] = []
        for key, given in zip(keys, step.keys, strict=True):
            if type(key) is FieldReference or (simple and _references(key)):
                result.append(key)
                continue
            name = unique_names([*names, n.output_name(given)])[-1]
            made.append(pieces([self.printer.print(key, env), f" AS {identifier(name)}"]))
            result.append(FieldReference(len(names), name, key.type))
            names = [*names, name]
        if made:
            self._line(state, "EXTEND", made)
            self._renamed(state, names)
        return result

    def _grouping(self, step: n.Aggregate, keys: Sequence[Fragment]) -> str:
        if not keys:
            return ""
        if step.grouping is n.Grouping.SIMPLE:
            return " GROUP BY " + ", ".join(key.render() for key in keys)
        texts = [key.render() for key in keys]
        if step.grouping is n.Grouping.SETS:
            sets = ", ".join(f"({', '.join(texts[p] for p in places)})" for places in step.sets)
            return f" GROUP BY GROUPING SETS ({sets})"
        return f" GROUP BY {step.grouping.value.upper()} ({', '.join(texts)})"

    def distinct(self, state: _State, step: n.Distinct) -> None:
        self._select(state, step.schema.references, step.schema.names, "SELECT DISTINCT")

    def sort(self, state: _State, step: n.Sort) -> None:
        env = self._env(state)
        self._ready(state, step.keys)
        keys = [
            sort_fragment(no_ordinal(self.printer.print(key.child, env)), key) for key in step.keys
        ]
        self._line(state, "ORDER BY", keys)

    def limit(self, state: _State, step: n.Limit) -> None:
        self._word(state, f"LIMIT {step.count}")

    def offset(self, state: _State, step: n.Offset) -> None:
        self._word(state, f"OFFSET {step.count}")

    def sample(self, state: _State, step: n.Sample) -> None:
        percent = f"{step.percent:.10f}".rstrip("0").rstrip(".")
        self._word(state, f"TABLESAMPLE ({percent} PERCENT) REPEATABLE ({step.seed})")

    def alias(self, state: _State, step: n.SubqueryAlias) -> None:
        if state.relation.alias == step.name and len(state.lines) == 1:
            return
        self._told_apart(state)
        name = self._free(step.name)
        self._word(state, f"AS {identifier(name)}")
        self._under(state, name)

    def _under(self, state: _State, name: str) -> None:
        names = state.names()
        self._renamed(state, names, keep_alias=True)
        state.relation.alias = name
        self.scopes.append({name.lower()})

    def set_operation(self, state: _State, step: n.SetOperation) -> None:
        self._told_apart(state)
        inner = _Pipe(self.outer, self.scopes[:1]).query(step.right, None, self.indent + 2)
        word = step.kind.value + (" ALL" if step.all else "")
        pad = "\n" + " " * self.indent
        self._word(state, f"{word} ({pad}  {inner}{pad})")
        self._renamed(state, state.names())

    def join(self, state: _State, step: n.Join) -> None:
        right = self._joined(state, step.right)
        pad = "\n" + " " * self.indent
        env = self._env(state, [*state.columns, *right.columns])
        head = f"|> {step.kind.value} {right.text}"
        if step.using:
            self._join_using(state, step, right, head, env)
            return
        if step.condition is None:
            state.lines.append(head)
        else:
            on = self.printer.print(step.condition, env)
            text = on.text
            if text is not None and "\n" not in head and len(head) + len(text) + 4 <= WIDTH:
                state.lines.append(f"{head} ON {text}")
            else:
                state.lines.append(f"{head}{pad}  ON {on.render(self.indent + 2, 3)}")
        if step.kind.keeps_right:
            state.columns = [*state.columns, *right.columns]
            state.relations = [*state.relations, right.relation]
            self._apart(state)

    def _join_using(self, state: _State, step: n.Join, right: _Right, head: str, env: Env) -> None:
        names = ", ".join(identifier(name) for name in step.using)
        left_schema, right_schema = step.left.schema, step.right.schema
        order = n.using_columns(left_schema, right_schema, step.kind, step.using)
        state.lines.append(f"{head} USING ({names})")
        columns: list[Column] = []
        relation = Relation("", [])
        for place, (left, other) in enumerate(order):
            column = env.columns[left]
            shared = place < len(step.using)
            assert isinstance(column, SourceColumn)
            if shared or other is not None:
                columns.append(SourceColumn(relation, step.using[place]))
            else:
                columns.append(column)
        state.columns = columns
        if step.kind.keeps_right:
            state.relations = [*state.relations, right.relation]
        self._apart(state)

    def _apart(self, state: _State) -> None:
        """After a join: bare names where no two are equal, else the sides' aliases go on."""
        names = state.names()
        if unique_names(names) == names:
            self._renamed(state, names)

    def _told_apart(self, state: _State) -> None:
        """Gives columns of equal names names of their own, where a step takes away the aliases."""
        names = state.names()
        unique = unique_names(names)
        if unique == names:
            return
        items = [
            self._aliased(self.printer.column(column), name, column)
            for column, name in zip(state.columns, unique, strict=True)
        ]
        self._line(state, "SELECT", items)
        self._renamed(state, unique)

    def _joined(self, state: _State, operation: QueryOperation) -> _Right:
        """The right side of a join; both sides get aliases where their names meet."""
        plain = without_alias(operation)
        wanted = operation.name if isinstance(operation, n.SubqueryAlias) else None
        if isinstance(plain, n.CatalogSource):
            relation = self._source(plain)
            relation.wanted = wanted or relation.wanted
            relation.alias = self._free(relation.wanted)
            text = self._relation_text(relation, self.indent)
        else:
            names = unique_names(plain.schema.names)
            relation = Relation(wanted or "joined", names)
            relation.alias = self._free(relation.wanted)
            inner = _Pipe(self.outer, self.scopes[:1]).query(plain, names, self.indent + 2)
            pad = "\n" + " " * self.indent
            text = f"({pad}  {inner}{pad}) AS {identifier(relation.alias)}"
        self._meet(state, relation)
        self.scopes.append({relation.alias.lower()})
        columns: list[Column] = [SourceColumn(relation, name) for name in relation.columns]
        return _Right(text, relation, columns)

    def _meet(self, state: _State, relation: Relation) -> None:
        """Where a name is on both sides, both sides' columns of that name are qualified."""
        left = {name.lower() for name in state.names()}
        common = left & {name.lower() for name in relation.columns}
        if not common:
            return
        if not state.relation.alias:
            self._name(state)
        self._shadow(state, relation, common)

    def _shadow(self, state: _State, relation: Relation, common: set[str]) -> None:
        for each in (*state.relations, relation):
            each.shadowed |= common

    def lateral(self, state: _State, step: n.LateralJoin) -> None:
        self._name(state)
        env = self._env(state)
        names = unique_names(step.right.schema.names)
        relation = Relation("joined", names)
        relation.alias = self._free(relation.wanted)
        if _needs_blocks(step.right):
            block = Folder(env, _NoSteps()).fold(without_alias(step.right))
            visible = set().union(*self.scopes)
            inner = self._plain().lateral(visible, block, self.indent + 2, names)
        else:
            inner = _Pipe(env, self.scopes).query(step.right, names, self.indent + 2)
        self._meet(state, relation)
        pad = "\n" + " " * self.indent
        word = "JOIN" if step.kind is n.JoinKind.CROSS else step.kind.value
        head = f"|> {word} LATERAL ({pad}  {inner}{pad}) AS {identifier(relation.alias)}"
        columns: list[Column] = [SourceColumn(relation, name) for name in names]
        if step.condition is not None:
            both = self._env(state, [*state.columns, *columns])
            head += f" ON {self.printer.print(step.condition, both).render(self.indent)}"
        state.lines.append(head)
        self.scopes.append({relation.alias.lower()})
        state.columns = [*state.columns, *columns]
        state.relations = [*state.relations, relation]
        self._apart(state)

    def generate(self, state: _State, step: n.Generate) -> None:
        names = unique_names(step.names)
        wanted = names[0] if len(names) == 1 else step.call.function.name
        relation = Relation(wanted, names)
        self._name(state)
        relation.alias = self._free(wanted)
        made = step.call
        if step.outer:
            # Spark's LEFT JOIN LATERAL of a generator drops rows without a match all the same.
            outer = find_built_in(f"{made.function.name}_outer")
            made = made if outer is None else Call(outer, made.args, made.type)
        call = self.printer.print(made, self._env(state)).render(self.indent)
        shown = ", ".join(identifier(name) for name in names)
        self._word(state, f"JOIN LATERAL {call} AS {identifier(relation.alias)}({shown})")
        self._meet_quietly(state, relation)
        state.columns = [*state.columns, *[SourceColumn(relation, name) for name in names]]
        state.relations = [*state.relations, relation]
        self._apart(state)

    def _meet_quietly(self, state: _State, relation: Relation) -> None:
        common = {name.lower() for name in state.names()}
        common &= {name.lower() for name in relation.columns}
        self._shadow(state, relation, common)

    def pivot(self, state: _State, step: n.Pivot) -> None:
        exact = with_exact_input(step)
        assert isinstance(exact.child, n.Project)
        self._told_apart(state)
        self._select(state, exact.child.expressions, exact.child.schema.names)
        self._clause(state, exact, state.columns)

    def unpivot(self, state: _State, step: n.Unpivot) -> None:
        self._told_apart(state)
        plain = with_plain_value_name(step)
        self._clause(state, plain, state.columns)
        if plain is not step:
            self._select(state, step.schema.references, step.schema.names)

    def _clause(self, state: _State, step: Any, columns: Sequence[Any]) -> None:
        printer = QueryPrinter(Steps())
        printer.expressions = self.printer
        env = self._env(state, columns)
        self._word(state, CLAUSES[type(step)](FromPrinter(printer), step, env, self.indent))
        self._renamed(state, unique_names(step.schema.names))

    def time_window(self, state: _State, step: n.TimeWindow) -> None:
        if step.is_session:  # exists in groups only: the aggregate right above writes it out
            state.columns = [*state.columns, BoundColumn(step.call, self._env(state))]
            return
        self._told_apart(state)
        made = self.printer.print(step.call, self._env(state))
        self._line(state, "EXTEND", [pieces([made, f" AS {identifier(step.name)}"])])
        self._renamed(state, [*state.names(), step.name])

    def hint(self, state: _State, step: n.Hint) -> None:
        env = self._env(state)
        shown = [self.printer.print(item, env).render() for item in step.parameters]
        inside = f"{step.name}({', '.join(shown)})" if shown else step.name
        word = f"SELECT /*+ {inside} */"
        self._select(state, step.schema.references, step.schema.names, word)


def _chain(root: QueryOperation) -> list[QueryOperation]:
    """The operations along the first inputs, bottom-up, without the one it starts from."""
    chain: list[QueryOperation] = []
    while root.input_fields:
        chain.append(root)
        root = root.inputs()[0]
    return chain[::-1]


def _with_joined_filters(chain: Sequence[QueryOperation]) -> Iterator[QueryOperation]:
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


def _filters_again(root: QueryOperation) -> bool:
    """Whether other steps stand between a correlated filter and a filter above it."""
    correlated = between = False
    for step in _chain(root):
        if type(step) is not n.Filter:
            between = correlated
        elif between:
            return True
        else:
            correlated = correlated or refers_outside(step.condition)
    return False


def _refuse_long(chain: Sequence[QueryOperation]) -> None:
    """Pipes of so many steps that Spark's analyzer would give up on them."""
    computed = sum(isinstance(step, _COMPUTING) for step in chain)
    if computed > _MOST_COMPUTING or len(chain) > _MOST_STEPS:
        raise NotSerializableError(
            f"a pipe of {len(chain)} steps, {computed} of which make columns, is longer than Spark "
            f"analyzes ({_MOST_STEPS} and {_MOST_COMPUTING})",
            hint='use the readable style, which folds steps: to_sql("readable")',
        )


class _Right:
    """The right side of a join as text, with its columns."""

    def __init__(self, text: str, relation: Relation, columns: list[Column]) -> None:
        self.text = text
        self.relation = relation
        self.columns = columns


def _references(expression: Any) -> list[FieldReference]:
    nodes = preorder(expression, skip=_is_operation)
    return [node for node in nodes if isinstance(node, FieldReference)]


def _is_operation(node: Node) -> bool:
    return isinstance(node, QueryOperation)


_HANDLERS: dict[type[QueryOperation], Callable[[_Pipe, _State, Any], None]] = {
    n.Project: _Pipe.project,
    n.WithColumns: _Pipe.with_columns,
    n.Filter: _Pipe.filter,
    n.Aggregate: _Pipe.aggregate,
    n.Distinct: _Pipe.distinct,
    n.Join: _Pipe.join,
    n.LateralJoin: _Pipe.lateral,
    n.SetOperation: _Pipe.set_operation,
    n.Sort: _Pipe.sort,
    n.Limit: _Pipe.limit,
    n.Offset: _Pipe.offset,
    n.Sample: _Pipe.sample,
    n.SubqueryAlias: _Pipe.alias,
    n.Generate: _Pipe.generate,
    n.Pivot: _Pipe.pivot,
    n.Unpivot: _Pipe.unpivot,
    n.TimeWindow: _Pipe.time_window,
    n.Hint: _Pipe.hint,
}
