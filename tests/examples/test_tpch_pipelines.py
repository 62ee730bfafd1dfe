"""The 22 pipelines mean what the published queries mean, interpreted and as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot

from examples.tpch import data
from examples.tpch.queries import QUERIES, tables, title
from viewscribe import Table, TableEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

STYLES = ("readable", "pipe", "nested")


@dataclass(frozen=True)
class Answer:
    """What a query gives: its schema, and how often it gives each row."""

    schema: StructType
    rows: Counter[tuple[Any, ...]]

    @classmethod
    def of(cls, frame: DataFrame) -> Answer:
        return cls(frame.schema, Counter(tuple(row) for row in frame.collect()))

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(field.name, field.dataType.simpleString()) for field in self.schema]


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


@pytest.fixture(scope="module")
def published(session: SparkSession) -> Callable[[str], Answer]:
    return cache(lambda name: Answer.of(session.sql(data.query(int(name[1:])))))


@pytest.mark.parametrize("name", QUERIES)
def test_interpreted_pipeline_gives_the_published_rows(
    session: SparkSession,
    pipeline: Callable[[str], Table],
    published: Callable[[str], Answer],
    name: str,
) -> None:
    from pyspark.sql.types import StructType

    found = Answer.of(pipeline(name).to_dataframe(session))
    assert found.types == published(name).types
    assert found.rows == published(name).rows
    assert StructType.fromDDL(str(pipeline(name).schema)) == found.schema


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("style", STYLES)
def test_text_gives_the_published_rows(
    session: SparkSession,
    pipeline: Callable[[str], Table],
    published: Callable[[str], Answer],
    style: str,
    name: str,
) -> None:
    found = Answer.of(session.sql(pipeline(name).to_sql(style)))
    assert found.types == published(name).types
    assert found.rows == published(name).rows
