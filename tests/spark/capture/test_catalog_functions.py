"""Functions of catalogs in recorded pipelines: by their names, as a session finds them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import viewscribe as vs
from tests.spark.helpers import rows
from tests.versions import RUNNING
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

SHOUT = "(x STRING) RETURNS STRING RETURN upper(x) || '!'"

CALLS: dict[str, Callable[[], Any]] = {
    "by its name": lambda: F.call_function("shout", "name").alias("s"),
    "by its database": lambda: F.call_function("world.shout", "name").alias("s"),
    "by its full path": lambda: F.call_function("spark_catalog.world.shout", "name").alias("s"),
    "without a name of its own": lambda: F.call_function("shout", F.upper("name")),
    "within another": lambda: F.length(F.call_function("SHOUT", "name")).alias("n"),
    "in SQL text": lambda: F.expr("shout(name) || 'x' AS s"),
}


@pytest.fixture(scope="module")
def functions(spark: SparkSession, env: vs.TableEnvironment) -> Iterator[vs.TableEnvironment]:
    """A function that the session and an environment know."""
    known = vs.TableEnvironment()
    known.create_database("world")
    known.use_database("world")
    known.create_table("people", "name STRING, dept STRING, salary INT")
    known.execute_sql(f"CREATE FUNCTION shout{SHOUT}")
    before = spark.catalog.currentDatabase()
    spark.sql("USE world")
    spark.sql(f"CREATE OR REPLACE FUNCTION shout{SHOUT}")
    yield known
    spark.sql("DROP FUNCTION shout")
    spark.sql(f"USE {before}")


@pytest.mark.parametrize("how", CALLS)
def test_a_function_of_a_catalog_is_called(how: str, spark: SparkSession, functions: Any):
    def pipeline(session: Any) -> Any:
        return session.table("world.people").select(CALLS[how]())

    text = spark.sql(to_sql(vs.record(pipeline, env=functions).operation, target=RUNNING))
    original = pipeline(spark)
    assert text.columns == original.columns
    assert Counter(rows(text)) == Counter(rows(original))


@pytest.mark.parametrize("name", ["whisper", "world.whisper", "nowhere.shout"])
def test_a_function_that_no_catalog_has_is_refused(name: str):
    env = vs.TableEnvironment()
    env.create_table("t", "a STRING")
    with pytest.raises(CaptureError, match="is no function") as caught:
        vs.record(lambda spark: spark.table("t").select(F.call_function(name, "a")), env=env)
    assert "create_function" in (caught.value.hint or "")
