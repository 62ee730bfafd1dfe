"""Every operator and expression of the running Spark has a row."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

from tests.versions import RUNNING
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.spark.capture.classic.capture import Row, expressions, operators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_CATALYST = "org.apache.spark.sql.catalyst"
_ABSTRACT = 0x0400
_JARS = ("catalyst", "sql", "hive")


def classes(
    spark: SparkSession, base: str, but: str | None = None, *, whole: bool = False
) -> set[str]:
    """The names of the concrete classes below ``base`` in Spark's own jars, without packages."""
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    wanted = jvm.java.lang.Class.forName(base, False, loader)
    unwanted = jvm.java.lang.Class.forName(but, False, loader) if but else None
    found = set()
    for name in _names():
        class_ = jvm.java.lang.Class.forName(name, False, loader)
        if not wanted.isAssignableFrom(class_) or class_.getModifiers() & _ABSTRACT:
            continue
        if unwanted is None or not unwanted.isAssignableFrom(class_):
            simple = name.rsplit(".", 1)[-1].rstrip("$").rsplit("$", 1)[-1]
            found.add(name if whole else simple)
    return found


def _names() -> Iterator[str]:
    """Spark SQL's classes, nested ones and lone objects too."""
    jars = Path(pyspark.__file__).parent / "jars"
    for jar in (each for part in _JARS for each in jars.glob(f"spark-{part}_*.jar")):
        files = set(zipfile.ZipFile(jar).namelist())
        for name in files:
            mine = name.startswith("org/apache/spark/sql/") and name.endswith(".class")
            companion = name.endswith("$.class") and f"{name[:-7]}.class" in files
            if mine and "$$" not in name and not companion:
                yield name.removesuffix(".class").replace("/", ".")


def test_every_operator_has_a_row(spark: SparkSession):
    command = f"{_CATALYST}.plans.logical.Command"
    known = {row.name for row in operators()}
    assert classes(spark, f"{_CATALYST}.plans.logical.LogicalPlan", command) <= known


def test_every_expression_has_a_row(spark: SparkSession):
    known = {row.name for row in expressions()}
    assert classes(spark, f"{_CATALYST}.expressions.Expression") <= known


def test_what_is_not_supported_says_why():
    rows: list[Row] = [*operators(), *expressions()]
    assert [row.name for row in rows if row.status != "supported" and not row.note] == []


def test_a_class_is_a_call_of_one_function():
    functions = set(all_built_ins().values())
    named = [name for each in functions for name in each.catalyst]
    assert sorted(named) == sorted(set(named))


@pytest.mark.skipif(RUNNING is not None, reason="older versions lack classes of newer functions")
def test_functions_name_classes_that_there_are(spark: SparkSession):
    known = classes(spark, f"{_CATALYST}.expressions.Expression")
    functions = set(all_built_ins().values())
    named = {name for each in functions for name in (*each.catalyst, each.catalyst_try) if name}
    assert named - known == set()
