"""Migrations as processes of their own: killed in the middle, and several at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
from functools import partial

import pytest

import viewscribe as vs
from tests.forked import CommandLine
from viewscribe import col
from viewscribe.catalog_store import FileCatalog
from viewscribe.catalog_store.stores.sql import SqlCatalog

CONFIG = """\
schema_version: 1
environments:
  dev: {{catalog: "file:./dev", names: {{databases: {{"*": "dev_*"}}}}}}
  prod: {{catalog: "{url}"}}
"""
VIEWS = 6


def kill_at(number, when):
    """Let the process be killed at that write of any catalog, before or after it."""
    writes = 0

    def deadly(real):
        def write(self, *given, **named):
            nonlocal writes
            writes += 1
            if writes == number and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            found = real(self, *given, **named)
            if writes == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        return write

    for kind in (FileCatalog, SqlCatalog):
        for name in ("create", "replace", "delete"):
            setattr(kind, name, deadly(getattr(kind, name)))


def shop(url, database):
    env = vs.TableEnvironment(url)
    env.create_database(database)
    env.use_database(database)
    env.create_table("orders", "id BIGINT, amount INT")
    return env


@pytest.fixture(params=["file:./prod", "sqlite:prod.db"], ids=["file", "sqlite"])
def target(request, place, run):
    """A plan ``plan.json`` for a target of files or in a database; gives the target's URL."""
    (place / "viewscribe.yaml").write_text(CONFIG.format(url=request.param))
    env = shop("file:./dev", "dev_sales")
    shop(request.param, "sales")
    read = "orders"
    for number in range(VIEWS):
        env.create_view(f"v{number}", env.from_path(read).filter(col("amount") > number))
        read = f"v{number}"
    assert run("plan", "dev", "prod", "-o", "plan.json").exit_code == 0
    return request.param


@pytest.fixture
def start(tmp_path_factory):
    """Starts a command line in a process of its own."""

    def start_(*arguments, prepare=None):
        place = tmp_path_factory.mktemp("process")
        return CommandLine(*arguments, place=place, prepare=prepare)

    return start_


@pytest.fixture
def killed(start):
    """Runs a command until it is killed at a write."""

    def killed_(at, when, *arguments):
        code, _, stderr = start(*arguments, prepare=partial(kill_at, at, when)).wait()
        assert code == -signal.SIGKILL, stderr

    return killed_


@pytest.mark.slow("several processes")
@pytest.mark.parametrize(("at", "when"), [(1, "after"), (4, "before")])
def test_killed_in_the_middle_and_run_again(target, run, run_json, killed, at, when):
    killed(at, when, "apply", "plan.json")
    stands = at if when == "after" else at - 1
    assert run_json("diff", "dev", "prod", code=3)["counts"]["unchanged"] == stands
    outcome = run_json("apply", "plan.json")
    assert (len(outcome["done"]), len(outcome["already"])) == (VIEWS - stands, stands)
    assert run("diff", "dev", "prod").exit_code == 0
    killed(at, when, "rollback", "plan.json")
    assert run("rollback", "plan.json").exit_code == 0
    assert run_json("list", target)["counts"]["views"] == 0


def test_several_apply_copies_of_a_plan_at_once(target, run, start):
    plans = [f"plan{number}.json" for number in range(3)]
    for plan in plans:
        shutil.copy("plan.json", plan)
    children = [start("apply", "--json", plan) for plan in plans]
    told = [child.wait() for child in children]
    assert [code for code, _, _ in told] == [0, 0, 0], told
    done = [step for _, stdout, _ in told for step in json.loads(stdout)["done"]]
    assert sorted(done) == [f"create view sales.v{number}" for number in range(VIEWS)]
    assert run("diff", "dev", "prod").exit_code == 0


def test_several_apply_one_plan_at_once(target, run, start):
    children = [start("apply", "--json", "plan.json") for _ in range(3)]
    outcomes = []
    for code, stdout, _ in [child.wait() for child in children]:
        outcomes.append(outcome := json.loads(stdout))
        busy = outcome.get("error", {}).get("code") == "PlanBusyError"
        assert code == (1 if busy else 0), outcome
    assert any(len(outcome.get("done", ())) == VIEWS for outcome in outcomes)
    assert run("diff", "dev", "prod").exit_code == 0


@pytest.mark.slow("several processes")
def test_several_take_a_plan_back_at_once(target, run, run_json, start):
    assert run("apply", "plan.json").exit_code == 0
    plans = [f"plan{number}.json" for number in range(3)]
    for plan in plans:
        shutil.copy("plan.json", plan)
        shutil.copy("plan.json.journal", f"{plan}.journal")
    children = [start("rollback", "--json", plan) for plan in plans]
    for code, stdout, stderr in [child.wait() for child in children]:
        # Whoever meets another in the middle of it says so, and may come again.
        assert code == 0 or "taking it back at this moment" in stdout, stderr
    assert run_json("list", target)["counts"]["views"] == 0
    again = run("rollback", plans[0])
    assert again.stdout == "Nothing to do in prod: all of it was taken back before.\n"
