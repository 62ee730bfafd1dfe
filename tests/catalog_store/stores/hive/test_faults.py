"""What becomes of a change when the connection or the server fails in the middle of it."""

from __future__ import annotations

import threading

import pytest

from tests.catalog_store.samples import database, function, table, view
from tests.catalogs import needs_swaps
from tests.servers.relay import Relay
from viewscribe.catalog_store import (
    CatalogError,
    CatalogUnreachableError,
    ConcurrentUpdateError,
    UnknownOutcomeError,
    UnsafeServerError,
    open_catalog,
)
from viewscribe.catalog_store.stores.hive.catalog import HiveCatalog

ALTER = "alter_table_with_environment_context"


@pytest.fixture
def relay(metastore):
    found = Relay(metastore.port)
    yield found
    found.close()


@pytest.fixture
def catalog(hive, relay):
    hive.create_database(database())
    return HiveCatalog("127.0.0.1", relay.port, timeout=30)


def failing_once(relay, method, *, before):
    """The connection ends at the next call of ``method``: before it is handed on, or after."""
    left = [method]

    def on_message(name, data):
        if name in left:
            left.remove(name)
            return None
        return data

    if before:
        relay.on_call = on_message
    else:
        relay.on_answer = on_message


CHANGES = {
    "create_table": lambda catalog, token: catalog.create(view("other")),
    ALTER: lambda catalog, token: catalog.replace(view(comment="two"), expected=token),
    "drop_table": lambda catalog, token: catalog.delete("view", "sales", "young"),
    "create_database": lambda catalog, token: catalog.create_database(database("hr")),
    "create_function": lambda catalog, token: catalog.create(function("other")),
    "drop_database": lambda catalog, token: catalog.drop_database("sales", cascade=True),
}


def test_a_change_whose_answer_is_lost_is_found_to_be_done(catalog, hive, relay):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="one"), expected=token)
    catalog._guard.swaps("sales")  # which is tried once, before anything fails
    for method, change in CHANGES.items():
        failing_once(relay, method, before=False)
        change(catalog, hive.get("view", "sales", "young").token if method == ALTER else token)
    relay.on_answer = lambda method, answer: answer
    assert hive.list_databases() == ["hr"]


@pytest.mark.parametrize("method", CHANGES)
def test_a_change_that_never_arrived_is_not_said_to_be_done(catalog, hive, relay, method):
    token = catalog.create(view(comment="one"))
    catalog.create(function("twice"))
    catalog._guard.swaps("sales")  # which is tried once, before anything fails
    before = list(hive.load_all())
    failing_once(relay, method, before=True)
    with pytest.raises(UnknownOutcomeError, match="did not say whether"):
        CHANGES[method](catalog, token)
    assert {each.id: each.document for each in hive.load_all()} == {
        each.id: each.document for each in before
    }


def test_an_answer_that_comes_too_late_is_nobody_elses(hive, relay):
    hive.create_database(database())
    impatient = HiveCatalog("127.0.0.1", relay.port, timeout=0.5)
    assert impatient.list_databases() == ["sales"]
    held = threading.Event()

    def late(method, answer):
        if method == "get_all_databases":
            held.wait(30)
        return answer

    relay.on_answer = late
    with pytest.raises(CatalogUnreachableError, match="did not answer"):
        impatient.list_databases()
    relay.on_answer = lambda method, answer: answer
    held.set()
    assert impatient.list_objects("sales") == []
    assert impatient.list_databases() == ["sales"]


def test_the_answer_to_another_call_is_refused(catalog, relay):
    kept: dict[str, bytes] = {}

    def swapped(method, answer):
        kept.setdefault(method, answer)
        return kept["get_all_databases"] if method == "get_all_tables" else answer

    catalog.list_databases()
    relay.on_answer = swapped
    catalog.list_databases()
    with pytest.raises(CatalogUnreachableError, match="the answer to another call came"):
        catalog.list_objects("sales")
    relay.on_answer = lambda method, answer: answer
    assert catalog.list_objects("sales") == []


def test_connections_that_a_server_has_closed_are_replaced(catalog, relay):
    catalog.create(view())
    relay.hang_up()
    assert catalog.get("view", "sales", "young").document.name == "young"


def test_where_nothing_listens():
    with pytest.raises(CatalogUnreachableError, match="nothing answers at hive"):
        open_catalog("hive+thrift://127.0.0.1:1").list_databases()


def test_newer_servers_without_the_older_calls(catalog, relay):
    relay.unknown = {"get_table", "get_table_objects_by_name"}
    catalog.create(view())
    assert catalog.get("view", "sales", "young").document == view_of(catalog)


