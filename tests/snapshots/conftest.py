"""A user's project in which the plugin runs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.forked import PytestRun

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A directory with nothing but a ``pyproject.toml``."""
    # The runs in here are no part of a run that is shared by several processes.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_TESTRUNUID", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "syrupy,viewscribe.snapshots.plugin,xdist.plugin")
    monkeypatch.setenv("NO_COLOR", "1")
    pytester.makepyprojecttoml("")
    return pytester


@pytest.fixture
def run(project: pytest.Pytester) -> Run:
    """Runs pytest in a process of its own, which has loaded what all of them need."""

    def start(*options: str) -> pytest.RunResult:
        started = time.monotonic()
        place = Path(tempfile.mkdtemp(dir=project.path.parent))
        code, lines = PytestRun("-p", "no:cacheprovider", *options, place=place).wait()
        assert code is not None
        return pytest.RunResult(code, lines, [], time.monotonic() - started)

    return start


@pytest.fixture
def write(project: pytest.Pytester) -> Callable[[str, str], Path]:
    """Writes a file of the project."""

    def save(name: str, text: str) -> Path:
        path = project.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return save
