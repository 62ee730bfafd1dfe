"""Draws of one DataFrame that is used twice are the same draws, and those of two are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRAWN = {
    "rand": "SELECT id, rand() AS r FROM range(9)",
    "randn": "SELECT id, randn() AS r FROM range(9)",
    "uuid": "SELECT id, uuid() AS r FROM range(9)",
    "a CTE": (
        "WITH x AS (SELECT id, rand() AS r FROM range(9)) SELECT a.* FROM x a JOIN x b USING (r)"
    ),
}
USED_TWICE: dict[str, tuple[Callable[[Any], Any], int]] = {
    "united": (lambda frame: frame.union(frame).select("r").distinct(), 9),
    "joined": (lambda frame: frame.join(frame.select("r"), "r"), 9),
    "filtered": (lambda frame: frame.where("id < 5").exceptAll(frame.limit(9)), 0),
}


@pytest.mark.parametrize("used", USED_TWICE)
@pytest.mark.parametrize("drawn", DRAWN)
def test_a_frame_that_is_used_twice_draws_once(drawn: str, used: str, spark: SparkSession):
    use, count = USED_TWICE[used]
    frame = use(spark.sql(DRAWN[drawn]))
    assert frame.count() == count
    assert spark.sql(to_sql(capture_classic(frame))).count() == count


def test_one_that_is_used_once_has_no_seed(spark: SparkSession):
    one, other = spark.sql(DRAWN["rand"]), spark.sql(DRAWN["rand"])
    text = to_sql(capture_classic(one.union(other).where("nullif(r, rand()) > 0").limit(3)))
    assert text.count("rand()") == 3


def _of_a_view(spark: Any) -> Any:
    spark.sql(DRAWN["rand"]).createOrReplaceTempView("drawn_once")
    return spark.sql("SELECT * FROM drawn_once UNION ALL SELECT * FROM drawn_once")


def _of_text(spark: Any) -> Any:
    frame = spark.range(9).selectExpr("id", "rand() AS r")
    return frame.join(frame.select("r"), "r")


@pytest.mark.parametrize("pipeline", [_of_a_view, _of_text])
def test_a_recording_cannot_say_it_without_a_seed(pipeline: Any, spark: SparkSession):
    with pytest.raises(CaptureError, match="draws once for both"):
        vs.record(pipeline, spark)


def test_a_recording_can_with_one_and_with_two_frames(spark: SparkSession):
    def pipeline(spark: Any) -> Any:
        one, other = spark.sql(DRAWN["rand"]), spark.sql(DRAWN["rand"])
        seeded = spark.range(9).selectExpr("id", "rand(7) AS r", "spark_partition_id() AS p")
        return one.union(other).union(seeded.drop("p")).union(seeded.select("p", "r"))

    assert vs.record(pipeline, spark).to_sql().count("rand()") == 2
