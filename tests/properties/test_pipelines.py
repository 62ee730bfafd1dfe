"""Random pipelines mean the same in every form: three SQL styles, interpreted, as a document."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.properties.changed import changed
from tests.properties.pipelines import ROWS, SCHEMAS, environment, pipelines
from tests.serializer.test_same_rows import rows_of, schema_of
from tests.spark.answers import Answers
from viewscribe import Table, TableEnvironment
from viewscribe.operations.normal_form import NormalForms
from viewscribe.serializer import STYLES
from viewscribe.spark.errors import NotInterpretableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ENV = environment()

WITHOUT_SPARK = settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
WITH_SPARK = settings(max_examples=examples(16, fuzz=500), suppress_health_check=list(HealthCheck))
ONE_FORM = settings(max_examples=examples(4, fuzz=300), suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """Views over rows in memory: a row of NULLs, filtered out, makes all columns nullable."""
    for name, schema in SCHEMAS.items():
        nothing = (False, *[None for _ in ROWS[name][0]])
        rows = [nothing, *[(True, *row) for row in ROWS[name]]]
        made = TableEnvironment().from_values(rows, f"is_row BOOLEAN, {schema}")
        text = made.filter("is_row").drop_columns("is_row").to_sql()
        spark.sql(f"CREATE VIEW {name} AS {text}")
    yield spark
    for name in SCHEMAS:
        spark.sql(f"DROP VIEW {name}")


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


@pytest.mark.slow("16 random pipelines, each analyzed in four forms")
@WITH_SPARK
@given(table=pipelines(ENV))
def test_every_form_gives_the_same_rows_and_the_schema_of_the_tree(
    session: SparkSession, table: Table
) -> None:
    frames = {text: session.sql(text) for text in map(table.to_sql, STYLES)}
    try:
        interpreted = table.to_dataframe(session)
    except NotInterpretableError:  # no DataFrame says it
        interpreted = session.sql(table.to_sql("nested"))
    wanted, answers = [(field.name, str(field.type)) for field in table.schema], Answers(rows_of)
    assert schema_of(interpreted) == wanted
    for text, found in frames.items():
        assert schema_of(found) == wanted, text
        assert answers.of(found) == answers.of(interpreted), text


@pytest.mark.slow("4 times pairs of random trees that have one normal form, which are rare")
@ONE_FORM
@given(st.data())
def test_trees_of_one_normal_form_give_the_same_rows(
    session: SparkSession, data: st.DataObject
) -> None:
    table = data.draw(pipelines(ENV))
    forms = NormalForms()
    wanted = forms.of(table.operation)
    drawn = [data.draw(changed(table.operation)) for _ in range(4)]
    others = [each for each in drawn if each not in (None, table.operation)]
    alike = [each for each in others if forms.of(each) == wanted]
    assume(alike)
    answers = Answers(rows_of)
    for other in alike:
        text = Table(ENV, other).to_sql()
        assert answers.of(session.sql(text)) == answers.of(session.sql(table.to_sql())), text
