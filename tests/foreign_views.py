"""Views that somebody makes in Spark, of every form in which a query can name a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

HOME, AWAY = "own_home", "own_away"
"""Where the views are made, and where their readers are: with other rows under the same names."""

FORMS = {
    "plain": "SELECT id, name FROM orders",
    "table": "TABLE orders",
    "table ordered": "TABLE orders ORDER BY id DESC LIMIT 1",
    "from first": "FROM orders",
    "from first, selecting": "FROM orders SELECT id WHERE id > 1",
    "qualified columns": "SELECT own_home.orders.id, orders.name FROM orders",
    "scalar": "SELECT (SELECT max(id) FROM orders) AS m",
    "exists": "SELECT id FROM items i WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = i.id)",
    "in table": "SELECT id FROM items WHERE id IN (SELECT id FROM orders)",
    "join": "SELECT o.name, i.price FROM orders o JOIN items i ON o.id = i.id",
    "join using": "SELECT * FROM orders LEFT JOIN items USING (id)",
    "comma": "SELECT o.id, i.price FROM orders AS o, items i WHERE o.id = i.id",
    "in parentheses": "SELECT * FROM (orders JOIN items USING (id))",
    "derived": "SELECT d.n FROM (SELECT count(*) AS n FROM orders) AS d",
    "derived table": "SELECT * FROM (TABLE orders) AS d(a, b, c)",
    "lateral": "SELECT o.id, x.p FROM orders o, LATERAL (SELECT max(price) AS p FROM items i "
    "WHERE i.id = o.id) x",
    "lateral view": "SELECT id, x, y FROM orders LATERAL VIEW posexplode(xs) t AS x, y",
    "union": "SELECT id FROM orders UNION ALL SELECT id FROM items",
    "union of tables": "SELECT id, price FROM items UNION ALL TABLE items",
    "intersection": "(SELECT id FROM orders) INTERSECT (SELECT id FROM items)",
    "shadowing step": "WITH orders AS (SELECT id + 10 AS id FROM orders) SELECT id FROM orders",
    "steps": "WITH a AS (TABLE orders), b (k) AS (SELECT id FROM a) SELECT k FROM b, items",
    "inner step": "SELECT * FROM (WITH items AS (SELECT id FROM orders) SELECT * FROM items) "
    "WHERE id NOT IN (SELECT id - 1 FROM items)",
    "recursive": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < "
    "(SELECT max(id) FROM orders)) SELECT n FROM r",
    "pipes": "FROM orders |> WHERE id > 0 |> JOIN items USING (id) |> SELECT id, price "
    "|> UNION ALL TABLE items |> DROP price",
    "pivot": "SELECT * FROM (SELECT name, id FROM orders) PIVOT (sum(id) FOR name IN ('a', 'b'))",
    "unpivot": "SELECT * FROM items UNPIVOT INCLUDE NULLS (v FOR k IN (id, price)) AS u",
    "sample": "SELECT id FROM orders TABLESAMPLE (100 PERCENT) o",
    "hint": "SELECT /*+ BROADCAST(orders) */ orders.id FROM orders JOIN items ON true",
    "renamed columns": "SELECT o.a FROM orders AS o (a, b, c)",
    "values": "SELECT * FROM VALUES (1), (2) v(n), orders WHERE n = id",
    "another table called so": "SELECT own_away.orders.id, own_home.orders.name "
    "FROM orders, own_away.orders",
    "function": "SELECT twice(id) AS t, own_home.twice(id) AS u, abs(-id) AS v FROM orders",
    "unnamed function": "SELECT count(*) AS n FROM (SELECT twice(id), name FROM orders)",
    "function of rows": "SELECT t.n FROM orders, LATERAL up_to(id) AS t(n)",
    "function of rows alone": "SELECT * FROM up_to(2)",
    "current": "SELECT current_database() AS d, current_schema() AS s, current_catalog() AS c",
    "current, unnamed": "SELECT id FROM orders, (SELECT current_database()) x(a) "
    "WHERE a = 'own_home'",
    "current in a condition": "SELECT id FROM orders WHERE current_database() = 'own_home'",
    "current within": "SELECT 1 AS x FROM (SELECT current_database()) "
    "WHERE `current_schema()` = 'own_home'",
    "words of clauses": "SELECT trim(BOTH 'x' FROM name) AS a, "
    "extract(DAY FROM DATE '2024-05-06') b, name IS DISTINCT FROM 'a' AS c "
    "FROM orders window, items",
    "comments": "SELECT id -- FROM items\nFROM /* items, */ orders",
    "quoted": "SELECT `orders`.`id` FROM `orders`",
}

COLUMNS = {"plain": "a, b", "union": "a"}
"""The names that some views give their columns."""

RENAMED = ("table", "shadowing step", "function of rows", "qualified columns", "current")
"""Forms that are also moved to another database."""

Run = Callable[[str], Any]


def home_of(number: int) -> str:
    """The database of a view; its names mean the same in both."""
    return (HOME, AWAY)[number % 2]


def make(run: Run) -> None:
    """Makes the databases and the views, and leaves the session where the readers are.

    Args:
        run: carries out a statement.
    """
    for home, more in ((HOME, 0), (AWAY, 100)):
        run(f"CREATE DATABASE {home}")
        run(
            f"CREATE VIEW {home}.orders AS SELECT id + {more} AS id, name, xs "
            "FROM VALUES (1, 'a', array(7, 8)), (2, 'b', array(9)) AS v(id, name, xs)"
        )
        run(f"CREATE VIEW {home}.items AS SELECT * FROM VALUES (1, {more}), (2, 5) AS v(id, price)")
        run(f"CREATE FUNCTION {home}.twice(x INT) RETURNS INT RETURN 2 * x + {more}")
        run(
            f"CREATE FUNCTION {home}.up_to(x INT) RETURNS TABLE(n INT) "
            f"RETURN SELECT e + {more} FROM explode(sequence(1, x)) AS t(e)"
        )
    run(f"USE {HOME}")
    for number, (form, text) in enumerate(FORMS.items()):
        columns = f" ({COLUMNS[form]})" if form in COLUMNS else ""
        run(f"CREATE VIEW {home_of(number)}.v{number}{columns} AS {text}")
    run(f"USE {AWAY}")
