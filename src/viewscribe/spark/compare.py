"""Compares two DataFrames: Spark's plans for them, and their rows."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.java_classes import NotCompiledError, Py4JError
from viewscribe.spark.proof import NormalForms, UnknownPlanError
from viewscribe.spark.report import Check
from viewscribe.spark.session import SPARK_ERRORS, first_line

# Rows in a form in which equal means equal, in Spark as well as in Python.
#
# Floating point numbers become text, so that NaN equals itself and -0.0 is not 0.0; maps become
# sorted entries; moments, dates and intervals become numbers or text, so that neither Python's
# range of years nor a local time zone plays a part.

_AS_THEY_ARE = (
    t.BooleanType,
    t.ByteType,
    t.ShortType,
    t.IntegerType,
    t.LongType,
    t.DecimalType,
)


def canonical_rows(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows of a DataFrame in canonical form, the columns called ``names``."""
    plain = frame.toDF(*names)
    fields = zip(names, frame.schema.fields, strict=True)
    return plain.select(
        *[canonical(F.col(name), field.dataType).alias(name) for name, field in fields]
    )


def canonical(column: Column, type_: t.DataType) -> Column:
    """One column in canonical form."""
    if isinstance(type_, _AS_THEY_ARE):
        return column
    handler = _HANDLERS.get(type(type_))
    if handler is not None:
        return handler(column, type_)
    if isinstance(type_, t.StringType):
        return F.collate(column, "UTF8_BINARY")
    return column.cast("string")


def _array(column: Column, type_: Any) -> Column:
    return F.transform(column, lambda item: canonical(item, type_.elementType))


def _map(column: Column, type_: Any) -> Column:
    def entry(pair: Column) -> Column:
        return F.struct(
            canonical(pair["key"], type_.keyType).alias("key"),
            canonical(pair["value"], type_.valueType).alias("value"),
        )

    return F.array_sort(F.transform(F.map_entries(column), entry))


def _struct(column: Column, type_: Any) -> Column:
    """Fields are numbered first: two of them may have the same name."""
    if not type_.fields:
        return column.cast("string")
    numbered = t.StructType(
        [t.StructField(f"f{place}", field.dataType) for place, field in enumerate(type_.fields)]
    )
    plain = column.cast(numbered)
    fields = [
        canonical(plain.getField(field.name), field.dataType).alias(field.name)
        for field in numbered.fields
    ]
    return F.when(column.isNotNull(), F.struct(*fields))


def _variant(column: Column, type_: Any) -> Column:
    return F.concat(F.schema_of_variant(column), F.lit(" "), F.to_json(column))


_HANDLERS: dict[type[t.DataType], Callable[[Column, Any], Column]] = {
    t.BinaryType: lambda column, type_: F.hex(column),
    t.TimestampType: lambda column, type_: F.unix_micros(column),
    t.ArrayType: _array,
    t.MapType: _map,
    t.StructType: _struct,
    t.VariantType: _variant,
}


def frozen(value: object) -> Any:
    """A collected value as something hashable."""
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return value


def is_floating(type_: t.DataType) -> bool:
    """Whether values of the type hold floating point numbers."""
    return any(_floating_places(type_))


def _floating_places(type_: t.DataType) -> Iterator[bool]:
    if isinstance(type_, t.FloatType | t.DoubleType):
        yield True
    elif isinstance(type_, t.ArrayType):
        yield from _floating_places(type_.elementType)
    elif isinstance(type_, t.MapType):
        yield from _floating_places(type_.keyType)
        yield from _floating_places(type_.valueType)
    elif isinstance(type_, t.StructType):
        for field in type_.fields:
            yield from _floating_places(field.dataType)


def split_floats(value: Any, type_: t.DataType, floats: list[tuple[float, bool]]) -> Any:
    """The canonical value without its floating point numbers, which go into ``floats``.

    Beside each number stands whether it is a single-precision one.
    """
    if value is None:
        return None
    if isinstance(type_, t.FloatType | t.DoubleType):
        floats.append((float(value), isinstance(type_, t.FloatType)))
        return "#"
    if isinstance(type_, t.ArrayType):
        return tuple(split_floats(item, type_.elementType, floats) for item in value)
    if isinstance(type_, t.MapType):
        pairs = (type_.keyType, type_.valueType)
        return tuple(_split_all(pair, pairs, floats) for pair in value)
    if isinstance(type_, t.StructType) and type_.fields:
        return _split_all(value, [field.dataType for field in type_.fields], floats)
    return value


