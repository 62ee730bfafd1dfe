"""Migrations as processes of their own: killed in the middle, and several at once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

import viewscribe as vs
from viewscribe import col

CONFIG = """\
schema_version: 1
environments:
  dev: {{catalog: "file:./dev", names: {{databases: {{"*": "dev_*"}}}}}}
  prod: {{catalog: "{url}"}}
"""
VIEWS = 6

KILLED = """
import os, signal, sys
from viewscribe.cli import main
from viewscribe.catalog_store import FileCatalog
from viewscribe.catalog_store.sql import SqlCatalog
at, after, arguments = int(sys.argv[1]), sys.argv[2] == "after", sys.argv[3:]
writes = 0
def deadly(real):
    def write(self, *given, **named):
        global writes
        writes += 1
        if writes == at and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(self, *given, **named)
        if writes == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    return write
for kind in (FileCatalog, SqlCatalog):
    for name in ("create", "replace", "delete"):
        setattr(kind, name, deadly(getattr(kind, name)))
main(arguments)
"""


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


def start(*command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed(at, when, *arguments):
    """Run a command until it is killed at a write."""
    with start(sys.executable, "-c", KILLED, str(at), when, *arguments) as child:
        _, stderr = child.communicate()
    assert child.returncode == -9, stderr


@pytest.mark.parametrize(("at", "when"), [(1, "after"), (4, "before")])
def test_killed_in_the_middle_and_run_again(target, run, run_json, at, when):
    killed(at, when, "apply", "plan.json")
    stands = at if when == "after" else at - 1
    assert run_json("diff", "dev", "prod", code=3)["counts"]["unchanged"] == stands
    outcome = run_json("apply", "plan.json")
    assert (len(outcome["done"]), len(outcome["already"])) == (VIEWS - stands, stands)
    assert run("diff", "dev", "prod").exit_code == 0
    killed(at, when, "rollback", "plan.json")
    assert run("rollback", "plan.json").exit_code == 0
    assert run_json("list", target)["counts"]["views"] == 0


def test_several_apply_copies_of_a_plan_at_once(target, run):
    plans = [f"plan{number}.json" for number in range(3)]
    for plan in plans:
        shutil.copy("plan.json", plan)
    command = (sys.executable, "-m", "viewscribe", "apply", "--json")
    children = [start(*command, plan) for plan in plans]
    told = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], told
    done = [step for stdout, _ in told for step in json.loads(stdout)["done"]]
    assert sorted(done) == [f"create view sales.v{number}" for number in range(VIEWS)]
    assert run("diff", "dev", "prod").exit_code == 0


def test_several_apply_one_plan_at_once(target, run):
    command = (sys.executable, "-m", "viewscribe", "apply", "--json", "plan.json")
    children = [start(*command) for _ in range(3)]
    told = [json.loads(child.communicate()[0]) for child in children]
    for child, outcome in zip(children, told, strict=True):
        busy = outcome.get("error", {}).get("code") == "PlanBusyError"
        assert child.returncode == (1 if busy else 0), outcome
    assert any(len(outcome.get("done", ())) == VIEWS for outcome in told)
    assert run("diff", "dev", "prod").exit_code == 0


def test_several_take_a_plan_back_at_once(target, run, run_json):
    assert run("apply", "plan.json").exit_code == 0
    plans = [f"plan{number}.json" for number in range(3)]
    for plan in plans:
        shutil.copy("plan.json", plan)
        shutil.copy("plan.json.journal", f"{plan}.journal")
    command = (sys.executable, "-m", "viewscribe", "rollback", "--json")
    children = [start(*command, plan) for plan in plans]
    told = [child.communicate() for child in children]
    for child, (stdout, stderr) in zip(children, told, strict=True):
        # Whoever meets another in the middle of it says so, and may come again.
        assert child.returncode == 0 or "taking it back at this moment" in stdout, stderr
    assert run_json("list", target)["counts"]["views"] == 0
    again = run("rollback", plans[0])
    assert again.stdout == "Nothing to do in prod: all of it was taken back before.\n"
