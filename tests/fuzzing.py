"""How many examples a property draws: few and always the same, but new ones in ``make fuzz``.

``python -m tests.fuzzing 5`` goes through the properties in any order, again and again, until five
minutes are over; without a number once. Further arguments are pytest's.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

TESTS = Path(__file__).parent
FEW = 40
MANY = 10
"""How many times as many ``make fuzz`` draws."""


def examples(suite: int, *, fuzz: int | None = None) -> int:
    """The number for this run.

    Args:
        suite: how many the tests draw.
        fuzz: how many ``make fuzz`` draws; ten times as many where it is not given.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz":
        return fuzz or MANY * suite
    return suite


_END = "VIEWSCRIBE_FUZZ_UNTIL"
"""The environment variable with the moment, in seconds since 1970, when the time is over."""

_OVER = "the time is over"


def shuffle(items: list[pytest.Item]) -> None:
    """Where the time is limited no property is always the last one."""
    if _END in os.environ:
        random.SystemRandom().shuffle(items)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Ends the run after the test in which the time is over."""
    if time.time() > float(os.environ.get(_END, "inf")):
        item.session.shouldstop = _OVER


def pytest_sessionfinish(session: pytest.Session) -> None:
    """That the time is over is no failure, and hides none."""
    if session.shouldstop == _OVER:
        session.exitstatus = 1 if session.testsfailed else 0


def properties() -> list[str]:
    """The files with tests that draw examples."""
    drawing = re.compile("^from (hypothesis|tests.fuzzing)", re.MULTILINE)
    return [
        str(path.relative_to(TESTS.parent))
        for path in sorted(TESTS.rglob("test_*.py"))
        if drawing.search(path.read_text(encoding="utf-8"))
    ]


def main(arguments: list[str]) -> int:
    """Runs pytest as long as it is told; returns its exit code."""
    minutes = arguments[:1] if re.fullmatch(r"[0-9.]+", (arguments or [""])[0]) else []
    command = [sys.executable, "-m", "pytest", *properties(), *arguments[len(minutes) :]]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "fuzz"}
    if not minutes:
        return subprocess.call(command, env=environment)
    end = time.time() + 60 * float(minutes[0])
    environment[_END] = str(end)
    while time.time() < end:
        if code := subprocess.call(command, env=environment):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
