"""SQL text as a source: names made whole, dependencies, the schema where it is plain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.opaque import opaque
from viewscribe import Table, TableEnvironment
from viewscribe.errors import (
    CatalogError,
    NotSerializableError,
    SqlSyntaxError,
    UnknownColumnError,
    ValidationError,
)
from viewscribe.operations.nodes import SqlText
from viewscribe.operations.user_functions import user_functions

P, O = "spark_catalog.default.people", "spark_catalog.default.orders"  # noqa: E741


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("people", "id INT NOT NULL, name STRING")
    made.create_table("orders", "id INT NOT NULL, person INT")
    return made


def text_of(table: Table) -> str:
    assert isinstance(table.operation, SqlText)
    return table.operation.text


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("select id from people", f"select id from {P}"),
        ("select id from default.people;", f"select id from {P}"),
        (f"select id from {P}", f"select id from {P}"),
        ("SELECT people.id FROM people", f"SELECT people.id FROM {P}"),
        ("SELECT id FROM `people`", f"SELECT id FROM {P}"),
        ("SELECT p.id FROM people p", f"SELECT p.id FROM {P} p"),
        (
            "SELECT id FROM people WHERE id IN (SELECT person FROM orders)",
            f"SELECT id FROM {P} WHERE id IN (SELECT person FROM {O})",
        ),
        (
            "SELECT id FROM people WHERE name <> 'people' -- from people",
            f"SELECT id FROM {P} WHERE name <> 'people' -- from people",
        ),
        (
            "WITH x AS (SELECT id FROM people) SELECT id FROM x",
            f"WITH x AS (SELECT id FROM {P}) SELECT id FROM x",
        ),
        # A CTE of the name of a table reads the table, and is what stands after it.
        (
            "WITH people AS (SELECT id FROM people) SELECT id FROM people",
            f"WITH people AS (SELECT id FROM {P}) SELECT id FROM people",
        ),
        (
            "WITH x AS (SELECT id FROM orders), people AS (SELECT id FROM people), "
            "orders AS (SELECT id FROM people) SELECT id FROM orders",
            f"WITH x AS (SELECT id FROM {O}), people AS (SELECT id FROM {P}), "
            "orders AS (SELECT id FROM people) SELECT id FROM orders",
        ),
        (
            "WITH people AS (SELECT 1 AS id) "
            "SELECT id FROM (WITH z AS (SELECT id FROM people) SELECT id FROM z)",
            "WITH people AS (SELECT 1 AS id) "
            "SELECT id FROM (WITH z AS (SELECT id FROM people) SELECT id FROM z)",
        ),
        (
            "SELECT id FROM (WITH people AS (SELECT 1 AS id) SELECT id FROM people) "
            "UNION ALL SELECT id FROM people",
            "SELECT id FROM (WITH people AS (SELECT 1 AS id) SELECT id FROM people) "
            f"UNION ALL SELECT id FROM {P}",
        ),
    ],
)
def test_names_are_made_whole(env: TableEnvironment, text: str, whole: str) -> None:
    assert text_of(opaque(env, text, schema="id INT")) == whole


def test_a_name_means_the_same_when_another_database_is_current(env: TableEnvironment) -> None:
    before = opaque(env, "SELECT id FROM people")
    env.create_database("other")
    env.use_database("other")
    assert text_of(before) == f"SELECT id FROM {P}"
    with pytest.raises(CatalogError, match=r"no view or table .*other\.people"):
        opaque(env, "SELECT id FROM people")


def test_dependencies_are_what_is_read(env: TableEnvironment) -> None:
    text = "WITH people AS (SELECT id FROM people) SELECT id FROM people JOIN orders USING (id)"
    operation = opaque(env, text, schema="id INT").operation
    assert isinstance(operation, SqlText)
    assert set(operation.dependencies) == {tuple(P.split(".")), tuple(O.split("."))}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("SELECT id, name FROM people", "id INT NOT NULL, name STRING"),
        ("SELECT NAME AS n, id FROM people WHERE id > 1", "n STRING, id INT NOT NULL"),
        ("SELECT * FROM people", "id INT NOT NULL, name STRING"),
        ("SELECT p.id, o.person FROM people p JOIN orders o ON p.id = o.person",
         "id INT NOT NULL, person INT"),
        ("SELECT count(*) AS c FROM people", "c BIGINT NOT NULL"),
        ("SELECT id FROM people NATURAL JOIN orders", "id INT NOT NULL"),
    ],
)  # fmt: skip
def test_the_schema_of_what_is_read_is_known(env: TableEnvironment, text: str, schema: str) -> None:
    assert str(opaque(env, text).schema) == schema


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("SELECT id FROM people TIMESTAMP AS OF current_date()", "id INT"),
        ("SELECT nobodys(id) AS x FROM people", "x INT"),
    ],
)
def test_other_schemas_must_be_said(env: TableEnvironment, text: str, schema: str) -> None:
    with pytest.raises(ValidationError, match="only known to Spark") as caught:
        opaque(env, text)
    assert 'schema="' in str(caught.value)
    assert str(opaque(env, text, schema=schema).schema) == schema


@pytest.mark.parametrize(
    "text",
    ["DROP TABLE people", "SELECT 1; DROP TABLE people", "INSERT INTO people VALUES (1, 'a')", ""],
)
def test_one_query_and_nothing_else(env: TableEnvironment, text: str) -> None:
    with pytest.raises(ValidationError):
        opaque(env, text, schema="x INT")


def test_an_error_of_syntax_says_where(env: TableEnvironment) -> None:
    with pytest.raises(SqlSyntaxError, match="line 1, column 29"):
        opaque(env, "SELECT id FROM people AS OF VERSION 1", schema="id INT")


def test_an_unknown_table_shows_the_nearest(env: TableEnvironment) -> None:
    with pytest.raises(CatalogError) as caught:
        opaque(env, "SELECT id FROM peple")
    assert "did you mean: people" in str(caught.value)


def test_temporary_views_are_refused_by_name(env: TableEnvironment) -> None:
    env.create_temporary_view("mine", env.from_path("people"))
    with pytest.raises(ValidationError, match="cannot read the temporary view `mine`"):
        opaque(env, "SELECT id FROM mine", schema="id INT")


def test_all_columns_of_one_table_of_two(env: TableEnvironment) -> None:
    text = "SELECT o.*, p.name FROM people p JOIN orders o ON o.person = p.id"
    assert str(opaque(env, text).schema) == "id INT NOT NULL, person INT, name STRING"


def test_an_unknown_column_shows_the_nearest(env: TableEnvironment) -> None:
    with pytest.raises(UnknownColumnError, match="did you mean: name"):
        opaque(env, "SELECT nme FROM people")


# -- functions of users ----------------------------------------------------------------------------

F = "spark_catalog.default.f"


def series(n: int) -> Iterator[int]:
    yield from range(n)


@pytest.fixture
def calling(env: TableEnvironment) -> TableEnvironment:
    body = "(x INT) RETURNS INT RETURN x"
    env.execute_sql(f"CREATE FUNCTION f{body}")
    env.execute_sql(f"CREATE FUNCTION upper{body}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION mine{body}")
    env.execute_sql(f"CREATE TEMPORARY FUNCTION ghost.db.g{body}")
    env.execute_sql("CREATE FUNCTION h(a ARRAY<INT>) RETURNS TABLE(x INT) LANGUAGE HIVE AS 'a.H'")
    env.create_temporary_system_function("series", series)
    # Other dialects have it.
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION to_base64{body}")
    return env


@pytest.mark.parametrize(
    ("text", "whole", "called"),
    [
        ("SELECT f(id) AS x", f"SELECT {F}(id) AS x", [F]),
        ("SELECT to_base64(1) + count(id) AS x", None, ["to_base64"]),
        ("SELECT default.F(f(id)) AS x", f"SELECT {F}({F}(id)) AS x", [F]),
        ("SELECT sum(`f` (id)) AS x", f"SELECT sum({F} (id)) AS x", [F]),
        ("SELECT upper(name), nothing(id), 'f(1)' AS x", None, []),
        ("SELECT default.upper(id) AS x", "SELECT spark_catalog.default.upper(id) AS x", ["upper"]),
        ("SELECT mine(id), session.mine(2) AS x", "SELECT mine(id), mine(2) AS x", ["mine"]),
        (
            "SELECT ghost.db.g(1) AS x",
            "SELECT system.session.`ghost.db.g`(1) AS x",
            ["ghost.db.g"],
        ),
        ("SELECT x FROM series(3) AS r(x) JOIN", None, ["series"]),
        ("SELECT x FROM h(array(1)) AS t(x) JOIN", "SELECT x FROM spark_catalog.default.h(", ["h"]),
    ],
)
def test_functions_of_users_are_known_and_named_in_full(
    calling: TableEnvironment, text: str, whole: str | None, called: list[str]
) -> None:
    sentence = f"{text} people" if text.endswith("JOIN") else f"{text} FROM people"
    table = opaque(calling, sentence, schema="x INT", by_user=False)
    assert text_of(table).startswith((whole or text).removesuffix(" JOIN"))
    found = [str(each.identifier) for each in user_functions(table.operation)]
    assert [name.rpartition(".")[2] for name in found] == [n.rpartition(".")[2] for n in called]
    assert Table.from_plan(calling, table.to_plan()).equals(table)


def test_paths_stay_as_they_are(env: TableEnvironment) -> None:
    text = "SELECT name FROM people JOIN delta.`/data/t` VERSION AS OF 3 USING (id)"
    table = opaque(env, text, schema="name STRING", by_user=False)
    assert text_of(table) == text.replace("people", P)
    assert isinstance(table.operation, SqlText)
    assert table.operation.dependencies == (tuple(P.split(".")),)


def test_a_generator_in_a_lateral_view(calling: TableEnvironment) -> None:
    text = "SELECT x FROM people LATERAL VIEW {}(array(id)) t AS x"
    table = opaque(calling, text.format("h"), schema="x INT")
    assert text_of(table) == text.format("default.h").replace("people", P)


def test_a_stored_view_of_text_calls_no_temporary_function(calling: TableEnvironment) -> None:
    made = opaque(calling, "SELECT mine(id) AS x FROM people", schema="x INT")
    with pytest.raises(NotSerializableError, match="the temporary function mine"):
        calling.create_view("v", made)
    calling.create_view("w", opaque(calling, "SELECT f(id) AS x FROM people", schema="x INT"))
    found = {(each.kind, each.name[-1]) for each in calling.get_view("w").dependencies}
    assert found == {("table", "people"), ("function", "f")}
