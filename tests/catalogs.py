"""Every kind of catalog under the same tests."""

from __future__ import annotations

import atexit
import os
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.catalog_store import samples
from tests.disks import databases_never_wait
from tests.servers.iceberg_rest import IcebergServer, iceberg_rest
from tests.servers.postgresql import postgresql, programs
from viewscribe.catalog_store import Catalog, FileCatalog, MemoryCatalog, open_catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.metastore import Metastore
    from viewscribe import TableEnvironment

MAKERS: dict[str, Callable[[Path], Catalog]] = {
    "memory": lambda _: MemoryCatalog(),
    "file": lambda place: FileCatalog(place / "views"),
    "sqlite": lambda place: open_catalog(f"sqlite:{place}/views.db"),
}
"""Each kind of catalog, without databases, in an empty directory."""


@cache
def _postgresql_url() -> str:
    """The URL of a server that runs until the tests end."""
    servers = ExitStack()
    atexit.register(servers.close)
    return servers.enter_context(postgresql())


def _empty_postgresql(_: Path) -> Catalog:
    found = open_catalog(_postgresql_url())
    for name in found.list_databases():
        found.drop_database(name, cascade=True)
    return found


@cache
def _iceberg_url() -> str:
    """The URL of a REST catalog: the server of `make lakehouse`, else one in this process."""
    if url := os.environ.get("VIEWSCRIBE_TEST_ICEBERG"):
        return url
    servers = ExitStack()
    atexit.register(servers.close)
    return servers.enter_context(iceberg_rest(IcebergServer()))


def _empty_iceberg(_: Path) -> Catalog:
    found = open_catalog(_iceberg_url())
    for name in found.list_databases():
        for each in found.list_objects(name, "table"):
            found._connection.delete("namespaces", name, "tables", each.name)  # type: ignore[attr-defined]
        found.drop_database(name, cascade=True)
    return found


MAKERS["iceberg"] = _empty_iceberg
if programs() is not None:
    MAKERS["postgresql"] = _empty_postgresql


@pytest.fixture(scope="session", autouse=True)
def _databases_that_never_wait() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        databases_never_wait(patch)
        yield


@pytest.fixture(scope="session")
def metastore() -> Iterator[Metastore]:
    """A running Hive metastore, started by the first test that needs it; see make metastores."""
    from tests.servers.metastore import metastore as started
    from tests.servers.postgres_metastore import postgres_metastore

    version, _, database = os.environ.get("VIEWSCRIBE_TEST_METASTORE", "").partition(" on ")
    with postgres_metastore(version) if database else started(version=version) as server:
        yield server


@pytest.fixture
def hive(metastore: Metastore) -> Catalog:
    """The catalog of a metastore that holds nothing."""
    metastore.wipe()
    return open_catalog(metastore.url)


@pytest.fixture(params=[*MAKERS, "hive"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """A catalog without databases."""
    if request.param == "hive":
        return request.getfixturevalue("hive")  # type: ignore[no-any-return]
    return MAKERS[request.param](tmp_path)


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


def make_table(env: TableEnvironment, name: str, columns: str) -> None:
    """Makes a table of the current catalog; in an Iceberg catalog as an engine makes it."""
    found = env.catalogs.catalog()
    if not found.url.startswith("iceberg:"):
        env.create_table(name, columns)
        return
    from viewscribe.catalog_store.documents.model import Column
    from viewscribe.catalog_store.stores.iceberg.types import schema_of
    from viewscribe.types.ddl import parse_schema, type_text

    *around, own = name.split(".")
    home = around[-1] if around else env.catalogs.current_database
    fields = [Column(each.name, type_text(each.type)) for each in parse_schema(columns)]
    body = {"name": own, "schema": schema_of(fields, 0, name), "stage-create": False}
    found._connection.post("namespaces", home, "tables", body=body)  # type: ignore[attr-defined]


def needs_described_tables(catalog: Catalog) -> None:
    """Skips a test where tables are made by engines; see stores/iceberg/test_rest.py."""
    if catalog.url.startswith("iceberg:"):
        pytest.skip("an Iceberg catalog holds tables with rows, not descriptions")


def needs_swaps(hive: Catalog) -> None:
    """Skips a test of what only compare-and-swap gives, where a metastore has locks instead."""
    if not hive._guard.swaps("sales"):  # type: ignore[attr-defined]
        pytest.skip("this metastore alters tables without a condition")
