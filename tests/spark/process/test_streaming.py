"""Process table functions over streams of Spark: what a batch gives, and what is refused."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException

import viewscribe as vs
from tests.process_functions import CountRows, Repeat
from tests.streaming_functions import CountWithTimeout, Everything, Pairs, Set
from viewscribe import call, col, descriptor
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.types.ddl import parse_schema

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
START = datetime(2024, 1, 1, tzinfo=UTC)
DELAY = 10.0
SEEDS = 6
"""Enough for every kind of timer to fire, which the test of a restart asserts."""
END = {"k": "end", "ts": START + timedelta(days=1)}
"""The row that lets the watermark pass all others; what is made of it is still to come."""

ACTIONS = "k STRING, ts TIMESTAMP, what INT, n INT"
LEFT = "k STRING, l_ts TIMESTAMP, name STRING"
RIGHT = "id STRING, r_ts TIMESTAMP, price DOUBLE"
CLICKS = "k STRING, ts TIMESTAMP"


@pytest.fixture
def rocks(spark: Any) -> Iterator[Any]:
    """The session, with the state store that timers need, and one task for each operator."""
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set(PROVIDER, ROCKS_DB)
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    yield spark
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    spark.conf.unset(PROVIDER)
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def env() -> vs.TableEnvironment:
    found = vs.TableEnvironment()
    for name, schema in {
        "actions": ACTIONS,
        "lefts": LEFT,
        "rights": RIGHT,
        "clicks": CLICKS,
        "naive": "k STRING, ts TIMESTAMP_NTZ",
    }.items():
        found.create_table(name, schema)
    return found


# -- files as micro-batches ------------------------------------------------------------------------


def write(folder: Path, place: int, schema: str, rows: list[dict[str, Any]]) -> None:
    """A file of a stream; the stream takes files in the order of their times."""
    folder.mkdir(exist_ok=True)
    fields = pa.schema([pa.field(each.name, to_arrow(each.type)) for each in parse_schema(schema)])
    path = folder / f"{place}.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=fields), path)
    os.utime(path, (1_700_000_000 + 10 * place, 1_700_000_000 + 10 * place))


def stream(spark: Any, folder: Path, schema: str, time: str | None) -> Any:
    """The files as a stream, one a micro-batch."""
    folder.mkdir(exist_ok=True)
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))
    return files if time is None else files.withWatermark(time, f"{DELAY:.0f} seconds")


def parts(rows: list[dict[str, Any]], time: str, count: int, rnd: random.Random) -> Any:
    """The rows in micro-batches, late by less than the watermark waits."""
    arrived = sorted(rows, key=lambda row: row[time] + timedelta(seconds=rnd.uniform(0, DELAY)))
    size = -(-len(arrived) // count)
    return [arrived[start : start + size] for start in range(0, len(arrived), size)]


def run(df: Any, name: str) -> list[str]:
    """All rows that come while there are files, as text."""
    query = df.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
    assert query.awaitTermination(600)
    return texts(taken(df.sparkSession, name))


def taken(spark: Any, name: str) -> list[Any]:
    """The rows of a stream in memory, whose view goes away."""
    found = spark.table(name).collect()
    spark.catalog.dropTempView(name)
    return list(found)


def texts(rows: list[Any]) -> list[str]:
    return sorted(str(row) for row in rows if row["k"] != "end")


# -- the same rows ---------------------------------------------------------------------------------


@pytest.mark.slow("a stream starts twice, with every kind of state and timer")
def test_a_stream_with_a_restart_gives_what_a_batch_gives(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """Several seeds, each with keys of its own, through all kinds of timers and state."""
    rows = [row for seed in range(SEEDS) for row in _actions(seed)]
    files = parts(rows, "ts", 3, random.Random(0))
    table = env.from_path("actions").partition_by("k").process(Everything, on_time=descriptor("ts"))
    streamed = {"actions": stream(rocks, tmp_path / "in", ACTIONS, "ts")}
    for places in ((0, 1), (2,)):
        for place in places:
            end = [{**END, "what": 1, "n": 1}] if place == 2 else []
            write(tmp_path / "in", place, ACTIONS, files[place] + end)
        query = (
            table.to_dataframe(rocks, sources=streamed)
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        assert query.awaitTermination(600)
    batch = {"actions": rocks.read.parquet(str(tmp_path / "in"))}
    wanted = texts(table.to_dataframe(rocks, sources=batch).collect())
    assert texts(rocks.read.parquet(str(tmp_path / "out")).collect()) == wanted
    for timer in ("a", "b", "p", "watermark", "None"):
        assert any(f"on_timer {timer} " in text for text in wanted)


def _actions(seed: int) -> list[dict[str, Any]]:
    rnd = random.Random(seed)
    return [
        {
            "k": f"{seed}{rnd.choice('xy')}",
            "ts": START + timedelta(seconds=place * 0.7, microseconds=rnd.choice((0, 1, 999))),
            "what": rnd.randint(0, 13),
            "n": rnd.randint(1, 20),
        }
        for place in rnd.sample(range(120), 40)
    ]


@pytest.mark.slow("two streams into one function, and another above it")
def test_two_streams_and_a_function_after_a_function(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """Several seeds; the time of the first function is the event time of the second."""
    lefts = [row for seed in range(SEEDS) for row in _side(seed, "k", "l_ts", "name")]
    rights = [row for seed in range(SEEDS, 2 * SEEDS) for row in _side(seed, "id", "r_ts", "price")]
    left_end = {"k": "end", "l_ts": END["ts"], "name": None}
    right_end = {"id": "end", "r_ts": END["ts"], "price": None}
    for place, rows in enumerate(parts(lefts, "l_ts", 2, random.Random(1))):
        write(tmp_path / "l", place, LEFT, rows + [left_end] * place)
    for place, rows in enumerate(parts(rights, "r_ts", 2, random.Random(2))):
        write(tmp_path / "r", place, RIGHT, rows + [right_end] * place)
    pairs = env.from_call(
        call(
            Pairs,
            env.from_path("lefts").partition_by("k").as_argument("left"),
            env.from_path("rights")
            .partition_by("id")
            .copartition_with("left")
            .as_argument("right"),
            ttl=timedelta(seconds=4),
            on_time=descriptor("l_ts", "r_ts"),
        )
    )
    assert pairs.schema.names == ("k", "id", "left", "right", "count", "rowtime")
    known = pairs.filter(col("count") > 0).select("k", "count", "rowtime")
    counted = known.partition_by("k").process(CountWithTimeout, on_time=descriptor("rowtime"))
    streamed = {
        "lefts": stream(rocks, tmp_path / "l", LEFT, "l_ts"),
        "rights": stream(rocks, tmp_path / "r", RIGHT, "r_ts"),
    }
    batch = {
        "lefts": rocks.read.parquet(str(tmp_path / "l")),
        "rights": rocks.read.parquet(str(tmp_path / "r")),
    }
    wanted = texts(counted.to_dataframe(rocks, sources=batch).collect())
    assert len(wanted) > 20
    assert run(counted.to_dataframe(rocks, sources=streamed), "counted") == wanted


def _side(seed: int, key: str, time: str, value: str) -> list[dict[str, Any]]:
    rnd = random.Random(seed)
    return [
        {
            key: f"{seed % SEEDS}{rnd.choice('xy')}",
            time: START + timedelta(seconds=place * 0.9),
            value: f"n{place}" if value == "name" else place / 4,
        }
        for place in rnd.sample(range(60), 20)
    ]


def test_rows_by_themselves_need_no_time(
    spark: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    write(tmp_path / "in", 0, CLICKS, [{"k": "a", "ts": START}, {"k": "b", "ts": START}])
    table = env.from_call(call(Repeat, env.from_path("clicks"), 2))
    batch = {"clicks": spark.read.parquet(str(tmp_path / "in"))}
    streamed = {"clicks": stream(spark, tmp_path / "in", CLICKS, None)}
    df = table.to_dataframe(spark, sources=streamed)
    query = df.writeStream.format("memory").queryName("rows").trigger(availableNow=True).start()
    assert query.awaitTermination(600)
    wanted = sorted(map(str, table.to_dataframe(spark, sources=batch).collect()))
    assert sorted(map(str, taken(spark, "rows"))) == wanted


# -- the time of the result ------------------------------------------------------------------------


def test_the_time_of_the_result_is_event_time(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """Not where periodic timers give rows of times that have passed."""
    for function, table, known in (
        (CountWithTimeout, "clicks", {"spark.watermarkDelayMs": 10_000}),
        (Everything, "actions", {}),
    ):
        schema = ACTIONS if table == "actions" else CLICKS
        made = env.from_path(table).partition_by("k").process(function, on_time=descriptor("ts"))
        streamed = {table: stream(rocks, tmp_path / table, schema, "ts")}
        df = made.to_dataframe(rocks, sources=streamed)
        assert df.isStreaming
        assert df.schema["rowtime"].metadata == known
        assert tuple(df.columns) == made.schema.names


# -- what is refused -------------------------------------------------------------------------------


@pytest.fixture
def clicks(spark: Any, tmp_path: Path) -> Any:
    """A stream with a watermark."""
    return stream(spark, tmp_path / "clicks", CLICKS, "ts")


def refused(table: vs.Table, spark: Any, **sources: Any) -> ViewscribeError:
    with pytest.raises(ViewscribeError) as caught:
        table.to_dataframe(spark, sources=sources)
    return caught.value


def counted(env: vs.TableEnvironment, name: str = "clicks", **named: Any) -> vs.Table:
    named.setdefault("on_time", descriptor("ts"))
    return env.from_path(name).partition_by("k").process(CountWithTimeout, **named)


def test_a_watermark_is_needed(rocks: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    without = stream(rocks, tmp_path / "in", CLICKS, None)
    error = refused(counted(env), rocks, clicks=without)
    assert "time column `ts` of the table `input` has no watermark" in error.message
    assert 'stream.withWatermark("ts", "10 seconds")' in str(error.hint)
    assert "WATERMARK ts DELAY OF INTERVAL 10 SECONDS" in str(error.hint)


def test_a_computed_time_has_no_watermark(
    rocks: Any, env: vs.TableEnvironment, clicks: Any
) -> None:
    later = env.from_path("clicks").add_columns((col("ts") + timedelta(seconds=1)).alias("t2"))
    table = later.partition_by("k").process(CountWithTimeout, on_time=descriptor("t2"))
    assert "has no watermark" in refused(table, rocks, clicks=clicks).message


def test_each_of_several_tables_has_a_watermark(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    table = env.from_call(
        call(
            Pairs,
            env.from_path("lefts").partition_by("k").as_argument("left"),
            env.from_path("rights")
            .partition_by("id")
            .copartition_with("left")
            .as_argument("right"),
            on_time=descriptor("l_ts", "r_ts"),
        )
    )
    lefts = stream(rocks, tmp_path / "l", LEFT, "l_ts")
    rights = stream(rocks, tmp_path / "r", RIGHT, None)
    error = refused(table, rocks, lefts=lefts, rights=rights)
    assert "`r_ts` of the table `right` has no watermark" in error.message
    static = rocks.createDataFrame([], RIGHT)
    error = refused(table, rocks, lefts=lefts, rights=static)
    assert "the table `right` is no stream" in error.message


def test_finish_has_no_place_on_a_stream(rocks: Any, env: vs.TableEnvironment, clicks: Any) -> None:
    table = env.from_path("clicks").partition_by("k").process(CountRows, on_time=descriptor("ts"))
    error = refused(table, rocks, clicks=clicks)
    assert "CountRows has finish()" in error.message
    assert "register_on_time" in str(error.hint)


class Last(vs.ProcessTableFunction[Any]):
    """Gives each row's key."""

    output_type = "key STRING"

    def eval(self, input: Set) -> None:
        """The row's."""
        self.collect((input.k,))


