"""What a call of a process table function must say, and what it becomes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest

import viewscribe as vs
from tests.process_functions import CountWithTimeout, MatchOnce, Repeat, Set
from viewscribe import call, col, descriptor, lit
from viewscribe import functions as F
from viewscribe.errors import UnknownColumnError, ViewscribeError

T = vs.ArgumentTrait


class Strict(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Wants everything."""

    output_type = "n INT"

    def eval(
        self,
        ctx: vs.Context,
        input: Annotated[
            vs.Row,
            vs.ArgumentHint(T.TABLE_AS_SET, T.REQUIRES_ORDER_BY, T.REQUIRES_TIME_ATTRIBUTE),
        ],
        ttl: timedelta,
    ) -> None:
        """Nothing."""


class Loose(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Wants little."""

    output_type = "n INT"

    def eval(
        self,
        input: Annotated[
            vs.Row,
            vs.ArgumentHint(
                T.TABLE_AS_SET, T.OPTIONAL_PARTITION_BY, T.SUPPORTS_NESTED_PARTITION_BY
            ),
        ],
    ) -> None:
        """Nothing."""


class Both(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Two tables of any columns."""

    output_type = "n INT"

    def eval(
        self,
        left: Set,
        right: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, is_optional=True)],
        ttl: timedelta | None = None,
    ) -> None:
        """Nothing."""


class Only(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """One table, which is optional."""

    output_type = "n INT"

    def eval(
        self, rows: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, is_optional=True)]
    ) -> None:
        """Nothing."""


