# mypy: disable-error-code="arg-type, assignment, return-value, misc, unreachable"
"""Queries, each with one place changed: what no judge of equality may call equal.

A pair is judged by all judges; only where one of them says "equal" the rows are looked at, over
data that tells most things apart, as of today and as another session would give them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from viewscribe import TableEnvironment
from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.errors import ViewscribeError
from viewscribe.spark.compare import RowComparison, compare_optimized, compare_plans
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.query_changes import compare_optimized_plans
from viewscribe.spark.session import SPARK_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = {
    "n": "k INT, j INT, d DOUBLE, f FLOAT, s STRING, dt DATE, m INT NOT NULL, tags ARRAY<STRING>",
    "o": "k INT, c STRING, x DOUBLE, y DECIMAL(10, 2)",
}
ROWS = {
    "n": (
        "(0, 1, 0.0D, 0.0F, '', DATE'2020-01-01', 1, array('a', NULL)), "
        "(NULL, 2, double('NaN'), NULL, NULL, NULL, 1, NULL), "
        "(2, NULL, -0.0D, -0.0F, 'a', current_date(), 2, array())",
        "(2, 2, -0.0D, -0.0F, 'a', current_date(), 2, array('b', 'a', 'b')), "
        "(1, 0, NULL, 1.5F, 'root', DATE'2020-01-01', 3, array('')), "
        "(3, 3, 1.5D, 0.0F, '7', DATE'9999-12-31', 3, NULL)",
        "(2, 2, -0.0D, -0.0F, 'a', current_date(), 2, array('b', 'a', 'b')), "
        "(-1, 5, 2.5D, -0.0F, 'UTC', NULL, 4, array('z'))",
    ),
    "o": (
        "(0, 'x', 0.0D, 1.10BD), (2, NULL, NULL, NULL), (NULL, 'y', -0.0D, 0.00BD)",
        "(2, '', 1.0D, 2.20BD), (7, 'x', double('NaN'), -3.00BD)",
    ),
}
"""Each text becomes a file, which is a partition where it is read."""

CONDITIONS = (
    *("k > 1", "k <> 0", "10 / k > 3", "j = 2", "s = 'a'", "s <> ''", "d = 0", "f <> 0", "m > 1"),
    *("k IS NOT NULL", "k IN (0, 2)", "NOT k IN (0, 2)", "NOT s IN ('a', '7')", "d > f", "k <=> j"),
    *("rand(1) < 0.5", "rand() < 0.5", "dt < current_date()", "s = current_user()", "k < j"),
    *("s = current_timezone()", "CAST(s AS INT) > 1", "k BETWEEN 0 AND 2", "s LIKE 'a%'"),
    *("dt = CAST('today' AS DATE)", "size(tags) > 1", "isnan(d)", "coalesce(k, 0) >= 1"),
    "EXISTS (SELECT 1 FROM o WHERE o.k = n.k)",
    "k IN (SELECT o.k FROM o)",
    "NOT k IN (SELECT o.k FROM o WHERE o.k > 0)",
    "m > (SELECT min(o.k) FROM o)",
)
VALUES = (
    *("k", "j", "d", "f", "s", "m", "k + j", "k - j", "10 / k", "k % 2", "-d", "upper(s)", "dt"),
    *("CAST(s AS INT)", "CAST(k AS STRING)", "CAST(d AS FLOAT)", "coalesce(s, 'none')", "tags[0]"),
    *("CASE WHEN k > 0 THEN 10 / k ELSE 0 END", "concat(s, '!')", "nullif(k, 2)", "greatest(k, j)"),
    *("rand(3)", "rand()", "monotonically_increasing_id()", "spark_partition_id()", "uuid() > ''"),
    *("current_user()", "current_database()", "current_date()", "year(now())", "version() > ''"),
    *("row_number() OVER (PARTITION BY m ORDER BY k, j, d, s)", "sum(k) OVER (PARTITION BY m)"),
    "sum(k) OVER (ORDER BY m, k, j, s ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "lag(k, 1) OVER (ORDER BY m, k NULLS LAST, j)",
    "first(s) OVER (PARTITION BY m ORDER BY k)",
    "transform(tags, t -> concat(t, 'x'))",
)
AGGREGATES = (
    *("count(*)", "count(k)", "count(DISTINCT k)", "sum(k)", "min(s)", "max(dt)", "first(s)"),
    *("collect_list(s)", "sum(k) FILTER (WHERE j > 1)", "avg(d)", "sum(10 / k)", "last(k)"),
)
SHAPES = (
    "SELECT <v>, <w> FROM n WHERE <c> AND <e>",
    "SELECT <v> FROM n WHERE <c> OR <e>",
    "SELECT x, y FROM (SELECT <v> AS x, <w> AS y, k FROM n WHERE <c>) AS i WHERE k > 0",
    "SELECT DISTINCT <v>, m FROM n WHERE <c>",
    "SELECT m, <a>, <b> FROM n WHERE <c> GROUP BY m",
    "SELECT f, <a> FROM n WHERE <c> GROUP BY f HAVING count(*) > 1",
    "SELECT j, m, <a> FROM n GROUP BY ROLLUP (j, m)",
    "SELECT n.m, <v>, o.c FROM n JOIN (SELECT k AS i, c FROM o) AS o ON n.k = o.i AND <c>",
    "SELECT n.m, o.c, o.z FROM n LEFT JOIN (SELECT k AS i, c, coalesce(x, 0) AS z FROM o) AS o "
    "ON n.k = o.i WHERE <c>",
    "SELECT m FROM n LEFT ANTI JOIN (SELECT k AS i FROM o) AS o ON k = o.i AND <c>",
    "SELECT k, s FROM n WHERE <c> UNION ALL SELECT k, c FROM o",
    "SELECT k, s FROM n WHERE <c> UNION SELECT k, c FROM o",
    "SELECT k FROM n WHERE <c> EXCEPT SELECT k FROM o",
    "SELECT k, s, <v> FROM n WHERE <c> ORDER BY k NULLS LAST, s DESC, j, d LIMIT 3",
    "SELECT <v> FROM (SELECT * FROM n WHERE <c> LIMIT 4) AS n",
    "SELECT m, t, <v> FROM n LATERAL VIEW explode(tags) e AS t WHERE <c>",
    "SELECT <v>, <w> FROM (SELECT /*+ REPARTITION(3, k) */ * FROM n) AS n WHERE <c>",
    "SELECT k, <v> FROM n TABLESAMPLE (50 PERCENT) REPEATABLE (3) AS n WHERE <c>",
    "WITH i AS (SELECT *, <v> AS z FROM n) SELECT a.z, b.z AS y FROM i AS a JOIN i AS b "
    "ON a.m = b.m",
)
_HOLE = re.compile("<(.)>")


def queries(random: Random) -> Iterator[str]:
    """Queries over both tables, without an end."""
    while True:
        parts = {name: random.choice(VALUES) for name in "vw"}
        parts |= {name: random.choice(CONDITIONS) for name in "ce"}
        parts |= {name: random.choice(AGGREGATES) for name in "ab"}
        yield _HOLE.sub(lambda hole, made=parts: made[hole[1]], random.choice(SHAPES))


# -- one place changed -----------------------------------------------------------------------------

Change = Callable[[exp.Expression], exp.Expression | str | None]
"""What stands in the place of a node; None where it does not apply."""


def _other_number(node: exp.Expression) -> exp.Expression | None:
    number = isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit()
    return exp.Literal.number(int(node.this) + 1) if number else None


def _swapped(node: exp.Expression) -> exp.Expression | None:
    if isinstance(node, exp.Binary) and not isinstance(node, exp.Dot):
        return type(node)(this=node.expression.copy(), expression=node.this.copy())
    return None


_OTHERS = {
    **{exp.And: exp.Or, exp.Or: exp.And, exp.EQ: exp.NullSafeEQ, exp.GT: exp.GTE},
    **{exp.GTE: exp.GT, exp.LT: exp.LTE, exp.NEQ: exp.EQ, exp.Add: exp.Sub, exp.Sub: exp.Add},
    **{exp.Mul: exp.Div, exp.Div: exp.Mul, exp.NullSafeEQ: exp.EQ},
}


def _other_operator(node: exp.Expression) -> exp.Expression | None:
    other = _OTHERS.get(type(node))
    return other and other(this=node.this.copy(), expression=node.expression.copy())


def _one_operand(node: exp.Expression) -> exp.Expression | None:
    return node.this.copy() if isinstance(node, exp.And | exp.Or | exp.Not) else None


def _twice(node: exp.Expression) -> exp.Expression | None:
    if isinstance(node, exp.Predicate):
        return exp.Paren(this=exp.And(this=node.copy(), expression=node.copy()))
    return None


def _known(node: exp.Expression) -> str | None:
    """A condition, and that its first operand is not NULL."""
    if isinstance(node, exp.Not | exp.In | exp.EQ | exp.NullSafeEQ) and isinstance(
        node.parent, exp.And | exp.Where | exp.Or
    ):
        column = node.find(exp.Column)
        return column and f"({node.sql('spark')} AND {column.sql('spark')} IS NOT NULL)"
    return None


def _negated(node: exp.Expression) -> str | None:
    return f"(NOT {node.sql('spark')})" if isinstance(node, exp.Predicate) else None


def _cast(kind: str) -> Change:
    def change(node: exp.Expression) -> str | None:
        plain = isinstance(node, exp.Column) and not isinstance(node.parent, exp.Cast)
        return f"CAST({node.sql('spark')} AS {kind})" if plain else None

    return change


def _uncast(node: exp.Expression) -> exp.Expression | None:
    return node.this.copy() if isinstance(node, exp.Cast) else None


def _drawn_elsewhere(node: exp.Expression) -> str | None:
    """Draws are merged with others, or parted from them."""
    if isinstance(node, exp.Rand):
        return "rand(2)" if node.this is None else "rand()"
    return None


def _other_column(node: exp.Expression) -> exp.Expression | None:
    others = {"k": "j", "j": "m", "m": "k", "d": "f", "f": "d", "s": "upper(s)"}
    other = others.get(node.name) if isinstance(node, exp.Column) else None
    return other and parse_one(other, read="spark")


def _column_beside(node: exp.Expression) -> exp.Expression | None:
    """Another column that the query reads."""
    if not isinstance(node, exp.Column):
        return None
    others = {each.sql("spark"): each for each in node.root().find_all(exp.Column)}
    others.pop(node.sql("spark"))
    return others[min(others)].copy() if others else None


def _other_set(node: exp.Expression) -> exp.Expression | None:
    if isinstance(node, exp.Union):
        changed = node.copy()
        changed.set("distinct", not node.args.get("distinct"))
        return changed
    return None


def _other_distinct(node: exp.Expression) -> exp.Expression | None:
    if not isinstance(node, exp.Select):
        return None
    changed = node.copy()
    changed.set("distinct", None if node.args.get("distinct") else exp.Distinct())
    return changed


def _other_join(side: str, kind: str) -> Change:
    def change(node: exp.Expression) -> exp.Expression | None:
        if not isinstance(node, exp.Join):
            return None
        changed = node.copy()
        changed.set("side", side)
        changed.set("kind", kind)
        return changed

    return change


def _on_as_where(node: exp.Expression) -> exp.Expression | None:
    """A condition of ON goes to WHERE."""
    if not isinstance(node, exp.Select) or not node.args.get("joins"):
        return None
    changed = node.copy()
    (join,) = changed.args["joins"]
    on = join.args.get("on")
    if not isinstance(on, exp.And):
        return None
    join.set("on", on.this)
    changed.where(on.expression.copy(), copy=False)
    return changed


def _other_order(node: exp.Expression) -> exp.Expression | None:
    if not isinstance(node, exp.Ordered):
        return None
    changed = node.copy()
    changed.set("nulls_first", not node.args.get("nulls_first"))
    return changed


def _descending(node: exp.Expression) -> exp.Expression | None:
    if not isinstance(node, exp.Ordered):
        return None
    changed = node.copy()
    changed.set("desc", not node.args.get("desc"))
    return changed


def _other_frame(node: exp.Expression) -> exp.Expression | None:
    if not isinstance(node, exp.Window):
        return None
    changed = node.copy()
    changed.set("spec", None)
    return None if node.args.get("spec") is None else changed


def _without_partitions(node: exp.Expression) -> exp.Expression | None:
    if not isinstance(node, exp.Window) or not node.args.get("partition_by"):
        return None
    changed = node.copy()
    changed.set("partition_by", [])
    return changed


def _read_as(text: str) -> Change:
    """The table ``n`` read otherwise, with rows that stand elsewhere."""

    def change(node: exp.Expression) -> str | None:
        plain = isinstance(node, exp.Table) and node.name == "n" and not node.args.get("sample")
        return f"({text}) AS n" if plain else None

    return change


CLOCKS = {
    r"current_date\(\)": "DATE'{today}'",
    r"CAST\('today' AS DATE\)": "DATE'{today}'",
    r"'today'": "'{today}'",
    r"current_user\(\)": "'{user}'",
    r"current_timezone\(\)": "'UTC'",
    r"current_database\(\)|current_schema\(\)": "'default'",
    r"year\((now|current_timestamp)\(\)\)": "{year}",
    r"version\(\)": "'{version}'",
}
"""What the session supplies, and how its value of today is written."""


CHANGES: dict[str, Change] = {
    "a number": _other_number,
    "operands swapped": _swapped,
    "another operator": _other_operator,
    "one operand less": _one_operand,
    "a condition twice": _twice,
    "IS NOT NULL beside a condition": _known,
    "NOT": _negated,
    "a cast to text": _cast("STRING"),
    "a cast to DOUBLE": _cast("DOUBLE"),
    "a cast less": _uncast,
    "another draw": _drawn_elsewhere,
    "another column": _other_column,
    "a column beside it": _column_beside,
    "UNION and UNION ALL": _other_set,
    "DISTINCT": _other_distinct,
    "LEFT JOIN": _other_join("LEFT", ""),
    "INNER JOIN": _other_join("", "INNER"),
    "FULL JOIN": _other_join("FULL", ""),
    "ON and WHERE": _on_as_where,
    "NULLS FIRST": _other_order,
    "DESC": _descending,
    "the frame": _other_frame,
    "PARTITION BY": _without_partitions,
    "repartitioned": _read_as("SELECT /*+ REPARTITION(3) */ * FROM n"),
    "coalesced": _read_as("SELECT /*+ COALESCE(1) */ * FROM n"),
    "distributed": _read_as("SELECT * FROM n DISTRIBUTE BY k"),
    "sorted": _read_as("SELECT * FROM n SORT BY s"),
}


UNREAD = (SqlglotError, ValueError, AssertionError)
"""What sqlglot raises where it cannot read a query, or put a node in another one's place."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and the same with one place changed.

    Args:
        change: what was changed.
        one: the query.
        other: the changed one.
    """

    change: str
    one: str
    other: str


def mutants(text: str, random: Random, values: dict[str, str]) -> Iterator[Pair]:
    """The pairs of a query, each change in one place of it.

    Args:
        text: the query.
        random: chooses the place.
        values: what the session supplies today.
    """
    with suppress(*UNREAD):
        tree = parse_one(text, read="spark")
        one = tree.sql("spark")
        for name, change in CHANGES.items():
            with suppress(*UNREAD):
                other = _changed(tree, change, random)
                if other is not None and other != one:
                    yield Pair(name, one, other)
    for pattern, value in CLOCKS.items():
        other = re.sub(pattern, value.format(**values), text, flags=re.IGNORECASE)
        if other != text:
            yield Pair("a value of today", text, other)


def _changed(tree: exp.Expression, change: Change, random: Random) -> str | None:
    copy = tree.copy()
    places = [(node, made) for node in copy.walk() if (made := change(node)) is not None]
    if not places:
        return None
    node, made = random.choice(places)
    made = parse_one(made, read="spark") if isinstance(made, str) and "SELECT" not in made else made
    if isinstance(made, str):
        made = parse_one(f"SELECT * FROM {made}", read="spark").args["from_"].this
    return (made if node is copy else node.replace(made) and copy).sql("spark")


# -- judges and rows -------------------------------------------------------------------------------


class Court:
    """Asks all judges about pairs, and the rows where one of them says "equal".

    Args:
        session: a session with the tables, which nobody else uses.
        env: an environment that knows them.
    """

    def __init__(self, session: SparkSession, env: TableEnvironment) -> None:
        self.session = session
        self.env = env
        row = session.sql("SELECT current_date(), current_user(), version()").collect()[0]
        today, user, version = map(str, row)
        self.values = {"today": today, "user": user, "version": version, "year": today[:4]}

    def equal_to(self, pair: Pair) -> list[str]:
        """The judges that call a pair equal."""
        try:
            with silence_errors():
                one, other = self.session.sql(pair.one), self.session.sql(pair.other)
        except SPARK_ERRORS:
            return []
        if one.dtypes != other.dtypes and [t for _, t in one.dtypes] != [
            t for _, t in other.dtypes
        ]:
            return []
        found = {
            "analyzed and optimized plans": lambda: compare_plans(one, other).status,
            "optimized plans": lambda: compare_optimized(one, other).status,
            **self._of_trees(pair, other),
        }
        return [name for name, judge in found.items() if judge() == "equal"]

    def _of_trees(self, pair: Pair, other: Any) -> dict[str, Callable[[], str]]:
        try:
            trees = [self.env.sql_query(each) for each in (pair.one, pair.other)]
            frame = trees[0].to_dataframe(self.session)
        except (*SPARK_ERRORS, ViewscribeError):
            return {}
        before, after = [each.operation for each in trees]
        return {
            "trees": lambda: "equal" if mean_the_same(before, after, {}) else "",
            "verify": lambda: compare_plans(other, frame).status,
            "prove": lambda: compare_optimized_plans(before, after, self.session, {}).status,
        }

    def rows_judged_equal(self, pair: Pair) -> bool:
        """Whether the comparison of rows calls a pair equal, to the last bit."""
        frames = [self.session.sql(_seeded(each)) for each in (pair.one, pair.other)]
        check = RowComparison(*frames, in_memory=1000).compare()[0].check
        return check.status == "equal" and "relative" not in check.detail

    def is_steady(self, pair: Pair) -> bool:
        """Whether the query gives the same rows when it runs again."""
        return self.rows(_seeded(pair.one)) == self.rows(_seeded(pair.one))

    def differ(self, pair: Pair) -> bool:
        """Whether the rows differ, today or in another session, or only one of both fails."""
        for change in (_seeded, _of_another_session):
            one, other = self.rows(change(pair.one)), self.rows(change(pair.other))
            if one != other and None not in (one, other):
                return True
        return False

    def rows(self, text: str) -> Counter[str] | str | None:
        """The rows of a query, or that it fails; None where Spark itself breaks."""
        try:
            with silence_errors():
                return Counter(repr(tuple(row)) for row in self.session.sql(text).collect())
        except SPARK_ERRORS as error:
            return None if "requirement failed" in str(error) else "fails"


def _seeded(text: str) -> str:
    """The text with each draw from a seed of its own: the first has the same in any text."""
    numbers = iter(range(100, 1000))
    return re.sub(r"\brand\(\)", lambda _: f"rand({next(numbers)})", text, flags=re.IGNORECASE)


def _of_another_session(text: str) -> str:
    """The text as it reads on another day and for another user."""
    others = {"today": "2001-02-03", "user": "somebody", "version": "9", "year": "2001"}
    for pattern, value in CLOCKS.items():
        elsewhere = value.format(**others).replace("UTC", "CET").replace("default", "other")
        text = re.sub(pattern, elsewhere, text, flags=re.IGNORECASE)
    return _seeded(text)
