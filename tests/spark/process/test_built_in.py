"""The built-in process table functions on Spark: as a tree, as SQL text, and by ``run``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.answers import Answers
from viewscribe import call, col, descriptor
from viewscribe.errors import UnknownFunctionError
from viewscribe.spark.functions import register_functions
from viewscribe.spark.process.values import python_values

P = vs.process
MINUTE = dt.timedelta(minutes=1)
SCHEMA = "user INT, ts TIMESTAMP, page STRING"
CODES = {"INSERT": "c", "+U": "u", "-U": "b"}


def at(second: int) -> dt.datetime:
    return dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC) + dt.timedelta(seconds=second)


CLICKS = [
    (user, at(second), page)
    for user, second, page in [
        (1, 0, "a"),
        (2, 5, "b"),
        (1, 60, "c"),
        (1, 121, None),
        (2, 3, "e"),
        (None, 7, "f"),
    ]
]
TIES = [(user, at(0), page) for user in (1, 2) for page in ("b", None, "a", "c")]
ORDERS = [(1, at(30), 1.5), (1, at(40), 2.5), (2, at(4), 3.5)]
CHANGES = [("+I", 1, 5), ("+I", 2, 6), ("-D", 1, 5), ("+I", 2, 6)]

Case = tuple[Callable[[vs.TableEnvironment], vs.Table], Callable[[], list[vs.Row]]]


def of_clicks(function: Any, **arguments: Any) -> Case:
    def table(env: vs.TableEnvironment) -> vs.Table:
        clicks = env.from_values(CLICKS, SCHEMA).partition_by("user")
        return clicks.process(function, on_time=descriptor("ts"), **arguments)

    def rows() -> list[vs.Row]:
        given = {"input": CLICKS}
        keys: Any = {"partition_by": "user", "on_time": "ts", "schema": SCHEMA}
        return P.run(function, given, **keys, **arguments)

    return table, rows


def ordered(env: vs.TableEnvironment) -> vs.Table:
    """The last of the rows of one time, which only the order tells."""
    clicks = env.from_values(TIES, SCHEMA).partition_by("user").order_by("ts", col("page").desc())
    return clicks.process(P.deduplicate, keep="last", on_time=descriptor("TS"))


def ordered_rows() -> list[vs.Row]:
    return P.run(
        P.deduplicate,
        {"input": TIES},
        schema=SCHEMA,
        partition_by="user",
        order_by=["ts", col("page").desc()],
        on_time="ts",
        keep="last",
    )


def joined(env: vs.TableEnvironment) -> vs.Table:
    clicks = env.from_values(CLICKS, SCHEMA).partition_by("user")
    orders = env.from_values(ORDERS, "user INT, at TIMESTAMP, price DOUBLE").partition_by("user")
    return env.from_call(
        call(
            P.one_match_join,
            clicks.as_argument("left"),
            orders.copartition_with("left").as_argument("right"),
            ttl=MINUTE,
            on_time=descriptor("ts", "at"),
        )
    )


def joined_rows() -> list[vs.Row]:
    return P.run(
        P.one_match_join,
        {"left": CLICKS, "right": ORDERS},
        schema={"left": SCHEMA, "right": "user INT, at TIMESTAMP, price DOUBLE"},
        partition_by="user",
        on_time=["ts", "at"],
        ttl=MINUTE,
    )


def worded(env: vs.TableEnvironment) -> vs.Table:
    changes = env.from_values(CHANGES, "op STRING, k INT, v INT")
    return changes.process(P.to_changelog, op="change", op_mapping=CODES)


def worded_rows() -> list[vs.Row]:
    schema = "op STRING, k INT, v INT"
    return P.run(P.to_changelog, {"input": CHANGES}, schema=schema, op="change", op_mapping=CODES)


def applied(env: vs.TableEnvironment) -> vs.Table:
    """A changelog of a changelog's making: two functions in one query."""
    log = of_clicks(P.timed_last_value)[0](env)
    words = log.process(P.to_changelog, op="change", op_mapping=CODES)
    return words.partition_by("user").process(
        P.from_changelog,
        op="change",
        op_mapping={word: kind for kind, word in CODES.items()},
        on_time="rowtime",
    )


