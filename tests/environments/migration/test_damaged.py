"""What is wrong with documents that were edited by hand is said with words, whatever it is."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

import viewscribe as vs
from tests.environments.migration.worlds import shop, tables_alone
from tests.fuzzing import examples
from viewscribe.catalog_store import open_catalog
from viewscribe.errors import ViewscribeError

ODD: list[Any] = [None, True, -1, 7, 1.5, "", "x", "a.b", [], {}, [None], [0], {"a": 1}, "STRING"]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = []
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            found += [(*path, key), *_places(inner, (*path, key))]
    return found


def _changed(document: Any, rng: random.Random) -> Any:
    *above, last = rng.choice(_places(document))
    target = document
    for key in above:
        target = target[key]
    target[last] = rng.choice(ODD)
    return document


@pytest.mark.parametrize("seed", range(examples(60)))
def test_a_damaged_document_is_told_with_words(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    env = shop(open_catalog(f"file:{tmp_path}/dev"))
    env.execute_sql("CREATE OR REPLACE VIEW names AS SELECT id, net FROM totals")
    files = sorted(path for path in (tmp_path / "dev").rglob("*.yaml") if path.is_file())
    chosen = rng.choice(files)
    document = _changed(yaml.safe_load(chosen.read_text("utf-8")), rng)
    chosen.write_text(yaml.safe_dump(document, allow_unicode=True), "utf-8")
    target = tables_alone(open_catalog(f"file:{tmp_path}/prod"))
    for act in (
        lambda: vs.migrate.plan(f"file:{tmp_path}/dev", target),
        lambda: vs.TableEnvironment(f"file:{tmp_path}/dev").rollback("sales.names", 1),
    ):
        with suppress(ViewscribeError):
            act()
