"""Several processes and threads on one catalog: one wins, nothing is lost."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain

import pytest

from tests.catalog_store.samples import database, table, view
from tests.catalog_store.workers import count_up, create_all, replace_once
from tests.catalogs import MAKERS, needs_described_tables
from tests.forked import server
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogBusyError,
    CatalogError,
    ConcurrentUpdateError,
    FileCatalog,
    ObjectNotFoundError,
    open_catalog,
)
from viewscribe.catalog_store.stores.files.catalog import write_lock
from viewscribe.catalog_store.stores.files.storage import Directory

WORKERS = 4


@pytest.fixture(params=[*(kind for kind in MAKERS if kind != "memory"), "hive"])
def shared(request, tmp_path):
    """A catalog that other processes can open, with the database ``sales``."""
    kind = request.param
    found = request.getfixturevalue(kind) if kind == "hive" else MAKERS[kind](tmp_path)
    found.create_database(database())
    return found


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(WORKERS, server()) as pool:
        yield pool


def times(catalog, count):
    """A server takes its time for each of them: a quarter is race enough, but for `lakehouse`."""
    if "VIEWSCRIBE_TEST_ICEBERG" in os.environ:
        return count
    return count // 4 if catalog.url.startswith(("hive", "iceberg")) else count


@pytest.mark.slow("several processes")
def test_no_increment_is_lost(shared, processes):
    shared.create(view("counter", comment="0"))
    count = times(shared, 25)
    runs = [processes.submit(count_up, shared.url, count) for _ in range(WORKERS)]
    for run in runs:
        run.result()
    assert shared.get("view", "sales", "counter").document.comment == str(count * WORKERS)


def test_exactly_one_of_several_replacements_wins(shared, processes):
    token = shared.create(view("counter", comment="0"))
    for turn in range(times(shared, 12)):
        runs = [
            processes.submit(replace_once, shared.url, token, f"{turn}.{n}") for n in range(WORKERS)
        ]
        results = [run.result() for run in runs]
        assert sorted(results) == ["ConcurrentUpdateError"] * (WORKERS - 1) + ["won"]
        stored = shared.get("view", "sales", "counter")
        assert stored.document.comment == f"{turn}.{results.index('won')}"
        token = stored.token


def test_exactly_one_of_several_creators_wins(shared, processes):
    names = [f"view_{n}" for n in range(times(shared, 24))]
    runs = [processes.submit(create_all, shared.url, names, str(n)) for n in range(WORKERS)]
    won = [run.result() for run in runs]
    assert sorted(chain.from_iterable(won)) == sorted(names)
    for mark, mine in enumerate(won):
        for name in mine:
            assert shared.get("view", "sales", name).document.comment == str(mark)


@pytest.mark.slow("several processes")
def test_exactly_one_of_several_that_delete_is_not_told(shared):
    def delete(_):
        try:
            open_catalog(shared.url).delete("view", "sales", "young")
        except (ObjectNotFoundError, ConcurrentUpdateError):  # gone, or just going
            return 0
        return 1

    with ThreadPoolExecutor(WORKERS) as pool:
        for _ in range(times(shared, 12)):
            shared.create(view())
            assert sum(pool.map(delete, range(WORKERS))) == 1


@pytest.mark.slow("many threads")
def test_threads_race_like_processes(shared):
    shared.create(view("counter", comment="0"))
    threads = times(shared, 8) + 2
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: count_up(shared.url, 4), range(threads)))
    assert shared.get("view", "sales", "counter").document.comment == str(4 * threads)


@pytest.mark.slow("several processes")
def test_a_view_and_a_table_cannot_both_get_the_name(shared):
    needs_described_tables(shared)

    def create(document):
        try:
            open_catalog(shared.url).create(document)
        except AlreadyExistsError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        for turn in range(times(shared, 12)):
            name = f"n{turn}"
            made = pool.map(create, [view(name), table(name)] * 4)
            assert sum(made) == 1


def test_creating_and_dropping_a_database_at_once_leaves_no_half(files):
    def churn(number):
        catalog = FileCatalog(files.root)
        for turn in range(10):
            try:
                if number % 2:
                    catalog.create_database(database("hr"))
                    catalog.create(view(f"v{number}.{turn}", "hr"))
                else:
                    catalog.drop_database("hr", cascade=True)
            except CatalogError as error:
                # Only what a name being there or not explains: no error of the system.
                assert type(error).__name__ in ("AlreadyExistsError", "DatabaseNotFoundError")  # noqa: PT017

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(churn, range(6)))
    entries = list(files.load_all())
    assert all(not hasattr(each, "error") for each in entries)


@pytest.mark.slow("several processes")
def test_a_reader_sees_only_whole_documents(shared):
    shared.create(view("counter", comment="0"))
    with ThreadPoolExecutor(3) as pool:
        writer = pool.submit(count_up, shared.url, times(shared, 60))
        seen = [0]
        while not writer.done():
            seen.append(int(shared.get("view", "sales", "counter").document.comment))
    assert seen == sorted(seen)


def test_a_writer_that_never_ends_is_told_of(files):
    impatient = FileCatalog(files.root, lock_timeout=0)
    with (
        Directory.open(files.root) as root,
        write_lock(root, 0),
        pytest.raises(CatalogBusyError, match="being written by another process"),
    ):
        impatient.create(view())
    impatient.create(view())
