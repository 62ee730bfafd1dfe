"""What runs around functions in Spark's workers, without Spark: values in, values out, errors."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark import cloudpickle
from pyspark.sql.types import Row

from viewscribe.spark import arrow_runtime as runtime
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types.ddl import parse_type


def gives(ddl: str) -> runtime.Gives:
    return ("f", ddl, to_arrow(parse_type(ddl)))


# -- arrays ----------------------------------------------------------------------------------------

NUMBERS = pa.array([1, None, 3], pa.int32())


@pytest.mark.parametrize(
    ("made", "ddl", "expected"),
    [
        (pa.array([1, None], pa.int32()), "INT", [1, None]),
        (pa.array([1, None], pa.int8()), "BIGINT", [1, None]),
        (pa.array([1, 2], pa.int64()), "TINYINT", [1, 2]),
        (pa.array([1.5], pa.float32()), "DOUBLE", [1.5]),
        (pa.array(["a"], pa.large_string()), "STRING", ["a"]),
        (pa.array(["a", "a"]).dictionary_encode(), "STRING", ["a", "a"]),
        (pa.nulls(2), "ARRAY<INT>", [None, None]),
        (pa.chunked_array([[1], [2]]), "BIGINT", [1, 2]),
        (pa.array([[1], None], pa.large_list(pa.int8())), "ARRAY<INT>", [[1], None]),
        (pa.array([Decimal("1.50")], pa.decimal128(5, 2)), "DECIMAL(9, 4)", [Decimal("1.5000")]),
        (pa.array([{"x": 1}]), "STRUCT<x: INT>", [{"x": 1}]),
        (
            pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
            "MAP<STRING, INT>",
            [[("a", 1)]],
        ),
        (pa.array([0], pa.timestamp("s")), "TIMESTAMP_NTZ", [dt.datetime(1970, 1, 1)]),
        (pa.array([dt.date(2020, 1, 1)], pa.date64()), "DATE", [dt.date(2020, 1, 1)]),
    ],
)
def test_another_width_of_the_same_kind_becomes_the_type(
    made: Any, ddl: str, expected: list[Any]
) -> None:
    found = runtime.check(made, gives(ddl))
    assert found.type == gives(ddl)[2]
    assert found.to_pylist() == expected


@pytest.mark.parametrize(
    ("made", "ddl", "message"),
    [
        ([1], "INT", "f gave a list, not a pyarrow.Array"),
        (pa.array(["1"]), "INT", "f gave string in Arrow, and its result is INT, int32"),
        (pa.array([1]), "STRING", "f gave int64 in Arrow"),
        (pa.array([1]), "DOUBLE", "f gave int64 in Arrow"),
        (pa.array([1.0]), "INT", "f gave double in Arrow"),
        (pa.array([1.0]), "FLOAT", "f gave double in Arrow"),
        (pa.array([True]), "INT", "f gave bool in Arrow"),
        (pa.array([2**40]), "INT", "f gave what is no INT: Integer value 1099511627776 not in"),
        (pa.array([Decimal("1.55")]), "DECIMAL(5, 1)", r"gave what is no DECIMAL\(5, 1\)"),
        (pa.array([{"y": 1}]), "STRUCT<x: INT>", "gave struct<y: int64> in Arrow"),
        (pa.array([0], pa.timestamp("us")), "TIMESTAMP", "gave timestamp"),
        (pa.array([["1"]]), "ARRAY<INT>", "gave list<item: string> in Arrow"),
        (pa.array([1], pa.timestamp("ns")), "TIMESTAMP_NTZ", "gave what is no TIMESTAMP_NTZ"),
    ],
)
def test_another_kind_is_an_error_that_names_the_function(
    made: Any, ddl: str, message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        runtime.check(made, gives(ddl))


def test_a_vectorized_function_gives_a_value_for_each_row() -> None:
    same = runtime.vectorize(lambda x: x, gives("INT"))
    assert same(NUMBERS).equals(NUMBERS)
    less = runtime.vectorize(lambda x: x.slice(1), gives("INT"))
    with pytest.raises(ValueError, match="vectorized function f gave 2 values for 3 rows"):
        less(NUMBERS)


def batches_of(function: Any, *given: Any) -> list[Any]:
    made = runtime.over_batches(function, gives("INT"))(iter(given))
    return [value for array in made for value in array.to_pylist()]


def test_a_function_of_batches_may_cut_them_anew() -> None:
    def joined(batches: Iterator[Any]) -> Iterator[Any]:
        yield pa.concat_arrays(list(batches))

    def halved(batches: Iterator[tuple[Any, Any]]) -> Iterator[Any]:
        for one, _ in batches:
            yield one.slice(0, 1)
            yield one.slice(1)

    assert batches_of(joined, NUMBERS, NUMBERS) == [1, None, 3, 1, None, 3]
    assert batches_of(halved, (NUMBERS, NUMBERS)) == [1, None, 3]
    assert batches_of(joined, NUMBERS.slice(0, 0)) == []


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda batches: iter([next(batches)]), "f gave 3 values for 6 rows"),
        (lambda batches: (each.slice(1) for each in batches), "f gave 4 values for 6 rows"),
        (lambda batches: (each.to_pylist() for each in batches), "f gave a list"),
    ],
)
def test_all_batches_together_have_a_value_for_each_row(function: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        batches_of(function, NUMBERS, NUMBERS)


# -- accumulators ----------------------------------------------------------------------------------


class Words:
    """Joins words; tells in how many accumulators they were."""

    merged = 0

    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], word: str | None) -> None:
        accumulator.append(word or "?")

    def get_value(self, accumulator: list[str]) -> str:
        return " ".join(accumulator)


class Merging(Words):
    def merge(self, accumulator: list[str], accumulators: Iterable[list[str]]) -> None:
        for other in accumulators:
            type(self).merged += 1
            accumulator += other


@given(st.lists(st.none() | st.text(max_size=3), max_size=40), st.integers(1, 12))
def test_however_rows_are_cut_accumulators_merge_to_the_same(
    words: list[str | None], size: int
) -> None:
    column = pa.array(words, pa.string())
    before, Merging.merged = runtime.BATCH, 0
    runtime.BATCH = size
    try:
        alone, merging = runtime.accumulate(Words)(column), runtime.accumulate(Merging)(column)
    finally:
        runtime.BATCH = before
    assert alone == merging == " ".join(word or "?" for word in words)
    assert Merging.merged == max(-(-len(words) // size) - 1, 0)


def test_a_group_without_rows_has_the_value_of_a_new_accumulator() -> None:
    for function in (Words, Words(), Merging):
        assert runtime.accumulate(function)(pa.array([], pa.string())) == ""


def test_an_accumulator_changes_in_place() -> None:
    class Lost(Words):
        def accumulate(self, accumulator: list[str], word: str | None) -> Any:
            return [*accumulator, word]

    with pytest.raises(TypeError, match=r"Lost\.accumulate changes .* it returned \['a'\]"):
        runtime.accumulate(Lost)(pa.array(["a"]))


def test_collected_rows_are_groups() -> None:
    rows = to_arrow(parse_type("ARRAY<STRUCT<x: INT, y: STRING>>"))
    groups = pa.array(
        [[{"x": 1, "y": "a"}, {"x": None, "y": "b"}], [], None, [{"x": 5, "y": None}]], rows
    )
    lists = runtime.with_lists(lambda xs, ys: f"{xs} {ys}")
    found = runtime.over_collected(lists, gives("STRING"))(groups.slice(1))
    assert found.to_pylist() == ["[] []", None, "[5] [None]"]
    arrays = runtime.with_arrays(lambda xs, ys: xs.null_count)
    assert runtime.over_collected(arrays, gives("INT"))(groups).to_pylist() == [1, 0, None, 0]


# -- values ----------------------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    y: Any


@dataclasses.dataclass
class Span:
    x: int
    y: Any


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int
    y: Any


LOCAL = dt.datetime(2020, 1, 1, 12)
PAIR = "STRUCT<x: INT, y: ARRAY<STRING>>"


@pytest.mark.parametrize(
    ("value", "ddl", "expected"),
    [
        (1, "BIGINT", 1),
        (2.0, "BIGINT", 2),
        (1, "DOUBLE", 1.0),
        (0, "DECIMAL(5, 2)", Decimal("0.00")),
        (Decimal("1.5"), "DECIMAL(38, 18)", Decimal("1.5")),
        (None, "MAP<STRING, INT>", None),
        ({"a": 1, "b": None}, "MAP<STRING, INT>", {"a": 1, "b": None}),
        ({}, "MAP<STRING, INT>", {}),
        ([], "ARRAY<INT>", []),
        ([LOCAL], "ARRAY<TIMESTAMP>", [LOCAL]),
        (LOCAL, "TIMESTAMP", LOCAL),
        (LOCAL.astimezone(dt.UTC), "TIMESTAMP", LOCAL),
        (LOCAL, "TIMESTAMP_NTZ", LOCAL),
        (dt.time(10, 30), "TIME", dt.time(10, 30)),
        (dt.timedelta(days=1), "INTERVAL DAY TO SECOND", dt.timedelta(days=1)),
        (dt.date(2020, 1, 1), "DATE", dt.date(2020, 1, 1)),
        (b"ab", "BINARY", b"ab"),
        (Point(1, ["a"]), PAIR, Row(x=1, y=["a"])),
        (Span(1, ["a"]), PAIR, Row(x=1, y=["a"])),
        (Slotted(1, None), PAIR, Row(x=1, y=None)),
        ({"x": 1, "y": []}, PAIR, Row(x=1, y=[])),
        (Row(x=1, y=[]), PAIR, Row(x=1, y=[])),
        ({1: Point(2, ["b"])}, f"MAP<INT, {PAIR}>", {1: Row(x=2, y=["b"])}),
        (pa.scalar(7, pa.int8()), "INT", 7),
        (pa.scalar(None, pa.int8()), "INT", None),
    ],
)
def test_values_come_back_as_spark_has_them_in_python(value: Any, ddl: str, expected: Any) -> None:
    wanted = gives(ddl)
    written = runtime.as_scalar(value, wanted)
    array = pa.array([written], type=wanted[2])
    assert runtime.values(array) == [expected]


@pytest.mark.parametrize(
    ("value", "ddl", "message"),
    [
        (1.5, "INT", "f gave 1.5, which is no INT: it has a fraction"),
        ("1", "INT", "f gave '1', which is no INT"),
        (1, "STRING", "f gave 1, which is no STRING"),
        (2**40, "INT", "which is no INT"),
        (1.5, "DECIMAL(5, 2)", r"f gave 1\.5, which is no DECIMAL"),
        (Decimal("1.555"), "DECIMAL(5, 2)", r"which is no DECIMAL\(5, 2\)"),
        (dt.date(2020, 1, 1), "TIMESTAMP", "it is no datetime"),
        (LOCAL.astimezone(dt.UTC), "TIMESTAMP_NTZ", "it has a time zone"),
        ("ab", "ARRAY<STRING>", "it is no list"),
        ([(1, 2)], "MAP<INT, INT>", "it is no dict"),
        ((1,), PAIR, "it has not the 2 fields"),
        (pa.scalar("a"), "INT", "f gave string in Arrow"),
    ],
)
def test_a_value_of_another_type_is_an_error_that_names_the_function(
    value: Any, ddl: str, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        runtime.as_scalar(value, gives(ddl))


@pytest.mark.parametrize("ddl", ["INTERVAL YEAR TO MONTH", "INTERVAL", "ARRAY<GEOMETRY(4326)>"])
def test_what_arrow_or_python_lacks_is_named(ddl: str) -> None:
    with pytest.raises(NotInterpretableError, match="no Python function is handed, or gives"):
        to_arrow(parse_type(ddl))


_WORKER = """
import sys
sys.modules["viewscribe"] = None  # importing it fails
from pyspark import cloudpickle
import pyarrow as pa, json
one, group, rows = cloudpickle.loads(sys.stdin.buffer.read())
words = pa.array(["a", None])
print(json.dumps([
    one(pa.array([1, 2])).to_pylist(), group(words).as_py(),
    rows(pa.array([[{"x": "a"}, {"x": None}]])).to_pylist(),
]))
"""


@pytest.mark.slow("a process of its own")
def test_workers_need_no_viewscribe() -> None:
    from viewscribe.spark.python_functions import _runtime

    assert _runtime(None) is runtime  # type: ignore[arg-type]

    run = runtime.accumulate(Words)
    functions = (
        runtime.vectorize(lambda x: x, gives("BIGINT")),
        runtime.over_group(run, gives("STRING")),
        runtime.over_collected(run, gives("STRING")),
    )
    here = sys.modules[__name__]  # which imports viewscribe, as the module of a user would not
    cloudpickle.register_pickle_by_value(here)
    try:
        pickled = cloudpickle.dumps(functions)
    finally:
        cloudpickle.unregister_pickle_by_value(here)
    done = subprocess.run(
        [sys.executable, "-c", _WORKER], input=pickled, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == [[1, 2], "a ?", ["a ?"]]
