"""What PySpark makes up anew each time is not in a text: it would differ with each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import viewscribe as vs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _of_frames(spark: Any) -> Any:
    people = spark.table("world.people").select("name", "dept").distinct()
    both = spark.sql("SELECT name FROM {p} EXCEPT SELECT name FROM {p} WHERE dept = 'hr'", p=people)
    return spark.sql("SELECT f.name FROM {f} AS f UNION ALL SELECT name FROM {f}", f=both)


def test_dataframes_in_a_text_have_no_names_of_one_run(
    spark: SparkSession, world: vs.TableEnvironment
) -> None:
    text = vs.capture(_of_frames(spark)).to_sql()
    assert text == vs.capture(_of_frames(spark)).to_sql()
    assert "_pyspark_" not in text
