"""``viewscribe diff``, ``plan``, ``apply`` and ``rollback``."""

from __future__ import annotations

import json

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import FileCatalog
from viewscribe.catalog_store.migration.journal import Journal

CONFIG = """\
schema_version: 1
environments:
  dev:
    catalog: file:./dev
    names: {databases: {"*": dev_*}}
  prod:
    catalog: file:./prod
"""


def shop(url, database):
    env = vs.TableEnvironment(url)
    env.create_database(database)
    env.use_database(database)
    env.create_table("orders", "id BIGINT, status STRING, amount INT")
    return env


@pytest.fixture
def dev(place):
    (place / "viewscribe.yaml").write_text(CONFIG)
    env = shop("file:./dev", "dev_sales")
    env.create_view("open", env.from_path("orders").filter(col("status") == "open"))
    env.create_view("ids", env.from_path("open").select("id"))
    return env


@pytest.fixture
def prod(dev):
    return shop("file:./prod", "sales")


def views(env):
    return env.list_views("sales")


def test_from_development_to_production_and_back(run, run_json, dev, prod):
    result = run("diff", "dev", "prod")
    assert result.exit_code == 3
    assert result.stdout == (
        "STEP    KIND  OBJECT      FROM            EFFECT\n"
        "create  view  sales.open  dev_sales.open\n"
        "create  view  sales.ids   dev_sales.ids\n\n"
        "dev -> prod: 2 to create.\n"
    )
    result = run("plan", "dev", "prod", "-o", "plan.json")
    assert result.exit_code == 0
    assert result.stdout.endswith("Next: viewscribe apply plan.json\n")
    assert run("plan", "dev", "prod", "--exit-code").exit_code == 3
    assert run("apply", "plan.json", "--dry-run").exit_code == 0
    assert views(prod) == []
    result = run("apply", "plan.json", "--reason", "first release")
    assert result.exit_code == 0
    assert result.stdout == (
        "2 steps carried out in prod. Take it back with: viewscribe rollback plan.json\n"
    )
    assert "[2/2] sales.ids: created\n" in result.stderr
    assert views(prod) == ["ids", "open"]
    assert run("diff", "dev", "prod").exit_code == 0
    again = run_json("apply", "plan.json")
    assert (again["done"], again["already"]) == (
        [],
        ["create view sales.open", "create view sales.ids"],
    )
    result = run("rollback", "plan.json")
    assert result.exit_code == 0
    assert result.stdout == "2 steps taken back in prod.\n"
    assert views(prod) == []


