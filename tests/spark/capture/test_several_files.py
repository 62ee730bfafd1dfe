"""Reads of several paths, and of patterns: SQL names them by one pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.lowering.options import escape_path, join_patterns, split_reads

ODD = "a b,c{x}"

READS = {
    "several": lambda spark, folder: spark.read.parquet(f"{folder}/one", f"{folder}/two"),
    "of other columns": lambda spark, folder: spark.read.json([f"{folder}/j1", f"{folder}/j2"]),
    "a pattern": lambda spark, folder: spark.read.parquet(f"{folder}/[ot]*"),
    "a pattern of one": lambda spark, folder: spark.read.parquet(f"{folder}/on?/*"),
    "a list": lambda spark, folder: spark.read.json(f"{folder}/{{j1,j2}}"),
    "one twice": lambda spark, folder: spark.read.parquet(f"{folder}/one", f"{folder}/one"),
    "a list twice": lambda spark, folder: spark.read.json([f"{folder}/j{n}" for n in (1, 2, 1, 2)]),
    "a step above": lambda spark, folder: (
        spark.read.parquet(f"{folder}/one", f"{folder}/one").groupBy("id").count()
    ),
    "a pattern and what it names": lambda spark, folder: spark.read.parquet(
        f"{folder}/[ot]*", f"{folder}/two", f"{folder}/t?o"
    ),
    "lines twice": lambda spark, folder: spark.read.text([f"{folder}/j1"] * 3),
    "with a schema, twice": lambda spark, folder: spark.read.schema("a BIGINT").json(
        [f"{folder}/j1"] * 2
    ),
    "an odd name": lambda spark, folder: spark.read.parquet(f"{folder}/{escape_path(ODD)}"),
}


@pytest.fixture(scope="module")
def folder(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for number, name in enumerate(("one", "two", ODD)):
        spark.range(number + 1).write.parquet(f"{folder}/{name}")
    spark.range(4).selectExpr("id", "id % 2 AS k").write.partitionBy("k").orc(f"{folder}/parts")
    spark.sql("SELECT 1 AS a").write.json(f"{folder}/j1")
    spark.sql("SELECT 2 AS a, 'x' AS b").write.json(f"{folder}/j2")
    return folder


def _table(door, read, spark):
    return vs.capture(read(spark)) if door == "classic" else vs.record(read, spark)


@pytest.mark.parametrize("door", ["classic", "recorded"])
@pytest.mark.parametrize("name", READS)
def test_the_pattern_names_the_files_that_were_read(name, door, spark, folder):
    def read(session):
        return READS[name](session, folder)

    found, wanted = spark.sql(_table(door, read, spark).to_sql()), read(spark)
    assert found.schema == wanted.schema
    assert sorted(map(str, found.collect())) == sorted(map(str, wanted.collect()))


@pytest.mark.parametrize("door", ["classic", "recorded"])
@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda spark, folder: spark.read.orc([f"{folder}/parts"] * 2), "has partitions"),
        (
            lambda spark, folder: spark.read.json([f"{folder}/j{each}" for each in (1, 2, 1)]),
            "with the schema they have",
        ),
    ],
)
def test_what_other_reads_would_give_is_refused(read, told, door, spark, folder):
    """Partitions are read once however often; of fewer files Spark finds other columns."""
    with pytest.raises(CaptureError, match=told):
        _table(door, lambda session: read(session, folder), spark)


def test_what_is_read_again_later_is_what_was_asked_for(spark, folder):
    read = spark.read.parquet(f"{folder}/on?/*.parquet")
    assert f"parquet.`{folder}/on?/*.parquet`" in vs.capture(read).to_sql()


@pytest.mark.parametrize("paths", [["one", "one"], [f"x{number}" for number in range(101)]])
def test_paths_that_no_pattern_names_are_refused(paths):
    with pytest.raises(CaptureError, match=f"{len(paths)} paths of files in one read"):
        join_patterns(paths)


names = st.text("ab{}[]*?,\\", min_size=1, max_size=3)


@given(st.lists(names, min_size=2, max_size=3, unique=True))
def test_paths_share_the_folders_above_them(found):
    paths = [f"/data/{escape_path(each)}" for each in found]
    assert join_patterns(paths) == f"/data/{{{','.join(map(escape_path, found))}}}"


paths = st.lists(st.sampled_from(["/d/a", "/d/b", "/d/*", "/d/?/x", "/e/a", r"/d/\*"]), max_size=6)


@given(paths)
def test_patterns_that_may_share_a_file_are_read_apart(found):
    reads = split_reads(found)
    parts = [part for each in reads for part in _listed(each)]
    assert sorted(parts) == sorted(found)
    assert len(reads) >= max(map(found.count, found), default=0)


def _listed(pattern: str) -> list[str]:
    """The patterns of which one was made."""
    before, brace, rest = pattern.partition("{")
    return [before + each for each in rest.removesuffix("}").split(",")] if brace else [pattern]
