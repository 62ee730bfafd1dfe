"""Clauses that SELECT blocks and pipe operators have in common, broken where they are too long."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from viewscribe.expressions.functions.syntax import Binding
from viewscribe.expressions.nodes import FieldReference, Literal, strip_alias
from viewscribe.operations import nodes as n
from viewscribe.operations.nodes import Grouping, Sample
from viewscribe.serializer.blocks import (
    Block,
    Env,
    FromItem,
    GeneratedRows,
    JoinItem,
    LateralViewItem,
    Naming,
    PivotItem,
    ProcessedRows,
    RecursiveRows,
    Relation,
    RelationItem,
    RowsOfCtes,
    SourceColumn,
    comment_behind,
    outer_call,
    unique_names,
)
from viewscribe.serializer.expressions import connected_list
from viewscribe.serializer.literals import (
    WIDTH,
    Fragment,
    follow,
    identifier,
    parenthesize,
    pieces,
    print_any,
    print_call,
    print_connected,
    print_list,
    print_literal,
)
from viewscribe.types import STRING, StringType
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.serializer.queries import QueryPrinter


def flat_conditions(terms: Sequence[Fragment]) -> str | None:
    """``a AND b`` on one line, or None where it cannot be."""
    if len(terms) == 1:
        return terms[0].text
    return print_connected("AND", _all_guarded(terms), Binding.AND).text


def conditions(word: str, terms: Sequence[Fragment], indent: int) -> str:
    """``WHERE a AND b``: a term a line where there are several, the ANDs indented."""
    taken = len(word) - 1
    first, *rest = _all_guarded(terms)
    if not rest:
        # A query brings its own indentation; the lines of an OR do not.
        deeper = 0 if first.text is None and first.binding > Binding.AND else 2
        return f"{word} {first.render(indent + deeper, taken)}"
    lead = "\n" + " " * (indent + 2) + "AND "
    shown = [first.render(indent + 2, taken)]
    shown += [term.render(indent + 2, 4) for term in rest]
    return f"{word} {lead.join(shown)}"


def join_condition(head: str, terms: Sequence[Fragment], indent: int) -> str:
    """``JOIN t ON a AND b``: the ON on a line of its own, and a term a line, where it is long."""
    flat = flat_conditions(terms)
    if flat is not None and "\n" not in head and indent + len(head) + len(flat) + 4 <= WIDTH:
        return f"{head} ON {flat}"
    pad = "\n" + " " * (indent + 2)
    shown = [term.render(indent + 2, 4) for term in _all_guarded(terms)]
    return f"{head}{pad}ON " + f"{pad}AND ".join(shown)


def _all_guarded(terms: Sequence[Fragment]) -> Sequence[Fragment]:
    """The terms as AND takes them: an OR among several is between parentheses."""
    if len(terms) == 1:
        return terms
    # Not through guarded(): a filter may have thousands of terms.
    return [term if term.binding > Binding.AND else parenthesize(term) for term in terms]


def guard(term: Fragment) -> Fragment:
    """The term as one of several that are joined by AND."""
    return term if term.binding > Binding.AND else parenthesize(term)


def group_by(
    grouping: Grouping, keys: Sequence[Fragment], sets: Sequence[Sequence[int]]
) -> Fragment:
    """``GROUP BY a, b``, with ROLLUP, CUBE or GROUPING SETS around the keys where there are.

    Keys that no set has, or has in another order, stand before the sets: the first would be no
    keys otherwise, and ``grouping_id()`` another number.
    """
    if grouping is Grouping.SIMPLE:
        once = {key.text or place: key for place, key in enumerate(keys)}
        return connected_list("GROUP BY ", list(once.values()))
    if grouping is not Grouping.SETS:
        return print_call(f"GROUP BY {grouping.value.upper()} (", keys)
    tuples = [print_call("(", [keys[place] for place in places]) for places in sets]
    if list(dict.fromkeys(place for places in sets for place in places)) == [*range(len(keys))]:
        return print_call("GROUP BY GROUPING SETS (", tuples)
    return pieces([connected_list("GROUP BY ", keys), " ", print_call("GROUPING SETS (", tuples)])


def sample_clause(step: Sample) -> str:
    """``TABLESAMPLE (10 PERCENT) REPEATABLE (3)``: every digit, for each decides about a row."""
    percent = f"{Decimal(repr(step.percent)):f}"
    if "." in percent:
        percent = percent.rstrip("0").rstrip(".")
    seed = "" if step.seed is None else f" REPEATABLE ({step.seed})"
    return f"TABLESAMPLE ({percent} PERCENT){seed}"


# The FROM clause: tables, derived tables, joins, lateral views, pivots.

_DEEPEST_INDENT = 24
_FROM = "FROM "

_INNER, _CROSS = n.JoinKind.INNER, n.JoinKind.CROSS


def lateral_call(call: str, alias: str, kept: bool) -> str:
    """A function that is a table joined to each row; ``kept`` are rows without a match."""
    return (
        f"LEFT JOIN LATERAL {call} AS {alias} ON TRUE"
        if kept
        else f"JOIN LATERAL {call} AS {alias}"
    )


def place_pivot(block: Block) -> None:
    """Says how a PIVOT in the block's FROM gets its alias where none can follow it.

    It needs none where its columns are all that is called, by their bare names.
    """
    item = block.from_
    while isinstance(item, JoinItem | LateralViewItem):
        item = item.left if isinstance(item, JoinItem) else item.base
    if type(item) is not PivotItem or type(item.clause[0]) is not n.Pivot:
        return
    bare = (
        block.plain
        and len(block.relations) == 1
        and not item.relation.shadowed
        and not (block.where or block.group or block.having or block.qualify)
        and all(type(key.child) is FieldReference for key, _ in block.order)
    )
    item.naming = Naming.NONE if bare else Naming.SELECT


def _commas(links: Sequence[FromItem]) -> set[int]:
    """The places of the joins that ``FROM a, b`` says: all of them when nothing else follows.

    A comma binds less than JOIN: in ``a, b JOIN c ON …`` the condition would not see ``a``.

    Args:
        links: the joins and lateral views, the last one first.
    """
    found: set[int] = set()
    for place, link in enumerate(links):
        if isinstance(link, JoinItem):
            if link.conditions or link.lateral or link.kind is not _INNER:
                break
            found.add(place)
        elif not isinstance(link, LateralViewItem) or link.joined or found:
            break  # a lateral view stands after all tables
    return found


def _fits(before: str, right: str, indent: int) -> bool:
    """Whether a relation has room on the line that ends with the one before it."""
    flat = "\n" not in before and "\n" not in right
    return flat and len(_FROM) + indent + len(before) + len(right) + 2 <= WIDTH


class FromPrinter:
    """Prints FROM items for a query printer; ``outer`` is what the query around has."""

    __slots__ = ("outer", "queries")

    def __init__(self, queries: QueryPrinter) -> None:
        self.queries = queries
        self.outer: Env | None = None

    def print_within(self, outer: Env | None, item: FromItem, indent: int) -> str:
        """The item of a query that stands within another."""
        around, self.outer = self.outer, outer
        text = self.print(item, indent)
        self.outer = around
        return text

    def print(self, item: FromItem, indent: int) -> str:
        """The item, its further lines indented; chains of joins without recursion."""
        if type(item) is RelationItem:
            return self.relation(item.relation, indent) + comment_behind(item)
        links: list[FromItem] = []
        while True:
            if type(item) is JoinItem:
                links.append(item)
                item = item.left
            elif type(item) is LateralViewItem:
                links.append(item)
                item = item.base
            else:
                break
        last, note = self._start(item, indent), comment_behind(item)
        lines: list[str] = []
        commas = _commas(links)
        for place, link in reversed([*enumerate(links)]):
            if place in commas:
                assert type(link) is JoinItem
                right = self._start(link.right, indent)
                if not note and _fits(last, right, indent):
                    last, note = f"{last}, {right}", comment_behind(link)
                    continue
                lines.append(f"{last},{note}")
                last = f"  {self._start(link.right, indent + 2)}"
            else:
                lines.append(last + note)
                last = (
                    self._join(link, indent)
                    if type(link) is JoinItem
                    else self._lateral_view(link, indent)
                )
            note = comment_behind(link)
        return ("\n" + " " * indent).join([*lines, last + note])

    def _start(self, item: FromItem, indent: int) -> str:
        if type(item) is RelationItem:
            return self.relation(item.relation, indent)
        assert isinstance(item, PivotItem)
        return self._print_pivot(item, indent)

    def relation(self, relation: Relation, indent: int) -> str:
        """A relation with its sample and, where it is not its own name, its alias."""
        sample = f" {relation.sample}" if relation.sample else ""
        if relation.path is not None:
            text = ".".join(map(identifier, relation.path))
            if relation.as_of is not None:
                text += f" {relation.as_of}"
            if relation.alias == relation.path[-1]:
                return text + sample
            return f"{text}{sample} AS {identifier(relation.alias)}"
        if isinstance(relation.source, n.Values):
            return self._values(relation, relation.source, indent, sample)
        if isinstance(relation.source, n.TableFunction):
            return self._table_function(relation, relation.source, indent, sample)
        if isinstance(relation.source, GeneratedRows):
            return self._generate(relation, relation.source, indent, sample)
        if isinstance(relation.source, RecursiveRows):
            text = self._recursive(relation.source, relation.columns, indent)
            return f"{text}{sample} AS {identifier(relation.alias)}"
        if isinstance(relation.source, RowsOfCtes):
            pad, start = "\n" + " " * indent, "\n" + " " * (indent + 2)
            text = self.queries.with_ctes(relation.source, indent + 2, relation.columns)
            return f"({start}{text}{pad}){sample} AS {identifier(relation.alias)}"
        if isinstance(relation.source, ProcessedRows):
            return self._print_process(relation, relation.source, indent, sample)
        pad = "\n" + " " * indent
        # Dozens of levels come from very long pipelines: indenting them all would make most of
        # the text blanks, and the text grow with the square of the steps.
        deeper = indent + 2 if indent < _DEEPEST_INDENT else indent
        inner = self._derive(relation, deeper)
        relation.length = len(inner)
        start = "\n" + " " * deeper
        return f"({start}{inner}{pad}){sample} AS {identifier(relation.alias)}"

    def _derive(self, relation: Relation, indent: int) -> str:
        source = relation.source
        if isinstance(source, n.SqlText):
            # The user's text is not re-indented: a line break may lie within a literal.
            return source.text if "--" not in source.text else source.text + "\n"
        assert isinstance(source, Block)
        return self.queries.query(source, indent, relation.columns)

    def _values(self, relation: Relation, values: n.Values, indent: int, sample: str) -> str:
        if not values.values:
            return self._no_rows(relation, values, sample)
        width = max(len(values.fields), 1)
        printer, env = self.queries.expressions, Env([])
        pad = "\n" + " " * (indent + 2)
        rows = []
        for start in range(0, len(values.values), width):
            cells = [printer.print(cell, env) for cell in values.values[start : start + width]]
            rows.append(f"({', '.join(cell.render(indent + 4) for cell in cells)})")
        names = ", ".join(identifier(name) for name in relation.columns)
        listed = ",".join(pad + row for row in rows)
        alias = f"{identifier(relation.alias)}({names})"
        if not sample:
            return f"VALUES{listed} AS {alias}"
        end = "\n" + " " * indent
        return f"(VALUES{listed}{end} AS {alias}){sample} AS {identifier(relation.alias)}"

    def _no_rows(self, relation: Relation, values: n.Values, sample: str) -> str:
        """VALUES has at least one row, so it is one that is left out again."""
        columns = []
        for field, name in zip(values.fields, relation.columns, strict=True):
            columns.append(f"{print_any(field.type).render()} AS {identifier(name)}")
        query = f"SELECT {', '.join(columns)} WHERE FALSE"
        return f"({query}){sample} AS {identifier(relation.alias)}"

    def _table_function(
        self, relation: Relation, source: n.TableFunction, indent: int, sample: str
    ) -> str:
        printer, env = self.queries.expressions, Env([], self.outer)
        args = ", ".join(printer.print(each, env).render(indent) for each in source.args)
        # Spark gives the columns no table to be qualified with but an alias.
        alias = f"AS {identifier(relation.alias)}"
        text = f"{source.function.table_name}({args}) {alias}"
        return f"({text}){sample} {alias}" if sample else text

    def _print_process(
        self, relation: Relation, source: ProcessedRows, indent: int, sample: str
    ) -> str:
        from viewscribe.serializer.process import process_call

        names = unique_names(source.block.names)
        inner = self.queries.query(source.block, indent + 4, names) if source.call.tables else ""
        env = Env([SourceColumn(Relation("", names), name) for name in names])
        text = process_call(source.call, inner, self.queries.expressions, env, indent)
        alias = f"AS {identifier(relation.alias)}"
        return f"({text} {alias}){sample} {alias}" if sample else f"{text} {alias}"

    def _recursive(self, source: RecursiveRows, columns: Sequence[str], indent: int) -> str:
        """A recursive query with its WITH, in parentheses."""
        pad, name = "\n" + " " * indent, identifier(source.name)
        level = "" if source.max_level is None else f" MAX RECURSION LEVEL {source.max_level}"
        before, self.queries.scopes = self.queries.scopes, []
        inner = self.queries.query(source.block, indent + 4, columns)
        self.queries.scopes = before
        shown = f",{pad}    ".join(map(identifier, columns))
        return (
            f"({pad}  WITH RECURSIVE {name}{level} AS ({pad}    {inner}{pad}  )"
            f"{pad}  SELECT{pad}    {shown}{pad}  FROM {name}{pad})"
        )

    def _generate(self, relation: Relation, source: GeneratedRows, indent: int, sample: str) -> str:
        call = self.queries.expressions.print(source.call, source.env).render(indent, 30)
        names = ", ".join(identifier(name) for name in relation.columns)
        text = f"{call} AS {identifier(relation.alias)}({names})"
        return f"({text}){sample} AS {identifier(relation.alias)}" if sample else text

    def _join(self, join: JoinItem, indent: int) -> str:
        right = self._right(join, indent)
        if not join.conditions:
            return self._unconditional(join, right)
        word = "JOIN" if join.kind is _CROSS else join.kind.words
        printer = self.queries.expressions
        before, printer.qualified = printer.qualified, True  # which side is which is to be seen
        terms = self.queries.terms(join.conditions)
        printer.qualified = before
        return join_condition(f"{word} {right}", terms, indent)

    def _unconditional(self, join: JoinItem, right: str) -> str:
        if join.kind is _INNER:
            return f"JOIN {right}"
        needed = not join.lateral and join.kind is not _CROSS
        return f"{join.kind.words} {right}{' ON TRUE' if needed else ''}"

    def _right(self, join: JoinItem, indent: int) -> str:
        if not join.lateral:
            return self._start(join.right, indent)
        assert isinstance(join.right, RelationItem)
        relation = join.right.relation
        assert isinstance(relation.source, Block)
        visible = set().union(*self.queries.scopes)
        pad = "\n" + " " * indent
        inner = self.queries.lateral(visible, relation.source, indent + 2, relation.columns)
        return f"LATERAL ({pad}  {inner}{pad}) AS {identifier(relation.alias)}"

    def _lateral_view(self, view: FromItem, indent: int) -> str:
        assert type(view) is LateralViewItem
        names = ", ".join(identifier(name) for name in view.relation.columns)
        alias = identifier(view.relation.alias)
        made, kept = outer_call(view.call) if view.joined and view.outer else (view.call, False)
        if view.joined:
            call = self.queries.expressions.lateral(made, view.env).render(indent, 30)
            return lateral_call(call, f"{alias}({names})", kept)
        call = self.queries.expressions.print(made, view.env).render(indent, 30)
        word = "LATERAL VIEW OUTER" if view.outer else "LATERAL VIEW"
        return f"{word} {call} {alias} AS {names}"

    def _print_pivot(self, item: PivotItem, indent: int) -> str:
        alias = f" AS {identifier(item.relation.alias)}"
        if item.naming is not Naming.SELECT:
            return self._clause(item, indent) + alias * (item.naming is Naming.ALIAS)
        pad = "\n" + " " * (indent + 2)
        columns = ",".join(f"{pad}  {identifier(name)}" for name in item.relation.columns)
        inner = f"SELECT{columns}{pad}FROM {self._clause(item, indent + 2)}"
        return f"({pad}{inner}\n{' ' * indent}){alias}"

    def _clause(self, item: PivotItem, indent: int) -> str:
        """The derived table and what turns it."""
        operation, env = item.clause
        pad = "\n" + " " * indent
        inner = self.queries.query(item.source, indent + 2, unique_names(item.source.names))
        clause = CLAUSES[type(operation)](self, operation, env, indent)
        return f"({pad}  {inner}{pad}){pad}{clause}"

    def _pivot_clause(self, operation: n.Pivot, env: Env, indent: int) -> str:
        printer = self.queries.expressions
        pad = "\n" + " " * (indent + 2)
        aggregates = [
            f"{printer.print(strip_alias(aggregate), env).render(indent + 4)} "
            f"AS {identifier(n.output_name(aggregate))}"
            for aggregate in operation.aggregates
        ]
        column = printer.print(operation.column, env).render()
        values = [
            follow(print_literal(_without_collation(value)), f" AS {identifier(name)}")
            for value, name in zip(operation.values, operation.value_names, strict=True)
        ]
        chosen = print_list(f"FOR {column} IN", values, Binding.PREDICATE).render(indent + 2)
        shown = ("," + pad).join(aggregates)
        return f"PIVOT ({pad}{shown}{pad}{chosen}\n{' ' * indent})"

    def _unpivot_clause(self, operation: n.Unpivot, env: Env, indent: int) -> str:
        printer = self.queries.expressions
        pad = "\n" + " " * (indent + 2)
        columns = []
        for column, label in zip(operation.columns, operation.labels, strict=True):
            made = printer.print(column, env)
            named = made.text == label
            columns.append(made if named else follow(made, f" AS {identifier(label)}"))
        nulls = " INCLUDE NULLS" if operation.include_nulls else ""
        value, name = identifier(operation.value_column), identifier(operation.name_column)
        chosen = print_list(f"{value} FOR {name} IN", columns, Binding.PREDICATE).render(indent + 2)
        return f"UNPIVOT{nulls} ({pad}{chosen}\n{' ' * indent})"


CLAUSES: dict[type, Any] = {
    n.Pivot: FromPrinter._pivot_clause,
    n.Unpivot: FromPrinter._unpivot_clause,
}


def _without_collation(value: Literal) -> Literal:
    """A value of a pivot, which has the collation of the column whatever it says itself."""
    if isinstance(value.type, StringType) and value.type.collation != DEFAULT_COLLATION:
        return Literal(value.value, STRING.with_nullability(value.type.nullable))
    return value
