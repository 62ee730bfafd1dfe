"""What a function collects: values of the kind that is declared, as they were then."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

import viewscribe as vs
from viewscribe import ArgumentTrait
from viewscribe.errors import ValidationError
from viewscribe.spark.arrow_types import to_arrow
from viewscribe.spark.process.values import arrow_values, python_values
from viewscribe.types.ddl import parse_type

AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
NAIVE = dt.datetime(2024, 1, 1, 10)

FITTING: dict[str, tuple[Any, ...]] = {
    "BOOLEAN": (True,),
    "INT": (1,),
    "BIGINT": (1, 2**40),
    "DOUBLE": (1.5, 1, 2**40),
    "DECIMAL(10, 2)": (Decimal("1.5"), 1),
    "STRING": ("x",),
    "BINARY": (b"x", bytearray(b"x")),
    "DATE": (NAIVE.date(),),
    "TIME(6)": (dt.time(1, 2, 3, 4),),
    "TIMESTAMP": (AT,),
    "TIMESTAMP_NTZ": (NAIVE,),
    "INTERVAL DAY TO SECOND": (dt.timedelta(days=1, microseconds=1),),
}
VALUES = [
    *[each for values in FITTING.values() for each in values],
    *(Decimal("1.555"), 2.5, dt.time(1, tzinfo=dt.UTC), memoryview(b"x"), {1}, ["x"], {"x": "y"}),
    *({}, {1: 1}, object()),
]


def one(collected: Callable[[], Any], output: str) -> list[Any]:
    """What comes of one value that is collected."""

    class Giving(vs.ProcessTableFunction[Any]):
        output_type = output

        def eval(
            self, input: Annotated[vs.Row, vs.ArgumentHint(ArgumentTrait.TABLE_AS_ROW)]
        ) -> None:
            self.collect(collected())

    return vs.process.run(Giving, {"input": [{"x": 1}]})


def same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


@pytest.mark.parametrize("ddl", FITTING)
def test_a_column_takes_the_values_of_its_kind_and_no_others(ddl: str) -> None:
    type_ = to_arrow(parse_type(ddl))
    for value in VALUES:
        fits = any(same(value, each) for each in FITTING[ddl])
        try:
            (made,) = python_values(arrow_values([value], type_, "it"))
        except ValidationError:
            assert not fits, value
        else:
            number = ddl in ("INT", "DOUBLE") and type(value) in (int, float)
            assert fits or number, (value, made)


@pytest.mark.parametrize("value", [{1}, frozenset((1,)), b"x", bytearray(b"x"), "x", {1: 2}, 1])
def test_what_has_no_order_is_no_list(value: Any) -> None:
    with pytest.raises(ValidationError, match="is of the class"):
        arrow_values([value], to_arrow(parse_type("ARRAY<INT>")), "it")


@pytest.mark.parametrize(
    ("ddl", "value"),
    [
        ("n INT NOT NULL", (None,)),
        ("n INT NOT NULL", {}),
        ("s STRUCT<a: INT NOT NULL>", ((None,),)),
        ("s STRUCT<a: INT NOT NULL>", ({},)),
        ("s ARRAY<INT NOT NULL>", ([1, None],)),
        ("s MAP<STRING, INT NOT NULL>", ({"x": None},)),
        ("s ARRAY<STRUCT<a: STRUCT<b: INT NOT NULL>>>", ([((None,),)],)),
    ],
)
def test_what_is_not_null_is_given_no_none(ddl: str, value: Any) -> None:
    with pytest.raises(ValidationError, match="NOT NULL"):
        one(lambda: value, ddl)


class Swapped(NamedTuple):
    """A record whose fields come in another order than the columns."""

    b: str
    a: str


class Named(NamedTuple):
    """A record of fields that are no columns."""

    x: str
    y: str


def test_a_named_tuple_is_taken_by_the_names_of_the_columns_where_it_has_them() -> None:
    assert one(lambda: Swapped("B", "A"), "a STRING, b STRING") == [("A", "B")]
    assert one(lambda: (Swapped("B", "A"),), "s STRUCT<a: STRING, b: STRING>") == [(("A", "B"),)]
    assert one(lambda: Named("A", "B"), "a STRING, b STRING") == [("A", "B")]


@pytest.mark.parametrize(
    ("ddl", "value"),
    [
        ("time TIMESTAMP", AT),
        ("date TIMESTAMP", AT),
        ("year DATE", AT.date()),
        ("hour TIME(6)", dt.time(1)),
        ("days INTERVAL DAY TO SECOND", dt.timedelta(hours=5)),
        ("real DECIMAL(3, 1)", Decimal("1.5")),
        ("get ARRAY<INT>", vs.ListState([1])),
        ("items MAP<STRING, INT>", vs.MapState({"a": 1})),
    ],
)
def test_a_value_is_the_only_column_however_that_is_called(ddl: str, value: Any) -> None:
    plain: dict[type, Any] = {vs.ListState: list, vs.MapState: lambda state: dict(state.items())}
    ((found,),) = one(lambda: value, ddl)
    assert found == plain.get(type(value), lambda each: each)(value)


def test_bytes_are_taken_as_they_were_when_collected() -> None:
    class Filling(vs.ProcessTableFunction[Any]):
        output_type = "seen BINARY, n INT"

        def eval(
            self, input: Annotated[vs.Row, vs.ArgumentHint(ArgumentTrait.TABLE_AS_ROW)]
        ) -> None:
            held = bytearray()
            for n in range(3):
                self.collect((held, n))
                held.append(65 + n)

    found = vs.process.run(Filling, {"input": [{"x": 1}]})
    assert found == [(b"", 0), (b"A", 1), (b"AB", 2)]
