"""Random pipelines mean the same in every form: three SQL styles, interpreted, as a document."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.drawn import examples
from tests.properties.pipelines import ROWS, SCHEMAS, environment, pipelines
from viewscribe import Table
from viewscribe.serializer import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

ENV = environment()

WITHOUT_SPARK = settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
WITH_SPARK = settings(max_examples=45, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    for name, schema in SCHEMAS.items():
        data = spark.createDataFrame(ROWS[name], schema)
        data.coalesce(1).write.mode("overwrite").saveAsTable(name)
    yield spark
    for name in SCHEMAS:
        spark.sql(f"DROP TABLE {name}")


@WITHOUT_SPARK
@given(pipelines(ENV))
def test_documents_and_pickles_give_the_equal_tree_and_the_same_bytes(table: Table) -> None:
    read = Table.from_plan(ENV, table.to_plan())
    assert read.operation == table.operation
    assert hash(read.operation) == hash(table.operation)
    assert read.schema == table.schema
    again = pickle.loads(pickle.dumps(table.operation))
    assert again == table.operation
    for style in STYLES:
        assert Table(ENV, again).to_sql(style) == table.to_sql(style)


@WITH_SPARK
@given(table=pipelines(ENV))
def test_every_form_gives_the_same_rows_and_the_schema_of_the_tree(
    session: SparkSession, table: Table
) -> None:
    interpreted = run(table.to_dataframe(session))
    wanted = [(field.name, str(field.type)) for field in table.schema]
    assert interpreted.schema == wanted
    for style in STYLES:
        text = table.to_sql(style)
        found = run(session.sql(text))
        assert found.schema == wanted, text
        assert found.rows == interpreted.rows, text


class Result:
    """What a DataFrame gave: its schema and the multiset of its rows."""

    def __init__(self, schema: list[tuple[str, str]], rows: Counter[str]) -> None:
        self.schema = schema
        self.rows = rows


def run(data: DataFrame) -> Result:
    from viewscribe.spark.types import schema_from_spark

    schema = [(field.name, str(field.type)) for field in schema_from_spark(data.schema)]
    rows: Counter[Any] = Counter(repr(tuple(row)) for row in data.collect())
    return Result(schema, rows)
