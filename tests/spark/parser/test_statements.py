"""DDL around queries: Spark's own parser takes what ours takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.grammar.statements import StatementGrammar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TAKEN = [
    "CREATE VIEW v AS SELECT 1 AS a",
    "CREATE OR REPLACE TEMPORARY VIEW v (a, b COMMENT 'x') AS SELECT 1, 2",
    "CREATE OR REPLACE TEMP VIEW v AS VALUES (1)",
    "CREATE VIEW IF NOT EXISTS db.v (`a b`) COMMENT 'x' TBLPROPERTIES ('a' = 'b', c.d = 1, "
    "e = true) AS WITH x AS (SELECT 1) SELECT * FROM x",
    "CREATE VIEW v WITH SCHEMA COMPENSATION AS TABLE t",
    "CREATE VIEW v TBLPROPERTIES ('a' 'b') COMMENT 'c' AS FROM t |> WHERE a = 1",
    "CREATE VIEW v AS (SELECT 1 AS a) UNION ALL SELECT 2",
    "CREATE TABLE t (a INT NOT NULL DEFAULT 1 + 1 COMMENT 'x', b STRING) USING csv "
    "OPTIONS (header = true, 'sep' = ';') PARTITIONED BY (b) COMMENT 'x' LOCATION '/a' "
    "TBLPROPERTIES ('a' = 'b')",
    "CREATE TABLE IF NOT EXISTS db.t (a STRUCT<x: INT, y: ARRAY<STRING>>, b DECIMAL(3, 1)) USING x",
    "CREATE TABLE t (a INT, CONSTRAINT few CHECK (a > 0)) USING x",
    "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a), FOREIGN KEY (b) REFERENCES u (k)) USING x",
    "CREATE TABLE t (check INT, primary STRING, unique INT) USING x",
]
REFUSED = [
    "CREATE VIEW v SELECT 1",
    "CREATE VIEW v AS",
    "CREATE VIEW v () AS SELECT 1",
    "CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1",
    "CREATE VIEW v COMMENT x AS SELECT 1",
    "CREATE TEMPORARY VIEW a.b AS SELECT 1",
    "CREATE VIEW v TBLPROPERTIES () AS SELECT 1",
    "CREATE TABLE t (a)",
    "CREATE TABLE t (a INT,) USING x",
    "CREATE TABLE t (a INT) PARTITIONED BY ()",
    "CREATE TEMPORARY TABLE t (a INT)",
]


def read(text: str) -> None:
    grammar = StatementGrammar(text)
    if grammar.is_create("TABLE"):
        grammar.create_table()
        grammar.finish()
        return
    view = grammar.create_view()
    StatementGrammar(text, start=view.start).statement()


def taken_by(spark: SparkSession, text: str) -> bool:
    parser = spark._jsparkSession.sessionState().sqlParser()  # type: ignore[attr-defined]
    try:
        parser.parsePlan(text)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("text", TAKEN)
def test_what_is_taken_is_sparks(spark: SparkSession, text: str) -> None:
    read(text)
    assert taken_by(spark, text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_statement_is_refused(spark: SparkSession, text: str) -> None:
    with pytest.raises(SqlSyntaxError):
        read(text)
    assert not taken_by(spark, text)
