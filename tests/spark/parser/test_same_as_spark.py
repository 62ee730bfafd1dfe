"""Queries in text mean what Spark's analyzer says: same schema, same plan of the text printed.

No query runs: Spark analyzes and optimizes.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.parser.refused_by_spark import REFUSED_BY_SPARK
from tests.parser.tables import TABLES, read
from tests.spark.parser.empty_views import session_with
from viewscribe.serializer import to_sql
from viewscribe.spark.compare import compare_plans
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ITEMS = """
1 << 2; -0.0; 0.00000012; 1.2F; ! a IS NULL; a NOT BETWEEN 1 AND 2
0.1 > 1; 0.1 >= 1; 0.1 < 1; 0.1 <= 1; a > 0.5; a >= 0.5; a < 0.5; a <= -0.5; -1.5 <= a; 0.5 = a
a > 0.5 AND NOT (1.5 > a); (SELECT 1) > 0.5; a::int < 2; a::string <> 'x'
(a, s) IN ((1, 'a'), (2, s)); named_struct('x', a) <=> named_struct('y', a)
array((a, b)) = array((1, 2L)); nullif((a, 1), (1, a)); (a, 1) BETWEEN (0, 1) AND (1, 2)
INTERVAL '2' SECOND; INTERVAL -'1' DAY; INTERVAL '-1 day -2 hours'
INTERVAL '-\t 1' DAY; 2 * INTERVAL '3' HOUR
s - INTERVAL '1' DAY; 7S + d; NULL + d; d - NULL; d + INTERVAL '1' DAY; INTERVAL '1' DAY + d
TIMESTAMP '2020-01-01 00:00:00 Europe/Oslo'; INTERVAL '-100' DAY '299.889987299' SECOND
to_char(d, 'y'); to_varchar(a, '9'); array_agg(a) OVER (); datepart('year', d)
substr(s FROM 2); s ILIKE 'a#%' ESCAPE '#'; mask(upperChar => 'Q', str => s)
unix_date(date('2020-01-01')); double('1') + 1; CAST(NULL AS ARRAY<INT>); string(a)
lpad(CAST(s AS BINARY), 5); (SELECT max(k) FROM u WHERE u.a = t.a); random(1)
EXISTS (SELECT 1 FROM u WHERE k = b); a IN (SELECT k FROM u)
(SELECT max(k) FROM u WHERE u.a = t.a AND k > t.a)
(1, a + 1, s, t.b, NULL, 1.5, true, a AS z) IN (SELECT 1, 1, s, b, s, 1.5D, true, 2 FROM t)
(a, b) NOT IN (SELECT k, a FROM u); s LIKE ALL ('a', s, 'c'); s NOT LIKE ANY ('a', upper('x'))
s LIKE ANY (NULL); s ILIKE ANY ('a', upper('b')); s NOT ILIKE ALL ('a', s, 'c'); s LIKE ANY ('a', 1)
s LIKE ALL ('a' || 'b', CAST('c' AS STRING)); mask('a' COLLATE UTF8_LCASE, otherChar => 'q')
make_interval(1) / 2; 2 * make_interval(1); make_interval(1) + s; d - make_interval(1)
sum(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
"""

COLUMNS = [f"SELECT {item.strip()} FROM t" for item in re.split(r"[;\n]", ITEMS.strip())]

QUERIES = [
    "SELECT DISTINCT a AS x, b AS x FROM t ORDER BY ALL",
    "SELECT a AS x, b AS x FROM t UNION SELECT k, k FROM u ORDER BY ALL LIMIT 2",
    "SELECT a FROM t WHERE s NOT IN (SELECT 'A' COLLATE UTF8_BINARY AS x)",
    "SELECT a FROM t WHERE (s, s) IN (SELECT 'A' AS x, 'b' AS y) AND s IN (SELECT ALL 'x')",
    "SELECT a, upper(s) FROM (SELECT a, s, * FROM t) WHERE a > 1 ORDER BY s",
    "SELECT x.a, count(*) FROM (SELECT a, t.* FROM t) AS x GROUP BY x.a HAVING x.a > 1",
    "WITH c AS (SELECT a, a FROM t) SELECT (SELECT max(k) FROM u WHERE u.a = c.a) AS m, a FROM c",
    "SELECT a FROM (SELECT DISTINCT a, a FROM t), LATERAL (SELECT a + 1 AS more)",
    "FROM t |> SELECT a, a, b |> WHERE a > 1 |> EXTEND a + 1 AS c |> ORDER BY a",
    "SELECT format_string('%s' COLLATE UTF8_LCASE, s), format_string(folded, 1) FROM t, c",
    "SELECT aggregate(arr, (0 AS sum, 0 AS n), (acc, x) -> (acc.sum + x, acc.n + 1)) AS v FROM n",
    "SELECT aggregate(array(1), array(array(0)), (acc, x) -> array(array(x))) FROM n",
    "SELECT aggregate(array(1), struct('a', 0), struct('b', 9), acc -> acc.col2) AS v FROM n",
    "SELECT listagg(DISTINCT CAST(a AS STRING), ',') WITHIN GROUP (ORDER BY a) FROM t",
    "SELECT listagg(DISTINCT CAST(s AS BINARY)) WITHIN GROUP (ORDER BY s DESC) FROM t",
    "WITH RECURSIVE r AS (SELECT 'x' AS v, 1 AS i UNION ALL SELECT w, k FROM r JOIN u ON i = k) "
    "SELECT * FROM r",
    "WITH RECURSIVE r AS (SELECT array(1) AS v UNION ALL SELECT arr FROM r, n) SELECT * FROM r",
    "SELECT sum(b) FROM t GROUP BY a + 1, b + 2 ORDER BY 1 + a, 2 + b DESC",
    "SELECT 'x' AS st FROM n GROUP BY st HAVING st.f > 0 ORDER BY st.f",
    "SELECT named_struct('q', 1) AS st FROM n GROUP BY st HAVING st.q > 0 ORDER BY st.q",
    "SELECT a FROM t WHERE a IN (SELECT t.b FROM u WHERE u.k = t.a ORDER BY b)",
    "SELECT x FROM (SELECT s.f AS x FROM t, same AS s DISTRIBUTE BY x)",
    "SELECT DATE '2020-01-31' AS a FROM (SELECT DISTINCT a AS x, b FROM t DISTRIBUTE BY x)",
    "SELECT inline(array(struct(1 AS f, 's' AS g))), a FROM t DISTRIBUTE BY g",
    "SELECT a > 1.5, a >= 1.5, a < 1.5, a <= 1.5, 1.5 > a, 1.5 >= a, 1.5 < a, 1.5 <= a FROM t",
    "SELECT a > -1.5, a = 1.5, 1.5 > 5Y, b > 2.0, b < 0.0, NULL < 1.5, a > decimal('1.5') FROM t",
    "SELECT sum(a) FILTER (WHERE a > 1.5), CASE WHEN a + 1 > -0.5 THEN 1 END FROM t GROUP BY a",
    "FROM n |> SELECT st AS st, arr AS f |> AS x |> SELECT st.f",
    "FROM same |> SELECT same AS same, f AS f |> SELECT same.f",
    "FROM same |> SELECT same AS same, f |> SELECT same.f",
    "FROM same |> SELECT same.same AS same, same.f AS f |> WHERE same.f = 1",
    "FROM same |> AGGREGATE count(*) AS n GROUP BY same AS same, f AS f |> SELECT same.f",
    "FROM same |> SELECT same AS same, f AS f |> UNION ALL (TABLE same) |> SELECT same.f",
    "FROM same |> SELECT DISTINCT same AS same, f AS f |> ORDER BY same.f",
    "(SELECT same AS same, f AS f FROM same) |> SELECT same.f",
    "SELECT same AS same, f AS f FROM same ORDER BY same.f",
    "SELECT same, f FROM same ORDER BY same.f",
    "SELECT same AS same, f AS f FROM same QUALIFY row_number() OVER (ORDER BY same.f) = 1",
    "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 + 1 PRECEDING AND 2 * 3 FOLLOWING) FROM t",
    "SELECT sum(a) OVER (ORDER BY d RANGE BETWEEN INTERVAL 1 DAY + INTERVAL 1 DAY PRECEDING "
    "AND CURRENT ROW) FROM t",
    "SELECT transform(q, x -> x) FROM (SELECT (SELECT array(1)) AS q FROM u)",
    "SELECT array_sort(q) FROM (SELECT (SELECT array(1)) AS q FROM u)",
    "SELECT transform(array(1), x -> x + q) FROM (SELECT (SELECT max(k) FROM u) AS q FROM u)",
    "SELECT folded = 'A', plain = 'A', elt(1, folded, 'w'), encode(folded, 'utf-8') FROM c",
    "SELECT concat_ws(',', folded, 'w' COLLATE UTF8_BINARY) FROM c",
    "SELECT st.f, st.g.h, st['f'], named_struct('a', 1).a, map('a', 1).a, m.k, arr[0] FROM n",
    "SELECT a AS v, v + 1 FROM t",
    "SELECT rand(1) AS r, r + 1 FROM t",
    "SELECT st.f, f + 1 AS y FROM n",
    "SELECT a, grouping__id FROM t GROUP BY CUBE(a)",
    "SELECT a, s, count(*) FROM t GROUP BY GROUPING SETS ((a), (a, s))",
    "SELECT a, s, grouping_id() FROM t GROUP BY a, ROLLUP(s, b), CUBE(d)",
    "SELECT a + b AS v, b, sum(a) FROM t GROUP BY GROUPING SETS ((a + b), (b + a), (b))",
    "SELECT parse_json(s):`a.b`.c['d.e'][1]::STRING, parse_json(s):x.`a-b` FROM t",
    "SELECT sum(a) FROM t HAVING sum(a)",
    "SELECT * FROM (SELECT 1 AS q) AS o, LATERAL (SELECT o.q + 1)",
    "SELECT *, u.* FROM t JOIN u USING (a)",
    "SELECT u.a, t.a, a FROM t FULL JOIN u USING (a)",
    "SELECT * FROM t NATURAL JOIN u JOIN n ON u.a = 1",
    "SELECT u.*, n.* FROM t NATURAL JOIN u JOIN n ON u.a = 1",
    "SELECT u.*, e.* FROM t NATURAL JOIN u LATERAL VIEW explode(array(u.a)) e AS v",
    "SELECT * FROM t NATURAL JOIN u, LATERAL (SELECT u.a + 1 AS z)",
    "SELECT a % 7 AS v, count(*) AS c FROM t GROUP BY a % 7 ORDER BY a % 7 % 3 + 1",
    "SELECT count(*) AS c FROM t GROUP BY a + 1, b ORDER BY a + 1 + b, max(x)",
    "SELECT b, a, count(*) AS c FROM t GROUP BY b, a HAVING EXISTS (SELECT 1 FROM u WHERE k = t.a)",
    "SELECT u.a AS x FROM u JOIN t ON t.a = k GROUP BY u.a HAVING u.a IN (SELECT t.b FROM t "
    "WHERE t.a = u.a)",
    "SELECT -a AS a, count(*) AS c FROM t GROUP BY -a ORDER BY -a",
    "SELECT b AS a, count(*) AS c FROM t GROUP BY b, a + 1 ORDER BY a + 1",
    "FROM t |> JOIN u USING (a) |> SELECT u.*, u.a, t.a",
    "FROM t |> JOIN u USING (a) |> WHERE u.a > 1 |> EXTEND b + 1 AS z |> DROP b",
    "SELECT st.* EXCEPT (g), * EXCEPT (n.st.G, m), arr FROM n",
    "FROM n |> DROP st.f, m |> SELECT st.*, n.arr",
    "FROM t |> AGGREGATE sum(b) AS v GROUP BY 1",
    "FROM t |> ORDER BY b |> LIMIT 3 |> AS q |> SELECT q.a",
    "SELECT posexplode(arr) AS (p, v), p + v AS q FROM n",
    "SELECT v.* FROM n, LATERAL (SELECT * FROM explode(arr)) AS v",
    "SELECT * FROM n LEFT JOIN LATERAL explode(arr) AS e(v) ON v > 1",
    "SELECT v.* FROM u, LATERAL (SELECT u.*) AS v",
    "SELECT * FROM (SELECT s, a FROM t) PIVOT (sum(a) FOR s IN ('x', 'y' AS z))",
    "SELECT * FROM (SELECT s, a, b FROM t) PIVOT (sum(b) FOR (s, a) IN (('x', 1), ('y', 2) AS z))",
    "SELECT explode(arr) AS x, explode(array(x, 1)) AS y FROM n",
    "SELECT a, explode(collect_list(s)) AS v, count(*) AS c FROM t GROUP BY a ORDER BY c, v",
    "SELECT explode(arr) AS v, count(*) FROM n GROUP BY 1",
    "SELECT explode(arr) AS v FROM n GROUP BY ALL",
    "SELECT explode(collect_list(b)) AS e FROM t GROUP BY a, s ORDER BY upper(s) || e, t.a, 1",
    "SELECT a, rank() OVER (ORDER BY max(b)) AS r FROM t GROUP BY a, s ORDER BY upper(s), r",
    "SELECT a, count(*) AS c FROM t GROUP BY a QUALIFY sum(c) OVER () > 1",
    "SELECT sum(a) OVER w, sum(a) OVER W FROM t WINDOW w AS (ORDER BY a), W AS (ORDER BY b)",
    "SELECT (SELECT sum(k + t.a) OVER () FROM u LIMIT 1) FROM t",
    "SELECT a FROM t EXCEPT SELECT k FROM u INTERSECT SELECT 1",
    "SELECT a FROM t LIMIT 2 + 1",
    "SELECT a FROM t CLUSTER BY a",
    "SELECT a FROM t DISTRIBUTE BY a SORT BY a DESC",
    "SELECT a, count(*) AS c FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.k = c)",
    "SELECT a % 2 AS v, count(*) AS c FROM t GROUP BY a % 2 "
    "HAVING c > 1 AND max(b) > 0 AND (SELECT count(*) FROM u WHERE k = v) > 0 ORDER BY v",
    "SELECT DISTINCT count(*) AS c FROM t HAVING c IN (SELECT k FROM u WHERE u.a < c)",
    "SELECT a FROM t CLUSTER BY b",
    "SELECT a FROM t AS x DISTRIBUTE BY x.b, x.a SORT BY x.s LIMIT 3",
    "SELECT a AS b, b AS a FROM t CLUSTER BY b, a % 3",
    "SELECT a AS key_1 FROM t CLUSTER BY b, a + 1",
    "SELECT a, count(*) AS c FROM t GROUP BY a, b DISTRIBUTE BY b",
    "SELECT DISTINCT a FROM t DISTRIBUTE BY a % 2",
    "SELECT a FROM t UNION ALL SELECT k FROM u CLUSTER BY a % 2",
    "SELECT explode(array(1, 2)) AS e FROM t DISTRIBUTE BY b",
    "SELECT a FROM t QUALIFY rank() OVER (ORDER BY a) = 1 DISTRIBUTE BY b",
    "FROM t |> SELECT a |> DISTRIBUTE BY a % 2",
    "SELECT order.a FROM t order JOIN u sort ON order.a = sort.k WHERE b > 1 ORDER BY order.b",
    "SELECT `all` FROM (SELECT a AS `all`, b FROM t) GROUP BY all",
    "SELECT * FROM (SELECT a, b AS all FROM t) ORDER BY ALL DESC",
    "SELECT a, b FROM t ORDER BY ALL",
    "SELECT b FROM (SELECT a AS all, b FROM t) ORDER BY ALL",
    "SELECT id FROM IDENTIFIER('ra' || 'nge')(0, 1)",
    "WITH q(v) AS (SELECT a FROM t) SELECT * FROM q AS one JOIN q AS two ON one.v = two.v",
    "WITH u AS (SELECT 1 AS z) FROM t |> LEFT JOIN u ON z = a |> UNION ALL (SELECT t.*, 2 FROM t)",
    "SELECT a FROM t UNION ALL FROM u SELECT k ORDER BY k LIMIT 1",
    "FROM u SELECT k ORDER BY k LIMIT 1 UNION ALL SELECT a FROM t",
    "FROM t SELECT a ORDER BY a LIMIT 2 |> WHERE a > 1",
    "FROM t |> SELECT a |> UNION ALL SELECT k FROM u INTERSECT SELECT 7",
    "FROM t |> SELECT a UNION ALL SELECT k FROM u |> WHERE a > 2",
    "FROM (SELECT a, b FROM t) UNPIVOT (v FOR n IN (a, b)) LEFT JOIN u ON v = k",
    "FROM (SELECT a, b FROM t) UNPIVOT (v FOR n IN (a, b)) LEFT OUTER JOIN u ON v = k",
    "SELECT * FROM (SELECT s, a FROM t) PIVOT (sum(a) FOR s IN ('x')) NATURAL LEFT JOIN u ON k = x",
    "SELECT semi.* FROM (SELECT a, b FROM t) UNPIVOT (v FOR n IN (a, b)) SEMI, u",
    "SELECT * FROM u JOIN (SELECT s, b FROM t) PIVOT (sum(b) FOR s IN ('x', 'y'))",
    "FROM n |> EXTEND n.st.f, (st).g, m.k, st.f::BIGINT, st AS q",
    "FROM n |> SET st = struct(arr AS st) |> SELECT st.st, n.arr",
    "SELECT t.* FROM t LEFT SEMI JOIN u ON k = t.a LEFT SEMI JOIN n ON true",
    "SELECT q.* FROM (SELECT b, a, s FROM t) AS q LEFT ANTI JOIN u USING (a)",
    "SELECT q.*, a FROM (SELECT b, a, s FROM t) AS q LEFT SEMI JOIN u USING (a) JOIN n",
    "SELECT (b > 1) IS UNKNOWN, TRUE IS UNKNOWN, (TRUE OR FALSE) IS NOT UNKNOWN FROM t",
    "SELECT arr, st.f AS st FROM n ORDER BY st.g.h",
    "SELECT a IN ((SELECT max(k) FROM u), 1), a IN (((SELECT max(k) FROM u))) FROM t",
    "SELECT (n.st).g.h, (t.s) FROM n JOIN t ON (n.m).k = (t).a",
    "FROM t |> SELECT s, a |> UNION (SELECT w, k FROM u) |> WHERE t.a > 1 |> SELECT t.s",
    "SELECT a FROM t UNION ALL SELECT k FROM u ORDER BY t.a",
    "SELECT a FROM t UNION ALL SELECT k FROM u |> WHERE t.a > 1",
    "SELECT a FROM t GROUP BY CUBE(a) ORDER BY grouping__id + 1, a",
    "SELECT (1.50BD + 20L) * 5Y, 1.5 + 100Y, 1.5 - 5S FROM t",
    "SELECT * FROM (SELECT 'x' AS current_time), LATERAL explode(array(current_time)) AS e(e)",
    "SELECT * FROM (SELECT 'x' AS current_time) AS q JOIN LATERAL explode(array(q.current_time))",
    "SELECT * FROM (SELECT 'x' AS current_time) LATERAL VIEW explode(array(current_time)) AS e",
    "FROM (SELECT 'x' AS current_time) |> JOIN LATERAL explode(array(current_time)) AS e(e)",
    "SELECT a, count(*) FROM t GROUP BY a HAVING NULL",
    "SELECT t.b, z FROM t, LATERAL (SELECT k + t.b AS z FROM u WHERE u.a = t.a ORDER BY k LIMIT 1)",
    "SELECT t.b, w FROM t, LATERAL (SELECT w FROM u WHERE u.a = t.a ORDER BY k DESC LIMIT 1)",
    "SELECT (SELECT w FROM u WHERE u.a = t.a ORDER BY k DESC LIMIT 1) AS w FROM t",
    "FROM u |> SET k = explode(array(1, 2)), A = k + 1 |> SELECT k + 1, A",
    "FROM u |> SET K = 5, k = K + 1 |> SELECT *",
    "FROM (SELECT 1 AS window) |> AGGREGATE count(*) AS c GROUP BY window |> SELECT window",
    "SELECT window FROM (SELECT 1 AS window) ORDER BY window LIMIT 3",
    "SELECT sum(window) OVER w AS s FROM (SELECT 1 AS window) WINDOW w AS (ORDER BY window)",
    "SELECT * FROM t TABLESAMPLE (100 PERCENT) WHERE a > 1",
    "SELECT * FROM (t TABLESAMPLE (50 PERCENT) REPEATABLE (1)) TABLESAMPLE (40 PERCENT) "
    "REPEATABLE (2)",
    "SELECT window || 'x', window >= 1 AND window BETWEEN 1 AND 2 FROM (SELECT 1 AS window)",
    "SELECT (EXISTS (SELECT 1 FROM u)) IS NULL, a FROM t",
    "SELECT a FROM t WHERE (EXISTS (SELECT 1 FROM u WHERE k = t.a)) = (a > 1)",
    "SELECT CASE EXISTS (SELECT 1 FROM u) WHEN true THEN 1 END AS x FROM t",
    "SELECT (EXISTS (SELECT 1 FROM u)) IN (true, a > 1) AS x, NOT EXISTS (SELECT 1 FROM u) FROM t",
    "SELECT NOT + v <=> 1 FROM (SELECT 1 AS v, 2 AS not)",
    "SELECT CASE + a WHEN 1 THEN 2 END FROM t",
    "SELECT * FROM VALUES struct(1, 'x'), (2, 'y')",
    "SELECT t.* EXCEPT (a), u.* EXCEPT (a, k) FROM t JOIN u ON t.a = u.a",
    "FROM t |> EXTEND sum(a) OVER w AS v WINDOW w AS (PARTITION BY s)",
    "SELECT a FROM t ORDER BY (a, b) = (1, 2L), a",
    "SELECT sum(a) OVER (ORDER BY p RANGE INTERVAL '1' MONTH PRECEDING) AS v FROM "
    "(SELECT a, make_ym_interval(a) AS p FROM t)",
    "SELECT a, sum(b) OVER (ORDER BY b) AS a FROM t ORDER BY 2",
    "SELECT a, (SELECT max(k) FROM u WHERE u.a = t.a) AS a FROM t ORDER BY 2",
    "SELECT a, b IN (SELECT k FROM u) AS a FROM t ORDER BY ALL",
    "SELECT /*+ REPARTITION(a) */ a, b FROM t",
    "FROM t |> DISTRIBUTE BY a |> SELECT a, b AS a",
    "SELECT a, s, grouping_id(a, s) FROM t GROUP BY CUBE(a, s)",
    "SELECT struct(m['a']), struct(map('a', 1).a), struct(m[s]), struct(arr[0], 1) FROM n, t",
    "SELECT struct(parse_json(s):a, parse_json(s):b[0], parse_json(s):['x y']) FROM t",
    "SELECT (m['a'], 1), (struct(1 AS k).k, 2), (st.g.h, 3), (1 AS x, st) FROM n",
    "SELECT array_sort(arr, (left, right) -> CASE WHEN left < right THEN -1 ELSE 1 END) FROM n",
    "SELECT transform(arr, end -> end + 1), filter(arr, null -> null > 1) AS f FROM n",
    "SELECT string_agg(DISTINCT s, ',') WITHIN GROUP (ORDER BY s), string_agg(s) FROM t",
    "SELECT to_char(x, 'hex'), to_char(x, 'BASE64'), to_char(x, 'utf-8'), to_varchar(x, 'hex'), "
    "to_varchar(x, 'utf-8') FROM (SELECT CAST(s AS BINARY) AS x FROM t)",
    "SELECT f LIKE 'A', f NOT LIKE 'a!%' ESCAPE '!', f ILIKE 'a', f BETWEEN 'a' AND 'b', f = 'a', "
    "nullif(f, 'a'), nvl(f, 'a'), nvl2(f, 'a', 'b'), equal_null(f, 'a'), f IN ('a', 'b') "
    "FROM (SELECT s COLLATE UTF8_LCASE AS f FROM t)",
    "SELECT * FROM (SELECT s COLLATE UTF8_LCASE AS p, a FROM t) PIVOT (max(a) FOR p IN ('X', 'b'))",
    "SELECT upper(s) AS y, count(a) AS s FROM t GROUP BY upper(s) HAVING s > 0",
    "SELECT upper(s) AS y, count(a) AS s FROM t GROUP BY upper(s) HAVING upper(s) = 'X'",
    "SELECT s AS y, count(a) AS a, max(b) AS b FROM t GROUP BY s HAVING a > 0 AND max(a) > 0",
    "SELECT struct(IDENTIFIER('a'), a), (b, IDENTIFIER('t.s'), IDENTIFIER('s')) FROM t",
    "SELECT to_json(struct(m['a'])) AS j, to_json((st, m['a'])) AS k FROM n",
    "SELECT inline(array(struct(m['a'], 1))) FROM n",
    "SELECT struct(m['a']).a, (m['b'], 1).b FROM n",
    "SELECT arrays_zip(arr, array(1)), struct(st.f, st, st.g.h, -st.f) FROM n",
    *[f"SELECT {' AND '.join(['a > 1', 's IS NULL', 'b < 2', 'true'] * n)} FROM t" for n in (1, 3)],
    *[f"SELECT {' OR '.join(['a > 1'] * n)} FROM t" for n in (2, 3, 4, 5, 6, 7, 9)],
    "SELECT coalesce(g.*), struct(st.*), hash(st.*), hash(st.g.*), hash(*) FROM "
    "(SELECT st, st.g AS g FROM n)",
    "SELECT explode(arr) AS e, e + 1 FROM n",
    "SELECT posexplode(arr) AS (p, c), p + c FROM n",
    "SELECT NOT s IS DISTINCT FROM 'x', s IS NOT DISTINCT FROM 'x', NOT s <=> 'x' FROM t",
    "SELECT sum(a) OVER (ORDER BY CAST(a AS DECIMAL(5, 2)) RANGE 0.5 PRECEDING) FROM t",
    "SELECT TIMESTAMP_NTZ '0001-01-01 00:00:00', TIMESTAMP '0999-01-01 00:00:00.5'",
]  # fmt: skip

HINTED = [
    f"SELECT /*+ {hint} */ {query}"
    for hint in ("REPARTITION(3)", "COALESCE(1)", "REPARTITION_BY_RANGE(2, a)", "REBALANCE(t.a)")
    for query in [
        "a FROM t ORDER BY a",
        "a FROM t ORDER BY b DESC, s LIMIT 2 OFFSET 1",
        "a FROM t SORT BY a",
        "a FROM t DISTRIBUTE BY a SORT BY a",
        "a FROM t LIMIT 2",
        "t.a, s FROM t ORDER BY t.b, a",
        "DISTINCT a FROM t ORDER BY a",
        "a, sum(b) AS v FROM t GROUP BY a, s HAVING max(b) > 1 ORDER BY s, v",
        "a, row_number() OVER (ORDER BY b) AS v FROM t QUALIFY v < 3 ORDER BY v",
        "a, explode(array(b)) AS v FROM t ORDER BY v",
        "a FROM t UNION ALL SELECT /*+ COALESCE(1) */ k FROM u ORDER BY a",
    ]
]
"""A hint is for the rows of its SELECT: what sorts and limits them comes later."""

OTHERWISE_PLANNED = [
    # Spark distributes by what it computes, we by a column that is computed before.
    "SELECT a AS b, b AS a FROM t CLUSTER BY b, a % 3",
    "SELECT a AS key_1 FROM t CLUSTER BY b, a + 1",
    "SELECT DISTINCT a FROM t DISTRIBUTE BY a % 2",
    "SELECT a FROM t UNION ALL SELECT k FROM u CLUSTER BY a % 2",
    "FROM t |> SELECT a |> DISTRIBUTE BY a % 2",
    "SELECT /*+ COALESCE(1) */ a, b AS v FROM t ORDER BY a + v",
    "SELECT /*+ COALESCE(1) */ a, grouping(a) FROM t GROUP BY CUBE(a) ORDER BY grouping(a)",
    "SELECT (SELECT array(1)) AS q, size(q), transform(q, x -> x + 1) FROM u",
    "SELECT a + 1 AS v, v::BIGINT, CAST(v AS STRING) || 'x', struct(a) AS w, w.a::STRING FROM t",
    "FROM t |> AGGREGATE count(*) + 1 GROUP BY 7 AS v, 1",
    "SELECT count(a) AS v, sum(a) + v FROM t GROUP BY ALL",
    "SELECT (a, b) IN ((1, 2L), (3, 4L)) FROM t",
    "SELECT 2 AS a, 3 AS a FROM t ORDER BY a",
    "SELECT a, b AS a FROM t ORDER BY a DESC",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r",
    "WITH RECURSIVE r AS (SELECT k, a FROM u UNION ALL SELECT u.k, u.a FROM u JOIN r ON u.a = r.k) "
    "SELECT a, count(*) AS c FROM r GROUP BY a",
    "SELECT * FROM (SELECT a, b, s FROM t) UNPIVOT ((v, w) FOR n IN ((a, s) AS x, (b, s)))",
    "SELECT count(a) AS n, sum(a) + n AS m FROM t GROUP BY ALL",
    "SELECT * FROM (SELECT a, b FROM t) UNPIVOT INCLUDE NULLS ((v, w) FOR n IN ((a, b), (b, a)))",
]
"""Queries whose text has another plan: names and types are compared only."""

REFUSED = [
    "SELECT (1 AS x).x",
    "FROM t |> EXTEND sum(a) OVER w AS v WINDOW w AS (PARTITION BY s) |> SELECT v",
    "SELECT struct(m['a']).col1 FROM n",
    "SELECT true.a FROM t AS true",
    "SELECT * FROM (SELECT m, 1 AS a FROM n) PIVOT (sum(a) FOR m IN (1))",
    "SELECT * FROM (SELECT parse_json(s) AS v, a FROM t) PIVOT (sum(a) FOR v IN (NULL))",
    "SELECT a > 1 = EXISTS (SELECT 1 FROM u) FROM t",
    "SELECT a FROM t ORDER BY max(b)",
    "SELECT a FROM t SORT BY count(*)",
    "SELECT a FROM t ORDER BY sum(a) OVER ()",
    "SELECT a FROM t LIMIT 1L",
    "SELECT a FROM t LIMIT CAST(1 AS BIGINT)",
    "SELECT a FROM t ORDER BY a OFFSET 1Y",
    "SELECT a, s, grouping_id(s, a) FROM t GROUP BY CUBE(a, s)",
    "SELECT s FROM t UNION SELECT parse_json(s) FROM t",
    "SELECT * FROM (SELECT parse_json(s) AS v, a, b FROM t) PIVOT (sum(a) FOR b IN (1))",
    "SELECT * FROM t LATERAL VIEW variant_explode(parse_json(s)) AS e",
    "SELECT * FROM VALUES (1), ('1')",
    "SELECT a FROM t GROUP BY a CLUSTER BY count(*)",
    "SELECT a FROM t DISTRIBUTE BY rank() OVER (ORDER BY a)",
    "SELECT DISTINCT a FROM t DISTRIBUTE BY b",
    "SELECT a FROM t UNION ALL SELECT k FROM u CLUSTER BY b",
    *[f"SELECT {call} FROM t" for call in ("is_null(a)", "plus(a, b)", "sha256(s)", "is_true(a)")],
    *[f"SELECT {call} FROM t" for call in ("like_any(s, 'a')", "list_agg(s)", "get_item(arr, 1)")],
    "SELECT parse_json('1') AS v, a FROM t DISTRIBUTE BY v",
    "SELECT a FROM t WHERE s IN (SELECT 'x')",
    "SELECT a FROM t WHERE named_struct('x', a) = named_struct('y', 1L)",
    "SELECT array(a >> 1) FROM t",
    "SELECT * FROM (SELECT a, b FROM t) PIVOT (max(b) FOR a IN (1, 2)) AS p (c, d)",
    "SELECT * FROM n LATERAL VIEW explode(arr)",
    *(f"FROM t |> SELECT a{rest}" for rest in (" WHERE a > 1", ", s QUALIFY count(*) OVER () = 1")),
    "SELECT * FROM t |> SELECT a FROM t",
    "SELECT * FROM (SELECT arr, st FROM n) UNPIVOT (v FOR k IN (arr, st))",
    "SELECT transform(array(1), x -> rank() OVER (ORDER BY x)) FROM t",
    "SELECT transform(array(1), (x, X) -> x) FROM t",
    "SELECT array_contains(array(map('a', 1)), map('a', 1))",
    "SELECT array_sort(array(map('a', 1)))",
    "SELECT variant_explode(parse_json('[1]'))",
    "SELECT struct(a AS x) AS z, z.* FROM t",
    "SELECT NULL:a",
    "SELECT a FROM t WHERE (s, s) NOT IN (SELECT 'x', upper('y'))",
    "FROM t |> SELECT a AS a |> SELECT t.a",
    "FROM t |> AGGREGATE count(*) GROUP BY a AS a |> SELECT t.a",
    "SELECT DISTINCT a AS a FROM t ORDER BY t.a",
    "SELECT a AS a FROM t UNION SELECT k FROM u ORDER BY t.a",
    "SELECT transform((SELECT array(1)), x -> x) FROM u",
    "SELECT array_sort((SELECT array(1))) FROM u",
    "SELECT a FROM t WHERE exists(array(1), x -> x = (SELECT 1))",
    "SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN 1 + 1L PRECEDING AND CURRENT ROW) FROM t",
    "SELECT max(min(a)) FROM t",
    "SELECT sum(a) FILTER (WHERE max(b) > 1) FROM t",
    "SELECT a FROM t ORDER BY explode(array(1))",
    "SELECT a FROM t ORDER BY a IN (SELECT k FROM u)",
    "SELECT a, GROUPING(a) FROM t GROUP BY a",
    "SELECT a FROM t GROUP BY a HAVING max(b) > 1 ORDER BY max(x)",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION SELECT i + 1 FROM r) SELECT * FROM r",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT max(i) FROM r) SELECT * FROM r",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT max(i) OVER () FROM r) SELECT * FROM r",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r RIGHT JOIN u ON i = k) "
    "SELECT * FROM r",
    "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 2 FOLLOWING AND 1 PRECEDING) FROM t",
    "SELECT sum(a) OVER (ORDER BY a ROWS UNBOUNDED FOLLOWING) FROM t",
    "SELECT sum(a) OVER (RANGE CURRENT ROW) FROM t",
    "SELECT explode(arr), explode(collect_list(st)) FROM n GROUP BY arr",
    "SELECT * FROM (SELECT a, b FROM t) UNPIVOT (v FOR n IN (a AS 'x'))",
    "SELECT *, count(*) FROM t GROUP BY 1",
    "SELECT count(t.*) FROM t",
    "WITH q AS (SELECT 1), Q AS (SELECT 2) SELECT * FROM q",
    "SELECT mask(str => s, 'x') FROM t",
    "SELECT * FROM VALUES (rand(5))",
    "SELECT timestampadd('MONTH', 1, d) FROM t",
    "SELECT (a, b) IN ((1, 2)) FROM t",
    "SELECT DATE '1999 08 01'",
    "SELECT 1E309",
    "SELECT a FROM t GROUP BY ROLLUP(a, ())",
    "FROM t |> AGGREGATE a GROUP BY a",
    "FROM t |> DROP a, b, a",
    "SELECT a FROM t WHERE a ! IN (1)",
    "FROM t |> ORDER BY a LIMIT 1",
    "SELECT a FROM t ORDER BY a |> LIMIT 1",
    "FROM t |> LATERAL VIEW explode(array(1)) e AS v",
    "FROM t |> AGGREGATE 1 + 2",
    "FROM t |> AGGREGATE a + 1 GROUP BY a + 1",
    "SELECT * FROM u JOIN t PIVOT (sum(b) FOR s IN ('x')) ON true",
    "SELECT (a, b) IN ((SELECT k, a FROM u)) FROM t",
    "SELECT * FROM t NATURAL LEFT SEMI JOIN u",
    "SELECT DISTINCT m FROM n",
    "SELECT * FROM n INTERSECT SELECT * FROM n",
    "SELECT DISTINCT parse_json(s) FROM t",
    "SELECT parse_json(s) FROM t GROUP BY 1",
    "SELECT m FROM n ORDER BY 1",
    "TABLE n ORDER BY ALL",
    "SELECT a FROM t WHERE a IN (VALUES (1), (2))",
    "SELECT * FROM (SELECT a, b, s AS v FROM t) UNPIVOT (v FOR n IN (a, b))",
    "SELECT * FROM (SELECT a, b FROM t) UNPIVOT (v FOR v IN (a, b))",
    "SELECT /*+ REPARTITION(3) */ a FROM t GROUP BY a ORDER BY max(b)",
    "SELECT /*+ BROADCAST */ a, count(*) FROM t GROUP BY a ORDER BY count(*)",
    "SELECT /*+ COALESCE(1) */ a FROM t GROUP BY a, b + 1 ORDER BY b + 1",
    "SELECT /*+ COALESCE(1) */ a FROM t ORDER BY sum(b) OVER ()",
    "SELECT /*+ REPARTITION(3, b) */ DISTINCT a FROM t",
    "SELECT a FROM t WHERE NULL",
    "FROM u |> SET k = posexplode(array(1))",
    "FROM u |> SET k = explode(array(1)) + 1",
    "SELECT * FROM t JOIN u ON NULL",
    "SELECT count(*) FILTER (WHERE NULL) FROM t",
]
"""What the reader refuses because Spark does: were it not so, we would refuse for nothing."""


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    with session_with(spark, TABLES) as made:
        yield made


@pytest.mark.parametrize(
    "queries",
    [COLUMNS, QUERIES + OTHERWISE_PLANNED, HINTED],
    ids=["items", "queries", "hinted"],
)
def test_schema_and_plan(session: SparkSession, queries: list[str]) -> None:
    differences: list[tuple[object, ...]] = []
    for query in queries:
        frame, operation = session.sql(query), read(query)
        ours = [(field.name, str(field.type)) for field in operation.schema.fields]
        theirs = [(f.name, str(f.type)) for f in schema_from_spark(frame.schema)]
        if ours != theirs:
            differences.append((query, ours, theirs))
            continue
        check = compare_plans(session.sql(to_sql(operation)), frame)
        if check.status != "equal" and query not in OTHERWISE_PLANNED:
            differences.append((query, to_sql(operation), check.detail))
    assert not differences, "\n\n".join(map(str, differences))


def test_spark_refuses_the_same(session: SparkSession) -> None:
    accepted = []
    for query in [*REFUSED, *(query for query, _ in REFUSED_BY_SPARK)]:
        try:
            accepted.append((query, session.sql(query).schema.simpleString()))
        except Exception:
            continue
    assert not accepted, "\n".join(map(str, accepted))


COLUMNS_OF_ENDS = ["two", "five", "three", "t", "i", "NULL", "'lit'", "upper(two)", "array(t)"]


def test_columns_of_set_operations(session: SparkSession) -> None:
    """Every kind of column over every other: also CHAR and VARCHAR, whose length the left keeps."""
    from pyspark.errors import PySparkException

    from tests.parser.tables import Tables
    from viewscribe.errors import ViewscribeError
    from viewscribe.parser.read import read_sql

    ddl = "two CHAR(2), five CHAR(5), three VARCHAR(3), t STRING, i INT"
    session.sql(f"CREATE TABLE ends ({ddl}) USING parquet")
    differences, tables = [], Tables({"ends": ddl})
    try:
        for kind, left, right in product(
            ("UNION ALL", "INTERSECT", "EXCEPT"), COLUMNS_OF_ENDS, COLUMNS_OF_ENDS
        ):
            query = f"SELECT {left} AS x FROM ends {kind} SELECT {right} FROM ends"
            try:
                theirs = [str(f.type) for f in schema_from_spark(session.sql(query).schema)]
            except PySparkException:
                theirs = []
            try:
                ours = [str(f.type) for f in read_sql(query, tables).schema]
            except ViewscribeError:
                ours = []
            if ours != theirs:
                differences.append((query, ours, theirs))
    finally:
        session.sql("DROP TABLE ends")
    assert not differences, "\n".join(map(str, differences))
