"""What an asynchronous function gives, as arrays: values of every type, and none of another."""

from __future__ import annotations

import dataclasses
import datetime as dt
import subprocess
import sys
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql.types import Row

from viewscribe import AsyncScalarFunction, TableEnvironment, call, col
from viewscribe.expressions.functions.python import inline
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.async_functions import runtime
from viewscribe.spark.async_runner import AsyncCallError, How
from viewscribe.spark.async_runtime import as_array, as_rows, over_batches, over_rows
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types.ddl import parse_type


def gives(ddl: str) -> Any:
    return ("f", ddl, to_arrow(parse_type(ddl)))


class Point(NamedTuple):
    x: int
    y: str | None


@dataclasses.dataclass
class Place:
    x: int
    y: str | None


NOON = dt.datetime(2020, 2, 29, 12, 0, 0, 5)


@pytest.mark.parametrize(
    ("value", "ddl", "expected"),
    [
        (True, "BOOLEAN", True),
        (3, "TINYINT", 3),
        (3, "BIGINT", 3),
        (1.5, "DOUBLE", 1.5),
        (2, "DOUBLE", 2.0),
        (Decimal("1.25"), "DECIMAL(10, 2)", Decimal("1.25")),
        (7, "DECIMAL(10, 2)", Decimal("7.00")),
        ("a", "STRING", "a"),
        (b"a", "BINARY", b"a"),
        (dt.date(2020, 1, 1), "DATE", dt.date(2020, 1, 1)),
        (NOON, "TIMESTAMP_NTZ", NOON),
        (dt.timedelta(seconds=2), "INTERVAL DAY TO SECOND", dt.timedelta(seconds=2)),
        ([1, None], "ARRAY<INT>", [1, None]),
        ({"a": 1}, "MAP<STRING, INT>", [("a", 1)]),
        (Point(1, None), "STRUCT<x: INT, y: STRING>", {"x": 1, "y": None}),
        (Place(1, "b"), "STRUCT<x: INT, y: STRING>", {"x": 1, "y": "b"}),
        ({"y": "b", "x": 1}, "STRUCT<x: INT, y: STRING>", {"x": 1, "y": "b"}),
        (Row(x=1, y="b"), "STRUCT<x: INT, y: STRING>", {"x": 1, "y": "b"}),
    ],
)
def test_values(value: Any, ddl: str, expected: Any) -> None:
    made = as_array([value, None], [(1,), (2,)], gives(ddl))
    assert made.type == to_arrow(parse_type(ddl))
    assert made.to_pylist() == [expected, None]


@pytest.mark.parametrize(
    ("value", "ddl"),
    [
        ("12", "BIGINT"),
        (True, "BIGINT"),
        (1.0, "BIGINT"),
        (2**40, "INT"),
        (1, "BOOLEAN"),
        (True, "DOUBLE"),
        ("1.5", "DOUBLE"),
        (1.5, "DECIMAL(10, 2)"),
        (Decimal("1.234"), "DECIMAL(10, 2)"),
        (12, "STRING"),
        (b"a", "STRING"),
        ("a", "BINARY"),
        (NOON, "DATE"),
        (dt.date(2020, 1, 1), "TIMESTAMP"),
        (5, "TIMESTAMP"),
        (5, "INTERVAL DAY TO SECOND"),
        ([1, "2"], "ARRAY<INT>"),
        ("ab", "ARRAY<STRING>"),
        ({"a": True}, "MAP<STRING, INT>"),
        ({"x": 1}, "STRUCT<x: INT, y: STRING>"),
        ({"x": 1, "z": "b"}, "STRUCT<x: INT, y: STRING>"),
        ((1, 2), "STRUCT<x: INT, y: STRING>"),
        ((1,), "STRUCT<x: INT, y: STRING>"),
    ],
)
def test_values_of_another_type_are_named(value: Any, ddl: str) -> None:
    with pytest.raises(TypeError) as error:
        as_array([None, value], [(1,), ("key",)], gives(ddl))
    message = str(error.value)
    assert message.startswith(f"the asynchronous call f('key') gave {value!r}, which is no {ddl}: ")


