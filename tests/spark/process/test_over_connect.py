"""Process table functions and other Python functions over Spark Connect."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import viewscribe as vs
from tests.spark.capture.conftest import connect_mode
from viewscribe import ArgumentTrait, call, col, descriptor
from viewscribe.catalog_store import ObjectNotFoundError

pytestmark = pytest.mark.spark

AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
CLICKS = [(who, AT + dt.timedelta(minutes=at)) for who, at in (("ann", 0), ("bob", 1), ("ann", 9))]
VISITS = [("ann", 1), ("ann", 2), ("bob", 1)]


@dataclass
class Number:
    """How many rows there were."""

    number: int = 0


class Numbered(vs.ProcessTableFunction[Number]):
    """Numbers the rows of a key."""

    def eval(
        self,
        state: Annotated[Number, vs.StateHint()],
        input: Annotated[vs.Row, vs.ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
    ) -> None:
        state.number += 1
        self.collect(state)


class Loud(vs.AsyncScalarFunction):
    """Text in capitals."""

    async def eval(self, text: str) -> str | None:
        return text.upper()


@pytest.fixture
def remote(connected: Any) -> Any:
    with connect_mode(connected):
        yield connected


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("numbered", Numbered)
    env.create_temporary_system_function("loud", Loud)
    env.create_temporary_view("clicks", env.from_values(CLICKS, "who STRING, at TIMESTAMP"))
    return env


@pytest.mark.parametrize("function", ["numbered", Numbered])
def test_by_name_and_by_class(remote: Any, env: vs.TableEnvironment, function: Any) -> None:
    by_key = env.from_path("clicks").partition_by("who")
    table = by_key.process(function, on_time=descriptor("at"))
    rows = table.to_dataframe(remote).select("who", "number").collect()
    assert sorted(map(tuple, rows)) == VISITS
    if function is Numbered:
        return  # no text can call what has no name
    assert sorted(row[:2] for row in map(tuple, remote.sql(table.to_sql()).collect())) == VISITS
    assert vs.verify(table, remote, rows=True).ok


def test_in_the_text_of_a_query(remote: Any, env: vs.TableEnvironment) -> None:
    table = env.sql_query(
        "SELECT who, number FROM numbered(TABLE(clicks) PARTITION BY who, on_time => 'at')"
    )
    assert sorted(map(tuple, table.to_dataframe(remote).collect())) == VISITS


def test_an_asynchronous_function(remote: Any, env: vs.TableEnvironment) -> None:
    table = env.from_path("clicks").select(call("loud", col("who")).alias("who"))
    assert sorted(row[0] for row in table.to_dataframe(remote).collect()) == ["ANN", "ANN", "BOB"]
    assert vs.verify(table, remote, rows=True).ok


def test_an_asynchronous_table_function(remote: Any, env: vs.TableEnvironment) -> None:
    @vs.async_udtf
    async def letters(text: str) -> AsyncIterator[str]:
        for each in text:
            yield each

    env.create_temporary_system_function("letters", letters)
    table = env.sql_query("SELECT who, col FROM clicks, LATERAL letters(who)")
    rows = sorted(map(tuple, table.to_dataframe(remote).collect()))
    assert rows == sorted((who, letter) for who, _ in CLICKS for letter in who)
    assert vs.verify(table, remote, rows=True).ok


def test_the_same_call_in_two_places_is_made_once(remote: Any, tmp_path: Path) -> None:
    """In SELECT and WHERE, with a condition that needs no call: the rewrites hold over Connect."""
    noted = tmp_path / "calls"

    class Noted(vs.AsyncScalarFunction):
        """Leaves word of each call."""

        async def eval(self, x: int) -> int | None:
            with noted.open("a") as file:
                file.write("x")
            return 2 * x

    env = vs.TableEnvironment()
    env.create_temporary_system_function("noted", Noted)
    numbers = env.from_values([(n,) for n in range(20)], "x INT")
    doubled = numbers.select("x", call("noted", col("x")).alias("y"))
    table = doubled.filter((col("y") > 20) & (col("x") % 2 == 0))
    rows = table.to_dataframe(remote).collect()
    assert sorted(map(tuple, rows)) == [(12, 24), (14, 28), (16, 32), (18, 36)]
    assert noted.read_text() == "x" * 10


def test_what_is_not_there_is_told(remote: Any) -> None:
    with pytest.raises(ObjectNotFoundError, match="neither a function nor a view"):
        vs.attach_functions(remote, "no.such_thing")
