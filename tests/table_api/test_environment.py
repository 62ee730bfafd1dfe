"""Tables and views of an environment: in memory and in files alike."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import TableEnvironment, col
from viewscribe import functions as F
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS
from viewscribe.errors import CatalogError, ValidationError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.of_catalogs import FunctionConflictError
from viewscribe.operations.required_settings import needed_settings
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.types.policy import ANSI


@pytest.fixture(params=["memory", "file"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> TableEnvironment:
    url = "memory:" if request.param == "memory" else f"file:{tmp_path / 'views'}"
    made = TableEnvironment.open(url)
    made.create_table("people", "id INT NOT NULL, name STRING COMMENT 'in full', `a.b` INT")
    return made


def test_a_table_keeps_its_columns(env: TableEnvironment) -> None:
    people = env.from_path("people")
    assert str(people.schema) == "id INT NOT NULL, name STRING COMMENT 'in full', `a.b` INT"
    assert env.from_path("spark_catalog.default.people").equals(people)
    assert env.from_path("PEOPLE").schema == people.schema


def test_functions_that_are_tables(env: TableEnvironment) -> None:
    numbers = env.from_function("range", 10)
    assert str(numbers.schema) == "id BIGINT NOT NULL"
    assert numbers.to_sql() == "SELECT\n  id\nFROM range(10) AS range"
    named = numbers.alias("n").filter(col("n.id") > 1).to_sql()
    assert named == "SELECT\n  id\nFROM range(10) AS n\nWHERE id > 1"
    assert numbers.to_sql("pipe") == "FROM range(10) AS range"
    assert "TableFunction(function: range, args: [10], columns: [id])" in repr(numbers.operation)
    sampled = numbers.sample(0.5, seed=1).to_sql()
    assert "FROM (range(10) AS range) TABLESAMPLE (50 PERCENT)" in sampled
    assert from_plan(to_plan(numbers.operation)) == numbers.operation
    with pytest.raises(ValidationError, match="upper does not make a table"):
        env.from_function("upper", "a")
    with pytest.raises(ValidationError, match=r"env\.from_function\(\"range\""):
        numbers.select(vs.call("range", 3))
    with pytest.raises(AttributeError, match=r"it is a table: env\.from_function"):
        _ = F.range  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "made",
    [
        F.time_trunc(vs.lit("HOUR"), "at"),
        F.time_diff(vs.lit("HOUR"), "at", "at"),
        F.hour(F.to_time(vs.lit("10:00:00"))),
        F.median("at"),
    ],
)
def test_views_with_time_in_them_are_kept_with_its_setting(made: Expression) -> None:
    env = TableEnvironment()
    env.create_table("events", "at TIMESTAMP")
    events = env.from_path("events")
    assert needed_settings(events.select("at").operation) == {}
    needed = needed_settings(events.select(made.alias("x")).operation)
    assert needed == {"spark.sql.timeType.enabled": "true"}


def test_tables_are_listed_replaced_dropped(env: TableEnvironment) -> None:
    env.create_table("orders", "id INT")
    assert sorted(env.list_tables()) == ["orders", "people"]
    with pytest.raises(CatalogError, match="orders"):
        env.create_table("orders", "id BIGINT")
    env.create_table("orders", "id BIGINT", or_replace=True)
    assert str(env.from_path("orders").schema) == "id BIGINT"
    env.drop_table("orders")
    env.drop_table("orders", if_exists=True)
    with pytest.raises(CatalogError, match="orders"):
        env.drop_table("orders")
    assert env.list_tables() == ["people"]


def test_views_are_created_listed_replaced_dropped(env: TableEnvironment) -> None:
    people = env.from_path("people")
    env.create_view("young", people.select("id"), comment="who is young")
    assert env.list_views() == ["young"]
    assert env.list_tables() == ["people"]
    document = env.get_view("young")
    assert (document.sql, document.comment) == (people.select("id").to_sql(), "who is young")
    with pytest.raises(CatalogError, match="young"):
        env.create_view("young", people.select("name"))
    env.create_view("young", people.select("name"), or_replace=True)
    assert env.from_path("young").columns == ["name"]
    env.drop_view("young")
    env.drop_view("young", if_exists=True)
    with pytest.raises(CatalogError, match="young"):
        env.get_view("young")


def test_a_view_does_not_take_the_name_of_a_table(env: TableEnvironment) -> None:
    with pytest.raises(CatalogError, match="people"):
        env.create_view("people", env.from_values([(1,)], "x INT"))
    with pytest.raises(CatalogError, match="is a table, not a view"):
        env.get_view("people")


def test_an_unknown_name_shows_the_nearest(env: TableEnvironment) -> None:
    with pytest.raises(CatalogError) as caught:
        env.from_path("peple")
    assert "spark_catalog.default.peple" in str(caught.value)
    assert "did you mean: people" in str(caught.value)


def test_databases(env: TableEnvironment) -> None:
    env.create_database("sales", comment="what is sold")
    env.create_database("sales", if_not_exists=True)
    env.create_table("sales.orders", "id INT")
    env.use_database("sales")
    assert env.from_path("orders").to_sql().endswith("FROM spark_catalog.sales.orders")
    assert env.list_tables("default") == ["people"]
    with pytest.raises(CatalogError):
        env.from_path("people")


def test_further_catalogs(env: TableEnvironment) -> None:
    env.register_catalog("lake", "memory:")
    env.create_table("lake.default.events", "id INT")
    assert env.from_path("lake.default.events").to_sql().endswith("FROM lake.default.events")
    env.use_catalog("lake")
    assert env.list_tables() == ["events"]
    assert env.from_path("spark_catalog.default.people").columns == ["id", "name", "a.b"]


def test_what_a_file_catalog_holds_outlives_the_environment(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'views'}"
    first = TableEnvironment.open(url)
    first.create_table("people", "id INT NOT NULL, name STRING")
    table = first.from_path("people").filter(col("id") > 1).select("name")
    first.create_view("some", table)
    second = TableEnvironment.open(url)
    assert second.list_views() == ["some"]
    assert second.view_table("some").equals(table)
    assert second.from_path("some").schema == table.schema


def test_the_shortcut_stores_a_view(tmp_path: Path) -> None:
    env = TableEnvironment.open(f"file:{tmp_path}")
    env.create_table("people", "id INT")
    assert vs.to_sql(env.from_path("people")) == env.from_path("people").to_sql()
    vs.save_view(env.from_path("people"), "copy", catalog=f"file:{tmp_path}")
    assert TableEnvironment.open(f"file:{tmp_path}").list_views() == ["copy"]


# -- temporary views ---------------------------------------------------------------------------


def test_temporary_views(env: TableEnvironment) -> None:
    env.create_temporary_view("mine", env.from_path("people").select("id"))
    assert env.from_path("mine").columns == ["id"]
    assert env.list_views() == []
    with pytest.raises(CatalogError, match="mine"):
        env.create_temporary_view("mine", env.from_path("people"))
    env.create_temporary_view("mine", env.from_path("people").select("name"), or_replace=True)
    assert env.from_path("mine").columns == ["name"]
    with pytest.raises(CatalogError, match="`mine` is a temporary view"):
        env.get_view("mine")
    env.drop_temporary_view("mine")
    env.drop_temporary_view("mine", if_exists=True)
    with pytest.raises(CatalogError):
        env.from_path("mine")


def test_a_stored_view_does_not_depend_on_temporary_ones(env: TableEnvironment) -> None:
    env.create_temporary_view("mine", env.from_path("people").select("id"))
    env.create_temporary_view("yours", env.from_path("mine").select("id"))
    joined = env.from_path("people").join(env.from_path("yours"), using="id").select("name")
    hidden = env.from_path("people").filter(col("id").in_(env.from_path("mine")))
    assert joined.to_sql()
    for name, table in {"joined": joined, "hidden": hidden}.items():
        env.create_view(name, table)
        assert [each.name[-1] for each in env.get_view(name).dependencies] == ["people"]
    env.execute_sql("CREATE VIEW texted AS SELECT id FROM yours")
    env.drop_temporary_view("mine")
    env.drop_temporary_view("yours")
    for name in ("joined", "hidden", "texted"):
        view = env.get_view(name)
        assert env.sql_query(view.sql).columns == [column.name for column in view.columns]
        assert env.view_table(name).to_sql() == view.sql


def test_grouped_tables_say_what_is_next(env: TableEnvironment) -> None:
    grouped = env.from_path("people").group_by("name")
    assert grouped.count().columns == ["name", "count"]
    assert grouped.agg(F.max("id").alias("m")).columns == ["name", "m"]


def test_temporary_functions_come_and_go() -> None:
    env = vs.TableEnvironment()
    types: dict[str, Any] = {"parameters": ["INT"], "returns": "INT"}
    env.create_temporary_system_function("half", lambda x: x, **types)
    env.create_temporary_function("third", lambda x: x, **types)
    assert {"half", "third", "upper"} <= set(env.list_functions())
    env.drop_temporary_system_function("half")
    env.drop_temporary_function("third")
    assert not {"half", "third"} & set(env.list_functions())
    env.drop_temporary_system_function("half", if_exists=True)
    env.drop_temporary_function("third", if_exists=True)
    with pytest.raises(FunctionConflictError, match="there is no temporary"):
        env.drop_temporary_function("third")


def test_an_environment_is_no_catalog() -> None:
    env = vs.TableEnvironment()
    env.create_table("t", "id INT")
    message = "a TableEnvironment is given where one catalog is wanted"
    for given in (
        lambda: vs.save_view(env.from_path("t"), "v", catalog=env),  # type: ignore[arg-type]
        lambda: vs.TableEnvironment(env),
        lambda: env.register_catalog("other", env),
    ):
        with pytest.raises(CatalogError, match=message) as caught:
            given()
        assert "env.catalogs.catalog(" in (caught.value.hint or "")
    assert env.catalogs.catalog("spark_catalog") is not None


def test_rows_may_be_given_with_the_names_of_their_columns_alone() -> None:
    made = TableEnvironment().from_values([(1, "a"), (2, None)], ["id", "name"])
    assert str(made.schema) == "id INT NOT NULL, name STRING"
    with pytest.raises(ValidationError, match="a row of 2 values where there are 3 columns"):
        TableEnvironment().from_values([(1, "a")], ["id", "name", "age"])


BUILT = """
env = TableEnvironment()
env.create_table("t", "id INT")
env.from_path("t").filter(col("id") > 1).to_sql()
"""


@pytest.mark.parametrize("then", ["", BUILT], ids=["imported", "printed"])
def test_nothing_is_loaded_that_few_programs_need(then: str) -> None:
    """Half the time of a first query was in what it did not use."""
    start = "import sys; from viewscribe import TableEnvironment, col, to_sql\n"
    command = [sys.executable, "-c", f"{start}{then}\nprint(*sys.modules)"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rare = """
    pyspark sqlglot yaml difflib fractions zoneinfo logging multiprocessing subprocess urllib.parse
    viewscribe.operations.build.process viewscribe.expressions.functions.process
    viewscribe.parser.grammar viewscribe.catalog_store.checks
    """
    assert sorted({*rare.split()} & {*told.split()}) == []


@pytest.mark.parametrize("name", sorted(ALLOWED_SETTINGS))
def test_a_value_that_spark_does_not_take_is_refused_at_once(name: str) -> None:
    """Not when a view is stored or run, and not as if no query depended on the setting."""
    with pytest.raises(ValidationError, match=rf"the setting {re.escape(name)} cannot be ' no '"):
        vs.TableEnvironment(settings={name: " no "})


def test_the_values_of_a_setting_are_told() -> None:
    with pytest.raises(ValidationError, match="it is EXCEPTION or LEGACY or CORRECTED"):
        vs.TableEnvironment(settings={"spark.sql.legacy.timeParserPolicy": "correct"})
    assert vs.TableEnvironment(settings={"spark.sql.ansi.enabled": "FALSE"}).coercion is not ANSI
