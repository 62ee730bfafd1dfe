"""The catalog that is verified is the same on any machine, and holds what it says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generated_views import DATABASE, GROUPS, KINDS, make_catalog, texts, view_name
from benchmarks.verifying import Cost
from viewscribe.catalog_store import ViewDocument


def test_views_are_those_of_their_seed() -> None:
    assert list(texts(90, 1)) == list(texts(90, 1))
    assert list(texts(90, 1)) != list(texts(90, 2))
    assert len(set(texts(300, 1))) == 300


def test_a_catalog_of_all_kinds_under_all_settings(tmp_path: Path) -> None:
    views = len(KINDS) * 2
    env = make_catalog(f"file:{tmp_path / 'views'}", tmp_path, views)
    settings = set()
    for number in range(views):
        document = env.get_view(f"{DATABASE}.{view_name(number)}")
        assert isinstance(document, ViewDocument)
        assert document.plan is not None
        settings.add(frozenset(document.settings.items()))
    assert len(settings) == len(GROUPS)


def test_costs_are_those_of_a_view() -> None:
    whole = Cost()
    whole += Cost(1, 0.010, 0.1, 0.2, {"collects": 2})
    whole += Cost(3, 0.030, 0.1, 0.2, {"collects": 4, "settings": 1})
    assert whole.per_view(whole.python) == 10
    assert whole.often("collects") == 1.5
    assert whole.often("settings") == 0.25
    assert whole.often("other") == 0
