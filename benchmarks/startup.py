"""What importing viewscribe costs, in fresh interpreters; times are of the processor."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.rows import VIEWSCRIBE

LIMIT_SECONDS = 0.08

_PROGRAMS = {
    # The package itself imports next to nothing; this is what every program asks of it.
    VIEWSCRIBE: "from viewscribe import TableEnvironment, col, to_sql",
    "sqlframe": "import sqlframe.standalone",
    "ibis": "import ibis",
    "sqlglot": "import sqlglot",
}


@dataclass(frozen=True)
class Startup:
    """Seconds beyond the interpreter's own start by tool, and whether pyspark stayed out."""

    seconds: dict[str, float]
    without_pyspark: bool


def measure(rounds: int) -> Startup:
    """The difference of the best starts with and without the import, all taking turns."""
    programs = {"": "pass", **_PROGRAMS}
    best = dict.fromkeys(programs, float("inf"))
    for program in programs.values():
        _seconds(program)  # writes the bytecode, fills the file cache
    for _ in range(rounds):
        for name, program in programs.items():
            best[name] = min(best[name], _seconds(program))
    bare = best.pop("")
    return Startup({name: total - bare for name, total in best.items()}, _without_pyspark())


def _seconds(program: str) -> float:
    # An installed package has its bytecode; a source tree must be allowed to keep it.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = _used_by_children()
    subprocess.run(_command(program), check=True, env=environment)
    return _used_by_children() - started


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _without_pyspark() -> bool:
    program = "import sys, viewscribe; sys.exit('pyspark' in sys.modules)"
    return subprocess.run(_command(program), check=False).returncode == 0


def _command(program: str) -> Sequence[str]:
    return (sys.executable, "-c", program)
