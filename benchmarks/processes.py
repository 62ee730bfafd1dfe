"""What is asked of Spark, and the time of the processor that it uses beside this process's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FORGET = "m\nd\n"
"""How Py4J's command begins that lets the JVM forget an object."""


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


class CountedCalls:
    """Calls of the JVM of a classic session, as they are made inside the ``with`` block.

    What Python tells it of objects that are no longer needed is none of them.
    """

    def __init__(self, spark: SparkSession) -> None:
        context: Any = spark.sparkContext
        self._client = context._gateway._gateway_client
        self._send = self._client.send_command

    def __enter__(self) -> list[str]:
        calls: list[str] = []

        def send(command: str, *args: Any, **options: Any) -> Any:
            if not command.startswith(_FORGET):
                calls.append(command)
            return self._send(command, *args, **options)

        self._client.send_command = send
        return calls

    def __exit__(self, *_: object) -> None:
        self._client.send_command = self._send
