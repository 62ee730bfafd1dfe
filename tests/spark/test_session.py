"""Settings in force for a while, and noted beside views."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.errors import VerificationError
from viewscribe.spark.session import (
    CAPTURED_SETTINGS,
    captured_settings,
    session_settings,
    settings,
)

ZONE = "spark.sql.session.timeZone"
ANSI = "spark.sql.ansi.enabled"


def test_settings_are_in_force_inside_only(spark):
    before = spark.conf.getAll
    assert ANSI not in before
    with settings(spark, {ZONE: "Asia/Tokyo", ANSI: "false"}):
        assert spark.sql("SELECT current_timezone(), 1 / 0").collect()[0][:] == ("Asia/Tokyo", None)
    assert spark.conf.getAll == before
    assert spark.conf.get(ZONE) == "UTC"


def test_settings_are_restored_after_an_error(spark):
    before = spark.conf.getAll
    with pytest.raises(ValueError, match="stop"), settings(spark, {ZONE: "Asia/Tokyo"}):
        raise ValueError("stop")
    assert spark.conf.getAll == before


def test_what_is_in_force_anyway_is_not_set(spark):
    """Spark warns of deprecated settings whenever they are set."""
    before = spark.conf.getAll
    with settings(spark, {**DEFAULT_SETTINGS, ZONE: "UTC"}):
        assert spark.conf.getAll == before


def test_settings_nest(spark):
    with settings(spark, {ZONE: "Asia/Tokyo"}):
        with settings(spark, {ZONE: "Europe/Oslo", ANSI: "false"}):
            assert spark.conf.get(ZONE) == "Europe/Oslo"
        assert spark.conf.get(ZONE) == "Asia/Tokyo"
        assert spark.conf.get(ANSI) == "true"


@pytest.mark.parametrize(
    "wrong", [{ZONE: "Moon/Crater"}, {"spark.sql.warehouse.dir": "/somewhere/else"}]
)
def test_a_setting_that_cannot_be_made(spark, wrong):
    before = spark.conf.getAll
    asked = {ANSI: "false", **wrong}
    with pytest.raises(VerificationError, match=next(iter(wrong))), settings(spark, asked):
        raise AssertionError("not reached")
    assert spark.conf.getAll == before


def test_captured_settings_without_a_session_are_sparks_defaults():
    assert captured_settings() == dict(DEFAULT_SETTINGS)


def test_captured_settings_of_a_session(spark):
    legacy = "spark.sql.legacy.sizeOfNull"
    order = "spark.sql.functionResolution.sessionOrder"  # whose function a bare name means
    unnoted = {"spark.sql.shuffle.partitions": "2"}
    with settings(spark, {ZONE: "Asia/Tokyo", legacy: "false", order: "first"}, own=unnoted):
        found = captured_settings(spark)
    assert set(CAPTURED_SETTINGS) <= set(found)
    assert found[ZONE] == "Asia/Tokyo"
    assert (found[legacy], found[order]) == ("false", "first")
    assert "spark.sql.shuffle.partitions" not in found
    assert legacy not in captured_settings(spark)


def test_the_defaults_are_the_ones_of_this_spark(spark):
    shown = {name: spark.conf.get(name) for name in CAPTURED_SETTINGS}
    assert {**shown, ZONE: "UTC"} == dict(DEFAULT_SETTINGS)


@pytest.mark.parametrize("value", ["a, b", "(x) -> y", "", "two\nlines", "ü"])
def test_settings_are_read_at_once_as_they_are(spark, value):
    spark.conf.set("some.other.setting", value)
    try:
        assert session_settings(spark) == dict(spark.conf.getAll)
    finally:
        spark.conf.unset("some.other.setting")
