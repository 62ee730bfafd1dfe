"""Files are the same to a reader and to SQL; what else decides their rows keeps them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from viewscribe.spark.compare import compare_optimized, compare_plans

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("parquet", "orc", "json", "csv", "text", "binaryFile")
"""What SQL on a file spells without an option."""

OTHERWISE: dict[str, tuple[str, dict[str, Any]]] = {
    "a header": ("csv", {"header": True}),
    "a separator": ("csv", {"sep": "|"}),
    "records of several lines": ("json", {"multiLine": True}),
    "merged schemas": ("parquet", {"mergeSchema": True}),
    "whole texts": ("text", {"wholetext": True}),
    "some of the files": ("orc", {"pathGlobFilter": "*.none", "schema": "v STRING"}),
    "a schema": ("json", {"schema": "v STRING, w STRING"}),
    "another type": ("csv", {"schema": "_c0 INT"}),
}
"""What a reader is told, which SQL on a file cannot say."""


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> Path:
    """Files of each format, in a folder each."""
    for name in ("parquet", "orc", "json", "csv", "text"):
        spark.sql("SELECT '1' AS v").write.format(name).save(str(tmp_path / name))
    spark.sql("SELECT '2' AS v").write.text(str(tmp_path / "binaryFile"))
    return tmp_path


def _both(spark: SparkSession, folder: Path, kind: str, **said: Any) -> tuple[DataFrame, DataFrame]:
    path = folder / kind
    return spark.read.load(str(path), kind, **said), spark.sql(f"SELECT * FROM {kind}.`{path}`")


def _verdicts(*frames: DataFrame) -> list[str]:
    return [compare(*frames).status for compare in (compare_plans, compare_optimized)]


@pytest.mark.parametrize("kind", FORMATS)
def test_files_of_a_reader_are_those_of_sql(spark: SparkSession, folder: Path, kind: str) -> None:
    assert _verdicts(*_both(spark, folder, kind)) == ["equal", "equal"]


@pytest.mark.parametrize("what", OTHERWISE)
def test_what_decides_the_rows_is_kept_apart(spark: SparkSession, folder: Path, what: str) -> None:
    kind, said = OTHERWISE[what]
    assert "equal" not in _verdicts(*_both(spark, folder, kind, **said))


def test_files_elsewhere_are_others(spark: SparkSession, folder: Path) -> None:
    one, other = (spark.read.text(str(folder / each)) for each in ("text", "csv"))
    assert "equal" not in _verdicts(one, other)
