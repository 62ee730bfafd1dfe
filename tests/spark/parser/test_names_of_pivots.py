"""The columns of a pivot are called by their values as Spark casts these to a STRING."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

from tests.parser.tables import Tables
from tests.spark.answers import Answers
from viewscribe import TableEnvironment
from viewscribe import functions as F
from viewscribe.errors import ViewscribeError
from viewscribe.parser.read import read_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

COLUMNS = {
    "d": ("DATE", "DATE'2020-01-01'", "'2020-01-01'", "CAST('2020-1-1' AS DATE)", "NULL"),
    "at": ("TIMESTAMP", "TIMESTAMP'2020-01-01 10:00:00.5'", "TIMESTAMP'2020-01-01 10:00:00+02:00'"),
    "plain": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ'2020-01-01 10:00:00'"),
    "price": ("DECIMAL(10, 2)", "1.50BD", "2", "1.5", "3.0"),
    "yes": ("BOOLEAN", "true", "false"),
    "x": ("DOUBLE", "1.5D", "1.0", "1e10D", "1"),
    "y": ("FLOAT", "1.5F"),
    "s": ("STRING", "'x'", "'it''s'", "'A b'", "1", "NULL"),
    "n": ("INT", "1", "1 + 1", "-3", "CAST(1 AS BIGINT)", "NULL"),
    "few": ("SMALLINT", "1S", "1"),
    "bytes": ("BINARY", "X'41'"),
    "span": ("INTERVAL DAY TO SECOND", "INTERVAL '1' DAY", "INTERVAL '1 02:03:04' DAY TO SECOND"),
    "months": ("INTERVAL YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
    "days": ("ARRAY<DATE>", "array(DATE'2020-01-01')", "array(DATE'2020-01-01', NULL)"),
    "both": ("STRUCT<a: DATE, b: STRING>", "struct(DATE'2020-01-01', 'x')"),
    "code": ("CHAR(3)", "'ab'", "'abc'"),
    "short": ("VARCHAR(3)", "'ab'"),
}
"""For each column its type, and values of it as they are written."""

SCHEMA = "k INT, " + ", ".join(f"{name} {type_}" for name, (type_, *_) in COLUMNS.items())
ROWS = ", ".join(f"CAST({values[0]} AS {type_})" for type_, *values in COLUMNS.values())
AGGREGATES = ("count(*)", "count(*) AS n1, sum(k) AS n2")


@pytest.fixture(scope="module", params=["UTC", "America/New_York"])
def session(spark: SparkSession, request: Any) -> Iterator[SparkSession]:
    before = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", request.param)
    spark.sql(f"CREATE TABLE turned ({SCHEMA}) USING parquet")
    spark.sql(f"INSERT INTO turned SELECT 1, {ROWS}")
    yield spark
    spark.sql("DROP TABLE turned")
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.parametrize("column", COLUMNS)
def test_in_texts(session: SparkSession, column: str) -> None:
    zone = str(session.conf.get("spark.sql.session.timeZone"))
    reading = TableEnvironment(settings={"spark.sql.session.timeZone": zone})
    reading.create_table("turned", SCHEMA)
    answers = Answers(lambda frame: sorted(map(str, frame.collect())))
    for value in COLUMNS[column][1:]:
        for aggregates in AGGREGATES:
            query = (
                f"SELECT * FROM (SELECT k, {column} FROM turned) "
                f"PIVOT ({aggregates} FOR {column} IN ({value}))"
            )
            frame, table = session.sql(query), reading.sql_query(query)
            assert list(table.schema.names) == frame.columns
            read = session.sql(table.to_sql())
            assert read.columns == frame.columns
            assert answers.of(read) == answers.of(frame), table.to_sql()


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("d", [dt.date(2020, 1, 1), None]),
        ("yes", [True, False]),
        ("x", [1.5, 1e10]),
        ("s", ["x", "it's"]),
        ("n", [1, -3]),
        ("price", [Decimal("1.50")]),
    ],
)
def test_in_pipelines(session: SparkSession, column: str, values: list[Any]) -> None:
    from pyspark.sql import functions as S

    theirs = session.table("turned").groupBy("k").pivot(column, values).agg(S.count("k"))
    env = TableEnvironment()
    env.create_table("turned", SCHEMA)
    ours = env.from_path("turned").group_by("k").pivot(column, values).agg(F.count("k"))
    assert list(ours.schema.names) == theirs.columns


def test_what_spark_refuses(session: SparkSession) -> None:
    for value in ("n", "rand()", "2147483647 + 1", "CAST('epoch' AS DATE)"):
        column = "d" if "DATE" in value else "n"
        query = (
            f"SELECT * FROM (SELECT k, {column} FROM turned) "
            f"PIVOT (count(*) FOR {column} IN ({value}))"
        )
        with pytest.raises(PySparkException):
            session.sql(query).collect()
        with pytest.raises(ViewscribeError, match="pivot"):
            read_sql(query, Tables({"turned": SCHEMA}))
