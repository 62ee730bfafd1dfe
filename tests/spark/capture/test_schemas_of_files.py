"""Files read with a schema: SQL on a file finds the columns itself, which must be the same."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe.errors import CaptureError

FORMS = ("csv", "json", "orc", "parquet", "text")


@pytest.fixture(scope="module")
def files(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for form in FORMS:
        query = "SELECT '1' AS value" if form == "text" else "SELECT '1' AS a, '2' AS b"
        spark.sql(query).write.format(form).option("header", True).save(f"{folder}/{form}")
    return folder


def _reads(form, schema, files):
    def read(spark):
        reader = spark.read.schema(schema).option("header", True)
        return reader.format(form).load(f"{files}/{form}")

    return read


def _captured(door, read, spark):
    return vs.capture(read(spark)) if door == "classic" else vs.record(read, spark)


@pytest.mark.parametrize("door", ["classic", "recorded"])
@pytest.mark.parametrize("form", FORMS)
def test_the_schema_they_have_is_no_other_read(door, form, spark, files):
    own = spark.read.option("header", True).format(form).load(f"{files}/{form}").schema
    read = _reads(form, own, files)
    assert spark.sql(_captured(door, read, spark).to_sql()).collect() == read(spark).collect()


@pytest.mark.parametrize("door", ["classic", "recorded"])
@pytest.mark.parametrize("form", [each for each in FORMS if each != "parquet"])
def test_another_schema_is_refused_with_the_table_to_create(door, form, spark, files):
    schema = "v STRING" if form == "text" else "b STRING, a STRING"
    with pytest.raises(CaptureError, match="not with one of its own") as caught:
        _captured(door, _reads(form, schema, files), spark)
    assert f"USING {form} OPTIONS" in str(caught.value.hint)
    assert "LOCATION" in str(caught.value.hint)


@pytest.mark.parametrize("door", ["classic", "recorded"])
def test_columns_of_partitions_are_the_last_and_all_may_be_null(door, spark, tmp_path):
    spark.sql("SELECT 1 AS a, 2 AS p, 3 AS b").write.partitionBy("p").parquet(f"{tmp_path}/t")

    def read(spark):
        return spark.read.schema("p INT, b INT NOT NULL, a INT").parquet(f"{tmp_path}/t")

    table = _captured(door, read, spark)
    assert table.columns == read(spark).columns == ["b", "a", "p"]
    assert spark.sql(table.to_sql()).schema == read(spark).schema
    assert spark.sql(table.to_sql()).collect() == read(spark).collect()


@pytest.mark.parametrize("door", ["classic", "recorded"])
def test_parquet_is_read_by_names(door, spark, files):
    read = _reads("parquet", "b STRING, a STRING", files)
    assert spark.sql(_captured(door, read, spark).to_sql()).collect() == read(spark).collect()
    with pytest.raises(CaptureError, match="not with one of its own"):
        _captured(door, _reads("parquet", "b STRING, c STRING", files), spark)
