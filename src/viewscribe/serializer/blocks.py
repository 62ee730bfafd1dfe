"""The model between tree and text: SELECT blocks over relations.

A block is one SELECT under construction. Its columns are bound lazily: a column is either a name
of a relation in its FROM clause or an expression together with the environment its references
live in. So folding a step into a block rewrites nothing; printing follows the bindings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import Any

import msgspec

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.functions.syntax import CallInFrom
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
    SortOrder,
)
from viewscribe.expressions.properties import refers_outside
from viewscribe.operations.base import Clause, QueryOperation
from viewscribe.operations.nodes import Grouping, JoinKind, Process, SetKind
from viewscribe.operations.user_functions import calls_sql_function
from viewscribe.serializer.features import Features, count_outer, features_of
from viewscribe.serializer.literals import Fragment

_FROM, _WHERE, _GROUP_BY, _HAVING, _SELECT = 1, 2, 4, 8, 16
_QUALIFY, _DISTINCT, _SET_OPERATION, _ORDER_BY, _LIMIT, _HINT = 32, 64, 128, 256, 512, 1024

UNSEEN = frozenset(("_metadata",))
"""Columns, in lower case, that a table may have although they are not among those it shows."""


class Relation(msgspec.Struct, eq=False):
    """Something in a FROM clause with a name: ``columns`` are the names its columns have in SQL.

    ``shadowed`` says, once the block is being printed, which of its columns (names in lower case)
    must carry the alias; ``length``, once it is printed, how long a query in parentheses is.
    """

    wanted: str
    columns: Sequence[str]
    path: tuple[str, ...] | None = None
    source: Any = None
    sample: str | None = None
    as_of: str | None = None
    alias: str = ""
    length: int = 0
    shadowed: set[str] = msgspec.field(default_factory=set)

    def __post_init__(self) -> None:
        self.alias = self.wanted


class Column(msgspec.Struct, eq=False, kw_only=True):
    """A column of a block; ``origins`` say where it was written, for comments."""

    origins: tuple[str, ...] = ()


class SourceColumn(Column, eq=False):
    """A column of a relation in FROM."""

    relation: Relation
    name: str
    fragment: Fragment | None = None
    qualified: Fragment | None = None


class BoundColumn(Column, eq=False):
    """An expression with the environment in which its references mean something.

    ``own`` are the features of the expression by itself, where they are known already; ``below``
    is what it is over the query that its block reads, once somebody asked.
    """

    expression: ResolvedExpression
    env: Env
    anchored: bool = False
    own: Features | None = None
    fragment: Fragment | None = None
    below: tuple[Relation, ResolvedExpression] | None = None
    _features: Features | None = None

    @property
    def features(self) -> Features:
        """What the expression holds once everything it refers to is written into it."""
        found = self._features
        if found is None:
            own = self.own or features_of(self.expression)
            if own.correlated and not writes_outside(self.expression, self.env):
                own.correlated = False
            found = self._features = inlined_features(own, self.env.columns)
            found.anchored = found.anchored or self.anchored
        return found


def source_of(column: Column) -> SourceColumn | None:
    """The relation's column that this one is, under whatever name; None where it is computed."""
    while isinstance(column, BoundColumn):
        if not isinstance(column.expression, FieldReference):
            return None
        column = column.env.columns[column.expression.index]
    return column if isinstance(column, SourceColumn) else None


class Env(msgspec.Struct, eq=False):
    """What references mean: the columns of the input, and those of the enclosing queries."""

    columns: list[Column]
    outer: Env | None = None


def sees_outside(query: QueryOperation, env: Env) -> bool:
    """Whether a column of the rows around it stands in a query, and not a constant in its place."""
    if not refers_outside(query):
        return False
    used: dict[int, int] = {}
    return count_outer(query, used) or any(has_source(env.columns[index]) for index in used)


def has_source(column: Column) -> bool:
    """Whether a column of FROM is in it, everything written into it."""
    pending = [column]
    while pending:
        current = pending.pop()
        if not isinstance(current, BoundColumn):
            return True
        own = current.own or features_of(current.expression)
        if own.correlated and writes_outside(current.expression, current.env):
            return True
        pending += [current.env.columns[index] for index in own.refs]
    return False


def writes_outside(expression: ResolvedExpression, env: Env) -> bool:
    """Whether a column of a query around would be written, and not the constant that it is."""
    for node in preorder(expression, skip=lambda node: node.is_query):
        if type(node) is OuterReference:
            around: Env | None = env
            for _ in range(node.level):
                around = None if around is None else around.outer
            if around is None or has_source(around.columns[node.index]):
                return True
    return False


