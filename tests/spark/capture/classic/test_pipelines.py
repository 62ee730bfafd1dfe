"""Classic DataFrames: the captured tree, its texts and its interpretation against the original."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.classic.pipelines import listing as own
from tests.spark.capture.corpus import chosen
from tests.spark.capture.pipelines import listing as shared
from tests.spark.helpers import rows
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs

PIPELINES = shared.pipelines() | own.pipelines()

NOT_CLASSIC = {
    "basics.casts": "Spark refuses try_cast of an INT to a DATE",
    "groups.pivot_several": "classic takes no count(*) in a pivot",
    "cleaning.sample_by_strata": "classic draws the sample with a function of Scala's",
    "cleaning.without_rows": "the plan does not have the rows of a Python list",
    "cleaning.structs_brought_along": "the plan does not have the rows of a Python list",
    "joins.self_join_by_frames": "classic takes it for ambiguous",
    "joins.self_join_filtered": "classic takes it for ambiguous",
    "joins.self_join_grouped": "classic takes it for ambiguous",
    "joins.correlated_exists": "classic does not find the outer column",
}
"""What a classic session does not analyze in the first place."""

DIFFERENT = {
    "basics.literals": "the text of NaN may be NULL: it is double('NaN')",
}
"""Known differences, each with the reason."""


def columns(frame: DataFrame) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in schema_from_spark(frame.schema)]


@pytest.mark.parametrize("name", chosen(PIPELINES, 10))
def test_the_captured_tree_is_the_dataframe(
    name: str, spark: SparkSession, world: vs.TableEnvironment, request: pytest.FixtureRequest
):
    if name in NOT_CLASSIC:
        pytest.skip(NOT_CLASSIC[name])
    if name in DIFFERENT:
        request.applymarker(pytest.mark.xfail(reason=DIFFERENT[name], strict=True))
    original = PIPELINES[name](spark)
    tree = capture_classic(original)
    expected, wanted = columns(original), Counter(rows(original))
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    frames = {
        "readable": spark.sql(to_sql(tree)),
        "nested": spark.sql(to_sql(tree, style="nested")),
        "interpreted": to_dataframe(tree, spark),
    }
    for frame in frames.values():
        assert columns(frame) == expected
        assert Counter(rows(frame)) == wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "frames.two_windows",
            "SELECT\n"
            "  max(salary) OVER (PARTITION BY dept) - min(salary) OVER (PARTITION BY name) "
            "AS spread,\n"
            "  count(*) OVER (\n"
            "    PARTITION BY dept ORDER BY salary\n"
            "    RANGE BETWEEN 5L PRECEDING AND 5L FOLLOWING\n"
            "  ) AS near\n"
            "FROM spark_catalog.world.people\n",
        ),
        (
            "queries.order_on_what_is_not_selected",
            "SELECT\n  dept\nFROM spark_catalog.world.people\nGROUP BY dept\n"
            "ORDER BY max(salary)\n",
        ),
        (
            "queries.having_what_is_not_selected",
            "SELECT\n  dept\nFROM spark_catalog.world.people\nGROUP BY dept\n"
            "HAVING sum(salary) > 10\n",
        ),
        (
            "frames.hopping_windows",
            "SELECT\n"
            "  window(at, '10 minutes', '5 minutes', '1 minute') AS window,\n"
            "  count(*) AS count\n"
            "FROM spark_catalog.world.sales\n"
            "GROUP BY window(at, '10 minutes', '5 minutes', '1 minute')\n",
        ),
        (
            "queries.padded_texts",
            "SELECT\n  c,\n  v,\n  n\nFROM spark_catalog.world.padded\nWHERE c = rpad('a', 5)\n",
        ),
    ],
)
def test_what_the_analyzer_adds_does_not_show(
    name: str, text: str, spark: SparkSession, world: vs.TableEnvironment
):
    assert _words(to_sql(capture_classic(PIPELINES[name](spark)))) == _words(text)


def _words(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split()
