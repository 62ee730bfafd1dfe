"""The store over a REST catalog: what the conformance tests of all stores do not ask."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from tests.catalog_store.samples import database, function, view
from tests.servers.iceberg_rest import IcebergServer, iceberg_rest
from tests.servers.nessie_rest import NessieServer
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogBusyError,
    CatalogError,
    CatalogUnreachableError,
    Column,
    ConcurrentUpdateError,
    DamagedDocumentError,
    InvalidDocumentError,
    InvalidNameError,
    StorageError,
    UnknownOutcomeError,
    Unreadable,
    open_catalog,
)
from viewscribe.catalog_store.stores.iceberg import types
from viewscribe.catalog_store.stores.iceberg.rest import connection, states

OTHER = "SELECT '2' AS name"


@pytest.fixture(autouse=True)
def _asking_again_at_once(monkeypatch):
    monkeypatch.setattr("urllib3.util.retry.Retry.sleep", lambda self, response=None: None)


@pytest.fixture
def server():
    return IcebergServer()


@pytest.fixture
def url(server):
    with iceberg_rest(server) as found:
        yield found


@pytest.fixture
def lake(url):
    catalog = open_catalog(url)
    catalog.create_database(database())
    return catalog


def commit(server, name="young", sql=OTHER, fields=None, prefix="", **summary):
    """Another engine replaces the view, and asks nobody."""
    held = server.views["sales", name]
    schema = {"type": "struct", "schema-id": 0, "fields": fields or held["schemas"][0]["fields"]}
    known = {json.dumps(each["fields"]): each["schema-id"] for each in held["schemas"]}
    number = known.get(json.dumps(schema["fields"]), len(known))
    version = {
        "version-id": 1,
        "schema-id": number,
        "timestamp-ms": 1 + held["versions"][-1]["timestamp-ms"],
        "summary": {"engine-name": "spark", **summary},
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        "default-catalog": "lake",
        "default-namespace": ["sales"],
    }
    updates: list[Any] = [{"action": "add-schema", "schema": schema}] if fields else []
    updates += [
        {"action": "add-view-version", "view-version": version},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]
    body = {"requirements": [], "updates": updates}
    status, answer = server.answer("POST", f"{prefix}namespaces/sales/views/{name}", {}, body)
    assert status == 200, answer


def seen_by_engines(server, name="young"):
    """The text that Spark would run."""
    held = server.views["sales", name]
    current = held["current-version-id"]
    (version,) = (each for each in held["versions"] if each["version-id"] == current)
    return version["representations"][0]["sql"]


# -- other engines --------------------------------------------------------------------------------


def test_what_another_engine_writes_is_the_next_version(lake, server):
    lake.create(view(comment="ours", settings={"spark.sql.ansi.enabled": "false"}))
    commit(server, sql="SELECT name FROM people")
    commit(server, sql="SELECT name FROM people WHERE true")
    history = lake.history("view", "sales", "young")
    assert [each.version.number for each in history] == [1, 2, 3]
    document = history[-1].document
    assert document.sql == "SELECT name FROM lake.sales.people WHERE true"
    assert [each.name for each in document.dependencies] == [("lake", "sales", "people")]
    lake.replace(view(), expected=history[-1].token)
    assert [each.document.sql for each in lake.history("view", "sales", "young")] == [
        *(each.document.sql for each in history),
        view().sql,
    ]
    assert seen_by_engines(server) == view().sql


def test_of_many_versions_of_others_the_newest_are_read(lake, server, monkeypatch):
    lake.create(view())
    server.views["sales", "young"]["properties"]["version.history.num-entries"] = "1000"
    for number in range(300):
        commit(server, sql=f"SELECT '{number}' AS name")
    read: list[str] = []

    def counted(version: Any, *given: Any, **more: Any) -> Any:
        read.append(version["version-id"])
        return types.foreign_view(version, *given, **more)

    monkeypatch.setattr(states, "foreign_view", counted)
    history = lake.history("view", "sales", "young")
    assert len(read) <= 100
    assert history[0].document.sql == view().sql
    assert [each.version.number for each in history[1:]] == list(range(202, 302))
    assert history[-1].document.sql == "SELECT '299' AS name"


def test_columns_have_the_names_of_the_view_whatever_its_text_calls_them(lake, server):
    lake.create(view())
    fields = [{"id": 1, "name": "n", "required": False, "type": "long"}]
    for text, sql in [
        ("SELECT id FROM p", "SELECT\n  id AS n\nFROM (\nSELECT id FROM lake.sales.p\n)"),
        ("SELECT * FROM p", "SELECT *\nFROM (\nSELECT * FROM lake.sales.p\n) AS renamed(n)"),
        ("SELECT count(1) FROM p", "SELECT *\nFROM (\nSELECT count(1) FROM lake.sales.p\n) AS "
         "renamed(n)"),
        ("SELECT id AS n FROM p", "SELECT id AS n FROM lake.sales.p"),
    ]:  # fmt: skip
        commit(server, sql=text, fields=fields)
        document = lake.get("view", "sales", "young").document
        assert (document.sql, document.columns) == (sql, (Column("n", "BIGINT"),))


def test_properties_that_another_tool_sets_are_a_version_as_well(lake, server):
    token = lake.create(view(comment="one", properties={"team": "a"}))
    server.views["sales", "young"]["properties"] |= {"comment": "two", "more": "b"}
    stored = lake.get("view", "sales", "young")
    assert (stored.version.number, stored.document.comment) == (2, "two")
    assert stored.document.properties == {"team": "a", "more": "b"}
    with pytest.raises(ConcurrentUpdateError):
        lake.replace(view(), expected=token)
    lake.replace(view(comment="three"), expected=stored.token)
    assert [each.document.comment for each in lake.history("view", "sales", "young")] == [
        *("one", "two", "three")
    ]
    assert "more" not in server.views["sales", "young"]["properties"]


def test_a_view_that_another_tool_renamed_keeps_its_history(lake, server):
    lake.create(view())
    server.views["sales", "old"] = server.views.pop(("sales", "young"))
    stored = lake.get("view", "sales", "old")
    assert (stored.document.name, stored.version.number) == ("old", 2)


def test_a_view_of_trino_alone_is_unreadable_and_hides_no_other(lake, server):
    lake.create(view())
    lake.create(view("other"))
    commit(server)
    server.views["sales", "young"]["versions"][-1]["representations"][0]["dialect"] = "trino"
    with pytest.raises(DamagedDocumentError, match="no text for Spark, only for: trino"):
        lake.get("view", "sales", "young")
    kinds = [type(each).__name__ for each in lake.load_all("sales")]
    assert sorted(kinds) == ["Loaded", "Loaded", "Unreadable"]


def test_somebody_who_goes_back_to_an_earlier_version_writes_one(lake, server):
    first = lake.create(view())
    lake.replace(view(sql=OTHER), expected=first)
    update = {"action": "set-current-view-version", "view-version-id": 1}
    body = {"requirements": [], "updates": [update]}
    server.answer("POST", "namespaces/sales/views/young", {}, body)
    stored = lake.get("view", "sales", "young")
    assert (stored.version.number, stored.document.sql) == (3, view().sql)


def test_tables_are_read_and_left_alone(lake, server):
    fields = [
        {"id": 1, "name": "id", "required": True, "type": "long"},
        {"id": 2, "name": "at", "required": False, "type": "timestamptz", "doc": "when"},
    ]
    body = {"name": "Orders", "schema": {"type": "struct", "fields": fields}}
    server.answer("POST", "namespaces/sales/tables", {}, body)
    stored = lake.get("table", "SALES", "orders")
    assert stored.document.columns == (
        Column("id", "BIGINT", nullable=False),
        Column("at", "TIMESTAMP", comment="when"),
    )
    with pytest.raises(StorageError, match="would drop its rows"):
        lake.delete("table", "sales", "orders")
    with pytest.raises(StorageError, match="holds tables with rows"):
        lake.drop_database("sales", cascade=True)
    with pytest.raises(AlreadyExistsError, match="a table has that name"):
        lake.create(view("orders"))
    with pytest.raises(InvalidDocumentError, match="cannot be described here"):
        lake.replace(stored.document, expected=stored.token) and lake.create(
            stored.document.__class__(database="sales", name="new", columns=())
        )


# -- writers --------------------------------------------------------------------------------------


def test_who_lost_and_was_killed_changes_nothing_for_readers(lake, server, monkeypatch):
    first = lake.create(view(comment="base", properties={"who": "base"}))
    stale = dict(server.views["sales", "young"])  # what the loser has read
    winner = lake.replace(view(comment="won", properties={"who": "won"}), expected=first)
    loser: Any = open_catalog(lake.url)
    _read_stale(loser, server, stale, monkeypatch)
    monkeypatch.setattr(type(loser._views), "_repair", lambda *_: None)
    with pytest.raises(ConcurrentUpdateError):
        loser.replace(view(sql=OTHER, comment="lost", properties={"who": "lost"}), expected=first)
    monkeypatch.undo()
    assert seen_by_engines(server) == OTHER
    stored = lake.get("view", "sales", "young")
    assert (stored.token, stored.document.comment) == (winner, "won")
    # The next one who writes repairs what other engines see.
    lake.replace(view(comment="next"), expected=winner)
    assert seen_by_engines(server) == view().sql
    assert server.views["sales", "young"]["properties"]["comment"] == "next"
    assert [each.document.comment for each in lake.history("view", "sales", "young")] == [
        *("base", "won", "next")
    ]


def test_who_lost_repairs_what_other_engines_see(lake, server, monkeypatch):
    first = lake.create(view(properties={"who": "base"}))
    stale = dict(server.views["sales", "young"])
    commit(server, sql="SELECT 'spark' AS name")
    loser: Any = open_catalog(lake.url)
    _read_stale(loser, server, stale, monkeypatch)
    with pytest.raises(ConcurrentUpdateError, match="was changed by someone else"):
        loser.replace(view(sql=OTHER), expected=first)
    monkeypatch.undo()
    assert seen_by_engines(server) == "SELECT 'spark' AS name"
    stored = lake.get("view", "sales", "young")
    assert (stored.version.number, stored.document.sql) == (2, "SELECT 'spark' AS name")


def _read_stale(catalog, server, stale, monkeypatch):
    """Lets a catalog read the view once as it was."""
    record = catalog._views._record("sales", "young", {"metadata": json.loads(json.dumps(stale))})
    load = type(catalog._views).load
    monkeypatch.setattr(
        type(catalog._views),
        "load",
        lambda self, *place: record if self is catalog._views else load(self, *place),
    )


def test_a_view_that_is_being_dropped_is_not_replaced(lake, server, monkeypatch):
    token = lake.create(view())
    delete = type(lake._connection).delete
    monkeypatch.setattr(type(lake._connection), "delete", lambda *_, **__: None)
    lake.delete("view", "sales", "young", expected=token)
    stored = lake.get("view", "sales", "young")
    assert stored.token == token
    with pytest.raises(ConcurrentUpdateError, match="was dropped by someone else"):
        lake.replace(view(sql=OTHER), expected=token)
    monkeypatch.setattr(type(lake._connection), "delete", delete)
    monkeypatch.setattr("time.time", lambda: server.views["sales", "young"]["version-log"][-1][
        "timestamp-ms"] / 1_000 + 61)  # fmt: skip
    lake.replace(view(sql=OTHER), expected=token)
    assert seen_by_engines(server) == OTHER


def test_names_that_differ_in_case_are_never_both_there(lake, server, monkeypatch):
    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergHome

    lake.create(view("young"))
    monkeypatch.setattr(IcebergHome, "require_free", lambda *_: None)  # both looked before
    with pytest.raises(AlreadyExistsError):
        lake.create(view("YOUNG"))
    assert [*server.views] == [("sales", "young")]


def test_a_server_without_a_log_says_so_when_somebody_was_overwritten(monkeypatch):
    server = IcebergServer(keeps_versions=False)
    with iceberg_rest(server) as url:
        lake: Any = open_catalog(url)
        lake.create_database(database())
        first = lake.create(view())
        second = lake.replace(view(sql=OTHER), expected=first)
        assert [each.version.number for each in lake.history("view", "sales", "young")] == [1, 2]
        stale = dict(server.views["sales", "young"])
        commit(server)
        _read_stale(lake, server, stale, monkeypatch)
        with pytest.raises(StorageError, match="keeps no log of a view's versions"):
            lake.replace(view(sql="SELECT '3' AS name"), expected=second)


@pytest.mark.slow("hundreds of requests")
def test_a_long_history_keeps_its_newest_versions(lake, server, monkeypatch):
    monkeypatch.setattr("viewscribe.catalog_store.hosted.embedded_document.MAX_HISTORY", 3_000)
    token = lake.create(view(comment="0"))
    for number in range(1, 120):
        token = lake.replace(view(comment=str(number)), expected=token)
    history = lake.history("view", "sales", "young")
    assert [each.version.number for each in history][-3:] == [118, 119, 120]
    held = server.views["sales", "young"]
    assert len(held["versions"]) == 100
    assert sum(key.startswith("viewscribe.catalog.at.") for key in held["properties"]) == len(
        history
    )


# -- answers that do not come ---------------------------------------------------------------------


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("write", ["create", "replace", "rename", "delete", "create database"])
def test_an_answer_that_is_lost_is_looked_for(lake, server, at, write):
    token = None if write == "create" else lake.create(view())
    changes: list[str] = []

    def lost(method, path):
        if method in ("GET", "HEAD"):
            return False
        changes.append(path)
        return len(changes) == at + 1

    server.lost = lost
    with suppress(ConcurrentUpdateError):
        _do(lake, write, token)
    server.lost = lambda *_: False
    names = [each.name for each in lake.list_objects("sales", "view")]
    assert names == {"delete": [], "rename": ["old"]}.get(write, ["young"])
    if names:
        lake.get("view", "sales", names[0])
    assert lake.list_databases() == ["hr", "sales"] if write == "create database" else ["sales"]


@pytest.mark.parametrize("status", [500, 502, 504])
@pytest.mark.parametrize("write", ["create", "replace", "rename", "delete"])
def test_a_commit_of_unknown_state_that_was_not_done_is_said_to_be_unknown(
    lake, server, write, status
):
    token = None if write == "create" else lake.create(view())
    server.fault = lambda method, path: (
        None if method in ("GET", "HEAD") else (status, {"error": {"message": "disk"}})
    )
    before = json.dumps([*server.views.items()], default=str)
    with pytest.raises(UnknownOutcomeError, match="did not say whether"):
        _do(lake, write, token)
    assert json.dumps([*server.views.items()], default=str) == before


def _do(catalog, write, token):
    match write:
        case "create database":
            catalog.create_database(database("hr"))
        case "create":
            catalog.create(view())
        case "replace":
            catalog.replace(view(sql=OTHER), expected=token)
        case "rename":
            catalog.rename("view", "sales", "young", ("sales", "old"), expected=token)
        case "delete":
            catalog.delete("view", "sales", "young", expected=token)


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (401, StorageError, "does not let us in"),
        (403, StorageError, "does not let us in"),
        (419, StorageError, "does not let us in"),
        (429, CatalogBusyError, "is busy"),
        (503, CatalogBusyError, "is busy"),
        (500, CatalogUnreachableError, "did not answer"),
        (400, StorageError, "refused: Bad Request"),
    ],
)
def test_what_a_server_refuses_is_told(lake, server, status, error, told):
    server.fault = lambda method, path: (status, {"nothing": "of use"})
    with pytest.raises(error, match=told):
        lake.get("view", "sales", "young")


@pytest.mark.parametrize("status", [500, 503])
def test_reading_is_tried_again_and_writing_is_not(lake, server, status):
    """500 is what Iceberg's own server answers about a view that is just being dropped."""
    left = [2]

    def fault(method, path):
        left[0] -= 1
        return (status, {}) if left[0] >= 0 else None

    server.fault = fault
    assert lake.list_databases() == ["sales"]
    left[0] = 1
    server.fault = lambda method, path: fault(method, path) if method == "POST" else None
    with pytest.raises(CatalogBusyError if status == 503 else UnknownOutcomeError):
        lake.create(view())
    assert server.views == {}


