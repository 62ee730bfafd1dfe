"""Joins with the nearest rows in text: the rows that Spark gives."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

TABLES = {
    "l": ("i INT, a INT, v STRING", [(1, 5, "x"), (2, None, "y"), (3, 9, "x"), (4, -2, None)]),
    "r": (
        "k INT NOT NULL, b INT, v STRING",
        [(1, 4, "x"), (2, 7, "y"), (3, None, "x"), (4, 30, "x")],
    ),
}

QUERIES = [
    "SELECT * FROM l JOIN r APPROX NEAREST 2 BY DISTANCE abs(a - b)",
    "SELECT i, l.v, k FROM l LEFT JOIN r EXACT NEAREST BY DISTANCE abs(a - b) WHERE i > 1",
    "SELECT l.*, r.v AS w FROM l INNER JOIN r EXACT NEAREST 3 BY SIMILARITY a * 100 + b",
    "SELECT q.i, s.k FROM l AS q LEFT OUTER JOIN (SELECT k, b FROM r WHERE b > 4) AS s "
    "APPROX NEAREST 1 BY SIMILARITY q.a - s.b ORDER BY i",
    "SELECT l.i, r.k, m.i AS j FROM l JOIN r EXACT NEAREST BY DISTANCE abs(a - b) "
    "JOIN l AS m ON m.i = k",
    "FROM l |> LEFT JOIN r EXACT NEAREST 2 BY DISTANCE abs(a - b) |> AGGREGATE count(k) GROUP BY i",
]

REFUSED = [
    "SELECT * FROM l RIGHT JOIN r EXACT NEAREST 2 BY DISTANCE a - b",
    "SELECT * FROM l CROSS JOIN r EXACT NEAREST 2 BY DISTANCE a - b",
    "SELECT * FROM l JOIN r EXACT NEAREST 0 BY DISTANCE a - b",
    "SELECT * FROM l JOIN r EXACT NEAREST 100001 BY DISTANCE a - b",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY DISTANCE nothing",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY DISTANCE sum(a - b)",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY DISTANCE rank() OVER (ORDER BY a)",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY DISTANCE array(a)[0] = map(1, b)",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY DISTANCE map(a, b)",
    "SELECT * FROM l JOIN LATERAL (SELECT * FROM r) AS r EXACT NEAREST 2 BY DISTANCE a - b",
    "SELECT * FROM l NATURAL JOIN r EXACT NEAREST 2 BY DISTANCE a",
    "SELECT * FROM l JOIN r EXACT NEAREST 2 BY a - b",
]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    session = spark.newSession()
    for name, (schema, rows) in TABLES.items():
        session.createDataFrame(rows, schema).createOrReplaceTempView(name)
    yield session
    for name in TABLES:
        session.catalog.dropTempView(name)


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    env = TableEnvironment()
    for name, (schema, _) in TABLES.items():
        env.create_table(name, schema)
    return env


@pytest.mark.parametrize("style", ["readable", "pipe"])
@pytest.mark.parametrize("query", QUERIES)
def test_rows(session: SparkSession, env: TableEnvironment, query: str, style: str) -> None:
    theirs, table = session.sql(query), env.sql_query(query)
    assert [str(f.type) for f in table.schema] == [
        str(f.type) for f in schema_from_spark(theirs.schema)
    ]
    ours = session.sql(table.to_sql(style).replace("spark_catalog.default.", ""))
    assert ours.columns == theirs.columns
    assert Counter(ours.collect()) == Counter(theirs.collect())


@pytest.mark.parametrize("query", REFUSED)
def test_refused_by_both(session: SparkSession, env: TableEnvironment, query: str) -> None:
    with pytest.raises(PySparkException):
        session.sql(query).collect()
    with pytest.raises(ViewscribeError):
        env.sql_query(query)


def test_without_cross_joins_there_are_none(session: SparkSession) -> None:
    """Spark looks at all pairs, and refuses that where the setting does."""
    name, query = "spark.sql.crossJoin.enabled", QUERIES[0]
    env = TableEnvironment(settings={name: "false"})
    for table, (schema, _) in TABLES.items():
        env.create_table(table, schema)
    session.conf.set(name, "false")
    try:
        with pytest.raises(PySparkException, match="CROSS_JOIN_NOT_ENABLED"):
            session.sql(query)
    finally:
        session.conf.unset(name)
    with pytest.raises(ViewscribeError, match=name):
        env.sql_query(query)
