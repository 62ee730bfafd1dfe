"""A table that is read with options is no other table: its text says the options, too."""

from __future__ import annotations

import uuid

import pytest

import viewscribe as vs


@pytest.fixture
def numbers(spark):
    """A table of two files. Spark remembers how a name was read first: each test has its own."""
    name = f"numbers_{uuid.uuid4().hex}"
    spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT 1 AS a")
    spark.sql(f"INSERT INTO {name} VALUES (2)")
    yield name
    spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"pathGlobFilter": "none*"}, []),
        ({"modifiedAfter": "2500-01-01T00:00:00"}, []),
        ({"modifiedBefore": "2500-01-01T00:00:00"}, [(1,), (2,)]),
        ({"PathGlobFilter": "*.parquet", "recursiveFileLookup": "true"}, [(1,), (2,)]),
    ],
)
def test_options_stand_in_the_text(spark, numbers, options, rows):
    frame = spark.read.options(**options).table(numbers)
    assert sorted(map(tuple, frame.collect())) == rows
    text = vs.to_sql(frame)
    assert "WITH (" in text
    assert sorted(map(tuple, spark.sql(text).collect())) == rows
    again = spark.sql(text).where("a > 1")
    assert sorted(map(tuple, spark.sql(vs.to_sql(again)).collect())) == rows[1:]


def test_what_changes_no_row_leaves_the_name_alone(spark, numbers):
    plain = vs.to_sql(spark.table(numbers))
    assert "WITH" not in plain
    assert vs.to_sql(spark.read.option("mergeSchema", "true").table(numbers)) == plain


def test_options_of_the_table_itself_are_not_repeated(spark, tmp_path):
    spark.sql(
        f"CREATE TABLE with_header (a STRING) USING csv OPTIONS (HEADER 'true', sep ';') "
        f"LOCATION '{tmp_path}'"
    )
    try:
        (tmp_path / "a.csv").write_text("a\n1\n")
        assert "WITH" not in vs.to_sql(spark.table("with_header"))
    finally:
        spark.sql("DROP TABLE with_header")