BEGINNINGS = {
    "head": b"HTTP/1.1 200 OK\r\nX-Slow: ",
    "body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
}


@pytest.mark.slow("waits for an answer")
@pytest.mark.parametrize("part", BEGINNINGS)
@pytest.mark.parametrize("path", ["config", "namespaces/sales"])
def test_an_answer_that_drips_ends_some_time(server, url, monkeypatch, part, path):
    server.namespaces["sales"] = {}
    monkeypatch.setattr(connection, "IN_ALL", 0.3)
    server.drips = lambda _, asked: BEGINNINGS[part] if asked == path else b""
    with pytest.raises(CatalogUnreachableError, match=r"within 0\.3 seconds"):
        open_catalog(url).get_database("sales")


def test_a_server_that_is_not_there():
    lake: Any = open_catalog("iceberg:http://127.0.0.1:9/x?name=lake&token=hidden")
    with pytest.raises(CatalogUnreachableError, match="nothing answers at iceberg:http") as caught:
        lake.list_databases()
    assert "hidden" not in str(caught.value) + repr(lake)


def test_answers_that_are_no_metadata_are_damage(lake, server):
    lake.create(view())
    server.fault = lambda method, path: (200, {"metadata": {"view-uuid": 3}})
    with pytest.raises(DamagedDocumentError, match="no Iceberg view metadata"):
        lake.get("view", "sales", "young")