def test_an_order_is_needed(rocks: Any, env: vs.TableEnvironment, clicks: Any) -> None:
    table = env.from_path("clicks").partition_by("k").process(Last)
    error = refused(table, rocks, clicks=clicks)
    assert "without on_time" in error.message
    assert 'on_time=descriptor("ts")' in str(error.hint)


def test_a_time_without_zone_has_no_watermark(
    rocks: Any, env: vs.TableEnvironment, clicks: Any
) -> None:
    naive = clicks.selectExpr("k", "CAST(ts AS TIMESTAMP_NTZ) AS ts")
    error = refused(counted(env, "naive"), rocks, naive=naive)
    assert "TIMESTAMP_NTZ" in error.message


def test_the_state_store_must_have_timers(
    spark: Any, env: vs.TableEnvironment, clicks: Any
) -> None:
    spark.conf.set(PROVIDER, ROCKS_DB.replace("RocksDB", "HDFSBacked"))
    try:
        error = refused(counted(env), spark, clicks=clicks)
    finally:
        spark.conf.unset(PROVIDER)
    assert "keeps the state of streams in HDFSBackedStateStoreProvider" in error.message
    assert f'spark.conf.set("{PROVIDER}", "{ROCKS_DB}")' in str(error.hint)


def test_a_frame_stands_for_a_table_of_the_pipeline(
    spark: Any, env: vs.TableEnvironment, clicks: Any
) -> None:
    with pytest.raises(ValidationError, match=r"does not read the table .*actions"):
        counted(env).to_dataframe(spark, sources={"actions": clicks})


