"""What was written: the nodes of the grammar, before any name in them means something.

Each knows the offset in the text where it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from viewscribe.expressions.nodes import Literal


class Syntax(msgspec.Struct, eq=False, gc=False):
    """Base of everything that was written."""

    at: int


# -- expressions ----------------------------------------------------------------------------------


class Name(Syntax, eq=False, gc=False):
    """A column, or a field of one: ``t.a.x``; ``is_computed`` where IDENTIFIER() says it."""

    parts: tuple[str, ...]
    is_computed: bool = False


class Constant(Syntax, eq=False, gc=False):
    """A literal; ``shown`` is how Spark calls the column of one, where that is not its value."""

    value: Literal
    shown: str | None = None


class StarOf(Syntax, eq=False, gc=False):
    """``*``, ``t.*``, ``* EXCEPT (a, s.x)``."""

    qualifier: tuple[str, ...]
    without: tuple[tuple[str, ...], ...] = ()


class Operation(Syntax, eq=False, gc=False):
    """An operator with its operands, by the name of the function that it is."""

    name: str
    args: list[Any]
    shown: str | None = None


class Function(Syntax, eq=False, gc=False):
    """A call with what may follow its parentheses."""

    name: tuple[str, ...]
    args: list[Any]
    distinct: bool = False
    where: Any = None
    order: tuple[Any, ...] | None = None
    nulls: str | None = None
    over: Any = None


class NamedArgument(Syntax, eq=False, gc=False):
    """``name => value``."""

    name: str
    value: Any


class TableOf(Syntax, eq=False, gc=False):
    """``TABLE(t) PARTITION BY a ORDER BY b``, an argument of a table function."""

    relation: Any
    partition: tuple[Any, ...] = ()
    order: tuple[Any, ...] = ()
    single: bool = False


class CastTo(Syntax, eq=False, gc=False):
    """``CAST(a AS INT)``, ``a::INT``."""

    child: Any
    type: str
    lenient: bool = False


class Subscript(Syntax, eq=False, gc=False):
    """``a[1]``."""

    base: Any
    key: Any


class FieldOf(Syntax, eq=False, gc=False):
    """A field of what is no name: ``f(a).x``."""

    base: Any
    name: str


class LambdaOf(Syntax, eq=False, gc=False):
    """``(x, y) -> x + y``."""

    parameters: tuple[str, ...]
    body: Any


class SubQuery(Syntax, eq=False, gc=False):
    """A query as a value: ``scalar``, ``exists`` or ``in``."""

    kind: str
    query: Any
    operands: tuple[Any, ...] = ()


class Aliased(Syntax, eq=False, gc=False):
    """``a AS b``, ``explode(m) AS (k, v)``."""

    child: Any
    names: tuple[str, ...]


class SortKey(Syntax, eq=False, gc=False):
    """``a DESC NULLS LAST``."""

    child: Any
    descending: bool
    nulls_first: bool


class Bound(Syntax, eq=False, gc=False):
    """One end of a frame; ``kind`` as in ``FrameBound``."""

    kind: str
    offset: Any = None


class WindowOf(Syntax, eq=False, gc=False):
    """What stands in OVER: a window, or the name of one."""

    name: str | None
    partition: tuple[Any, ...] = ()
    order: tuple[Any, ...] = ()
    unit: str | None = None
    start: Bound | None = None
    end: Bound | None = None


# -- relations ------------------------------------------------------------------------------------


class TableName(Syntax, eq=False, gc=False):
    """A table by its name."""

    parts: tuple[str, ...]


class Travel(Syntax, eq=False, gc=False):
    """A table as it was: ``t VERSION AS OF 3``; ``as_of`` is the clause."""

    child: Any
    as_of: str


class Unread(Syntax, eq=False, gc=False):
    """What has no meaning here, though Spark has it; of the names in it can be told anyway."""

    parts: tuple[Any, ...]
    why: str
    hint: str | None = None
    options: tuple[tuple[str, str], ...] = ()


class Derived(Syntax, eq=False, gc=False):
    """A query between parentheses."""

    query: Any


class Rows(Syntax, eq=False, gc=False):
    """``VALUES (1, 'a'), (2, 'b')``."""

    rows: tuple[tuple[Any, ...], ...]


class Called(Syntax, eq=False, gc=False):
    """A function that is a table."""

    call: Function


class Named(Syntax, eq=False, gc=False):
    """A relation under a name, its columns, too."""

    child: Any
    name: str
    columns: tuple[str, ...] = ()


class Nearest(Syntax, eq=False, gc=False):
    """``NEAREST 2 BY DISTANCE abs(a - b)``: the rows on the right that are nearest."""

    count: int
    figure: Any
    similar: bool


class Joined(Syntax, eq=False, gc=False):
    """Two relations; ``kind`` is one of ``JoinKind``'s names."""

    left: Any
    right: Any
    kind: str
    condition: Any = None
    using: tuple[str, ...] = ()
    natural: bool = False
    lateral: bool = False
    comma: bool = False
    nearest: Nearest | None = None