def applied_rows() -> list[vs.Row]:
    (log,) = (of_clicks(P.timed_last_value)[1](),)
    schema = "user INT, op STRING, ts TIMESTAMP, page STRING, rowtime TIMESTAMP"
    return P.run(
        P.from_changelog, {"input": log}, schema=schema, partition_by="user", on_time="rowtime"
    )


CASES: dict[str, Case] = {
    "deduplicate": of_clicks(P.deduplicate),
    "deduplicate, last": of_clicks(P.deduplicate, keep="last"),
    "deduplicate, ordered": (ordered, ordered_rows),
    "session_count": of_clicks(P.session_count, gap=MINUTE),
    "sessionize": of_clicks(P.sessionize, gap=MINUTE),
    "timed_last_value": of_clicks(P.timed_last_value),
    "one_match_join": (joined, joined_rows),
    "to_changelog": (worded, worded_rows),
    "from_changelog": (applied, applied_rows),
}


def fetched(frame: Any) -> list[str]:
    table = frame.toArrow()
    return sorted(map(repr, zip(*map(python_values, table.columns), strict=True)))


@pytest.mark.parametrize("name", CASES)
def test_tree_text_and_run_give_the_same_rows(name: str, spark: Any) -> None:
    build, run = CASES[name]
    table = build(vs.TableEnvironment())
    frame = table.to_dataframe(spark)
    register_functions(table.operation, spark)
    text = spark.sql(table.to_sql())
    wanted = run()
    assert wanted
    answers = Answers(fetched)
    for each in (frame, text):
        assert answers.of(each) == sorted(repr(tuple(row)) for row in wanted)
    assert text.schema == frame.schema
    assert frame.columns == list(wanted[0].fields)


def test_sessions_are_those_of_spark(spark: Any) -> None:
    """One of its rows comes exactly one gap after the one before."""
    rows = spark.createDataFrame(
        [(user, time) for user, time, _ in CLICKS], "user INT, ts TIMESTAMP"
    )
    rows.createOrReplaceTempView("clicks_of_sessions")
    windows = spark.sql(
        "SELECT user, session_window.start, session_window.end, count(*), session_window.end "
        "FROM clicks_of_sessions GROUP BY user, session_window(ts, '1 minute')"
    )
    counts = of_clicks(P.session_count, gap=MINUTE)[1]()
    assert fetched(windows) == sorted(repr(tuple(row)) for row in counts)


def test_names_are_known_once_they_are_registered() -> None:
    env = vs.TableEnvironment()
    clicks = env.from_values(CLICKS, SCHEMA).partition_by("user")
    with pytest.raises(UnknownFunctionError, match="no function `deduplicate`"):
        clicks.process("deduplicate", on_time="ts")
    P.register(env)
    P.register(env)
    by_name = clicks.process("deduplicate", on_time="ts")
    assert by_name.to_sql() == clicks.process(P.deduplicate, on_time="ts").to_sql()


def test_keys_of_two_tables_are_null_where_one_may_be() -> None:
    fields = joined(vs.TableEnvironment()).schema.fields
    assert [(each.name, each.type.nullable) for each in fields[:2]] == [
        ("user", True),
        ("user0", True),
    ]


def test_the_text_says_an_order_that_is_more_than_the_time() -> None:
    env = vs.TableEnvironment()
    assert "order_keys => array('ts', 'page')" in ordered(env).to_sql()
    assert "order_keys" not in CASES["deduplicate"][0](env).to_sql()


def test_a_class_has_the_name_it_is_given() -> None:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("only_first", P.Deduplicate)
    clicks = env.from_values(CLICKS, SCHEMA).partition_by("user")
    assert "FROM only_first(" in clicks.process("only_first", on_time="ts").to_sql()
