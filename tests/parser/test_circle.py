"""What the serializer prints, the parser reads: the same columns, and the same text again."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzzing import examples
from tests.properties.pipelines import environment, pipelines
from tests.serializer.cases import CASES
from tests.serializer.cases import ENV as SHOP
from viewscribe import Table, TableEnvironment, lit
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError
from viewscribe.serializer import STYLES
from viewscribe.table_api.views import view_document

ENV = environment()

NOT_CLOSED = {
    "sql_text": "a text of a user becomes a tree",
    "without_rows": "VALUES without rows are written as a query, and read as one",
}
"""The cases whose readable text is another one after it was read, and why."""


def read(env: TableEnvironment, text: str) -> Table:
    return env.sql_query(text)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("style", STYLES)
def test_cases_are_read(name: str, style: str) -> None:
    table = CASES[name]()
    text = table.to_sql(style)
    again = read(SHOP, text)
    assert again.schema == table.schema
    if name not in NOT_CLOSED:
        assert again.to_sql(style) == text


@pytest.mark.parametrize("name", NOT_CLOSED)
def test_the_others_are_others(name: str) -> None:
    text = CASES[name]().to_sql()
    assert read(SHOP, text).to_sql() != text


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(pipelines(ENV))
def test_texts_of_any_pipeline_are_read(table: Table) -> None:
    for style in STYLES:
        try:
            text = table.to_sql(style)
        except NotSerializableError:
            continue
        assert read(ENV, text).schema == table.schema, text


@settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
@given(pipelines(ENV))
def test_texts_of_any_pipeline_are_printed_again(table: Table) -> None:
    """The same bytes in each style."""
    for style in STYLES:
        text = table.to_sql(style)
        assert read(ENV, text).to_sql(style) == text


@settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
@given(pipelines(ENV))
def test_any_pipeline_can_be_stored(table: Table) -> None:
    """No text is taken for one that means something else."""
    if len({name.lower() for name in table.schema.names}) == len(table.schema.names):
        path = ENV.catalogs.resolve(["v"])
        view_document(ENV, path, table, comment=None, style="readable", properties=None)


def test_a_tree_that_says_more_than_its_text() -> None:
    """A condition on constants over a total of which nothing is read: one of groups, as is read."""
    total = SHOP.from_path("people").group_by().agg(F.max("id").alias("m"))
    text = total.select(lit(1).alias("one")).filter(lit("x").like("_d%")).to_sql()
    assert "HAVING" in text
    assert read(SHOP, text).to_sql() == text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM people AS a_2 JOIN people AS a USING (id)",
        "SELECT id AS x FROM people ORDER BY name, x LIMIT 2",
        "SELECT id FROM people AS a WHERE id IN (SELECT a_2.id FROM people AS a_2)",
        "SELECT upper(name) AS id FROM (SELECT * FROM people LIMIT 3) AS p ORDER BY p.id LIMIT 2",
        "SELECT * FROM people, LATERAL (SELECT id)",
        "SELECT * FROM people, LATERAL (SELECT people.* FROM orders)",
        "SELECT p.id FROM people AS p LEFT JOIN LATERAL (SELECT n FROM orders) AS q ON q.n = p.id",
        "SELECT id FROM people WHERE id IS NOT DISTINCT FROM 3",
        "WITH a AS (SELECT id FROM people) SELECT x.id FROM a AS x JOIN a AS y ON x.id = y.id",
        "SELECT * FROM people JOIN orders USING (id)",
        "SELECT max('') FROM people GROUP BY id HAVING max('') = ''",
        "SELECT transform(array(home), h -> h.geo.lat + 1) FROM people",
    ],
)
def test_texts_of_others_are_read_again(text: str) -> None:
    made = read(SHOP, text)
    again = read(SHOP, made.to_sql())
    assert again.schema == made.schema
    assert again.to_sql() == made.to_sql()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id, count(*) FROM people WHERE id > 1 GROUP BY ROLLUP (id, upper(name))",
        "SELECT name FROM people GROUP BY GROUPING SETS ((name, length(name)), ())",
        "SELECT id FROM (SELECT id FROM people LIMIT 2) TABLESAMPLE (50 PERCENT) REPEATABLE (3)",
        "SELECT p.id FROM (SELECT /*+ BROADCAST(q) */ * FROM people AS q) AS p, people AS q",
        "SELECT p.id, upper(name) FROM (SELECT id, * FROM people) AS p WHERE p.id > 1",
        "SELECT id FROM people WHERE name IN (SELECT 'a' AS b)",
        "SELECT * FROM people PIVOT (count(id) FOR name IN (NULL AS nobody, 'a' AS a))",
        "SELECT -id AS id FROM people QUALIFY id > 0 AND row_number() OVER (ORDER BY name) = 1",
    ],
)
@pytest.mark.parametrize("style", STYLES)
def test_texts_of_others_are_printed_again(text: str, style: str) -> None:
    made = read(SHOP, text).to_sql(style)
    assert read(SHOP, made).to_sql(style) == made
