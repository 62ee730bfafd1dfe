"""``make fuzz`` runs as long as it is told."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests import fuzzing
from tests.fuzzing import TESTS, properties

TEXT = """
def test_first():
    assert {holds}

def test_second():
    print("second was run")
"""


@pytest.mark.slow("runs of pytest")
@pytest.mark.parametrize(
    ("holds", "minutes", "code", "both"),
    [(True, -1, 0, False), (False, -1, 1, False), (True, 1, 0, True), (False, 1, 1, True)],
)
def test_the_time_ends_a_run_and_hides_no_failure(tmp_path, holds, minutes, code, both):
    file = tmp_path / "test_it.py"
    file.write_text(TEXT.format(holds=holds), encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(TESTS.parent),
        fuzzing._END: str(time.time() + 60 * minutes),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "tests.fuzzing", str(file)]
    run = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == code, run.stdout
    assert ("second was run" in run.stdout) is both


def test_properties_are_found_wherever_they_are():
    found = properties()
    assert "tests/types/test_ddl.py" in found
    assert "tests/properties/test_pipelines.py" in found
    assert "tests/test_fuzzing.py" in found  # it imports what says how many
    assert "tests/test_rooms.py" not in found


def test_rounds_go_on_until_the_time_is_over_or_something_fails(monkeypatch):
    runs = []
    now = iter(range(0, 1000, 40))
    codes = iter([0, 0, 7])

    def run(command, env):
        runs.append((command[3:], env))
        return next(codes)

    monkeypatch.setattr("tests.fuzzing.time.time", lambda: next(now))
    monkeypatch.setattr("tests.fuzzing.subprocess.call", run)
    assert fuzzing.main(["1.5", "-x"]) == 0
    assert len(runs) == 2
    assert all(command == [*properties(), "-x"] for command, _ in runs)
    assert fuzzing.main(["-x"]) == 7
    assert fuzzing._END not in runs[-1][1]
    assert runs[-1][1]["HYPOTHESIS_PROFILE"] == "fuzz"
