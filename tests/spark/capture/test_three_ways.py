"""Each pipeline in all three ways: what is captured has the columns and rows of the DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.corpus import chosen
from tests.spark.capture.pipelines.listing import pipelines
from tests.spark.capture.ways import Ways, columns, multiset
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.interpreter import to_dataframe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs
    from tests.spark.capture.planner import OfflineSession, Planner
    from viewscribe.operations.base import QueryOperation

PIPELINES = pipelines()

AMBIGUOUS = "classic takes a column of a frame that is there twice for ambiguous"

NOT_CLASSIC = {
    "basics.casts": "Spark refuses try_cast of an INT to a DATE",
    "groups.pivot_several": "classic takes no count(*) in a pivot",
    "joins.self_join_by_frames": AMBIGUOUS,
    "joins.self_join_filtered": AMBIGUOUS,
    "joins.self_join_grouped": AMBIGUOUS,
    "joins.correlated_exists": "classic does not find the outer column",
}
"""What a classic session does not analyze in the first place, and why."""

NOT_CONNECT: dict[str, str] = {}
"""What the Connect plan cannot be captured of, and why."""

NULLABLE = {
    "basics.literals_beyond_numbers": "double('NaN') is a conversion, which Spark takes for one "
    "that may fail",
}
"""Where the text says that there may be NULL and the DataFrame says that there is none, and why."""


@pytest.fixture(scope="module")
def ways(spark: Any, planner: Planner, offline: OfflineSession) -> Ways:
    return Ways(spark, planner, offline)


def test_enough_pipelines_are_captured_in_all_three_ways():
    assert len(PIPELINES.keys() - NOT_CLASSIC.keys() - NOT_CONNECT.keys()) >= 300
    assert NOT_CLASSIC.keys() | NOT_CONNECT.keys() | NULLABLE.keys() <= PIPELINES.keys()


@pytest.mark.parametrize("name", chosen(PIPELINES, 9))
def test_what_is_captured_is_the_dataframe(name: str, ways: Ways, world: vs.TableEnvironment):
    pipeline = PIPELINES[name]
    if name not in NOT_CLASSIC:
        frame = pipeline(ways.spark)
        _same(name, frame, ways.analyzed(frame), ways.spark)
    if name in NOT_CONNECT:
        return
    df = ways.connected(pipeline)
    frame, tree = ways.planned(df), ways.over_connect(df)
    _same(name, frame, tree, ways.spark)
    recorded = ways.recorded(pipeline)
    if to_sql(recorded) != to_sql(tree):
        _same(name, frame, recorded, ways.spark)


def _same(name: str, original: DataFrame, tree: QueryOperation, spark: SparkSession) -> None:
    """Asserts that all that is made of the tree has the columns and rows of the DataFrame."""
    expected = columns(original)
    if name in NULLABLE:
        expected = [(column, type_.as_nullable()) for column, type_ in expected]
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    wanted = multiset(original)
    texts = dict.fromkeys([to_sql(tree), to_sql(tree, style="nested")])
    for frame in (*map(spark.sql, texts), to_dataframe(tree, spark)):
        assert columns(frame) == expected
        assert multiset(frame) == wanted


@pytest.mark.parametrize("name", sorted(NOT_CONNECT))
def test_what_a_connect_plan_does_not_say_is_refused(name: str, ways: Ways):
    with pytest.raises(CaptureError) as caught:
        ways.over_connect(ways.connected(PIPELINES[name]))
    assert caught.value.hint
