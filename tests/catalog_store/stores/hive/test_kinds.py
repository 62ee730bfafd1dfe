"""What views of others read: tables and views, told apart by the metastore."""

from __future__ import annotations

import time

import pytest

from viewscribe.catalog_store import (
    Column,
    DatabaseDocument,
    Dependency,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.hosted.embedded_document import DDL_TIME
from viewscribe.catalog_store.stores.hive.connection import Connections
from viewscribe.catalog_store.stores.hive.records import Client, TableRecord
from viewscribe.catalog_store.stores.hive.view_tables import write_view

COLUMNS = (Column("id", "INT"),)


@pytest.fixture
def client(metastore):
    return Client(Connections("127.0.0.1", metastore.port, 30.0))


@pytest.fixture
def others(hive, client):
    """Makes views as Spark does, of which there is no document."""
    for name in ("sales", "hr"):
        hive.create_database(DatabaseDocument(name=name))
        hive.create(TableDocument(database=name, name="t", columns=COLUMNS))

    def create(name, sql):
        record = TableRecord(name=name, database="sales", owner="spark")
        write_view(ViewDocument(database="sales", name=name, sql=sql, columns=COLUMNS), record)
        record.parameters = {**record.parameters, DDL_TIME: str(int(time.time()) - 1000)}
        client.create_table(record)

    return create


def read(catalog, name):
    return {
        each.name[1:]: each.kind
        for each in catalog.get("view", "sales", name).document.dependencies
    }


def test_a_view_of_others_says_what_is_a_view(hive, others):
    others("first", "SELECT id FROM t")
    others("second", "SELECT a.id FROM First AS a JOIN hr.t AS b JOIN hr.gone AS c JOIN no.db AS d")
    assert read(hive, "first") == {("sales", "t"): "table"}
    expected = {
        ("sales", "First"): "view",
        ("hr", "t"): "table",
        ("hr", "gone"): "table",
        ("no", "db"): "table",
    }
    assert read(hive, "second") == expected
    loaded = {each.id.name: each for each in hive.load_all() if each.id.kind == "view"}
    for name in ("first", "second"):
        stored = hive.get("view", "sales", name)
        assert loaded[name].document == stored.document
        assert loaded[name].token == stored.token
        assert hive.history("view", "sales", name)[-1].document == stored.document


def test_a_view_stays_as_it_is_when_what_it_reads_becomes_one(hive, others):
    others("reader", "SELECT id FROM hr.t")
    before = hive.get("view", "sales", "reader")
    hive.delete("table", "hr", "t")
    hive.create(ViewDocument(database="hr", name="t", sql="SELECT 1 AS id", columns=COLUMNS))
    after = hive.get("view", "sales", "reader")
    assert after.document.dependencies == (Dependency("view", ("spark_catalog", "hr", "t")),)
    assert after.token == before.token
    # What was read and is saved as it is makes no version.
    assert hive.replace(after.document, expected=before.token) == before.token
    assert len(hive.history("view", "sales", "reader")) == 1


def test_what_our_own_documents_say_stays(hive, others):
    document = ViewDocument(
        database="sales",
        name="ours",
        sql="SELECT id FROM t",
        columns=COLUMNS,
        dependencies=(Dependency("view", ("spark_catalog", "sales", "t")),),
    )
    hive.create(document)
    assert read(hive, "ours") == {("sales", "t"): "view"}
