"""What the names in a view mean that Spark wrote into a metastore; no server is needed."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store.documents.model import Column, Dependency, ViewDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.stores.hive.records import TableRecord
from viewscribe.catalog_store.stores.hive.view_tables import read_view, write_view

NAMESPACE = "view.catalogAndNamespace."


def record(text: str, namespace: tuple[str, ...], **more: str) -> TableRecord:
    """A view of Spark in the database ``sales``."""
    document = ViewDocument(database="sales", name="v", sql=text, columns=(Column("a", "INT"),))
    made = TableRecord(name="v", database="sales", owner="")
    write_view(document, made)
    kept = {key: each for key, each in made.parameters.items() if not key.startswith(NAMESPACE)}
    told = {f"{NAMESPACE}part.{number}": part for number, part in enumerate(namespace)}
    if namespace:
        told[f"{NAMESPACE}numParts"] = str(len(namespace))
    made.parameters = {**kept, **told, **more}
    return made


@pytest.mark.parametrize(
    ("namespace", "full"),
    [
        (("spark_catalog", "sales"), "spark_catalog.sales.orders"),
        (("spark_catalog", "other"), "spark_catalog.other.orders"),
        (("lake", "raw", "eu"), "lake.raw.eu.orders"),
        ((), "spark_catalog.sales.orders"),
    ],
)
def test_a_name_means_what_it_meant_where_the_view_was_made(
    namespace: tuple[str, ...], full: str
) -> None:
    view = read_view(record("SELECT f(a) AS a FROM orders", namespace), "here")
    home = full.removesuffix(".orders")
    assert view.sql == f"SELECT {home}.f(a) AS a FROM {full}"
    assert view.dependencies == (
        Dependency("table", tuple(full.split("."))),
        Dependency("function", (*home.split("."), "f")),
    )


def test_views_of_old_versions_say_their_database_elsewhere() -> None:
    old = record("TABLE orders", (), **{"view.default.database": "past"})
    assert read_view(old, "here").sql == "TABLE spark_catalog.past.orders"


@pytest.mark.parametrize("quoted", [True, False])
def test_the_settings_of_a_view_say_what_double_quotes_are(quoted: bool) -> None:
    setting = {"view.sqlConfig.spark.sql.ansi.doubleQuotedIdentifiers": str(quoted).lower()}
    text = 'SELECT "a" FROM "or ders" AS o' if quoted else 'SELECT "a" FROM orders AS o'
    view = read_view(record(text, ("spark_catalog", "sales"), **setting), "here")
    table = "`or ders`" if quoted else "orders"
    assert view.sql == f'SELECT "a" FROM spark_catalog.sales.{table} AS o'


@pytest.mark.parametrize("kind", ["ViewNames", "FunctionsNames", "VariablesNames"])
def test_what_was_temporary_is_named(kind: str) -> None:
    named = {f"view.referredTemp{kind}": '[["mine"]]'}
    temporary = record("SELECT 1 AS a", ("spark_catalog", "sales"), **named)
    with pytest.raises(DamagedDocumentError, match="mine"):
        read_view(temporary, "here")


def test_a_name_that_is_computed_is_named() -> None:
    computed = record("SELECT a FROM IDENTIFIER('orders')", ("spark_catalog", "sales"))
    with pytest.raises(DamagedDocumentError, match=r"spark_catalog\.sales.*IDENTIFIER"):
        read_view(computed, "here")
