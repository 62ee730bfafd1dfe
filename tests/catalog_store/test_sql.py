"""Catalogs in databases: transactions over several objects, faults, what others wrote into them."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
import time
import traceback
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError

from tests.catalog_store.samples import database, table, view
from tests.catalog_store.test_crashes import start_writer
from tests.catalogs import MAKERS
from tests.forked import server
from viewscribe import secrets
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogError,
    CatalogNotFoundError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    NewerDocumentError,
    ObjectNotFoundError,
    StorageError,
    UnknownOutcomeError,
    Unreadable,
    check,
    open_catalog,
)

if TYPE_CHECKING:
    from pathlib import Path

    from viewscribe.catalog_store.stores.sql import SqlCatalog

KINDS = [kind for kind in MAKERS if kind in ("sqlite", "postgresql")]


@pytest.fixture(params=KINDS)
def stored(request, tmp_path) -> SqlCatalog:
    """A catalog in a database, with the database ``sales``."""
    return made(request.param, tmp_path)


def made(kind: str, place: Path) -> SqlCatalog:
    found = cast("SqlCatalog", MAKERS[kind](place))
    found.create_database(database())
    return found


def names(catalog):
    return [each.name for each in catalog.list_objects("sales")]


# --- transactions ---


def test_the_changes_of_a_transaction_become_visible_together(stored):
    token = stored.create(view("old", comment="one"))
    other = open_catalog(stored.url)
    with stored.transaction() as changes:
        changes.create(view("a"))
        changes.create(table("b"))
        changes.replace(view("old", comment="two"), expected=token)
        assert names(changes) == ["a", "b", "old"]
        assert names(other) == ["old"]
    assert names(other) == ["a", "b", "old"]
    assert other.get("view", "sales", "old").document.comment == "two"


def test_a_transaction_that_fails_changes_nothing(stored):
    token = stored.create(view("old", comment="one"))
    with pytest.raises(ConcurrentUpdateError), stored.transaction() as changes:  # noqa: PT012
        changes.create(view("a"))
        changes.rename("view", "sales", "old", ("sales", "new"))
        changes.replace(view("new", comment="two"), expected=token)
    assert names(stored) == ["old"]
    assert len(stored.history("view", "sales", "old")) == 1


def test_a_step_that_fails_undoes_itself_alone(stored):
    stored.create(view("taken"))
    with stored.transaction() as changes:
        changes.create(view("a"))
        with pytest.raises(AlreadyExistsError):
            changes.create(view("taken"))
        with pytest.raises(ObjectNotFoundError):
            changes.delete("view", "sales", "none")
        changes.create(view("b"))
    assert names(stored) == ["a", "b", "taken"]


def test_transactions_that_count_up_lose_nothing(stored):
    stored.create(view("counter", comment="0"))

    def count():
        mine: Any = open_catalog(stored.url)
        done = 0
        while done < 5:
            seen = mine.get("view", "sales", "counter")
            number = int(seen.document.comment) + 1
            try:
                with mine.transaction() as changes:
                    changes.replace(view("counter", comment=str(number)), expected=seen.token)
                done += 1
            except ConcurrentUpdateError:
                pass

    threads = [threading.Thread(target=count) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert stored.get("view", "sales", "counter").document.comment == "20"


# --- faults ---


class BrokenError(Exception):
    """What a driver raises when its connection is gone."""


ACTS = {
    "create": (None, "new", lambda catalog, _: catalog.create(view(comment="new"))),
    "replace": (
        "old",
        "new",
        lambda catalog, token: catalog.replace(view(comment="new"), expected=token),
    ),
    "delete": ("old", None, lambda catalog, _: catalog.delete("view", "sales", "young")),
    "rename": (
        "old",
        None,
        lambda catalog, _: catalog.rename("view", "sales", "young", ("sales", "younger")),
    ),
    "drop": ("old", None, lambda catalog, _: catalog.drop_database("sales", cascade=True)),
}


def state(url):
    try:
        return open_catalog(url).get("view", "sales", "young").document.comment
    except ObjectNotFoundError:
        return None


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_of_any_statement_leaves_the_old_state(kind, act, tmp_path):
    before, wanted, run = ACTS[act]
    for k in range(1, 40):
        place = tmp_path / str(k)
        place.mkdir()
        catalog = made(kind, place)
        token = catalog.create(view(comment="old")) if before else None
        left = [k]

        def fail(connection, cursor, statement, *_, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise DBAPIError(statement, {}, BrokenError("the server is gone"))

        event.listen(catalog._engine, "before_cursor_execute", fail)
        try:
            run(catalog, token)
            outcome = None
        except StorageError as error:
            outcome = str(error)
        event.remove(catalog._engine, "before_cursor_execute", fail)
        assert state(catalog.url) == (before if outcome else wanted)
        if outcome is None:
            break
        assert "the server is gone" in outcome
        run(catalog, token)
        assert state(catalog.url) == wanted
    assert k > 2


def test_a_connection_that_breaks_at_the_commit_leaves_it_open_what_happened(stored):
    token = stored.create(view(comment="old"))

    def fail(connection):
        error = DBAPIError("COMMIT", {}, BrokenError("gone"), connection_invalidated=True)
        raise error

    event.listen(stored._engine, "commit", fail)
    with pytest.raises(UnknownOutcomeError, match="while the change was being committed"):
        stored.replace(view(comment="new"), expected=token)
    event.remove(stored._engine, "commit", fail)
    assert state(stored.url) == "old"


@pytest.mark.slow("writers are killed and started again")
def test_kill_9_of_three_writers_loses_nothing(stored):
    writers = ["a", "b", "c"]
    for name in writers:
        stored.create(view(name, comment="0"))
    chance = random.Random(1)
    told = dict.fromkeys(writers, 0)
    for _ in range(6):
        running = {name: start_writer(stored.url, name) for name in writers}
        for name, writer in running.items():
            for _ in range(1 + chance.randrange(4)):
                told[name] = int(writer.told.readline())
            until = time.perf_counter() + chance.random() * 0.004
            while time.perf_counter() < until:
                pass
            told[name] = max([told[name], *writer.kill()])
        for name in writers:
            history = [int(each.document.comment) for each in stored.history("view", "sales", name)]
            assert history == list(range(history[-1] + 1))
            assert history[-1] >= told[name], "an acknowledged write is gone"
    assert check(stored, name="other") == []


# --- what others wrote ---


def edit(catalog, change):
    with catalog._engine.begin() as connection:
        row = connection.execute(text("SELECT document FROM viewscribe_objects")).scalar_one()
        plain = change(json.loads(row))
        document = plain if isinstance(plain, str) else json.dumps(plain)
        connection.execute(text("UPDATE viewscribe_objects SET document = :new"), {"new": document})


def test_an_edit_by_hand_is_noticed(stored):
    token = stored.create(view(comment="one"))
    edit(stored, lambda plain: {**plain, "comment": "mine"})
    seen = stored.get("view", "sales", "young")
    assert seen.document.comment == "mine"
    assert seen.token != token
    with pytest.raises(ConcurrentUpdateError):
        stored.replace(view(comment="two"), expected=token)
    assert [each.code for each in check(stored, name="other")] == ["edited"]


@pytest.mark.parametrize(
    ("change", "error", "cause"),
    [
        (lambda _: "{", DamagedDocumentError, "not a JSON text"),
        (lambda plain: {**plain, "sql": 1}, DamagedDocumentError, "/sql: 1 is a whole number"),
        (lambda plain: {**plain, "schema_version": 99}, NewerDocumentError, "is newer than this"),
    ],
    ids=["no JSON", "no view", "newer"],
)
def test_damage_is_told_and_hides_nothing_else(stored, change, error, cause):
    stored.create(view())
    edit(stored, change)
    stored.create(view("other"))
    with pytest.raises(error, match=cause):
        stored.get("view", "sales", "young")
    loaded = {str(each.id): isinstance(each, Unreadable) for each in stored.load_all()}
    assert loaded == {"sales": False, "sales.young": True, "sales.other": False}
    assert names(stored) == ["other", "young"]
    stored.delete("view", "sales", "young")
    assert names(stored) == ["other"]


# --- opening ---


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(CatalogNotFoundError, match="there is no catalog at"):
        open_catalog(f"sqlite:{tmp_path}/none.db", create=False)
    assert os.listdir(tmp_path) == []


def test_a_database_without_a_catalog_is_told(tmp_path):
    (tmp_path / "empty.db").touch()
    with pytest.raises(CatalogNotFoundError, match="there is no catalog in"):
        open_catalog(f"sqlite:{tmp_path}/empty.db", create=False)


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "notes.db").write_text("not a database at all, " * 100)
    with pytest.raises(StorageError, match="file is not a database"):
        open_catalog(f"sqlite:{tmp_path}/notes.db")


@pytest.mark.parametrize("url", ["sqlite:", "sqlite://host/x.db", "postgresql://h:port/x"])
def test_urls_that_lead_nowhere(url):
    with pytest.raises(CatalogError, match=r"names no file|not followed by an address"):
        open_catalog(url)


def test_a_server_that_is_not_there_is_told_without_the_password():
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL")
    with pytest.raises(StorageError) as raised:
        open_catalog("postgresql://ada:secret@127.0.0.1:1/none")
    assert "postgresql://ada:***@127.0.0.1:1/none" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_no_cause_of_an_error_tells_a_secret(tmp_path):
    """Whoever catches the error may print its causes, which a driver wrote."""
    stored, known = "hunter2", "hunter3hunter3"

    def fail(cursor, statement, parameters, *_):
        if stored in str(parameters):
            raise sqlite3.OperationalError(f"cannot store {known}")

    catalog: Any = open_catalog(f"sqlite:{tmp_path}/v.db")
    catalog.create_database(database())
    secrets.remember(known)
    event.listen(catalog._engine, "do_execute", fail)
    with pytest.raises(StorageError, match=r"cannot store \*\*\*") as raised:
        catalog.create(table(options={"a": stored}))
    told = "".join(traceback.format_exception(raised.value))
    assert "sqlite3.OperationalError: cannot store ***" in told
    assert stored not in told
    assert known not in told


@pytest.mark.parametrize("written", ["sqlite:{}/v.db", "sqlite:///{}/v.db"])
def test_both_ways_of_writing_a_path(tmp_path, written):
    catalog = open_catalog(written.format(tmp_path))
    assert catalog.url == f"sqlite:{tmp_path}/v.db"


# --- several at once ---


def test_another_process_makes_the_tables_at_the_same_moment(tmp_path):
    """Between the look at what is there and the making of it."""
    url, opened = f"sqlite:{tmp_path}/views.db", list[Any]()

    def look(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if not opened and ("sqlite_master" in statement or "PRAGMA main.table_" in statement):
            opened.append(None)
            opened[0] = open_catalog(url)

    event.listen(Engine, "after_cursor_execute", look)
    try:
        late = open_catalog(url)
    finally:
        event.remove(Engine, "after_cursor_execute", look)
    (early,) = opened
    early.create_database(database())
    late.create(view())
    assert names(early) == names(late) == ["young"]


def test_a_file_that_another_process_is_beginning_is_read(tmp_path):
    """Only one at a time can say that readers and writers are to work side by side."""
    place = tmp_path / "views.db"
    first = cast("SqlCatalog", open_catalog(f"sqlite:{place}"))
    first.create_database(database())
    first._engine.dispose()  # which shares the file
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
        other.execute("BEGIN IMMEDIATE")
        assert open_catalog(f"sqlite:{place}").list_databases() == ["sales"]


WRITES = 18


def write_until_done(url: str, told: Any) -> None:
    """Counts up in one view; tells how often it tried."""
    catalog: Any = open_catalog(url)
    tries = done = 0
    while done < WRITES:
        seen = catalog.get("view", "sales", "counter")
        number = int(seen.document.comment) + 1
        tries += 1
        with suppress(ConcurrentUpdateError):
            catalog.replace(view("counter", comment=str(number)), expected=seen.token)
            done += 1
    told.send(tries)


def test_each_of_two_writers_gets_through(tmp_path):
    """Who has to try again does so because the other one got through, and for no other reason."""
    catalog = made("sqlite", tmp_path)
    catalog.create(view("counter", comment="0"))
    ends = [server().Pipe(duplex=False) for _ in range(2)]
    writers = [
        server().Process(target=write_until_done, args=(catalog.url, end), daemon=True)
        for _, end in ends
    ]
    for each in writers:
        each.start()
    for (told, mine), each in zip(ends, writers, strict=True):
        mine.close()
        assert told.recv() <= 2 * WRITES
        each.join()
    assert catalog.get("view", "sales", "counter").document.comment == str(2 * WRITES)


# --- a file that goes away ---


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_went_away_is_neither_made_anew_nor_written_to(tmp_path, replaced):
    path = tmp_path / "views.db"
    catalog = open_catalog(f"sqlite:{path}")
    catalog.create_database(database())
    catalog.create(view())
    path.rename(tmp_path / "elsewhere.db")
    if replaced:
        other = open_catalog(f"sqlite:{path}")
        other.create_database(database("other"))
    for use in (
        lambda: catalog.list_databases(),
        lambda: list(catalog.load_all()),
        lambda: catalog.create(view("more")),
    ):
        with pytest.raises(StorageError, match="went away while it was used"):
            use()
    assert path.exists() == replaced
    if replaced:
        assert open_catalog(f"sqlite:{path}").list_databases() == ["other"]
