"""The settings that every view carries."""

from __future__ import annotations

import pytest

from tests.catalog_store.samples import view
from viewscribe.catalog_store.settings import DEFAULT_SETTINGS


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
