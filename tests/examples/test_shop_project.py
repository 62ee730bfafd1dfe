"""The user's project of ``examples/shop_project``: its tests pass, and its catalog is current."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from viewscribe.cli.app import app

PROJECT = Path(__file__).resolve().parents[2] / "examples" / "shop_project"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy, in which running leaves what it leaves."""
    ignored = shutil.ignore_patterns(".viewscribe.lock", "__pycache__", ".pytest_cache")
    return Path(shutil.copytree(PROJECT, tmp_path / "shop", ignore=ignored))


def run_python(project: Path, *arguments: str, code: int = 0) -> str:
    """What a run of Python writes; it knows nothing of the pytest that this test runs in."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout[-3000:]
    return done.stdout


def documents(project: Path) -> dict[str, str]:
    return {str(each): each.read_text("utf-8") for each in project.rglob("*.yaml")}


def test_the_catalog_holds_what_the_pipelines_give(project: Path):
    before = documents(project)
    run_python(project, "pipelines.py")
    assert documents(project) == before


@pytest.mark.slow("runs of pytest")
def test_the_tests_with_rows_pass(project: Path):
    assert "2 passed" in run_python(project, "-m", "pytest", "-q", "tests/test_rows.py")


@pytest.mark.slow("starts pytest anew")
def test_all_tests_pass(project: Path):
    shown = run_python(project, "-m", "pytest", "-q")
    assert "14 passed" in shown
    assert "5 snapshots passed" in shown


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ('.alias("o").filter(col("status") == "paid")', "same meaning"),
        ('.filter(col("status") != "paid")', "different"),
    ],
)
@pytest.mark.slow("starts pytest anew")
def test_a_change_of_a_pipeline_gets_a_verdict(project: Path, change: str, verdict: str):
    pipelines = project / "pipelines.py"
    before = pipelines.read_text(encoding="utf-8")
    pipelines.write_text(before.replace('.filter(col("status") == "paid")', change))
    shown = run_python(project, "-m", "pytest", "-q", "-k", "approved and paid_orders", code=1)
    assert f"verdict: {verdict}" in shown


def test_the_catalog_has_no_findings(project: Path):
    result = CliRunner().invoke(app, ["check", str(project / "views")])
    assert result.exit_code == 0, result.output


@pytest.mark.slow("runs views in Spark")
@pytest.mark.usefixtures("spark")
def test_the_tests_beside_the_views_pass(project: Path):
    result = CliRunner().invoke(app, ["test", str(project / "views")])
    assert result.exit_code == 0, result.output
    assert "4 of 4 tests passed." in result.output
