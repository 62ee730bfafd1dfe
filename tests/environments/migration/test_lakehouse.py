"""From a file catalog into an Iceberg catalog, where the tables are made by engines, and back."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.catalogs import MAKERS, make_table
from tests.environments.migration.worlds import ORDERS, shop
from viewscribe.catalog_store import FileCatalog
from viewscribe.environments import environment_of
from viewscribe.environments.migration import apply_plan, make_plan, rollback_plan


@pytest.fixture
def files(tmp_path):
    catalog = FileCatalog(tmp_path / "views")
    shop(catalog)
    return catalog


@pytest.fixture
def lake(tmp_path):
    catalog = MAKERS["iceberg"](tmp_path)
    env = vs.TableEnvironment(catalog)
    env.create_database("sales")
    make_table(env, "sales.orders", ORDERS)
    return catalog


def _texts(catalog):
    ids = catalog.list_objects("sales", "view")
    return {each.name: catalog.get("view", "sales", each.name).document.sql for each in ids}


def test_views_move_into_the_lakehouse_and_back(files, lake, tmp_path):
    before = _texts(files)
    plan = make_plan(environment_of(files), environment_of(lake))
    assert (plan.problems, len(plan.steps)) == ((), 4)
    apply_plan(plan, lake, journal=tmp_path / "there")
    moved = _texts(lake)
    assert {name: text.replace("lake.", "spark_catalog.") for name, text in moved.items()} == before
    assert all("lake.sales." in text for text in moved.values())
    assert make_plan(environment_of(files), environment_of(lake)).steps == ()

    env = vs.TableEnvironment(lake)
    changed = env.from_path("sales.open").filter(vs.col("id") > 1).select("id")
    env.create_view("sales.names", changed, or_replace=True)
    back = make_plan(environment_of(lake), environment_of(files))
    assert [(step.operation, step.name) for step in back.steps] == [("change", "names")]
    apply_plan(back, files, journal=tmp_path / "back")
    assert "spark_catalog.sales.open" in _texts(files)["names"]


def test_a_migration_into_the_lakehouse_is_taken_back(files, lake, tmp_path):
    plan = make_plan(environment_of(files), environment_of(lake))
    journal = tmp_path / "journal"
    apply_plan(plan, lake, journal=journal)
    rollback_plan(plan, lake, journal=journal)
    assert [each.kind for each in lake.list_objects("sales")] == ["table"]


def test_a_table_that_the_lakehouse_lacks_is_a_problem_of_the_plan(files, tmp_path):
    lake = MAKERS["iceberg"](tmp_path)
    (problem, *_) = make_plan(environment_of(files), environment_of(lake)).problems
    assert "lake.sales.orders" in problem.message
