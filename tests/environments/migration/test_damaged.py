"""What is wrong with documents that were edited by hand is said with words, whatever it is."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import viewscribe as vs
from tests.environments.migration.worlds import shop
from viewscribe.catalog_store import MemoryCatalog, open_catalog
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.environments import NameMapping, Translation
from viewscribe.environments.migration.columns import by_names, readings
from viewscribe.environments.migration.planner import Unprinted, print_view
from viewscribe.environments.migration.renamer import Renamer
from viewscribe.environments.migration.snapshot import read
from viewscribe.errors import CatalogError, ViewscribeError

ODD: list[Any] = [None, True, -1, 7, 1.5, "", "x", "a.b", [], {}, [None], [0], {"a": 1}, "STRING"]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = []
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            found += [(*path, key), *_places(inner, (*path, key))]
    return found


@pytest.mark.slow("every place of a plan, with every odd value")
def test_every_place_of_a_plan() -> None:
    catalog = shop(MemoryCatalog()).catalogs.catalog()
    names = NameMapping(databases={"*": "prod_*"})
    renamer = Renamer(Translation(NameMapping(), names), read(catalog, "Reading"))

    def translate(view: ViewDocument) -> None:
        renamed = renamer.view(view)
        if renamed.is_unprinted:
            assert isinstance(renamed.document, ViewDocument)
            unprinted = Unprinted.of(view, renamed.document)
            assert pickle.loads(pickle.dumps(unprinted)) == unprinted
            print_view(unprinted)

    for name in ("open", "totals"):
        view = catalog.get("view", "sales", name).document
        assert isinstance(view, ViewDocument)
        for place in _places(view.plan):
            for odd in ODD:
                plan = _with(copy.deepcopy(view.plan), place, odd)
                damaged = msgspec.structs.replace(view, plan=plan)
                for use in (readings, by_names, translate):
                    with suppress(ViewscribeError):
                        use(damaged)


def _with(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    *above, last = place
    target = document
    for key in above:
        target = target[key]
    target[last] = value
    return document


def test_a_database_that_says_another_name(tmp_path: Path) -> None:
    env = shop(open_catalog(f"file:{tmp_path}/dev"))
    env.execute_sql("CREATE OR REPLACE VIEW names AS SELECT net FROM totals")
    (chosen,) = (tmp_path / "dev").rglob("_database.yaml")
    chosen.write_text(yaml.safe_dump({**yaml.safe_load(chosen.read_text()), "name": "x"}))
    with pytest.raises(CatalogError, match="is not among what the catalog lists"):
        vs.TableEnvironment(f"file:{tmp_path}/dev").rollback("sales.names", 1)
