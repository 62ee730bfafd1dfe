"""A task: batches in, batches out, one partition after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow.compute as pc

from viewscribe.spark.process.driver import Driver
from viewscribe.spark.process.errors import ProcessFunctionError
from viewscribe.spark.process.input_batches import BatchReader
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.results import MOST_ROWS, Results


class Task:
    """Drives a function over the batches of a task.

    The rows of a partition follow each other, in order; what is held is one partition's state.

    Args:
        plan: the call.
        one_by_one: whether somebody else says where a partition ends, by ``end``, so that its rows
            must have one key, and another one than those before.
    """

    def __init__(self, plan: CallPlan, *, one_by_one: bool = False) -> None:
        self.plan = plan
        self._one_by_one = one_by_one
        self._ended: tuple[Any, ...] | None = None
        self.results = Results(plan)
        self.driver = Driver(plan, self.results.collect)
        self.reader = BatchReader(plan)
        self._key: tuple[Any, ...] | None = None
        self._passes = plan.signature.passes_through
        self._by_row = not any(plan.signature.argument(each.name).is_set for each in plan.sources)

    def call(self) -> Iterator[Any]:
        """The one call of a function without tables; gives batches of the result."""
        self.driver.call()
        if len(self.results):
            yield self.results.batch()

    def take(self, batch: object) -> Iterator[Any]:
        """The next batch; gives batches of the result."""
        driver, results = self.driver, self.results
        process, current = driver.row, self._key
        passed = self.reader.passed(batch) if self._passes else None
        for key, source, row, time in self.reader.rows(batch):
            if key != current:
                if self._one_by_one and not self._by_row:
                    self._refuse_other_keys(key)
                if current is not None:
                    self._finish()
                driver.begin()
                results.partition(key)
                current = self._key = key
                if len(results) >= MOST_ROWS:
                    yield results.batch()
            if self._passes:
                results.input = row if passed is None else next(passed)
            if self._by_row:
                driver.last = driver.watermark = None  # a row before says nothing of the next
            process(source, row, time)
            if len(results) >= MOST_ROWS:
                yield results.batch()
        if len(results):
            yield results.batch()

    def end(self) -> Iterator[Any]:
        """After the last batch; a table without rows that is one partition is finished, too."""
        if self._key is None and self._ended is None and self.plan.keeps_empty:
            self.driver.begin()
            self._key = ()
            self.results.partition(())
        if self._key is not None:
            self._finish()
            self._ended, self._key = self._key, None
        if len(self.results):
            yield self.results.batch()

    def _finish(self) -> None:
        self.driver.end()

    def _refuse_other_keys(self, key: tuple[Any, ...]) -> None:
        """Refuses keys that are not what Spark has partitioned the rows by."""
        if self._key is not None or key == self._ended:
            raise other_keys_error(self.plan, key, more=self._key is None)


def other_keys_error(plan: CallPlan, key: object, *, more: bool) -> ProcessFunctionError:
    """The keys of a call are not what Spark has partitioned its rows by.

    Args:
        plan: the call.
        key: the keys of the row where that was noticed.
        more: whether rows of these keys are in several partitions.
    """
    return ProcessFunctionError(
        f"{plan.name}: PARTITION BY has {'more' if more else 'fewer'} columns than `keys`, or "
        "others",
        location=f"keys: {', '.join(plan.sources[0].keys) or 'none'}; a row of {key!r}",
        hint="write the same columns in both: Spark tells no function its PARTITION BY",
    )


MARK = "__mark"
"""The column that tells a row that is none of the table."""


def over_marked_batches(plan: CallPlan) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The same for batches of which the rows with ``MARK`` are left out."""
    run = over_batches(plan)

    def without_mark(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch.filter(pc.invert(batch.column(MARK))).drop_columns([MARK])

    return lambda batches: run(without_mark(batches))


def over_batches(plan: CallPlan) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that a task runs: from its batches to those of the result."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        task: Task | None = None
        try:
            for batch in batches:
                if task is None:
                    task = Task(plan)
                    task.driver.open()
                if not plan.sources:
                    yield from task.call()
                    return
                yield from task.take(batch)
            if task is None and plan.keeps_empty:
                task = Task(plan)
                task.driver.open()
            if task is not None:
                yield from task.end()
        finally:
            if task is not None:
                task.driver.close()

    return run
