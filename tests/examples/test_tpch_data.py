"""The TPC-H inputs: generated once, with the schemas we claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from examples.tpch import data

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCALE_FACTOR = 0.001
QUERIES = range(1, 23)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data.generate(tmp_path_factory.mktemp("tpch"), SCALE_FACTOR)


@pytest.mark.slow("writes data")
def test_every_table_is_written_and_nothing_else(directory: Path) -> None:
    files = {path.name for path in directory.iterdir()}
    assert files == {f"{table}.parquet" for table in data.TABLES} | {".scale-factor"}


def test_a_second_run_writes_nothing(directory: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in directory.iterdir()}
    data.generate(directory, SCALE_FACTOR)
    assert {path: path.stat().st_mtime_ns for path in directory.iterdir()} == before


def test_a_lost_file_or_another_scale_factor_generates_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def generator(directory: Path, scale_factor: float) -> None:
        runs.append(scale_factor)
        for table in data.TABLES:
            data.table_path(directory, table).write_text(str(scale_factor))

    monkeypatch.setattr(data, "_run_generator", generator)
    for scale_factor in (SCALE_FACTOR, SCALE_FACTOR):
        data.generate(tmp_path, scale_factor)
    data.table_path(tmp_path, "region").unlink()
    data.generate(tmp_path, SCALE_FACTOR)
    assert data.table_path(tmp_path, "region").is_file()
    data.generate(tmp_path, 2 * SCALE_FACTOR)
    assert data.table_path(tmp_path, "orders").read_text() == str(2 * SCALE_FACTOR)
    assert runs == [SCALE_FACTOR, SCALE_FACTOR, 2 * SCALE_FACTOR]


def test_a_failed_run_leaves_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_run_generator", lambda directory, scale_factor: None)
    with pytest.raises(FileNotFoundError):
        data.generate(tmp_path, SCALE_FACTOR)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_generator_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_GENERATOR", "no-such-generator")
    with pytest.raises(FileNotFoundError, match="demo group"):
        data._generator()


def test_there_are_exactly_the_queries_we_promise() -> None:
    names = sorted(path.name for path in data.SQL_DIRECTORY.iterdir())
    assert names == [f"q{number:02d}.sql" for number in QUERIES]


def test_spark_reads_the_schemas_we_claim(spark: SparkSession, directory: Path) -> None:
    from pyspark.sql.types import StructType

    for table in data.TABLES:
        read = spark.read.parquet(str(data.table_path(directory, table)))
        assert read.schema == StructType.fromDDL(data.SCHEMAS[table])
