"""A metastore on PostgreSQL: what every catalog promises, and writers that race."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.catalog_store import test_catalogs, test_versions
from tests.catalog_store.samples import database, function, view
from tests.catalog_store.workers import count_up
from tests.servers.postgres_metastore import driver, postgres_metastore
from tests.servers.postgresql import programs
from viewscribe.catalog_store import open_catalog

WORKERS = 4

pytestmark = pytest.mark.skipif(
    driver() is None or programs() is None,
    reason="PostgreSQL or its JDBC driver is missing: `make metastore` installs them",
)


@pytest.fixture(scope="module")
def metastore():
    with postgres_metastore() as server:
        yield server


@pytest.fixture
def empty(metastore):
    metastore.wipe()
    return open_catalog(metastore.url)


globals().update(
    {
        name: test
        for module in (test_catalogs, test_versions)
        for name, test in vars(module).items()
        if name.startswith("test_")
    }
)


def test_no_increment_is_lost(catalog):
    catalog.create(view("counter", comment="0"))
    with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
        for run in [pool.submit(count_up, catalog.url, 20) for _ in range(WORKERS)]:
            run.result()
    assert catalog.get("view", "sales", "counter").document.comment == str(20 * WORKERS)
    assert len(catalog.history("view", "sales", "counter")) == 20 * WORKERS + 1


def test_long_texts(catalog):
    text = "SELECT '" + "漢😀" * 50_000 + "' AS name"
    token = catalog.create(view(sql=text))
    catalog.replace(view(sql=text, comment="two"), expected=token)
    assert catalog.get("view", "sales", "young").document.sql == text
    catalog.create(function(body="'" + "x" * 9_000 + "'"))
    assert len(catalog.get("function", "sales", "twice").document.body) == 9_002


def test_databases_are_apart(empty):
    empty.create_database(database("a"))
    empty.create_database(database("b"))
    empty.create(view("v", "a", comment="of a"))
    empty.create(view("v", "b", comment="of b"))
    assert empty.get("view", "a", "v").document.comment == "of a"
