"""Blocks as text: clauses in order, a clause a line, names given to relations top-down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, FieldReference, ResolvedExpression, SortOrder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause
from viewscribe.serializer.blocks import (
    UNSEEN,
    Block,
    BoundColumn,
    Column,
    Condition,
    Env,
    Relation,
    RowsOfCtes,
    SetBody,
    SourceColumn,
    comment,
    comment_at,
    free_name,
    is_only_called,
    origins_of_column,
    origins_of_condition,
    origins_within,
    sees_outside,
    source_of,
    unique_names,
    with_comment,
)
from viewscribe.serializer.clauses import FromPrinter, conditions, group_by, guard, place_pivot
from viewscribe.serializer.expressions import (
    ExpressionPrinter,
    connected_list,
    no_ordinal,
    sort_fragment,
)
from viewscribe.serializer.features import features_of
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.literals import Fragment, identifier
from viewscribe.serializer.sharing import without_alias
from viewscribe.serializer.targets import NEWEST, Target
from viewscribe.serializer.windows import share_in_block
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES

_FLAT_BRANCHES = 64
_STAR_FROM = 24


class QueryPrinter:
    """Prints the blocks of one statement."""

    __slots__ = (
        "expressions",
        "flat",
        "from_items",
        "inner_names",
        "scopes",
        "shown",
        "steps",
        "target",
    )

    def __init__(self, steps: Steps, *, flat: bool = True, target: Target = NEWEST) -> None:
        self.steps = steps
        self.flat = flat
        self.target = target
        self.expressions = ExpressionPrinter(self.subquery)
        self.scopes: list[set[str]] = []
        self.shown: dict[str | None, str] = {}
        self.inner_names: set[str] = set()
        self.from_items = FromPrinter(self)

    def subquery(
        self, operation: Any, env: Env, only_existence: bool = False
    ) -> Callable[[int], str]:
        """The query of a sub-query expression, as a layout.

        ``only_existence``: nobody looks at its columns.
        """
        folder = Folder(env, self.steps, flat=self.flat, target=self.target)
        block = folder.fold(without_alias(operation))
        if only_existence:
            select_one(block)
        visible = set().union(*self.scopes) if sees_outside(operation, env) else set()
        return lambda indent: self.within(visible, block, indent)

    def within(self, visible: set[str], block: Block, indent: int) -> str:
        """The block as a query that can see relations of these names around it."""
        before, depth = self.scopes, self.expressions.depth
        qualified, parameters = self.expressions.qualified, self.expressions.parameters
        self.scopes = [visible]
        self.expressions.depth = 0
        self.expressions.qualified, self.expressions.parameters = False, {}
        with self.expressions.limits.inside_query():
            text = self.query(block, indent, None)
        self.scopes, self.expressions.depth = before, depth
        self.expressions.qualified, self.expressions.parameters = qualified, parameters
        return text

    def statement(self, block: Block, names: Sequence[str]) -> str:
        """The whole statement, after which this printer prints nothing more."""
        try:
            return self._under_steps(self.query(block, 0, names))
        finally:
            self._end()

    def expression(self, expression: ResolvedExpression, env: Env) -> str:
        """An expression alone, after which this printer prints nothing more."""
        try:
            return self.expressions.print(expression, env).render()
        finally:
            self._end()

    def _end(self) -> None:
        """Lets go of what refers to it, which else only Python's cycle collector would find."""
        del self.expressions, self.from_items

    def _under_steps(self, main: str) -> str:
        """The query under the CTEs it reads."""
        steps = self.steps
        if not steps.blocks:
            return main
        # Printing a step may find sub-queries that add steps; those are printed, and placed, after.
        printed = steps.texts
        while len(printed) < len(steps.blocks):
            for name, inner in list(steps.blocks.items()):
                if name not in printed:
                    steps.reader = name  # what it reads while being printed must come before it
                    printed[name] = self.step(name, inner)
        shown = [printed[name] for name in steps.ordered()]
        return f"WITH {', '.join(shown)}\n{main}"

    def step(self, name: str, block: Block) -> str:
        """A CTE: ``name AS (…)``."""
        inner = self.query(block, 2, unique_names(block.names))
        return f"{identifier(name)} AS (\n  {inner}\n)"

    def lateral(self, visible: set[str], block: Block, indent: int, names: Sequence[str]) -> str:
        """The block as the right side of a lateral join, which sees the relations before it."""
        before = self.scopes
        self.scopes = [visible]
        text = self.query(block, indent, names)
        self.scopes = before
        return text

    def query(self, block: Block, indent: int, names: Sequence[str] | None) -> str:
        """The block at an indentation (of all lines but the first).

        Args:
            block: what to print.
            indent: spaces before each line after the first.
            names: the names of the output columns; None where nobody will ask for them.
        """
        if not block.columns:  # a side of a join of which nothing is asked but how many rows
            select_one(block)
            names = None
        if names is None and block.order and _calls_columns(block):
            names = unique_names(block.names)
        if block.body is not None:
            return self._set_operation(block, block.body, indent, names)
        text = self._alone(block, indent, names)
        if text is not None:
            return text
        aliases = self._name_relations(block)
        self.scopes.append(aliases)
        self._shadow(block, names)
        if block.order or block.qualify:
            self._tell_from_functions(block, names)
            self._tell_from_outputs(block, names, aliases)
        if not self.target.has_pivot_alias:
            place_pivot(block)
        printer = self.expressions
        around, printer.relations = (printer.relations, printer.keys), block.relations
        if block.group is not None:
            printer.keys |= {id(key) for key, _ in block.group.keys}
        items: list[Fragment] = []
        passed = self._count_star(block, names) if len(block.columns) > _STAR_FROM else 0
        for column in block.columns[passed:] if passed else block.columns:
            items.append(printer.column(column))  # a comprehension would cost a frame
        kept = self._qualify_terms(block, names) if block.qualify else []
        windows = None
        if printer.windows:
            qualify = partial(self._qualify_terms, block, names)
            items, kept, windows = share_in_block(printer, block, items, kept, qualify)
        pad = "\n" + " " * indent
        # Whether Spark would take `x IN (SELECT 'a')` for a literal of a type `SELECT`.
        if (
            names is None
            and block.from_ is None
            and (bool(items) and items[0].render(0).startswith("'"))
        ):
            names = unique_names(block.names)
        clauses = [self._select(block, items, indent, names)]
        if block.from_ is not None:
            clauses.append("FROM " + self.from_items.print_within(block.outer, block.from_, indent))
        if block.where:
            clauses.append(self.conditions("WHERE", block.where, indent))
        if block.group is not None and block.group.keys:
            clauses.append(self._group_by(block, indent))
        if block.having:
            clauses.append(self.conditions("HAVING", block.having, indent))
        if windows is not None:
            clauses.append(windows.render(indent))
        if kept:
            clauses.append(conditions("QUALIFY", kept, indent))
        if block.order and block.group is not None and names is not None:
            self.shown = _named_items(block, items, names)
        clauses += self._tail(block, indent, names)
        self.shown = {}
        self.scopes.pop()
        printer.relations, printer.keys = around
        return pad.join(clauses)

    def with_ctes(self, rows: RowsOfCtes, indent: int, names: Sequence[str]) -> str:
        """A query with a WITH of its own, which sees nothing around it."""
        pad, scopes, steps = "\n" + " " * indent, self.scopes, self.steps
        self.scopes, self.steps = [], rows.steps
        shown = [
            f"{identifier(name)} AS ({pad}  "
            f"{self.query(block, indent + 2, unique_names(block.names))}{pad})"
            for name, block in rows.ctes
        ]
        main = self.query(rows.block, indent, names)
        self.scopes, self.steps = scopes, steps
        return f"WITH {', '.join(shown)}{pad}{main}"

    def _alone(self, block: Block, indent: int, names: Sequence[str] | None) -> str | None:
        """A query of which a block says all that it does."""
        source = block.relations[0].source if block.relations else None
        if type(source) is n.SqlText:
            return self._text_alone(block, names)
        if type(source) is not RowsOfCtes or not block.bare or len(block.relations) != 1:
            return None
        whole = [c.name if isinstance(c, SourceColumn) else None for c in block.columns]
        relation = block.relations[0]
        if whole != list(relation.columns) or relation.sample:
            return None
        return self.with_ctes(source, indent, relation.columns if names is None else names)

    def _text_alone(self, block: Block, names: Sequence[str] | None) -> str | None:
        """The user's own SQL, where the block adds nothing to it."""
        if len(block.relations) != 1:
            return None
        relation = block.relations[0]
        if type(relation.source) is not n.SqlText or not block.bare:
            return None
        whole = [c.name if isinstance(c, SourceColumn) else None for c in block.columns]
        if whole != list(relation.columns):
            return None
        if names is not None and list(names) != list(relation.source.schema.names):
            return None
        return relation.source.text if not relation.sample else None

    def _name_relations(self, block: Block) -> set[str]:
        """Gives every relation of the block an alias of its own; says which names need it."""
        taken = self.inner_names.union(*self.scopes)
        mine: set[str] = set()
        relations = block.relations
        tried: dict[str, tuple[str, int]] = {}
        for relation in relations:
            relation.alias = name = free_name(relation.wanted or "rows", taken, tried)
            mine.add(name.lower())
            taken.add(name.lower())
        if len(relations) > 1:
            self._shadow_common(relations)
        return mine

    def _shadow_common(self, relations: Sequence[Relation]) -> None:
        """Columns that two relations share must be qualified, and what tables have unseen."""
        seen: set[str] = set()
        common: set[str] = set()
        for relation in relations:
            names = {name.lower() for name in relation.columns}
            common |= seen & names
            seen |= names
        common |= seen & UNSEEN
        for relation in relations:
            relation.shadowed |= common

    def _shadow(self, block: Block, names: Sequence[str] | None) -> None:
        """An output name hides a column of FROM in the clauses that see both."""
        grouped = block.group is not None and block.group.keys
        if names is None or not (block.order or block.having or block.qualify or grouped):
            return
        hiding = {
            name.lower()
            for name, column in zip(names, block.columns, strict=True)
            if not (
                type(column) is SourceColumn
                and (column.name == name or column.name.lower() == name.lower())
            )
        }
        if not hiding:
            return
        for relation in block.relations:
            relation.shadowed |= hiding.intersection(map(str.lower, relation.columns))

    def _tell_from_functions(self, block: Block, names: Sequence[str] | None) -> None:
        """Columns that are not shown are called with their table where a function has their name.

        In ORDER BY and QUALIFY, Spark takes ``user`` for a column of SELECT, then for the function,
        and only then for a column of FROM.
        """
        shown = names or [c.name if isinstance(c, SourceColumn) else "" for c in block.columns]
        hidden = CALLED_WITHOUT_PARENTHESES.difference(map(str.lower, shown))
        for relation in block.relations:
            relation.shadowed |= hidden.intersection(map(str.lower, relation.columns))

    def _tell_from_outputs(
        self, block: Block, names: Sequence[str] | None, aliases: set[str]
    ) -> None:
        """Calls a relation otherwise where a clause would take its name for a column of SELECT.

        In ORDER BY ``t.id`` is the field ``id`` of an output column ``t`` before it is a column of
        a table ``t``. QUALIFY beside windows that are shown sees columns that these take, too. Only
        columns of names that hide each other are written so.
        """
        qualified = bool(block.qualify) and block.has_windows()
        if not (block.order or qualified):
            return
        columns = block.columns
        shown = names or [c.name if isinstance(c, SourceColumn) else "" for c in columns]
        outputs = {name.lower() for name in shown}
        if qualified:
            outputs.update(name.lower() for each in block.relations for name in each.columns)
        for relation in block.relations:
            if relation.shadowed and relation.alias.lower() in outputs:
                aliases.discard(relation.alias.lower())
                taken = outputs.union(aliases, self.inner_names, *self.scopes)
                relation.alias = free_name(relation.alias, taken)
                aliases.add(relation.alias.lower())

    def _select(
        self, block: Block, items: Sequence[Fragment], indent: int, names: Sequence[str] | None
    ) -> str:
        """SELECT; ``items`` are the last columns, and ``*`` stands for those before them."""
        pad = "\n" + " " * (indent + 2)
        head = "SELECT"
        if block.hints:
            head += f" /*+ {', '.join(self._hint(hint) for hint in block.hints)} */"
        if block.distinct:
            head += " DISTINCT"
        columns = block.columns
        place = len(columns) - len(items)
        shown = ["*"] if place else []
        for item in items:
            name = None if names is None else names[place]
            column = columns[place]
            place += 1
            if name is None or (type(column) is SourceColumn and column.name == name):
                shown.append(item.render(indent + 2, 1))
            else:
                tail = f" AS {identifier(name)}"
                shown.append(item.render(indent + 2, len(tail) + 1) + tail)
        return self._listing(block, head, shown, pad)

    def _listing(self, block: Block, head: str, shown: Sequence[str], pad: str) -> str:
        """SELECT and its items; of those before the last columns there may be a ``*``."""
        if self.steps.notes is None:
            return head + pad + ("," + pad).join(shown)
        columns = block.columns[len(block.columns) - len(shown) + (shown[0] == "*") :]
        behind = [comment(origins_of_column(column)) for column in columns]
        if len(behind) < len(shown):
            behind.insert(0, "")
        lines = [head + comment_at(block, Clause.SELECT)]
        lines += [f"{item},{end}" for item, end in zip(shown, behind, strict=True)]
        lines[-1] = shown[-1] + behind[-1]
        return pad.join(lines)

    def _count_star(self, block: Block, names: Sequence[str] | None) -> int:
        """How many columns ``*`` stands for: all of one derived table, where they are many.

        Only a derived table, whose columns are all written out, may be read so: never a table.
        """
        if names is None or len(block.relations) != 1 or block.group is not None:
            return 0
        relation = block.relations[0]
        count = len(relation.columns)
        if count < _STAR_FROM or not isinstance(relation.source, Block) or relation.sample:
            return 0
        if len(block.columns) <= count:
            return 0
        wanted = list(relation.columns)
        read = [type(each) is SourceColumn and each.name for each in block.columns[:count]]
        return count if read == wanted and list(names[:count]) == wanted else 0

    def _hint(self, hint: tuple[str, Any, Env]) -> str:
        name, parameters, env = hint
        if not parameters:
            return name
        shown = []
        for parameter in parameters:
            if isinstance(parameter, ResolvedExpression):
                shown.append(self.expressions.print(parameter, env).render())
            else:
                shown.append(identifier(parameter.relation.alias))
        return f"{name}({', '.join(shown)})"

    def conditions(self, word: str, bounds: Sequence[Condition], indent: int) -> str:
        """``WHERE a AND b``: a term a line where there are several."""
        return conditions(word, self.noted_terms(bounds), indent)

    def terms(self, bounds: Sequence[Condition]) -> list[Fragment]:
        """The conditions and the terms of those that are ANDs, as fragments; a key stays whole."""
        printed, keys = self.expressions.print, self.expressions.keys
        found = []
        for bound in bounds:
            condition, env = self.expressions.behind(bound.expression, bound.env)
            is_and = type(condition) is Call and condition.function is op.AND
            if is_and and id(condition) not in keys:
                for term in condition.args:
                    found.append(printed(term, env))
            else:
                found.append(printed(condition, env))
        return found

    def noted_terms(self, bounds: Sequence[Condition]) -> list[Fragment]:
        """As ``terms``, each with the comment of its condition behind it."""
        if self.steps.notes is None:
            return self.terms(bounds)
        printed = [(bound, self.terms([bound])) for bound in bounds]
        several = sum(len(terms) for _, terms in printed) > 1
        found: list[Fragment] = []
        for bound, terms in printed:
            behind = comment(origins_of_condition(bound))
            # Parentheses come before the comment, which would hide the closing one.
            found += [with_comment(guard(term) if several else term, behind) for term in terms]
        return found

    def _qualify_terms(self, block: Block, names: Sequence[str] | None) -> list[Fragment]:
        """QUALIFY calls a window function by its name in SELECT, where it has one there."""
        inside = {name.lower() for relation in block.relations for name in relation.columns}
        called: dict[int, Fragment] = {}
        counts = Counter(map(str.lower, names or ()))
        for place, column in enumerate(block.columns if names is not None else ()):
            name = names[place]  # type: ignore[index]
            window = isinstance(column, BoundColumn) and column.features.window
            if window and name.lower() not in inside and counts[name.lower()] == 1:
                called[id(column)] = Fragment(identifier(name))
        self.expressions.called = called
        terms = self.noted_terms(block.qualify)
        self.expressions.called = {}
        return terms

    def _group_by(self, block: Block, indent: int) -> str:
        group = block.group
        assert group is not None
        keys = [self.expressions.print(key, env) for key, env in group.keys]
        if group.grouping is n.Grouping.SIMPLE and len(keys) > 1:
            keys = list({key.render(0): key for key in keys}.values())
        shown = group_by(group.grouping, keys, group.sets).render(indent)
        if self.steps.notes is None:
            return shown
        inside = [text for key in group.keys for text in origins_within(*key)]
        own = block.origins.get(Clause.GROUP_BY, ()) if block.origins else ()
        return shown + comment([*inside, *own])

    def _tail(self, block: Block, indent: int, names: Sequence[str] | None) -> list[str]:
        clauses = []
        if block.order:
            keys = [self._order_key(block, key, env, names) for key, env in block.order]
            shown = connected_list(f"{block.order_word} ", keys).render(indent)
            clauses.append(shown + comment_at(block, Clause.ORDER_BY))
        limit = [] if block.count is None else [f"LIMIT {block.count}"]
        if block.start:
            limit.append(f"OFFSET {block.start}")
        if limit:
            clauses.append(" ".join(limit) + comment_at(block, Clause.LIMIT))
        return clauses

    def _order_key(
        self, block: Block, key: SortOrder, env: Env, names: Sequence[str] | None
    ) -> Fragment:
        child = key.child
        if type(child) is FieldReference:
            column = env.columns[child.index]
            name = self._output_name(block, column, names, child.name)
            if name is not None:
                return sort_fragment(Fragment(identifier(name)), key)
        made = self.expressions.print(child, env)
        if made.text in self.shown:
            return sort_fragment(Fragment(identifier(self.shown[made.text])), key)
        return sort_fragment(no_ordinal(made), key)

    def _output_name(
        self, block: Block, column: Column, names: Sequence[str] | None, wanted: str
    ) -> str | None:
        """The output name of the column, where no other output has the same.

        Of the names of one column it is the wanted one, where that is among them.
        """
        if names is None:
            if block.body is None:  # the columns are printed without names of their own
                return None
            names = unique_names(block.names)
        own = [name for name, each in zip(names, block.columns, strict=True) if each is column]
        if not own:
            return None
        lowered = [name.lower() for name in names]
        called = [name for name in own if lowered.count(name.lower()) == 1]
        if not called:
            return None
        name = wanted if wanted in called else called[0]
        is_its_own = type(column) is SourceColumn and column.name == name
        return None if is_its_own and block.body is None else name

    def _set_operation(
        self, block: Block, body: SetBody, indent: int, names: Sequence[str] | None
    ) -> str:
        wanted = unique_names(block.names) if block.order and names is None else names
        parts = list(body.parts)
        word = body.kind.value + (" ALL" if body.all else "")
        text = self._branches(word, parts, indent, wanted, first=True)
        tail = self._tail(block, indent, wanted)
        return ("\n" + " " * indent).join([text, *tail])

    def _branches(
        self,
        word: str,
        parts: Sequence[Block],
        indent: int,
        names: Sequence[str] | None,
        *,
        first: bool,
    ) -> str:
        """The branches one under the other; very many as a balanced tree of parentheses."""
        pad = "\n" + " " * indent
        if len(parts) > _FLAT_BRANCHES and not word.startswith("EXCEPT"):
            size = _FLAT_BRANCHES
            while size * _FLAT_BRANCHES < len(parts):
                size *= _FLAT_BRANCHES
            groups = [parts[start : start + size] for start in range(0, len(parts), size)]
            shown = []
            for place, group in enumerate(groups):
                inner = self._branches(word, group, indent + 2, names, first=first and place == 0)
                shown.append(f"({pad}  {inner}{pad})")
            return self._unite(word, shown, [group[0] for group in groups], pad)
        shown = []
        for place, part in enumerate(parts):
            mine = names if first and place == 0 else _names_of_repeated(part, word)
            if part.body is not None or part.order or part.limited or _may_end_in_clauses(part):
                inner = self.query(part, indent + 2, mine)
                shown.append(f"({pad}  {inner}{pad})")
            else:
                shown.append(self.query(part, indent, mine))
        return self._unite(word, shown, parts, pad)

    def _unite(self, word: str, shown: Sequence[str], firsts: Sequence[Block], pad: str) -> str:
        """Branches with the word of the set operation between; ``firsts`` begins each of them."""
        text = shown[0]
        for first, branch in zip(firsts[1:], shown[1:], strict=True):
            text += f"{pad}{word}{comment_at(first, Clause.SET_OPERATION)}{pad}{branch}"
        return text