def test_older_servers_without_the_newer_calls(catalog, relay, metastore):
    if metastore.version >= "4":
        pytest.skip("Hive 4 has the newer calls alone")
    relay.unknown = {"get_table_req", "get_table_objects_by_name_req"}
    catalog.create(view())
    assert catalog.get("view", "sales", "young").document == view_of(catalog)
    assert {"get_table", "get_table_objects_by_name"} <= {*relay.calls}


def view_of(catalog):
    return next(each.document for each in catalog.load_all() if each.id.kind == "view")


# --- servers that ignore the condition of a change ---


@pytest.fixture
def without_swaps(catalog, relay):
    """A catalog on a server such as Hive 3: it takes the condition and does not look at it."""
    relay.on_call = lambda method, call: call.replace(b"expected_param", b"ignored__param")
    return catalog


def test_without_compare_and_swap_a_lock_is_held(without_swaps, relay):
    token = without_swaps.create(view(comment="one"))
    second = without_swaps.replace(view(comment="two"), expected=token)
    assert not without_swaps._guard.swaps("sales")
    assert relay.calls.index("lock") < relay.calls.index("unlock")
    with pytest.raises(ConcurrentUpdateError):
        without_swaps.replace(view(comment="three"), expected=token)
    without_swaps.rename("view", "sales", "young", ("sales", "old"), expected=second)
    without_swaps.delete("view", "sales", "old")
    assert without_swaps.list_objects("sales") == []


def test_with_neither_nothing_is_overwritten(without_swaps, hive, relay):
    relay.unknown = {"lock"}
    token = without_swaps.create(view(comment="one"))
    with pytest.raises(UnsafeServerError, match="the metastore gives no locks"):
        without_swaps.replace(view(comment="two"), expected=token)
    with pytest.raises(UnsafeServerError):
        without_swaps.delete("view", "sales", "young")
    assert hive.get("view", "sales", "young").document.comment == "one"


def test_with_swaps_views_need_no_locks(catalog, relay):
    needs_swaps(catalog)
    relay.unknown = {"lock"}
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    catalog.create(table())
    catalog.delete("table", "sales", "customers")
    assert [each.kind for each in catalog.list_objects("sales")] == ["view"]


def test_what_a_server_tries_on_is_gone_and_never_listed(catalog, hive):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    assert [each.name for each in hive._client.table_metas("sales")] == ["young"]


# --- writers that are killed ---


STEPS = ["create_function", "drop_function", "alter_function"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("arrived", [True, False])
def test_no_moment_leaves_a_function_without_a_state(catalog, hive, relay, step, arrived):
    token = catalog.create(function(body="x * 2"))
    count = [0]

    def dies(method, data):
        # The first drop clears what an earlier writer may have left.
        count[0] += method == step
        return None if count[0] > (step == "drop_function") else data

    if arrived:
        relay.on_answer = dies
    else:
        relay.on_call = dies
    with pytest.raises(CatalogError):
        catalog.replace(function(body="x * 3"), expected=token)
    found = hive.get("function", "sales", "twice").document.body
    assert found in ("x * 2", "x * 3")
    assert [each.name for each in hive.list_objects("sales")] == ["twice"]
    assert [each.document.body for each in hive.load_all() if each.id.kind == "function"] == [found]
    # The dead writer's lock is of its own session; another writer's waits for it to end.
    release_locks(hive)
    again = hive.get("function", "sales", "twice").token
    hive.replace(function(body="x * 4"), expected=again)
    assert hive.get("function", "sales", "twice").document.body == "x * 4"
    assert hive._client.function_names("sales") == ["twice"]


def release_locks(catalog):
    from viewscribe.catalog_store.stores.hive.records import ServerError

    for number in range(1, 200):
        try:
            catalog._client.unlock(number)
        except ServerError:
            continue


def test_a_drop_that_was_cut_short_can_be_done_again(catalog, hive, relay, monkeypatch):
    token = catalog.create(view(comment="one"))
    catalog._guard.swaps("sales")  # which is tried once, before anything fails
    relay.on_call = lambda method, call: None if method == "drop_table" else call
    with pytest.raises(UnknownOutcomeError):
        catalog.delete("view", "sales", "young")
    with pytest.raises(ConcurrentUpdateError):
        hive.replace(view(comment="two"), expected=token)
    assert hive.get("view", "sales", "young").token == token
    monkeypatch.setattr("viewscribe.catalog_store.stores.hive.catalog._ABANDONED", -1)
    hive.replace(view(comment="two"), expected=token)
    hive.delete("view", "sales", "young")
    assert hive.list_objects("sales") == []