# -- found from outside ---------------------------------------------------------------------------


STRANGE_METADATA: dict[str, Any] = {
    "nothing": lambda held: held.clear(),
    "no current version": lambda held: held.update({"current-version-id": 77}),
    "versions of one number": lambda held: held["versions"].append(held["versions"][0]),
    "digits": lambda held: held["versions"][0]["summary"].update(
        {"viewscribe.version": "9" * 5000}
    ),
    "a long ago": lambda held: held["version-log"][0].update({"timestamp-ms": -(2**63)}),
    "a type": lambda held: held["schemas"][0]["fields"][0].update({"type": "decimal(99,99)"}),
    "a long type": lambda held: held["schemas"][0]["fields"][0].update(
        {"type": f"decimal({'9' * 5000},0)"}
    ),
    "no name": lambda held: held["schemas"][0]["fields"][0].update({"name": ""}),
    "half a letter": lambda held: held["properties"].update({"\ud800": "x"}),
    "half a comment": lambda held: held["properties"].update({"comment": "\ud800"}),
    "two texts": lambda held: held["versions"][0]["representations"].append(
        {"type": "sql", "sql": "SELECT 1 AS name", "dialect": "SPARK"}
    ),
    "a circle": lambda held: _circle(held),
    "properties of another kind": lambda held: held.update({"properties": 3}),
}


