"""A process table function over a stream, in the order of time: rows wait until theirs has come.

Spark hands over the rows of a micro-batch as they arrived. Here they wait in the state of their
partition; when the watermark has passed, they go through the driver in order, together with the
timers of the function: the very same calls as over a batch. Of Spark's own timers a partition has
one at most, for the first row or timer that waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pyspark import cloudpickle
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import LongType, Row, StringType, StructField, StructType

from viewscribe.spark.process import packed_processor
from viewscribe.spark.process.driver import Driver, ProcessFunctionError
from viewscribe.spark.process.input_batches import (
    CALL,
    BatchReader,
    Keeper,
    StateChangedError,
    Unpacker,
)
from viewscribe.spark.process.packed_processor import PackedProcessor
from viewscribe.spark.process.plain import Shape, shape_of
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.timers import MAX_TIME
from viewscribe.spark.process.values import Results, to_micros

WAITING = StructType(
    [StructField("time", LongType(), False), StructField("row", StringType(), False)]
)
"""A row that waits: its time in microseconds; the number of its table and its values."""

PARTITION = StructType(
    [
        StructField("next", LongType()),
        StructField("types", StringType(), False),
        StructField("kept", StringType()),
    ]
)
"""A partition: Spark's timer in milliseconds; the types of what is kept; state and timers."""

_TYPES = WAITING, PARTITION


@dataclass(frozen=True)
class OrderKey:
    """A key of ORDER BY after the time.

    Args:
        column: the place of the column.
        path: the fields in it.
        descending: whether greater values come first.
        nulls_first: whether NULL comes first.
    """

    column: int
    path: tuple[str, ...]
    descending: bool
    nulls_first: bool

    def of(self, values: Sequence[Any]) -> Any:
        """What the row with these values is sorted by."""
        value = values[self.column]
        for name in self.path:
            value = None if value is None else value[name]
        if value is None:
            return (0,) if self.nulls_first is not self.descending else (2,)
        if isinstance(value, float):
            return (1, value != value, 0.0 if value != value else value)
        return (1, value)


