"""Draws of one DataFrame that is used twice are the same draws, and those of two are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRAWN = {
    "rand": "SELECT id, rand() AS r FROM range(9)",
    "randn": "SELECT id, randn() AS r FROM range(9)",
    "uuid": "SELECT id, uuid() AS r FROM range(9)",
    "a CTE": "WITH x AS (SELECT id, rand() AS r FROM range(9)) SELECT a.* FROM x a JOIN x b USING (r)",
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