def _circle(held):
    held["properties"].pop("viewscribe.catalog.created", None)
    again = {**held["versions"][0], "version-id": 2}
    held["versions"] = [
        {**held["versions"][0], "summary": {"viewscribe.commit": "a", "viewscribe.after": "b"}},
        {**again, "summary": {"viewscribe.commit": "b", "viewscribe.after": "a"}},
    ]
    held["version-log"].append({"version-id": 2, "timestamp-ms": 1})
    held["current-version-id"] = 2


@pytest.mark.parametrize("kind", STRANGE_METADATA)
def test_strange_metadata_damages_one_view_alone_and_it_can_be_dropped(lake, server, kind):
    lake.create(view())
    lake.create(view("other"))
    held = server.views["sales", "young"]
    for each in [*held["properties"]]:  # another engine's view: nothing of ours helps
        if each.startswith("viewscribe."):
            del held["properties"][each]
    STRANGE_METADATA[kind](held)
    with suppress(DamagedDocumentError):
        lake.get("view", "sales", "young")
    found = {each.id.name: type(each).__name__ for each in lake.load_all("sales")}
    assert found.keys() == {"sales", "other", "young"}
    assert found["other"] == "Loaded"
    lake.delete("view", "sales", "young")
    assert [each.name for each in lake.list_objects("sales")] == ["other"]


def test_a_schema_without_an_id_is_the_first(lake, server):
    lake.create(view())
    schemas = server.views["sales", "young"]["schemas"]
    commit(server, fields=[{**schemas[0]["fields"][0], "type": "int"}])
    del schemas[0]["schema-id"]
    seen = lake.get("view", "sales", "young").token
    lake.replace(view(sql=OTHER, comment="again"), expected=seen)
    assert lake.get("view", "sales", "young").document.comment == "again"


@pytest.mark.parametrize("moment", [2**62, -(2**62)])
def test_a_time_that_no_calendar_has_is_its_nearest(lake, server, moment):
    lake.create(view())
    commit(server)
    for each in (*(held := server.views["sales", "young"])["versions"], *held["version-log"]):
        each["timestamp-ms"] = moment
    held["properties"].clear()
    server.tables["sales", "t"] = {
        "current-schema-id": 0,
        "schemas": [{"schema-id": 0, "fields": []}],
        "last-updated-ms": moment,
    }
    found = {each.id.name: each for each in lake.load_all("sales")}
    for name in ("young", "t"):
        assert found[name].version.at[:4] in ("0001", "9999")


def test_a_damaged_old_version_hides_neither_the_present_one_nor_the_newer(lake, server):
    token = lake.create(view(comment="1"))
    for number in (2, 3):
        token = lake.replace(view(comment=str(number)), expected=token)
    properties = server.views["sales", "young"]["properties"]
    first = properties["viewscribe.catalog.created"]
    properties[f"viewscribe.catalog.at.{first}"] = "zlib:damaged"
    assert lake.get("view", "sales", "young").document.comment == "3"
    assert [each.version.number for each in lake.history("view", "sales", "young")] == [2, 3]


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"current-schema-id": 0, "schemas": 5},
        {"current-schema-id": 0, "schemas": [{"schema-id": 0, "fields": [{"name": 3}]}]},
        {"current-schema-id": 0, "schemas": [{"schema-id": 0, "fields": []}],
         "last-updated-ms": float("inf")},
    ],
)  # fmt: skip
def test_strange_tables_damage_one_table_alone(lake, server, metadata):
    lake.create(view())
    server.tables["sales", "t"] = metadata
    with pytest.raises(DamagedDocumentError, match="no Iceberg table metadata"):
        lake.get("table", "sales", "t")
    found = {each.id.name: type(each).__name__ for each in lake.load_all("sales")}
    assert found == {"sales": "Loaded", "young": "Loaded", "t": "Unreadable"}


