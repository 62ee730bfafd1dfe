"""The time of the processor that Spark uses, beside this process's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def java_process(spark: SparkSession) -> Sequence[int]:
    """The processes of Spark that a session started: the launcher, and Java where it is another."""
    context: Any = spark.sparkContext
    launcher = context._gateway.proc.pid
    return (launcher, *_children(launcher))


def cpu_seconds(processes: Sequence[int]) -> float:
    """Seconds of the processor that they have used."""
    return sum(map(_seconds_of, processes))


def _children(pid: int) -> Iterator[int]:
    done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    yield from map(int, done.stdout.split())


def _seconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
