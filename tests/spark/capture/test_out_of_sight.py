"""Names that Spark would look for elsewhere, and sides of joins that have no columns at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.versions import before
from viewscribe.errors import NotSerializableError
from viewscribe.serializer import STYLES, to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.verify import verify

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs

LATERAL = (
    "SELECT d.dept, s FROM world.depts AS d, LATERAL (SELECT (SELECT sum(salary) FROM world.people "
    "WHERE dept = a) AS s FROM (SELECT d.dept AS a))"
)
"""Written in one SELECT, the inner query would look two queries out, where Spark does not."""

AGGREGATES = (
    "SELECT d.dept, (SELECT max(k) FROM (SELECT d.dept AS c, p.name AS k FROM world.people AS p) "
    "GROUP BY c HAVING count(c) > 0) AS a, (SELECT max(c) FROM (SELECT d.city AS c)) AS b, w "
    "FROM world.depts AS d, LATERAL (SELECT max(c) OVER () AS w FROM (SELECT d.city AS c)) "
    "WHERE (SELECT min(c) FROM (SELECT d.dept AS c)) > 'a'"
)
"""Of nothing but columns of the query around, it would be an aggregate of that query."""

METADATA = (
    "SELECT d._metadata.file_size > 0 AS a, p._metadata.file_size < 0 AS b, p.name "
    "FROM world.depts AS d JOIN world.people AS p ON p.dept = d.dept"
)
ONE_SIDE = "SELECT d._metadata.file_size > 0 AS a FROM world.depts AS d, world.people AS p"
"""The other table has that column, too, though it is asked for nowhere."""

RECURSIVE = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) "
    "SELECT i FROM r UNION ALL (SELECT i FROM r EXCEPT SELECT 1)"
)

WITHOUT_COLUMNS = (
    "SELECT name FROM world.people, LATERAL (SELECT * WHERE salary > 10)",
    "SELECT name, dept FROM world.people LEFT JOIN LATERAL (SELECT * FROM (SELECT *)) ON true",
)


@pytest.mark.parametrize("query", [LATERAL, AGGREGATES, METADATA, ONE_SIDE, RECURSIVE])
@pytest.mark.parametrize("style", STYLES)
def test_each_name_is_found(
    spark: SparkSession, world: vs.TableEnvironment, query: str, style: str
) -> None:
    if query is RECURSIVE and before("4.1"):
        pytest.skip("recursive queries came with Spark 4.1")
    frame = spark.sql(query)
    operation = capture_classic(frame)
    report = verify(
        operation, spark, sql=to_sql(operation, style), original=frame, functions=["_metadata"]
    )
    assert report.ok, str(report)


@pytest.mark.parametrize("query", WITHOUT_COLUMNS)
def test_a_side_without_columns_gives_its_rows(
    spark: SparkSession, world: vs.TableEnvironment, query: str
) -> None:
    frame = spark.sql(query)
    operation = capture_classic(frame)
    for style in ("readable", "nested"):
        report = verify(
            operation, spark, sql=to_sql(operation, style), original=frame, functions=["_metadata"]
        )
        assert report.ok, str(report)
    with pytest.raises(NotSerializableError, match="without columns"):
        to_sql(operation, "pipe")
