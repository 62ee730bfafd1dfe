"""What Spark is given of a call over a stream: its state, and the processor as it was pickled.

Before the first rows Spark asks a processor for its state, in a Python process that has none of the
modules that were sent to workers. So this travels by value and needs PySpark alone; what needs
viewscribe and the user's modules is unpickled where rows are.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import Row, StructType


class PackedProcessor(StatefulProcessor):
    """The processor that Spark calls.

    Args:
        packed: the ``OrderedProcessor`` that does the work, pickled.
        waiting: the type of the rows that wait.
        partition: the type of what is kept of a partition.
    """

    def __init__(self, packed: bytes, waiting: StructType, partition: StructType) -> None:
        self._packed = packed
        self._types = waiting, partition
        self._given: tuple[Any, ...] = ()
        self._opened: Any = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called once for each task and micro-batch, and once before them all without rows."""
        waiting, partition = self._types
        self._given = (
            handle,
            handle.getListState("waiting", waiting),
            handle.getValueState("partition", partition),
        )

    def close(self) -> None:
        """Called after the last partition of a task."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def handleInputRows(self, key: Any, rows: Iterable[Any], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """The rows of a partition in a micro-batch."""
        made: Iterator[Row] = self._open().handleInputRows(key, rows, timerValues)
        return made

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[Row]:
        """The watermark has passed a timer of the partition."""
        made: Iterator[Row] = self._open().handleExpiredTimer(key, timerValues, expiredTimerInfo)
        return made

    def _open(self) -> Any:
        if self._opened is None:
            self._opened = pickle.loads(self._packed)
            self._opened.begin(*self._given)
        return self._opened