# -- batches ---------------------------------------------------------------------------------------


async def joined(x: int, y: str) -> str:
    return f"{x}{y}"


@pytest.mark.parametrize(
    ("value", "ddl"),
    [
        ({"x": None}, "STRUCT<x: INT NOT NULL>"),
        ((None,), "STRUCT<x: INT NOT NULL>"),
        ([1, None], "ARRAY<INT NOT NULL>"),
        ({"a": None}, "MAP<STRING, INT NOT NULL>"),
        ([{"a": (None,)}], "ARRAY<MAP<STRING, STRUCT<x: INT NOT NULL>>>"),
    ],
)
def test_what_is_not_null_is_given_no_none(value: Any, ddl: str) -> None:
    with pytest.raises(TypeError, match="which is no"):
        as_array([value], [(1,)], gives(ddl))


def test_a_named_tuple_is_taken_by_its_names() -> None:
    made = as_array([Point(1, "a")], [(1,)], gives("STRUCT<y: STRING, x: INT>"))
    assert made.to_pylist() == [{"y": "a", "x": 1}]


def test_batches_of_several_columns() -> None:
    batches = [
        (pa.array([1, 2]), pa.array(["a", None])),
        (pa.array([], pa.int64()), pa.array([], pa.string())),
        (pa.array([3]), pa.array(["c"])),
    ]
    made = over_batches(joined, How("f"), gives("STRING"), guarded=False)(iter(batches))
    assert [each for array in made for each in array.to_pylist()] == ["1a", "2None", "3c"]


def test_calls_that_are_not_needed_are_null() -> None:
    batch = (pa.array([True, False, None]), pa.array([1, 2, 3]), pa.array(["a", "b", "c"]))
    made = over_batches(joined, How("f"), gives("STRING"), guarded=True)(iter([batch]))
    assert [array.to_pylist() for array in made] == [["1a", None, None]]


# -- rows of table functions -----------------------------------------------------------------------

TWO = "STRUCT<x: INT, y: STRING>"


@pytest.mark.parametrize(
    ("row", "ddl", "expected"),
    [
        ((1, "a"), TWO, {"x": 1, "y": "a"}),
        ([1, None], TWO, {"x": 1, "y": None}),
        ({"y": "a", "x": None}, TWO, {"x": None, "y": "a"}),
        (Point(1, "a"), TWO, {"x": 1, "y": "a"}),
        (Place(1, None), TWO, {"x": 1, "y": None}),
        (3, "STRUCT<col: INT>", {"col": 3}),
        (None, "STRUCT<col: INT>", {"col": None}),
        ((3,), "STRUCT<col: INT>", {"col": 3}),
        ({"col": 3}, "STRUCT<col: INT>", {"col": 3}),
        ([1, 2], "STRUCT<col: ARRAY<INT>>", {"col": [1, 2]}),
        ([1], "STRUCT<col: ARRAY<INT>>", {"col": [1]}),
        ({"col": 3}, "STRUCT<col: MAP<STRING, INT>>", {"col": [("col", 3)]}),
        (Point(1, "a"), f"STRUCT<col: {TWO}>", {"col": {"x": 1, "y": "a"}}),
    ],
)
def test_rows_may_be_written_in_several_ways(row: Any, ddl: str, expected: Any) -> None:
    """A row of one column may be its value; no call is NULL, and no row an empty array."""
    made = as_rows([[row, row], None, []], [(1,), None, (2,)], gives(f"ARRAY<{ddl}>"))
    assert made.to_pylist() == [[expected] * 2, None, []]


