"""Python functions of catalogs on the command line: checked, and run where that is allowed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from viewscribe.expressions.functions.python_modules import modules_in_force

TEXT = '''"""Functions of the till."""


def net(price: float) -> float:
    """The price without tax."""
    return price / 1.25


def gone(price: float) -> float:
    return price


def moved(price: float) -> float:
    return price
'''

SAVE = """
import till
import viewscribe as vs
from viewscribe import call, col

env = vs.TableEnvironment("file:./till_views")
env.create_database("till")
for name in ("net", "gone", "moved"):
    env.create_function(f"till.{name}", getattr(till, name))
rows = env.from_values([(1, 100.0), (2, 50.0)], "id INT, price DOUBLE")
env.create_view("till.nets", rows.select("id", call("till.net", col("price")).alias("net")))
"""


@pytest.fixture
def till(place: Path) -> Iterator[Path]:
    """A catalog whose functions are those of a module beside it, made by another process."""
    (place / "till.py").write_text(TEXT)
    saved = subprocess.run(
        [sys.executable, "-c", SAVE], capture_output=True, text=True, check=False
    )
    assert saved.returncode == 0, saved.stderr
    yield place / "till.py"
    sys.modules.pop("till", None)


def test_nothing_is_imported_unless_it_is_allowed(run_json, till):
    till.write_text("raise SystemExit('imported')")
    assert run_json("check", "till_views")["ok"] is True
    assert run_json("check", "till_views", "--python-module", "other")["ok"] is True
    assert run_json("show", "till_views", "till.net")["name"] == "net"
    assert "till.net(price) AS net" in run_json("show", "till_views", "till.nets")["sql"]
    assert "till" not in sys.modules


def test_functions_are_compared_with_their_modules(run, run_json, till, monkeypatch):
    assert run_json("check", "till_views", "--python-module", "till")["ok"] is True
    sys.modules.pop("till")
    till.write_text(
        TEXT.replace("1.25", "1.19")
        .replace("def gone", "def went")
        .replace("d(price", "d(x, price")
    )
    findings = run_json("check", "till_views", "--python-module", "till", code=3)["findings"]
    assert [(each["code"], each["name"]) for each in findings] == [
        ("missing-function", "gone"), ("changed-function", "moved"), ("changed-function", "net"),
    ]  # fmt: skip
    assert "module 'till' has no attribute 'gone'" in findings[0]["message"]
    assert "cannot be called any more as it was stored" in findings[1]["message"]
    assert "whose source has changed since it was stored" in findings[2]["message"]
    assert "env.alter_function(name, function)" in findings[2]["hint"]
    Path("viewscribe.yaml").write_text(
        "schema_version: 1\nenvironments:\n  shop:\n    catalog: file:./till_views\n"
        "    python_modules: [till]\n    changed_functions: warn\n"
    )
    assert len(run_json("check", "shop", code=3)["findings"]) == 3


@pytest.fixture
def allowed(monkeypatch):
    """What views may import while they are verified."""
    found = []

    def report(catalogs, view, spark):
        modules = modules_in_force()
        found.append((modules.allowed, modules.changed))
        raise ValueError("not run")

    @contextmanager
    def session(**options):
        yield None

    monkeypatch.setattr("viewscribe.spark.catalog_verification.CatalogVerifier.verify", report)
    monkeypatch.setattr(
        "viewscribe.spark.environments.check_view", lambda *given: report(*given[:3])
    )
    monkeypatch.setattr("viewscribe.spark.local.local_session", session)
    return found


def test_what_verify_may_import(run, till, allowed):
    run("verify", "till_views")
    run("verify", "till_views", "--python-module", "till", "--changed-functions", "warn")
    Path("viewscribe.yaml").write_text(
        "schema_version: 1\nenvironments:\n  shop:\n    catalog: file:./till_views\n"
        "    python_modules: [till]\n    changed_functions: warn\n"
    )
    run("verify", "shop", "--python-module", "more")
    run("verify", "shop", "--changed-functions", "refuse")
    assert allowed == [
        ((), "refuse"), (("till",), "warn"), (("till", "more"), "warn"), (("till",), "refuse"),
    ]  # fmt: skip
    result = run("verify", "till_views", "--python-module", "till.*")
    assert (result.exit_code, "'till.*' is not the name of a module" in result.stderr) == (1, True)


@pytest.fixture
def session(spark: Any, till: Path) -> Iterator[Any]:
    """The session, whose workers are given the module."""
    spark.sparkContext.addFile(str(till))
    yield spark
    spark.sql("DROP DATABASE IF EXISTS till CASCADE")


@pytest.mark.usefixtures("session")
def test_another_process_opens_and_verifies_the_view(run):
    """What one process stored, by nothing but the catalog and the module."""
    assert "till" not in sys.modules
    refused = run("verify", "till_views")
    assert (refused.exit_code, "till" in sys.modules) == (1, False)
    said = refused.output
    assert "spark_catalog.till.net is the Python function till:net" in said
    assert "--python-module till on the command line" in said
    verified = run("verify", "till_views", "--python-module", "till")
    assert (verified.exit_code, "till" in sys.modules) == (0, True), verified.output
    assert "1 view: " in verified.stdout