@pytest.mark.parametrize(
    "answer",
    [None, [], "x", 5, {"namespaces": "abc"}, {"namespaces": {"a": 1}}, {"namespaces": [[5], 3]}],
)
def test_answers_of_another_form(lake, server, answer):
    server.fault = lambda method, path: (200, answer)
    with suppress(CatalogError):
        assert lake.list_databases() == []
    with suppress(CatalogError):
        lake.get("view", "sales", "young")
    with suppress(CatalogError):
        lake.list_objects("sales")
    with suppress(CatalogError):
        list(lake.load_all())


@pytest.mark.parametrize("token", ["again", 5, True, ["x"]])
def test_pages_that_never_end(lake, server, token):
    server.fault = lambda method, path: (
        (200, {"namespaces": [["a"]], "next-page-token": token}) if path == "namespaces" else None
    )
    with pytest.raises(CatalogUnreachableError, match=r"never end|next page is none"):
        lake.list_databases()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 300, 304])
@pytest.mark.parametrize("write", ["create", "replace", "rename", "delete", "create database"])
def test_a_change_follows_nobody_to_another_address(lake, server, write, status):
    token = None if write == "create" else lake.create(view())
    server.fault = lambda method, path: (
        None if method in ("GET", "HEAD") else (status, {"Location": "/v1/config"})
    )
    before = json.dumps([*server.views.items()], default=str)
    with pytest.raises(StorageError, match="another address"):
        _do(lake, write, token)
    assert json.dumps([*server.views.items()], default=str) == before


@pytest.mark.parametrize("status", [403, 409])
def test_a_view_whose_drop_was_refused_can_be_replaced_at_once(lake, server, status):
    token = lake.create(view())
    server.fault = lambda method, path: (
        (status, {"error": {"message": "no"}}) if method == "DELETE" else None
    )
    with pytest.raises(StorageError if status == 403 else ConcurrentUpdateError):
        lake.delete("view", "sales", "young", expected=token)
    stored = lake.get("view", "sales", "young")
    assert stored.token == token
    lake.replace(view(sql=OTHER), expected=stored.token)
    assert seen_by_engines(server) == OTHER
    texts = [each.document.sql for each in lake.history("view", "sales", "young")]
    assert texts == [view().sql, OTHER]


def test_a_view_that_was_made_long_ago_is_protected_while_it_is_dropped(lake, server, monkeypatch):
    from viewscribe.catalog_store import Change

    token = lake.create(view(), change=Change(timestamp_ms=1_000))
    monkeypatch.setattr(type(lake._connection), "delete", lambda *_, **__: None)
    lake.delete("view", "sales", "young", expected=token)
    with pytest.raises(ConcurrentUpdateError, match="was dropped by someone else"):
        lake.replace(view(sql=OTHER), expected=token)


def test_a_renaming_that_lost_is_taken_back(lake, server, monkeypatch):
    token = lake.create(view())
    store = type(lake._views)
    move = store._move

    def after_somebody_else(self, *given):
        commit(server)
        return move(self, *given)

    monkeypatch.setattr(store, "_move", after_somebody_else)
    with pytest.raises(ConcurrentUpdateError):
        lake.rename("view", "sales", "young", ("sales", "old"), expected=token)
    monkeypatch.undo()
    assert [each.name for each in lake.list_objects("sales")] == ["young"]
    assert seen_by_engines(server) == OTHER


def test_a_renaming_to_a_name_that_differs_in_case_alone_is_taken_back(lake, server, monkeypatch):
    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergHome

    lake.create(view())
    lake.create(view("OLD"))
    monkeypatch.setattr(IcebergHome, "require_free", lambda *_: None)  # both looked before
    with pytest.raises(AlreadyExistsError):
        lake.rename("view", "sales", "young", ("sales", "old"))
    assert sorted(each.name for each in lake.list_objects("sales")) == ["OLD", "young"]


def test_late_losers_of_a_short_log_are_told_that_they_lost(lake, server, monkeypatch):
    first = lake.create(view())
    stale = json.loads(json.dumps(server.views["sales", "young"]))
    server.views["sales", "young"]["properties"]["version.history.num-entries"] = "2"
    for number in range(4):
        commit(server, sql=f"SELECT '{number}' AS name")
    loser = open_catalog(lake.url)
    _read_stale(loser, server, stale, monkeypatch)
    with pytest.raises(ConcurrentUpdateError):
        loser.replace(view(sql=OTHER), expected=first)
    monkeypatch.undo()
    assert seen_by_engines(server) == "SELECT '3' AS name"


def test_names_are_meant_where_the_view_was_made_however_deep_that_is(lake, server):
    lake.create(view())
    for text, told in [
        ("SELECT name FROM shop.t", "SELECT name FROM lake.shop.t"),
        ("SELECT name FROM other.shop.t", "SELECT name FROM other.shop.t"),
    ]:
        commit(server, sql=text)
        server.views["sales", "young"]["versions"][-1]["default-namespace"] = ["a", "b"]
        assert lake.get("view", "sales", "young").document.sql == told


def test_what_another_tool_left_behind_renames_no_columns(lake, server):
    lake.create(view())
    fields = [{"id": n, "name": name, "required": False, "type": "long"} for n, name in
              ((1, "y"), (2, "x"))]  # fmt: skip
    commit(server, sql="SELECT y, x FROM shop.t", fields=fields)
    server.views["sales", "young"]["properties"]["spark.query-column-names"] = "x,y"
    assert lake.get("view", "sales", "young").document.sql == "SELECT y, x FROM lake.shop.t"


