"""``run``: a process table function on rows in memory, with no session."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

import viewscribe as vs
from tests.process_functions import CountRows
from viewscribe import ArgumentTrait, col
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.inference import as_python
from viewscribe.spark.process.driver import ProcessFunctionError
from viewscribe.types.ddl import parse_type

T = ArgumentTrait
AT = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
Set = Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET)]
Loose = Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.OPTIONAL_PARTITION_BY)]


class Click(NamedTuple):
    user: int
    page: str | None


@dataclass
class Order:
    user: int
    price: Decimal


class Seen(vs.ProcessTableFunction[Any]):
    """Each row as text, as it comes."""

    output_type = "seen STRING"

    def eval(self, input: Loose) -> None:
        self.collect(repr(input))


class Both(vs.ProcessTableFunction[Any]):
    """Each row of two tables as text."""

    output_type = "table STRING, row STRING"

    def eval(self, left: Set | None, right: Set | None) -> None:
        self.collect(("left", repr(left)) if right is None else ("right", repr(right)))


class Kinds(vs.ProcessTableFunction[Any]):
    """The Python classes of its constants."""

    output_type = "kinds STRING"

    def eval(
        self,
        input: Loose,
        words: list[str],
        codes: dict[str, int],
        pair: Annotated[Any, "STRUCT<a: INT, at: TIMESTAMP>"],
    ) -> None:
        self.collect(f"{words!r} {codes!r} {pair.a} {pair['at'].isoformat()}")


class Remembering(vs.ProcessTableFunction[Any]):
    """State that is a list and a map, by an explicit signature."""

    def type_inference(self) -> vs.ProcessTypeInference:
        return vs.ProcessTypeInference(
            static_arguments=[
                vs.StaticArgument.table("input", T.TABLE_AS_SET),
                vs.StaticArgument.scalar("most", "INT", default=2),
            ],
            state_types={"pages": "ARRAY<STRING>", "counts": "MAP<STRING, BIGINT>"},
            output_type="pages STRING, counts STRING, most INT",
        )

    def eval(
        self,
        pages: vs.ListState[str],
        counts: vs.MapState[str, int],
        input: vs.Row,
        most: int,
    ) -> None:
        pages.add(input.page)
        counts.put(input.page, (counts.get(input.page) or 0) + 1)
        self.collect((",".join(pages), repr(dict(counts.items())), most))


class Failing(vs.ProcessTableFunction[Any]):
    output_type = "n INT"

    def eval(self, input: Loose) -> None:
        self.collect(1 // input.n)


class Ending(vs.ProcessTableFunction[Any]):
    """Says how many rows there were, at the end, if somebody asks."""

    output_type = "n BIGINT"

    def needs_finish(self, call: vs.ProcessCallContext) -> bool:
        return bool(call.value_of("asked"))

    def eval(self, seen: vs.ListState[int], input: Loose, asked: bool) -> None:
        seen.add(1)

    def finish(self, seen: vs.ListState[int]) -> None:
        self.collect(len(seen))


class Paging(vs.ProcessTableFunction[Any]):
    output_type = "n INT"

    def eval(self, input: Loose) -> None:
        self.collect(input.page)


class Opened(vs.ProcessTableFunction[Any]):
    """Whether it is opened before its rows, and closed after them."""

    output_type = "n INT"
    calls: list[str] = []  # noqa: RUF012

    def open(self) -> None:
        self.calls.append("open")

    def close(self) -> None:
        self.calls.append("close")

    def eval(self, input: Loose) -> None:
        self.calls.append("eval")


def seen(rows: list[Any], **call: Any) -> list[str]:
    return [row[-1] for row in vs.process.run(Seen, {"input": rows}, **call)]


def test_rows_are_given_in_many_ways() -> None:
    wanted = ["Row(user=1, page='a')"]
    assert seen([Click(1, "a")]) == wanted
    assert seen([{"user": 1, "page": "a"}]) == wanted
    assert seen([vs.Row(user=1, page="a")]) == wanted
    assert seen([(1, "a")], schema="user INT, page STRING") == wanted
    assert seen([{"page": "a"}], schema="user INT, page STRING") == ["Row(user=None, page='a')"]
    assert seen([Order(1, Decimal("1.50"))]) == ["Row(user=1, price=Decimal('1.50'))"]


def test_a_table_without_rows_says_its_columns() -> None:
    assert seen([], schema="user INT") == []
    with pytest.raises(ValidationError, match=r'without rows.*\n.*schema="id BIGINT'):
        seen([])


def test_partitions_come_one_after_the_other_each_in_order() -> None:
    rows = [Click(2, "d"), Click(1, "b"), Click(2, None), Click(2, "e"), Click(1, "a")]
    first = "Row(user=2, page=None)"
    assert seen(rows, partition_by="user", order_by="page")[0] == first
    backwards = seen(rows, partition_by="user", order_by=[col("page").desc()])
    pages = [text.partition("page=")[2] for text in backwards]
    assert pages == ["'e')", "'d')", "None)", "'b')", "'a')"]


def test_several_tables_come_in_the_order_of_their_times() -> None:
    made = vs.process.run(
        Both,
        {"left": [(1, AT), (1, AT + dt.timedelta(2))], "right": [(AT, 1), (AT, 2)]},
        schema={"left": "id INT, at TIMESTAMP", "right": "t TIMESTAMP, ref INT"},
        partition_by={"left": "id", "right": "ref"},
        on_time=["at", "t"],
    )
    assert [tuple(row[:3]) for row in made] == [
        (1, 1, "left"),
        (1, 1, "right"),
        (1, 1, "left"),
        (2, 2, "right"),
    ]
    assert made[0].fields == ("id", "ref", "table", "row", "rowtime")


def test_the_call_is_checked_as_any_other() -> None:
    with pytest.raises(ValidationError, match="has set semantics, and the call does not partiti"):
        vs.process.run(Remembering, {"input": [Click(1, "a")]})
    with pytest.raises(ValidationError, match=r"has no argument `lft`\n.*\n.*did you mean: left"):
        vs.process.run(Both, {"lft": [Click(1, "a")]}, partition_by="user")


def test_values_are_of_the_types_of_the_schema() -> None:
    given = {"input": [{"n": 1, "page": "x"}]}
    with pytest.raises(
        ValidationError, match=r"`n` of Paging is INT, and was given 'x'.*class str"
    ):
        vs.process.run(Paging, given)
    with pytest.raises(ValidationError, match="'x'"):
        seen([("x",)], schema="user INT")


def test_an_order_by_a_field_is_refused() -> None:
    class Nested(vs.ProcessTableFunction[Any]):
        output_type = "n INT"

        def eval(
            self,
            input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.SUPPORTS_NESTED_ORDER_BY)],
        ) -> None:
            self.collect(1)

    with pytest.raises(ValidationError, match=r"orders no rows by .*place"):
        vs.process.run(
            Nested,
            {"input": [(1, (2,))]},
            schema="id INT, at STRUCT<place: INT>",
            partition_by="id",
            order_by=[col("at")["place"]],
        )


def test_state_of_an_explicit_signature_is_a_list_or_a_map() -> None:
    made = vs.process.run(
        Remembering, {"input": [Click(1, "a"), Click(1, "a"), Click(2, "b")]}, partition_by="user"
    )
    assert [tuple(row) for row in made] == [
        (1, "a", "{'a': 1}", 2),
        (1, "a,a", "{'a': 2}", 2),
        (2, "b", "{'b': 1}", 2),
    ]


def test_constants_are_as_values_of_rows() -> None:
    (made,) = vs.process.run(
        Kinds, {"input": [(1,)]}, schema="n INT", words=["a"], codes={"x": 1}, pair=(3, AT)
    )
    assert made.kinds == "['a'] {'x': 1} 3 2024-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("held", "type_", "wanted"),
    [
        ((("a", 1),), "MAP<STRING, INT>", {"a": 1}),
        ({"a": (1, 2)}, "MAP<STRING, ARRAY<INT>>", {"a": [1, 2]}),
        (((1, None),), "ARRAY<STRUCT<a: INT, b: INT>>", [(1, None)]),
        (None, "ARRAY<INT>", None),
        (AT.astimezone(dt.timezone(dt.timedelta(hours=2))), "TIMESTAMP", AT),
        (1, "INT", 1),
    ],
)
def test_constants_of_a_tree_and_of_spark_become_the_same(
    held: Any, type_: str, wanted: Any
) -> None:
    made = as_python(held, parse_type(type_))
    assert made == wanted
    assert not isinstance(made, Mapping) or type(made) is dict


def test_what_fails_says_where() -> None:
    with pytest.raises(ProcessFunctionError, match=r"Failing\.eval failed: ZeroDivision.*\n.*n=0"):
        vs.process.run(Failing, {"input": [{"n": 0}]})


def test_a_function_is_opened_and_closed() -> None:
    Opened.calls.clear()
    vs.process.run(Opened, {"input": [(1,)]}, schema="n INT")
    assert Opened.calls == ["open", "eval", "close"]


@pytest.mark.slow("a process of its own")
def test_it_starts_no_java() -> None:
    program = (
        "import sys, viewscribe as vs; assert 'pyarrow' not in sys.modules; vs.process; "
        "assert 'pyarrow' not in sys.modules; "
        "print(vs.process.run(vs.process.to_changelog, {'input': [{'a': 1}]}));"
        "from pyspark import SparkContext; assert SparkContext._active_spark_context is None; "
        "assert SparkContext._gateway is None"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert made.stdout == "[Row(op='+I', a=1)]\n", made.stderr


def test_the_end_is_for_those_who_ask() -> None:
    given = {"input": [{"n": 1}, {"n": 2}]}
    assert vs.process.run(Ending, given, asked=False) == []
    assert [tuple(row) for row in vs.process.run(Ending, given, asked=True)] == [(2,)]


def test_keys_are_not_computed() -> None:
    with pytest.raises(ValidationError, match=r"run\(\) computes no key of the table `input`"):
        vs.process.run(CountRows, {"input": [{"k": 1}]}, partition_by=(col("k") + 1).alias("j"))
