"""A NULL time needs no TIME type in the text, which Spark reads only where it is switched on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from tests.versions import before

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.skipif(before("4.1"), reason="no such form")


@pytest.mark.parametrize("name", ["make_timestamp", "try_make_timestamp"])
def test_a_null_for_the_time_is_written_as_it_was(spark: SparkSession, name: str) -> None:
    captured = vs.capture(spark.sql(f"SELECT {name}(DATE '2024-01-01', NULL) AS m"))
    text = captured.to_sql()
    assert f"{name}(DATE '2024-01-01', NULL)" in text
    assert "CAST" not in text
    assert spark.sql(text).collect() == [(None,)]