def _named_items(
    block: Block, items: Sequence[Fragment], names: Sequence[str]
) -> dict[str | None, str]:
    """The names of what groups compute, by its text: ORDER BY calls it so, not written out."""
    counts = Counter(map(str.lower, names))
    return {
        item.text: name
        for item, name, column in zip(items, names, block.columns, strict=True)
        if item.text and type(column) is BoundColumn and counts[name.lower()] == 1
    }


def _may_end_in_clauses(part: Block) -> bool:
    """Whether the branch may be printed as the user's own SQL, or begins with WITH."""
    kinds = n.SqlText | RowsOfCtes
    return any(isinstance(relation.source, kinds) for relation in part.relations)


_REPEATING = ("INTERSECT ALL", "EXCEPT ALL")


def _names_of_repeated(part: Block, word: str) -> Sequence[str] | None:
    """Names where a column stands twice in a branch that Spark repeats rows of.

    It replaces these operations by others that take a repeated column for one.
    """
    if word not in _REPEATING or part.body is not None:
        return None
    sources = [id(found) for column in part.columns if (found := source_of(column)) is not None]
    return unique_names(part.names) if len(set(sources)) < len(sources) else None


def _calls_columns(block: Block) -> bool:
    """Whether a sort key needs the name of a column, as each above groups or DISTINCT may."""
    if block.body is None and (block.group is not None or block.distinct):
        return True
    return block.body is None and any(
        is_only_called(env.columns[index])
        for key, env in block.order
        for index in features_of(key.child).refs
    )


def select_one(block: Block) -> None:
    """Replaces the columns by ``1`` where nothing depends on them."""
    if block.body is not None or block.group is not None:
        return
    if not block.distinct and not block.has_windows() and not block.is_anchored():
        block.columns = [BoundColumn(_ONE, block.env)]
        block.names = ("1",)
        block.order = []


_ONE = literal(1)
