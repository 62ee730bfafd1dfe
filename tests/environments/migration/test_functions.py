"""SQL functions that call others and read tables, in databases that are called otherwise."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from tests.environments.migration.worlds import environment
from viewscribe.catalog_store import MemoryCatalog, check
from viewscribe.environments.migration import apply_plan, make_plan
from viewscribe.spark.views import open_view

FUNCTIONS = (
    "CREATE FUNCTION largest() RETURNS INT RETURN (SELECT max(id) FROM orders)",
    "CREATE FUNCTION added(x INT DEFAULT largest()) RETURNS INT RETURN x + largest()",
    "CREATE FUNCTION {other}.through() RETURNS INT RETURN added() * 100 + "
    "(SELECT max(id) FROM {other}.orders)",
    "CREATE FUNCTION rows_of(k INT) RETURNS TABLE(z INT) RETURN SELECT id FROM orders WHERE id < k",
)


def tables(catalog: MemoryCatalog, prefix: str) -> vs.TableEnvironment:
    env = vs.TableEnvironment(catalog)
    for name in ("first", "other"):
        env.create_database(f"{prefix}{name}")
        env.create_table(f"{prefix}{name}.orders", "id INT")
    return env


def migrated() -> MemoryCatalog:
    source, target = MemoryCatalog(), MemoryCatalog()
    env = tables(source, "dev_")
    tables(target, "prod_")
    env.use_database("dev_first")
    for text in FUNCTIONS:
        env.execute_sql(text.format(other="dev_other"))
    env.create_view("all_of_them", env.sql_query("SELECT dev_other.through() AS a, added(1) AS b"))
    env.create_view("several", env.sql_query("SELECT z FROM rows_of(3)"))
    plan = make_plan(environment(source, "dev", "dev_"), environment(target, "prod", "prod_"))
    assert plan.problems == ()
    apply_plan(plan, target)
    again = make_plan(environment(source, "dev", "dev_"), environment(target, "prod", "prod_"))
    assert again.steps == ()
    return target


def test_nothing_of_the_source_is_left_and_the_target_is_healthy() -> None:
    target = migrated()
    assert check(target) == []
    for each in target.load_all():
        assert "dev_" not in repr(each.document)  # type: ignore[union-attr]
    stored: Any = target.get("function", "prod_first", "added").document
    assert stored.body == "x + prod_first.largest()"  # Spark takes no catalog before it
    assert stored.parameters[0].default == "prod_first.largest()"


@pytest.fixture
def target_in_spark(spark: Any) -> Any:
    for name, most in (("prod_first", 3), ("prod_other", 5)):
        spark.sql(f"CREATE DATABASE {name}")
        spark.sql(
            f"CREATE TABLE {name}.orders USING parquet AS SELECT explode(sequence(1, {most})) id"
        )
    yield spark
    for name in ("prod_first", "prod_other"):
        spark.sql(f"DROP DATABASE {name} CASCADE")


def test_what_bodies_and_defaults_name_comes_with_a_view(target_in_spark: Any) -> None:
    target = migrated()
    found = open_view(target, "prod_first.all_of_them", target_in_spark)
    assert found.collect() == [((3 + 3) * 100 + 5, 4)]
    assert vs.verify(target.get("view", "prod_first", "all_of_them").document, target_in_spark).ok
    rows = open_view(target, "prod_first.several", target_in_spark).collect()
    assert sorted(rows) == [(1,), (2,)]