def test_what_is_different_is_shown(run, run_json, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    changed = dev.from_path("orders").filter(col("status") == "new").select("id", "status")
    dev.create_view("open", changed, or_replace=True)
    result = run("diff", "dev", "prod")
    assert result.exit_code == 3
    assert "- amount INT\n" in result.stdout
    assert "-WHERE status = 'open'\n+WHERE status = 'new'\n" in result.stdout
    assert "1 to change, 1 unchanged." in result.stdout
    data = run_json("diff", "dev", "prod", code=3)
    assert data["counts"]["change"] == 1
    assert data["steps"][0]["columns"] == [{"name": "amount", "change": "removed", "before": "INT"}]
    assert "document" not in data["steps"][0]


def test_breaking_others_must_be_allowed(run, run_json, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    prod.create_view("amounts", prod.from_path("open").select("amount"))
    prod.create_view("top", prod.from_path("amounts").select(col("amount").alias("money")))
    dev.create_view("open", dev.from_path("orders").select("id"), or_replace=True)
    result = run("plan", "dev", "prod", "-o", "second.json")
    assert result.stdout == (
        "STEP    KIND  OBJECT      FROM            EFFECT\n"
        "change  view  sales.open  dev_sales.open  breaks 2 views\n\n"
        "breaks sales.amounts: sales.open amount (removed)\n"
        "  amount <- sales.open.amount\n"
        "breaks sales.top, through sales.amounts\n"
        "  money <- sales.amounts.amount <- sales.open.amount\n\n"
        "fits sales.ids: uses no changed column of sales.open\n\n"
        "Only in prod: sales.amounts, sales.top. They stay; --delete deletes them.\n\n"
        "dev -> prod: 1 to change, 1 unchanged. Next: viewscribe apply second.json\n"
    )
    (step,) = run_json("plan", "dev", "prod")["steps"]
    assert step["breaks"][1] == {
        "view": "sales.top",
        "through": "sales.amounts",
        "columns": [
            {
                "name": "money",
                "path": ["sales.open.amount", "sales.amounts.amount", "sales.top.money"],
            }
        ],
    }
    assert step["fits"] == ["sales.ids"]
    result = run("apply", "second.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("PlanBlockedError: the plan breaks views of the target")
    assert run("apply", "second.json", "--allow-breaking").exit_code == 0


def test_a_column_that_nobody_uses_goes_unhindered(run, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    dev.create_view("open", dev.from_path("orders").select("id", "amount"), or_replace=True)
    result = run("plan", "dev", "prod", "-o", "second.json")
    assert "dev_sales.open  changes columns, fits 1 view\n" in result.stdout
    assert "breaks" not in result.stdout
    assert run("apply", "second.json").exit_code == 0


def test_problems_end_with_3_and_cannot_be_applied(run, run_json, dev):
    env = vs.TableEnvironment("file:./prod")
    env.create_database("sales")
    result = run("plan", "dev", "prod", "-o", "plan.json")
    assert result.exit_code == 3
    assert "missing-table  sales.open" in result.stdout
    assert result.stdout.endswith("1 problem. Solve the problems, then plan again.\n")
    result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert "PlanBlockedError: the plan has problems: sales.open: needs the table" in result.stderr
    assert run_json("plan", "dev", "prod", code=3)["ok"] is False


def test_a_plan_that_no_longer_fits(run, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    prod.create_view("open", prod.from_path("orders").select("id"))
    result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert "OutdatedPlanError: the plan no longer fits the target: sales.open is" in result.stderr
    assert views(prod) == ["open"]


def test_two_at_once(run, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    plan = json.loads(open("plan.json").read())  # noqa: SIM115
    with Journal("plan.json.journal", plan["id"]):
        result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("PlanBusyError: another process is at work on this plan")


def test_a_disk_that_is_full_takes_back_what_was_done(run, run_json, dev, prod, monkeypatch):
    from viewscribe.catalog_store import StorageError

    run("plan", "dev", "prod", "-o", "plan.json")
    real = FileCatalog.create

    def create(self, document, **options):
        if document.name == "ids":
            raise StorageError("no space left")
        return real(self, document, **options)

    monkeypatch.setattr(FileCatalog, "create", create)
    result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert (
        "create view sales.ids failed: no space left; the target is as it was, 1 step"
        in result.stderr
    )
    assert views(prod) == []
    error = run_json("apply", "plan.json", code=1)["error"]
    assert error["code"] == "ApplyFailedError"


def test_wrong_names_and_files(run, dev):
    result = run("diff", "dev", "prd")
    assert result.exit_code == 1
    assert "no environment `prd`\n  did you mean: prod" in result.stderr
    result = run("diff", "dev", "./nowhere")
    assert result.exit_code in (0, 3)
    result = run("apply", "nothing.json")
    assert result.exit_code == 1
    assert "PlanFileError: nothing.json cannot be read" in result.stderr
    result = run("diff", "dev", "prod", "--config", "other.yaml")
    assert result.exit_code == 1
    assert "EnvironmentFileError: other.yaml: cannot be read" in result.stderr


def test_without_a_file_catalogs_have_no_names(run, place):
    result = run("diff", "dev", "prod")
    assert result.exit_code == 2
    assert "neither a catalog nor an environment" in result.stderr


def test_two_catalogs_without_a_file(run, place):
    env = shop("file:./a", "sales")
    env.create_view("ids", env.from_path("orders").select("id"))
    shop("file:./b", "sales")
    assert run("diff", "./a", "file:./b").exit_code == 3
    run("plan", "./a", "./b", "-o", "plan.yaml")
    assert run("apply", "plan.yaml").exit_code == 0
    assert run("diff", "./a", "./b").exit_code == 0
