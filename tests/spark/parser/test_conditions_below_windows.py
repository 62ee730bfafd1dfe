"""HAVING beside a generator and a window: below the window to Spark 4.3, above it before."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe.errors import ViewscribeError

QUERY = "SELECT explode(array(k, k)) AS x, count(*) OVER () AS c, k FROM having_n GROUP BY k HAVING"


@pytest.fixture(scope="module")
def env(spark):
    spark.sql("SELECT * FROM VALUES (1), (2), (3), (NULL) AS t(k)").createOrReplaceTempView(
        "having_n"
    )
    env = vs.TableEnvironment()
    env.create_table("having_n", "k INT")
    yield env
    spark.catalog.dropTempView("having_n")


@pytest.mark.parametrize("sets", ["ROLLUP (k)", "CUBE (k)"])
def test_of_the_groups_of_sets_alone_is_refused(env, sets):
    with pytest.raises(ViewscribeError, match="several sets"):
        env.sql_query(f"{QUERY} k IS NOT NULL".replace("BY k", f"BY {sets}"))


OF_GROUPS = ["k IS NOT NULL", "k > 1 OR k < 0", "1 < 2", "k IN (SELECT k FROM having_n)"]


@pytest.mark.parametrize("condition", OF_GROUPS)
def test_of_the_groups_alone_is_below_the_window(env, spark, condition):
    text = f"{QUERY} {condition}"
    shown = env.sql_query(text).to_sql().replace("spark_catalog.default.", "")
    assert sorted(spark.sql(shown).collect(), key=str) == sorted(spark.sql(text).collect(), key=str)


@pytest.mark.parametrize("condition", ["x > 1", "c > 1", "k IS NOT NULL AND x > 1", "k + c > 5"])
def test_of_what_is_made_above_is_read(env, spark, condition):
    text = f"{QUERY} {condition}"
    shown = env.sql_query(text).to_sql().replace("spark_catalog.default.", "")
    assert sorted(spark.sql(shown).collect(), key=str) == sorted(spark.sql(text).collect(), key=str)
