"""A real session of Spark Connect as a catalog: nothing but SQL goes over the wire."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.catalog_store.samples import database, function, table, view
from tests.spark.capture.conftest import connect_mode
from tests.spark.session_catalog.conftest import OwnDatabases, wipe
from viewscribe.catalog_store import ConcurrentUpdateError, seal
from viewscribe.spark.java_classes import is_classic


@pytest.fixture
def remote(connected, spark, others):
    """The catalog of the Connect session."""
    yield OwnDatabases(connected, others)
    wipe(spark, others)


def test_a_catalog_over_connect(remote, connected, spark, others):
    assert not is_classic(connected)
    assert remote._guard.shared
    remote.create_database(database(comment="it's"))
    token = remote.create(view("Young", comment="one", properties={"old": "x"}))
    remote.create(table())
    remote.create(function())
    two = view(
        "Young",
        sql="SELECT date_format(TIMESTAMP '2024-01-01 00:00:00Z', 'H') AS name",
        settings={"spark.sql.session.timeZone": "Europe/Berlin"},
    )
    second = remote.replace(two, expected=token)
    with pytest.raises(ConcurrentUpdateError):
        remote.replace(view("Young"), expected=token)
    here = OwnDatabases(spark, others)
    stored = here.get("view", "sales", "young")
    assert (stored.document, stored.token) == (seal(two), second)
    assert [str(each) for each in here.list_objects("sales")] == [
        "sales.customers",
        "sales.twice",
        "sales.Young",
    ]
    assert spark.sql("SELECT name, sales.twice(4) AS n FROM sales.young").first() == ("1", 8)
    remote.rename("view", "sales", "young", ("sales", "older"))
    assert [each.version.number for each in remote.history("view", "sales", "older")] == [1, 2, 3]
    remote.delete("view", "sales", "older")
    remote.drop_database("sales", cascade=True)
    assert here.list_databases() == []


def test_a_dataframe_of_connect_is_saved(remote, connected, spark):
    remote.create_database(database())
    frame = connected.sql("SELECT 1 AS a").where("a > 0")
    with connect_mode(connected):  # a client has no other session; here the tests' own is another
        vs.save_view(frame, "sales.one", reason="why", rows=True)
    assert remote.get("view", "sales", "one").version.reason == "why"
    assert [row[0] for row in spark.table("sales.one").collect()] == [1]
