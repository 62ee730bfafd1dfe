"""``viewscribe init``: a project that works as it is."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from viewscribe.cli.starter import FILES
from viewscribe.environments import load_environments


def test_a_project_is_written_once(run, run_json, place):
    result = run("init")
    assert result.exit_code == 0
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()) == (
        sorted(FILES)
    )
    (place / "pipelines.py").write_text("mine\n")
    again = run_json("init")
    assert not any(each["written"] for each in again["files"])
    assert (place / "pipelines.py").read_text() == "mine\n"


def test_in_a_folder_that_is_made(run, place):
    result = run("init", "new/project")
    assert "  cd new/project\n  python pipelines.py\n" in result.stdout
    assert (place / "new" / "project" / "viewscribe.yaml").is_file()


def test_the_settings_are_valid_with_and_without_their_comments(run, place):
    run("init")
    path = place / "viewscribe.yaml"
    assert load_environments(str(path)).names == ["dev"]
    lines = [line.replace("  # ", "  ", 1) for line in path.read_text().splitlines()]
    asked = ("viewscribe list dev", "A second place", "prod:", "catalog:", "names:", "databases:")
    kept = [line for line in lines if not line.strip().startswith((*asked[:2], "#"))]
    path.write_text("\n".join(kept) + "\n")
    file = load_environments(str(path))
    assert file.names == ["dev", "prod"]
    assert file["prod"].formats == ("jdbc",)


def test_a_file_in_the_way_is_told(run, place):
    (place / "tests").write_text("")
    result = run("init")
    assert result.exit_code == 1
    assert "tests/test_pipelines.py cannot be written: " in result.stderr


@pytest.mark.slow("a project's own pytest, in a process of its own")
def test_the_project_works(run, run_json, place):
    run("init")
    environment = {name: text for name, text in os.environ.items() if "PYTEST" not in name}

    def python(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert python("pipelines.py").returncode == 0
    assert python("pipelines.py").returncode == 0, "it can be run again"
    assert run("sql", "dev", "shop.top_customers").stdout.startswith("SELECT\n  customer,")
    assert run("check", "dev").exit_code == 0
    steps = [each for each in run_json("init")["next"] if each.startswith("pytest")]
    assert steps
    for each in steps:
        tested = python("-m", *each.split(), "-q", "-p", "no:cacheprovider")
        assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "2 passed" in tested.stdout