# -- a checkpoint of another function --------------------------------------------------------------


@dataclass
class Narrow:
    """A state."""

    n: Annotated[int, "INT"] = 0


@dataclass
class Wide:
    """The same, of another type."""

    n: int = 0


class Before(vs.ProcessTableFunction[Any]):
    """Counts in an INT."""

    output_type = "n INT"

    def eval(self, state: Annotated[Narrow, vs.StateHint()], input: Set) -> None:
        """One more."""
        state.n += 1
        self.collect((state.n,))


class After(vs.ProcessTableFunction[Any]):
    """Counts in a BIGINT."""

    output_type = "n INT"

    def eval(self, state: Annotated[Wide, vs.StateHint()], input: Set) -> None:
        """One more."""
        state.n += 1
        self.collect((state.n,))


@pytest.mark.slow("a stream starts twice over one checkpoint")
def test_a_state_of_another_type_in_the_checkpoint_is_an_error(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    streamed = {"clicks": stream(rocks, tmp_path / "in", CLICKS, "ts")}
    rows = [{"k": "a", "ts": START}, END]
    for place, function in enumerate((Before, After)):
        write(tmp_path / "in", place, CLICKS, rows)
        table = (
            env.from_path("clicks").partition_by("k").process(function, on_time=descriptor("ts"))
        )
        query = (
            table.to_dataframe(rocks, sources=streamed)
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        if function is Before:
            assert query.awaitTermination(600)
            rows = [{"k": "a", "ts": START + timedelta(days=2)}]
            continue
        with pytest.raises(StreamingQueryException) as caught:
            query.awaitTermination(600)
        assert (
            "the state `state` of After is STRUCT<n: BIGINT>, and the checkpoint was written when "
            "it was STRUCT<n: INT>"
        ) in str(caught.value)


@pytest.mark.slow("a stream starts three times over one checkpoint")
def test_another_partition_by_than_in_the_checkpoint_is_an_error(
    rocks: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """The partitions that are kept would never be met again."""
    streamed = {"actions": stream(rocks, tmp_path / "in", ACTIONS, "ts")}
    for place, keys in enumerate((["k"], ["k"], ["what"])):
        rows = [{"k": "a", "ts": START + timedelta(days=place), "what": 1, "n": 1}]
        write(tmp_path / "in", place, ACTIONS, rows)
        table = env.from_path("actions").partition_by(*keys)
        counted = table.process(CountWithTimeout, on_time=descriptor("ts"))
        query = (
            counted.select("count")
            .to_dataframe(rocks, sources=streamed)
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        if keys == ["k"]:
            assert query.awaitTermination(600)
            continue
        with pytest.raises(StreamingQueryException) as caught:
            query.awaitTermination(600)
        assert (
            "PARTITION BY of input (what INT), and the checkpoint was written when it was "
            "input (k STRING)"
        ) in str(caught.value)
