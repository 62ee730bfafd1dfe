"""A SELECT without FROM is captured as one: its rows, its plan, wherever it stands."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from tests.versions import RUNNING
from viewscribe.serializer import STYLES, to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.verify import verify

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs

ITEMS = (
    "1 AS a",
    "CAST(NULL AS INT) AS a, 'x' AS one",
    "1 + 1 AS a, concat('p', 'q') AS b",
    "decode(encode('abc', 'utf-8'), 'utf-8') AS a",
    "(SELECT max(salary) FROM world.people) AS a",
    "count(*) AS a",
    "sum(1) OVER () AS a",
    "explode(array(1, 2)) AS a",
)

CONDITIONS = (
    "",
    "WHERE false",
    "WHERE 1 = 1",
    "WHERE CAST(NULL AS BOOLEAN)",
    "WHERE EXISTS (SELECT 1 WHERE false)",
)

AROUND = (
    "{}",
    "SELECT count(*) AS n FROM ({})",
    "SELECT name FROM world.people WHERE EXISTS ({})",
    "SELECT name FROM world.people WHERE 'p' IN (SELECT CAST(a AS STRING) FROM ({}))",
    "SELECT (SELECT max(a) FROM ({})) AS m",
    "SELECT p.name, s.a FROM world.people AS p, LATERAL ({}) AS s",
    "SELECT a FROM ({}) UNION ALL SELECT NULL",
    "SELECT NULL AS z EXCEPT SELECT a FROM ({})",
    "WITH c AS ({}) SELECT x.a, y.a AS b FROM c AS x JOIN c AS y ON x.a = y.a",
    "SELECT p.name, s.a FROM world.people AS p LEFT JOIN ({}) AS s ON p.name = s.a",
    "SELECT DISTINCT a FROM ({}) ORDER BY a LIMIT 1",
    "SELECT a, a AS again FROM ({}) WHERE a IS NOT NULL",
)

AGGREGATES_OF_CONSTANTS = (
    "SELECT 1 AS k FROM world.people HAVING true",
    "SELECT 1 AS k FROM world.people HAVING count(*) > 100",
    "SELECT 1 HAVING count(*) > 0",
    "SELECT row_number() OVER (ORDER BY 1) AS place FROM world.people",
)


def queries() -> list[str]:
    """Each item under each condition, by turns in each of the places."""
    places = cycle(AROUND)
    bare = [f"SELECT {items} {where}".strip() for items in ITEMS for where in CONDITIONS]
    turns = [place.format(query) for query in bare for place in (next(places), next(places))]
    return [*bare, *turns, *AGGREGATES_OF_CONSTANTS]


@pytest.mark.parametrize("style", STYLES)
def test_the_text_has_the_rows_and_nearly_always_the_plan_of_the_query(
    spark: SparkSession, world: vs.TableEnvironment, style: str
) -> None:
    chosen = queries() if style == "readable" else queries()[::3]
    unproven = []
    for query in chosen:
        frame = spark.sql(query)
        tree = capture_classic(frame)
        text = to_sql(tree, style, RUNNING)
        report = verify(tree, spark, sql=text, original=frame, rows=False)
        if report.plan.status != "equal":
            report = verify(tree, spark, sql=text, original=frame)
            assert (report.is_sound, report.rows.status) == (True, "equal"), (
                f"{query}\n{text}\n{report}"
            )
            unproven.append(query)
    assert len(unproven) <= len(chosen) / 20 or style == "nested", unproven


def test_no_text_has_values_that_nobody_wrote(
    spark: SparkSession, world: vs.TableEnvironment
) -> None:
    for query in queries():
        assert "VALUES" not in to_sql(capture_classic(spark.sql(query)), target=RUNNING)
