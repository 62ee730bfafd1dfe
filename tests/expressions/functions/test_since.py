"""The versions of Spark that functions came with, as Spark's own documentation says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.expressions.functions.registry import all_built_ins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LATEST_FORMS = dict.fromkeys(("max_by", "min_by"), "4.2.0")
"""Functions whose documentation has the version of their latest form."""


def test_versions(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    catalog = spark._jsparkSession.sessionState().catalog()
    identifier = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
    listed = {row.function for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    ours = {each.name: each.since for each in all_built_ins().values() if each.name in listed}
    theirs = {name: catalog.lookupFunctionInfo(identifier(name)).getSince() for name in ours}
    assert len(ours) > 330
    assert ours | LATEST_FORMS == {name: since or "1.0.0" for name, since in theirs.items()}
