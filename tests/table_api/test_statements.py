"""``env.execute_sql``: views, tables and what describes them."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment
from viewscribe.catalog_store import AlreadyExistsError, ObjectNotFoundError
from viewscribe.errors import SqlSyntaxError, UnknownColumnError, ValidationError


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.execute_sql("CREATE DATABASE db")
    made.execute_sql("CREATE TABLE t (id INT NOT NULL, name STRING COMMENT 'called')")
    return made


def rows(env: TableEnvironment, statement: str) -> list[tuple[str, ...]]:
    return list(env.execute_sql(statement).rows)


def test_a_view_says_what_its_columns_are(env: TableEnvironment) -> None:
    env.execute_sql(
        """CREATE VIEW db.v (number COMMENT 'of the customer', `full name`)
        COMMENT 'all' TBLPROPERTIES ('team' = 'crm', owner.mail = 'a@b.c', level = 3)
        WITH SCHEMA COMPENSATION
        AS SELECT id, name FROM t;"""
    )
    view = env.get_view("db.v")
    assert [(each.name, each.comment) for each in view.columns] == [
        ("number", "of the customer"),
        ("full name", None),
    ]
    assert view.comment == "all"
    assert view.properties == {"team": "crm", "owner.mail": "a@b.c", "level": "3"}
    assert env.from_path("db.v").columns == ["number", "full name"]


def test_what_is_shown_makes_the_same_again(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE VIEW db.v (a COMMENT 'it''s', b) COMMENT 'x' TBLPROPERTIES ('k' = 'v') "
        "AS SELECT id, name FROM t WHERE id > 1"
    )
    before = env.get_view("db.v")
    ((text,),) = rows(env, "SHOW CREATE TABLE db.v")
    env.execute_sql("DROP VIEW db.v")
    env.execute_sql(text)
    assert env.get_view("db.v").columns == before.columns
    assert env.get_view("db.v").properties == before.properties
    ((again,),) = rows(env, "SHOW CREATE TABLE db.v")
    env.execute_sql(again.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))


def test_what_is_shown_tells_no_secret_as_in_spark(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TABLE db.u (password STRING) USING jdbc OPTIONS (password 'hunter2', user 'ada', "
        "url 'jdbc:x?password=hunter2') LOCATION 'https://hunter2@host/x' "
        "TBLPROPERTIES ('token' = 'hunter2')"
    )
    query = "SELECT password FROM db.u WHERE password = 'hunter3'"
    env.execute_sql(f"CREATE VIEW db.v TBLPROPERTIES ('token' = 'hunter2') AS {query}")
    shown = [
        str(rows(env, f"{statement} db.{name}"))
        for statement in ("SHOW CREATE TABLE", "DESCRIBE EXTENDED")
        for name in "uv"
    ]
    assert "hunter2" not in "".join(shown)
    assert "'user' = 'ada'" in shown[0]
    assert "hunter3" in shown[1]
    assert "hunter3" in shown[3]


def test_tables_are_made_again_too(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TABLE db.u (a INT NOT NULL DEFAULT 1 + 1, b ARRAY<STRING> COMMENT 'x', "
        "c DECIMAL(4, 2), PRIMARY KEY (a), CONSTRAINT few CHECK (a > 0 AND c < 3)) "
        "USING csv OPTIONS (header = true) PARTITIONED BY (a) COMMENT 'u' LOCATION '/u' "
        "TBLPROPERTIES ('k' = 'v')"
    )
    before = env.catalogs.get("table", ("db", "u")).document
    ((text,),) = rows(env, "SHOW CREATE TABLE db.u")
    env.execute_sql("DROP TABLE db.u")
    env.execute_sql(text)
    assert env.catalogs.get("table", ("db", "u")).document == before
    env.execute_sql("CREATE TABLE IF NOT EXISTS db.u (other INT)")
    assert env.from_path("db.u").columns == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TABLE u (a INT DEFAULT 'x' + array(1))", "line 1, column 31"),
        ("CREATE TABLE u (a INT DEFAULT DATE '2020-01-01')", "cannot be stored as INT"),
        ("CREATE TABLE u (a INT DEFAULT b)", "no column `b`"),
        ("CREATE TABLE u (a INT, A STRING)", "two columns are called `A`"),
        ("CREATE TABLE u (a INT, CHECK (a))", "BOOLEAN"),
        ("CREATE TABLE u (a INT, CHECK (bb > 1))", "no column `bb`"),
        ("CREATE TABLE u (a INT DEFAULT (SELECT 1))", "a sub-query cannot stand"),
        ("CREATE TABLE u (a INT) PARTITIONED BY (b)", "no column `b` to partition by"),
        ("CREATE TABLE u AS SELECT 1", "the columns of the table"),
        ("CREATE TABLE u (a INT) AS SELECT 1", "would run its query"),
        ("CREATE TABLE u (a INT GENERATED ALWAYS AS (1))", "a generated column is not read"),
    ],
)
def test_tables_that_mean_nothing(env: TableEnvironment, statement: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        env.execute_sql(statement)
    assert message in str(caught.value)
    assert env.list_tables() == ["t"]


def test_a_view_is_altered(env: TableEnvironment) -> None:
    env.execute_sql("CREATE VIEW v COMMENT 'kept' TBLPROPERTIES ('a' = '1') AS SELECT id FROM t")
    env.execute_sql("ALTER VIEW v AS SELECT name FROM t")
    view = env.get_view("v")
    assert (view.columns[0].name, view.comment, view.properties) == ("name", "kept", {"a": "1"})
    env.execute_sql("ALTER VIEW v SET TBLPROPERTIES ('b' = '2', 'a' = '3')")
    assert env.get_view("v").properties == {"a": "3", "b": "2"}
    env.execute_sql("ALTER VIEW v UNSET TBLPROPERTIES ('b')")
    assert env.get_view("v").properties == {"a": "3"}
    with pytest.raises(SqlSyntaxError, match="no property 'b'"):
        env.execute_sql("ALTER VIEW v UNSET TBLPROPERTIES ('b')")
    env.execute_sql("ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('b')")
    env.execute_sql("ALTER VIEW v RENAME TO w")
    assert env.list_views() == ["w"]
    assert len(env.history("w")) > 1


def test_only_views_that_are_there_are_altered(env: TableEnvironment) -> None:
    for change in ("AS SELECT id FROM t", "SET TBLPROPERTIES ('a' = '1')", "RENAME TO x"):
        with pytest.raises(ObjectNotFoundError):
            env.execute_sql(f"ALTER VIEW nowhere {change}")


def test_temporary_views(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMP VIEW passing (n) AS SELECT name FROM t")
    with pytest.raises(AlreadyExistsError):
        env.execute_sql("CREATE TEMPORARY VIEW passing AS SELECT id FROM t")
    env.execute_sql("ALTER VIEW passing AS SELECT id AS i FROM t")
    assert env.from_path("passing").columns == ["i"]
    assert rows(env, "DESCRIBE passing") == [("i", "INT", "")]
    with pytest.raises(SqlSyntaxError, match="is a temporary view"):
        env.execute_sql("SHOW CREATE TABLE passing")
    env.execute_sql("DROP VIEW passing")
    assert env.catalogs.list_temporaries() == []


def test_descriptions(env: TableEnvironment) -> None:
    result = env.execute_sql("DESCRIBE t")
    assert result.columns == ("col_name", "data_type", "comment")
    assert list(result.rows) == [("id", "INT", ""), ("name", "STRING", "called")]
    assert rows(env, "DESC SELECT id + 1 AS next FROM t") == [("next", "INT", "")]
    assert rows(env, "DESCRIBE QUERY TABLE t") == list(result.rows)
    env.execute_sql("CREATE VIEW v COMMENT 'x' AS SELECT id FROM t")
    shown = {row[0]: row[1] for row in rows(env, "DESCRIBE TABLE EXTENDED v")}
    assert shown["Type"] == "VIEW"
    assert shown["Comment"] == "x"
    assert shown["View Text"] == env.get_view("v").sql


def test_the_plan_of_a_query(env: TableEnvironment) -> None:
    query = "SELECT name FROM t WHERE id > 1"
    assert rows(env, f"EXPLAIN {query}") == [(env.sql_query(query).explain(),)]
    with pytest.raises(SqlSyntaxError, match="EXPLAIN COST shows plans of Spark's"):
        env.execute_sql(f"EXPLAIN COST {query}")


def test_errors_say_the_place_in_the_statement(env: TableEnvironment) -> None:
    with pytest.raises(UnknownColumnError) as caught:
        env.execute_sql("CREATE VIEW v\nAS\nSELECT id,\n  nmae\nFROM t")
    assert caught.value.location == "line 4, column 3\n      nmae\n      ^"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE VIEW v (a, b) AS SELECT id FROM t", "2 names for 1 columns"),
        ("CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1", "belongs to a Spark session"),
        ("CREATE VIEW v WITH SCHEMA EVOLUTION AS SELECT 1", "WITH SCHEMA EVOLUTION"),
        ("CREATE VIEW v WITH SCHEMA BINDING AS SELECT 1", "leave it out"),
        ("CREATE VIEW v PARTITIONED ON (a) AS SELECT 1", "PARTITIONED of a view"),
        ("CREATE VIEW v SELECT 1", "expected AS and a query"),
        ("CREATE VIEW v AS", "found the end of the text"),
        ("CREATE VIEW v AS SELECT 1 AS a; SELECT 2", "expected the end of the query"),
        ("CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1 AS a", "has no IF NOT EXISTS"),
        ("ALTER VIEW v COMMENT 'x'", "expected AS and a query, RENAME TO"),
        ("ALTER VIEW v WITH SCHEMA EVOLUTION", "is not read"),
        ("DROP VIEW v w", "expected the end of the statement"),
    ],
)
def test_what_is_refused(env: TableEnvironment, statement: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        env.execute_sql(statement)
    assert message in str(caught.value)
    assert env.list_views() == []