def inlined_features(own: Features, columns: Sequence[Column]) -> Features:
    """The features of an expression once the columns it refers to are written into it."""
    bound = [
        (column.features, count)
        for index, count in own.refs.items()
        if type(column := columns[index]) is BoundColumn
    ]
    if not bound:
        return own
    found = Features(own.refs, size=own.size, depth=own.depth)
    found.aggregate, found.window = own.aggregate, own.window
    found.subquery, found.volatile = own.subquery, own.volatile
    found.correlated, found.higher_order = own.correlated, own.higher_order
    for below, count in bound:
        found.size += count * (below.size - 1)
        found.depth = max(found.depth, own.depth + below.depth)
        found.aggregate = found.aggregate or below.aggregate
        found.window = found.window or below.window
        found.subquery = found.subquery or below.subquery
        found.volatile = found.volatile or below.volatile
        found.anchored = found.anchored or below.anchored
        found.correlated = found.correlated or below.correlated
        found.higher_order = found.higher_order or below.higher_order
    return found


class Condition(msgspec.Struct, eq=False):
    """A term of WHERE, HAVING, QUALIFY or ON; ``origins`` say where it was written."""

    expression: ResolvedExpression
    env: Env
    origins: tuple[str, ...] = ()
    _features: Features | None = None

    @property
    def features(self) -> Features:
        """What the term holds once everything it refers to is written into it."""
        found = self._features
        if found is None:
            found = inlined_features(features_of(self.expression), self.env.columns)
            self._features = found
        return found

    @property
    def draws(self) -> bool:
        """Whether the term draws a value, or looks one up in a sub-query.

        Most terms compare columns of FROM and constants, which is seen without their features.
        """
        expression, columns = self.expression, self.env.columns
        if type(expression) is Call and expression.function.deterministic:
            for each in expression.args:
                kind = type(each)
                if kind is FieldReference:
                    if type(columns[each.index]) is SourceColumn:  # type: ignore[attr-defined]
                        continue
                elif kind is Literal:
                    continue
                break
            else:
                return False
        found = self.features
        return found.volatile or found.subquery


class FromItem(msgspec.Struct, eq=False, kw_only=True):
    """Base of what FROM can hold; ``origins`` say where it was written, for comments."""

    origins: tuple[str, ...] = ()


class RelationItem(FromItem, eq=False):
    """A table, a derived table, a CTE, VALUES …"""

    relation: Relation


class JoinItem(FromItem, eq=False):
    """Two FROM items joined; ``conditions`` are ANDed; ``lateral`` for a correlated right side."""

    left: FromItem
    right: FromItem
    kind: JoinKind
    conditions: list[Condition]
    lateral: bool = False


class LateralViewItem(FromItem, eq=False):
    """``LATERAL VIEW [OUTER] generator(…) name AS columns`` after another item.

    Some generators are tables instead: ``JOIN LATERAL generator(…) AS name(columns)``.
    """

    base: FromItem
    call: Call
    env: Env
    outer: bool
    relation: Relation

    @property
    def joined(self) -> bool:
        """Whether it is written as a join."""
        return is_table(self.call)


class GeneratedRows(msgspec.Struct, eq=False):
    """The source of a relation: a generator's rows by themselves, ``FROM explode(t.tags)``.

    So it is where a generator reads the row around it: Spark lets no LATERAL VIEW do that.
    """

    call: Call
    env: Env


class RecursiveRows(msgspec.Struct, eq=False):
    """The source of a relation: a query that reads itself, its two parts as a UNION ALL."""

    name: str
    max_level: int | None
    block: Block


class RowsOfCtes(msgspec.Struct, eq=False):
    """The source of a relation: a query with CTEs of its own.

    ``steps`` are those of the statement as they are within it.
    """

    ctes: list[tuple[str, Block]]
    block: Block
    steps: Any


class ProcessedRows(msgspec.Struct, eq=False):
    """The source of a relation: a process table function over the rows of a block."""

    call: Process
    block: Block


class Naming(Enum):
    """How what stands in FROM gets its alias: after it, not at all, by a SELECT around it."""

    ALIAS = "alias"
    NONE = "none"
    SELECT = "select"


class PivotItem(FromItem, eq=False):
    """A derived table with PIVOT or UNPIVOT after it."""

    source: Block
    clause: Any
    relation: Relation
    naming: Naming = Naming.ALIAS


Bound = tuple[ResolvedExpression, Env]


