"""What a name means is decided where it is written, wherever the view is opened later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzzing import examples
from tests.properties.databases import (
    DATABASES,
    FUNCTIONS,
    NUMBERS,
    TABLE_FUNCTIONS,
    VIEWS,
    World,
    build,
    worlds,
)
from viewscribe import Table
from viewscribe.catalog_store import check
from viewscribe.serializer import STYLES
from viewscribe.spark.verify import verify
from viewscribe.spark.views import open_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SOME = settings(max_examples=examples(10, fuzz=300), suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    for database in DATABASES:
        spark.sql(f"CREATE DATABASE {database}")
    for (database, table), number in NUMBERS.items():
        spark.sql(f"CREATE VIEW {database}.{table} AS SELECT {number}L AS x")
    spark.sql("USE home")
    yield spark
    spark.sql("USE default")
    for database in DATABASES:
        spark.sql(f"DROP DATABASE {database} CASCADE")


def clean(spark: SparkSession) -> None:
    for database in DATABASES:
        for view in (*VIEWS, "moved"):
            spark.sql(f"DROP VIEW IF EXISTS {database}.{view}")
        for function in (*FUNCTIONS, *TABLE_FUNCTIONS):
            spark.sql(f"DROP FUNCTION IF EXISTS {database}.{function}")


def number_of(frame: Any) -> int:
    ((number,),) = frame.collect()
    return int(number)


@pytest.mark.slow("10 worlds of views and functions, each view opened and proven")
@SOME
@given(world=worlds())
def test_views_give_what_they_gave_where_they_were_made(
    session: SparkSession, world: World
) -> None:
    clean(session)
    env = build(world)
    assert check(env.catalogs.catalog()) == []
    for path, number in world.views.items():
        name = ".".join(path)
        assert number_of(open_view(env.catalogs, name, session)) == number, env.get_view(name).sql
        table = Table.from_plan(env, env.get_view(name).plan or {})
        verify(table, session, rows=True)
        for style in STYLES:
            assert number_of(session.sql(table.to_sql(style))) == number, table.to_sql(style)
    if not world.views:
        return
    (database, view), number = list(world.views.items())[-1]  # no other reads it
    env.rename_view(f"{database}.{view}", "home.moved")
    assert number_of(open_view(env.catalogs, "home.moved", session)) == number
