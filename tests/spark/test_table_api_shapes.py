"""What users type for names, stars, windows and JSON, against Spark and against plain Python."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import viewscribe as vs
from viewscribe import (
    call,
    col,
    descriptor,
    interval,
    lit,
    over,
    range_,
    with_all_columns,
    with_columns,
    without_columns,
)
from viewscribe import functions as F
from viewscribe.spark.types import schema_from_spark

ENV = vs.TableEnvironment()
HOUR = dt.timedelta(hours=1)


def _frozen(value):
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def answers(spark, table, styles=("readable", "pipe", "nested")):
    """The rows of a table, which are those of its text, of its plan, and of its DataFrame."""
    frame = table.to_dataframe(spark)
    found = Counter(_frozen(row) for row in frame.collect())
    assert schema_from_spark(frame.schema) == table.schema.fields
    assert vs.Table.from_plan(table.env, table.to_plan()).equals(table)
    for style in styles:
        read = spark.sql(table.to_sql(style))
        assert schema_from_spark(read.schema) == table.schema.fields, table.to_sql(style)
        assert Counter(_frozen(row) for row in read.collect()) == found, table.to_sql(style)
    return found


NUMBERS = ENV.from_values(
    [(1, "x", 10), (1, "y", 20), (2, "X", 30), (None, None, 40)], "a INT, b STRING, v INT"
)
NEXT = (col("a") + 1).as_("k")


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            NUMBERS.group_by(NEXT).select("K", (col("k") * 2).as_("d"), F.sum("v").as_("s")),
            [(2, 4, 30), (3, 6, 30), (None, None, 40)],
        ),
        (
            NUMBERS.group_by(NEXT).agg(F.sum("k").as_("s"), (col("k") * 10).as_("t")),
            [(2, 4, 20), (3, 3, 30), (None, None, None)],
        ),
        (  # the key's name is a column's, too: within an aggregate the column's
            NUMBERS.group_by(F.upper("b").as_("b")).select("b", F.max("b").as_("m")),
            [("X", "x"), ("Y", "y"), (None, None)],
        ),
        (
            NUMBERS.group_by(F.struct("a", F.upper("b").as_("u")).as_("k")).select(
                "k.u", F.collect_list(F.struct("k")).as_("all"), F.struct("k").as_("one")
            ),
            [
                ("X", (((1, "X"),),), ((1, "X"),)),
                ("X", (((2, "X"),),), ((2, "X"),)),
                ("Y", (((1, "Y"),),), ((1, "Y"),)),
                (None, (((None, None),),), ((None, None),)),
            ],
        ),
        (
            NUMBERS.group_by(NEXT).select(
                "k", F.rank().over(over(order_by=col("k").desc())).as_("r")
            ),
            [(3, 1), (2, 2), (None, 3)],
        ),
        (
            NUMBERS.rollup(NEXT, "b").select(
                "k", "b", F.grouping(col("k")).as_("g"), F.sum("v").as_("s")
            ),
            [
                (2, "x", 0, 10),
                (2, "y", 0, 20),
                (3, "X", 0, 30),
                (None, None, 0, 40),
                (2, None, 0, 30),
                (3, None, 0, 30),
                (None, None, 0, 40),
                (None, None, 1, 100),
            ],
        ),
        (
            NUMBERS.cube(NEXT).select("k", F.count().as_("n")),
            [(2, 2), (3, 1), (None, 1), (None, 4)],
        ),
        (
            NUMBERS.grouping_sets([[NEXT, "b"], ["k"], []]).select("k", F.count().as_("n")),
            [(2, 1), (2, 1), (3, 1), (None, 1), (2, 2), (3, 1), (None, 1), (None, 4)],
        ),
    ],
)
def test_names_of_grouping_keys(spark, table, rows):
    assert answers(spark, table) == Counter(rows)


def test_names_of_keys_that_are_windows(spark):
    at = dt.datetime(2024, 1, 1, 10, 20)
    table = ENV.from_values([(at, 1), (at + HOUR, 2)], "at TIMESTAMP_NTZ, v INT")
    for windows in (table.tumble("at", "1 hour", name="w"), table.session("at", "5 minutes")):
        key = col(windows.columns[-1]).as_("when")
        grouped = windows.group_by(key).select("when.start", F.sum("v").as_("s"))
        assert grouped.columns == ["when.start", "s"]
        assert sorted(row[1] for row in answers(spark, grouped)) == [1, 2]


NESTED = ENV.from_values(
    [(1, (2, ("p", None))), (2, None)],
    "id INT NOT NULL, r STRUCT<x: INT, s: STRUCT<y: STRING NOT NULL, z: INT>>",
)


@pytest.mark.parametrize(
    ("table", "names", "rows"),
    [
        (NESTED.select("r.*"), ["x", "s"], [(2, ("p", None)), (None, None)]),
        (NESTED.select(col("r").star()), ["x", "s"], [(2, ("p", None)), (None, None)]),
        (NESTED.select("id", "r.s.*"), ["id", "y", "z"], [(1, "p", None), (2, None, None)]),
        (
            NESTED.select(col("r")["s"].star().as_("a", "b"), "id"),
            ["a", "b", "id"],
            [("p", None, 1), (None, None, 2)],
        ),
        # A table comes before a struct of its name, and the struct can be qualified.
        (NESTED.alias("r").select("r.*"), ["id", "r"], [(1, (2, ("p", None))), (2, None)]),
        (NESTED.alias("r").select("r.r.*"), ["x", "s"], [(2, ("p", None)), (None, None)]),
        (NESTED.add_columns("r.s.*").drop_columns("r"), ["id", "y", "z"], None),
        (NESTED.select(F.struct("r.*", "id").as_("made")), ["made"], None),
        (NESTED.group_by("r.s.*").select("y", F.count().as_("n")), ["y", "n"], None),
        (NESTED.select(with_columns(range_("id", "r"))), ["id", "r"], None),
        (NESTED.select(with_columns(2, 1)), ["r", "id"], None),
        (NESTED.select(without_columns(range_(2, 2)).as_("n")), ["n"], [(1,), (2,)]),
        (NESTED.select(with_all_columns().as_("n", "m")), ["n", "m"], None),
        (NESTED.drop_columns(with_columns(range_("r", "r"))), ["id"], [(1,), (2,)]),
        (NESTED.group_by(with_columns("id")).select("id"), ["id"], [(1,), (2,)]),
        (NESTED.order_by(with_columns("id")).select("id"), ["id"], [(1,), (2,)]),
        (
            NUMBERS.unpivot(with_columns(range_("v", "v"), "a")).filter(col("b") == "X"),
            ["b", "name", "value"],
            [("X", "v", 30), ("X", "a", 2)],
        ),
        (
            NESTED.select(F.concat_ws("-", with_columns(1), "r.x").as_("t")),
            ["t"],
            [("1-2",), ("2",)],
        ),
    ],
)
def test_stars_and_ranges(spark, table, names, rows):
    found = answers(spark, table)
    assert table.columns == names
    assert rows is None or found == Counter(rows)


def test_a_star_of_a_struct_is_sparks(spark):
    NESTED.to_dataframe(spark).createOrReplaceTempView("nested_stars")
    for star in ("r.*", "r.s.*", "nested_stars.r.s.*"):
        ours = NESTED.alias("nested_stars").select(star).to_dataframe(spark)
        theirs = spark.sql(f"SELECT {star} FROM nested_stars")
        assert ours.schema == theirs.schema
        assert sorted(ours.collect(), key=repr) == sorted(theirs.collect(), key=repr)
    spark.catalog.dropTempView("nested_stars")


LISTS = ENV.from_values(
    [(1, ["a", "b"], {"k": 1}), (2, [], {})], "id INT, l ARRAY<STRING>, m MAP<STRING, INT>"
)


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (LISTS.select("id", F.posexplode("l").as_("p", "t")), [(1, 0, "a"), (1, 1, "b")]),
        (LISTS.select(F.explode("m").alias("x", "y")), [("k", 1)]),
        (LISTS.generate(F.explode("m").as_("x", "y")).select("y", "x"), [(1, "k")]),
        (LISTS.generate(F.explode("l").as_("t")).select("id", "t"), [(1, "a"), (1, "b")]),
        (
            LISTS.left_outer_join_lateral(F.explode("m").as_("x", "y")).select("id", "x", "y"),
            [(1, "k", 1), (2, None, None)],
        ),
        (
            LISTS.select(F.stack(lit(2), 1, lit("u"), 2, lit("v")).as_("n", "t")),
            [(1, "u"), (2, "v")] * 2,
        ),
        (ENV.from_call(call("range", 2).as_("n")), [(0,), (1,)]),
    ],
)
def test_several_names(spark, table, rows):
    assert answers(spark, table) == Counter(rows)


# -- time windows ---------------------------------------------------------------------------------


def _start(at, size, offset):
    """Where the window of that size begins that the moment lies in, by Python's own numbers."""
    zone = dt.UTC if at.tzinfo else None
    origin = dt.datetime(1970, 1, 1, tzinfo=zone) + offset
    return origin + (at - origin) // size * size


