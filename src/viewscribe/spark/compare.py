"""Compares two DataFrames: Spark's plans for them, and their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

from viewscribe.spark.canonical import canonical_rows, frozen, is_floating
from viewscribe.spark.classic import Py4JError
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.janino import NotCompiledError
from viewscribe.spark.multisets import TOLERANCE, Row, all_close, show_row
from viewscribe.spark.proof import NormalForms, UnknownPlanError
from viewscribe.spark.report import Check
from viewscribe.spark.session import SPARK_ERRORS, first_line

SQL, TREE = "the SQL text", "the tree"
TEXT_OF_PLANS = {"spark.sql.debug.maxToStringFields": "100000"}
"""What is set while plans are compared by their texts, so that no part of them is left out."""
MOST_SHOWN = 5
_MOST_FETCHED = 10_000
"""How many different rows that differ are looked at more closely."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of comparing rows.

    Args:
        check: the comparison.
        nulls: the columns in which the tree's side has a NULL; None if that was not checked.
    """

    check: Check
    nulls: frozenset[int] | None = None


# -- plans ---------------------------------------------------------------------------------------


def compare_plans(sql: DataFrame, tree: DataFrame) -> Check:
    """Compares Spark's plans: equal plans prove equal rows, different plans prove nothing.

    What the analyzed plans prove needs no optimizer, which takes longer than all the rest.
    """
    if not hasattr(sql, "_jdf"):
        return _connect_plans(sql, tree)
    found = _compare_forms(sql, tree, "analyzed")
    return found if found.status == "equal" else compare_optimized(sql, tree)


def compare_optimized(sql: DataFrame, tree: DataFrame) -> Check:
    """Compares the plans of two classic DataFrames as ``compare_plans`` does, once optimized.

    Whatever the session supplies, the time or the user, has no value in them.
    """
    return _compare_forms(sql, tree, "optimized")


def _compare_forms(sql: DataFrame, tree: DataFrame, kind: str) -> Check:
    java: Any = sql.sparkSession
    try:
        forms = NormalForms(java._jsparkSession, java._jvm)
        plans = [_plan(forms, frame, kind, side) for frame, side in ((sql, SQL), (tree, TREE))]
        one, other = map(forms.read, plans)
        if forms.of(one) == forms.of(other):
            return Check("equal", f"the {kind} plans have one normal form")
        if one.is_seeded and forms.of(one, seeds=False) == forms.of(other, seeds=False):
            return Check("equal", f"the {kind} plans are the same but for random seeds")
    except (Py4JError, NotCompiledError, UnknownPlanError) as error:
        return Check("not compared", f"the {kind} plans differ in form: {first_line(error)}")
    except _NotOptimizedError as error:
        return Check("not compared", str(error))
    return Check("not compared", f"the {kind} plans are built differently")


class _NotOptimizedError(Exception):
    """Spark's optimizer fails on a plan."""


def _plan(forms: NormalForms, frame: DataFrame, kind: str, side: str) -> Any:
    if kind == "analyzed":
        java: Any = frame
        return java._jdf  # Java asks it for the plan, in no call of its own
    try:
        return forms.optimized(_execution(frame))
    except Exception as error:  # folding constants runs the user's expressions
        message = f"the optimizer fails on {side}: {first_line(error)}"
        raise _NotOptimizedError(message) from error


def _connect_plans(sql: DataFrame, tree: DataFrame) -> Check:
    if sql.sameSemantics(tree):
        return Check("equal", "the analyzed plans are the same")
    return Check("not compared", "the analyzed plans are built differently")


def _execution(frame: DataFrame) -> Any:
    java: Any = frame
    return java._jdf.queryExecution()


def is_deterministic(frame: DataFrame) -> bool:
    """Whether Spark considers the plan deterministic."""
    if not hasattr(frame, "_jdf"):
        return True
    return bool(_execution(frame).analyzed().deterministic())


# -- rows ----------------------------------------------------------------------------------------


