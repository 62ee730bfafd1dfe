"""Strings of SQL text mean what they mean to Spark's own parser; zones and fractions are exact."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viewscribe.errors import CaptureError, SqlSyntaxError
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.spark.capture.lowering.samples import percent_of
from viewscribe.types.identifiers import zone_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LETTERS = "ab'\"\\ntrZbu%_0147Ae "


ESCAPED = "spark.sql.parser.escapedStringLiterals"


def _read(text: str, *, escaped: bool = False) -> object:
    return PipeGrammar(text, Reading(raw_strings=escaped)).lone_expression().value.value


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
    except SqlSyntaxError:
        return  # refused, which is never wrong
    assert found == wanted, text


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
