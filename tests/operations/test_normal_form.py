"""Two queries have one normal form only where they mean the same, and often where they do."""

from __future__ import annotations

import time

import pytest

from viewscribe import TableEnvironment, col
from viewscribe.operations import nodes
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.normal_form import NormalForms
from viewscribe.operations.normal_form.sources import RULES


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    env = TableEnvironment()
    env.create_table("t", "a INT, b INT, k INT, s STRING, at TIMESTAMP, tags ARRAY<STRING>")
    env.create_table("u", "a INT, b INT, k INT")
    env.create_table("w", "d DATE, f DOUBLE")
    return env


SAME = [
    (
        "SELECT a, sum(b) AS n FROM t GROUP BY CUBE (a, k)",
        "SELECT x AS a, sum(y) AS n FROM (SELECT a AS x, b AS y, k FROM t) GROUP BY CUBE (x, k)",
    ),
    (
        "SELECT a + 1 AS x, grouping(a) AS n FROM t GROUP BY ROLLUP (a)",
        "SELECT x + 1 AS y, grouping(x) AS m FROM (SELECT a AS x FROM t) GROUP BY ROLLUP (x)",
    ),
    (
        "SELECT a FROM t WHERE a > 1 AND b > 2",
        "SELECT a FROM (SELECT * FROM t WHERE 2 < b) WHERE a > 1",
    ),
    ("SELECT a + 1 AS x FROM t", "SELECT y AS x FROM (SELECT a + 1 AS y, b FROM t)"),
    ("SELECT t.a FROM t JOIN u ON t.k = u.k", "SELECT x.a FROM t AS x, u AS y WHERE x.k = y.k"),
    ("SELECT t.a FROM t JOIN u USING (k)", "SELECT t.a FROM t JOIN u ON t.k = u.k"),
    ("SELECT DISTINCT a FROM t", "SELECT a FROM t GROUP BY a"),
    ("SELECT DISTINCT a FROM (SELECT DISTINCT a FROM t)", "SELECT DISTINCT a FROM t"),
    ("SELECT a FROM t WHERE s IS NOT NULL", "SELECT a FROM t WHERE NOT s IS NULL"),
    ("SELECT a FROM t WHERE a <> b", "SELECT a FROM t WHERE NOT a = b"),
    ("SELECT extract(month FROM at) AS m FROM t", "SELECT EXTRACT(MONTH FROM at) AS m FROM t"),
    ("SELECT a FROM (SELECT * FROM t ORDER BY b OFFSET 0)", "SELECT a FROM t ORDER BY b"),
    ("SELECT a FROM (SELECT * FROM t SORT BY b) ORDER BY a", "SELECT a FROM t ORDER BY a"),
    (
        "SELECT a FROM t ORDER BY b LIMIT 5",
        "SELECT a FROM (SELECT * FROM t ORDER BY b LIMIT 9) LIMIT 5",
    ),
    (
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k WHERE t.a > 1",
        "SELECT x.a FROM (SELECT * FROM t WHERE a > 1) AS x LEFT JOIN u ON x.k = u.k",
    ),
    (
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k AND u.a > 1",
        "SELECT t.a FROM t LEFT JOIN (SELECT * FROM u WHERE a > 1) AS y ON t.k = y.k",
    ),
    (
        "SELECT a FROM t UNION ALL (SELECT a FROM u UNION ALL SELECT b FROM u)",
        "(SELECT a FROM t UNION ALL SELECT a FROM u) UNION ALL SELECT b FROM u",
    ),
    (
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
        "SELECT x.a FROM t AS x WHERE EXISTS (SELECT y.b FROM u AS y WHERE y.k = x.k)",
    ),
    (
        "SELECT c + 1 AS d FROM (SELECT a, (SELECT max(u.a) FROM u WHERE u.k = t.k) AS c FROM t)",
        "SELECT (SELECT max(u.a) FROM u WHERE u.k = t.k) + 1 AS d FROM t",
    ),
    (
        "SELECT a, tag FROM t LATERAL VIEW explode(tags) v AS tag WHERE a > 1",
        "SELECT a, tag FROM (SELECT * FROM t WHERE a > 1) LATERAL VIEW explode(tags) v AS tag",
    ),
    ("SELECT a FROM t WHERE FALSE", "SELECT CAST(NULL AS INT) AS a WHERE FALSE"),
    (
        "SELECT l.m FROM t, LATERAL (SELECT t.a + u.a AS m FROM u WHERE u.k = t.k) AS l",
        "SELECT l.m FROM t, LATERAL (SELECT n + v AS m FROM (SELECT a AS v, t.a AS n FROM u "
        "WHERE k = t.k)) AS l",
    ),
    (
        "SELECT window(at, '5 minutes').start AS s, count(*) AS n FROM t "
        "GROUP BY window(at, '5 minutes')",
        "SELECT w.start AS s, n FROM (SELECT window(at, '5 minutes') AS w, count(*) AS n FROM t "
        "GROUP BY window(at, '5 minutes'))",
    ),
]

