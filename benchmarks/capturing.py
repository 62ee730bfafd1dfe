"""What capturing costs beyond what Spark needs to hand out the plan.

Of a classic DataFrame the plan is handed out by the driver, as text; of a Connect DataFrame by
PySpark's own client, message by message. Work of the driver is no time of this process, so all
times here are of the clock.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from benchmarks.tables import EVENTS
from viewscribe import TableEnvironment
from viewscribe.spark.local import local_session

NODE_SECONDS: Final = 0.001
"""How long a node may take beyond the handing out."""

TOTAL_SECONDS: Final = 2.0

STEPS: Final = 1_000
COLUMNS: Final = 300
"""Spark itself takes a minute for a classic DataFrame of 1,000 columns one by one."""

MOST_ROUNDS: Final = 5


@dataclass(frozen=True)
class Captured:
    """One pipeline, captured.

    Args:
        title: what it is.
        nodes: how many operators and expressions the plan has, or messages.
        handed_out: seconds until the plan is there.
        whole: seconds of the capture, the handing out included.
    """

    title: str
    nodes: int
    handed_out: float
    whole: float

    @property
    def beyond(self) -> float:
        """The seconds that are viewscribe's own."""
        return max(self.whole - self.handed_out, 0.0)

    @property
    def ratio(self) -> float:
        """How many times as long as the handing out alone the whole takes."""
        return self.whole / self.handed_out

    @property
    def reached(self) -> bool:
        """Whether it is as fast as it means to be."""
        return self.beyond <= self.nodes * NODE_SECONDS and self.whole < TOTAL_SECONDS


def filters(session: Any, count: int) -> Any:
    """Very many filters, one step each."""
    from pyspark.sql import functions as F

    frame = session.table("events")
    for number in range(count):
        frame = frame.filter(F.col("id") > number)
    return frame


def columns(session: Any, count: int) -> Any:
    """Columns added one by one, each computed from the one before."""
    from pyspark.sql import functions as F

    frame = session.table("events").withColumn("c0", F.col("id") + 1)
    for number in range(1, count):
        frame = frame.withColumn(f"c{number}", F.col(f"c{number - 1}") + 1)
    return frame


def measure(rounds: int, *, steps: int = STEPS, width: int = COLUMNS) -> list[Captured]:
    """Every pipeline in both ways.

    Args:
        rounds: how often each is measured; the best time counts.
        steps: how long the pipelines are.
        width: how many columns a classic DataFrame is given one by one.
    """
    rounds = min(rounds, MOST_ROUNDS)
    with _connect() as session:
        found = [
            _of_connect(f"{steps:,} filters over Connect", filters(session, steps), rounds),
            _of_connect(f"{steps:,} columns over Connect", columns(session, steps), rounds),
        ]
    # Spark itself recurses along the plan of a DataFrame, with the stack of the thread that asks.
    deep = {"spark.driver.extraJavaOptions": "-Xss64m"}
    with local_session(master="local[1]", settings=deep) as spark:
        spark.sql(f"CREATE TABLE IF NOT EXISTS events ({EVENTS}) USING parquet")
        found += [
            _of_classic(f"{steps:,} filters, classic", filters(spark, steps), rounds),
            _of_classic(f"{width:,} columns, classic", columns(spark, width), rounds),
        ]
        spark.sql("DROP TABLE events")
    return found


@contextmanager
def _connect() -> Iterator[Any]:
    from viewscribe.spark.capture.recording.client import record
    from viewscribe.spark.capture.sources import CatalogSources

    env = TableEnvironment()
    env.create_table("events", EVENTS)
    with record(CatalogSources(env), env.settings) as session:
        yield session


def _of_connect(title: str, frame: Any, rounds: int) -> Captured:
    from viewscribe.spark.capture.connect import capture_connect
    from viewscribe.spark.capture.connect.walker import Program

    def hand_out() -> Program:
        return Program(frame._plan, frame._session.client)

    nodes = sum(_messages(relation) for relation in hand_out().relations.values())
    sources = frame._session.sources
    return Captured(
        title,
        nodes,
        _best(hand_out, rounds),
        _best(lambda: capture_connect(frame, sources=sources), rounds),
    )


def _of_classic(title: str, frame: Any, rounds: int) -> Captured:
    from viewscribe.spark.capture.classic import capture_classic
    from viewscribe.spark.java_classes import java_object, unpack

    jvm = frame.sparkSession._jvm

    def hand_out() -> str:
        writer = java_object(jvm, "viewscribe.spark.capture.classic", "PlanDump")
        return unpack(writer.write(frame._jdf, False))

    nodes = hand_out().count(",\n") + 1  # the text has a line for each
    return Captured(
        title, nodes, _best(hand_out, rounds), _best(lambda: capture_classic(frame), rounds)
    )


def _messages(message: Any) -> int:
    """How many relations and expressions a message is."""
    count, pending = 0, [message]
    while pending:
        each = pending.pop()
        count += each.DESCRIPTOR.full_name in ("spark.connect.Relation", "spark.connect.Expression")
        for field, value in each.ListFields():
            if field.message_type is not None and not field.message_type.GetOptions().map_entry:
                pending += value if field.is_repeated else [value]
    return count


def _best(job: Callable[[], object], rounds: int) -> float:
    """The best time of the clock."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = perf_counter()
        job()
        best = min(best, perf_counter() - started)
    return best
