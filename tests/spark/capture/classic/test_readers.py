"""Reading a plan out of the JVM, and what is said where the driver does not let one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from viewscribe.errors import CaptureError
from viewscribe.spark import compare, janino
from viewscribe.spark.capture.classic.reader import analyzed_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(jvm: Any, source: str, class_name: str) -> Any:
        return jvm.java.lang.Class.forName("org.codehaus.janino.Missing")

    monkeypatch.setattr(janino, "_compiled", {})
    monkeypatch.setattr(janino, "_compile", refuse)


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