class LateralView(Syntax, eq=False, gc=False):
    """``LATERAL VIEW OUTER explode(a) t AS x``."""

    child: Any
    call: Function
    outer: bool
    table: str
    columns: tuple[str, ...] = ()


class Sampled(Syntax, eq=False, gc=False):
    """``TABLESAMPLE (10 PERCENT) REPEATABLE (1)``."""

    child: Any
    kind: str
    amount: Any
    seed: int | None = None


class PivotOf(Syntax, eq=False, gc=False):
    """``PIVOT (sum(a) FOR b IN (1 AS x, 2))``."""

    child: Any
    aggregates: tuple[Any, ...]
    columns: tuple[Any, ...]
    values: tuple[Any, ...]


class UnpivotOf(Syntax, eq=False, gc=False):
    """``UNPIVOT (v FOR n IN (a, b AS 'x'))``; of each column its parts and label."""

    child: Any
    values: tuple[str, ...]
    name: str
    columns: tuple[tuple[tuple[tuple[str, ...], ...], str | None], ...]
    include_nulls: bool


# -- queries --------------------------------------------------------------------------------------


class GroupBy(Syntax, eq=False, gc=False):
    """``GROUP BY``: keys, and how they make groups."""

    keys: tuple[Any, ...]
    sets: tuple[Any, ...] = ()
    every: bool = False


class GroupingSets(Syntax, eq=False, gc=False):
    """``ROLLUP (…)``, ``CUBE (…)``, ``GROUPING SETS (…)`` among keys."""

    kind: str
    sets: tuple[tuple[Any, ...], ...]


class HintOf(Syntax, eq=False, gc=False):
    """``/*+ BROADCAST(t) */``."""

    name: str
    parameters: tuple[Any, ...]


class SelectOf(Syntax, eq=False, gc=False):
    """One SELECT with its clauses."""

    items: tuple[Any, ...]
    distinct: bool = False
    hints: tuple[HintOf, ...] = ()
    source: Any = None
    where: Any = None
    group: GroupBy | None = None
    having: Any = None
    qualify: Any = None
    windows: dict[str, WindowOf] = {}


class Combined(Syntax, eq=False, gc=False):
    """UNION, INTERSECT or EXCEPT."""

    left: Any
    right: Any
    kind: str
    all: bool


class Cte(Syntax, eq=False, gc=False):
    """One query of a WITH."""

    name: str
    columns: tuple[str, ...]
    query: Any
    max_level: int | None = None


class QueryOf(Syntax, eq=False, gc=False):
    """A query: WITH, the body, and what orders and limits it."""

    body: Any
    ctes: tuple[Cte, ...] = ()
    recursive: bool = False
    order: tuple[Any, ...] = ()
    order_all: SortKey | None = None
    sort: tuple[Any, ...] = ()
    cluster: tuple[Any, ...] = ()
    distribute: tuple[Any, ...] = ()
    windows: dict[str, WindowOf] = {}
    limit: Any = None
    limit_all: bool = False
    offset: Any = None


class Step(Syntax, eq=False, gc=False):
    """A step of the pipe syntax: what it is, and what it needs."""

    kind: str
    value: Any = None
    more: Any = None


class Piped(Syntax, eq=False, gc=False):
    """``FROM t |> WHERE … |> SELECT …``."""

    source: Any
    steps: tuple[Step, ...]


def every(written: object, *, sub_queries: bool = True) -> Iterator[Syntax]:
    """All that something written is made of.

    Args:
        written: a node, or several.
        sub_queries: whether the queries of sub-queries are gone into.
    """
    stack: list[Any] = [written]
    while stack:
        node = stack.pop()
        if isinstance(node, Syntax):
            yield node
            fields = node.__struct_fields__
            if not sub_queries and type(node) is SubQuery:
                fields = ("operands",)
            stack += [getattr(node, field) for field in fields]
        elif isinstance(node, list | tuple):
            stack += node
        elif isinstance(node, dict):
            stack += node.values()
