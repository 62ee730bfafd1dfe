"""Random pipelines: what their lineage leaves out has no influence, and they open without it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzzing import examples
from tests.properties.pipelines import ROWS, SCHEMAS, environment, pipelines
from viewscribe import Table
from viewscribe.catalog_store.lineage import ColumnId, query_lineage, view_lineage
from viewscribe.expressions.node import preorder
from viewscribe.operations.nodes import CatalogSource
from viewscribe.table_api.views import view_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ENV = environment()
WITHOUT_SPARK = settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
WITH_SPARK = settings(max_examples=25, suppress_health_check=list(HealthCheck))


@WITHOUT_SPARK
@given(pipelines(ENV))
def test_every_column_has_a_lineage_of_columns_that_are_there(table: Table) -> None:
    found = query_lineage(table.operation)
    assert len(found.columns) == len(table.schema)
    assert found.unknown == ()
    sources = [node for node in preorder(table.operation) if isinstance(node, CatalogSource)]
    there = {ColumnId(node.path, field.name) for node in sources for field in node.fields}
    there |= {ColumnId(node.path, None) for node in sources}
    assert found.used() <= there
    assert found.carried <= there - found.used()
    assert {ColumnId(node.path, None) for node in sources} <= found.used()


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    for name, schema in SCHEMAS.items():
        spark.createDataFrame(ROWS[name], schema).coalesce(1).write.saveAsTable(f"all_{name}")
        spark.sql(f"CREATE VIEW {name} AS SELECT * FROM all_{name}")
    yield spark
    for name in SCHEMAS:
        spark.sql(f"DROP VIEW {name}")
        spark.sql(f"DROP TABLE all_{name}")


@WITH_SPARK
@given(table=pipelines(ENV))
def test_without_all_other_columns_a_view_opens_and_has_the_same_rows(
    session: SparkSession, table: Table
) -> None:
    names = Counter(name.lower() for name in table.schema.names)
    if max(names.values()) > 1:  # no view can have that
        return
    path = ENV.catalogs.resolve(["v"])
    view = view_document(ENV, path, table, comment=None, style="readable", properties=None)
    found = view_lineage(tuple(path), view)
    needed = set(found.carried).union(found.rows, *found.columns.values())
    wanted = Counter(map(repr, session.sql(view.sql).collect()))
    try:
        for name in SCHEMAS:
            narrow(session, name, needed)
        assert Counter(map(repr, session.sql(view.sql).collect())) == wanted
    finally:
        for name in SCHEMAS:
            session.sql(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM all_{name}")


def narrow(session: SparkSession, name: str, needed: set[ColumnId]) -> None:
    """The table without what is not needed; other names would change what is seen."""
    columns = [each.column for each in needed if each.path[-1] == name and each.column]
    listed = ", ".join(f"`{each.replace('`', '``')}`" for each in columns) or "1 AS nothing_else"
    session.sql(f"CREATE OR REPLACE VIEW {name} AS SELECT {listed} FROM all_{name}")
