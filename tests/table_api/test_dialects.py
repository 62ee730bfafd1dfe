"""Queries of other engines: what carries over is read, the rest refused by name."""

from __future__ import annotations

import pytest

from tests.table_api.test_dialect_meanings import CASES
from viewscribe import TableEnvironment
from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownColumnError,
    ValidationError,
)
from viewscribe.parser.dialects import DIALECTS


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table(
        "t", "a INT, b BIGINT, s STRING, d DATE, at TIMESTAMP, x DOUBLE, n DECIMAL(6, 2)"
    )
    made.create_table("u", "k INT, a INT, w STRING")
    made.create_table("names", "s INT, wide DECIMAL(20, 10), list ARRAY<INT>")
    return made


NOT_HIVE = tuple(each for each in DIALECTS if each != "hive")
"""Of Hive, where NULLs come is to be said."""

CARRIED = [
    ("SELECT a, b FROM t ORDER BY a DESC, b", NOT_HIVE),
    ("SELECT a, b FROM t ORDER BY a DESC NULLS LAST, b NULLS LAST", ("hive", "duckdb")),
    ("SELECT s || 'x' AS y FROM t WHERE s LIKE 'a%_' AND NOT a IN (1, 2)", DIALECTS),
    ("SELECT a, count(*) AS n, sum(b) AS total, min(s) AS m FROM t GROUP BY a", DIALECTS),
    ("SELECT count(DISTINCT a) AS n FROM t HAVING count(*) > 3", DIALECTS),
    ("SELECT t.a, u.w FROM t LEFT JOIN u ON t.a = u.a WHERE u.k BETWEEN 1 AND 3", DIALECTS),
    ("SELECT w FROM t JOIN u USING (a)", DIALECTS),
    ("SELECT a FROM t UNION ALL SELECT k FROM u", DIALECTS),
    ("WITH v AS (SELECT a + 1 AS b FROM t) SELECT b FROM v WHERE b IS NOT NULL", DIALECTS),
    ("SELECT CASE WHEN a > 1 THEN 'x' ELSE s END AS c, coalesce(s, 'y') AS e FROM t", DIALECTS),
    ("SELECT a FROM t WHERE a IN (SELECT k FROM u) AND EXISTS (SELECT 1 FROM u)", DIALECTS),
    ("SELECT rank() OVER (PARTITION BY s ORDER BY a DESC) AS r FROM t", NOT_HIVE),
    ("SELECT sum(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", NOT_HIVE),
    ("SELECT a, x / CAST(a AS DOUBLE) AS q FROM t WHERE d >= DATE '2020-01-31'", DIALECTS),
    ("SELECT a, row_number() OVER (ORDER BY b) AS r FROM t "
     "QUALIFY row_number() OVER (ORDER BY b) = 1", ("snowflake", "duckdb", "bigquery")),
    ("SELECT DISTINCT s FROM t LIMIT 3", DIALECTS),
    ("SELECT 1 + 1 AS x", DIALECTS),
    ("SELECT n * n * n AS p, n + a AS q FROM t", ("trino", "duckdb", "snowflake", "hive")),
    ("SELECT a, sum(b) FILTER (WHERE a > 1) AS n FROM t GROUP BY 1", ("trino", "duckdb")),
    ('SELECT "a" AS "the a" FROM "t"', ("trino", "duckdb", "snowflake")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dialect"),
    [(text, dialect) for text, dialects in CARRIED for dialect in dialects],
)
def test_what_carries_over_is_read(env: TableEnvironment, text: str, dialect: str) -> None:
    table = env.sql_query(text, dialect=dialect)
    assert env.sql_query(table.to_sql()).to_sql() == table.to_sql()


@pytest.mark.parametrize(
    ("dialect", "direction", "nulls"),
    [
        *(("trino", "", "LAST"), ("trino", "DESC", "LAST"), ("duckdb", "", "LAST")),
        *(("duckdb", "DESC", "LAST"), ("snowflake", "", "LAST"), ("snowflake", "DESC", "FIRST")),
        *(("bigquery", "", "FIRST"), ("bigquery", "DESC", "LAST")),
    ],
)
def test_nulls_come_where_the_engine_puts_them(
    env: TableEnvironment, dialect: str, direction: str, nulls: str
) -> None:
    made = env.sql_query(f"SELECT a FROM t ORDER BY a {direction}", dialect=dialect)
    assert made.equals(env.sql_query(f"SELECT a FROM t ORDER BY a {direction} NULLS {nulls}"))


REFUSED = [
    ("trino", "SELECT a / b FROM t", "/ of what is not CAST to DOUBLE"),
    ("snowflake", "SELECT avg(a) FROM t", "avg of what is not CAST to DOUBLE"),
    ("trino", "SELECT approx_distinct(a) FROM t", "the function approx_distinct"),
    ("trino", "SELECT approx_percentile(a, 0.5) FROM t", "the function"),
    ("trino", "SELECT date_trunc('day', at) FROM t", "the function timestamp_trunc"),
    ("bigquery", "SELECT DATE_TRUNC(d, MONTH) FROM t", "the function date_trunc"),
    ("trino", "SELECT a FROM t CROSS JOIN UNNEST(ARRAY[1]) AS v(y)", "UNNEST"),
    ("bigquery", "SELECT a FROM t, UNNEST([1]) AS y", "UNNEST"),
    ("duckdb", "SELECT * FROM generate_series(1, 3)", "the function generate_series"),
    ("duckdb", "SELECT [1, 2][1] FROM t", "BRACKET"),
    ("snowflake", "SELECT s:a.b FROM t", "JSONEXTRACT"),
    ("trino", "SELECT TRY_CAST(s AS INTEGER) FROM t", "the function try_cast"),
    ("trino", "SELECT CAST(s AS INTEGER) FROM t", "CAST of STRING to INT"),
    ("trino", "SELECT CAST(x AS INTEGER) FROM t", "CAST of DOUBLE to INT"),
    ("trino", "SELECT a FROM t WHERE s = 1", "equals"),
    ("duckdb", "SELECT concat(s, 'x') FROM t", "the function concat"),
    ("duckdb", "SELECT a || s FROM t", "concat of INT and STRING"),
    ("snowflake", "SELECT a FROM t WHERE s ILIKE 'a%'", "ILIKE"),
    ("trino", "SELECT regexp_like(s, 'a') FROM t", "regexp_like"),
    ("duckdb", "SELECT upper(s) FROM t", "the function upper"),
    ("trino", "SELECT year(at) FROM t", "depends on the time zone"),
    ("trino", "SELECT a FROM t WHERE at > TIMESTAMP '2020-01-01 00:00:00'", "CAST to TIMESTAMP"),
    ("snowflake", "SELECT a + 1 AS b FROM t HAVING b > 1", "the alias b in HAVING"),
    ("duckdb", "SELECT a + 1 AS b FROM t ORDER BY b + 1", "the alias b in ORDER"),
    ("snowflake", "SELECT a + 1 AS b FROM t WHERE b > 1", "the alias b in WHERE"),
    ("duckdb", "SELECT * FROM t JOIN u USING (a)", "`*` over a join with USING"),
    ("duckdb", "SELECT DISTINCT ON (a) a, b FROM t", "DISTINCT"),
    ("duckdb", "SELECT * EXCLUDE (a) FROM t", "STAR"),
    ("duckdb", "SELECT a FROM t ASOF JOIN u ON t.a >= u.a", "JOIN"),
    ("trino", "SELECT a FROM t TABLESAMPLE BERNOULLI (10)", "TABLE"),
    ("hive", "SELECT a FROM t GROUP BY 1", "GROUP BY the number of a column"),
    ("hive", "SELECT a FROM t SORT BY a", "with sort"),
    ("bigquery", "SELECT a FROM t WHERE n = 1.5", "the number 1.5"),
    ("trino", r"SELECT 'a\b' FROM t", "a string with a backslash"),
    ("hive", "SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT k FROM u", "INTERSECT"),
    ("snowflake", "SELECT a FROM t EXCEPT ALL SELECT a FROM u", "EXCEPT ALL"),
    ("duckdb", "SELECT a % 2 FROM t", "MOD"),
    ("trino", "SELECT a FROM t WHERE a = ?", "PLACEHOLDER"),
    ("trino", "SELECT current_timestamp", "the function"),
    *[(dialect, "SELECT a FROM t WHERE s IN (SELECT k FROM u)", "in of") for dialect in DIALECTS],
    *[(dialect, "SELECT 1 FROM t JOIN names USING (s)", "USING (s) of") for dialect in DIALECTS],
    *[(dialect, "SELECT wide AS p FROM names UNION ALL "
       "SELECT 12345678901234567890123456789012345678", "UNION of")
      for dialect in ("trino", "duckdb", "snowflake")],
    *[(dialect, "SELECT wide * wide * wide AS p FROM names", "which Spark rounds")
      for dialect in ("trino", "duckdb", "snowflake", "hive")],
    ("trino", "SELECT s FROM names ORDER BY list", "the order of ARRAY"),
    ("duckdb", "SELECT max(list) FROM names", "max of ARRAY"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "said"), REFUSED)
def test_what_may_mean_something_else_is_refused_by_name(
    env: TableEnvironment, dialect: str, text: str, said: str
) -> None:
    with pytest.raises(NotSerializableError) as caught:
        env.sql_query(text, dialect=dialect)
    assert f"of {dialect} does not carry over to Spark" in caught.value.message
    assert said.lower() in caught.value.message.lower()


def test_the_settings_of_an_environment_say_nothing_of_foreign_text() -> None:
    raw = TableEnvironment(
        settings={
            "spark.sql.parser.escapedStringLiterals": "true",
            "spark.sql.groupByOrdinal": "false",
            "spark.sql.orderByOrdinal": "false",
        }
    )
    raw.create_table("t", "a INT, s STRING")
    text = "SELECT s, count(*) AS n FROM t WHERE s <> 'it''s' GROUP BY 1 ORDER BY 2"
    assert "ORDER BY n" in raw.sql_query(text, dialect="trino").to_sql()
    lenient = TableEnvironment(settings={"spark.sql.ansi.enabled": "false"})
    lenient.create_table("t", "a INT, s STRING")
    lenient.sql_query("SELECT a FROM t", dialect="hive")
    with pytest.raises(NotSerializableError, match="ansi"):
        lenient.sql_query("SELECT a FROM t", dialect="trino")


def test_hive_is_told_where_nulls_come(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT a, rank() OVER (ORDER BY s DESC) AS r FROM t ORDER BY a")
    text = " ".join(table.to_sql(dialect="hive").split())
    assert "ORDER BY s DESC NULLS LAST" in text
    assert text.endswith("ORDER BY a NULLS FIRST")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("item", ["d - d", "(a, s) = (a, s)"])
def test_nor_is_it_written_for_another_engine(
    env: TableEnvironment, dialect: str, item: str
) -> None:
    with pytest.raises(NotSerializableError, match=f"no translation to {dialect}"):
        env.sql_query(f"SELECT {item} AS y FROM t").to_sql(dialect=dialect)


def test_errors_say_where(env: TableEnvironment) -> None:
    with pytest.raises(NotSerializableError) as caught:
        env.sql_query("SELECT a,\n  approx_distinct(b)\nFROM t", dialect="trino")
    assert (caught.value.location or "").startswith("line 2, column 3\n")
    with pytest.raises(SqlSyntaxError, match="trino would not read the text") as unread:
        env.sql_query("SELECT a FROM t WHERE (a = 1", dialect="trino")
    assert (unread.value.location or "").startswith("line 1, column ")
    with pytest.raises(UnknownColumnError) as unknown:
        env.sql_query("SELECT nope FROM t", dialect="trino")
    assert (unknown.value.location or "").startswith("the query in Spark's SQL, line ")


def test_dialects_are_known_by_name(env: TableEnvironment) -> None:
    assert env.sql_query("SELECT a FROM t", dialect="Spark").columns == ["a"]
    with pytest.raises(ValidationError, match="did you mean: trino"):
        env.sql_query("SELECT a FROM t", dialect="trin")


DATA = """
CREATE TABLE t AS SELECT *, CAST(a AS DECIMAL(6, 2)) + 0.25 AS n FROM (VALUES
  (1, 10::BIGINT, 'a', DATE '2020-01-01', 1.5::DOUBLE),
  (2, NULL, 'ab', DATE '2020-02-01', NULL),
  (NULL, 30, NULL, NULL, 0.25),
  (2, 10, 'a', DATE '2019-12-31', -3)) v(a, b, s, d, x);
CREATE TABLE u AS SELECT * FROM (VALUES (1, 2, 'x'), (2, NULL, 'y'), (3, 1, NULL)) v(k, a, w);
"""


DUCKDB = [text for text, dialects in CARRIED if "duckdb" in dialects]
DUCKDB += [text for dialect, text, meaning in CASES if dialect == "duckdb" and meaning is not None]


@pytest.mark.parametrize("text", DUCKDB)
def test_duckdb_gives_the_same_rows_for_the_tree(env: TableEnvironment, text: str) -> None:
    """The tree's own text for DuckDB is known to give Spark's rows."""
    duckdb = pytest.importorskip("duckdb")
    if "LIMIT" in text:
        pytest.skip("any rows do")
    home = duckdb.connect()
    home.execute(DATA)
    home.execute("ATTACH ':memory:' AS \"default\"")
    home.execute("SET schema = 'memory.main'")
    made = env.sql_query(text, dialect="duckdb").to_sql(dialect="duckdb")
    made = made.replace('"default".', "").replace("default.", "")
    own, back = home.execute(text).fetchall(), home.execute(made).fetchall()
    if "ORDER BY a DESC" in text and text.startswith("SELECT a, b"):
        assert own == back
    assert sorted(own, key=repr) == sorted(back, key=repr)


def test_values_go_into_the_text(env: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="takes no args, schema or spark"):
        env.sql_query("SELECT a FROM t", dialect="trino", schema="a INT")