def test_functions_are_no_views_however_their_names_are_spelled(lake):
    with pytest.raises(InvalidNameError):
        lake.create(view("Viewscribe_Function_f"))


def test_one_view_that_may_not_be_read_hides_no_other(lake, server):
    lake.create(view())
    lake.create(view("other"))
    server.fault = lambda method, path: (
        (403, {"error": {"message": "no"}}) if path.endswith("views/young") else None
    )
    kinds = {each.id.name: type(each).__name__ for each in lake.load_all()}
    assert kinds == {"sales": "Loaded", "other": "Loaded", "young": "Unreadable"}


def test_what_a_token_endpoint_answers_is_not_shown(monkeypatch):
    server = IcebergServer()
    for status, answer in [
        (200, {"access_token": "TOKVAL"}),
        (200, {"access_token": "TOKVAL", "token_type": ["x"]}),
        (400, {"error": "invalid_client", "error_description": "client_secret=S3CRET"}),
        (500, {"html": "client_secret=S3CRET"}),
    ]:
        given = {"oauth/tokens": (status, answer)}
        server.fault = lambda _, path, given=given: given.get(path)  # type: ignore[misc]
        with iceberg_rest(server) as url:
            lake = open_catalog(f"{url}&credential=cid:S3CRET")
            with pytest.raises(CatalogError) as caught:
                lake.list_databases()
        assert "TOKVAL" not in str(caught.value)
        assert "S3CRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, StorageError), (403, StorageError), (503, CatalogBusyError),
     (500, CatalogUnreachableError)],
)  # fmt: skip
def test_what_the_first_request_ends_in_is_told_like_every_other(server, status, error):
    server.fault = lambda method, path: (status, {"error": {"message": "x", "type": "y"}})
    with iceberg_rest(server) as url, pytest.raises(error):
        open_catalog(url).list_databases()


@pytest.mark.parametrize(
    "given",
    ["oauth2-server-uri=https://cid:SECRET@auth/t", "warehouse=s3://key:SECRET@b",
     "oauth2-server-uri=https://a/t?client_secret=SECRET", "cred%65ntial=SECRET", "token=a#SECRET"],
)  # fmt: skip
def test_no_address_tells_a_secret(given):
    with pytest.raises(CatalogError) as caught:
        open_catalog(f"iceberg:https://SECRET@h?name=lake&{given}")
    assert "SECRET" not in str(caught.value)
    with suppress(CatalogError):
        lake = open_catalog(f"iceberg:https://h?name=lake&{given}")
        assert "SECRET" not in lake.url + repr(lake)


def test_a_copy_of_a_catalog_holds_no_secret(url):
    import pickle

    assert pickle.loads(pickle.dumps(open_catalog(url))).list_databases() == []
    with pytest.raises(TypeError, match="is not copied"):
        pickle.dumps(open_catalog(f"{url}&token=s3cret"))


def test_databases_are_meant_whatever_their_case(lake, server):
    token = lake.create(view(database="SALES"))
    stored = lake.get("view", "Sales", "young")
    assert (stored.token, stored.version.number) == (token, 1)
    held = server.views["sales", "young"]
    assert held["versions"][0]["default-namespace"] == ["sales"]
    token = lake.replace(view(database="Sales", sql=OTHER), expected=token)
    assert lake.get("view", "sales", "young").token == token
    lake.rename("view", "SALES", "young", ("Sales", "old"), expected=token)
    assert [*server.views] == [("sales", "old")]
    assert [each.version.number for each in lake.history("view", "sales", "old")] == [1, 2, 3]


def test_a_document_of_another_view_is_not_believed(lake, server):
    lake.create(view("other", sql="SELECT 9 AS zz", columns=(Column("zz", "INT"),)))
    token = lake.create(view(comment="ours"))
    lake.replace(view(sql=OTHER, comment="ours"), expected=token)
    held, other = (server.views["sales", each]["properties"] for each in ("young", "other"))
    (foreign,) = (text for key, text in other.items() if ".at." in key)
    last = server.views["sales", "young"]["versions"][-1]["summary"]["viewscribe.commit"]
    held[f"viewscribe.catalog.at.{last}"] = foreign
    stored = lake.get("view", "sales", "young")
    assert stored.document.sql == OTHER == seen_by_engines(server)
    assert [each.name for each in stored.document.columns] == ["name"]
    texts = [each.document.sql for each in lake.history("view", "sales", "young")]
    assert texts == [view().sql, OTHER]
    lake.replace(view(sql="SELECT '3' AS name"), expected=stored.token)
    assert lake.get("view", "sales", "young").document.sql == seen_by_engines(server)


def test_a_summary_that_another_tool_copied_says_nothing(lake, server):
    first = lake.create(view())
    lake.replace(view(sql=OTHER), expected=first)
    summary = server.views["sales", "young"]["versions"][-1]["summary"]
    commit(server, sql="SELECT '777' AS name", **summary)
    assert lake.get("view", "sales", "young").document.sql == "SELECT '777' AS name"


def test_who_lost_is_told_so_even_where_the_repair_fails(lake, server, monkeypatch):
    first = lake.create(view())
    stale = json.loads(json.dumps(server.views["sales", "young"]))
    lake.replace(view(comment="won"), expected=first)
    loser = open_catalog(lake.url)
    _read_stale(loser, server, stale, monkeypatch)
    posts = []

    def fault(method, path):
        posts.extend([path] if method == "POST" else [])
        return (503, {}) if len(posts) > 1 else None

    server.fault = fault
    with pytest.raises(ConcurrentUpdateError):
        loser.replace(view(sql=OTHER), expected=first)


