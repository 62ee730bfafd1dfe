"""Process table functions that take no table: what a call of one says, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

import viewscribe as vs
from tests.process_functions import Count, CountWithTimeout, Numbers, Once, Repeat
from viewscribe import ChangelogMode, RowKind, call, col, descriptor, lit
from viewscribe.errors import ViewscribeError

AT = datetime(2024, 1, 1, 10, tzinfo=UTC)


class Changes(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """A changelog of constants."""

    output_type = "n INT"

    def output_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.RETRACT

    def eval(self) -> None:
        self.collect(1)
        self.collect(1, RowKind.DELETE)


class Wrong(vs.ProcessTableFunction[int]):
    """Gives a text where a number is wanted."""

    def eval(self, n: int) -> None:
        self.collect("x")


class Returns(vs.ProcessTableFunction[int]):
    """Returns a value."""

    def eval(self, n: int) -> Any:
        return n


class Waits(vs.ProcessTableFunction[int]):
    """Registers a timer."""

    def eval(self, ctx: vs.Context) -> None:
        ctx.timers(int).register_on_time("later", 1)


class Keeps(vs.ProcessTableFunction[int]):
    """Has state."""

    def eval(self, count: Annotated[Count, vs.StateHint()]) -> None: ...


class Fires(vs.ProcessTableFunction[int]):
    """Has timers."""

    def eval(self) -> None: ...
    def on_timer(self, ctx: vs.OnTimerContext) -> None: ...


class Ends(vs.ProcessTableFunction[int]):
    """Has an end."""

    def eval(self) -> None: ...
    def finish(self) -> None: ...


class TakesChanges(vs.ProcessTableFunction[int]):
    """Reads a changelog that nobody gives."""

    def input_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.RETRACT

    def eval(self) -> None: ...


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("numbers", Numbers)
    env.create_temporary_system_function("once", Once)
    env.create_temporary_system_function("count_with_timeout", CountWithTimeout)
    env.create_table("t", "k STRING, ts TIMESTAMP")
    return env


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (Keeps, "keeps state"),
        (Fires, "has on_timer"),
        (Ends, "has finish"),
        (TakesChanges, "takes a changelog"),
    ],
)
def test_what_belongs_to_a_partition_is_refused(
    env: vs.TableEnvironment, function: Any, what: str
) -> None:
    with pytest.raises(ViewscribeError, match=f"{what}, and takes no table") as refused:
        env.create_temporary_system_function("f", function)
    assert "take a table" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda env: env.from_call(call("numbers", 3)), "numbers(upto => 3)"),
        (lambda env: env.from_call(call("numbers", upto=lit(3))), "numbers(upto => 3)"),
        (
            lambda env: env.from_function("numbers", 3, "it's"),
            "numbers(upto => 3, label => 'it''s')",
        ),
        (lambda env: env.from_call(call("once")), "once()"),
        (lambda env: env.from_call(call("numbers", lit(2) * 2 - 1)), "numbers(upto => 3)"),
        (
            lambda env: env.sql_query("SELECT * FROM numbers(9 % 5, label => 'a' || 'b')"),
            "numbers(upto => 4, label => 'ab')",
        ),
        (lambda env: env.from_call(call("numbers", None)), "numbers(upto => CAST(NULL AS INT))"),
        (
            lambda env: env.from_call(call("numbers", 1, at=AT)),
            "numbers(upto => 1, at => TIMESTAMP '2024-01-01 10:00:00Z')",
        ),
    ],
)
def test_the_text_of_a_call_is_read_back(
    env: vs.TableEnvironment, make: Callable[[Any], vs.Table], text: str
) -> None:
    table = make(env)
    assert text in table.to_sql().replace("\\'", "''")
    assert vs.Table.from_plan(env, table.to_plan()).operation == table.operation
    for style in ("readable", "nested", "pipe"):
        again = env.sql_query(table.to_sql(style=style))
        assert again.schema == table.schema
        assert again.to_sql() == table.to_sql()


def test_lateral_says_nothing_for_constants(env: vs.TableEnvironment) -> None:
    plain = env.sql_query("SELECT t.k, n.n FROM t, numbers(2) AS n")
    lateral = env.sql_query("SELECT t.k, n.n FROM t, LATERAL numbers(upto => 2) AS n")
    assert lateral.to_sql() == plain.to_sql()
    assert "LATERAL" not in lateral.to_sql()


def _repeated(outer: Any, env: vs.TableEnvironment) -> vs.Table:
    return env.from_call(call("numbers", 3)).filter(col("label") == outer("k"))


def test_lateral_queries_that_refer_to_the_row_around_are_refused(
    env: vs.TableEnvironment,
) -> None:
    """Spark runs neither the text nor, of a table that refers to it, the tree."""
    env.create_temporary_system_function("repeat_rows", Repeat)
    t = env.from_path("t")
    inside = "SELECT n FROM numbers(3) AS r WHERE r.label = t.k"
    deeper = "WITH w AS (SELECT * FROM numbers(3)) SELECT t.k, (SELECT max(n) FROM w) AS m"
    for make in (
        lambda: t.join_lateral(lambda outer: _repeated(outer, env)),
        lambda: t.left_outer_join_lateral(lambda outer: _repeated(outer, env)),
        lambda: env.sql_query(f"SELECT * FROM t, LATERAL ({inside})"),
        lambda: env.sql_query(f"SELECT * FROM t LEFT JOIN LATERAL ({inside}) AS n ON n.n > 1"),
        lambda: env.sql_query(f"FROM t |> JOIN LATERAL ({inside}) AS n"),
        lambda: env.sql_query(f"SELECT * FROM t, LATERAL ({deeper})"),
    ):
        with pytest.raises(ViewscribeError, match="process table function numbers and ") as refused:
            make()
        assert "into ON" in (refused.value.hint or "")
    table = "SELECT max(n) FROM repeat_rows(TABLE(SELECT * FROM t AS u WHERE u.k = t.k))"
    for text in (f"SELECT ({table}) AS m FROM t", f"SELECT * FROM t, LATERAL ({table})"):
        with pytest.raises(ViewscribeError, match="`input` of Repeat refers to the row around"):
            env.sql_query(text)


def test_lateral_says_nothing_for_queries_that_stand_for_themselves(
    env: vs.TableEnvironment,
) -> None:
    right = env.from_call(call("numbers", 3)).select("n")
    for made in (
        env.from_path("t").left_outer_join_lateral(lambda outer: right),
        env.sql_query("SELECT * FROM t LEFT JOIN LATERAL (SELECT n FROM numbers(3)) AS n"),
    ):
        assert "LATERAL" not in made.to_sql()
        assert "ON TRUE" in made.to_sql()
        assert env.sql_query(made.to_sql()).to_sql() == made.to_sql()


def test_no_lateral_view_calls_it(env: vs.TableEnvironment) -> None:
    text = "SELECT * FROM VALUES (2) AS v(x) LATERAL VIEW numbers(3) n AS c"
    with pytest.raises(ViewscribeError, match="LATERAL VIEW takes a generator"):
        env.sql_query(text)


def test_several_calls_need_no_uid(env: vs.TableEnvironment) -> None:
    one, other = (env.from_call(call("numbers", n)).select("n") for n in (1, 2))
    assert one.union_all(other).to_sql().count("numbers(") == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda env: env.from_call(call("numbers")), "called without the argument `upto`"),
        (lambda env: env.from_call(call("numbers", "x")), "takes INT"),
        (lambda env: env.from_call(call("numbers", 3, upto=2)), "`upto` twice"),
        (lambda env: env.sql_query("SELECT * FROM numbers(3, upto => 2)"), "`upto` twice"),
        (lambda env: env.from_call(call("numbers", vs.col("k"))), "no column"),
        (
            lambda env: env.from_call(call("numbers", 1, on_time=descriptor("ts"))),
            "takes no table that has a time",
        ),
        (lambda env: env.from_call(call("numbers", 1, null_times="drop")), "names no time"),
        (lambda env: env.from_call(call("numbers", 1, keys="k")), "only written in SQL"),
        (lambda env: env.from_path("t").process("numbers", 1), "given another table"),
        (lambda env: env.from_call(call("count_with_timeout")), "without the argument `input`"),
        (lambda env: env.from_path("t").select(call(Numbers, 3)), "a table, and no expression"),
        (lambda env: env.from_path("t").select(call("numbers", 3)), "its call is a table"),
        (lambda env: env.sql_query("SELECT numbers(3)"), "its call is a table"),
        (lambda env: env.sql_query("SELECT * FROM t, LATERAL numbers(k)"), "no column"),
        (
            lambda env: env.sql_query("SELECT * FROM numbers(upto => ascii('abc'))"),
            r"`upto` of Numbers is ascii\('abc'\), a constant that only Spark can compute",
        ),
        (
            lambda env: env.sql_query("SELECT * FROM numbers(CAST(rand() AS INT))"),
            r"`upto` of Numbers is rand\(\), which is no constant",
        ),
        (lambda env: env.sql_query("SELECT * FROM numbers(2147483647 + 1)"), "only Spark can"),
        (lambda env: env.sql_query("SELECT * FROM numbers(3 * 1.5)"), "takes INT"),
        (
            lambda env: env.sql_query("SELECT * FROM numbers(CAST(CAST(2.50 AS STRING) AS INT))"),
            r"is cast\(2.50, STRING\), a constant that only Spark can compute",
        ),
    ],
)
def test_wrong_calls_are_refused(
    env: vs.TableEnvironment, make: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(ViewscribeError, match=message):
        make(env)


def test_it_is_called_once_without_spark() -> None:
    assert vs.process.run(Numbers, upto=2, label="y") == [(0, "y", None), (1, "y", None)]
    assert vs.process.run(Numbers, {}, upto=0) == []
    assert vs.process.run(Once) == [("None None",)]
    assert vs.process.run(Changes) == [("+I", 1), ("-D", 1)]


def test_a_constant_that_is_changed_stays_as_the_caller_has_it() -> None:
    tags = ["a"]
    assert vs.process.run(Numbers, upto=1, tags=tags) == [(0, "ax", None)]
    assert tags == ["a"]


@pytest.mark.parametrize(
    ("function", "message", "where"),
    [
        (Wrong, "given 'x'", "Wrong(n=3)"),
        (Returns, "it returned 3", "Returns(n=3)"),
        (Waits, "has no method on_timer", "Waits()"),
    ],
)
def test_errors_name_the_call(function: Any, message: str, where: str) -> None:
    arguments: dict[str, Any] = {"n": 3} if "n" in where else {}
    with pytest.raises(ViewscribeError, match=message) as refused:
        vs.process.run(function, **arguments)
    assert refused.value.location == where
