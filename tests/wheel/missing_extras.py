"""Does what needs an extra, where none is installed, and prints what is said to each."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import viewscribe as vs
from viewscribe.snapshots.rows.given import given

ONE = vs.TableEnvironment().from_values([(1,)], "x INT")
NO_SESSION: Any = None

NEEDING: dict[str, tuple[Callable[[], object], ...]] = {
    "sql": (lambda: vs.TableEnvironment.open("sqlite:views.db"),),
    "postgresql": (lambda: vs.TableEnvironment.open("postgresql://nobody@localhost/views"),),
    "hive": (lambda: vs.TableEnvironment.open("hive+thrift://localhost:1"),),
    "iceberg": (lambda: vs.TableEnvironment.open("iceberg:http://localhost:1/x"),),
    "test": (lambda: importlib.import_module("viewscribe.snapshots").SqlSnapshotExtension,),
    "spark": (
        lambda: vs.record(lambda spark: spark.table("t"), env=vs.TableEnvironment()),
        lambda: vs.verify(ONE, NO_SESSION),
        lambda: vs.open_view(vs.TableEnvironment(), "v", NO_SESSION),
        lambda: vs.attach_functions(NO_SESSION, "f"),
        lambda: vs.send_modules(NO_SESSION, "m"),
        lambda: ONE.to_dataframe(NO_SESSION),
        lambda: given().expect(ONE, rows=[{"x": 1}]),
        lambda: vs.process.run,
        lambda: main_of("verify", "here"),
        lambda: main_of("check", "sc://localhost:1"),
    ),
}


def main_of(*arguments: str) -> None:
    """Runs a command, and raises what it says."""
    program = str(Path(sys.executable).with_name("viewscribe"))
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    raise ValueError(" ".join((done.stdout + done.stderr).split()))


def main() -> None:
    """Prints the messages by the names of the extras, as JSON."""
    vs.save_view(ONE, "v", catalog="file:here")
    told = {extra: list(map(said, attempts)) for extra, attempts in NEEDING.items()}
    print(json.dumps(told))


def said(attempt: Callable[[], object]) -> str:
    """What is said to an attempt."""
    try:
        return f"nothing, but {attempt()!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
