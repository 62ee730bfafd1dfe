"""The driver without Spark: batches in, batches out."""

from __future__ import annotations

import datetime as dt
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from tests.process_functions import CountRows, CountWithTimeout, MatchOnce, Repeat, Set
from viewscribe.errors import ViewscribeError
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.driver import ProcessFunctionError
from viewscribe.spark.process.plan import PassedTable, plan_of
from viewscribe.spark.process.tasks import over_batches
from viewscribe.types import Field, StructType
from viewscribe.types.ddl import parse_schema

MICRO = timedelta(microseconds=1)
START = datetime(2024, 1, 1, tzinfo=UTC)
EVENTS = "k STRING, ts TIMESTAMP, v BIGINT"


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def arrow(fields: Sequence[Field]) -> Any:
    return pa.schema([pa.field(each.name, to_arrow(each.type)) for each in fields])


def run(
    function: Any,
    rows: Iterable[Sequence[Any]],
    *,
    schema: str = EVENTS,
    keys: Sequence[str] = ("k",),
    on_time: Sequence[str] = ("ts",),
    size: int = 3,
    null_times: str = "refuse",
    **scalars: Any,
) -> list[dict[str, Any]]:
    """What the function makes of rows, which come sorted, in batches of a size."""
    fields = tuple(parse_schema(schema))
    types = {each.name: each.type for each in fields}
    passed = PassedTable("input", fields, tuple(keys), tuple(types[key] for key in keys))
    plan = plan_of(function, [passed], scalars, on_time, null_times=null_times)
    rows = list(rows)
    batches = [
        pa.RecordBatch.from_pylist(
            [dict(zip(types, row, strict=True)) for row in rows[start : start + size]],
            schema=arrow(fields),
        )
        for start in range(0, len(rows), size)
    ]
    return [row for made in over_batches(plan)(batches) for row in made.to_pylist()]


def test_each_partition_has_its_state() -> None:
    rows = [("a", at(0), 1), ("a", at(1), 1), ("b", at(0), 1), (None, at(0), 1), (None, at(2), 1)]
    found = run(CountRows, rows, on_time=())
    assert found == [{"k": "a", "count": 2}, {"k": "b", "count": 1}, {"k": None, "count": 2}]


def test_timers_close_sessions() -> None:
    rows = [("a", at(0), 1), ("a", at(30), 1), ("a", at(90), 1), ("a", at(151), 1)]
    assert run(CountWithTimeout, rows) == [
        {"k": "a", "count": 3, "rowtime": at(150)},
        {"k": "a", "count": 1, "rowtime": at(211)},
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 400)), max_size=40),
    st.integers(1, 7),
)
def test_sessions_are_those_of_a_scan(events: list[tuple[str, int]], size: int) -> None:
    """However the rows are cut into batches."""
    events = sorted(events)
    expected: list[tuple[str, int, int]] = []
    for key, second in events:
        if expected and expected[-1][0] == key and second <= expected[-1][2]:
            expected[-1] = (key, expected[-1][1] + 1, second + 60)
        else:
            expected.append((key, 1, second + 60))
    found = run(CountWithTimeout, [(key, at(s), 0) for key, s in events], size=size)
    assert [(r["k"], r["count"], r["rowtime"]) for r in found] == [
        (key, count, at(end)) for key, count, end in expected
    ]


def test_tables_are_told_apart() -> None:
    customers = tuple(parse_schema("id BIGINT, name STRING, address STRING, t TIMESTAMP"))
    orders = tuple(parse_schema("id BIGINT, order_id BIGINT, price DOUBLE, t TIMESTAMP"))
    id_type = customers[0].type
    plan = plan_of(
        MatchOnce,
        [
            PassedTable("customer", customers, ("id",), (id_type,)),
            PassedTable("order", orders, ("id",), (id_type,)),
        ],
        {},
        ("t",),
    )
    union = (
        Field("__key", StructType(fields=(Field("id", id_type),))),
        Field("__time", customers[3].type),
        *parse_schema("__source INT"),
        Field("customer", StructType(fields=customers)),
        Field("order", StructType(fields=orders)),
    )

    def row(key: int, second: int, source: int, *values: Any) -> dict[str, Any]:
        names = [each.name for each in (customers, orders)[source]]
        held = dict(zip(names, (key, *values, at(second)), strict=True))
        return {
            "__key": {"id": key},
            "__time": at(second),
            "__source": source,
            ("customer", "order")[source]: held,
        }

    batch = pa.RecordBatch.from_pylist(
        [
            row(1, 0, 1, 10, 1.5),
            row(1, 0, 1, 11, 2.5),
            row(1, 5, 0, "Ann", "Here"),
            row(2, 0, 0, "Bob", "There"),
        ],
        schema=arrow(union),
    )
    found = [row for made in over_batches(plan)([batch]) for row in made.to_pylist()]
    assert found == [{"id": 1, "id0": 1, "name": "Ann", "order_id": 10, "rowtime": at(5)}]


