"""Columns of Python functions that a later step drops are no part of the view."""

from __future__ import annotations

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from tests.spark.capture.ways import assert_same
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic import capture_classic


def _counted(spark):
    twice = F.udf(lambda number: 2 * number, "bigint")
    return spark.range(3).withColumn("u", twice("id"))


def _joined_with_itself(frame):
    return frame.drop("u").join(frame.select("id"), "id")


LEFT_OUT = {
    "dropped": lambda frame: frame.drop("u"),
    "used by what is dropped": lambda frame: frame.withColumn("v", F.col("u") + 1).select("id"),
    "grouped": lambda frame: frame.groupBy("id").count(),
    "filtered": lambda frame: frame.where("id > 0").orderBy("id").alias("a").select("a.id"),
    "joined": lambda frame: frame.join(frame.sparkSession.range(2), "id").select("id"),
    "numbered": lambda frame: frame.withColumn("n", F.row_number().over(Window.orderBy("id"))).drop(
        "u"
    ),
    "joined with itself": _joined_with_itself,
}
READ = {
    "filtered by it": lambda frame: frame.where("u > 0").drop("u"),
    "sorted by it": lambda frame: frame.orderBy("u").drop("u"),
    "compared": lambda frame: frame.distinct().drop("u"),
    "united": lambda frame: frame.union(frame).drop("u"),
    "shown": lambda frame: frame.select((F.col("u") + 1).alias("v")),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_nothing_reads_is_left_out(name, spark):
    frame = LEFT_OUT[name](_counted(spark))
    assert_same(frame, capture_classic(frame))


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_refused(name, spark):
    with pytest.raises(CaptureError, match="Python function of this session"):
        capture_classic(READ[name](_counted(spark)))
