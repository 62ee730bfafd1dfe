"""The settings that every view carries."""

from __future__ import annotations

import pytest

from tests.catalog_store.samples import view
from viewscribe.catalog_store.settings import (
    ALLOWED_SETTINGS,
    DEFAULT_SETTINGS,
    is_allowed,
    not_stored,
)


def test_a_view_carries_them(catalog):
    catalog.create(view(settings=DEFAULT_SETTINGS))
    stored = catalog.get("view", "sales", "young").document
    assert stored.settings == dict(DEFAULT_SETTINGS)


def test_nobody_changes_them_by_accident():
    with pytest.raises(TypeError):
        DEFAULT_SETTINGS["spark.sql.ansi.enabled"] = "false"  # type: ignore[index]


@pytest.mark.parametrize("key", sorted(set(DEFAULT_SETTINGS) - {"spark.sql.session.timeZone"}))
def test_they_are_what_spark_does_by_default(spark, key):
    fresh = spark.newSession()
    assert fresh.conf.get(key) == DEFAULT_SETTINGS[key]


@pytest.mark.parametrize("name", sorted(ALLOWED_SETTINGS))
@pytest.mark.parametrize("around", ["\n", " ", "\x00", ";", "${x}", "\u0660", "\u017f", "\u0131"])
def test_only_their_own_names_and_values_pass(name: str, around: str) -> None:
    value = DEFAULT_SETTINGS.get(name, "true")
    for other in (name + around, around + name, name.upper(), name.replace("s", "\u017f")):
        assert not is_allowed(other, value)
    assert not is_allowed(name, value + around)
    assert not is_allowed(name, around + value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.legacy.timeParserPolicy", "EXCEPT\u0130ON"),
        ("spark.sql.legacy.timeParserPolicy", "except\u0131on"),
        ("spark.sql.storeAssignmentPolicy", "\u017ftrict"),
        ("spark.sql.pivotMaxValues", "\u0663"),
    ],
)
def test_letters_of_other_alphabets_are_not_those_of_a_value(name: str, value: str) -> None:
    assert not is_allowed(name, value)


@pytest.mark.parametrize(
    ("version", "mode"),
    [(None, "false"), ("3.5.1", "false"), ("2.4", "false"), ("?", "false"), ("4.3.0", "true")],
)
def test_ansi_mode_of_a_view_that_does_not_say_is_that_of_the_spark_that_made_it(version, mode):
    assert not_stored(version) == {"spark.sql.ansi.enabled": mode}
