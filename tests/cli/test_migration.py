"""``viewscribe diff``, ``plan``, ``apply`` and ``rollback``."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

import viewscribe as vs
from tests.opaque import opaque
from viewscribe import col
from viewscribe.catalog_store import FileCatalog
from viewscribe.cli.progress import Silence
from viewscribe.environments.migration.journal import Journal

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


def test_a_plan_is_applied_from_anywhere(run, dev, prod, place, monkeypatch):
    (place / "plans").mkdir()
    (place / "elsewhere").mkdir()
    run("plan", "dev", "prod", "-o", "plans/one.json")
    assert json.loads((place / "plans" / "one.json").read_text())["base"] == ".."
    monkeypatch.chdir(place / "elsewhere")
    assert run("apply", "../plans/one.json").exit_code == 0
    assert list((place / "elsewhere").iterdir()) == []
    monkeypatch.chdir(place / "plans")
    assert run("rollback", "one.json").stdout == "2 steps taken back in prod.\n"
    monkeypatch.chdir(place)
    assert views(prod) == []
    assert run("apply", "plans/one.json").exit_code == 0
    assert views(prod) == ["ids", "open"]


def test_a_plan_between_urls_is_applied_from_anywhere(run, place, monkeypatch):
    env = shop("file:./a", "sales")
    env.create_view("open", env.from_path("orders").filter(col("status") == "open"))
    run("plan", "file:a", "sqlite:b.db", "--select", "sales.open", "-o", "one.yaml")
    made = run("plan", "file:a", "file:b", "-o", "two.json")
    assert "needs the table" in made.stdout
    shop("sqlite:b.db", "sales")
    run("plan", "file:a", "sqlite:b.db", "-o", "one.yaml")
    (place / "elsewhere").mkdir()
    monkeypatch.chdir(place / "elsewhere")
    assert run("apply", str(place / "one.yaml")).exit_code == 0
    assert list((place / "elsewhere").iterdir()) == []
    assert vs.TableEnvironment(f"sqlite:{place}/b.db").list_views("sales") == ["open"]


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
    assert (data["steps"][0]["compatible"], data["steps"][0]["breaks"]) == (False, [])
    same = run_json("plan", "dev", "prod", "--select", "dev_sales.ids")
    assert data.keys() == same.keys()
    assert (same["steps"], same["problems"], same["extra"]) == ([], [], [])


def test_breaking_others_must_be_allowed(run, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    prod.create_view("amounts", prod.from_path("open").select("amount"))
    dev.create_view("open", dev.from_path("orders").select("id"), or_replace=True)
    result = run("plan", "dev", "prod", "-o", "second.json")
    assert "breaks sales.amounts: sales.open amount (removed)\n" in result.stdout
    assert "Only in prod: sales.amounts." in result.stdout
    result = run("apply", "second.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("PlanBlockedError: the plan breaks views of the target")
    assert run("apply", "second.json", "--allow-breaking").exit_code == 0


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


@pytest.mark.parametrize("url", ["file:./new", "sqlite:new.db"])
def test_looking_makes_nothing(run, run_json, dev, place, url):
    env = dev
    env.create_view("one", opaque(env, "SELECT 1 AS one", schema="one INT"))
    before = sorted(place.iterdir())
    assert run("diff", "dev", url).exit_code == 3
    data = run_json("plan", "dev", url, "--select", "dev_sales.one")
    assert [(each["code"], each["object"]) for each in data["problems"]] == [
        ("missing-catalog", url)
    ]
    assert sorted(place.iterdir()) == before
    run("plan", "dev", url, "--select", "dev_sales.one", "-o", "plan.json")
    run("plan", "dev", url, "-o", "blocked.json")
    assert run("apply", "plan.json", "--dry-run").exit_code == 0
    result = run("apply", "blocked.json")
    assert (result.exit_code, "PlanBlockedError" in result.stderr) == (1, True)
    plans = {place / "blocked.json", place / "plan.json"}
    assert {*place.iterdir()} == {*before, *plans}
    assert run("apply", "plan.json").exit_code == 0
    assert run("sql", url, "sales.one").stdout == "SELECT 1 AS one\n"


def test_a_target_that_went_away_is_not_made_anew(run, dev, prod, place):
    run("plan", "dev", "prod", "-o", "plan.json")
    (place / "prod").rename(place / "elsewhere")
    result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert "sales.orders is not there any more\n" in result.stderr
    assert not (place / "prod").exists()
    (place / "elsewhere").rename(place / "prod")
    assert run("apply", "plan.json").exit_code == 0
    (place / "prod").rename(place / "elsewhere")
    result = run("rollback", "plan.json")
    assert result.exit_code == 1
    assert "CatalogNotFoundError: there is no catalog at ./prod" in result.stderr


def test_a_plan_that_was_applied_is_not_written_over(run, dev, prod, place):
    run("plan", "dev", "prod", "-o", "plan.json")
    assert run("plan", "dev", "prod", "-o", "plan.json").exit_code == 0
    run("apply", "plan.json")
    dev.create_view("more", dev.from_path("orders").select("id"))
    before = (place / "plan.json").read_bytes()
    result = run("plan", "dev", "prod", "-o", "plan.json")
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "PlanFileError: plan.json is another plan, and plan.json.journal tells what it did: both "
        "are needed to take it back\n"
        "  name another file; or remove both, where nothing of it is to be taken back\n"
    )
    assert (place / "plan.json").read_bytes() == before
    assert run("rollback", "plan.json").exit_code == 0
    assert views(prod) == []
    (place / "plan.json.journal").write_text("no journal\n")
    result = run("plan", "dev", "prod", "-o", "plan.json")
    assert (result.exit_code, "plan.json.journal:1: not a journal" in result.stderr) == (1, True)
    (place / "plan.json.journal").unlink()
    assert run("plan", "dev", "prod", "-o", "plan.json").exit_code == 0


def test_who_does_it_is_in_the_histories(run, run_json, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json", "--author", "ada")
    changed = dev.from_path("orders").filter(col("status") == "new")
    dev.create_view("open", changed, or_replace=True)
    run("plan", "dev", "prod", "-o", "second.json")
    run("apply", "second.json", "--author", "bo")
    run("rollback", "second.json", "--author", "cy", "--reason", "wrong")
    versions = run_json("log", "file:./prod", "sales.open")["versions"]
    assert [(each["operation"], each["author"], each["reason"]) for each in versions] == [
        ("rollback", "cy", "wrong"),
        ("replace", "bo", None),
        ("create", "ada", None),
    ]


@pytest.mark.parametrize("command", ["diff", "plan"])
@pytest.mark.parametrize("gone", ["dev", "prod"])
def test_a_catalog_that_vanishes_while_it_is_read(
    run, run_json, dev, prod, place, monkeypatch, command, gone
):
    """What was not read any more must not look as if it were not there."""
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    real = FileCatalog.load_all

    def load_all(self, *given):
        entries = real(self, *given)
        yield next(entries)
        if self.root.endswith(gone) and (place / gone).exists():
            shutil.rmtree(place / gone)
        yield from entries

    monkeypatch.setattr(FileCatalog, "load_all", load_all)
    options = ("--delete-foreign", "-o", "second.json") if command == "plan" else ()
    error = run_json(command, "dev", "prod", *options, code=1)["error"]
    assert (error["code"], error["message"]) == (
        "StorageError",
        f"the catalog ./{gone} went away while it was used",
    )
    assert not (place / "second.json").exists()


@pytest.mark.parametrize("command", [("list",), ("check",), ("lineage", "sales.ids")])
def test_a_catalog_that_vanishes_under_other_commands(run, dev, prod, place, monkeypatch, command):
    method = "overviews" if command == ("list",) else "load_all"
    real = getattr(FileCatalog, method)

    def read_all(self, *given):
        entries = real(self, *given)
        yield next(entries)
        shutil.rmtree(place / "prod")
        yield from entries

    monkeypatch.setattr(FileCatalog, method, read_all)
    name, *others = command
    result = run(name, "prod", *others)
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "StorageError: the catalog ./prod went away while it was used\n"
        "  find out what took it away; open it again when it is back\n"
    )


def test_a_target_that_vanishes_while_a_plan_is_applied(
    run, run_json, dev, prod, place, monkeypatch
):
    run("plan", "dev", "prod", "-o", "plan.json")
    real = FileCatalog.create

    def create(self, document, **options):
        if document.name == "ids":
            (place / "prod").rename(place / "elsewhere")
        return real(self, document, **options)

    with monkeypatch.context() as patch:
        patch.setattr(FileCatalog, "create", create)
        result = run("apply", "plan.json")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-3:] == [
        "ApplyFailedError: create view sales.ids failed: the catalog ./prod went away while it was "
        "used; what was done before could not all be taken back",
        "  in: stands: create view sales.open: the catalog ./prod went away while it was used",
        "  apply the plan again to go on, or roll it back, when the cause is gone",
    ]
    assert not (place / "prod").exists()
    (place / "elsewhere").rename(place / "prod")
    outcome = run_json("apply", "plan.json")
    assert outcome["done"] == ["create view sales.ids"]
    assert run("diff", "dev", "prod").exit_code == 0
    assert run("rollback", "plan.json").exit_code == 0
    assert views(prod) == []


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


@pytest.mark.parametrize("url", ["file:./prod", "sqlite:prod.db"])
def test_nothing_is_locked_between_two_writes(dev, place, url):
    """Somebody else writes after each step, and would not wait for the next."""
    from viewscribe.catalog_store import open_catalog
    from viewscribe.environments import environment_of, load_environments
    from viewscribe.environments.migration import apply_plan, journal_of, make_plan, write_plan

    other = shop(url, "sales")
    plan = make_plan(load_environments("viewscribe.yaml")["dev"], environment_of(url))
    write_plan(plan, "plan.json")
    written: list[str] = []

    class Watching(Silence):
        def done(self, step, outcome=None):
            if outcome == "created":
                name = f"other{len(written)}"
                other.create_view(name, other.from_path("orders").select("id"))
                written.append(name)

    def watch(what: str, total: int | None = None) -> Watching:
        return Watching()

    home = other.catalogs.catalog()
    if isinstance(home, FileCatalog):
        home._lock_timeout = 0.0
    outcome = apply_plan(
        plan,
        open_catalog(url),
        journal=journal_of("plan.json"),
        watch=watch,
    )
    assert (len(outcome.done), written) == (2, ["other0", "other1"])
    assert views(other) == ["ids", "open", *written]


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_a_terminal_is_asked_before_something_goes(run, dev, prod, monkeypatch, answer, code):
    prod.create_view("mine", prod.from_path("orders"))
    assert run("plan", "dev", "prod", "--delete-foreign", "-o", "plan.json").exit_code == 0
    monkeypatch.setattr("viewscribe.cli.progress.is_terminal", lambda stream: stream is sys.stdin)
    result = run("apply", "plan.json", input=answer)
    assert (result.exit_code, "mine" not in views(prod)) == (code, code == 0)
    assert "The plan deletes 1 object in prod. Go on? [y/N]:" in result.stderr


@pytest.mark.parametrize("options", [("--yes",), ()])
def test_neither_scripts_nor_yes_are_asked(run, dev, prod, monkeypatch, options):
    prod.create_view("mine", prod.from_path("orders"))
    run("plan", "dev", "prod", "--delete-foreign", "-o", "plan.json")
    if options:
        monkeypatch.setattr("viewscribe.cli.progress.is_terminal", lambda stream: True)
    assert run("apply", "plan.json", *options).exit_code == 0
    assert run("rollback", "plan.json", *options).exit_code == 0
    assert views(prod) == ["mine"]


def test_a_verdict_says_what_a_change_means(run, run_json, dev, prod):
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    open_ = dev.from_path("orders").filter(col("status") == "open")
    dev.create_view("open", open_, or_replace=True, style="pipe")
    result = run("diff", "dev", "prod")
    assert "sales.open\nverdict: same tree (" in result.stdout
    dev.create_view("open", open_.filter(col("amount") > 1), or_replace=True)
    data = run_json("diff", "dev", "prod", code=3)
    assert [each["verdict"]["kind"] for each in data["steps"]] == ["different"]
    dev.create_view("new", dev.from_path("orders"))
    kinds = [each["verdict"] for each in run_json("diff", "dev", "prod", code=3)["steps"]]
    assert sum(each is None for each in kinds) == 1
    shown = run("diff", "dev", "prod", "--format", "markdown").stdout
    assert "verdict: different" in shown


def test_a_view_of_one_meaning_over_a_changed_one_is_told(run, dev, prod):
    for name, below in (("reader", "open"), ("last", "reader")):
        dev.create_view(name, dev.from_path(below).select("id"))
    run("plan", "dev", "prod", "-o", "plan.json")
    run("apply", "plan.json")
    for name, below in (("reader", "open"), ("last", "reader")):
        again = dev.sql_query(f"SELECT a.id FROM {below} AS a")
        dev.create_view(name, again, or_replace=True, style="pipe")
    assert "changes with it" not in run("diff", "dev", "prod").stdout
    changed = dev.from_path("orders").filter(col("amount") > 1)
    dev.create_view("open", changed, or_replace=True)
    shown = run("diff", "dev", "prod").stdout
    assert "It reads sales.open, and changes with it." in shown
    assert "It reads sales.reader, and changes with it." in shown
