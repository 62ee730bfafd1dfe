"""Reading a plan out of the JVM, and what is said where the driver does not let one."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from viewscribe.errors import CaptureError
from viewscribe.spark import compare, java_classes
from viewscribe.spark.capture.classic.plan import analyzed_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(jvm: Any, source: Any, class_name: str) -> Any:
        return jvm.java.lang.Class.forName("org.codehaus.janino.Missing")

    monkeypatch.setattr(java_classes, "_compiled", {})
    monkeypatch.setattr(java_classes, "_compile", refuse)
    monkeypatch.setattr(java_classes, "_define", refuse)


@pytest.mark.usefixtures("without_compiler")
def test_a_driver_that_compiles_nothing_is_told_with_the_ways_out(spark: SparkSession):
    with pytest.raises(CaptureError, match="does not let one read its plans") as caught:
        analyzed_plan(spark.range(3))
    assert "vs.record" in str(caught.value)
    assert "Spark Connect" in str(caught.value)


@pytest.mark.usefixtures("without_compiler")
def test_without_the_normal_form_plans_are_not_called_equal(spark: SparkSession):
    first, second = (spark.range(3).where(f"id {sign} 1") for sign in "<>")
    assert compare.compare_plans(first, second).status != "equal"


@pytest.mark.parametrize("count", [1, 200, 5_000])
def test_long_texts_come_whole(spark: SparkSession, count: int):
    """Py4J sends 8 kB at once; what is longer is packed, whatever letters there are."""
    wanted = "é'\"\\\n\U0001f600" * count
    plan = analyzed_plan(spark.range(1).select(F.lit(wanted).alias("x")))
    (alias,) = plan["projectList"]
    assert alias["child"]["value"] == wanted


def test_the_text_of_a_usual_plan_comes_in_one_piece(spark: SparkSession):
    """The system holds an answer of two pieces back for 40 ms, until the first is confirmed."""
    session: Any = spark
    writer = java_classes.java_object(session._jvm, "viewscribe.spark.capture.classic", "PlanDump")
    java: Any = spark.range(1).select(*[F.lit(place).alias(f"c{place}") for place in range(150)])
    text = writer.write(java._jdf, True)
    assert len(text) < 8_000 < len(java_classes.unpack(text))


def test_what_is_compiled_before_is_what_the_compiler_makes(spark: SparkSession):
    """``python -m tools.java_classes`` writes it anew, for a changed source or a newer Spark."""
    session: Any = spark
    stored = _stored()
    if _numbers(spark.version) < _numbers(json.loads(stored)["spark"]):
        pytest.skip("an older Spark compiles the sources itself")
    assert java_classes.dump_code(session._jvm) == stored


def _stored() -> str:
    return files("viewscribe.spark").joinpath("compiled.json").read_text(encoding="utf-8")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2]]


def test_both_ways_to_a_class_read_the_same(spark: SparkSession):
    session: Any = spark
    jvm, name = session._jvm, "PlanDump"
    java: Any = spark.range(3).groupBy((F.col("id") % 2).alias("k")).agg(F.max("id"))
    # Py4J takes classes of one name for one class.
    source = java_classes.source_of(java_classes.SOURCES[name], name).replace(name, "PlanDumpAgain")
    again = java_classes._compile(jvm, source, "viewscribe.PlanDumpAgain")
    before = java_classes.java_object(jvm, java_classes.SOURCES[name], name)
    assert again.write(java._jdf, True) == before.write(java._jdf, True)


def test_only_the_source_and_the_spark_it_was_compiled_for_count():
    stored = json.loads(_stored())
    for name, package in java_classes.SOURCES.items():
        source = java_classes.source_of(package, name)
        code = java_classes._stored_code(source, stored["spark"])
        assert code is not None
        assert f"viewscribe.{name}" in code
        assert java_classes._stored_code(source + " ", stored["spark"]) is None
        assert java_classes._stored_code(source, "3.5.0") is None
