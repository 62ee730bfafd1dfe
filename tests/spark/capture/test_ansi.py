"""What is made with ANSI off means so as a view, too, or is refused: never anything else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.corpus import WHOLE
from tests.spark.capture.classic.test_coverage import classes
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.classic.expressions.modes import BY_NAME, MODED
from viewscribe.spark.capture.session_functions import RefusedPlanError
from viewscribe.spark.session import settings
from viewscribe.spark.verify import verify

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANSI = "spark.sql.ansi.enabled"

CALLS = {
    "Abs": "abs(salary)",
    "Add": "salary + 1",
    "Average": "avg(salary)",
    "BRound": "bround(salary, -1)",
    "Cast": "CAST(name AS INT)",
    "Conv": "conv(name, 10, 16)",
    "DateAddInterval": "born + INTERVAL '1' MONTH '2' DAYS",
    "Divide": "score / 0",
    "ElementAt": "element_at(tags, 9)",
    "Elt": "elt(salary, 'a', 'b')",
    "GetArrayItem": "tags[9]",
    "IntegralDivide": "salary DIV 0",
    "MakeDate": "make_date(salary, 13, 1)",
    "MakeInterval": "make_interval(salary)",
    "MakeTimestamp": "make_timestamp(salary, 1, 1, 1, 1, 99)",
    "Multiply": "salary * salary",
    "NextDay": "next_day(born, name)",
    "ParseToDate": "to_date(name, 'yyyy')",
    "ParseToTimestamp": "to_timestamp(name, 'yyyy')",
    "ParseUrl": "parse_url(name, 'HOST')",
    "Pmod": "pmod(salary, 0)",
    "Remainder": "salary % 0",
    "Round": "round(salary, -1)",
    "Subtract": "salary - 1",
    "Sum": "sum(salary)",
    "ToUnixTimestamp": "to_unix_timestamp(name, 'yyyy')",
    "UnaryMinus": "-salary",
    "UnixTimestamp": "unix_timestamp(name, 'yyyy')",
}
"""A call of each class that has the mode of the setting."""

TRYING = [
    "try_add(salary, 1)",
    "try_divide(score, 0)",
    "try_element_at(tags, 9)",
    "try_sum(salary)",
    "try_avg(salary)",
    "TRY_CAST(name AS INT)",
    "try_to_timestamp(name, 'yyyy')",
    "try_to_date(name, 'yyyy')",
    "try_make_timestamp(salary, 1, 1, 1, 1, 99)",
    "try_parse_url(name, 'HOST')",
    "try_mod(salary, 0)",
]
"""Calls that mean the same under both settings."""

LATER = {"try_to_date(name, 'yyyy')": ("4.1", "try_to_date() came with Spark 4.1")}
"""What older versions of Spark do not have: the first version that has it, and why."""


def made(spark: SparkSession, call: str) -> Any:
    return spark.table("world.people").selectExpr(f"{call} AS x")


@pytest.mark.parametrize("value", ["true", "false"])
@pytest.mark.parametrize("kind", CALLS)
def test_the_setting_has_changed_since(
    kind: str, value: str, spark: SparkSession, world: vs.TableEnvironment
):
    other = {"true": "false", "false": "true"}[value]
    with settings(spark, {ANSI: value}):
        try:
            frame = made(spark, CALLS[kind])
        except Exception as error:
            pytest.skip(f"not with this setting: {str(error)[:60]}")
        assert vs.capture(frame).columns == ["x"]
    with settings(spark, {ANSI: other}), pytest.raises(CaptureError) as caught:
        vs.capture(frame)
    assert f"{ANSI} = {value}" in caught.value.message
    assert f'spark.conf.set("{ANSI}", "{value}")' in (caught.value.hint or "")


@pytest.mark.parametrize("call", TRYING)
def test_what_means_the_same_under_both(call: str, spark: SparkSession, world: vs.TableEnvironment):
    if call in LATER and before(LATER[call][0]):
        pytest.skip(LATER[call][1])
    with settings(spark, {ANSI: "false"}):
        frame = made(spark, call)
    with settings(spark, {ANSI: "true"}):
        text = vs.to_sql(frame)
        assert "try_" in text.lower()
        found = Counter(map(str, spark.sql(text).collect()))
    assert found == Counter(map(str, frame.collect()))


@pytest.mark.skipif(not WHOLE, reason="asks the JVM about every class: make corpus")
def test_every_class_with_a_mode_is_known(spark: SparkSession):
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    with_mode = set()
    for name in classes(spark, "org.apache.spark.sql.catalyst.expressions.Expression", whole=True):
        class_ = jvm.java.lang.Class.forName(name, False, loader)
        methods = {method.getName() for method in class_.getMethods()}
        fields = {field.getName() for field in class_.getDeclaredFields()}
        flags = {"failOnError", "ansiEnabled", "evalMode", "evalContext"}
        if methods & fields & flags:
            with_mode.add(name.rsplit(".", 1)[-1])
    always = {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}  # the same under every setting
    elsewhere = {"MultiCommutativeOp", "JsonTable"}  # the optimizer's; refused by its name
    assert with_mode - always - elsewhere <= MODED | BY_NAME
    assert with_mode >= MODED | BY_NAME


def test_all_of_them_at_once(spark: SparkSession, world: vs.TableEnvironment):
    with settings(spark, {ANSI: "false"}):
        frame = spark.table("world.people").selectExpr("salary + 1 AS x", "name")
        frame = frame.where("CAST(name AS INT) > 1")
    with settings(spark, {ANSI: "true"}), pytest.raises(RefusedPlanError) as caught:
        vs.capture(frame, partial=True)
    assert [ANSI in each.message for each in caught.value.refusals] == [True, True]


def lenient(spark: Any) -> Any:
    from pyspark.sql import functions as F

    people = spark.table("world.people").withColumn("n", F.col("name").cast("int"))
    ratios = people.withColumn("r", F.col("salary") / F.lit(0)).where(F.col("n").isNull())
    return ratios.select("n", "r", (F.col("salary") + "1").alias("s"), F.element_at("tags", 7))


def test_recorded_and_classic_with_ansi_off(spark: SparkSession, world: vs.TableEnvironment):
    with settings(spark, {ANSI: "false"}):
        frame = lenient(spark)
        wanted = Counter(frame.collect())
        for table in (vs.record(lenient, spark), vs.capture(frame)):
            report = verify(table, spark, original=frame)
            assert report.ok, report
            assert Counter(spark.sql(table.to_sql()).collect()) == wanted
    with (
        settings(spark, {ANSI: "true"}),
        pytest.raises(Exception, match=r"CAST_INVALID|DIVIDE_BY_ZERO"),
    ):
        spark.sql(table.to_sql()).collect()


def columns(frame: Any) -> list[Any]:
    return [(field.name, field.dataType, field.nullable) for field in frame.schema]


def test_a_connect_dataframe_with_ansi_off(
    spark: SparkSession, world: vs.TableEnvironment, recorded: Any, planner: Any
):
    with settings(spark, {ANSI: "false"}):
        frame = recorded(lenient)
        table = vs.capture(frame)
        assert table.env.settings[ANSI] == "false"
        classic = planner.frame(frame._plan.plan(frame._session.client))
        assert table.schema.fields[1].nullable
        text = spark.sql(table.to_sql())
        assert columns(text) == columns(classic)
        assert Counter(text.collect()) == Counter(classic.collect())


def test_a_view_made_with_ansi_off_keeps_its_meaning(
    spark: SparkSession, world: vs.TableEnvironment, tmp_path: Any
):
    place = f"file:{tmp_path / 'views'}"
    with settings(spark, {ANSI: "false"}):
        frame = lenient(spark)
        wanted = Counter(frame.collect())
        saved = vs.save_view(frame, "lenient", catalog=place, rows=True)
        assert saved is not None
        assert saved.verification.ok
    with settings(spark, {ANSI: "true"}):
        opened = vs.open_view(vs.TableEnvironment.open(place), "lenient", spark)
        assert Counter(opened.collect()) == wanted