class RowComparison:
    """Compares the rows of two DataFrames of equal types, as multisets.

    Args:
        sql: the DataFrame of the SQL text.
        tree: the DataFrame of the tree.
        in_memory: the number of rows up to which results are compared in this process; larger
        ones are compared in Spark.
    """

    def __init__(self, sql: DataFrame, tree: DataFrame, *, in_memory: int) -> None:
        fields = sql.schema.fields
        self.labels = [field.name for field in fields]
        self.types: list[t.DataType] = [field.dataType for field in fields]
        self.names = [f"c{place}" for place in range(len(fields))]
        self.sql = canonical_rows(sql, self.names)
        self.tree = canonical_rows(tree, self.names)
        self.in_memory = in_memory

    def compare(self) -> tuple[Rows, tuple[list[Row], list[Row]] | None]:
        """Compares the rows, and their order too if they fit in memory."""
        left, failed_left = self._collected(self.sql)
        right, failed_right = self._collected(self.tree)
        if failed_left or failed_right:
            return Rows(_failures(failed_left, failed_right)), None
        if max(len(left), len(right)) > self.in_memory:
            return self._in_spark(), None
        check = self._difference(Counter(left), Counter(right), len(left), len(right))
        nulls = {place for row in right for place, value in enumerate(row) if value is None}
        return Rows(check, frozenset(nulls)), (left, right)

    def _collected(self, frame: DataFrame) -> tuple[list[Row], str]:
        """Collects the first rows, one more than fit in memory, or returns the error."""
        try:
            with silence_errors():
                rows = frame.limit(_MOST_FETCHED).collect()
        except Exception as error:  # Spark's and Py4J's errors have no common base class
            return [], first_line(error)
        return [frozen(row) for row in rows], ""

    def _difference(
        self, left: Counter[Row], right: Counter[Row], count_left: int, count_right: int
    ) -> Check:
        surplus, missing = left - right, right - left
        if not surplus and not missing:
            return Check("equal", _describe_count(count_left))
        floating = any(map(is_floating, self.types))
        if floating and count_left == count_right and all_close(surplus, missing, self.types):
            return Check(
                "equal",
                f"{_describe_count(count_left)}; {surplus.total()} of them only up to a relative "
                f"difference of {TOLERANCE:g} in floating point numbers, which depend on the "
                "order of evaluation",
            )
        return self._different(surplus, missing, (count_left, count_right))

    def _different(
        self, surplus: Counter[Row], missing: Counter[Row], counts: tuple[int, int]
    ) -> Check:
        detail = (
            f"{SQL} gives {_describe_count(counts[0])}, {TREE} {_describe_count(counts[1])}; "
            f"{surplus.total():,} only in {SQL}, {missing.total():,} only in {TREE}"
        )
        lines = []
        for side, rows in ((SQL, surplus), (TREE, missing)):
            first = sorted(rows.items(), key=lambda item: repr(item[0]))[:MOST_SHOWN]
            for row, times in first:
                often = f" {times} times" if times > 1 else ""
                lines.append(f"only in {side}{often}: {show_row(row, self.labels, self.types)}")
        return Check("different", detail, lines)

    def _in_spark(self) -> Rows:
        groups = self._groups()
        weights = (F.col("l"), F.col("r"))
        nulls = [
            F.max((F.col(name).isNull() & (weights[1] > 0)).cast("int")) for name in self.names
        ]
        differing = F.count_if(weights[0] != weights[1])
        try:
            found = groups.agg(F.sum(weights[0]), F.sum(weights[1]), differing, *nulls).collect()[0]
            counts, places = (int(found[0]), int(found[1])), found[3:]
            seen = frozenset(place for place, null in enumerate(places) if null)
            if not found[2]:
                return Rows(Check("equal", _describe_count(counts[0])), seen)
            rows = groups.filter(weights[0] != weights[1]).limit(_MOST_FETCHED).collect()
        except SPARK_ERRORS as error:
            return Rows(Check("different", f"comparing in Spark fails: {first_line(error)}"))
        surplus: Counter[Row] = Counter()
        missing: Counter[Row] = Counter()
        for row in rows:
            *cells, left, right = frozen(row)
            (surplus if left > right else missing)[tuple(cells)] += abs(left - right)
        if int(found[2]) > _MOST_FETCHED:
            check = self._different(surplus, missing, counts)
            first = f"{check.detail}, among the first {_MOST_FETCHED:,} that differ"
            return Rows(Check("different", first, check.differences), seen)
        return Rows(self._difference(surplus, missing, *counts), seen)

    def _groups(self) -> DataFrame:
        """Returns every distinct row with its count on each side."""
        one, none = F.lit(1).cast("bigint"), F.lit(0).cast("bigint")
        left = self.sql.select("*", one.alias("l"), none.alias("r"))
        right = self.tree.select("*", none.alias("l"), one.alias("r"))
        grouped = left.union(right).groupBy(*self.names)
        return grouped.agg(F.sum("l").alias("l"), F.sum("r").alias("r"))


def _failures(left: str, right: str) -> Check:
    """Reports failures: a difference if one side fails, undecided if both fail alike."""
    if left and right:
        return Check("not compared", f"both sides fail: {SQL}: {left}; {TREE}: {right}")
    side, message = (SQL, left) if left else (TREE, right)
    return Check("different", f"{side} fails when it runs: {message}")


def _describe_count(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def row_types(frame: DataFrame) -> Sequence[t.DataType]:
    """Returns the types of the columns, in order."""
    return [field.dataType for field in frame.schema.fields]
