"""Queries that fit in every name and type, and that Spark's analyzer refuses all the same."""

REFUSED_BY_SPARK = [
    # columns of queries around
    (
        "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k IN (SELECT t.a))",
        "no column `t.a`",
    ),
    ("SELECT (SELECT (SELECT s)) FROM t", "no column `s`"),
    ("SELECT * FROM t, LATERAL (SELECT * FROM u, LATERAL (SELECT t.a + u.k))", "no column `t.a`"),
    ("SELECT (SELECT max(k) + t.a FROM u) FROM t", "a SELECT that groups"),
    ("SELECT (SELECT count(*) FROM u GROUP BY t.a) FROM t", "a SELECT that groups"),
    ("SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u HAVING max(k + t.a) > 1)", "in an aggregate"),
    ("SELECT * FROM t, LATERAL (SELECT sum(k) OVER (ORDER BY t.a) FROM u)", "in the window of"),
    ("SELECT * FROM t WHERE a IN (SELECT k FROM u ORDER BY t.b)", "in ORDER BY"),
    ("SELECT * FROM t, LATERAL (VALUES (t.a))", "in VALUES"),
    ("SELECT * FROM n, LATERAL (SELECT explode(n.arr) FROM u)", "makes rows of a relation"),
    ("SELECT * FROM n, LATERAL (SELECT * FROM u LATERAL VIEW explode(n.arr) e AS v)", "makes rows"),
    ("SELECT s, (SELECT max(k) FROM u WHERE w = s) FROM t GROUP BY s", "neither a grouping key"),
    (
        "SELECT * FROM t JOIN u ON t.a = (SELECT max(b) FROM t AS v WHERE v.a = u.k)",
        "column around",
    ),
    # joins
    ("SELECT * FROM t RIGHT JOIN LATERAL (SELECT k FROM u) ON true", "cannot be LATERAL"),
    ("SELECT * FROM t, LATERAL (SELECT rand(0) FROM u)", "the same each time"),
    ("SELECT * FROM t JOIN u ON rand(0) > 0.5", "the same each time"),
    # aliases of items further left
    ("SELECT a AS q, q + 1 AS r FROM t GROUP BY a, r", "key uses the alias"),
    ("SELECT a AS q, q + 1 AS r FROM t GROUP BY 1, 2", "key uses the alias"),
    ("SELECT a AS q, count(*) AS c, c + 1 AS r FROM t GROUP BY ALL", "key uses the alias"),
    ("SELECT a AS q, row_number() OVER (ORDER BY q) FROM t", "window function uses the alias"),
    ("SELECT a AS q, explode(array(q)) FROM t", "generator uses the alias"),
    ("SELECT a AS q, sum(q) FROM t GROUP BY a", "aggregate function uses the alias"),
    ("SELECT explode(arr) AS v, sum(v) OVER () FROM n", "window function uses the alias"),
    # aggregates and windows
    (
        "SELECT a, count(*), rank() OVER (ORDER BY a) FROM t GROUP BY a ORDER BY count(*)",
        "beside a w",
    ),
    ("SELECT a AS q, count(*) AS c, c + 1 FROM t GROUP BY q ORDER BY count(*)", "beside an item"),
    ("SELECT -a, rank() OVER (ORDER BY max(b)) FROM t GROUP BY -a ORDER BY -a", "column `a`"),
    ("SELECT a FROM t GROUP BY a ORDER BY rank() OVER (ORDER BY a)", "cannot stand in ORDER BY"),
    ("SELECT a FROM t GROUP BY a HAVING rank() OVER (ORDER BY a) > 1", "cannot stand in HAVING"),
    ("SELECT rank() OVER (ORDER BY a) AS r FROM t GROUP BY r", "cannot be a grouping key"),
    ("SELECT a, rank() OVER (ORDER BY a) FROM t GROUP BY ALL", "cannot be a grouping key"),
    ("SELECT max(rank() OVER (ORDER BY a)) FROM t", "is given a window function"),
    ("SELECT count(rand()) FROM t", "another value each time"),
    ("SELECT max(a) FILTER (WHERE rand() > 0.5) FROM t", "the same each time"),
    ("SELECT a FROM t QUALIFY a = 1", "beside no window function"),
    (
        "SELECT a, count(*), rank() OVER (ORDER BY a) FROM t GROUP BY a QUALIFY count(*) > 1",
        "cannot stand in QUALIFY",
    ),
    ("SELECT a FROM t GROUP BY a QUALIFY rank() OVER (ORDER BY count(*)) = 1", "stand in QUALIFY"),
    ("SELECT row_number() FROM t", "needs a window"),
    ("SELECT DISTINCT explode(collect_list(s)) AS e FROM t GROUP BY a ORDER BY a", "no column `a`"),
    # frames and names of windows
    ("SELECT sum(a) OVER (ORDER BY a ROWS 1L PRECEDING) FROM t", "is an INT, not BIGINT"),
    ("SELECT sum(a) OVER w FROM t WINDOW W AS (ORDER BY a)", "no window `w`"),
    ("SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY a), w AS (ORDER BY b)", "is there twice"),
    ("TABLE t |> JOIN u ON t.a = k JOIN n ON true", "expected the end"),
    ("FROM t |> ORDER BY a SORT BY b", "beside another order"),
    # columns and rows turned
    ("SELECT * FROM (SELECT b, s FROM t) UNPIVOT (v FOR c IN (b, s))", "a common type"),
    ("SELECT * FROM (SELECT a, s FROM t) PIVOT (abs(a) FOR s IN ('x'))", "takes aggregates"),
    (
        "SELECT * FROM (SELECT a, s FROM t) PIVOT (sum(a) OVER () FOR s IN ('x'))",
        "takes aggregates",
    ),
]