APART = [
    (  # each union casts to a type of its own
        "(SELECT d AS x FROM w UNION ALL SELECT s FROM t) UNION ALL SELECT at FROM t",
        "SELECT d AS x FROM w UNION ALL (SELECT s FROM t UNION ALL SELECT at FROM t)",
    ),
    (
        "(SELECT a FROM t UNION ALL SELECT s FROM t) UNION ALL SELECT f FROM w",
        "SELECT a FROM t UNION ALL (SELECT s FROM t UNION ALL SELECT f FROM w)",
    ),
    *(  # an order that is drawn is one of the rows that it was drawn for
        (
            query.format("(SELECT * FROM t ORDER BY rand(1))", ""),
            query.format("t", "ORDER BY rand(1)"),
        )
        for query in (
            "SELECT a FROM {} AS t WHERE k > 2 {} LIMIT 2",
            "SELECT t.a FROM {} AS t LEFT SEMI JOIN u ON t.k = u.k {} LIMIT 2",
            "SELECT a, tag FROM {} AS t LATERAL VIEW explode(tags) e AS tag {} LIMIT 2",
        )
    ),
    *(  # columns without rows still have types, which others are cast to beside them
        (query.format("at"), query.format("d"))
        for query in (
            "SELECT CAST(x AS STRING) AS y FROM "
            "(SELECT d AS x FROM w EXCEPT SELECT {} FROM w, t WHERE false)",
            "SELECT coalesce((SELECT {} FROM w, t WHERE false), d) AS x FROM w",
            "SELECT typeof((SELECT {} FROM w, t WHERE false)) AS x FROM w",
            "SELECT CAST(d AS STRING) AS x FROM w FULL JOIN "
            "(SELECT {} AS d FROM w, t WHERE false) USING (d)",
            "SELECT CASE WHEN f > 1 THEN v ELSE d END AS x FROM w LEFT JOIN "
            "(SELECT {} AS v FROM w, t WHERE false) ON true",
        )
    ),
    (
        "SELECT to_json(arrays_zip(p, q)) AS j FROM (SELECT tags AS p, tags AS q FROM t)",
        "SELECT to_json(arrays_zip(tags, tags)) AS j FROM t",
    ),
    *(  # keys of sets are known by their places: one may be NULL where the other is not
        (
            f"SELECT x, {one} AS n FROM (SELECT a AS x, {key} AS y FROM t) GROUP BY {sets}",
            f"SELECT x, {other} AS n FROM (SELECT a AS x, {key} AS y FROM t) GROUP BY {sets}",
        )
        for sets in ("ROLLUP (x, y)", "CUBE (x, y)", "GROUPING SETS ((x, y), (x))")
        for one, other, key in (
            ("y", "x", "a"),
            ("y", "x + 1", "a + 1"),
            ("grouping(x)", "grouping(y)", "a"),
        )
    ),
    *(  # what is numbered, drawn or collected comes in the order of the rows
        (
            f"SELECT k, {made} AS n FROM (SELECT * FROM t ORDER BY a) ORDER BY k",
            f"SELECT k, {made} AS n FROM (SELECT * FROM t ORDER BY {order}) ORDER BY k",
        )
        for order in ("b", "a DESC")
        for made in (
            "monotonically_increasing_id()",
            "rand(1)",
            "collect_list(a) OVER (PARTITION BY b)",
            "first(a) OVER ()",
        )
    ),
    (
        "SELECT a FROM (SELECT * FROM t ORDER BY a) WHERE rand(1) < 0.5 ORDER BY k",
        "SELECT a FROM (SELECT * FROM t ORDER BY b) WHERE rand(1) < 0.5 ORDER BY k",
    ),
    (
        "SELECT t.a, monotonically_increasing_id() AS n FROM (SELECT * FROM t ORDER BY a) t, u",
        "SELECT t.a, monotonically_increasing_id() AS n FROM (SELECT * FROM t ORDER BY b) t, u",
    ),
    (
        "SELECT * FROM (SELECT a, b FROM t ORDER BY a) PIVOT (first(a) FOR b IN (1, 2))",
        "SELECT * FROM (SELECT a, b FROM t ORDER BY b) PIVOT (first(a) FOR b IN (1, 2))",
    ),
    (
        "SELECT /*+ REPARTITION(3) */ * FROM (SELECT a FROM t ORDER BY a) LIMIT 1",
        "SELECT * FROM (SELECT a FROM t ORDER BY a) LIMIT 1",
    ),
    ("SELECT a FROM t SORT BY b", "SELECT a FROM t ORDER BY b"),
    ("SELECT a FROM t SORT BY b LIMIT 3", "SELECT a FROM t SORT BY k LIMIT 3"),
    ("SELECT a FROM t ORDER BY b OFFSET 1", "SELECT a FROM t ORDER BY b"),
    (
        "SELECT t.a, y.c FROM t LEFT JOIN (SELECT k, 1 AS c FROM u) AS y ON t.k = y.k",
        "SELECT t.a, 1 AS c FROM t LEFT JOIN u AS y ON t.k = y.k",
    ),
    (
        "SELECT t.a, y.c FROM t LEFT JOIN (SELECT k, coalesce(b, 0) AS c FROM u) AS y ON t.k = y.k",
        "SELECT t.a, coalesce(y.b, 0) AS c FROM t LEFT JOIN u AS y ON t.k = y.k",
    ),
    (
        "SELECT x.c, u.a FROM (SELECT k, coalesce(b, 0) AS c FROM t) AS x "
        "RIGHT JOIN u ON x.k = u.k",
        "SELECT coalesce(x.b, 0) AS c, u.a FROM t AS x RIGHT JOIN u ON x.k = u.k",
    ),
    (
        "SELECT x.c, u.a FROM (SELECT k, coalesce(b, 0) AS c FROM t) AS x FULL JOIN u ON x.k = u.k",
        "SELECT coalesce(x.b, 0) AS c, u.a FROM t AS x FULL JOIN u ON x.k = u.k",
    ),
    (
        "SELECT t.a, l.c FROM t LEFT JOIN LATERAL "
        "(SELECT t.b + 1 AS c FROM u WHERE u.k = t.k) AS l",
        "SELECT t.a, t.b + 1 AS c FROM t LEFT JOIN LATERAL (SELECT a FROM u WHERE u.k = t.k) AS l",
    ),
    ("SELECT a FROM t", "SELECT b AS a FROM t"),
    ("SELECT a - b AS d FROM t", "SELECT b - a AS d FROM t"),
    ("SELECT x.a FROM t x JOIN t y ON x.k = y.b", "SELECT y.a FROM t x JOIN t y ON x.k = y.b"),
    ("SELECT x.a FROM t x JOIN t y ON x.k = y.k", "SELECT x.a FROM t x JOIN t y ON x.k = x.k"),
    (
        "SELECT a FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.k = o.k)",
        "SELECT a FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.k = i.k)",
    ),
    ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY k"),
    ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b DESC"),
    ("SELECT a FROM t ORDER BY b LIMIT 3", "SELECT a FROM t ORDER BY k LIMIT 3"),
    (
        "SELECT a FROM t WHERE a > 1 LIMIT 3",
        "SELECT a FROM (SELECT * FROM t LIMIT 3) WHERE a > 1",
    ),
    (
        "SELECT a, sum(b) OVER (PARTITION BY k) AS s FROM t WHERE a > 1",
        "SELECT a, s FROM (SELECT a, sum(b) OVER (PARTITION BY k) AS s FROM t) WHERE a > 1",
    ),
    (
        "SELECT k, sum(a) AS s FROM t WHERE k > 1 GROUP BY k",
        "SELECT k, s FROM (SELECT k, sum(a) AS s FROM t GROUP BY k) WHERE s > 1",
    ),
    (
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k AND t.a > 1",
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k WHERE t.a > 1",
    ),
    (
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k AND u.a > 1",
        "SELECT t.a FROM t LEFT JOIN u ON t.k = u.k WHERE u.a > 1",
    ),
    (
        "SELECT t.a FROM t FULL JOIN u ON t.k = u.k WHERE t.a > 1",
        "SELECT x.a FROM (SELECT * FROM t WHERE a > 1) AS x FULL JOIN u ON x.k = u.k",
    ),
    (
        "SELECT t.a FROM t RIGHT JOIN u ON t.k = u.k WHERE t.a > 1",
        "SELECT x.a FROM (SELECT * FROM t WHERE a > 1) AS x RIGHT JOIN u ON x.k = u.k",
    ),
    ("SELECT count(a) AS n FROM t", "SELECT count(DISTINCT a) AS n FROM t"),
    ("SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM t UNION ALL SELECT a FROM u"),
    (
        "SELECT a FROM t UNION ALL SELECT a FROM u UNION ALL SELECT a FROM u",
        "SELECT a FROM t UNION ALL SELECT a FROM u",
    ),
    ("SELECT a FROM t EXCEPT SELECT a FROM u", "SELECT a FROM u EXCEPT SELECT a FROM t"),
    (
        "SELECT to_json(struct(a AS x)) AS j FROM t",
        "SELECT to_json(struct(a AS y)) AS j FROM t",
    ),
    (
        "SELECT rand(1) AS r, rand(1) AS q FROM t",
        "SELECT r, r AS q FROM (SELECT rand(1) AS r FROM t)",
    ),
    ("SELECT CAST(a AS BIGINT) AS a FROM t", "SELECT a FROM t"),
    (
        "SELECT a FROM t GROUP BY GROUPING SETS ((a), (a))",
        "SELECT a FROM t GROUP BY GROUPING SETS ((a))",
    ),
    (
        "SELECT first(a) AS f FROM (SELECT * FROM t ORDER BY b)",
        "SELECT first(a) AS f FROM (SELECT * FROM t ORDER BY k)",
    ),
    (
        "SELECT a, tag FROM t LATERAL VIEW explode(tags) v AS tag",
        "SELECT a, tag FROM t LATERAL VIEW OUTER explode(tags) v AS tag",
    ),
    (
        "SELECT l.m FROM t, LATERAL (SELECT max(u.a) AS m FROM u WHERE u.k = t.k) AS l",
        "SELECT l.m FROM t, LATERAL (SELECT max(u.a) AS m FROM u WHERE u.k = u.k) AS l",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_meaning_is_one_form(env: TableEnvironment, one: str, other: str) -> None:
    assert same(env.sql_query(one).operation, env.sql_query(other).operation)


@pytest.mark.parametrize(("one", "other"), APART)
def test_other_meanings_are_other_forms(env: TableEnvironment, one: str, other: str) -> None:
    first, second = env.sql_query(one).operation, env.sql_query(other).operation
    assert not same(first, second)
    assert same(first, env.sql_query(one).operation)


def same(one: QueryOperation, other: QueryOperation) -> bool:
    forms = NormalForms()
    return forms.of(one) == forms.of(other)


@pytest.mark.parametrize(
    "value",
    [
        *("max_by(b, a)", "min_by(b, a)", "max_by(b, a, 2)", "approx_percentile(a, 0.5, 5)"),
        *("listagg(s) WITHIN GROUP (ORDER BY a)", "mode(s)", "first(s)", "max_by(b, a) OVER ()"),
        *("row_number() OVER (ORDER BY a)", "lag(b) OVER (ORDER BY a)"),
        *("ntile(3) OVER (ORDER BY a)", "first_value(b) OVER (ORDER BY a)"),
        "count(b) OVER (ORDER BY a ROWS 1 PRECEDING)",
    ],
)
def test_what_breaks_ties_by_where_rows_stand_reads_hints(
    env: TableEnvironment, value: str
) -> None:
    """Spark gives other rows for the one than for the other."""
    one = env.sql_query(f"SELECT {value} AS x FROM t")
    other = env.sql_query(f"SELECT {value} AS x FROM (SELECT /*+ REPARTITION(3) */ * FROM t)")
    assert not same(one.operation, other.operation)


@pytest.mark.parametrize(
    "value", ["max(b)", "rank() OVER (ORDER BY a)", "count(*) OVER (PARTITION BY a)", "a"]
)
def test_what_breaks_none_does_not(env: TableEnvironment, value: str) -> None:
    one = env.sql_query(f"SELECT {value} AS x FROM t")
    other = env.sql_query(f"SELECT {value} AS x FROM (SELECT /*+ REPARTITION(3) */ * FROM t)")
    assert same(one.operation, other.operation)


def test_what_differs_is_said(env: TableEnvironment) -> None:
    forms = NormalForms()
    one = forms.of(env.sql_query("SELECT a FROM t WHERE a > 1 ORDER BY b").operation)
    other = forms.of(env.sql_query("SELECT a FROM t WHERE a > 1 ORDER BY k").operation)
    assert forms.difference(one, other) == "the order of the rows"


def test_every_operation_has_a_rule() -> None:
    kinds = {
        kind
        for kind in vars(nodes).values()
        if isinstance(kind, type) and issubclass(kind, QueryOperation)
    }
    assert kinds == RULES.keys()


def test_what_is_used_again_and_again_is_read_once(env: TableEnvironment) -> None:
    table = env.from_path("t").select("a", "k")
    for _ in range(60):
        table = table.union_all(table).filter(col("a") > 1)
    begun = time.process_time()
    assert same(table.operation, table.operation)
    assert time.process_time() - begun < 5
