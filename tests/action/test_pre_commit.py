"""The hooks run under pre-commit itself, which installs them from this repository."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import yaml

from tests.action.steps import ROOT
from viewscribe import TableEnvironment, col

pytestmark = [pytest.mark.server, pytest.mark.slow("installs pre-commit, and viewscribe twice")]


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pre-commit, from the index of packages."""
    home = tmp_path_factory.mktemp("pre-commit")
    venv.create(home / "environment", with_pip=False)
    python = home / "environment" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "pre-commit"]
    subprocess.run(install, check=True)
    return home


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a view and a test of it."""
    env = TableEnvironment(f"file:{tmp_path}/views")
    env.create_table("orders", "id INT, status STRING")
    paid = env.from_path("orders").filter(col("status") == "paid")
    env.create_view("paid", paid)
    (tmp_path / "views" / "default" / "paid.test.yaml").write_text(
        "schema_version: 1\ntests:\n  - name: only paid ones\n"
        "    given: {orders: [{id: 1, status: paid}, {id: 2}]}\n    expect: [{id: 1}]\n"
    )
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "--all"], check=True)
    return tmp_path


def run_hook(home: Path, checkout: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Runs a hook of the present commit; what is installed for it is kept for the next run."""
    commit = subprocess.check_output(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True).strip()
    hooks = {"repos": [{"repo": str(ROOT), "rev": commit, "hooks": [{"id": name}]}]}
    (checkout / ".pre-commit-config.yaml").write_text(yaml.safe_dump(hooks), encoding="utf-8")
    return subprocess.run(
        [home / "environment/bin/python", "-m", "pre_commit", "run", "--all-files"],
        cwd=checkout,
        env={**os.environ, "PRE_COMMIT_HOME": str(home / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("hook", "document", "before", "after", "told"),
    [
        ("viewscribe-check", "paid.view.yaml", "'paid'", "'open'", "edited"),
        ("viewscribe-test", "paid.test.yaml", "expect: [{id: 1}]", "expect: []", "unexpected"),
    ],
)
def test_a_hook_passes_and_fails(
    pre_commit: Path, checkout: Path, hook: str, document: str, before: str, after: str, told: str
):
    done = run_hook(pre_commit, checkout, hook)
    assert (done.returncode, "Passed" in done.stdout) == (0, True), done.stdout
    file = checkout / "views" / "default" / document
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    done = run_hook(pre_commit, checkout, hook)
    assert (done.returncode, told in done.stdout) == (1, True), done.stdout