class Retracts(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Takes a changelog."""

    output_type = "n INT"

    def input_changelog_mode(self) -> vs.ChangelogMode:
        return vs.ChangelogMode.RETRACT

    def eval(self, input: Set) -> None:
        """Nothing."""


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table(
        "clicks",
        "user_id BIGINT, ts TIMESTAMP NOT NULL, seen TIMESTAMP, url STRING, at TIMESTAMP_NTZ, "
        "score DOUBLE, place STRUCT<city: STRING, zip: INT>, lang STRING COLLATE UTF8_LCASE",
    )
    env.create_table("customers", "id BIGINT, name STRING, address STRING, c_time TIMESTAMP")
    env.create_table("orders", "customer BIGINT, order_id INT, price DOUBLE, o_time TIMESTAMP")
    return env


def clicks(env: vs.TableEnvironment) -> vs.Table:
    return env.from_path("clicks")


# -- what comes out --------------------------------------------------------------------------------


def test_columns_are_those_of_the_partition_the_function_and_the_time(
    env: vs.TableEnvironment,
) -> None:
    made = clicks(env).partition_by("user_id").process(CountWithTimeout, on_time=descriptor("ts"))
    assert str(made.schema) == "user_id BIGINT, count BIGINT, rowtime TIMESTAMP NOT NULL"


def test_without_a_time_there_is_no_rowtime(env: vs.TableEnvironment) -> None:
    made = clicks(env).partition_by(col("user_id"), "url").process(CountWithTimeout)
    assert made.columns == ["user_id", "url", "count"]


def test_equal_names_get_numbers(env: vs.TableEnvironment) -> None:
    table = clicks(env).select(col("user_id").alias("count"), col("url").alias("rowtime"), "ts")
    made = table.partition_by("count", "rowtime").process(CountWithTimeout, on_time="ts")
    assert made.columns == ["count", "rowtime", "count0", "rowtime0"]


def test_all_ways_to_write_a_call_are_one_tree(env: vs.TableEnvironment) -> None:
    env.create_temporary_system_function("both", Both)
    left = env.from_path("customers").partition_by("id")
    right = env.from_path("orders").partition_by("customer")
    minutes = timedelta(minutes=5)
    times = descriptor("c_time", "o_time")
    by_name = env.from_call(
        call(
            "both",
            right.copartition_with("left").as_argument("right"),
            lit(minutes).as_argument("ttl"),
            times.as_argument("on_time"),
            left.as_argument("left"),
            lit("x").as_argument("uid"),
        )
    )
    in_order = env.from_call(
        call("both", left, right.copartition_with("left"), minutes, on_time=times, uid="x")
    )
    fluent = left.process("both", right.copartition_with("left"), minutes, on_time=times, uid="x")
    assert by_name.equals(in_order)
    assert fluent.equals(in_order)
    assert fluent.columns == ["id", "customer", "n", "rowtime"]


def test_columns_pass_through(env: vs.TableEnvironment) -> None:
    made = env.from_path("orders").process(Repeat, times=3)
    assert made.columns == ["customer", "order_id", "price", "o_time", "n"]
    assert not made.schema.fields[-1].nullable


def test_columns_are_cast_to_those_declared(env: vs.TableEnvironment) -> None:
    made = MatchOnceCall(env).made()
    assert "cast(order_id" in made.as_summary_string().lower()


class MatchOnceCall:
    """Customers and orders."""

    def __init__(self, env: vs.TableEnvironment) -> None:
        self.customers = env.from_path("customers").partition_by("id")
        self.orders = env.from_path("orders").partition_by("customer")
        self.env = env

    def made(self, function: Any = MatchOnce, **named: Any) -> vs.Table:
        return self.customers.process(
            function,
            self.orders.copartition_with("customer"),
            on_time=descriptor("c_time", "o_time"),
            **named,
        )


def test_fields_of_structs_are_keys_where_they_may_be(env: vs.TableEnvironment) -> None:
    made = clicks(env).partition_by(col("place.city")).process(Loose)
    assert made.columns == ["city", "n"]
    with pytest.raises(ViewscribeError, match="is no column"):
        clicks(env).partition_by(col("place.city")).process(CountWithTimeout)


def test_plan_documents_hold_calls(env: vs.TableEnvironment) -> None:
    env.create_temporary_system_function("match_once", MatchOnce)
    made = MatchOnceCall(env).made("match_once", uid="once")
    again = vs.Table.from_plan(env, made.to_plan())
    assert again.equals(made)
    assert again.to_plan() == made.to_plan()


# -- what is wrong ---------------------------------------------------------------------------------

Wrong = Callable[[vs.TableEnvironment], Any]


def strict(env: vs.TableEnvironment, **named: Any) -> vs.Table:
    return clicks(env).partition_by("user_id").order_by("ts").process(Strict, **named)


def _registered(env: vs.TableEnvironment) -> vs.Table:
    env.create_temporary_system_function("strict", Strict)
    return clicks(env)


MINUTE = timedelta(minutes=1)

WRONG: dict[str, tuple[Wrong, str, str]] = {
    "not partitioned": (
        lambda env: clicks(env).process(CountWithTimeout),
        "has set semantics, and the call does not partition it",
        'table.partition_by("key").as_argument("input")',
    ),
    "rows partitioned": (
        lambda env: clicks(env).partition_by("user_id").process(Repeat),
        "has row semantics, and the call partitions or orders it",
        "pass the table as it is",
    ),
    "no key": (
        lambda env: clicks(env).partition_by().process(CountWithTimeout),
        "at least one column",
        "",
    ),
    "key inexact": (
        lambda env: clicks(env).partition_by("score").process(CountWithTimeout),
        "is DOUBLE, whose values Spark and Python do not tell apart in the same way",
        "cast it first",
    ),
    "key computed": (
        lambda env: clicks(env).partition_by(F.lower("url")).process(CountWithTimeout),
        "PARTITION BY lower(url) is no column",
        "give it a name",
    ),
    "key computed and named as a column": (
        lambda env: clicks(env).partition_by(F.lower("url").alias("URL")).process(CountWithTimeout),
        "computes the column `URL`, and the table has one",
        "another name",
    ),
    "key computed of groups": (
        lambda env: clicks(env).partition_by(F.max("url").alias("u")).process(CountWithTimeout),
        "an aggregate function cannot stand in partition_by",
        "aggregate first",
    ),
    "key collated": (
        lambda env: clicks(env).partition_by("lang").process(CountWithTimeout),
        "has the collation UTF8_LCASE",
        "lower(",
    ),
    "unknown argument": (
        lambda env: strict(env, on_time="ts", tl=MINUTE),
        "has no argument `tl`",
        "ttl",
    ),
    "argument missing": (
        lambda env: strict(env, on_time="ts"),
        "called without the argument `ttl`",
        "write ttl=",
    ),
    "argument twice": (
        lambda env: strict(env, on_time="ts", ttl=MINUTE, TTL=MINUTE),
        "is given the argument `TTL` twice",
        "",
    ),
    "too many": (
        lambda env: (
            clicks(env)
            .partition_by("user_id")
            .order_by("ts")
            .process(Strict, MINUTE, MINUTE, on_time="ts")
        ),
        "is given another value",
        "",
    ),
    "not constant": (
        lambda env: strict(env, on_time="ts", ttl=col("ttl")),
        "`ttl` in the input",
        "",
    ),
    "computed constant": (
        lambda env: strict(env, on_time="ts", ttl=vs.functions.md5(lit("a"))),
        "a constant that only Spark can compute",
        "write the value",
    ),
    "a constant that is built of others": (
        lambda env: strict(env, on_time="ts", ttl=vs.row(MINUTE)),
        "takes INTERVAL DAY TO SECOND",
        "of that type",
    ),
    "a cast that changes the constant": (
        lambda env: strict(env, on_time="ts", ttl=lit(1.5).cast("INT")),
        "takes INTERVAL DAY TO SECOND",
        "of that type",
    ),
    "wrong type": (
        lambda env: strict(env, on_time="ts", ttl="soon"),
        "of the type STRING, and takes INTERVAL DAY TO SECOND",
        "of that type",
    ),
    "a table for a constant": (
        lambda env: strict(env, on_time="ts", ttl=clicks(env)),
        "is a constant, and not a table",
        "",
    ),
    "a constant for a table": (
        lambda env: env.from_call(call(Both, clicks(env).partition_by("user_id"), right=lit(1))),
        "is a table, and not",
        "",
    ),
    "time required": (
        lambda env: strict(env, ttl=MINUTE),
        "requires a time column",
        'descriptor("ts")',
    ),
    "time unknown": (
        lambda env: strict(env, ttl=MINUTE, on_time=descriptor("when")),
        "names the column `when`, which no table of Strict has",
        "TIMESTAMP column",
    ),
    "time twice": (
        lambda env: strict(env, ttl=MINUTE, on_time=descriptor("ts", "seen")),
        "names two columns",
        "drop or rename",
    ),
    "time of another type": (
        lambda env: strict(env, ttl=MINUTE, on_time=descriptor("url")),
        "the time column `url` is STRING",
        "cast",
    ),
    "time as an expression": (
        lambda env: strict(env, ttl=MINUTE, on_time=col("ts")),
        "not the name of a column",
        "descriptor",
    ),
    "order required": (
        lambda env: clicks(env).partition_by("user_id").process(Strict, MINUTE, on_time="ts"),
        "requires an order",
        'order_by("ts")',
    ),
    "order not by time": (
        lambda env: (
            clicks(env)
            .partition_by("user_id")
            .order_by("url")
            .process(Strict, MINUTE, on_time="ts")
        ),
        "come in the order of the time column `ts`",
        'order it by "ts" first',
    ),
    "order against time": (
        lambda env: (
            clicks(env)
            .partition_by("user_id")
            .order_by(col("ts").desc())
            .process(Strict, MINUTE, on_time="ts")
        ),
        "come in the order of the time column `ts`",
        "",
    ),
    "uid not a name": (
        lambda env: strict(env, ttl=MINUTE, on_time="ts", uid=""),
        "uid is",
        'uid="main"',
    ),
    "not together": (
        lambda env: MatchOnceCall(env).customers.process(
            MatchOnce, MatchOnceCall(env).orders, on_time=descriptor("c_time", "o_time")
        ),
        "are partitioned, but not together",
        'copartition_with("customer")',
    ),
    "together with nothing": (
        lambda env: MatchOnceCall(env).customers.process(
            MatchOnce,
            MatchOnceCall(env).orders.copartition_with("customers"),
            on_time=descriptor("c_time", "o_time"),
        ),
        "together with `customers`, which is no other table of the call",
        "names a table argument",
    ),
    "keys of different types": (
        lambda env: MatchOnceCall(env).customers.process(
            MatchOnce,
            env.from_path("orders")
            .partition_by("customer", "order_id")
            .copartition_with("customer"),
            on_time=descriptor("c_time", "o_time"),
        ),
        "is partitioned by (BIGINT), and `order` by (BIGINT, BIGINT)",
        "cast them first",
    ),
    "time of one table": (
        lambda env: MatchOnceCall(env).customers.process(
            MatchOnce, MatchOnceCall(env).orders.copartition_with("customer"), on_time="c_time"
        ),
        "on_time names no column of the table `order`",
        "one column of each table",
    ),
    "times of different types": (
        lambda env: env.from_call(
            call(
                Both,
                clicks(env).drop("ts", "seen").partition_by("user_id"),
                env.from_path("orders").partition_by("customer").copartition_with("left"),
                on_time=descriptor("at", "o_time"),
            )
        ),
        "are of different types: TIMESTAMP, TIMESTAMP_NTZ",
        "cast",
    ),
    "two columns of one name": (
        lambda env: (
            clicks(env)
            .select("user_id", col("url").alias("a"), col("url").alias("A"))
            .partition_by("user_id")
            .process(CountWithTimeout)
        ),
        "has two columns `a`",
        "rename_columns",
    ),
    "an order of one of two tables": (
        lambda env: env.from_call(
            call(
                Both,
                MatchOnceCall(env).customers,
                MatchOnceCall(env).orders.copartition_with("left").order_by("price"),
            )
        ),
        "rows come in the order of their time alone",
        "leave order_by out",
    ),
    "an order of the other table": (
        lambda env: env.from_call(
            call(
                Both,
                MatchOnceCall(env).customers.order_by("name"),
                MatchOnceCall(env).orders.copartition_with("left"),
            )
        ),
        "rows come in the order of their time alone",
        "leave order_by out",
    ),
    "columns declared and missing": (
        lambda env: (
            MatchOnceCall(env)
            .env.from_path("orders")
            .partition_by("customer")
            .process(
                MatchOnce,
                MatchOnceCall(env).orders.copartition_with("customer"),
                on_time=descriptor("o_time"),
            )
        ),
        "has no column `name` (STRING)",
        "select the columns",
    ),
    "no changelog": (
        lambda env: clicks(env).partition_by("user_id").process(Retracts),
        "is a changelog, and has no text column `op`",
        "to_changelog",
    ),
    "a name that Spark uses": (
        lambda env: (
            clicks(env)
            .add_columns(lit(1).alias("partition_by_0"))
            .partition_by("user_id")
            .process(CountWithTimeout)
        ),
        "a name that Spark uses itself",
        "rename",
    ),
    "in an expression": (
        lambda env: clicks(env).select(call(CountWithTimeout, clicks(env).partition_by("url"))),
        "is a table, and no expression",
        "from_call",
    ),
    "called like a scalar function": (
        lambda env: _registered(env).select(call("strict", col("url"))),
        "is a process table function: its call is a table",
        "process(",
    ),
    "called with constants": (
        lambda env: _registered(env).env.from_function("strict", timedelta(1)),
        "called without the argument `input`",
        'as_argument("input")',
    ),
    "no function of this kind": (
        lambda env: clicks(env).partition_by("url").process(dict),
        "is no process table function",
        "extends viewscribe.ProcessTableFunction",
    ),
    "another function": (
        lambda env: clicks(env).partition_by("url").process("upper"),
        "is no process table function",
        "",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_say_what_to_write(env: vs.TableEnvironment, case: str) -> None:
    act, message, hint = WRONG[case]
    with pytest.raises(ViewscribeError) as caught:
        act(env)
    assert message in str(caught.value)
    assert hint in (caught.value.hint or "")


def test_unknown_keys_show_the_nearest(env: vs.TableEnvironment) -> None:
    with pytest.raises(UnknownColumnError, match="user_idd"):
        clicks(env).partition_by("user_idd").process(CountWithTimeout)


def test_tables_come_from_one_environment(env: vs.TableEnvironment) -> None:
    other = vs.TableEnvironment()
    other.create_table("customers", "id BIGINT")
    other.create_table("orders", "customer BIGINT, order_id INT, price DOUBLE, o_time TIMESTAMP")
    with pytest.raises(ViewscribeError, match="different environments"):
        MatchOnceCall(env).customers.process(MatchOnce, MatchOnceCall(other).orders)


def test_a_partitioned_table_is_an_argument(env: vs.TableEnvironment) -> None:
    with pytest.raises(AttributeError, match=r"has no method `select`: it is an argument"):
        clicks(env).partition_by("url").select("url")


class Picks(vs.ProcessTableFunction[Any]):
    """The columns that a call names."""

    output_type = "picked STRING"

    def eval(
        self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)], columns: list[str]
    ) -> None:
        """Of each row."""
        self.collect(", ".join(str(input[name]) for name in columns))


def test_a_descriptor_may_be_an_argument_of_its_own(env: vs.TableEnvironment) -> None:
    env.create_temporary_system_function("picks", Picks)
    made = clicks(env).process("picks", columns=descriptor("url", "user_id"))
    assert "columns => CAST(array('url', 'user_id')" in made.to_sql()
    assert env.sql_query(made.to_sql()).to_sql() == made.to_sql()
    named = clicks(env).process("picks", descriptor("url").as_argument("columns"))
    assert "columns => CAST(array('url')" in named.to_sql()
    rows = [{"a": 1, "b": "x"}]
    found = vs.process.run(Picks, {"input": rows}, columns=descriptor("b", "a"))
    assert [row.picked for row in found] == ["x, 1"]
    with pytest.raises(ViewscribeError, match="is INTERVAL DAY TO SECOND, and not descriptor"):
        strict(env, on_time="ts", ttl=descriptor("ts"))


def test_what_only_printed_sql_has_says_what_to_write() -> None:
    env = vs.TableEnvironment()
    env.create_table("t", "name STRING, ts TIMESTAMP")
    env.create_temporary_system_function("match_once", MatchOnce)
    ways_out = {
        "tables => TABLE(t)": r"give each table by its own name: \w+ => TABLE\(…\), \w+ => TABLE",
        "TABLE(t), tables => 1": "give each table by its own name",
    }
    for given, way_out in ways_out.items():
        with pytest.raises(ViewscribeError, match="only written in SQL that is printed") as refused:
            env.sql_query(f"SELECT * FROM match_once({given})")
        assert re.search(way_out, str(refused.value))
    keyed = call(
        "match_once", env.from_path("t").partition_by("name").as_argument("customer"), keys="name"
    )
    with pytest.raises(ViewscribeError, match="leave it out, and say PARTITION BY beside"):
        env.from_call(keyed)


def test_one_of_optional_tables_is_given(env: vs.TableEnvironment) -> None:
    with pytest.raises(ViewscribeError, match="Only is called without a table") as caught:
        env.from_call(vs.call(Only))
    assert "give it one of them" in str(caught.value)
