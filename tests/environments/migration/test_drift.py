"""What somebody did in the target by hand is neither deleted nor overwritten unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from tests.environments.migration.worlds import environment, shop, state, tables_alone
from viewscribe.catalog_store import Catalog, Change, MemoryCatalog, open_catalog
from viewscribe.cli.plans import plan_data
from viewscribe.environments.migration import apply_plan, make_plan, read_plan, write_plan
from viewscribe.environments.migration.journal import PlanBlockedError
from viewscribe.schemas import validate


@pytest.fixture(params=["memory:", "sqlite:{place}/views.db", "file:{place}/views"])
def target(request: Any, tmp_path: Path) -> Catalog:
    """A target of several kinds, with the table alone."""
    url = request.param.format(place=tmp_path)
    return tables_alone(MemoryCatalog() if url == "memory:" else open_catalog(url, create=True))


def planned(source: Catalog, target: Catalog, **options: Any) -> Any:
    return make_plan(environment(source, "dev"), environment(target, "prod"), **options)


def applied(target: Catalog) -> tuple[Catalog, Catalog]:
    """A source, and a target that a plan has made the same."""
    source = MemoryCatalog()
    shop(source)
    apply_plan(planned(source, target), target)
    return source, target


def edit(catalog: Catalog, name: str, sql: str) -> None:
    """What somebody does by hand."""
    stored: Any = catalog.get("view", "sales", name)
    changed = msgspec.structs.replace(stored.document, sql=sql, plan=None)
    catalog.replace(changed, expected=stored.token, change=Change(author="ann"))


EDITED = "SELECT id, amount\nFROM spark_catalog.sales.orders\nWHERE status <> 'closed'"


def test_an_edit_by_hand_is_shown_and_stands_against_the_plan(target: Catalog) -> None:
    source, target = applied(target)
    assert planned(source, target).steps == ()
    edit(target, "open", EDITED)
    plan = planned(source, target)
    (step,) = plan.steps
    assert "+WHERE status <> 'closed'" in step.drift.sql_diff
    assert [(each.code, each.object, each.blocking) for each in plan.problems] == [
        ("drift", "sales.open", True)
    ]
    assert "by ann" in plan.problems[0].message
    with pytest.raises(PlanBlockedError, match="edited in the target"):
        apply_plan(plan, target)
    assert plan_data(plan)["steps"][0]["drift"]["author"] == "ann"
    allowed = planned(source, target, overwrite_drift=True)
    assert allowed.problems == ()
    assert allowed.steps[0].drift == step.drift
    apply_plan(allowed, target)
    assert planned(source, target).steps == ()


def test_an_edit_of_settings_is_shown(target: Catalog) -> None:
    source, target = applied(target)
    stored: Any = target.get("view", "sales", "open")
    settings = {**stored.document.settings, "spark.sql.ansi.enabled": "false"}
    target.replace(
        msgspec.structs.replace(stored.document, settings=settings), expected=stored.token
    )
    (step,) = planned(source, target).steps
    assert [str(each) for each in step.drift.fields] == [
        "~ settings.spark.sql.ansi.enabled: true -> false"
    ]


def test_an_edit_of_the_file_itself_is_drift_though_its_version_is_the_plans(
    tmp_path: Path,
) -> None:
    target = tables_alone(open_catalog(f"file:{tmp_path}/views", create=True))
    source, _ = applied(target)
    file = tmp_path / "views" / "sales" / "open.view.yaml"
    file.write_text(file.read_text().replace("status = 'open'", "status <> 'open'", 1))
    plan = planned(source, target)
    (step,) = plan.steps
    assert "+WHERE status <> 'open'" in step.drift.sql_diff
    assert "-WHERE status = 'open'" in step.drift.sql_diff
    assert step.drift.author is None
    with pytest.raises(PlanBlockedError, match="edited in the target"):
        apply_plan(plan, target)
    apply_plan(planned(source, target, overwrite_drift=True), target)
    assert planned(source, target).steps == ()


def test_an_edit_of_the_file_of_a_function_is_drift_too(tmp_path: Path) -> None:
    target = tables_alone(open_catalog(f"file:{tmp_path}/views", create=True))
    source, _ = applied(target)
    file = tmp_path / "views" / "sales" / "net.function.yaml"
    file.write_text(file.read_text().replace("1.19", "1.07", 1))
    plan = planned(source, target)
    assert [each.code for each in plan.problems] == ["drift"]
    with pytest.raises(PlanBlockedError, match="edited in the target"):
        apply_plan(plan, target)
    apply_plan(planned(source, target, overwrite_drift=True), target)
    assert planned(source, target).steps == ()


def test_a_change_of_the_source_is_no_drift_and_one_of_both_is(target: Catalog) -> None:
    source, target = applied(target)
    env = vs.TableEnvironment(source)
    env.use_database("sales")
    env.create_view("names", env.from_path("totals").select("net"), or_replace=True)
    assert [each.drift for each in planned(source, target).steps] == [None]
    edit(target, "names", "SELECT id + 1 AS id FROM spark_catalog.sales.totals")
    (step,) = planned(source, target).steps
    assert step.drift is not None


def test_an_edit_that_was_taken_back_is_none(target: Catalog) -> None:
    source, target = applied(target)
    before: Any = target.get("view", "sales", "open")
    edit(target, "open", EDITED)
    now = target.get("view", "sales", "open")
    target.replace(before.document, expected=now.token)
    source.delete("view", "sales", "names")
    assert planned(source, target).problems == ()


def test_what_no_plan_brought_is_deleted_only_by_name_of_the_option(target: Catalog) -> None:
    source, target = applied(target)
    env = vs.TableEnvironment(target)
    env.use_database("sales")
    env.create_view("mine", env.from_path("orders").select("id"))
    source.delete("view", "sales", "names")
    plan = planned(source, target)
    assert plan.steps == ()
    assert (plan.extra, plan.foreign) == (("sales.mine", "sales.names"), ("sales.mine",))
    plan = planned(source, target, delete=True)
    assert [str(each) for each in plan.steps] == ["delete view sales.names"]
    assert (plan.extra, plan.foreign) == (("sales.mine",), ("sales.mine",))
    apply_plan(plan, target)
    assert "view sales.mine" in state(target)
    plan = planned(source, target, delete_foreign=True)
    assert [str(each) for each in plan.steps] == ["delete view sales.mine"]
    assert (plan.delete, plan.delete_foreign) == (True, True)


@pytest.mark.parametrize("before", ["never brought", "brought and dropped"])
def test_a_change_of_what_was_made_in_the_target_says_so(
    target: Catalog, tmp_path: Path, before: str
) -> None:
    source, target = applied(target)
    env = vs.TableEnvironment(source)
    env.use_database("sales")
    name = "names" if before == "brought and dropped" else "mine"
    if name == "names":
        target.delete("view", "sales", "names")
    other = vs.TableEnvironment(target)
    other.use_database("sales")
    made = other.from_path("orders").select("id")
    other.create_view(name, made, author="ann", reason="mine")
    env.create_view(name, env.from_path("totals").select("net"), or_replace=True)
    plan = planned(source, target)
    (step,) = plan.steps
    assert step.drift is not None
    assert step.drift.foreign
    assert "was made in the target by ann" in str(step.drift)
    assert plan.problems == ()
    write_plan(plan, tmp_path / "plan.json")
    validate(msgspec.json.decode((tmp_path / "plan.json").read_bytes()), "migration")
    assert read_plan(tmp_path / "plan.json").steps[0].drift == step.drift
    apply_plan(plan, target)
    assert planned(source, target).steps == ()


def test_an_edit_of_what_is_to_be_deleted_is_drift(target: Catalog, tmp_path: Path) -> None:
    source, target = applied(target)
    source.delete("view", "sales", "names")
    edit(target, "names", "SELECT id + 1 AS id FROM spark_catalog.sales.totals")
    plan = planned(source, target, delete=True)
    assert [each.code for each in plan.problems] == ["drift"]
    write_plan(plan, tmp_path / "plan.json")
    validate(msgspec.json.decode((tmp_path / "plan.json").read_bytes()), "migration")
    assert read_plan(tmp_path / "plan.json").steps == plan.steps
