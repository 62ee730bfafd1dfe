"""Every kind of catalog under the same tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.catalog_store import samples
from viewscribe.catalog_store import Catalog, FileCatalog, MemoryCatalog

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["memory", "file"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """A catalog without databases."""
    return MemoryCatalog() if request.param == "memory" else FileCatalog(tmp_path / "views")


@pytest.fixture
def catalog(empty: Catalog) -> Catalog:
    """A catalog with the database ``sales``."""
    empty.create_database(samples.database())
    return empty


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The directory of ``files``."""
    return tmp_path / "views"


@pytest.fixture
def files(root: Path) -> FileCatalog:
    """A file catalog with the database ``sales``."""
    found = FileCatalog(root)
    found.create_database(samples.database())
    return found
