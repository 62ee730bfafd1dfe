"""Batches as Spark's worker reads them, and not partition by partition.

For PARTITION BY the worker of PySpark compares each row with the one before, two Python values for
each, cuts the batch and makes a handler for each partition: most of what a call in SQL text costs.
The driver tells partitions apart by their keys anyway. So a handler that is made by that part of
the worker takes its place; where the worker is another one, all goes its usual way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import pyarrow as pa

from viewscribe.spark.process.input_batches import at
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.tasks import Task, other_keys_error


@dataclass(frozen=True)
class Partitioning:
    """The part of the worker that cuts batches.

    Args:
        wrapper: what the worker calls.
        places: which columns of a batch are those of PARTITION BY.
    """

    wrapper: Any
    places: list[int]


def partitioning_of(maker: FrameType | None) -> Partitioning | None:
    """The part of the worker that cuts batches, where a handler is being made by it.

    Args:
        maker: the frame in which the handler is made.
    """
    for _ in range(2):  # the worker makes handlers in a function of its own
        names = {} if maker is None else maker.f_locals
        wrapper, places = names.get("self"), names.get("partition_child_indexes")
        if type(wrapper).__name__ == "ArrowUDTFWithPartition" and isinstance(places, list):
            return Partitioning(wrapper, places)
        maker = None if maker is None else maker.f_back
    return None


class WholeBatches:
    """What the worker calls with its batches.

    Args:
        task: takes the rows.
        partitioning: the part of the worker in whose place it is called.
    """

    def __init__(self, task: Task, partitioning: Partitioning) -> None:
        self._task = task
        self._places = partitioning.places
        self._plan: CallPlan = task.plan
        partitioning.wrapper.eval, partitioning.wrapper.terminate = self.eval, self.terminate
        self._last: tuple[Any, Any] | None = None

    def eval(self, *args: Any, **named: Any) -> Iterator[Any]:
        """A batch of rows of any partitions, those of each together."""
        for value in (*args, *named.values()):
            if isinstance(value, pa.RecordBatch) and value.num_rows:
                yield from map(_table, self._task.take(self._data_of(value)))

    def terminate(self) -> Iterator[Any]:
        """After the last batch."""
        return map(_table, self._task.end())

    def _data_of(self, batch: Any) -> Any:
        """The columns of the table, once PARTITION BY is found to be what ``keys`` says."""
        names = batch.schema.names
        own = [place for place in range(len(names)) if place not in self._places]
        columns = {names[place]: batch.column(place) for place in own}
        data = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
        parts = [batch.column(place) for place in self._places]
        keys = [at(columns, path) for path in self._plan.key_paths]
        self._compare(parts, keys)
        return data

    def _compare(self, parts: Sequence[Any], keys: Sequence[Any]) -> None:
        """Refuses keys that do not change where the columns of PARTITION BY do."""
        count = len(parts[0])
        if len(parts) == len(keys) and all(map(_equal, parts, keys)):
            ends = [0, count - 1]  # what is between them is the same in both
            parts, keys = [part.take(ends) for part in parts], [key.take(ends) for key in keys]
        by_parts = list(zip(*[part.to_pylist() for part in parts], strict=True))
        by_keys = list(zip(*[key.to_pylist() for key in keys], strict=True)) or [()] * count
        before = self._last
        for part, key in zip(by_parts, by_keys, strict=True):
            if before is not None and (part == before[0]) is not (key == before[1]):
                raise other_keys_error(self._plan, key, more=key == before[1])
            before = (part, key)
        self._last = before


def _equal(one: Any, other: Any) -> bool:
    return bool(one.equals(other))


def _table(batch: Any) -> Any:
    return pa.Table.from_batches([batch])
