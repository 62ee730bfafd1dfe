"""Names and clauses mean what they mean in Spark: the columns of a query, and its text."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql


def one_line(query: str) -> str:
    """The text of a query that was read, with single blanks."""
    return " ".join(to_sql(read(query)).split())


COLUMNS = [
    ("SELECT *, u.* FROM t JOIN u USING (a)", "a b s d at x k w a k w"),
    ("SELECT u.* FROM t NATURAL JOIN u", "a k w"),
    ("SELECT * FROM t NATURAL JOIN u JOIN n ON u.a = 1", "a b s d at x k w st arr m"),
    ("SELECT u.*, n.* FROM t NATURAL JOIN u JOIN n ON u.a = 1", "a k w st arr m"),
    ("SELECT u.*, e.* FROM t NATURAL JOIN u LATERAL VIEW explode(array(u.a)) e AS v", "a k w v"),
    ("SELECT * FROM t NATURAL JOIN u, LATERAL (SELECT u.a + 1 AS z)", "a b s d at x k w z"),
    ("FROM t |> JOIN u USING (a) |> SELECT u.*", "a k w"),
    ("FROM t |> JOIN u USING (a) |> SELECT u.a, t.a", "a a"),
    ("FROM t |> JOIN u USING (a)", "a b s d at x k w"),
    ("SELECT st.* EXCEPT (g) FROM n", "f"),
    ("SELECT * EXCEPT (st, n.m) FROM n", "arr"),
    ("FROM n |> DROP st.f, m |> SELECT st.*, arr", "g arr"),
    ("SELECT posexplode(arr) AS (p, v), p + v AS q FROM n", "p v q"),
    ("SELECT st.f, f + 1 AS y FROM n", "f y"),
    ("SELECT v.* FROM n, LATERAL (SELECT * FROM explode(arr)) AS v", "col"),
    ("SELECT v.* FROM u, LATERAL (SELECT u.*) AS v", "k a w"),
    ("SELECT * FROM (SELECT s, a FROM t) PIVOT (sum(a) FOR s IN ('x', 'y' AS z))", "x z"),
]


@pytest.mark.parametrize(("query", "names"), COLUMNS)
def test_columns(query: str, names: str) -> None:
    assert " ".join(read(query).schema.names) == names


TYPES = [
    ("INTERVAL '-1 day -2 hours'", "INTERVAL DAY TO HOUR"),
    ("INTERVAL '1' DAY - INTERVAL '2' HOUR", "INTERVAL DAY TO HOUR"),
    ("DATE 'epoch'", "DATE"),
    ("TIMESTAMP '2020-01-01 00:00:00 Europe/Oslo'", "TIMESTAMP"),
    ("1e3", "DOUBLE"),
    ("-2147483649", "BIGINT"),
]


@pytest.mark.parametrize(("item", "type_"), TYPES)
def test_types_of_literals(item: str, type_: str) -> None:
    (field,) = read(f"SELECT {item} AS z").schema.fields
    assert str(field.type) == f"{type_} NOT NULL"


TEXTS = [
    ("SELECT TIMESTAMP '2020-01-01 00:00:00 Europe/Oslo' AS z",
     "SELECT TIMESTAMP '2019-12-31 23:00:00Z' AS z"),
    ("SELECT INTERVAL '-100' DAY '299.889987299' SECOND AS z",
     "SELECT INTERVAL '-99 23:55:00.110013' DAY TO SECOND AS z"),
    ("SELECT id FROM IDENTIFIER('ra' || 'nge')(0, 1)", "SELECT id FROM range(0, 1) AS range"),
    ("SELECT IDENTIFIER('a') AS IDENTIFIER('z') FROM IDENTIFIER('t')", "SELECT a AS z FROM t"),
    ("SELECT a FROM t LIMIT 2 + CAST(1 AS INT)", "SELECT a FROM t LIMIT 3"),
    ("SELECT a FROM t CLUSTER BY a", "SELECT /*+ REPARTITION(a) */ a FROM t SORT BY a"),
    ("SELECT a FROM t DISTRIBUTE BY a", "SELECT /*+ REPARTITION(a) */ a FROM t"),
    ("SELECT sum(a) AS v FROM t HAVING sum(a)",
     "SELECT sum(a) AS v FROM t HAVING CAST(sum(a) AS BOOLEAN)"),
    ("FROM t |> AGGREGATE sum(b) AS v GROUP BY 1", "SELECT a, sum(b) AS v FROM t GROUP BY a"),
    ("FROM t | WHERE a > 1 | SELECT a ORDER BY a", "SELECT a FROM t WHERE a > 1 ORDER BY a"),
    ("SELECT `all` FROM (SELECT a AS `all`, b FROM t) GROUP BY all",
     "SELECT a AS `all` FROM t GROUP BY a"),
    ("SELECT * FROM (SELECT a, b AS all FROM t) ORDER BY ALL DESC",
     "SELECT a, b AS `all` FROM t ORDER BY `all` DESC"),
    ("SELECT (SELECT k FROM u ORDER BY ALL LIMIT 1) AS z FROM (SELECT a AS all FROM t)",
     "SELECT ( SELECT k FROM u ORDER BY k LIMIT 1 ) AS z FROM t"),
    ("SELECT a, b FROM t ORDER BY ALL", "SELECT a, b FROM t ORDER BY a, b"),
    ("SELECT a FROM t WHERE (a, b) IN ((1, 2L))",
     "SELECT a FROM t WHERE struct(a, b) IN (struct(1 AS col1, 2L AS col2))"),
    ("SELECT a FROM t EXCEPT SELECT k FROM u INTERSECT SELECT 1",
     "SELECT a FROM t EXCEPT ( SELECT k FROM u INTERSECT SELECT 1 )"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "text"), TEXTS)
def test_texts(query: str, text: str) -> None:
    assert one_line(query) == text


def test_a_random_value_that_others_use_is_computed_once() -> None:
    query = read("SELECT uuid() AS r, r, concat(r, 'x') AS q FROM t ORDER BY b")
    assert query.schema.names == ("r", "r", "q")
    assert to_sql(query).count("uuid()") == 1
    assert isinstance(read("SELECT rand() AS r FROM t").child, n.CatalogSource)  # type: ignore[attr-defined]


def test_a_key_in_every_grouping_set_may_not_be_null() -> None:
    query = read("SELECT a, k FROM t NATURAL JOIN u GROUP BY GROUPING SETS ((a), (a, k))")
    assert [field.type.nullable for field in query.schema.fields] == [False, True]


def test_a_name_of_several_shown_columns_orders_by_the_one_below() -> None:
    text = to_sql(read("SELECT 2 AS a, 3 AS a FROM t ORDER BY a"))
    assert "FROM t" in text
    (order,) = [line for line in text.splitlines() if line.strip().startswith("ORDER BY")]
    assert order.strip().removeprefix("ORDER BY ") not in ("2", "3")
    assert to_sql(read(text)) == text
