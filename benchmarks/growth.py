"""``python -m benchmarks.growth``: how cost grows with the work.

Every kind of pipeline is built and printed at growing sizes. The figure is the exponent of the
processor's time between the smallest and the largest: 1 is as fast as the work, 2 is its square.
It does not depend on the machine.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table as Lines

from viewscribe import Table, TableEnvironment, col, over
from viewscribe import functions as F

AIM = 1.2
"""The exponent from which a row is marked."""

ENV = TableEnvironment()
ENV.create_table("t", "id BIGINT, v INT, w INT, s STRING")
T = ENV.from_path("t")
_COLUMN = col("v")
_WINDOW = over(partition_by="w", order_by="id")


class Work(msgspec.Struct):
    """A kind of pipeline.

    Args:
        title: what it is.
        make: builds it with a number of steps.
        sizes: the numbers of steps.
    """

    title: str
    make: Callable[[int], Table]
    sizes: tuple[int, ...] = (250, 500, 1_000, 2_000, 4_000)


def _steps(step: Callable[[Table, int], Table]) -> Callable[[int], Table]:
    def make(count: int) -> Table:
        table = T
        for number in range(count):
            table = step(table, number)
        return table

    return make


def _expression(step: Callable[[Any, int], Any], start: Any = _COLUMN) -> Callable[[int], Table]:
    def make(count: int) -> Table:
        expression = start
        for number in range(count):
            expression = step(expression, number)
        return T.select("id", expression.alias("x"))

    return make


def _cases(count: int) -> Table:
    expression = F.when(col("v") == 0, 0)
    for number in range(1, count):
        expression = expression.when(col("v") == number, number)
    return T.select("id", expression.otherwise(-1).alias("x"))


def _wide_drop(count: int) -> Table:
    table = T.with_columns({f"c{number}": col("v") + number for number in range(count)})
    for number in range(0, count, 2):
        table = table.drop(f"c{number}")
    return table


def _joined(count: int) -> Table:
    table = T
    for number in range(count):
        other = T.select(col("id").alias(f"id{number}"), col("w").alias(f"w{number}"))
        table = table.join(other, col("id") == col(f"id{number}"))
    return table


WORKS = [
    Work("filters", _steps(lambda t, i: t.filter(col("v") > i))),
    Work("new columns, one at a time", _steps(lambda t, i: t.with_column(f"c{i}", col("v") + i))),
    Work(
        "columns each from the one before",
        _steps(lambda t, i: t.with_column(f"c{i}", (col(f"c{i - 1}") if i else col("v")) + 1)),
        (300, 600, 1_200),
    ),
    Work(
        "one column, overwritten",
        _steps(lambda t, i: t.with_column("v", col("v") + 1)),
        (200, 400, 800),
    ),
    Work("unions", _steps(lambda t, i: t.union_all(T)), (250, 500, 1_000, 2_000)),
    Work("joins", _joined, (20, 80, 320)),
    Work("columns dropped, one at a time", _wide_drop, (250, 500, 1_000)),
    Work("a sum of many terms", _expression(lambda e, i: e + i)),
    Work("a condition of many terms", _expression(lambda e, i: e & (col("w") > i), col("v") > 0)),
    Work("nested calls", _expression(lambda e, i: F.abs(e)), (500, 1_000, 2_000)),
    Work("an expression doubled again and again", _expression(lambda e, i: e + e), (20, 40, 80)),
    Work("branches of one CASE", _cases),
    Work(
        "a CASE in the ELSE of another",
        _expression(lambda e, i: F.when(col("v") == i, i).otherwise(e)),
        (250, 500, 1_000, 2_000),
    ),
    Work(
        "windows, filters and columns in turn",
        _steps(
            lambda t, i: (
                t.filter(col("v") > i)
                .with_column("r", F.row_number().over(_WINDOW))
                .filter(col("r") < 100)
                .drop("r")
            )
        ),
        (5, 10, 20, 40),
    ),
]


@click.command()
@click.option("--rounds", default=3, show_default=True, help="How often each size is measured.")
def main(rounds: int) -> None:
    """Measures and prints; fails where something grows faster than it may."""
    lines = Lines(
        "", "steps", "build", "print", "text", title="Exponents of growth (1 is as the work)"
    )
    missed = False
    for work in WORKS:
        found = [_measure(work, size, rounds) for size in work.sizes]
        exponents = [_exponent(work.sizes, [each[part] for each in found]) for part in range(3)]
        missed |= any(each > AIM for each in exponents)
        shown = [f"{each:.2f}{' !' if each > AIM else ''}" for each in exponents]
        lines.add_row(work.title, f"{work.sizes[0]:,} to {work.sizes[-1]:,}", *shown)
    Console().print(lines)
    sys.exit(int(missed))


def _measure(work: Work, size: int, rounds: int) -> tuple[float, float, float]:
    """Seconds of the processor to build and to print, at best, and the words of the text."""
    build = shown = math.inf
    text = ""
    for _ in range(rounds):
        gc.collect()
        begin = time.process_time()
        table = work.make(size)
        middle = time.process_time()
        text = table.to_sql()
        build = min(build, middle - begin)
        shown = min(shown, time.process_time() - middle)
    return build, shown, len(text.split())


def _exponent(sizes: tuple[int, ...], values: list[float]) -> float:
    return math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0])


if __name__ == "__main__":
    main()
