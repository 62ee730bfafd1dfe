"""What is saved can be opened: of the options of Spark's file sources, both take the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import viewscribe as vs
from viewscribe.catalog_store.permissions import ForbiddenSourceError, refused_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SOURCES = (
    *("catalyst.csv.CSV", "catalyst.json.JSON", "catalyst.xml.Xml", "avro.Avro"),
    *("execution.datasources.parquet.Parquet", "execution.datasources.orc.Orc"),
    *("execution.datasources.text.Text", "execution.datasources.FileIndex"),
)
REACHING = {"basepath", "avroschemaurl", "rowvalidationxsdpath"}
"""They name another place than what is read."""
OF_CODECS = {"parquet.compression", "orc.compress"}


def _options(spark: SparkSession, source: str) -> set[str]:
    """The options that a source of this version of Spark's declares."""
    jvm = spark._jvm
    assert jvm is not None
    named = jvm.java.lang.Class.forName(f"org.apache.spark.sql.{source}Options$")
    found = named.getField("MODULE$").get(None).getAllOptions().toSeq()
    return {found.apply(place).lower() for place in range(found.size())}


def test_every_option_of_a_source_of_files_is_known(spark: SparkSession) -> None:
    options = set().union(*(_options(spark, each) for each in _SOURCES))
    refused = {each for each in options if [*refused_options("it", ((each, "1"),))]}
    assert refused == REACHING | OF_CODECS


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,name\n1,x\n2,y\n")
    return tmp_path


@pytest.mark.slow("files are read while Spark is still cold")
@pytest.mark.parametrize(
    "option",
    [
        {"inferSchema": "true"},
        {"pathGlobFilter": "a*"},
        {"modifiedBefore": "2500-01-01T00:00:00"},
        {"lineSep": "\n"},
        {"samplingRatio": "1.0", "inferSchema": "true"},
        {},
    ],
)
def test_what_is_saved_is_opened(
    spark: SparkSession, files: Path, tmp_path: Path, option: dict[str, str]
) -> None:
    paths = [f"{files}/a.csv", f"{files}/b.csv"] if not option else [str(files)]
    frame = spark.read.options(header="true", **option).csv(paths)
    catalog = f"file:{tmp_path}/catalog"
    vs.save_view(frame, "v", catalog=catalog)
    opened = vs.open_view(vs.TableEnvironment(catalog), "v", spark, locations=[f"file:{files}"])
    assert sorted(opened.collect()) == sorted(frame.collect())


def test_what_cannot_be_opened_is_not_saved(
    spark: SparkSession, files: Path, tmp_path: Path
) -> None:
    frame = spark.read.options(header="true", basePath=str(files)).csv(f"{files}/a.csv")
    with pytest.raises(ForbiddenSourceError, match="`basepath`"):
        vs.save_view(frame, "v", catalog=f"file:{tmp_path}/catalog")