def _cumulative(at, step, size, offset):
    start = _start(at, size, offset)
    ends = [start + step * (count + 1) for count in range(size // step)]
    return [(start, end) for end in ends if end > at]


MOMENTS = [
    dt.datetime(2024, 3, 30, 23, 59, 59, 999999),
    dt.datetime(2024, 3, 31, 0, 59, 59),
    dt.datetime(2024, 3, 31, 1, 0),  # clocks go forward in Berlin
    dt.datetime(2024, 10, 27, 0, 30),  # and back
    dt.datetime(2024, 10, 27, 1, 30),
    dt.datetime(1969, 12, 31, 23, 59, 59, 1),
    dt.datetime(1970, 1, 1),
    dt.datetime(1900, 2, 3, 4, 5, 6),
]
NONE = dt.timedelta(0)
DAY = dt.timedelta(days=1)


@pytest.mark.parametrize(
    ("step", "size", "offset"),
    [
        (HOUR, 4 * HOUR, NONE),
        (6 * HOUR, DAY, -HOUR),
        (DAY, 7 * DAY, NONE),
        (DAY, 3 * DAY, dt.timedelta(days=1, hours=2, microseconds=5)),
        (dt.timedelta(milliseconds=1500), dt.timedelta(seconds=6), dt.timedelta(seconds=1)),
        (DAY, DAY, HOUR),
    ],
)
@pytest.mark.parametrize("type_", ["TIMESTAMP", "TIMESTAMP_NTZ"])
def test_cumulative_windows(spark, type_, step, size, offset):
    zone = dt.UTC if type_ == "TIMESTAMP" else None
    moments = [each.replace(tzinfo=zone) for each in MOMENTS]
    table = ENV.from_values(
        [*enumerate(moments), (99, None)], f"id INT NOT NULL, at {type_}"
    ).cumulate(descriptor("at"), step, size, offset=offset)
    assert table.columns == ["id", "at", "window"]
    flat = table.select("id", "window.start", col("window.end").cast("STRING").as_("e"), "window")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        shown = spark.sql(table.to_sql())
        bound = "window.{}" if zone is None else "unix_micros(window.{})"
        found = shown.selectExpr("id", *[bound.format(end) for end in ("start", "`end`")])
        expected = Counter(
            (place, *(window if zone is None else map(_microseconds, window)))
            for place, at in enumerate(moments)
            for window in _cumulative(at, step, size, offset)
        )
        assert Counter(map(tuple, found.collect())) == expected
        answers(spark, flat if step == HOUR else table)
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def _microseconds(at):
    return (at - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


def test_cumulative_windows_in_groups(spark):
    at = dt.datetime(2024, 1, 1, 22, 30)
    table = ENV.from_values([(at, 1), (at - HOUR, 2)], "at TIMESTAMP_NTZ, window_end INT")
    summed = (
        table.cumulate("at", "1 hour", "1 day", name="w")
        .group_by("w")
        .select(col("w.end").as_("until"), F.sum("window_end").as_("s"))
    )
    midnight = dt.datetime(2024, 1, 2)
    assert answers(spark, summed) == Counter(
        [(midnight - 2 * HOUR, 2), (midnight - HOUR, 3), (midnight, 3)]
    )


def test_cumulative_windows_of_dates(spark):
    table = ENV.from_values([(dt.date(2024, 1, 2),)], "d DATE")
    windows = table.cumulate("d", "12 hours", "1 day").select("window.*")
    shown = windows.select(*[F.unix_seconds(name) % 86400 for name in ("start", "end")])
    assert answers(spark, shown) == Counter([(0, 43200), (0, 0)])


def test_lengths_of_windows(spark):
    table = ENV.from_values([(dt.datetime(2024, 1, 1, 10, 20),)], "at TIMESTAMP_NTZ")
    shown = [
        table.tumble("at", length, offset=offset).select("window")
        for length, offset in (
            ("90 minutes", "15 minutes"),
            (dt.timedelta(minutes=90), dt.timedelta(minutes=15)),
            (interval(hours=1, minutes=30), interval(minutes=15)),
            (lit(dt.timedelta(minutes=90)), "interval 900 seconds"),
        )
    ]
    start = dt.datetime(2024, 1, 1, 9, 15)
    for each in shown:
        assert answers(spark, each) == Counter([((start, start + 1.5 * HOUR),)])
    hopping = table.hop("at", HOUR, interval(minutes=30), offset="-1 minute").select("window")
    starts = [dt.datetime(2024, 1, 1, 9, 29), dt.datetime(2024, 1, 1, 9, 59)]
    assert answers(spark, hopping) == Counter(((each, each + HOUR),) for each in starts)


# -- JSON -----------------------------------------------------------------------------------------

PAIRS = ENV.from_values(
    [("g", "a", 1, (1, None)), ("g", "b", None, None), ("h", "c", None, (None, "t"))],
    "g STRING, k STRING, v INT, s STRUCT<x: INT, y: STRING>",
)


def test_json_aggregates(spark):
    made = PAIRS.group_by("g").select(
        "g",
        *[
            call(name, *args, **options).as_(f"c{place}")
            for place, (name, args, options, *_) in enumerate(JSON)
        ],
    )
    for row in answers(spark, made):
        for (name, *_, expected), found in zip(JSON, row[1:], strict=True):
            assert _sorted(json.loads(found)) == expected[row[0]], name


def _sorted(value):
    return sorted(value, key=repr) if isinstance(value, list) else value


JSON: list[tuple[Any, ...]] = [
    ("json_array_agg", (col("v"),), {}, {"g": [1], "h": []}),
    ("json_arrayagg", (col("v"),), {"on_null": "null"}, {"g": [1, None], "h": [None]}),
    ("json_object_agg", (col("k"), col("v")), {}, {"g": {"a": 1, "b": None}, "h": {"c": None}}),
    (
        "json_objectagg",
        (col("k"), col("v")),
        {"on_null": "ABSENT"},
        {"g": {"a": 1}, "h": {}},
    ),
    (
        "json_array_agg",
        (col("s"),),
        {},
        {"g": [{"x": 1, "y": None}], "h": [{"x": None, "y": "t"}]},
    ),
    (
        "json_object_agg",
        (col("k"), F.array("s")),
        {},
        {"g": {"a": [{"x": 1, "y": None}], "b": [None]}, "h": {"c": [{"x": None, "y": "t"}]}},
    ),
    (
        "json_array_agg",
        (call("json_object", "v", col("v")),),
        {},
        {"g": [{"v": 1}, {"v": None}], "h": [{"v": None}]},
    ),
    (
        "json_object_agg",
        (col("k"), call("json_array", col("v"), lit("x"))),
        {},
        {"g": {"a": [1, "x"], "b": ["x"]}, "h": {"c": ["x"]}},
    ),
]


def test_json_aggregates_of_some_rows_and_of_none(spark):
    some, all_ = col("v").is_not_null(), call("json_object_agg", col("k"), col("v"))
    items = (
        call("json_array_agg", col("k")).filter(some).as_("a"),
        all_.filter(col("k") == "b").as_("b"),
        call("json_object_agg", col("k"), col("v"), on_null="ABSENT").filter(some).as_("c"),
        col("v").sum0().filter(col("v") > 5).as_("d"),
    )
    assert answers(spark, PAIRS.select(*items)) == Counter([('["a"]', '{"b":null}', '{"a":1}', 0)])
    none = PAIRS.filter(col("g") == "z").select(*items)
    assert answers(spark, none) == Counter([("[]", "{}", "{}", 0)])


# -- times ----------------------------------------------------------------------------------------

BERLIN = ZoneInfo("Europe/Berlin")
UNITS = ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND")


def _floor(at, unit):
    month = {"YEAR": 1, "QUARTER": (at.month - 1) // 3 * 3 + 1}.get(unit, at.month)
    place = UNITS.index(unit)
    return at.replace(
        month=month,
        day=at.day if place >= 3 else 1,
        hour=at.hour if place >= 4 else 0,
        minute=at.minute if place >= 5 else 0,
        second=at.second if place >= 6 else 0,
        microsecond=at.microsecond // 1000 * 1000 if place >= 7 else 0,
    )


def _ceil(at, unit):
    start = _floor(at, unit)
    if start == at:
        return at
    months = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}.get(unit)
    if months is None:
        lengths = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1000}
        return start + dt.timedelta(milliseconds=lengths.get(unit, 1))
    month = start.month - 1 + months
    return start.replace(year=start.year + month // 12, month=month % 12 + 1)


LOCAL = [
    *(each for each in MOMENTS if each.year > 1900),
    dt.datetime(2024, 2, 29, 12, 30, 15, 123456),
    dt.datetime(2023, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2024, 1, 1),
    dt.datetime(2024, 8, 31, 22),
    dt.datetime(2024, 3, 31, 2, 30),  # Berlin has no such time
]


@pytest.mark.parametrize("unit", UNITS)
def test_floor_and_ceil_to_a_unit(spark, unit):
    """Local times without a zone are Python's own; those of Berlin are except in a skipped hour."""
    in_berlin = [each for each in LOCAL[:-1] if each.month != 10]
    rows: list[tuple[Any, ...]] = [(each, None, each.date()) for each in LOCAL]
    rows += [(None, each.replace(tzinfo=BERLIN).astimezone(dt.UTC), None) for each in in_berlin]
    table = ENV.from_values(rows, "n TIMESTAMP_NTZ, at TIMESTAMP, d DATE")
    by_day = unit in UNITS[:4]
    days = (col("d").floor(unit), col("d").ceil(unit)) if by_day else ()
    items = [
        col("n").floor(unit),
        F.ceil("n", unit.lower()),
        F.floor("at", unit),
        col("at").ceil(unit),
        *days,
    ]
    made = table.select(*[item.as_(f"c{place}") for place, item in enumerate(items)])
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        found = answers(spark, made.select("*"))
        shown = spark.sql(made.to_sql()).selectExpr(
            *[f"CAST(c{place} AS STRING)" for place in range(len(items))]
        )
        texts = Counter(map(tuple, shown.collect()))
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    expected = []
    for each in LOCAL:
        dates = (_floor(_day(each), unit), _ceil(_day(each), unit)) if by_day else ()
        texts_of_dates = [str(day.date()) for day in dates]
        local = (_text(_floor(each, unit)), _text(_ceil(each, unit)))
        expected.append((*local, None, None, *texts_of_dates))
    for each in in_berlin:
        pair = (_text(_floor(each, unit)), _text(_after_gap(_ceil(each, unit))))
        expected.append((None, None, *pair, *([None] * len(days))))
    assert texts == Counter(expected)
    assert sum(found.values()) == len(rows)


def _day(at):
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _after_gap(at):
    """Where the clocks show that time, or the first after it."""
    return at.replace(tzinfo=BERLIN).astimezone(dt.UTC).astimezone(BERLIN).replace(tzinfo=None)


def _text(at):
    whole = at.strftime("%Y-%m-%d %H:%M:%S")
    return whole if not at.microsecond else f"{whole}.{at.microsecond:06}".rstrip("0")


def _overlap(first, first_end, second, second_end):
    """By SQL's three values, of spans whose ends may come before their starts."""
    spans = []
    for start, end in ((first, first_end), (second, second_end)):
        if None not in (start, end):
            last = start + end if isinstance(end, dt.timedelta) else end
            spans.append((min(start, last), max(start, last)))
        else:  # nothing is known to come first: the end is the start, and the start the end
            spans.append((start if isinstance(end, dt.timedelta) else end, start))
    (low, high), (other_low, other_high) = spans
    checks = [_at_least(high, other_low), _at_least(other_high, low)]
    return False if False in checks else None if None in checks else True


def _at_least(left, right):
    return None if None in (left, right) else left >= right


def test_temporal_overlaps(spark):
    day = [dt.date(2024, 1, each) for each in (1, 3, 5, 7)]
    points: list[tuple[Any, ...]] = [
        (day[a], day[b], day[c], day[d])
        for a in range(4)
        for b in range(4)
        for c in range(4)
        for d in range(4)
    ]
    points += [(None, day[0], day[1], day[2]), (day[0], None, day[1], day[2])]
    points += [(day[2], None, day[0], day[1]), (day[0], day[1], None, None)]
    table = ENV.from_values(points, "a DATE, b DATE, c DATE, d DATE")
    back, on = interval(days=-2), interval(days=2)
    made = table.select(
        "*",
        col("a").temporal_overlaps(col("b"), col("c"), col("d")).as_("x"),
        call("temporal_overlaps", col("a"), on, col("c"), back).as_("y"),
    )
    two = dt.timedelta(days=2)
    for row, count in answers(spark, made).items():
        a, b, c, d, x, y = row
        assert count == 1
        assert (x, y) == (_overlap(a, b, c, d), _overlap(a, two, c, -two)), row
