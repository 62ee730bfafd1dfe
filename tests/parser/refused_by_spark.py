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
    # generators
    ("SELECT explode(arr) IS NULL FROM n", "a generator inside of an expression"),
    ("SELECT a, explode(array(1)) AS e FROM t GROUP BY a, e", "no column `e`"),
    # formats
    ("SELECT to_number('1', '999G')", "the format is not one of numbers"),
    ("SELECT to_number('1', ',999')", "the format is not one of numbers"),
    ("SELECT to_number('1', '9,,999')", "the format is not one of numbers"),
    ("SELECT format_string('%0$s', 'x')", "there is no %0"),
    # hints
    ("SELECT /*+ IDENTIFIER('MERGE')(t) */ * FROM t", "not made by IDENTIFIER"),
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
    (
        "SELECT sum(a) OVER (ORDER BY at RANGE BETWEEN INTERVAL '1' MONTH PRECEDING "
        "AND INTERVAL '1' DAY FOLLOWING) FROM t",
        "from INTERVAL MONTH to INTERVAL DAY",
    ),
    (
        "SELECT sum(a) OVER (ORDER BY at RANGE BETWEEN INTERVAL '0' DAY PRECEDING "
        "AND INTERVAL '1' HOUR FOLLOWING) FROM t",
        "from INTERVAL DAY to INTERVAL HOUR",
    ),
    ("SELECT sum(a) OVER (ORDER BY d RANGE 1L PRECEDING) FROM t", "a sort key of DATE"),
    (
        "SELECT sum(a) OVER (ORDER BY d RANGE INTERVAL '24' HOUR PRECEDING) FROM t",
        "give it in days",
    ),
    # over groups
    ("SELECT a AS k FROM t GROUP BY ROLLUP(a, b) HAVING grouping(b) = 1", "does not show as it is"),
    ("SELECT a AS k FROM t GROUP BY ROLLUP(a, b) HAVING a > 1L", "calls or casts"),
    ("SELECT a AS k FROM t GROUP BY ROLLUP(a, b) ORDER BY grouping(a)", "under an alias"),
    ("SELECT a FROM t ORDER BY grouping__id", "of the groups of ROLLUP"),
    ("SELECT a FROM t GROUP BY ROLLUP(a) DISTRIBUTE BY grouping__id", "not shown"),
    ("SELECT sum(a) OVER () FROM t GROUP BY ROLLUP(a)", "given a key of ROLLUP"),
    ("SELECT sum(a) AS a FROM t ORDER BY sum(a)", "is an item of the SELECT in ORDER BY"),
    ("SELECT b AS a FROM t GROUP BY b ORDER BY max(x + a), a", "is an item of the SELECT"),
    ("SELECT count(*) FROM t GROUP BY a HAVING max(x) > 1 ORDER BY count(*)", "beside HAVING"),
    ("SELECT DISTINCT a, max(b) FROM t GROUP BY a ORDER BY max(b)", "beside DISTINCT"),
    ("SELECT window_time(window) FROM t GROUP BY window(at, '5 minutes')", "if it is no key"),
    (
        "SELECT window FROM t GROUP BY window(at, '5 minutes') HAVING window_time(window) > at",
        "if it is no key",
    ),
    (
        "SELECT count(*) FROM t GROUP BY window(at, '5 minutes') ORDER BY window_time(window)",
        "if it is no key",
    ),
    (
        "SELECT window FROM t GROUP BY window(at, '5 minutes') ORDER BY max(window_time(window))",
        "if it is no key",
    ),
    # columns and rows turned
    ("SELECT * FROM (SELECT b, s FROM t) UNPIVOT (v FOR c IN (b, s))", "a common type"),
    ("SELECT * FROM (SELECT a, s FROM t) PIVOT (abs(a) FOR s IN ('x'))", "takes aggregates"),
    (
        "SELECT * FROM (SELECT a, s FROM t) PIVOT (sum(a) OVER () FOR s IN ('x'))",
        "takes aggregates",
    ),
    # what binds, and what only looks like it
    ("SELECT a FROM t ORDER BY a |> LIMIT 1", "expected the end"),
    ("FROM t |> LATERAL VIEW explode(array(1)) e AS v", "expected a pipe operator"),
    ("FROM t |> AGGREGATE a + 1 GROUP BY a + 1", "takes aggregate functions"),
    ("SELECT * FROM u JOIN t PIVOT (sum(b) FOR s IN ('x')) ON true", "expected the end"),
    ("SELECT a FROM t WHERE a IN (VALUES (1), (2))", "VALUES behind IN"),
    ("SELECT * FROM t NATURAL LEFT SEMI JOIN u", "cannot be NATURAL"),
    # types without equality or order
    ("SELECT DISTINCT m FROM n", "DISTINCT compares rows"),
    ("SELECT * FROM n INTERSECT SELECT * FROM n", "INTERSECT compares rows"),
    ("SELECT parse_json(s) FROM t GROUP BY 1", "VARIANT cannot be a grouping key"),
    ("SELECT m FROM n ORDER BY 1", "no order to sort by"),
    ("TABLE n ORDER BY ALL", "no order to sort by"),
    # values of arguments
    ("SELECT max_by(a, b, 0) FROM t", "from 1 to 100,000"),
    ("SELECT min_by(a, b, 100001) FROM t", "from 1 to 100,000"),
    ("SELECT mode(a, 'true') FROM t", "mode"),
    ("SELECT mode(a, NULL) FROM t", "mode"),
    ("SELECT mode(a, a > 1) FROM t", "mode"),
    ("SELECT ntile(0) OVER (ORDER BY a) FROM t", "a number of buckets"),
    ("SELECT nth_value(a, 0) OVER (ORDER BY a) FROM t", "the number of a row"),
    ("SELECT regexp_replace(s, 'a', 'b', 0) FROM t", "a place from 1 on"),
    ("SELECT to_binary(s, 'invalid') FROM t", "one of hex"),
    ("SELECT to_binary(s, 1) FROM t", "one of hex"),
    ("SELECT time_bucket(INTERVAL '5' MINUTE - INTERVAL '15' MINUTE, at) FROM t", "more than 0"),
    ("SELECT time_bucket(INTERVAL '1' MONTH - INTERVAL '3' MONTH, at) FROM t", "more than 0"),
    # collations
    ("SELECT levenshtein(plain COLLATE UTF8_BINARY, folded COLLATE UTF8_LCASE) FROM c", "equally"),
    ("SELECT contains(plain COLLATE UNICODE_AI, 'a') FROM c", "ignores accents"),
    ("SELECT startswith(plain COLLATE UNICODE_AI, 'a') FROM c", "ignores accents"),
    ("SELECT endswith(plain COLLATE UNICODE_AI, 'a') FROM c", "ignores accents"),
    ("SELECT replace(plain COLLATE UNICODE_AI, 'a', 'b') FROM c", "ignores accents"),
    ("SELECT locate('a', plain COLLATE UNICODE_AI) FROM c", "ignores accents"),
    ("SELECT instr(plain COLLATE UNICODE_AI, 'a') FROM c", "ignores accents"),
    ("SELECT translate(plain COLLATE UNICODE_AI, 'a', 'b') FROM c", "ignores accents"),
    (
        "SELECT substring_index(plain COLLATE UNICODE_AI, 'a', 1) FROM c",
        "ignores accents",
    ),
    ("SELECT split_part(plain COLLATE UNICODE_AI, 'a', 1) FROM c", "ignores accents"),
    ("SELECT trim('a' FROM plain COLLATE UNICODE_AI) FROM c", "ignores accents"),
    ("SELECT btrim(plain COLLATE UNICODE_AI, 'a') FROM c", "ignores accents"),
    ("SELECT ltrim('a', plain COLLATE UNICODE_AI) FROM c", "ignores accents"),
    ("SELECT rtrim('a', plain COLLATE UNICODE_AI) FROM c", "ignores accents"),
    ("SELECT str_to_map(plain COLLATE UNICODE_AI, 'a', 'b') FROM c", "ignores accents"),
    ("SELECT position('a' IN plain COLLATE UNICODE_AI) FROM c", "ignores accents"),
    # arguments that are not cast
    ("SELECT sort_array(arr, '1') FROM n", "not BOOLEAN"),
    ("SELECT rand('1') FROM t", "not INT or BIGINT"),
    ("SELECT randn(1.0) FROM t", "not INT or BIGINT"),
    ("SELECT rand(1S) FROM t", "not INT or BIGINT"),
    # values of which two are one as text
    ("SELECT listagg(DISTINCT x, ',') WITHIN GROUP (ORDER BY x) FROM t", "sorted by themselves"),
    (
        "SELECT listagg(DISTINCT CAST(at AS STRING)) WITHIN GROUP (ORDER BY at) FROM t",
        "sorted by themselves",
    ),
    (
        "SELECT listagg(DISTINCT CAST(folded AS BINARY)) WITHIN GROUP (ORDER BY folded) FROM c",
        "sorted by themselves",
    ),
    # names
    ("SELECT IDENTIFIER('a b') FROM t", "is no name"),
    ("SELECT IDENTIFIER('') FROM t", "is no name"),
    ("SELECT IDENTIFIER('t').a FROM t", "a dot behind"),
]