class Group(msgspec.Struct, eq=False):
    """GROUP BY; ``columns`` are the keys as what is above it sees them."""

    keys: list[Bound]
    grouping: Grouping
    sets: tuple[tuple[int, ...], ...]
    columns: Sequence[Column] = ()


class SetBody(msgspec.Struct, eq=False):
    """The branches of a set operation, each to be printed as a query of its own."""

    kind: SetKind
    all: bool
    parts: list[Block]


class Block(msgspec.Struct, eq=False):
    """One SELECT (or set operation) under construction.

    ``origins`` say where its clauses were written, for comments; SET_OPERATION stands before the
    block, where that is a branch of one.
    """

    from_: FromItem | None
    relations: list[Relation]
    columns: list[Column]
    names: Sequence[str]
    outer: Env | None
    plain: bool = True
    where: list[Condition] = msgspec.field(default_factory=list)
    group: Group | None = None
    having: list[Condition] = msgspec.field(default_factory=list)
    qualify: list[Condition] = msgspec.field(default_factory=list)
    distinct: bool = False
    order: list[tuple[SortOrder, Env]] = msgspec.field(default_factory=list)
    order_word: str = "ORDER BY"
    start: int = 0
    count: int | None = None
    limited: bool = False  # whether only a part of the rows is taken
    hints: list[tuple[str, tuple[Any, ...], Env]] = msgspec.field(default_factory=list)
    body: SetBody | None = None
    level: int = 0
    settled: int = 0  # how many of the first conditions are known to hold after a join as well
    anchors: bool = False  # whether a time window was added, so that one may be among the columns
    origins: dict[Clause, tuple[str, ...]] | None = None
    grown: tuple[list[Column], list[str]] | None = None  # its own lists of columns and names

    @property
    def env(self) -> Env:
        """What references to this block's columns mean."""
        return Env(self.columns, self.outer)

    def add_columns(self, columns: Sequence[Column], names: Sequence[str]) -> None:
        """Writes further columns behind those there are.

        Those before them stay where they are, so that what refers to these sees no difference:
        lists that the block has made for it grow in their place.
        """
        grown = self.grown
        if grown is None or grown[0] is not self.columns or grown[1] is not self.names:
            grown = self.grown = [*self.columns], [*self.names]
            self.columns, self.names = grown
        grown[0].extend(columns)
        grown[1].extend(names)

    def clauses(self) -> int:
        """The clauses that it holds by now, a bit for each.

        FROM counts where it is more than a table, SELECT where columns are computed.
        """
        item = self.from_
        found = 0 if type(item) is RelationItem and item.relation.source is None else _FROM
        if self.where:
            found |= _WHERE
        if self.group is not None:
            found |= _GROUP_BY
        if self.having:
            found |= _HAVING
        if not self.plain:
            found |= _SELECT
        if self.qualify:
            found |= _QUALIFY
        if self.distinct:
            found |= _DISTINCT
        if self.body is not None:
            found |= _SET_OPERATION
        if self.order:
            found |= _ORDER_BY
        if self.limited:
            found |= _LIMIT
        if self.hints:
            found |= _HINT
        return found

    @property
    def bare(self) -> bool:
        """Whether it is nothing but a FROM clause so far (columns may have been chosen)."""
        return (
            self.from_ is not None
            and not self.where
            and self.group is None
            and not self.qualify
            and not self.distinct
            and not self.order
            and not self.limited
            and self.body is None
            and not self.hints
        )

    @property
    def is_one_row(self) -> bool:
        """Whether it is the row without columns that a SELECT without FROM reads."""
        return not (self.from_ or self.columns or self.where or self.limited or self.body)

    def has_windows(self) -> bool:
        """Whether a column holds a window function."""
        return not self.plain and any(column.features.window for column in self.computed())

    def is_anchored(self) -> bool:
        """Whether a column must not be dropped or moved (a time window)."""
        return self.anchors and any(column.features.anchored for column in self.computed())

    def computed(self) -> list[BoundColumn]:
        """The columns that are more than a column of what it reads."""
        return [column for column in self.columns if type(column) is BoundColumn]


def is_only_called(column: Column) -> bool:
    """Whether ORDER BY can have the column by its name alone, not written out again."""
    if not isinstance(column, BoundColumn):
        return False
    found = column.features
    opaque = found.window or found.volatile or found.anchored
    if opaque or found.subquery or found.correlated:
        return True
    return calls_sql_function(column.expression)


def is_table(call: Call) -> bool:
    """Whether Spark knows the generator as a table alone, not in a LATERAL VIEW."""
    return isinstance(call.function.syntax, CallInFrom)