@pytest.mark.parametrize(
    ("result", "ddl", "message"),
    [
        (None, TWO, r"f\('k'\) gave None, which is no list of rows"),
        ("ab", "STRUCT<col: STRING>", r"f\('k'\) gave 'ab', which is no list of rows"),
        ((Point(1, "a"),), TWO, "which is no list of rows"),
        ([(1, "a"), None], TWO, r"row 2 of the asynchronous call f\('k'\) is None, which is no"),
        ([(1, "a", 2)], TWO, "row 1 .* its values are of other classes"),
        ([(True, "a")], TWO, "row 1"),
        ([{"x": 1}], TWO, "row 1"),
        ([1, "x"], "STRUCT<col: INT>", r"row 2 .* is 'x', which is no STRUCT<col: INT>"),
        ([1, None], "STRUCT<col: INT NOT NULL>", "row 2 .* is None"),
        ([1, 2**31], "STRUCT<col: INT>", r"row 2 .* which is no STRUCT<col: INT>: .*2147483648"),
    ],
)
def test_wrong_rows_are_named(result: Any, ddl: str, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        as_rows([[], result], [("j",), ("k",)], gives(f"ARRAY<{ddl}>"))


def test_rows_that_are_yielded_are_collected_in_an_attempt() -> None:
    class Flaky:
        tries = 0

        async def eval(self, x: int) -> AsyncIterator[int]:
            self.tries += 1
            yield x
            if self.tries % 2:
                raise OSError("in the middle")
            yield x + 1

    how = How("f", delay=0.001, capacity=1, gives_rows=True)
    called = over_batches(Flaky, how, gives("ARRAY<STRUCT<col: INT>>"), guarded=False)
    made = pa.concat_arrays(list(called(iter([pa.array([1, 5], pa.int32())]))))
    assert made.to_pylist() == [[{"col": 1}, {"col": 2}], [{"col": 5}, {"col": 6}]]


def test_whole_rows_travel_with_their_results() -> None:
    rows = pa.RecordBatch.from_pydict({"y": ["a", "b", "c"], "x": [1, 2, 3], "spare": [7, 8, 9]})
    layout = ((1, 0), 2, "made")
    made = over_rows(joined, How("f"), gives("STRING"), layout, guarded=False)(iter([rows, rows]))
    found = [row for batch in made for row in batch.to_pylist()]
    expected = [{"y": y, "x": x, "made": f"{x}{y}"} for x, y in enumerate("abc", 1)]
    assert sorted(map(str, found)) == sorted(map(str, expected * 2))


def test_a_generator_that_is_closed_leaves_no_thread() -> None:
    import threading

    batches = ((pa.array(range(1_000)), pa.array(["a"] * 1_000)) for _ in range(3))
    made = over_batches(joined, How("f"), gives("STRING"), guarded=False)(batches)
    next(iter(made))
    made.close()
    assert not [each for each in threading.enumerate() if each.name.startswith("calls of")]


# -- what workers get ------------------------------------------------------------------------------


class Greeting(AsyncScalarFunction):
    def __init__(self, word: str) -> None:
        self.word = word

    async def eval(self, name: str) -> str:
        return f"{self.word} {name}"


@pytest.mark.slow("a process of its own")
def test_a_worker_needs_no_viewscribe() -> None:
    function = inline(Greeting("hello"))
    made = runtime(function).over_batches(
        Greeting("hello"), How("f"), gives("STRING"), guarded=False
    )
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        sent = cloudpickle.dumps(made)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    program = (
        "import sys, pickle, pyarrow as pa\n"
        "sys.modules['viewscribe'] = None\n"
        "made = pickle.loads(sys.stdin.buffer.read())\n"
        "print([each.to_pylist() for each in made(iter([pa.array(['ada'])]))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=sent, capture_output=True, check=False
    )
    assert done.stdout == b"[['hello ada']]\n", done.stderr.decode()
    assert len(sent) < 100_000


def test_what_cannot_be_sent_is_said_before_anything_runs() -> None:
    class Holding(AsyncScalarFunction):
        def __init__(self) -> None:
            import threading

            self.lock = threading.Lock()

        async def eval(self, x: int) -> int:
            return x

    with pytest.raises(NotInterpretableError, match=r"(?s)Holding cannot be sent .*in open\(\)"):
        runtime(inline(Holding()))


def test_errors_survive_the_way_back() -> None:
    import pickle

    assert str(pickle.loads(pickle.dumps(AsyncCallError("f(1) failed")))) == "f(1) failed"


def test_inline_calls_have_a_name() -> None:
    table = TableEnvironment().from_values([("ada",)], "name STRING")
    assert "Greeting(name)" in table.select(call(Greeting("hi"), col("name"))).explain()
