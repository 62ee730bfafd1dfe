"""Multisets of rows: how two of them differ, exactly and with a tolerance for floating point."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import types as t

from viewscribe.spark.canonical import split_floats

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
