"""Ordered streaming without Spark: the rows of a batch, whatever comes in which micro-batch."""

from __future__ import annotations

import datetime as dt
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Annotated, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import Row

import viewscribe as vs
from tests.streaming_functions import SET, Count, CountWithTimeout, Everything, Pairs, Set
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.driver import Driver, ProcessFunctionError
from viewscribe.spark.process.input_batches import CALL, Packer, StateChangedError
from viewscribe.spark.process.plan import CallPlan, PassedTable, plan_of
from viewscribe.spark.process.tasks import over_batches
from viewscribe.spark.process.time_order import OrderedProcessor, OrderKey, in_milliseconds
from viewscribe.types import INT, STRING, TIMESTAMP, Field, StructType
from viewscribe.types.ddl import parse_schema

tws_tester = pytest.importorskip("pyspark.sql.streaming.tws_tester")

START = dt.datetime(2024, 1, 1, tzinfo=UTC)
DELAY = 10.0
ACTIONS = "k STRING, ts TIMESTAMP, what INT, n INT"


def at(seconds: float) -> dt.datetime:
    return START + timedelta(seconds=seconds)


def one_table(function: Any, schema: str = ACTIONS) -> CallPlan:
    fields = tuple(parse_schema(schema))
    return plan_of(function, [PassedTable("input", fields, ("k",), (STRING,))], {}, ["ts"])


def two_tables(function: Any) -> CallPlan:
    left = tuple(parse_schema("k STRING, l_ts TIMESTAMP, name STRING"))
    right = tuple(parse_schema("id STRING, r_ts TIMESTAMP, price DOUBLE"))
    tables = [
        PassedTable("left", left, ("k",), (STRING,)),
        PassedTable("right", right, ("id",), (STRING,)),
    ]
    return plan_of(function, tables, {"ttl": timedelta(seconds=4)}, ["l_ts", "r_ts"])


def input_fields(plan: CallPlan) -> tuple[Field, ...]:
    if not plan.is_tagged:
        return plan.sources[0].columns
    structs = [Field(each.name, StructType(fields=each.columns)) for each in plan.sources]
    key = StructType(fields=(Field("k", STRING),))
    return (Field("__key", key), Field("__time", TIMESTAMP), Field("__source", INT), *structs)


def arrow(plan: CallPlan, rows: Sequence[dict[str, Any]]) -> Any:
    schema = pa.schema([pa.field(each.name, to_arrow(each.type)) for each in input_fields(plan)])
    return pa.RecordBatch.from_pylist(list(rows), schema=schema)


def key_of(row: dict[str, Any]) -> str:
    return str(row["k"] if "k" in row else row["__key"]["k"])


def time_of(row: dict[str, Any]) -> dt.datetime:
    found: dt.datetime = row["ts"] if "ts" in row else row["__time"]
    return found


Rows = list[dict[str, Any]]


def of_batch(plan: CallPlan, rows: Rows) -> Rows:
    """What a batch gives."""
    by_time = sorted(rows, key=lambda row: (key_of(row), time_of(row), row.get("__source", 0)))
    return [row for made in over_batches(plan)([arrow(plan, by_time)]) for row in made.to_pylist()]


