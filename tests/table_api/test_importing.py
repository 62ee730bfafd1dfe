"""A folder of SQL is stored as a whole or not at all, wherever a catalog fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.catalog_store import open_catalog
from viewscribe.errors import CatalogError
from viewscribe.table_api.sql_files import SqlFolder, store_folder

FILES = {
    "tables.sql": "CREATE TABLE shop.orders (id BIGINT, amount DECIMAL(10, 2));"
    "CREATE TABLE fresh.items (id BIGINT)",
    "shop/kept.sql": "SELECT id FROM shop.orders",
    "fresh/sums.sql": "SELECT sum(id) AS n FROM shop.kept",
    "last.sql": "SELECT n + 1 AS next FROM fresh.sums",
}
WRITES = ("create", "replace", "create_database")
ALL = 7
"""How many writes an import of the files makes."""


class Failing:
    """A catalog of which one write fails, before or after it was done."""

    def __init__(self, catalog: Any, at: int, *, done: bool = False) -> None:
        self._catalog, self.left, self._done = catalog, at, done

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._catalog, name)
        return self._counted(found) if name in WRITES else found

    def _counted(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left != 0:
                return write(*args, **named)
            if self._done:
                write(*args, **named)
            raise CatalogError("the disk is full")

        return counted


class Stubborn(Failing):
    """One that keeps what it has, too."""

    def delete(self, *args: Any, **named: Any) -> None:
        raise CatalogError("nothing goes")


def folder_over(catalog: Any, place: Path) -> SqlFolder:
    for name, text in FILES.items():
        path = place / "queries" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder = SqlFolder(vs.TableEnvironment(catalog), place / "queries")
    assert folder.read() == []
    return folder


def contents(catalog: Any) -> dict[str, Any]:
    return {f"{each.id.kind} {each.id}": each.document for each in catalog.load_all()}


def a_catalog(url: str, place: Path) -> Any:
    catalog = open_catalog(url.format(place=place))
    env = vs.TableEnvironment(catalog)
    env.create_database("shop")
    env.create_table("shop.orders", "id INT")
    env.create_view("shop.kept", env.from_path("shop.orders"), comment="the first one")
    return catalog


@pytest.mark.parametrize("url", ["memory:", "file:{place}/views"])
@pytest.mark.parametrize("at", range(1, ALL + 1))
def test_a_write_that_fails_leaves_all_as_it_was(tmp_path, url, at):
    catalog = a_catalog(url, tmp_path)
    before = contents(catalog)
    folder = folder_over(Failing(catalog, at), tmp_path)
    with pytest.raises(CatalogError, match=r"^the disk is full$"):
        store_folder(folder, or_replace=True)
    assert contents(catalog) == before


def test_there_are_no_more_writes_than_were_tried(tmp_path):
    catalog = a_catalog("memory:", tmp_path)
    failing = Failing(catalog, ALL + 1)
    store_folder(folder_over(failing, tmp_path), or_replace=True)
    assert failing.left == 1
    assert {"view default.last", "view fresh.sums", "database fresh"} <= contents(catalog).keys()


def test_what_cannot_be_taken_back_is_told(tmp_path):
    catalog = a_catalog("memory:", tmp_path)
    folder = folder_over(Stubborn(catalog, ALL), tmp_path)
    with pytest.raises(CatalogError, match="could not all be taken back") as caught:
        store_folder(folder, or_replace=True)
    assert caught.value.code == "ImportFailedError"
    assert "table fresh.items stands: nothing goes" in str(caught.value)
    assert catalog.get("view", "shop", "kept").document.comment == "the first one"


def test_a_write_that_was_done_though_it_failed_is_told(tmp_path):
    catalog = a_catalog("memory:", tmp_path)
    with pytest.raises(CatalogError, match="could not all be taken back") as caught:
        store_folder(folder_over(Failing(catalog, ALL, done=True), tmp_path), or_replace=True)
    assert "stands: it was changed while storing it failed" in str(caught.value)


def test_what_others_changed_meanwhile_stays(tmp_path):
    catalog = a_catalog("memory:", tmp_path)
    other = vs.TableEnvironment(catalog)

    def tell(name: str) -> None:
        if name == "shop.kept":
            other.create_view(name, other.sql_query("SELECT 7 AS id"), or_replace=True)
            raise KeyboardInterrupt

    with pytest.raises(CatalogError, match=r"view shop\.kept stands"):
        store_folder(folder_over(catalog, tmp_path), or_replace=True, tell=tell)
    assert "7" in catalog.get("view", "shop", "kept").document.sql


def test_tables_are_looked_for_before_the_first_write(tmp_path):
    catalog = a_catalog("memory:", tmp_path)
    vs.TableEnvironment(catalog).drop_view("shop.kept")
    before = contents(catalog)
    with pytest.raises(CatalogError, match=r"the table shop\.orders exists already"):
        store_folder(folder_over(Failing(catalog, 1), tmp_path))
    assert contents(catalog) == before