def test_a_token_that_a_server_repeats_is_not_shown(lake, server):
    server.fault = lambda method, path: (403, {"error": {"message": "no: Bearer TOKVAL, go"}})
    with pytest.raises(StorageError) as caught:
        lake.list_databases()
    assert "TOKVAL" not in str(caught.value)


def test_no_property_that_a_server_repeats_is_shown(server, monkeypatch):
    secrets = {
        "token": "t0kenOfOurs",
        "header.X-Api-Key": "k3yOfOurs",
        "s3.secret-access-key": "s3cretOfOurs",
        "warehouse": "https://us3rOfOurs@files/x",
    }
    with iceberg_rest(server) as url:
        address = url.removeprefix("iceberg:").partition("?")[0]
        known = {"uri": address, **secrets}
        monkeypatch.setattr(
            "pyiceberg.utils.config.Config.get_catalog_config", lambda *_: dict(known)
        )
        lake: Any = open_catalog("iceberg:lake")
        assert lake.list_databases() == []
        told = " ".join(("no:", *secrets.values(), *server.headers[-1].values()))
        server.fault = lambda method, path: (403, {"error": {"message": told}})
        with pytest.raises(StorageError) as caught:
            lake.list_databases()
    assert "no: *** *** *** https://***@files/x" in str(caught.value)
    assert "OfOurs" not in str(caught.value)


@pytest.mark.parametrize("write", ["replace", "drop"])
def test_a_lost_answer_about_a_database_is_looked_for(lake, server, write):
    token = lake.create_database(database("hr"))
    server.lost = lambda method, path: method in ("POST", "DELETE")
    if write == "replace":
        lake.replace_database(database("hr", comment="c"), expected=token)
        assert lake.get_database("hr").document.comment == "c"
    else:
        lake.drop_database("hr")
        assert lake.list_databases() == ["sales"]


def test_namespaces_in_others_are_out_of_reach(lake, server):
    server.namespaces["a\x1fb"] = {}
    for act in (
        lambda: lake.get_database("a\x1fb"),
        lambda: lake.list_objects("a\x1fb"),
        lambda: lake.create(view(database="a\x1fb")),
        lambda: lake.drop_database("a\x1fb", cascade=True),
    ):
        with pytest.raises(CatalogError):
            act()
    assert "a\x1fb" in server.namespaces


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_views_shows_its_tables(lake, server, status):
    server.tables["sales", "t"] = {"current-schema-id": 0, "schemas": [
        {"schema-id": 0, "fields": [{"id": 1, "name": "a", "required": False, "type": "int"}]}
    ]}  # fmt: skip
    gone = {"error": {"message": "No such endpoint", "type": "x"}}
    server.fault = lambda method, path: (status, gone) if "/views" in path else None
    assert [each.name for each in lake.list_objects("sales")] == ["t"]
    assert [each.id.name for each in lake.load_all()] == ["sales", "t"]


def test_a_database_that_an_engine_moved(lake, server):
    lake.create_database(database("hr", location="file:/a"))
    server.namespaces["hr"]["location"] = "file:/b"
    assert lake.get_database("hr").document.location == "file:/b"


def test_a_credential_goes_to_the_server_it_is_for_alone(server, monkeypatch):
    monkeypatch.setattr(
        "pyiceberg.utils.config.Config._from_configuration_files", staticmethod(lambda: None)
    )
    monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__TOKEN", "s3cret")
    with iceberg_rest(server) as url:
        address = url.removeprefix("iceberg:").partition("?")[0]
        for known, sent in [(None, False), ("https://other", False), (f"{address}/", True)]:
            if known is not None:
                monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__URI", known)
            assert open_catalog(url).list_databases() == []
            assert ("s3cret" in server.headers[-1].get("Authorization", "")) is sent
        monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__TYPE", "hive")
        with pytest.raises(CatalogError, match="is of type hive"):
            open_catalog("iceberg:lake").list_databases()


# -- hostile --------------------------------------------------------------------------------------


def test_a_name_cannot_step_up_to_what_holds_it(lake, server):
    for name in ("..", ".", "../sales", "a/b", "a\\b", "a\nb", "viewscribe_function_f"):
        with pytest.raises((InvalidNameError, CatalogError)):
            lake.create(view(name))
        with pytest.raises(CatalogError):
            lake.delete("view", "sales", name)
        with pytest.raises(CatalogError):
            lake.drop_database(name, cascade=True)
    assert server.namespaces.keys() == {"sales"}


@pytest.mark.parametrize("key", ["auth", "py-io-impl", "ssl", "token", "header.X"])
def test_the_configuration_of_a_server_imports_nothing(key, monkeypatch):
    server = IcebergServer()
    hostile = {"auth": {"type": "custom", "impl": "os.system"}, "ssl": {"cabundle": "/etc"}}
    overrides = {key: hostile.get(key, "os.system")}
    server.fault = lambda method, path: (
        (200, {"defaults": overrides, "overrides": overrides}) if path == "config" else None
    )
    with iceberg_rest(server) as url:
        lake: Any = open_catalog(url)
        assert lake.list_databases() == []
        assert key not in lake._connection._client.properties


