"""``python -m benchmarks.process``: a process table function beside Spark's own ways into Python.

Counts the rows of each key, one row at a time, where the function sees one: as Spark's table
functions in Python do by default, and as somebody would write it by hand with ``applyInArrow``,
which sees a whole group and asks for its length. Ratios of one run say about the same on any
machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import click
from rich.console import Console
from rich.table import Table

import viewscribe as vs

ROWS = 1_000_000
KEYS = (10_000, 300_000)
FASTER_THAN_TABLE_FUNCTIONS = 8.0
SLOWER_THAN_BY_HAND = 2.0
TEXT_SLOWER = 1.5
NAME = "count_rows"
RUNS = 2


@dataclass
class Count:
    """The rows of a key so far."""

    count: int = 0


class CountRows(vs.ProcessTableFunction[Count]):
    """Counts the rows of each key."""

    def eval(
        self,
        state: Annotated[Count, vs.StateHint()],
        input: Annotated[vs.Row, vs.ArgumentHint(vs.ArgumentTrait.TABLE_AS_SET)],
    ) -> None:
        """One more row."""
        state.count += 1

    def finish(self, state: Count) -> None:
        """The count of a key."""
        self.collect(state)


@click.command()
@click.option("--rows", default=ROWS, show_default=True, help="How many rows.")
@click.option("--keys", default=KEYS, multiple=True, show_default=True, help="How many keys.")
def main(rows: int, keys: tuple[int, ...]) -> None:
    """Measures, prints, and fails where an aim is missed."""
    missed = False
    with _session() as spark:
        for number in keys:
            seconds = _measure(spark, rows, number)
            missed |= _show(rows, number, seconds)
    sys.exit(int(missed))


def _show(rows: int, keys: int, seconds: dict[str, float]) -> bool:
    own = seconds["process table function"]
    table = Table(f"{rows:,} rows, {keys:,} keys", "times viewscribe's", "aim")
    missed = False
    for name, taken in seconds.items():
        ratio, aim = taken / own, ""
        if name == "table function of Spark":
            aim = f"≥ {FASTER_THAN_TABLE_FUNCTIONS:g}×"
            missed |= ratio < FASTER_THAN_TABLE_FUNCTIONS
        if name == "applyInArrow by hand":
            aim = f"≥ {1 / SLOWER_THAN_BY_HAND:g}×"
            missed |= ratio < 1 / SLOWER_THAN_BY_HAND
        if name == "its SQL text":
            aim = f"≤ {TEXT_SLOWER:g}×"
            missed |= ratio > TEXT_SLOWER
        table.add_row(name, f"{ratio:.2f}×", aim)
    Console().print(table)
    return missed


def _measure(spark: Any, rows: int, keys: int) -> dict[str, float]:
    env = vs.TableEnvironment()
    env.create_table("events", "k BIGINT, ts TIMESTAMP, v BIGINT")
    env.create_temporary_system_function(NAME, CountRows)
    source = spark.range(rows).selectExpr(
        f"id % {keys} AS k", "timestamp_seconds(id) AS ts", "id % 7 AS v"
    )
    spark.sql("DROP TABLE IF EXISTS events")
    source.write.saveAsTable("events")
    ours = env.from_path("events").partition_by("k").process(NAME)
    spark.udtf.register("count_with_spark", _of_spark())
    ways: dict[str, Callable[[], Any]] = {
        "process table function": lambda: ours.to_dataframe(spark),
        "its SQL text": lambda: spark.sql(ours.to_sql()),
        "applyInArrow by hand": lambda: _by_hand(spark),
        "table function of Spark": lambda: spark.sql(
            "SELECT * FROM count_with_spark(TABLE(events) PARTITION BY (k))"
        ),
    }
    return {name: _best(make, rows, keys) for name, make in ways.items()}


def _by_hand(spark: Any) -> Any:
    import pyarrow as pa

    def count(key: Any, rows: Any) -> Any:
        return pa.table({"k": [key[0].as_py()], "count": [rows.num_rows]})

    return spark.table("events").groupBy("k").applyInArrow(count, "k BIGINT, count BIGINT")


def _of_spark() -> Any:
    from pyspark.sql.functions import udtf

    class CountWithSpark:
        def __init__(self) -> None:
            self.key: Any = None
            self.count = 0

        def eval(self, row: Any) -> None:
            self.key = row["k"]
            self.count += 1

        def terminate(self) -> Iterator[tuple[Any, int]]:
            if self.count:
                yield self.key, self.count

    return udtf(CountWithSpark, returnType="k BIGINT, count BIGINT")


def _best(make: Callable[[], Any], rows: int, keys: int) -> float:
    """The seconds of the fastest run; each must count every row."""
    found = []
    for _ in range(RUNS):
        frame = make()
        started = time.perf_counter()
        counted = frame.agg({"count": "sum", "k": "count"}).first()
        found.append(time.perf_counter() - started)
        assert tuple(counted) == (rows, keys), counted
        if found[-1] > 60:
            break  # another turn would say the same
    return min(found)


@contextmanager
def _session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # its workers need viewscribe, too
    with tempfile.TemporaryDirectory() as place:
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.warehouse.dir", place)
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("OFF")
        yield spark
        spark.stop()


if __name__ == "__main__":
    main()
