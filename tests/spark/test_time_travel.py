"""Tables read as they were: what a session cannot read so is told in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from viewscribe.spark.errors import MissingSourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POINTS = ["VERSION AS OF 1", "VERSION AS OF 'tag'", "TIMESTAMP AS OF '2020-01-01'"]
TEXTS = [
    "SELECT a FROM {} {}",
    "SELECT x.a FROM {} {} AS x JOIN {} AS y ON x.a = y.a",
    "SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM {} {})",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("point", POINTS)
def test_a_table_without_versions_is_told(spark: SparkSession, point: str, text: str) -> None:
    env = vs.TableEnvironment()
    env.create_table("unversioned", "a INT")
    spark.sql("CREATE TABLE IF NOT EXISTS unversioned (a INT) USING parquet")
    table = env.sql_query(text.format("unversioned", point, "unversioned"))
    with pytest.raises(MissingSourceError, match=r"unversioned as it was \(\w+ AS OF") as told:
        table.to_dataframe(spark)
    assert "keeps versions" in str(told.value)


def test_a_table_that_is_not_there_is_told_as_one(spark: SparkSession) -> None:
    env = vs.TableEnvironment()
    env.create_table("unheard_of", "a INT")
    table = env.sql_query("SELECT a FROM unheard_of VERSION AS OF 1")
    with pytest.raises(MissingSourceError, match=r"the session has no table .*unheard_of"):
        table.to_dataframe(spark)
