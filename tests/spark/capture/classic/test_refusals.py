"""What cannot become a view is refused by name, with the reason and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from tests.versions import ROWS_OF_PANDAS, before
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic import capture_classic

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    import viewscribe as vs


def python_list(spark: Any) -> Any:
    return spark.createDataFrame([(1, "a")], "id INT, name STRING")


def python_function(spark: Any) -> Any:
    shout = F.udf(lambda text: text + "!", "string")
    return spark.table("world.people").select(shout("name"))


def map_in_pandas(spark: Any) -> Any:
    return spark.range(3).mapInPandas(lambda frames: frames, "id BIGINT")


def applied_in_pandas(spark: Any) -> Any:
    return spark.range(3).groupBy("id").applyInPandas(lambda frame: frame, "id BIGINT")


def taken_several_times(spark: Any) -> Any:
    return spark.range(3).sample(withReplacement=True, fraction=0.5, seed=1)


def transposed(spark: Any) -> Any:
    return spark.table("world.depts").transpose()


def sampled_by_strata(spark: Any) -> Any:
    return spark.range(9).sampleBy("id", {1: 0.5}, seed=3)


def frequent(spark: Any) -> Any:
    return spark.table("world.depts").freqItems(["dept"])


def stream(spark: Any) -> Any:
    return spark.readStream.format("rate").load()


def command(spark: Any) -> Any:
    return spark.sql("SHOW TABLES IN world")


def session_variable(spark: Any) -> Any:
    spark.sql("DECLARE OR REPLACE VARIABLE least INT DEFAULT 5")
    return spark.sql("SELECT * FROM world.people WHERE salary > least")


def without_columns(spark: Any) -> Any:
    return spark.table("world.people").select()


def draws_about_a_row(spark: Any) -> Any:
    within = "WITH q AS (SELECT rand() AS r) SELECT 1 FROM q, q AS p WHERE q.r + p.r < t.id"
    return spark.sql(f"SELECT id FROM range(3) t WHERE EXISTS ({within})")


@pytest.mark.parametrize(
    ("made", "node", "reason", "way_out"),
    [
        (python_list, "LogicalRDD", "Python list", "saveAsTable"),
        (python_function, "PythonUDF", "Python function", "env.create_function"),
        (map_in_pandas, "MapInPandas", "Python code", "saveAsTable"),
        (applied_in_pandas, "FlatMapGroupsInPandas", "Python code", "saveAsTable"),
        (taken_several_times, "Sample", "several times", "without replacement"),
        (transposed, "Transpose", "rows there are now", "saveAsTable"),
        (sampled_by_strata, "ScalaUDF", "fractions in Scala code", "vs.record"),
        (frequent, "CollectFrequentItems", "sketch of freqItems()", "approx_top_k"),
        (stream, "Stream", "stream", "spark.read"),
        (command, "ShowTables", "command", "saveAsTable"),
        (session_variable, "VariableReference", "variable of this session", "F.lit"),
        (draws_about_a_row, "WithCTE", "column around it", "beginning of the statement"),
        (without_columns, "Project", "without columns", "at least one"),
    ],
)
def test_refused(
    made: Callable[[Any], Any],
    node: str,
    reason: str,
    way_out: str,
    spark: SparkSession,
    world: vs.TableEnvironment,
):
    with pytest.raises(CaptureError) as raised:
        capture_classic(made(spark))
    error = raised.value
    assert node in (error.location or "")
    assert reason in error.message
    assert way_out in (error.hint or "")


def test_the_python_line_is_named(spark: SparkSession, world: vs.TableEnvironment):
    frame = spark.table("world.people").select(F.bucket(4, "salary") + 1)
    with pytest.raises(CaptureError, match=r"test_refusals\.py:\d+"):
        capture_classic(frame)


@pytest.mark.skipif(before("4.2"), reason=ROWS_OF_PANDAS)
def test_local_data_has_a_limit(spark: SparkSession):
    import pandas as pd

    frame = spark.createDataFrame(pd.DataFrame({"a": range(20)}))
    assert len(capture_classic(frame, local_rows=20).schema) == 1
    with pytest.raises(CaptureError, match="20 rows of local data"):
        capture_classic(frame, local_rows=19)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT concat_ws(' ', a, b) AS c FROM mixed",
        "SELECT length(overlay(a, b, 2)) AS n FROM mixed",
        "SELECT 1 AS one WHERE EXISTS (SELECT concat(a, b) FROM mixed)",
    ],
)
def test_a_type_that_spark_has_no_name_for(spark: SparkSession, query: str) -> None:
    spark.sql("SELECT 'x' AS a, 'y' COLLATE UTF8_LCASE AS b").createOrReplaceTempView("made")
    columns = "CAST(a AS STRING) AS a, CAST(b AS STRING COLLATE UTF8_LCASE) AS b"
    spark.sql(f"SELECT {columns} FROM made").createOrReplaceTempView("mixed")
    with pytest.raises(CaptureError, match="different collations") as caught:
        capture_classic(spark.sql(query))
    assert "F.collate" in str(caught.value)