def _split_all(
    values: Any, types: Sequence[t.DataType], floats: list[tuple[float, bool]]
) -> tuple[Any, ...]:
    pairs = zip(values, types, strict=True)
    return tuple(split_floats(value, type_, floats) for value, type_ in pairs)


# Multisets of rows: how two of them differ, exactly and with a tolerance for floating point.

TOLERANCE = 1e-9
"""How far sums and means of DOUBLE may lie apart, relative to the larger one.

Their last digits depend on the order in which Spark adds the numbers up.
"""

SINGLE_TOLERANCE = 1e-6
"""The same for FLOAT, which holds 24 bits."""

NEAR_ZERO = 1e-12
"""What two numbers may lie apart at least: positive and negative ones may cancel out."""

Row = tuple[Any, ...]


def close(one: Row, other: Row, types: Sequence[t.DataType]) -> bool:
    """Whether two canonical rows are equal but for the last digits of floating point numbers."""
    left, right = _split(one, types), _split(other, types)
    return left[0] == right[0] and _close_floats(left[1], right[1])


def all_close(left: Counter[Row], right: Counter[Row], types: Sequence[t.DataType]) -> bool:
    """Whether every row of one multiset has a close counterpart in the other."""
    if left.total() != right.total():
        return False
    groups = _by_rest(left.elements(), types), _by_rest(right.elements(), types)
    if groups[0].keys() != groups[1].keys():
        return False
    return all(_pairwise_close(group, groups[1][rest]) for rest, group in groups[0].items())


Floats = list[tuple[float, bool]]


def _split(row: Row, types: Sequence[t.DataType]) -> tuple[Row, Floats]:
    floats: Floats = []
    rest = tuple(split_floats(v, type_, floats) for v, type_ in zip(row, types, strict=True))
    return rest, floats


def _by_rest(rows: Iterable[Row], types: Sequence[t.DataType]) -> dict[Row, list[Floats]]:
    groups: dict[Row, list[Floats]] = defaultdict(list)
    for row in rows:
        rest, floats = _split(row, types)
        groups[rest].append(floats)
    return groups


def _pairwise_close(one: list[Floats], other: list[Floats]) -> bool:
    """Pairs the rows in the order of their numbers; rounded first, so that noise plays no part."""
    if len(one) != len(other):
        return False
    pairs = zip(sorted(one, key=_order), sorted(other, key=_order), strict=True)
    return all(_close_floats(a, b) for a, b in pairs)


def _order(floats: Floats) -> list[tuple[bool, float]]:
    return [
        (math.isnan(number), 0.0 if math.isnan(number) else _round_(number)) for number, _ in floats
    ]


def _round_(number: float) -> float:
    return float(f"{number:.6e}") if math.isfinite(number) else number


def _close_floats(one: Floats, other: Floats) -> bool:
    return len(one) == len(other) and all(
        _close_numbers(a, b, SINGLE_TOLERANCE if single else TOLERANCE)
        for (a, single), (b, _) in zip(one, other, strict=True)
    )


def _close_numbers(a: float, b: float, tolerance: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b == 0:
        return math.copysign(1, a) == math.copysign(1, b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=NEAR_ZERO)


def show_row(row: Row, names: Sequence[str], types: Sequence[t.DataType]) -> str:
    """A canonical row for human eyes; long ones are cut."""
    cells = zip(row, names, types, strict=True)
    text = ", ".join(f"{name}: {_show(value, type_)}" for value, name, type_ in cells)
    return f"({text})" if len(text) <= 400 else f"({text[:400]}…)"


def _show(value: Any, type_: t.DataType) -> str:
    if value is None:
        return "NULL"
    if isinstance(type_, t.TimestampType):
        return _moment(value)
    return repr(value) if isinstance(type_, t.StringType) else str(value)


def _moment(microseconds: int) -> str:
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    try:
        return (epoch + dt.timedelta(microseconds=microseconds)).isoformat(sep=" ")
    except OverflowError:
        return f"{microseconds} microseconds after 1970-01-01"


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
        if sql.sameSemantics(tree):
            return Check("equal", "the analyzed plans are the same")
        return Check("not compared", "the analyzed plans are built differently")
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
