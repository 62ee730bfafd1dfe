"""Every kind of catalog under the same tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.catalog_store import samples
from viewscribe.catalog_store import Catalog, FileCatalog, MemoryCatalog, open_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.metastore.server import Metastore


@pytest.fixture(scope="session")
def metastore() -> Iterator[Metastore]:
    """A running Hive metastore, started by the first test that needs it."""
    from tests.metastore.server import metastore as started

    with started() as server:
        yield server


@pytest.fixture
def hive(metastore: Metastore) -> Catalog:
    """The catalog of a metastore that holds nothing."""
    metastore.wipe()
    return open_catalog(metastore.url)


@pytest.fixture(params=["memory", "file", "hive"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """A catalog without databases."""
    if request.param == "hive":
        return request.getfixturevalue("hive")  # type: ignore[no-any-return]
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