def outer_call(call: Call) -> tuple[Call, bool]:
    """The call of a generator that is to make a row of NULL where there is none.

    Returns:
        The call, and whether the join must keep rows without a match. Spark's own generators have
        a sister that makes the row; a LEFT JOIN LATERAL of them drops rows all the same.
    """
    if isinstance(call.function, UserFunction):
        return call, True
    outer = find_built_in(f"{call.function.name}_outer")
    return (call if outer is None else Call(outer, call.args, call.type)), False


def is_generator(expression: ResolvedExpression) -> bool:
    """Whether the expression is the call of a generator."""
    return isinstance(expression, Call) and expression.function.kind is FunctionKind.GENERATOR


def free_name(
    wanted: str, taken: Collection[str], tried: dict[str, tuple[str, int]] | None = None
) -> str:
    """The wanted name, with a number where it is taken.

    Args:
        wanted: the name.
        taken: names that are taken, in lower case.
        tried: how far the search for each name went, where many want the same one.
    """
    name, number = (wanted, 2) if tried is None else tried.get(wanted, (wanted, 2))
    while name.lower() in taken:
        name, number = f"{wanted}_{number}", number + 1
    if tried is not None:
        tried[wanted] = name, number
    return name


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, told apart with a number where two are equal without case."""
    taken: set[str] = set()
    lowered = [name.lower() for name in names]
    if len(set(lowered)) == len(names):
        return list(names)
    known = set(lowered)
    result = []
    tried: dict[str, tuple[str, int]] = {}
    for name in names:
        chosen, number = tried.get(name, (name, 2))
        while chosen.lower() in taken or (number > 2 and chosen.lower() in known):
            chosen, number = f"{name}_{number}", number + 1
        tried[name] = chosen, number
        taken.add(chosen.lower())
        result.append(chosen)
    return result


# Comments of SQL: what stands in them, and which pieces of a query they stand behind.
#
# Comments never count for the layout: without them the text is the very text that is made without
# notes.

_UNFIT = re.compile(r"[^\w .,:/()<>\[\]=+@~-]|--+")
"""What no comment holds.

Line breaks would end one, and a backslash before one would not: Spark then goes on with the
comment on the next line. Spark replaces ``${…}`` in comments too, and clients that cut a text into
statements stumble over quotes and semicolons.
"""


def comment(texts: Iterable[str | None]) -> str:
    """`` -- a, b`` for the end of a line; nothing where there is no text."""
    known = dict.fromkeys(text for text in texts if text)
    return f" -- {', '.join(_UNFIT.sub('_', text) for text in known)}" if known else ""


class _CommentedFragment(Fragment, eq=False):
    """A fragment that ends its line, with a comment behind it that no layout counts."""

    inner: Fragment = msgspec.field(default_factory=lambda: Fragment(""))
    behind: str = ""

    def render(self, indent: int = 0, reserve: int = 0) -> str:
        return self.inner.render(indent, reserve) + self.behind


def with_comment(fragment: Fragment, behind: str) -> Fragment:
    """The fragment with a comment behind it."""
    if not behind:
        return fragment
    return _CommentedFragment(fragment.text, fragment.binding, fragment.layout, fragment, behind)


def comment_at(block: Block, clause: Clause) -> str:
    """The comment behind a clause of a block."""
    return comment(block.origins.get(clause, ())) if block.origins else ""


def comment_behind(item: FromItem) -> str:
    """The comment behind an item of FROM."""
    if not isinstance(item, JoinItem):
        return comment(item.origins) if item.origins else ""
    inside = [text for bound in item.conditions for text in origins_of_condition(bound)]
    return comment([*item.right.origins, *inside, *item.origins])


def origins_of_condition(bound: Condition) -> Sequence[str]:
    """The origins of a condition, and before it those of the columns that are written into it."""
    if not bound.origins:
        return ()
    return [*origins_within(bound.expression, bound.env), *bound.origins]


def origins_of_column(column: Column) -> Sequence[str]:
    """The origins of a column, and before it those of the columns that are written into it."""
    if not isinstance(column, BoundColumn):
        return column.origins
    return [*origins_within(column.expression, column.env), *column.origins]


def origins_within(expression: Any, env: Env) -> list[str]:
    """The origins of the columns that are written into an expression."""
    found: list[str] = []
    seen: set[int] = set()
    pending = [(expression, env.columns)]
    while pending:
        current, columns = pending.pop()
        for index in features_of(current).refs:
            column = columns[index]
            if isinstance(column, BoundColumn) and id(column) not in seen:
                seen.add(id(column))
                found[:0] = column.origins
                pending.append((column.expression, column.env.columns))
    return found
