"""Strings of SQL text mean what they mean to Spark's own parser; zones and fractions are exact."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.sampling import percent_of
from viewscribe.spark.capture.sqltext.dialect import parsed_item
from viewscribe.spark.capture.sqltext.strings import ESCAPED, Strings, joined
from viewscribe.spark.capture.sqltext.subqueries import queries_in
from viewscribe.types.zones import zone_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LETTERS = "ab'\"\\ntrZbu%_0147Ae "


def _read(text: str, *, escaped: bool = False) -> str | None:
    strings = Strings(text, escaped=escaped)
    item = parsed_item(strings.marked)
    strings.restore(item)
    if isinstance(item, exp.Concat):
        return joined(item)
    return item.this if isinstance(item, exp.Literal) else None


@pytest.mark.parametrize("escaped", [False, True])
@given(inner=st.text(_LETTERS, max_size=8), quote=st.sampled_from("'\""), raw=st.booleans())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_strings_are_those_of_spark(
    spark: SparkSession, escaped: bool, inner: str, quote: str, raw: bool
):
    from pyspark.errors import ParseException

    text = f"{'r' if raw else ''}{quote}{inner}{quote}"
    spark.conf.set(ESCAPED, str(escaped).lower())
    try:
        wanted = spark.sql(f"SELECT {text} AS x").collect()[0][0]
    except ParseException:
        return
    finally:
        spark.conf.unset(ESCAPED)
    try:
        found = _read(text, escaped=escaped)
    except CaptureError:
        return  # refused, which is never wrong
    assert found in (wanted, None), text


def test_sub_queries_stand_as_they_were_typed():
    text = "a IN (SELECT ')' FROM t -- (SELECT 1)\n) AND f((SELECT max(b) FROM u), '(SELECT 2)')"
    assert queries_in(text) == ["SELECT ')' FROM t -- (SELECT 1)", "SELECT max(b) FROM u"]
    assert queries_in("(SELECT (SELECT 1) AS x)") == ["SELECT (SELECT 1) AS x"]


@pytest.mark.parametrize(
    ("name", "hours"), [("UTC", 0), ("Europe/Oslo", 1), ("+05:30", 5.5), ("GMT-3", -3)]
)
def test_zones(name: str, hours: float):
    zone = zone_of(name)
    assert zone is not None
    assert zone.utcoffset(dt.datetime(2024, 1, 1)) == dt.timedelta(hours=hours)


def test_what_is_no_zone():
    assert zone_of("Nowhere/Town") is None
    assert zone_of(None) is None


@given(st.floats(0, 1))
def test_percents_are_exactly_the_fraction(fraction: float):
    try:
        percent = percent_of(fraction)
    except CaptureError:
        assert all(round(fraction * 100, digits) / 100 != fraction for digits in range(17))
        return
    assert percent / 100 == fraction
