"""Pipelines recorded without a server: what is known, what is answered, what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import viewscribe as vs
from tests.versions import before
from viewscribe.errors import CaptureError


@pytest.fixture(scope="module")
def shop() -> vs.TableEnvironment:
    """An environment that no session knows."""
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT NOT NULL, customer STRING, amount DECIMAL(10, 2), n INT")
    return env


def totals(spark: Any) -> Any:
    from pyspark.sql import functions as F

    orders = spark.table("orders").filter(F.col("amount") > 3)
    return orders.groupBy("customer").agg(F.sum("amount").alias("total"))


def test_the_text_is_what_was_written(shop):
    assert vs.record(totals, env=shop).to_sql() == (
        "SELECT\n"
        "  customer,\n"
        "  sum(amount) AS total\n"
        "FROM spark_catalog.default.orders\n"
        "WHERE amount > 3\n"
        "GROUP BY customer"
    )


def test_a_recording_needs_no_jvm_and_leaves_nothing_behind(tmp_path):
    script = (
        "import os, viewscribe as vs\n"
        "env = vs.TableEnvironment()\n"
        "env.create_table('t', 'a INT')\n"
        "print(vs.record(lambda spark: spark.table('t').select('a'), env=env).to_sql())\n"
        "from pyspark import SparkContext\n"
        "assert SparkContext._gateway is None\n"
        "assert not [name for name in os.environ if name.startswith('SPARK_')], os.environ\n"
    )
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=clean, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "SELECT\n  a\nFROM spark_catalog.default.t\n"


def test_columns_are_known_while_recording(shop):
    def pipeline(spark):
        frame = spark.table("orders")
        assert frame.columns == ["id", "customer", "amount", "n"]
        assert frame.schema["id"].nullable is False
        assert frame.schema["amount"].dataType.simpleString() == "decimal(10,2)"
        for name, kind in frame.dtypes:
            if kind == "string":
                frame = frame.drop(name)
        return frame.groupBy("n").sum()

    assert vs.record(pipeline, env=shop).columns == ["n", "sum(id)", "sum(amount)", "sum(n)"]


def key_of_the_right_side(spark: Any) -> Any:
    orders = spark.table("orders").select("id", "customer")
    totals_ = totals(spark)
    return orders.join(totals_, "customer", "full").select("id", totals_["customer"])


def test_a_key_that_a_join_left_out_is_refused_where_sessions_differ(shop):
    """With Spark 4.0 a Connect session takes the key of both sides, a classic one the right's."""
    if before("4.1"):
        with pytest.raises(CaptureError, match="a classic one does not"):
            vs.record(key_of_the_right_side, env=shop)
    else:
        text = vs.record(key_of_the_right_side, env=shop).to_sql()
        assert "coalesce" not in text
        assert "USING" not in text


def test_a_temporary_view_is_what_it_was_made_of(shop):
    def pipeline(spark):
        spark.table("orders").select("id", "customer").createOrReplaceTempView("few")
        return spark.table("FEW").select("few.customer")

    assert vs.record(pipeline, env=shop).to_sql() == (
        "SELECT\n  customer\nFROM spark_catalog.default.orders AS few"
    )


def test_builder_and_active_session_give_the_recording_session(shop):
    def pipeline(spark):
        from pyspark.sql import SparkSession

        assert SparkSession.builder.appName("nightly").getOrCreate() is spark
        assert SparkSession.getActiveSession() is spark
        return spark.table("orders").cache()

    assert vs.record(pipeline, env=shop).columns == ["id", "customer", "amount", "n"]


def test_settings_are_those_of_the_environment():
    env = vs.TableEnvironment(settings={"spark.sql.session.timeZone": "Asia/Tokyo"})
    env.create_table("orders", "id INT")
    seen = []

    def pipeline(spark):
        seen.append(spark.conf.get("spark.sql.session.timeZone"))
        seen.append(spark.conf.get("spark.unknown", "none"))
        return spark.table("orders")

    vs.record(pipeline, env=env)
    assert seen == ["Asia/Tokyo", "none"]


def refused(pipeline: Callable[[Any], Any], env: vs.TableEnvironment) -> CaptureError:
    with pytest.raises(CaptureError) as caught:
        vs.record(pipeline, env=env)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (lambda spark: spark.table("orders").collect(), "asks for rows"),
        (lambda spark: spark.table("orders").count(), "asks for rows"),
        (lambda spark: spark.table("orders").toPandas(), "asks for rows"),
        (lambda spark: spark.table("orders").write.saveAsTable("x"), "runs a command"),
        (lambda spark: spark.conf.set("spark.sql.ansi.enabled", "false"), "changes a setting"),
        (lambda spark: spark.conf.get("spark.unknown"), "asks for the setting spark.unknown"),
        (lambda spark: spark.udf.register("f", lambda x: x), "registers a function"),
        (lambda spark: spark.catalog.listTables(), "looks into the catalog"),
        (lambda spark: spark.table("orders").columns, "gives a list, not a DataFrame"),
    ],
)
def test_what_a_recording_refuses(shop, pipeline, message):
    assert message in str(refused(pipeline, shop))


def test_switches_are_restored_after_an_error(shop):
    before = dict(os.environ)
    refused(lambda spark: spark.table("orders").collect(), shop)
    assert dict(os.environ) == before


def test_unknown_tables_and_columns_show_the_nearest(shop):
    with pytest.raises(vs_errors()) as caught:
        vs.record(lambda spark: spark.table("ordres"), env=shop)
    assert "orders" in str(caught.value)
    error = refused(lambda spark: spark.table("orders").select("custmer"), shop)
    assert "did you mean: customer" in str(error)


def vs_errors() -> type[Exception]:
    from viewscribe.errors import ViewscribeError

    return ViewscribeError


def test_nobody_to_ask():
    with pytest.raises(CaptureError, match="nobody can be asked"):
        vs.record(totals)


def test_a_marked_function_is_still_a_function(shop):
    @vs.view("sales.totals")
    def marked(spark):
        """What each customer spent.

        More about it.
        """
        return totals(spark)

    assert vars(marked)["__name__"] == "marked"
    assert (marked.view_name, marked.comment) == ("sales.totals", "What each customer spent.")
    assert marked.to_sql(env=shop) == vs.record(totals, env=shop).to_sql()
    assert marked.record(env=shop).columns == ["customer", "total"]