def test_columns_pass_through_beside_what_is_given() -> None:
    found = run(Repeat, [("a", at(0), 1), ("b", at(0), 2)], keys=(), on_time=())
    assert found == [
        {"k": key, "ts": at(0), "v": v, "n": n} for key, v in (("a", 1), ("b", 2)) for n in (0, 1)
    ]


def test_no_rows_open_nothing() -> None:
    assert run(CountRows, []) == []


# -- the context -----------------------------------------------------------------------------------


class Watches(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Says what it sees."""

    output_type = "what STRING, time TIMESTAMP, watermark TIMESTAMP, following TIMESTAMP"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """The times of a row; a timer for each value."""
        timers = ctx.timers()
        self.say(f"row {input.v}", timers)
        if input.v == 1:
            timers.register_on_watermark()
        if input.v == 2:
            timers.register_on_time("second", timers.current_time() + timedelta(seconds=2))
            timers.register_on_time(timers.current_time() + timedelta(seconds=2))
            ctx.timers(int).register_on_time(ctx.timers(int).current_time() + 10_000_000)
        if input.v == 3:
            timers.delete_timer("second")
            timers.register_on_periodic_watermark()

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """The times of a timer."""
        self.say(f"timer {ctx.current_timer()}", ctx.timers())

    def say(self, what: str, timers: Any) -> None:
        """One row."""
        self.collect(
            (
                what,
                timers.current_time(),
                timers.current_watermark(),
                timers.following_watermark(),
            )
        )


def test_times_and_watermarks() -> None:
    rows = [("a", at(0), 1), ("a", at(0), 2), ("a", at(1), 0), ("a", at(9), 3), ("a", at(20), 0)]
    found = run(Watches, rows)
    assert [(r["what"], r["time"], r["watermark"], r["following"]) for r in found] == [
        ("row 1", at(0), None, None),
        ("row 2", at(0), None, None),
        ("timer watermark", at(0), None, at(0)),
        ("row 0", at(1), at(1) - MICRO, None),
        ("timer None", at(2), at(2), None),
        ("timer second", at(2), at(2), None),
        ("row 3", at(9), at(9) - MICRO, None),
        ("timer watermark", at(9), at(9) - MICRO, at(9)),
        ("timer None", at(10), at(10), None),
        ("row 0", at(20), at(20) - MICRO, None),
        ("timer watermark", at(20), at(20) - MICRO, at(20)),
    ]
    assert all(row["rowtime"] == row["time"] for row in found)


@dataclass
class Seen:
    last: int | None = None


class Keeps(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """State of all kinds, one of which expires, and ways to clear it."""

    output_type = "last INT, kept ARRAY<BIGINT>, counts MAP<BIGINT, BIGINT>"

    def eval(
        self,
        ctx: vs.Context,
        seen: Annotated[Seen, vs.StateHint(ttl=timedelta(seconds=10))],
        kept: vs.ListState[int],
        counts: Annotated[vs.MapState[int, int], vs.StateHint(name="by_value")],
        input: Set,
    ) -> None:
        """Keeps the value everywhere."""
        self.collect((seen.last, kept.get(), dict(counts.items())))
        if input.v >= 0:
            seen.last = input.v
        kept.add(input.v)
        counts[input.v] = (counts[input.v] or 0) + 1
        if input.v == 7:
            ctx.clear_state("by_value")
        if input.v == 8:
            ctx.clear_all_state()
        if input.v == 9:
            ctx.clear_state("by_valu")


def kept(*events: tuple[int, int]) -> list[tuple[Any, ...]]:
    rows = [("a", at(second), value) for second, value in events]
    return [(r["last"], r["kept"], dict(r["counts"])) for r in run(Keeps, rows)]


def test_state_lasts_and_is_cleared() -> None:
    assert kept((0, 1), (1, 1), (2, 7), (3, 8), (4, 2)) == [
        (None, [], {}),
        (1, [1], {1: 1}),
        (1, [1, 1], {1: 2}),
        (7, [1, 1, 7], {}),
        (None, [], {}),
    ]


def test_state_expires_after_its_last_change() -> None:
    # Only the second value changes it: at 5, so that it lasts until 15.
    last = [row[0] for row in kept((0, 1), (5, 2), (9, -1), (14, -1), (15, -1), (16, 3), (17, 0))]
    assert last == [None, 1, 2, 2, None, None, 3]


def test_unknown_state_is_an_error() -> None:
    with pytest.raises(ProcessFunctionError, match="there is no state `by_valu`") as caught:
        kept((0, 9))
    assert "by_value" in (caught.value.hint or "")


class Asks(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """How it was called."""

    output_type = "keys ARRAY<STRING>, time STRING"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """Once a row."""
        semantics = ctx.set_semantics_for("INPUT")
        self.collect((list(semantics.partition_by_columns()), semantics.time_column()))
        assert semantics.co_partition_args() == ()
        ctx.set_semantics_for("other")


def test_the_call_can_be_asked_for() -> None:
    with pytest.raises(ProcessFunctionError, match="passes no table `other`"):
        run(Asks, [("a", at(0), 1)])


# -- opening and closing ---------------------------------------------------------------------------


class Opens(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Notes its life."""

    output_type = "n INT"
    life: list[str] = []  # noqa: RUF012

    def open(self) -> None:
        """At the start."""
        self.life.append("open")

    def close(self) -> None:
        """In the end."""
        self.life.append("close")

    def eval(self, input: Set) -> None:
        """Fails at 3."""
        self.life.append(f"row {input.v}")
        if input.v == 3:
            raise KeyError("three")


def test_a_task_opens_once_and_closes_in_any_case() -> None:
    Opens.life.clear()
    run(Opens, [("a", at(0), 1), ("b", at(0), 2)])
    assert Opens.life == ["open", "row 1", "row 2", "close"]
    Opens.life.clear()
    with pytest.raises(ProcessFunctionError) as caught:
        run(Opens, [("a", at(0), 3)])
    assert Opens.life == ["open", "row 3", "close"]
    message = str(caught.value)
    assert "Opens.eval failed: KeyError('three')" in message
    assert "Row(k='a'" in message
    assert "at 2024-01-01 00:00:00+00:00" in message


# -- changelogs ------------------------------------------------------------------------------------


class Latest(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """The last value of a key, as a changelog of one."""

    output_type = "v BIGINT"

    def input_changelog_mode(self) -> vs.ChangelogMode:
        return vs.ChangelogMode.RETRACT

    def output_changelog_mode(self) -> vs.ChangelogMode:
        return vs.ChangelogMode.RETRACT

    def eval(self, input: Set) -> None:
        """What came, with the kind it came with."""
        assert "op" not in input.fields
        self.collect((input.v,), input.kind)


def test_changelogs_have_a_column_for_the_kind() -> None:
    rows = [("+I", "a", at(0), 1), ("-U", "a", at(1), 1), ("+U", "a", at(1), 2)]
    found = run(Latest, rows, schema=f"op STRING, {EVENTS}")
    assert [(r["op"], r["v"]) for r in found] == [("+I", 1), ("-U", 1), ("+U", 2)]
    with pytest.raises(ViewscribeError, match="has '\\+X' in its column `op`"):
        run(Latest, [("+X", "a", at(0), 1)], schema=f"op STRING, {EVENTS}")


# -- what goes wrong -------------------------------------------------------------------------------


class Gives(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Whatever it is told to."""

    output_type = "n INT, t TIMESTAMP, s STRING"
    given: Any = None

    def eval(self, input: Set) -> None:
        """One row."""
        self.collect(type(self).given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((1, at(0)), "it has 2 values for 3 columns"),
        ({"n": 1, "x": 2}, "unknown column 'x'"),
        (vs.Row(n=1, t=None, q="x"), "gave Row(n=1, t=None, q='x')"),
        (Seen(1), "of the class Seen"),
        ((True, None, None), "was given True"),
        ((1.0, None, None), "was given 1.0"),
        (("1", None, None), "was given '1'"),
        ((2**31, None, None), "was given 2147483648"),
        ((1, None, 3), "was given 3"),
        ((1, dt.datetime(2024, 1, 1), None), "it has no time zone"),
        ((1, dt.date(2024, 1, 1), None), "of the class date"),
        (None, "gave None"),
    ],
)
def test_rows_that_are_none_of_the_result(given: Any, message: str) -> None:
    Gives.given = given
    with pytest.raises(ViewscribeError) as caught:
        run(Gives, [("a", at(0), 1)])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        (1, at(5), "x"),
        [1, at(5), "x"],
        vs.Row(1, at(5), "x"),
        vs.Row(s="x", t=at(5), n=1),
        {"s": "x", "n": 1, "t": at(5)},
    ],
)
def test_rows_may_be_written_in_many_ways(given: Any) -> None:
    Gives.given = given
    found = run(Gives, [("a", at(0), 1)], on_time=())
    assert found == [{"k": "a", "n": 1, "t": at(5), "s": "x"}]


class Registers(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """A timer of every wrong kind."""

    output_type = "n INT"
    wrong: Any = None

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """Registers."""
        type(self).wrong(ctx.timers(), ctx)

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """Never."""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t, c: t.register_on_time("x"), "without a time"),
        (lambda t, c: t.register_on_time("x", 5), "is no datetime"),
        (lambda t, c: t.register_on_time("x", datetime(2030, 1, 1)), "no time zone"),
        (lambda t, c: t.register_on_time("watermark", at(9)), "is no name for a timer"),
        (lambda t, c: t.register_on_periodic_time("x", at(9), timedelta(0)), "the period of"),
        (lambda t, c: c.timers(int).register_on_time("x", at(9)), "no time in microseconds"),
        (lambda t, c: c.timers(str), "times are datetime or int"),
    ],
)
def test_wrong_timers(wrong: Any, message: str) -> None:
    Registers.wrong = staticmethod(wrong)
    with pytest.raises(ProcessFunctionError) as caught:
        run(Registers, [("a", at(0), 1)])
    assert message in str(caught.value)


def test_timers_need_a_method() -> None:
    class Forgets(vs.ProcessTableFunction):  # type: ignore[type-arg]
        output_type = "n INT"

        def eval(self, ctx: vs.Context, input: Set) -> None:
            ctx.timers().register_on_time("x", at(100))

    with pytest.raises(ProcessFunctionError, match="has no method on_timer"):
        run(Forgets, [("a", at(0), 1)])


def test_rows_without_a_time_are_an_error() -> None:
    with pytest.raises(ProcessFunctionError, match="has NULL in its time column `ts`"):
        run(CountRows, [("a", None, 1)])


def test_what_is_collected_may_be_changed_afterwards() -> None:
    class Lists(vs.ProcessTableFunction):  # type: ignore[type-arg]
        output_type = "items ARRAY<BIGINT>"

        def eval(self, kept: vs.ListState[int], input: Set) -> None:
            shared = kept._items
            shared.append(input.v)
            self.collect((shared,))

    found = run(Lists, [("a", at(0), 1), ("a", at(1), 2)])
    assert [row["items"] for row in found] == [[1], [1, 2]]


def test_naive_times_stay_naive() -> None:
    found = run(
        CountWithTimeout,
        [("a", datetime(2024, 1, 1), 1)],
        schema="k STRING, ts TIMESTAMP_NTZ, v INT",
    )
    assert found == [{"k": "a", "count": 1, "rowtime": datetime(2024, 1, 1, 0, 1)}]


@pytest.mark.slow("very many keys")
def test_memory_does_not_grow_with_the_keys() -> None:
    fields = tuple(parse_schema("k BIGINT"))
    plan = plan_of(CountRows, [PassedTable("input", fields, ("k",), (fields[0].type,))], {}, ())

    def peak(keys: int) -> int:
        batches = (
            pa.RecordBatch.from_pydict(
                {"k": [each // 2 for each in range(start, start + 500)]}, schema=arrow(fields)
            )
            for start in range(0, 2 * keys, 500)
        )
        tracemalloc.start()
        counted = sum(made.num_rows for made in over_batches(plan)(batches))
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert counted == keys
        return found

    peak(1_000)  # imports and caches
    assert peak(20_000) < 1.5 * peak(2_000)


@pytest.mark.parametrize(
    ("declared", "given"),
    [("a ARRAY<ARRAY<INT>>", [[1], []]), ("a ARRAY<INT>", [7]), ("a MAP<STRING, INT>", {"a": 1})],
)
def test_a_list_or_a_dict_is_the_value_of_the_only_column(declared: str, given: Any) -> None:
    class One(vs.ProcessTableFunction):  # type: ignore[type-arg]
        output_type = declared

        def eval(self, input: Set) -> None:
            self.collect(given)
            self.collect((given,))

    found = [row["a"] for row in run(One, [("a", at(0), 1)], on_time=())]
    as_given = [dict(each) if isinstance(given, dict) else each for each in found]
    assert as_given == [given, given]


class Early(vs.ProcessTableFunction[Any]):
    """Timers for times that have passed, from rows and from timers."""

    output_type = "what STRING, time BIGINT, watermark BIGINT"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """As many seconds ago as the row says."""
        self.say("row", ctx)
        timers = ctx.timers()
        timers.register_on_time("early", timers.current_time() - timedelta(seconds=input.v))

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """The first one registers another, earlier still."""
        self.say(str(ctx.current_timer()), ctx)
        if ctx.current_timer() == "early":
            timers = ctx.timers()
            timers.register_on_time("earlier", timers.current_time() - timedelta(seconds=1))

    def say(self, what: str, ctx: Any) -> None:
        """Seconds since the start."""
        times = (ctx.timers().current_time(), ctx.timers().current_watermark())
        shown = [None if time is None else (time - START).total_seconds() for time in times]
        self.collect((what, *[None if each is None else int(each) for each in shown]))


def test_a_timer_for_the_past_fires_at_once_and_time_does_not_go_back() -> None:
    found = run(Early, [("a", at(10), 2), ("a", at(20), 5), ("a", at(30), 0)])
    assert [(r["what"], r["time"], r["rowtime"]) for r in found] == [
        ("row", 10, at(10)),
        ("early", 8, at(10)),
        ("earlier", 7, at(10)),
        ("row", 20, at(20)),
        ("early", 15, at(20)),
        ("earlier", 14, at(20)),
        ("row", 30, at(30)),
        ("early", 30, at(30)),
        ("earlier", 29, at(30)),
    ]
    # nothing is kept once the timers have fired: each row finds a new partition
    assert [r["watermark"] for r in found] == [None, 8, 8, None, 15, 15, None, 30, 30]


def test_timers_that_stand_still_are_an_error() -> None:
    class Stands(Early):
        def on_timer(self, ctx: vs.OnTimerContext) -> None:
            ctx.timers(int).register_on_time(ctx.timers(int).current_time())

    with pytest.raises(ProcessFunctionError, match="fired for a time that had passed"):
        run(Stands, [("a", at(10), 2)])


def test_finish_registers_no_timers() -> None:
    class Ends(Early):
        def finish(self, ctx: vs.Context) -> None:
            ctx.timers().register_on_time(at(100))

    with pytest.raises(ProcessFunctionError, match="the input has ended"):
        run(Ends, [("a", at(10), 0)])


@dataclass
class Loose:
    """State of all kinds of fields."""

    n: int = 0
    s: str | None = None
    inner: Seen | None = None
    many: list[int] | None = None


class Loosely(vs.ProcessTableFunction[Any]):
    """Does something to its state."""

    output_type = "n BIGINT"
    change: Any = None

    def eval(
        self,
        state: Annotated[Loose, vs.StateHint()],
        many: vs.ListState[int],
        named: vs.MapState[str, int],
        input: Set,
    ) -> None:
        """At the second row."""
        if input.v == 2:
            type(self).change(state, many, named)
        self.collect((1,))


def _extra(kind: Any) -> Any:
    made = kind()
    made.extra = 1
    return made


@pytest.mark.parametrize(
    ("change", "message", "names_row"),
    [
        (lambda s, m, d: setattr(s, "extra", 1), "given the attribute `extra`", False),
        (lambda s, m, d: setattr(s, "n", "x"), "of the class str", True),
        (lambda s, m, d: setattr(s, "n", True), "of the class bool", True),
        (lambda s, m, d: setattr(s, "s", 5), "of the class int", True),
        (lambda s, m, d: setattr(s, "inner", {"no": 1}), "unknown column 'no'", True),
        (lambda s, m, d: setattr(s, "inner", _extra(Seen)), "the attribute `extra`", True),
        (lambda s, m, d: setattr(s, "many", [1, "x"]), "of the class str", True),
        (lambda s, m, d: setattr(s, "n", 2**63), "does not fit into 64 bits", False),
        (lambda s, m, d: m.add("x"), "of the class str", False),
        (lambda s, m, d: d.put(1, 1), "of the class int", False),
        (lambda s, m, d: m.add(None), "None is no value of a ListState", True),
        (lambda s, m, d: m.add_all([1, None]), "None is no value of a ListState", True),
        (lambda s, m, d: m.update([None]), "None is no value of a ListState", True),
        (lambda s, m, d: d.put(None, 1), "None is no key of a MapState", True),
        (lambda s, m, d: d.__setitem__(None, 1), "None is no key of a MapState", True),
    ],
)
def test_state_holds_what_is_declared(change: Any, message: str, names_row: bool) -> None:
    """As a stream demands, which has to keep it; where that is cheap, at once and with the row."""
    Loosely.change = staticmethod(change)
    rows = [("a", at(0), 1), ("a", at(1), 2), ("a", at(2), 3)]
    with pytest.raises(ProcessFunctionError) as caught:
        run(Loosely, rows)
    assert message in caught.value.message
    assert ("v=2" if names_row else "ends with Row(k='a'") in (caught.value.location or "")


def test_a_map_keeps_none_as_a_value() -> None:
    Loosely.change = staticmethod(lambda s, m, d: d.put("a", None))
    assert len(run(Loosely, [("a", at(0), 2)])) == 1


def test_what_handlers_return_is_an_error() -> None:
    class Returns(vs.ProcessTableFunction[Any]):
        output_type = "n INT"

        def eval(self, ctx: vs.Context, input: Set) -> Any:
            if input.v == 2:
                return [1]
            ctx.timers().register_on_time("x", at(5))
            return None

        def on_timer(self) -> Any:
            return 0

    with pytest.raises(ProcessFunctionError, match=r"eval failed: it returned \[1\]") as caught:
        run(Returns, [("a", at(0), 2)])
    assert "self.collect(row)" in (caught.value.hint or "")
    with pytest.raises(ProcessFunctionError, match="on_timer failed: it returned 0"):
        run(Returns, [("a", at(0), 1)])


def test_a_row_of_the_wrong_type_says_what_it_was_made_of() -> None:
    class Wrong(vs.ProcessTableFunction[Any]):
        output_type = "n INT NOT NULL"
        given: Any = None

        def eval(self, ctx: vs.Context, input: Set) -> None:
            self.collect((self.given if input.v == 2 else 0,))
            if input.v == 3:
                ctx.timers().register_on_time("late", at(7))

        def on_timer(self, ctx: vs.OnTimerContext) -> None:
            self.collect(("x",))

    for Wrong.given in (None, "x", 2**40):
        with pytest.raises(ViewscribeError) as caught:
            run(Wrong, [("a", at(0), 1), ("a", at(1), 2)], size=50)
        assert "row Row(k='a'" in (caught.value.location or "")
        assert "v=2" in (caught.value.location or "")
    with pytest.raises(ViewscribeError) as caught:
        run(Wrong, [("a", at(0), 3)])
    assert caught.value.location == f"timer 'late', at {at(7)}"


NO_TIMES = [("a", at(0), 1), ("a", at(3), 2), ("a", None, 3), ("a", None, 4), ("b", None, 5)]


class Timed(vs.ProcessTableFunction[Any]):
    """What happens when; a timer two seconds after each row."""

    output_type = "what STRING"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """A row."""
        timers = ctx.timers()
        self.collect(f"row {input.v} {timers.current_watermark() is None}")
        if timers.current_time() is not None:
            timers.register_on_time("later", timers.current_time() + timedelta(seconds=2))

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """A timer."""
        self.collect("timer")


def test_rows_without_a_time_may_come_after_all_others() -> None:
    found = run(Timed, NO_TIMES, null_times="last")
    assert [(r["k"], r["what"], r["rowtime"]) for r in found] == [
        ("a", "row 1 True", at(0)),
        ("a", "timer", at(2)),
        ("a", "row 2 True", at(3)),
        ("a", "timer", at(5)),
        ("a", "row 3 True", None),
        ("a", "row 4 True", None),
        ("b", "row 5 True", None),
    ]


def test_rows_without_a_time_may_be_left_out() -> None:
    found = run(Timed, NO_TIMES, null_times="drop")
    assert [r["what"][:5] for r in found] == ["row 1", "timer", "row 2", "timer"]


def test_a_row_without_a_time_must_come_last_and_has_no_timers() -> None:
    rows = [("a", None, 1), ("a", at(0), 1)]
    with pytest.raises(ProcessFunctionError, match="after one without a time") as caught:
        run(Timed, rows, null_times="last")
    assert "NULLS LAST" in (caught.value.hint or "")

    class Late(Timed):
        def eval(self, ctx: vs.Context, input: Set) -> None:
            ctx.timers().register_on_time("later", at(100))

    with pytest.raises(ProcessFunctionError, match="the input has ended"):
        run(Late, rows[:1], null_times="last")