class Stream:
    """Micro-batches through the processor, whose objects live for one of them."""

    def __init__(self, plan: CallPlan, order: Sequence[OrderKey] = (), **options: Any) -> None:
        self.plan = plan
        self.processor = OrderedProcessor(plan, order, **options)
        self.tester = tws_tester.TwsTester(
            self.processor, timeMode="EventTime", eventTimeExtractor=self._milliseconds
        )
        self.newest, self.watermark = START, 0
        self.made: Rows = []

    @staticmethod
    def _milliseconds(row: Any) -> int:
        """So that a row is late just where Spark, which compares microseconds, says so."""
        epoch = dt.datetime.fromtimestamp(0, UTC)
        return in_milliseconds((row.time - epoch) // timedelta(microseconds=1))

    def take(self, rows: Rows) -> None:
        """A micro-batch; its rows raise the watermark."""
        names = [each.name for each in input_fields(self.plan)]
        packed = Packer(self.plan, names).pack(arrow(self.plan, rows).columns).to_pylist()
        groups = defaultdict(list)
        for row, text in zip(rows, packed, strict=True):
            groups[text["key"]].append(Row(time=time_of(row), row=text["row"]))
            self.newest = max(self.newest, time_of(row))
        for key, group in groups.items():
            self._collect(self.tester.test(key, group))
        self.pass_to(self.newest - timedelta(seconds=DELAY))

    def pass_to(self, time: dt.datetime) -> None:
        """Raises the watermark to the millisecond before the time or at it."""
        milliseconds = int(time.timestamp() * 1000)
        if milliseconds > self.watermark:
            self.watermark = milliseconds
            self._collect(self.tester.setWatermark(milliseconds))
        self.processor.close()

    def _collect(self, rows: Sequence[Any]) -> None:
        for row in rows:
            values = {name: row[place] for place, name in enumerate(row.__fields__)}
            self.made.append(values)


def of_stream(plan: CallPlan, rows: Rows, rnd: random.Random) -> Rows:
    """What a stream gives, the rows being late by less than the watermark waits."""
    arrived = sorted(rows, key=lambda row: time_of(row) + timedelta(seconds=rnd.uniform(0, DELAY)))
    stream = Stream(plan)
    while arrived:
        size = rnd.randint(1, 12)
        stream.take(arrived[:size])
        arrived = arrived[size:]
    stream.pass_to(at(100_000))
    return stream.made


def actions(rnd: random.Random, count: int) -> Rows:
    """Rows of the table of actions; no two of a key at one time."""
    places = rnd.sample(range(4 * count), count)
    return [
        {
            "k": rnd.choice("xy"),
            "ts": at(place * 0.7) + timedelta(microseconds=rnd.choice((0, 0, 1, 999, 1500))),
            "what": rnd.randint(0, 13),
            "n": rnd.randint(1, 20),
        }
        for place in places
    ]


def union(rnd: random.Random, count: int) -> Rows:
    """Rows of two tables; at one time at most one of each."""
    rows = []
    for source in (0, 1):
        for place in rnd.sample(range(3 * count), count):
            key, time = rnd.choice("xyz"), at(place * 0.9)
            left = {"k": key, "l_ts": time, "name": f"n{place}"}
            right = {"id": key, "r_ts": time, "price": rnd.choice((1.5, None, float("inf")))}
            rows.append(
                {
                    "__key": {"k": key},
                    "__time": time,
                    "__source": source,
                    "left": left if source == 0 else None,
                    "right": right if source == 1 else None,
                }
            )
    return rows


def same(one: Rows, other: Rows) -> None:
    assert sorted(map(repr, one)) == sorted(map(repr, other))


def in_order(rows: Rows) -> dict[str, list[str]]:
    """The rows of each key, in the order in which they were given."""
    found = defaultdict(list)
    for row in rows:
        found[row["k"]].append(repr(row))
    return dict(found)


@pytest.mark.parametrize("seed", range(20))
def test_a_stream_gives_what_a_batch_gives(seed: int) -> None:
    rnd = random.Random(seed)
    plan, rows = one_table(Everything), actions(rnd, 45)
    wanted = of_batch(plan, rows)
    assert any("on_timer" in row["said"] for row in wanted)
    assert in_order(of_stream(plan, rows, rnd)) == in_order(wanted)


@settings(max_examples=12)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_a_stream_gives_what_a_batch_gives_for_any_actions(rnd: Any, count: int) -> None:
    plan, rows = one_table(Everything), actions(rnd, count)
    assert in_order(of_stream(plan, rows, rnd)) == in_order(of_batch(plan, rows))


@pytest.mark.parametrize("seed", range(20))
def test_two_tables_are_one_stream(seed: int) -> None:
    rnd = random.Random(seed)
    plan, rows = two_tables(Pairs), union(rnd, 30)
    wanted = of_batch(plan, rows)
    assert any(row["count"] > 1 for row in wanted)
    assert in_order(of_stream(plan, rows, rnd)) == in_order(wanted)


def test_every_action_has_taken_part() -> None:
    """The property is about something: all kinds of timers fire, and state expires."""
    said = []
    for seed in range(20):
        rnd = random.Random(seed)
        said += [row["said"] for row in of_batch(one_table(Everything), actions(rnd, 45))]
    for timer in ("a", "b", "p", "watermark", "None"):
        assert any(text.startswith(f"on_timer {timer} ") for text in said), timer
    assert any("ListState([])" in text for text in said)
    assert any("ListState([1" in text for text in said)


class Marks(vs.ProcessTableFunction[Any]):
    """Tells when its timer on watermark fires."""

    output_type = "n INT"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """Before every watermark from here on."""
        ctx.timers().register_on_periodic_watermark()

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """It fires."""
        self.collect((0,))


def test_a_timer_on_watermark_has_one_turn_for_a_time() -> None:
    fired: list[int | None] = []
    driver = Driver(one_table(Marks), lambda row, kind, time, origin: fired.append(time))
    driver.row(0, None, 10)
    driver.advance(12)
    driver.advance(15)
    driver.row(0, None, 20)
    assert fired == [10]
    driver.end()
    assert fired == [10, 20]


# -- what is kept ----------------------------------------------------------------------------------


def test_nothing_is_kept_of_a_partition_that_cleared_all() -> None:
    stream = Stream(one_table(CountWithTimeout))
    stream.take([{"k": "x", "ts": at(0), "what": 0, "n": 0}])
    handle = stream.tester.handle
    assert stream.tester.peekListState("waiting", '["x"]')
    assert list(handle.listTimers())
    stream.pass_to(at(100))
    assert [row["count"] for row in stream.made] == [1]
    assert not stream.tester.peekListState("waiting", '["x"]')
    assert stream.tester.peekValueState("partition", '["x"]') is None
    assert not list(handle.listTimers())


def test_a_partition_has_one_timer_of_spark() -> None:
    stream = Stream(one_table(CountWithTimeout))
    for seconds in (30, 25, 28, 40):
        stream.take([{"k": "x", "ts": at(seconds), "what": 0, "n": 0}])
        assert len(list(stream.tester.handle.listTimers())) == 1


def test_state_is_kept_as_json_beside_its_types() -> None:
    stream = Stream(one_table(CountWithTimeout))
    stream.take([{"k": "x", "ts": at(0), "what": 0, "n": 0}])
    stream.pass_to(at(1))
    _, types, kept = stream.tester.peekValueState("partition", '["x"]')
    assert '"state":"STRUCT<count: BIGINT>"' in types
    assert '"states":{"state":[[1],null]}' in kept


def test_timers_of_spark_are_never_early() -> None:
    assert [in_milliseconds(each) for each in (0, 1, 1000, 1001, -1, -1000)] == [0, 1, 1, 2, 0, -1]


# -- order -----------------------------------------------------------------------------------------


class Values(vs.ProcessTableFunction[Any]):
    """Gives a column of each row."""

    output_type = "x DOUBLE"

    def eval(self, input: Set) -> None:
        """The row's."""
        self.collect((input.x,))


@pytest.mark.parametrize(
    ("descending", "nulls_first", "wanted"),
    [
        (False, True, ["None", "-1.0", "2.0", "nan"]),
        (False, False, ["-1.0", "2.0", "nan", "None"]),
        (True, True, ["None", "nan", "2.0", "-1.0"]),
        (True, False, ["nan", "2.0", "-1.0", "None"]),
    ],
)
def test_rows_of_one_time_are_ordered(
    descending: bool, nulls_first: bool, wanted: list[str]
) -> None:
    plan = one_table(Values, "k STRING, ts TIMESTAMP, x DOUBLE")
    stream = Stream(plan, [OrderKey(2, (), descending, nulls_first)])
    values = [2.0, float("nan"), None, -1.0]
    stream.take([{"k": "x", "ts": at(0), "x": value} for value in values])
    stream.pass_to(at(1))
    assert [str(row["x"]) for row in stream.made] == wanted


# -- errors ----------------------------------------------------------------------------------------


def with_state(declared: str) -> Any:
    """The same function at two times in its life."""

    class Keeping(vs.ProcessTableFunction[Count]):
        def type_inference(self) -> vs.ProcessTypeInference:
            states = dict(each.split(": ", 1) for each in declared.split("; "))
            return vs.ProcessTypeInference([vs.StaticArgument.table("input", SET)], "n INT", states)

        def eval(self, *values: Any) -> None: ...

    names = [each.split(":")[0] for each in declared.split("; ")]
    source = f"def eval(self, {', '.join(names)}, input): {names[0]}['n'] = 1"
    space: dict[str, Any] = {}
    exec(source, space)
    Keeping.eval = space["eval"]  # type: ignore[method-assign]
    return Keeping


def changed(before: str, after: str, schema: str = ACTIONS) -> None:
    """A checkpoint written by one function, read by the other."""
    stream = Stream(one_table(with_state(before)))
    stream.take([{"k": "x", "ts": at(0), "what": 0, "n": 0}])
    stream.pass_to(at(1))
    later = OrderedProcessor(one_table(with_state(after), schema))
    later._partition, later._waiting = stream.processor._partition, stream.processor._waiting
    later._handle = stream.processor._handle
    stream.processor = stream.tester.processor = later
    stream.plan = later._plan
    row = {"k": "x", "ts": at(50), "what": 0, "n": 0, "more": 1}
    stream.take([{name: row[name] for name in [each.name for each in input_fields(stream.plan)]}])


def test_a_state_that_has_changed_is_named() -> None:
    with pytest.raises(StateChangedError) as caught:
        changed("state: n INT", "state: n BIGINT")
    assert caught.value.message == (
        "the state `state` of with_state.<locals>.Keeping is STRUCT<n: BIGINT>, and the checkpoint "
        "was written when it was STRUCT<n: INT>"
    )
    assert "new checkpoint directory" in str(caught.value.hint)


def test_a_state_that_is_gone_is_named() -> None:
    with pytest.raises(StateChangedError, match="keeps the state `other`"):
        changed("state: n INT; other: m INT", "state: n INT")


def test_a_new_state_begins_empty() -> None:
    changed("state: n INT", "state: n INT; other: m INT")


def test_a_table_that_has_changed_is_named() -> None:
    with pytest.raises(StateChangedError, match=r"the table `input` of .* is .*more INT"):
        changed("state: n INT", "state: n INT", ACTIONS + ", more INT")


@dataclass
class Wrong:
    """A count."""

    n: int = 0


class Misfit(vs.ProcessTableFunction[Count]):
    """Keeps what is of another type than it says."""

    def eval(self, state: Annotated[Wrong, vs.StateHint()], input: Set) -> None:
        """Keeps it."""
        state.n = "one"  # type: ignore[assignment]


def test_state_of_another_type_is_an_error() -> None:
    stream = Stream(one_table(Misfit))
    stream.take([{"k": "x", "ts": at(0), "what": 0, "n": 0}])
    with pytest.raises(ProcessFunctionError, match=r"Misfit is STRUCT<n: BIGINT>.*'one'"):
        stream.pass_to(at(1))


class Past(vs.ProcessTableFunction[Count]):
    """Registers a timer in the past."""

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """A second ago."""
        timers = ctx.timers()
        timers.register_on_time("early", timers.current_time() - timedelta(seconds=1))
        self.collect((0,))

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """At once."""
        self.collect((ctx.timers(int).current_time() // 1_000_000,))


def test_a_timer_in_the_past_fires_at_once_in_both() -> None:
    plan = one_table(Past)
    rows = [{"k": "x", "ts": at(n), "what": 0, "n": 0} for n in (0, 3)]
    made = [(row["count"], row["rowtime"]) for row in of_batch(plan, rows)]
    seconds = [int(at(n).timestamp()) for n in (-1, 2)]
    assert made == [(0, at(0)), (seconds[0], at(0)), (0, at(3)), (seconds[1], at(3))]
    assert of_stream(plan, rows, random.Random(0)) == of_batch(plan, rows)


def test_a_row_without_a_time_is_an_error() -> None:
    plan = one_table(CountWithTimeout)
    with pytest.raises(ProcessFunctionError, match="`input` has NULL in its time column `ts`"):
        Packer(plan, ["k", "ts", "what", "n"]).pack(
            arrow(plan, [{"k": "x", "ts": None, "what": 1, "n": 2}]).columns
        )


def test_a_periodic_timer_that_was_not_seen_is_an_error() -> None:
    rows = [{"k": "x", "ts": at(0), "what": 3, "n": 5}]
    stream = Stream(one_table(Everything), event_time=True)
    stream.take(rows)
    with pytest.raises(ProcessFunctionError, match="periodic timer"):
        stream.pass_to(at(1))


def test_the_call_goes_with_the_latest_row_of_a_batch() -> None:
    plan = one_table(CountWithTimeout)
    rows = [{"k": "x", "ts": at(n), "what": 0, "n": n} for n in (3, 9, 4)]
    packer = Packer(plan, ["k", "ts", "what", "n"])
    columns = arrow(plan, rows).columns
    made = packer.pack_with_call(columns).to_pylist()
    call = {"key": CALL, "row": "input (k STRING)"}
    assert [each[:1] for each in made] == [[row] for row in packer.pack(columns).to_pylist()]
    assert [each[1:] for each in made] == [[], [call], []]
    assert packer.pack_with_call(arrow(plan, []).columns).to_pylist() == []
