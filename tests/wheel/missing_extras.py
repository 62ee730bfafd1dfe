"""Does what needs an extra, where none is installed, and prints what is said to each."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable

import viewscribe as vs

NEEDING: dict[str, Callable[[], object]] = {
    "sql": lambda: vs.TableEnvironment.open("sqlite:views.db"),
    "postgresql": lambda: vs.TableEnvironment.open("postgresql://nobody@localhost/views"),
    "hive": lambda: vs.TableEnvironment.open("hive+thrift://localhost:1"),
    "test": lambda: importlib.import_module("viewscribe.snapshots").SqlSnapshotExtension,
    "capture": lambda: vs.record(lambda spark: spark.table("t"), env=vs.TableEnvironment()),
    "python": lambda: vs.process.run,
}


def main() -> None:
    """Prints the messages by the names of the extras, as JSON."""
    told = {}
    for extra, attempt in NEEDING.items():
        try:
            attempt()
        except Exception as error:
            told[extra] = f"{type(error).__name__}: {error}"
    print(json.dumps(told))


if __name__ == "__main__":
    main()
