"""Names of keys, stars, ranges, windows, JSON and times: what is refused, and how."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from viewscribe import (
    TableEnvironment,
    call,
    col,
    interval,
    lit,
    over,
    range_,
    with_columns,
    without_columns,
)
from viewscribe import functions as F
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.declarative import in_words, microseconds

ENV = TableEnvironment()
ENV.create_table(
    "t",
    "a INT, b STRING, r STRUCT<x: INT, s: STRUCT<y: STRING>>, l ARRAY<STRUCT<x: INT>>, "
    "at TIMESTAMP, n TIMESTAMP_NTZ, d DATE, w INT",
)
T: Any = ENV.from_path("t")
K = (col("a") + 1).as_("k")
UPPER = F.upper("b").as_("b")
AGG = call("json_array_agg", col("a"))


@pytest.mark.parametrize(
    ("build", "part"),
    [
        # names of keys
        (lambda: T.group_by(K).select("q"), "no column `q`"),
        (lambda: T.group_by(K).select("a"), "column `a` is neither a grouping key"),
        (lambda: T.group_by(UPPER).select("t.b"), "column `b` is neither a grouping key"),
        (
            lambda: T.group_by(UPPER).select("b", F.upper("b").as_("c")),
            "`b` is a column of the input and the name of a grouping key, and is used here as both",
        ),
        (lambda: T.filter(col("k") > 1), "no column `k`"),
        (lambda: T.grouping_sets([["k"]], "a"), "no column `k`"),
        # stars
        (lambda: T.select("a.*"), "`a` is INT: only a STRUCT has fields for `*`"),
        (lambda: T.select("l.*"), "`l` is ARRAY<STRUCT<x: INT>>: only a STRUCT"),
        (lambda: T.select("r.x.*"), "`r.x` is INT: only a STRUCT"),
        (lambda: T.select("q.*"), "no table, alias or struct `q`"),
        (lambda: T.select("q.*"), "tables: t; structs: r"),
        (lambda: T.select("r.q.*"), "the struct has no field `q`"),
        (lambda: T.filter(col("r.*")), "r.* stands for columns, not for a value"),
        (lambda: T.select(F.upper("b").star()), "upper(b) is neither a column nor a field of one"),
        (lambda: T.add_columns("r.*").add_columns("r.*"), "already has a column `x`"),
        (lambda: T.select(F.count("r.*")), "count(r.*) would count rows without a NULL in any"),
        # ranges
        (
            lambda: T.select(with_columns(range_("b", "a"))),
            "'b', 'a') ends before it starts",
        ),
        (lambda: T.select(with_columns(range_(1, 9))), "no column 9 in the input"),
        (lambda: T.select(with_columns(0)), "no column 0 in the input"),
        (lambda: T.select(with_columns("q")), "no column `q`"),
        (lambda: T.select(with_columns("r.x")), "is fields of a struct, not columns"),
        (lambda: T.select(without_columns(range_(1, 8))), "would leave no column"),
        (lambda: T.filter(with_columns("a")), "with_columns('a') stands for columns"),
        (lambda: with_columns(), "with_columns() needs at least one column"),
        (lambda: with_columns(1.5), "with_columns() takes columns, not 1.5"),
        (lambda: range_("a", 2), "from name to name, or from place to place"),
        (lambda: range_(True, 2), "not True"),
        # several names
        (lambda: T.select(col("a").as_("x", "y")), "a is one value, and has x, y as names"),
        (lambda: T.select(col("r").as_("x", "y")), 'col("r").star().as_("x", "y")'),
        (lambda: T.select(col("r.*").as_("x")), "r.* stands for x, s, and has 1 name"),
        (
            lambda: T.select(F.posexplode("l").as_("x", "y", "z")),
            "posexplode makes 2 columns (pos, col), and 3 names were given",
        ),
        (lambda: T.order_by(F.explode("l").as_("x", "y")), "a generator cannot stand in"),
        (lambda: T.group_by(K.as_("x", "y")), "is one value, and has x, y as names"),
        (lambda: col("a").as_("x", ""), "an alias is a name, not ''"),
        (lambda: T.as_("x", "y"), 'rename_columns({"a": "x", "b": "y"})'),
        (lambda: ENV.from_call(call("range", 2).as_("x", "y")), "* stands for id, and has 2 names"),
        # windows
        (lambda: T.tumble("at", "0 seconds"), "windows cannot be 0 seconds long"),
        (lambda: T.tumble("at", "-1 hour"), "windows cannot be -1 hour long"),
        (lambda: T.tumble("at", "1.5 hours"), "'1.5 hours' is not a length of time"),
        (lambda: T.tumble("at", "1 month"), "'1 month' is not a length of time"),
        (lambda: T.tumble("at", "interval"), "'interval' is not a length of time"),
        (lambda: T.tumble("at", ""), "'' is not a length of time"),
        (lambda: T.tumble("at", interval(months=1)), "a month has no fixed length"),
        (lambda: T.tumble("at", 5), "5 is not a length of time"),
        (lambda: T.tumble("at", col("w")), "w is not a length of time"),
        (lambda: T.tumble("at", "1 hour", offset="1 hour"), "cannot be 1 hour off"),
        (lambda: T.hop("at", "2 hours", "1 hour", offset="-90 minutes"), "as far as 30 minutes"),
        (lambda: T.tumble("at", "1 hour", start="1 minute", offset="1 minute"), "are the same"),
        (lambda: T.hop("at", "1 hour", "2 hours"), "cannot be 2 hours apart"),
        (lambda: T.cumulate("at", "7 hours", "1 day"), "1 day cannot grow by 7 hours"),
        (lambda: T.cumulate("at", "1 day", "1 hour"), "1 hour cannot grow by 1 day"),
        (lambda: T.cumulate("at", "-1 hour", "1 day"), "1 day cannot grow by -1 hour"),
        (lambda: T.cumulate("at", "1 hour", "1 day", offset="2 days"), "cannot be 2 days off"),
        (lambda: T.cumulate("at", "1 hour", "1 day", name="W"), "already has a column `W`"),
        (lambda: T.cumulate("q", "1 hour", "1 day"), "no column `q`"),
        (lambda: T.session("at", "5 minutes").cumulate("at", "1 hour", "1 day"), "only exists in"),
        # JSON
        (lambda: T.select(AGG.over(over(order_by="a"))), "is not an aggregate or window function"),
        (lambda: T.select(AGG.distinct()), "distinct() does not fit json_array_agg"),
        (lambda: T.select(F.sum("a"), F.max(AGG)), "collect_list inside another aggregate"),
        (lambda: T.select(call("json_object_agg", col("a"), col("b"))), "argument 1 is INT"),
        (
            lambda: T.select(call("json_array_agg", col("a"), on_null="EMPTY")),
            "on_null is not 'EMPTY'",
        ),
        (lambda: T.select(call("json_array_agg", col("a"), x=1)), "has no option `x`"),
        # times
        (lambda: T.select(col("d").floor("HOUR")), "floor: DATE has no unit HOUR"),
        (lambda: T.select(col("at").ceil("WEEK")), "weeks start on Sunday in Flink, on Monday"),
        (lambda: T.select(col("at").ceil("DECADE")), "ceil: TIMESTAMP has no unit DECADE"),
        (lambda: T.select(col("a").floor("DAY")), "argument 1 is INT, not <date or timestamp>"),
        (lambda: T.select(col("b").ceil("DAY")), "argument 1 is STRING, not <date or timestamp>"),
        (
            lambda: T.select(F.timestamp_seconds(F.rand() * 9).ceil("HOUR")),
            "several times, and each time that is another",
        ),
        (
            lambda: T.select(col("at").temporal_overlaps(lit(1), col("at"), col("at"))),
            "argument 2 is INT",
        ),
    ],
)
def test_refused(build: Any, part: str) -> None:
    with pytest.raises(ViewscribeError) as caught:
        build()
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1 day 12 hours", 129_600_000_000),
        ("interval 2 WEEKS", 1_209_600_000_000),
        ("1.5 seconds", 1_500_000),
        ("-15 minutes", -900_000_000),
        ("1 hour - 1 minute", 3_540_000_000),
        ("7 milliseconds 5 microseconds", 7_005),
        ("0.0000019 second", 1),
        ("0 days", 0),
    ],
)
def test_lengths_of_time(text: str, length: int) -> None:
    assert microseconds(text) == length
    assert microseconds(in_words(length)) == length


@pytest.mark.parametrize("text", ["1 fortnight", "1day", "day", "1.5 days", "1 day,", "1,5 days"])
def test_texts_that_are_no_length(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a length of time"):
        microseconds(text)


def test_windows_with_few_rows_are_one_step() -> None:
    day = dt.timedelta(days=1)
    assert T.cumulate("at", day, day).equals(T.tumble("at", "1 day"))


def test_temporary_columns_have_names_of_their_own() -> None:
    taken = T.add_columns(lit(1).as_("window_whole"), lit(2).as_("Window_End"))
    made = taken.cumulate("at", "1 hour", "1 day")
    assert made.columns == [*taken.columns, "window"]
    assert "AS window_whole_2" in made.to_sql()


def test_the_gap_of_a_session_may_be_each_rows_own() -> None:
    column = T.session("at", col("b")).group_by("session_window").count().to_sql()
    assert "session_window(at, b)" in column
    chosen = F.when(col("a") > 1, "5 minutes").otherwise("1 minute")
    sessions = T.session("at", chosen).group_by("session_window").count()
    assert "WHEN a > 1 THEN '5 minutes'" in sessions.to_sql()
    with pytest.raises(ValidationError, match="is not a length of time"):
        T.session("at", 5)
