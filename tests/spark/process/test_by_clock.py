"""Calls without a time over streams: rows and timers by the clock, and never over a table."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.errors import StreamingQueryException
from pyspark.sql import Row

import viewscribe as vs
from tests.spark.process.test_streaming import CLICKS, START, env, rocks, stream, write
from tests.streaming_functions import Clocked, DueNow, Set
from viewscribe import descriptor
from viewscribe.errors import ViewscribeError
from viewscribe.spark.process.input_batches import Packer
from viewscribe.spark.process.plan import CallPlan, PassedTable, plan_of
from viewscribe.spark.process.tasks import over_batches
from viewscribe.types import STRING
from viewscribe.types.ddl import parse_schema

__all__ = ["env", "rocks"]

ROWS = "k STRING, what INT, n INT"
Arrived = list[tuple[int, list[dict[str, Any]]]]
"""Micro-batches: the time of each, and its rows."""


def plan(function: Any, schema: str = ROWS, on_time: tuple[str, ...] = ()) -> CallPlan:
    fields = tuple(parse_schema(schema))
    return plan_of(function, [PassedTable("input", fields, ("k",), (STRING,))], {}, on_time)


def by_the_clock(batches: Arrived) -> list[tuple[Any, ...]]:
    """What the processor gives, all of its objects being made anew for each micro-batch."""
    from pyspark.sql.streaming.tws_tester import TwsTester

    from viewscribe.spark.process.time_order import ArrivalProcessor

    call = plan(Clocked)
    processor = ArrivalProcessor(call)
    tester = TwsTester(processor, timeMode="ProcessingTime")
    made = []
    for now, rows in batches:
        packer = Packer(call, ("k", "what", "n"))
        groups = defaultdict(list)
        arrays = pa.RecordBatch.from_pylist(rows, packer_schema()).columns
        for packed in packer.pack(arrays).to_pylist():
            groups[packed["key"]].append(Row(time=None, row=packed["row"]))
        tester._currentProcessingTimeMs = now  # rows come before Spark looks for timers
        for key, group in groups.items():
            made += tester.test(key, group)
        tester._currentProcessingTimeMs = now - 1
        made += tester.setProcessingTime(now)
        processor.close()
    return sorted(tuple(row) for row in made)


def packer_schema() -> Any:
    return pa.schema([("k", pa.string()), ("what", pa.int32()), ("n", pa.int32())])


def by_time(batches: Arrived) -> list[tuple[Any, ...]]:
    """What a table gives whose rows have the times at which they came."""
    call = plan(Clocked, f"{ROWS}, at TIMESTAMP", ("at",))
    rows = [{**row, "at": now * 1000} for now, some in batches for row in some]
    rows.sort(key=lambda row: row["k"])
    schema = packer_schema().append(pa.field("at", pa.timestamp("us", tz="UTC")))
    given_rows = pa.RecordBatch.from_pylist(rows, schema)
    made = [row for batch in over_batches(call)([given_rows]) for row in batch.to_pylist()]
    return sorted((row["k"], row["said"], row["rows"]) for row in made)


STEP = st.integers(1, 40)
ROW = st.fixed_dictionaries(
    {"k": st.sampled_from("xyz"), "what": st.integers(0, 13), "n": st.integers(-5, 60)}
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(STEP, st.lists(ROW, max_size=4)), max_size=12))
def test_the_clock_gives_what_the_times_of_arrival_give(steps: list[Any]) -> None:
    """Timers in the past, now and later, periodic ones, deleted ones, timers of timers."""
    now, batches = 1000, []
    for step, some in steps:
        now += step
        rows = [
            {**row, "n": max(row["n"], 1) if row["what"] in (8, 9) else row["n"]} for row in some
        ]
        batches.append((now, rows))
    last = now + 200  # so that periodic timers do not fire for hours
    batches.append((last, [{"k": key, "what": 13, "n": 0} for key in "xyz"]))
    clocked = by_the_clock(batches)
    assert clocked == [
        row for row in by_time(batches) if int(row[1].rpartition(" ")[2]) <= last * 1000
    ]
    assert len(clocked) >= 3


# -- in Spark --------------------------------------------------------------------------------------


def micro_batch(df: Any, tmp_path: Path) -> list[Any]:
    """Runs one micro-batch, and gives all rows so far: by the clock, Spark goes on without end."""
    query = (
        df.writeStream.format("parquet")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(once=True)
        .start(str(tmp_path / "out"))
    )
    assert query.awaitTermination(120)
    return list(df.sparkSession.read.parquet(str(tmp_path / "out")).collect())


@pytest.mark.slow("a stream starts twice over one checkpoint")
def test_timers_of_a_stream_that_starts_again(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """The second micro-batch is later, so that a timer of the first is due."""
    table = env.from_path("clicks").partition_by("k").process(DueNow)
    assert table.schema.names == ("k", "said", "known")
    for place in range(2):
        write(tmp_path / "in", place, CLICKS, [{"k": "a", "ts": START}])
        streamed = {"clicks": stream(rocks, tmp_path / "in", CLICKS, None)}
        rows = micro_batch(table.to_dataframe(rocks, sources=streamed), tmp_path)
        said = sorted(row.said for row in rows)
        assert said == sorted(["row", "past", "now"] * (place + 1) + ["soon"] * place)
        assert not any(row.known for row in rows)


@pytest.mark.slow("a stream starts twice over one checkpoint")
def test_another_time_in_the_checkpoint_is_an_error(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    clicks = env.from_path("clicks").partition_by("k")
    write(tmp_path / "in", 0, CLICKS, [{"k": "a", "ts": START}])
    streamed = {"clicks": stream(rocks, tmp_path / "in", CLICKS, "ts")}
    micro_batch(clicks.process(DueNow).to_dataframe(rocks, sources=streamed), tmp_path)
    write(tmp_path / "in", 1, CLICKS, [{"k": "a", "ts": START}])
    timed = clicks.process(DueNow, on_time=descriptor("ts")).drop_columns("rowtime")
    with pytest.raises(StreamingQueryException, match="timeMode"):
        micro_batch(timed.to_dataframe(rocks, sources=streamed), tmp_path)


class OnWatermark(vs.ProcessTableFunction[Any]):
    """Waits for what a clock has not."""

    output_type = "n INT"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """Waits."""
        ctx.timers().register_on_watermark()

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """Never."""


def test_a_clock_has_no_watermark(rocks: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    write(tmp_path / "in", 0, CLICKS, [{"k": "a", "ts": START}])
    table = env.from_path("clicks").partition_by("k").process(OnWatermark)
    streamed = {"clicks": stream(rocks, tmp_path / "in", CLICKS, None)}
    with pytest.raises(StreamingQueryException, match="in processing time, which has none"):
        micro_batch(table.to_dataframe(rocks, sources=streamed), tmp_path)


def test_an_order_has_no_place(rocks: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    table = env.from_path("clicks").partition_by("k").order_by("ts").process(DueNow)
    streamed = {"clicks": stream(rocks, tmp_path / "in", CLICKS, None)}
    with pytest.raises(ViewscribeError, match="in the order of their arrival"):
        table.to_dataframe(rocks, sources=streamed)


def test_a_table_has_no_clock() -> None:
    with pytest.raises(ViewscribeError, match="processed all at once") as refused:
        vs.process.run(DueNow, {"input": [{"k": "a"}]}, partition_by="k")
    assert "processing time" in (refused.value.hint or "")
