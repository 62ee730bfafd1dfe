"""Each rule of the normal form: what it makes alike, and the pairs that it must keep apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from viewscribe.spark.compare import compare_optimized, compare_plans

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs

P, D, S = "world.people", "world.depts", "world.sales"
RANKED = f"SELECT name, salary, row_number() OVER (ORDER BY salary, name) AS r FROM {P}"

ALIKE = {
    "a computed column below a filter or within it": (
        f"SELECT * FROM (SELECT dept, upper(name) AS n FROM {P} LIMIT 9) WHERE n > ''",
        f"SELECT dept, upper(name) FROM (SELECT * FROM {P} LIMIT 9) WHERE upper(name) > ''",
    ),
    "a key under another name above an aggregate": (
        f"SELECT k, s FROM (SELECT dept AS k, sum(salary) AS s FROM {P} GROUP BY dept) WHERE s > 5",
        f"WITH x(k, s) AS (SELECT dept, sum(salary) FROM {P} GROUP BY dept) "
        "SELECT k, s FROM x WHERE s > 5",
    ),
    "a sum that nobody reads": (
        f"SELECT a FROM (SELECT dept AS a, sum(salary) AS s FROM {P} GROUP BY dept)",
        f"SELECT dept AS a FROM {P} GROUP BY dept",
    ),
    "arithmetic above or within an aggregate": (
        f"SELECT s / n AS x FROM (SELECT sum(salary) AS s, count(*) AS n FROM {P})",
        f"SELECT sum(salary) / count(*) AS y FROM {P}",
    ),
    "the columns of the parts of a union in another order": (
        f"SELECT a FROM (SELECT name AS a, dept FROM {P} UNION ALL SELECT city, dept FROM {D})",
        f"SELECT a FROM (SELECT dept, name AS a FROM {P} UNION ALL SELECT dept, city FROM {D})",
    ),
    "the order of conditions and of operands": (
        f"SELECT name FROM {P} WHERE salary > 5 AND dept = 'a' AND name IN ('x', 'y')",
        f"SELECT name FROM {P} WHERE name IN ('x', 'y') AND 'a' = dept AND 5 < salary",
    ),
    "a sort by a column under another name": (
        f"SELECT name AS n, dept FROM {P} ORDER BY name",
        f"SELECT n, dept FROM (SELECT name AS n, dept FROM {P}) ORDER BY n",
    ),
    "lambda variables": (
        f"SELECT transform(tags, x -> concat(x, 'a')) AS t FROM {P}",
        f"SELECT transform(tags, long -> concat(long, 'a')) AS t FROM {P}",
    ),
    "a seed as an INT and as a BIGINT": (
        f"SELECT name, rand(5) AS r, randn(-6) AS q FROM {P}",
        f"SELECT name, rand(5L) AS r, randn(-6L) AS q FROM {P}",
    ),
    "recursive queries under other names": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) "
        "SELECT n FROM r WHERE n > 2",
        "WITH RECURSIVE loop(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM loop WHERE 9 > a) "
        "SELECT a FROM loop WHERE a > 2",
    ),
    "keys in another order, twice": (
        f"SELECT count(*) AS n FROM {P} GROUP BY dept, name",
        f"SELECT count(*) AS n FROM {P} GROUP BY name, dept, name",
    ),
}

APART = {
    "what may fail below a limit, and above it": (
        f"SELECT * FROM (SELECT name, salary + 1 AS more FROM {P} LIMIT 9) WHERE more > 5",
        f"SELECT name, salary + 1 FROM (SELECT name, salary FROM {P} LIMIT 9) WHERE salary + 1 > 5",
    ),
    "what is computed below an outer join is NULL where a row is missing": (
        f"SELECT p.name, d.c FROM {P} p LEFT JOIN "
        f"(SELECT dept, coalesce(city, 'none') AS c FROM {D}) d ON p.dept = d.dept",
        f"SELECT p.name, coalesce(d.city, 'none') AS c FROM {P} p LEFT JOIN {D} d "
        "ON p.dept = d.dept",
    ),
    "a filter above and below a window": (
        f"SELECT r FROM ({RANKED}) WHERE salary > 15",
        f"SELECT row_number() OVER (ORDER BY salary, name) AS r FROM {P} WHERE salary > 15",
    ),
    "a window over all rows and one over those that are left": (
        f"SELECT r, q FROM (SELECT r, row_number() OVER (ORDER BY salary, name) AS q "
        f"FROM ({RANKED}) WHERE salary > 15)",
        f"SELECT r, r AS q FROM ({RANKED}) WHERE salary > 15",
    ),
    "a filter above and below a limit": (
        f"SELECT * FROM (SELECT * FROM {D} ORDER BY dept LIMIT 2) WHERE city = 'oslo'",
        f"SELECT * FROM {D} WHERE city = 'oslo' ORDER BY dept LIMIT 2",
    ),
    "no key and a constant one": (
        f"SELECT count(*) AS n FROM {P} WHERE false",
        f"SELECT count(*) AS n FROM {P} WHERE false GROUP BY 1 + length(name)",
    ),
    "the two sides of a join of a table with itself": (
        f"SELECT a.name FROM {P} a JOIN {P} b ON a.salary < b.salary",
        f"SELECT b.name FROM {P} a JOIN {P} b ON a.salary < b.salary",
    ),
    "the sides of a comparison": (
        f"SELECT a.name FROM {P} a, {P} b WHERE a.salary < b.salary",
        f"SELECT a.name FROM {P} a, {P} b WHERE b.salary < a.salary",
    ),
    "a condition on one side of an outer join, and after it": (
        f"SELECT p.name FROM {P} p LEFT JOIN {D} d ON p.dept = d.dept AND p.salary > 15",
        f"SELECT p.name FROM {P} p LEFT JOIN {D} d ON p.dept = d.dept WHERE p.salary > 15",
    ),
    "the sides of an outer join": (
        f"SELECT p.name FROM {P} p LEFT JOIN {D} d ON p.dept = d.dept",
        f"SELECT p.name FROM {P} p RIGHT JOIN {D} d ON p.dept = d.dept",
    ),
    "rows that match and rows that do not": (
        f"SELECT name FROM {P} p WHERE EXISTS (SELECT 1 FROM {D} d WHERE d.dept = p.dept)",
        f"SELECT name FROM {P} p WHERE NOT EXISTS (SELECT 1 FROM {D} d WHERE d.dept = p.dept)",
    ),
    "two questions, each asked of another table": (
        f"SELECT name FROM {P} p WHERE EXISTS (SELECT 1 FROM {D} d WHERE d.dept = p.dept) "
        f"OR salary > (SELECT max(quarter) FROM {S})",
        f"SELECT name FROM {P} p WHERE EXISTS (SELECT 1 FROM {S} d WHERE d.dept = p.dept) "
        f"OR salary > (SELECT max(quarter) FROM {S})",
    ),
    "rows once and as often as they are": (
        f"SELECT name FROM {P} UNION ALL SELECT city FROM {D}",
        f"SELECT name FROM {P} UNION SELECT city FROM {D}",
    ),
    "the order of the parts' columns": (
        f"SELECT name AS a, dept AS b FROM {P} UNION ALL SELECT city, dept FROM {D}",
        f"SELECT name AS a, dept AS b FROM {P} UNION ALL SELECT dept, city FROM {D}",
    ),
    "a value that another one of the same kind has": (
        f"SELECT sum(salary) AS s FROM {P}",
        f"SELECT sum(DISTINCT salary) AS s FROM {P}",
    ),
    "a filter of an aggregate": (
        f"SELECT count(*) FILTER (WHERE salary > 5) AS n FROM {P}",
        f"SELECT count(*) FILTER (WHERE salary > 25) AS n FROM {P}",
    ),
    "literals of another type": (
        f"SELECT 1 AS a, name FROM {P} LIMIT 1",
        f"SELECT 1L AS a, name FROM {P} LIMIT 1",
    ),
    "zeros of another sign": (
        f"SELECT 0.0D AS a, name FROM {P}",
        f"SELECT -0.0D AS a, name FROM {P}",
    ),
    "turns of a recursive query": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) TABLE r",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 8) TABLE r",
    ),
    "which recursive query is read": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9), "
        "q(n) AS (SELECT 1 UNION ALL SELECT n + 2 FROM q WHERE n < 9) "
        "SELECT r.n FROM r JOIN q ON r.n < q.n",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9), "
        "q(n) AS (SELECT 1 UNION ALL SELECT n + 2 FROM q WHERE n < 9) "
        "SELECT q.n FROM r JOIN q ON r.n < q.n",
    ),
    "zeros of another sign in local rows": (
        "SELECT * FROM VALUES (1, 0.0D), (2, 1.0D) AS v(a, b)",
        "SELECT * FROM VALUES (1, -0.0D), (2, 1.0D) AS v(a, b)",
    ),
    "zeros of another sign within local rows": (
        "SELECT * FROM VALUES (array(0.0F), struct(0.0D)) AS v(a, b)",
        "SELECT * FROM VALUES (array(-0.0F), struct(0.0D)) AS v(a, b)",
    ),
    "other local rows": (
        "SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(a, b)",
        "SELECT * FROM VALUES (1, 'a'), (2, 'c') AS v(a, b)",
    ),
    "IS NOT NULL that nothing implies": (
        f"SELECT name FROM {P} WHERE salary > 5 AND dept IS NOT NULL",
        f"SELECT name FROM {P} WHERE salary > 5",
    ),
    "IS NOT NULL beside what NULL passes": (
        f"SELECT name FROM {P} WHERE NOT (dept <=> 'a') AND dept IS NOT NULL",
        f"SELECT name FROM {P} WHERE NOT (dept <=> 'a')",
    ),
    "AND and OR": (
        f"SELECT name FROM {P} WHERE salary > 5 AND dept = 'a'",
        f"SELECT name FROM {P} WHERE salary > 5 OR dept = 'a'",
    ),
    "variables of nested lambdas": (
        f"SELECT transform(array(1, 2), x -> transform(array(3), y -> x - y)) AS t FROM {P}",
        f"SELECT transform(array(1, 2), x -> transform(array(3), y -> y - x)) AS t FROM {P}",
    ),
    "the first and the second generated column": (
        f"SELECT name, a FROM {P} LATERAL VIEW posexplode(tags) t AS a, b",
        f"SELECT name, length(b) AS a FROM {P} LATERAL VIEW posexplode(tags) t AS a, b",
    ),
    "which of two generators gave a value": (
        f"SELECT a FROM {P} LATERAL VIEW explode(tags) t AS a LATERAL VIEW explode(tags) u AS b",
        f"SELECT b FROM {P} LATERAL VIEW explode(tags) t AS a LATERAL VIEW explode(tags) u AS b",
    ),
    "the directions of an order": (
        f"SELECT name FROM {P} ORDER BY salary LIMIT 2",
        f"SELECT name FROM {P} ORDER BY salary DESC LIMIT 2",
    ),
    "limits": (f"SELECT * FROM {D} LIMIT 2", f"SELECT * FROM {D} LIMIT 3"),
    "offsets": (
        f"SELECT * FROM {D} ORDER BY dept LIMIT 2 OFFSET 1",
        f"SELECT * FROM {D} ORDER BY dept LIMIT 2",
    ),
    "rolled up and plain groups": (
        f"SELECT dept, name, count(*) AS n FROM {P} GROUP BY ROLLUP (dept, name)",
        f"SELECT dept, name, count(*) AS n FROM {P} GROUP BY CUBE (dept, name)",
    ),
    "a number drawn once and one drawn twice": (
        f"SELECT r, r AS q FROM (SELECT rand(5) AS r FROM {P})",
        f"SELECT rand(5) AS r, rand(5) AS q FROM {P}",
    ),
    "seeds that a user wrote": (
        f"SELECT rand(5) AS r FROM {P}",
        f"SELECT rand(6) AS r FROM {P}",
    ),
    "a column that a union has twice": (
        f"SELECT dept, dept AS d FROM (SELECT dept, dept FROM {D} UNION ALL SELECT dept, city "
        f"FROM {D}) AS u(dept, d)",
        f"SELECT d AS dept, d FROM (SELECT dept, dept FROM {D} UNION ALL SELECT dept, city "
        f"FROM {D}) AS u(dept, d)",
    ),
    "a part with a name that is another one": (
        f"SELECT name FROM {P} WHERE salary + 1 BETWEEN 5 AND 9",
        f"SELECT name FROM {P} WHERE salary + 2 BETWEEN 5 AND 9",
    ),
    "which column of the row around a query is meant": (
        f"SELECT name FROM {P} AS p WHERE EXISTS (SELECT 1 FROM {D} AS d WHERE d.dept = p.dept)",
        f"SELECT name FROM {P} AS p WHERE EXISTS (SELECT 1 FROM {D} AS d WHERE d.dept = p.name)",
    ),
    "a cast that fails and one that gives NULL": (
        f"SELECT CAST(name AS INT) AS a FROM {P}",
        f"SELECT try_cast(name AS INT) AS a FROM {P}",
    ),
}


@pytest.mark.parametrize("what", ALIKE)
def test_rules_make_alike(spark: SparkSession, env: vs.TableEnvironment, what: str) -> None:
    for compare in (compare_plans, compare_optimized):
        check = compare(*map(spark.sql, ALIKE[what]))
        assert check.status == "equal", check


@pytest.mark.parametrize("what", APART)
def test_rules_keep_apart(spark: SparkSession, env: vs.TableEnvironment, what: str) -> None:
    one, other = map(spark.sql, APART[what])
    assert compare_plans(one, other).status == "not compared"
    # A pair is one only if no other reason keeps it apart.
    again = spark.sql(APART[what][0])
    for compare in (compare_plans, compare_optimized):
        assert compare(one, again).status == "equal"
