"""What Spark's analyzer refuses is refused when it is read, with its place."""

from __future__ import annotations

import pytest

from tests.parser.refused_by_spark import REFUSED_BY_SPARK
from tests.parser.tables import read
from viewscribe.errors import ViewscribeError

REFUSED = [
    # what Spark takes for another thing than it looks like
    ("SELECT b AS a, max(x) FROM t GROUP BY ROLLUP(a, b) HAVING abs(a) > max(x)", "calls or casts"),
    ("SELECT sum(a) FROM t GROUP BY ROLLUP(a) ORDER BY sum(a)", "which is NULL to Spark"),
    ("SELECT * EXCEPT (a) FROM (SELECT a, * FROM t)", "`a` is ambiguous"),
    ("SELECT GROUPING(a + 1) FROM t GROUP BY ROLLUP (a)", "plus\\(a, 1\\) is none"),
    ("SELECT GROUPING_ID(a, b) FROM t GROUP BY ROLLUP (a)", "b is none"),
    ("SELECT window(at, 'desc') FROM t", "'desc' is not a length of time"),
    ("SELECT window(at, '1 month') FROM t", "is not a length of time"),
    ("SELECT window(at, INTERVAL '5' MINUTE) FROM t", "is not the length of a window"),
    ("SELECT window(at, concat('1', ' day')) FROM t", "is not the length of a window"),
    ("SELECT window(at, '1 day', '2 days') FROM t", "rows between them would be lost"),
    ("SELECT session_window(at, INTERVAL '5' MINUTE) FROM t", "session_window"),
    ("FROM t |> EXTEND t.a |> DROP a", "`a` is ambiguous"),
    ("SELECT * FROM (SELECT a, a, b FROM t) PIVOT (max(b) FOR a IN (1))", "`a` is ambiguous"),
    ("SELECT pi(x -> x) FROM t", "argument 1 cannot be a function"),
    ("SELECT sha256(s) FROM t", "no function `sha256`"),
    ("SELECT max(min(a)) FROM t", "is given an aggregate"),
    ("SELECT sum(a) FILTER (WHERE max(b) > 1) FROM t", "aggregate function cannot stand in FILTER"),
    ("SELECT sum(a) FILTER (WHERE rank() OVER (ORDER BY a) > 1) FROM t", "window function cannot"),
    ("SELECT stack(2, explode(arr)) FROM n", "generator cannot be an argument"),
    ("SELECT a FROM t ORDER BY explode(array(1))", "generator cannot stand in ORDER BY"),
    ("SELECT a FROM t ORDER BY a IN (SELECT k FROM u)", "ORDER BY takes sub-queries of one value"),
    ("SELECT a FROM t ORDER BY (SELECT k FROM u WHERE u.a = t.a)", "without columns around them"),
    ("SELECT a, GROUPING(a) FROM t GROUP BY a", "needs ROLLUP, CUBE or GROUPING SETS"),
    ("SELECT grouping_id() FROM t GROUP BY GROUPING SETS (())", "needs ROLLUP, CUBE or"),
    ("SELECT a FROM t GROUP BY a HAVING max(b) > 1 ORDER BY max(x)", "beside HAVING"),
    (
        "SELECT a AS b, count(*) AS c FROM t GROUP BY a, b "
        "HAVING b > 1 AND EXISTS (SELECT 1 FROM u WHERE k = c)",
        "no column `c`",
    ),
    ("SELECT *, count(*) FROM t GROUP BY 1", "is no key"),
    ("SELECT count() FROM t", "write count"),
    ("SELECT (WITH q AS (SELECT a) SELECT 1) FROM t", "nothing reads the CTE `q`"),
    ("SELECT (WITH q AS (SELECT a) SELECT max(x.a) FROM q x, q y) FROM t", "once each"),
    ("SELECT count(t.*) FROM t", "name the columns"),
    ("WITH q AS (SELECT 1), Q AS (SELECT 2) SELECT * FROM q", "`Q` is there twice"),
    ("SELECT mask(str => s, 'x') FROM t", "stands behind one by name"),
    ("SELECT mask(s, digitChar => 'd', digitChar => 'e') FROM t", "is there twice"),
    ("SELECT * FROM VALUES (rand(5))", "the same each time"),
    ("SELECT * FROM VALUES (count(1))", "cannot stand in VALUES"),
    ("SELECT timestampadd('MONTH', 1, d) FROM t", "a word without quotes"),
    ("SELECT INTERVAL 1 YEAR '2-1' YEAR TO MONTH", "stands alone"),
    ("SELECT INTERVAL 2147483647 DAY", "more than 999,999,999 days"),
    ("SELECT (a, b) IN ((1, 2)) FROM t", "in\\(STRUCT"),
    ("SELECT DATE '1999 08 01'", "is no DATE"),
    ("SELECT DATE 'today' FROM t", "another one the next day"),
    ("SELECT TIMESTAMP ' NOW utc' FROM t", "another one the next day"),
    ("SELECT session.v FROM t", "is a variable of the session"),
    ("SELECT a + system.session.v FROM t", "is a variable of the session"),
    ("SELECT *", "without columns"),
    ("SELECT collect_list(st).f FROM n", "give it an alias"),
    ("SELECT size(filter(array(st), e -> e.f > 1).f) FROM n", "give it an alias"),
    ("SELECT null.a FROM t AS null", "NULL is a constant"),
    ("SELECT null.x FROM (SELECT named_struct('x', 1) AS null)", "NULL is a constant"),
    ("WITH null AS (SELECT 1 AS null) SELECT null.null FROM null", "NULL is a constant"),
    ("SELECT 1E309", "too large"),
    ("SELECT 1e39F", "too large"),
    ("SELECT a FROM t GROUP BY ROLLUP(a, ())", "of an empty set"),
    ("SELECT * FROM t NATURAL JOIN LATERAL (SELECT 1)", "cannot be LATERAL"),
    ("SELECT * FROM t JOIN LATERAL (SELECT 1 AS a) USING (a)", "has no USING"),
    ("SELECT * FROM t TABLESAMPLE (-1 PERCENT) REPEATABLE (1)", "between 0 and 100"),
    ("FROM t |> AGGREGATE a GROUP BY a", "takes aggregate functions"),
    ("FROM t |> EXTEND *", "takes no `\\*`"),
    ("FROM t |> DROP a, b, A", "EXCEPT twice"),
    ("SELECT * EXCEPT (st.g.h, n.st.g) FROM n", "EXCEPT twice"),
    ("SELECT * EXCEPT (st.zz) FROM n", "zz"),
    ("SELECT st.* EXCEPT (arr) FROM n", "arr"),
    ("FROM n |> DROP st.f, st.g", "leaves no field"),
    ("SELECT a FROM t WHERE a ! IN (1)", "write NOT"),
    ("SELECT a IS ! NULL FROM t", "write NOT"),
    ("FROM t |> ORDER BY a LIMIT 1", "steps of their own"),
    ("SELECT * FROM t RIGHT JOIN u APPROX NEAREST 1 BY DISTANCE b", "INNER or LEFT"),
    ("SELECT * FROM t JOIN u EXACT NEAREST BY DISTANCE (SELECT 1)", "holds a sub-query"),
    (
        "SELECT a FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE k = max(t.b))",
        "max.. is of the groups of the query around",
    ),
    ("SELECT a, t._metadata.file_name FROM t", "of the files that Spark reads"),
    ("SELECT counter + 1", "write :counter"),
    ("SELECT max(TABLE(t)) FROM t", "TABLE argument"),
    ("SELECT * FROM explode(collection => TABLE(t))", "TABLE|of tables"),
    (
        "SELECT a FROM t WHERE EXISTS (WITH q AS (SELECT rand() AS r) SELECT q.r FROM q, q AS p "
        "WHERE p.r < t.a)",
        "at the beginning of the statement",
    ),
    (
        "SELECT named_struct('a', 1) AS x FROM VALUES (NULL) AS v(x) GROUP BY x HAVING x.a = 1",
        "which is NULL",
    ),
    (
        "SELECT (WITH q(v) AS (SELECT a) SELECT (SELECT v FROM q)) FROM t",
        "uses a column around it",
    ),
    (
        "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 2 FOLLOWING AND 1 PRECEDING) FROM t",
        "cannot begin with 2 FOLLOWING",
    ),
    (
        "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM t",
        "cannot begin with 1 PRECEDING",
    ),
    (
        "SELECT sum(a) OVER (ORDER BY a RANGE BETWEEN 3 FOLLOWING AND 2 FOLLOWING) FROM t",
        "cannot begin with 3 FOLLOWING",
    ),
    (
        "SELECT sum(a) OVER (ORDER BY a ROWS UNBOUNDED FOLLOWING) FROM t",
        "cannot begin with UNBOUNDED FOLLOWING",
    ),
    ("SELECT sum(a) OVER (RANGE CURRENT ROW) FROM t", "needs a sort key"),
    (
        "SELECT sum(a) OVER (ORDER BY x RANGE BETWEEN 'inf' PRECEDING AND CURRENT ROW) FROM t",
        "a number or an interval",
    ),
    ("SELECT DATE '٢٠٢٤-01-01'", "is no DATE"),
    ("SELECT TIMESTAMP '2024-01-٠١'", "is no"),
    ("SELECT INTERVAL '٣ days'", "is no interval"),
    ("SELECT INTERVAL '1-٢' YEAR TO MONTH", "is no interval"),
    ("SELECT INTERVAL '1 ٠٢:03' DAY TO MINUTE", "is no interval"),
]


@pytest.mark.parametrize(("query", "reason"), REFUSED + REFUSED_BY_SPARK)
def test_refusals(query: str, reason: str) -> None:
    with pytest.raises(ViewscribeError, match=reason) as caught:
        read(query)
    assert "line 1, column" in str(caught.value)


def test_only_functions_of_spark_are_suggested() -> None:
    with pytest.raises(ViewscribeError) as refused:
        read("SELECT sha256(s) FROM t")
    assert refused.value.hint == "did you mean: sha2, sha, sha1"
