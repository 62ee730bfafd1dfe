"""A logger says where the time goes, to those who listen."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

import viewscribe as vs

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession


def test_what_took_how_long_is_told(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="viewscribe"):
        vs.verify(vs.capture(spark.range(3).selectExpr("id + 1 AS n")), spark)
    told = [each.getMessage() for each in caplog.records if each.name.startswith("viewscribe.")]
    assert all(re.match(r"\d+\.\d{3} s: ", each) for each in told)
    assert [each.split(": ", 1)[1].split()[0] for each in told] == [
        "captured", "analyzed", "analyzed", "compared", "compared",
    ]  # fmt: skip
