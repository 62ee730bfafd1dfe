"""Calls that wait: asynchronous ones beside a plain Python function that waits as long.

The two run in one session, one after the other, and what counts is how much sooner the one is done.
That is time on the clock, since both do nothing but wait; the overhead of a call is time of the
processor, measured around calls that do not wait at all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from viewscribe.spark.local import local_session

if TYPE_CHECKING:
    import viewscribe as vs

ROWS = 2_000
LATENCY = 0.02
CAPACITY = 100
CALLS = 100_000
RUNS = 5
"""How often the asynchronous calls are made; other work on the machine can only delay them."""
REACH = 20.0
"""How many times sooner the asynchronous calls mean to be done."""
OVERHEAD_SECONDS = 100e-6
"""The time of the processor that a call may take."""


@dataclass(frozen=True)
class Waiting:
    """What the calls took.

    Args:
        rows: how many calls waited.
        plain: seconds with a plain Python function.
        asynchronous: seconds with an asynchronous one.
        overhead: seconds of the processor that a call takes which does not wait.
    """

    rows: int
    plain: float
    asynchronous: float
    overhead: float

    @property
    def ratio(self) -> float:
        """How many times sooner the asynchronous calls were done."""
        return self.plain / self.asynchronous

    @property
    def reached(self) -> bool:
        """Whether it is as fast as it means to be."""
        return self.ratio >= REACH and self.overhead < OVERHEAD_SECONDS


def measure(rows: int = ROWS, calls: int = CALLS) -> Waiting:
    """Runs both over the same rows, each after a run that starts the workers.

    The plain calls run once: they take as long as they wait, whatever else the machine does.
    """
    with local_session(master="local[2]") as spark:
        plain = _timed(table("plain", rows), spark)
        asynchronous = min(_timed(table("waiting", rows), spark) for _ in range(RUNS))
    return Waiting(rows, plain, asynchronous, overhead(calls))


def table(function: str, rows: int) -> vs.Table:
    """As many rows, on two tasks, each with a call."""
    import viewscribe as vs
    from viewscribe import call, col

    capacity = {"table.exec.async-scalar.system.waiting.buffer-capacity": str(CAPACITY)}
    env = vs.TableEnvironment(settings=capacity)
    env.create_temporary_system_function("plain", _plain())
    env.create_temporary_system_function("waiting", _waiting())
    numbers = env.from_function("range", 0, rows, 1, 2)
    return numbers.select("id", call(function, col("id")).alias("made"))


def _plain() -> Callable[[int], int]:
    latency = LATENCY

    def plain(x: int) -> int:
        time.sleep(latency)
        return x + 1

    return plain


def _waiting() -> Callable[[int], Any]:
    latency = LATENCY

    async def waiting(x: int) -> int:
        await asyncio.sleep(latency)
        return x + 1

    return waiting


def _timed(table: vs.Table, spark: Any) -> float:
    table.limit(2).to_dataframe(spark).collect()
    started = perf_counter()
    found = table.to_dataframe(spark).collect()
    elapsed = perf_counter() - started
    if sorted(map(tuple, found)) != [(x, x + 1) for x in range(len(found))]:
        raise AssertionError("the calls gave something else")
    return elapsed


def overhead(calls: int) -> float:
    """Seconds of the processor for each call, from the arrays of arguments to those of results."""
    import pyarrow as pa

    from viewscribe.spark.async_runner import How
    from viewscribe.spark.async_runtime import over_batches

    async def at_once(x: int) -> int:
        return x + 1

    def batches() -> Iterator[pa.Array]:
        for start in range(0, calls, 10_000):
            yield pa.array(range(start, min(start + 10_000, calls)), pa.int64())

    run = over_batches(
        at_once, How("f", capacity=CAPACITY), ("f", "BIGINT", pa.int64()), guarded=False
    )
    started = process_time()
    made = sum(len(array) for array in run(batches()))
    elapsed = process_time() - started
    if made != calls:
        raise AssertionError(f"{made} results of {calls} calls")
    return elapsed / calls
