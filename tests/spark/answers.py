"""What DataFrames give, each plan run once: frames that Spark plans alike share their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")


def same_plan(one: DataFrame, other: DataFrame) -> bool:
    """Whether Spark's optimizer makes the same plan of both."""
    plans: Any = (one, other)
    try:
        left, right = (each._jdf.queryExecution().optimizedPlan() for each in plans)
    except (Py4JJavaError, PySparkException):
        return False  # it may fail while it folds constants; so will the rows
    return bool(left.sameResult(right)) and not _has_signed_zero(left)


def _has_signed_zero(plan: Any) -> bool:
    """For Spark 0.0 and -0.0 are the same, as literals and in local rows."""
    rows = [plan.toString()]
    leaves = plan.collectLeaves()
    for place in range(leaves.size()):
        if leaves.apply(place).nodeName() == "LocalRelation":
            rows.append(leaves.apply(place).data().toString())
    return any("-0.0" in row or "8000000000000000" in row for row in rows)


class Answers(Generic[T]):
    """The results of DataFrames over tables that do not change meanwhile.

    A DataFrame whose analyzed or optimized plan Spark takes for one that has run before is not run
    again: ``sameResult`` is Spark's word that the rows are the same. Names of columns are no part
    of it, so schemas are compared beside it.

    Args:
        collect: runs a DataFrame and gives what is compared.
    """

    def __init__(self, collect: Callable[[DataFrame], T]) -> None:
        self._collect = collect
        self._known: dict[int, list[tuple[Any, T]]] = {}
        self.runs = 0

    def of(self, frame: DataFrame) -> T:
        """The result of a DataFrame, or that of an earlier one of the same plan."""
        missed: list[tuple[int, Any]] = []
        for plan in _plans(frame):
            key = plan.semanticHash()
            for known, result in self._known.get(key, ()):
                if plan.sameResult(known):
                    self._remember(missed, result)
                    return result
            missed.append((key, plan))
        self.runs += 1
        result = self._collect(frame)
        self._remember(missed, result)
        return result

    def _remember(self, plans: list[tuple[int, Any]], result: T) -> None:
        for key, plan in plans:
            self._known.setdefault(key, []).append((plan, result))


def _plans(frame: DataFrame) -> Iterator[Any]:
    """The analyzed plan, then the optimized one, which Spark may fail to make: so will the run."""
    java: Any = frame
    execution = java._jdf.queryExecution()
    if _has_signed_zero(execution.analyzed()):
        return
    yield execution.analyzed()
    with suppress(Py4JJavaError, PySparkException):
        yield execution.optimizedPlan()