def test_a_token_is_sent_and_never_shown(server):
    with iceberg_rest(server) as url:
        lake: Any = open_catalog(f"{url}&token=s3cret")
        assert lake.list_databases() == []
        server.fault = lambda method, path: (403, {"error": {"message": "no"}})
        with pytest.raises(StorageError) as caught:
            lake.list_databases()
    assert server.headers[-1]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in lake.url + repr(lake) + str(caught.value)


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("", "is not the address of a REST catalog"),
        ("ftp://host?name=a", "is not the address of a REST catalog"),
        ("https://host", "does not say what Spark calls the catalog"),
        ("https://host?name=a&auth=x", "`auth` cannot be set in the URL"),
        ("https://host?name=a&py-io-impl=os.system", "`py-io-impl` cannot be set"),
        ("https://me:pw@host?name=a", "has a user in its address"),
        ("https://host:x?name=a", "is not an address"),
        ("https://host?name=a.b", "does not say what Spark calls"),
    ],
)
def test_urls_that_do_not_open(rest, told):
    with pytest.raises(CatalogError, match=told) as caught:
        open_catalog(f"iceberg:{rest}")
    assert "pw" not in str(caught.value)


def test_a_catalog_of_pyicebergs_configuration(server, monkeypatch):
    with iceberg_rest(server) as url:
        address = url.removeprefix("iceberg:").partition("?")[0]
        monkeypatch.setenv("PYICEBERG_CATALOG__SHOP__URI", address)
        monkeypatch.setenv("PYICEBERG_CATALOG__SHOP__TOKEN", "s3cret")
        monkeypatch.setattr(
            "pyiceberg.utils.config.Config._from_configuration_files", staticmethod(lambda: None)
        )
        lake: Any = open_catalog("iceberg:shop")
        assert lake.list_databases() == []
    assert (lake.url, lake.name_in_session) == ("iceberg:shop", "shop")
    assert server.headers[-1]["Authorization"] == "Bearer s3cret"
    with pytest.raises(CatalogError, match="no Iceberg catalog `none` is configured"):
        open_catalog("iceberg:none").list_databases()


def test_a_function_is_a_view_that_says_so(lake, server):
    lake.create(function())
    assert [*server.views] == [("sales", "viewscribe_function_twice")]
    assert seen_by_engines(server, "viewscribe_function_twice") == (
        "SELECT 'a scalar function of viewscribe' AS note"
    )
    commit(server, "viewscribe_function_twice")
    assert [type(each) for each in lake.load_all("sales")][-1] is Unreadable


def test_a_function_of_the_catalog_has_its_full_name(lake, server):
    """As every name has in a text of another engine, whose current catalog was that of the view."""
    lake.create(view())
    commit(server, sql="SELECT system.bucket(4, name) AS name FROM people")
    document = lake.get("view", "sales", "young").document
    assert document.sql == "SELECT lake.system.bucket(4, name) AS name FROM lake.sales.people"


# -- Nessie ---------------------------------------------------------------------------------------


@pytest.fixture
def nessie():
    return NessieServer()


@pytest.fixture
def branch(nessie):
    with iceberg_rest(nessie) as url:
        catalog = open_catalog(url)
        catalog.create_database(database())
        yield catalog


def test_a_text_that_nessie_loses_is_written_again(branch, nessie):
    nessie.early_reads = 1
    token = branch.create(view(representations={"trino": "SELECT 1"}))
    assert seen_by_engines(nessie) == view().sql
    nessie.early_reads = 3
    changed = branch.replace(view(comment="two"), expected=token)
    assert seen_by_engines(nessie) == view().sql
    assert nessie.early_reads == 0
    history = branch.history("view", "sales", "young")
    assert [each.token for each in history] == [token, changed]
    assert history[0].document.representations == {"trino": "SELECT 1"}
    branch.delete("view", "sales", "young", expected=changed)
    assert nessie.views == {}


def test_a_view_without_its_text_is_read_and_replaced(branch, nessie):
    """As a writer leaves it that was killed before it wrote the text again."""
    token = branch.create(view())
    nessie.views["sales", "young"]["versions"][0]["representations"] = []
    assert branch.get("view", "sales", "young").token == token
    assert [each.token for each in branch.load_all("sales") if each.id.kind == "view"] == [token]
    branch.replace(view(comment="two"), expected=token)
    assert seen_by_engines(nessie) == view().sql
    assert len(branch.history("view", "sales", "young")) == 2


def test_a_text_that_nessie_always_loses_is_an_error_that_says_so(branch, nessie):
    token = branch.create(view())
    nessie.early_reads = 10_000
    with pytest.raises(StorageError, match=r"is written, but .* answers it without a text"):
        branch.replace(view(comment="two"), expected=token)
    assert len([each for each in nessie.requests if each[0] == "POST"]) < 50
    assert branch.get("view", "sales", "young").document.comment == "two"


def test_whoever_is_faster_than_the_text_of_another_counts(branch, nessie):
    token = branch.create(view())
    nessie.early_reads = 1
    changes: list[str] = []

    def overtakes(method: str, path: str) -> None:
        changes.extend([path] if method == "POST" else [])
        if method == "POST" and len(changes) == 2:  # the first is the change, the second its text
            commit(nessie, sql=OTHER, prefix="main/")

    nessie.fault = overtakes
    branch.replace(view(comment="two"), expected=token)
    nessie.fault = lambda method, path: None
    assert branch.get("view", "sales", "young").document.sql == OTHER
    assert seen_by_engines(nessie) == OTHER


def test_the_text_of_another_engine_that_nessie_lost_is_an_error_with_the_way_out(branch, nessie):
    branch.create(view())
    commit(nessie, prefix="main/")
    nessie.views["sales", "young"]["versions"][0]["representations"] = []
    with pytest.raises(DamagedDocumentError, match="has no text") as refused:
        branch.get("view", "sales", "young")
    assert "CREATE OR REPLACE VIEW" in str(refused.value)
    commit(nessie, prefix="main/")
    assert branch.get("view", "sales", "young").document.sql == OTHER
