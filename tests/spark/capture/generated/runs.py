"""What comes of running a DataFrame: its rows, or how Spark failed over it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from tests.spark.capture.ways import bytes_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z][A-Z0-9_]+)*)\]")

FAILURES = (Py4JJavaError, CapturedException)
"""How an error of the JVM comes to Python: PySpark makes some its own exceptions."""

_OWN_MISTAKES = ("INTERNAL_ERROR", "PLAN_VALIDATION_FAILED_RULE_IN_BATCH")
"""Conditions with which Spark says that it is itself at fault."""


@dataclass(frozen=True)
class Failure:
    """How Spark failed.

    Args:
        condition: Spark's name of the error; empty where it is none of Spark's.
        exception: the class of what was raised first.
    """

    condition: str
    exception: str

    @property
    def is_own(self) -> bool:
        """Whether it is a mistake of Spark's, and nothing that the program asked for."""
        return not self.condition or self.condition.startswith(_OWN_MISTAKES)

    def __str__(self) -> str:
        return self.condition or self.exception


def rows_or_failure(frame: DataFrame) -> Counter[str] | Failure:
    """The rows, or the failure."""
    try:
        return bytes_of(frame)
    except FAILURES as error:
        return failure_of(error)


def failure_of(error: Py4JJavaError | CapturedException) -> Failure:
    """What an error of the JVM says."""
    cause: Any = error.java_exception if isinstance(error, Py4JJavaError) else error._origin
    found = _CONDITION.search(str(cause))
    while cause.getCause() is not None:
        cause = cause.getCause()
        found = found or _CONDITION.search(str(cause))
    return Failure(found[1] if found else "", str(cause.getClass().getName()))


def own_failure(frame: DataFrame, failure: Failure) -> str | None:
    """Why a DataFrame cannot be compared with anything: Spark fails over it, whoever asks.

    Args:
        frame: the DataFrame itself, of which no SQL text was made.
        failure: what came of running it.

    Returns:
        None where the failure is not Spark's own, or does not come again.
    """
    if not failure.is_own:
        return None
    java: Any = frame
    try:
        java._jdf.queryExecution().optimizedPlan()
    except FAILURES as error:
        again = failure_of(error)
        return "Spark's optimizer fails over the DataFrame itself" if again == failure else None
    if rows_or_failure(frame) != failure:
        return None
    return "Spark fails to run the DataFrame itself"