class OrderedProcessor(StatefulProcessor):
    """What does the work of a ``PackedProcessor``.

    Args:
        plan: the call.
        order: ORDER BY after the time.
        event_time: whether the time of the result is event time further on.
    """

    def __init__(
        self, plan: CallPlan, order: Sequence[OrderKey] = (), *, event_time: bool = False
    ) -> None:
        self._plan, self._order, self._event_time = plan, tuple(order), event_time
        self._shapes = {each.name: shape_of(each.annotation) for each in plan.signature.states}
        self._work: _Work | None = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called once for each task and micro-batch, and once before them all without rows."""
        waiting, partition = _TYPES
        self.begin(
            handle,
            handle.getListState("waiting", waiting),
            handle.getValueState("partition", partition),
        )

    def begin(self, handle: StatefulProcessorHandle, waiting: Any, partition: Any) -> None:
        """Called where the states are there: those of the rows that wait, and of the partition."""
        self._handle, self._waiting, self._partition = handle, waiting, partition

    def packed(self) -> PackedProcessor:
        """The processor to give to Spark."""
        cloudpickle.register_pickle_by_value(packed_processor)  # type: ignore[no-untyped-call]
        return PackedProcessor(cloudpickle.dumps(self), *_TYPES)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Called after the last partition of a task."""
        if self._work is not None:
            self._work.driver.close()
            self._work = None

    def handleInputRows(self, key: Any, rows: Iterable[Any], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """The rows of a partition in a micro-batch: they wait."""
        if key[0] == CALL:
            self._check_call(next(iter(rows))["row"])
            return iter(())
        found = [(to_micros(row["time"], naive=False), row["row"]) for row in rows]
        if found:
            kept = self._partition.get()
            work = self._start_work()
            if kept is not None:
                work.keeper.check(kept[1])
            self._waiting.appendList(found)
            due = in_milliseconds(min(time for time, _ in found))
            if kept is None or kept[0] is None or due < kept[0]:
                self._expect(due, kept)
                self._partition.update((due, *(kept[1:] if kept else (work.keeper.types, None))))
        return iter(())

    def _check_call(self, keys: str) -> None:
        kept = self._partition.get()
        if kept is None:
            self._partition.update((None, keys, None))
        elif kept[1] != keys:
            raise StateChangedError(
                f"{self._plan.name} is called with PARTITION BY of {keys}, and the checkpoint was "
                f"written when it was {kept[1]}",
                hint="partition by the old keys again, or begin with a new checkpoint directory",
            )

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[Row]:
        """The watermark has passed the first row or timer that waits: all that is due goes on."""
        work = self._start_work()
        watermark = timerValues.getCurrentWatermarkInMs() * 1000
        kept = self._partition.get()
        if kept is not None:
            work.keeper.check(kept[1])
        rows = list(self._waiting.get())
        later = [row for row in rows if row[0] > watermark]
        due = [row for row in rows if row[0] <= watermark]
        made = work.drained(key[0], due, watermark, None if kept is None else kept[2])
        if self._event_time and work.driver.timers.has_periodic:
            raise _late(self._plan)
        self._keep(work, later, any_due=bool(due))
        yield from made

    def _keep(self, work: _Work, later: list[tuple[Any, ...]], *, any_due: bool) -> None:
        """Keeps what waits, the state and the timers."""
        if any_due and later:
            self._waiting.put(later)
        elif any_due:
            self._waiting.clear()
        timer = work.driver.timers.next_once()
        first = min((time for time, _ in later), default=MAX_TIME)
        following = min(timer, first)
        due = None if following == MAX_TIME else in_milliseconds(following)
        text = work.keeper.dump()
        if due is None and text is None:
            self._partition.clear()
            return
        if due is not None:
            self._handle.registerTimer(due)
        self._partition.update((due, work.keeper.types, text))

    def _expect(self, due: int, kept: Any) -> None:
        """Spark's timer of the partition, in the place of a later one."""
        if kept is not None and kept[0] is not None:
            self._handle.deleteTimer(kept[0])
        self._handle.registerTimer(due)

    def _start_work(self) -> _Work:
        if self._work is None:
            self._work = _Work(self._plan, self._order, self._shapes)
            self._work.driver.open()
        return self._work


class ArrivalProcessor(OrderedProcessor):
    """The same for a call without a time: rows are processed when they come, by the clock.

    All rows and timers of a micro-batch have its time. Timers that are due fire before its rows, as
    in the order of time; those at its very time after them.
    """

    def handleInputRows(self, key: Any, rows: Iterable[Any], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """The rows of a partition in a micro-batch."""
        if key[0] == CALL:
            self._check_call(next(iter(rows))["row"])
            return iter(())
        return iter(self._process(key[0], [row["row"] for row in rows], timerValues))

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[Row]:
        """The clock has passed the first timer of a partition."""
        return iter(self._process(key[0], [], timerValues))

    def _process(self, key: str, rows: list[str], timer_values: Any) -> list[Row]:
        work = self._start_work()
        work.driver.by_clock = True
        kept = self._partition.get()
        if kept is not None:
            work.keeper.check(kept[1])
        now = timer_values.getCurrentProcessingTimeInMs() * 1000
        made = work.arrived(key, rows, now, None if kept is None else kept[2])
        following = work.driver.timers.earliest
        due = None if following == MAX_TIME else in_milliseconds(following)
        text = work.keeper.dump()
        self._wake(due, None if kept is None else kept[0])
        if due is not None or text is not None:
            self._partition.update((due, work.keeper.types, text))
        elif kept is not None:
            self._partition.clear()
        return made

    def _wake(self, due: int | None, before: int | None) -> None:
        """Spark's timer of the partition, in the place of the one before."""
        if before is not None and before != due:
            self._handle.deleteTimer(before)
        if due is not None and before != due:
            self._handle.registerTimer(due)


class _Work:
    """What a task has to work with."""

    def __init__(
        self, plan: CallPlan, order: Sequence[OrderKey], shapes: Mapping[str, Shape]
    ) -> None:
        self.plan = plan
        self.results = Results(plan)
        self.driver = Driver(plan, self.results.collect)
        self.driver.takes_late = True
        self.keeper = Keeper(self.driver, shapes)
        self._unpacker = Unpacker(plan)
        self._reader = BatchReader(plan)
        self._sorted = _sort(order)
        self._passes = plan.signature.passes_through
        self._row = Row(*self.results.schema.names)

    def drained(self, key: str, rows: list[Any], watermark: int, kept: str | None) -> list[Row]:
        """What the function gives for the rows and timers of a partition up to the watermark."""
        driver, results, made = self.driver, self.results, self._reader.row
        self.keeper.load(kept)
        results.partition(self._unpacker.key(key))
        unpacked = [(time, *self._unpacker.row(text)) for time, text in rows]
        for time, source, values in self._sorted(unpacked):
            if self._passes:
                results.input = self._reader.passed_of(values)
            row = made(source, values)
            driver.row(source, row, time)
        driver.advance(watermark)
        return self._made()

    def arrived(self, key: str, rows: list[str], now: int, kept: str | None) -> list[Row]:
        """What the function gives for timers that are due, and for rows that come now."""
        driver, made = self.driver, self._reader.row
        self.keeper.load(kept)
        self.results.partition(self._unpacker.key(key))
        driver.timers.advance_before(now)
        for text in rows:
            source, values = self._unpacker.row(text)
            if self._passes:
                self.results.input = self._reader.passed_of(values)
            driver.row(source, made(source, values), now)
        driver.timers.advance_before(now + 1)
        return self._made()

    def _made(self) -> list[Row]:
        """The rows of the result so far."""
        results = self.results
        if not len(results):
            return []
        columns = [column.to_pylist() for column in results.batch().columns]
        return [self._row(*values) for values in zip(*columns, strict=True)]


def _late(plan: CallPlan) -> ProcessFunctionError:
    return ProcessFunctionError(
        f"{plan.name} has a periodic timer, which fires when a later row has come and then gives "
        "rows of a time that has passed further on",
        hint="call register_on_periodic_time in a method of the class itself: then `rowtime` is no "
        "event time in what follows",
    )


Sorting = Callable[[list[tuple[int, int, list[Any]]]], list[tuple[int, int, list[Any]]]]


def _sort(order: Sequence[OrderKey]) -> Sorting:
    """Sorts rows by time, by the number of the table, and by the keys of ORDER BY."""

    def sort(rows: list[tuple[int, int, list[Any]]]) -> list[tuple[int, int, list[Any]]]:
        for key in reversed(order):
            rows.sort(key=lambda row, key=key: key.of(row[2]), reverse=key.descending)  # type: ignore[misc]
        rows.sort(key=itemgetter(0, 1))
        return rows

    return sort


def in_milliseconds(micros: int) -> int:
    """The first millisecond that is not before the time: Spark's timers are no finer."""
    return -(-micros // 1000)
