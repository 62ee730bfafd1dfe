"""The 22 pipelines mean what the published queries mean, interpreted and as text."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot

from examples.tpch import data
from examples.tpch.queries import QUERIES, tables, title
from tests.spark.answers import Answers
from viewscribe import Table, TableEnvironment
from viewscribe.serializer import STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    env = TableEnvironment()
    tables(env, Path("data"))
    return env


@pytest.fixture(scope="module")
def pipeline(env: TableEnvironment) -> Callable[[str], Table]:
    return cache(lambda name: QUERIES[name](env))


def test_there_are_22_pipelines_with_a_title() -> None:
    assert list(QUERIES) == [f"q{number:02d}" for number in range(1, 23)]
    assert all(title(name) for name in QUERIES)


@pytest.mark.parametrize("name", QUERIES)
def test_columns_are_those_of_the_published_query(
    pipeline: Callable[[str], Table], name: str
) -> None:
    published = sqlglot.parse_one(data.query(int(name[1:])), read="spark")
    assert isinstance(published, sqlglot.exp.Query)
    columns = [item.alias_or_name or item.sql("spark").lower() for item in published.selects]
    assert pipeline(name).columns == columns


@pytest.mark.parametrize("name", QUERIES)
def test_building_twice_gives_the_same_tree(
    env: TableEnvironment, pipeline: Callable[[str], Table], name: str
) -> None:
    again = QUERIES[name](env)
    assert again.equals(pipeline(name))
    assert again.as_summary_string() == pipeline(name).as_summary_string()


@pytest.fixture(scope="module")
def session(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    directory = data.generate(tmp_path_factory.mktemp("tpch"), 0.01)
    for table in data.TABLES:
        path = str(data.table_path(directory, table))
        spark.catalog.createTable(table, path=path, source="parquet")
    yield spark
    for table in data.TABLES:
        spark.sql(f"DROP TABLE {table}")


@pytest.mark.slow("Spark optimizes a query of up to eight tables in five forms")
@pytest.mark.parametrize("name", QUERIES)
def test_every_form_gives_the_published_rows(
    session: SparkSession, pipeline: Callable[[str], Table], name: str
) -> None:
    from pyspark.sql.types import StructType

    from viewscribe.spark.compare import compare_plans

    table, answers = pipeline(name), Answers(rows_of)
    # Sixteen of the published queries have one normal form with all of ours: nothing runs there.
    published = session.sql(data.query(int(name[1:])))
    proven = [published]
    frames = {style: session.sql(table.to_sql(style)) for style in STYLES}
    frames["interpreted"] = table.to_dataframe(session)
    for form, frame in frames.items():
        assert types_of(frame) == types_of(published), form
        if all(compare_plans(frame, each).status != "equal" for each in proven):
            assert answers.of(frame) == answers.of(published), form
            proven.append(frame)
    assert StructType.fromDDL(str(table.schema)) == frames["interpreted"].schema


def types_of(frame: DataFrame) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in frame.schema]


def rows_of(frame: DataFrame) -> Counter[tuple[Any, ...]]:
    """How often each row is there."""
    return Counter(tuple(row) for row in frame.collect())
