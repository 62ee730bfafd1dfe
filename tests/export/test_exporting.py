"""What is exported and what is refused, whatever the target."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import viewscribe as vs
from viewscribe.catalog_store import Dependency, ObjectNotFoundError, ViewDocument
from viewscribe.catalog_store.permissions import Permissions
from viewscribe.export import TARGETS, ExportRefusedError, export_catalog
from viewscribe.export.model import model_names, slug


def foreign(sql: str, *columns: str, name: str = "other", **fields: object) -> ViewDocument:
    """A view that another tool wrote: it has no plan."""
    from viewscribe.catalog_store import Column

    return ViewDocument(
        database="sales",
        name=name,
        sql=sql,
        columns=tuple(Column(each, "BIGINT") for each in columns),
        dependencies=(Dependency("table", ("spark_catalog", "sales", "customers")),),
        **fields,  # type: ignore[arg-type]
    )


def read(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


@pytest.mark.slow("several processes")
@pytest.mark.parametrize("target", list(TARGETS))
def test_the_same_catalog_gives_the_same_bytes(catalog, tmp_path, target):
    first = export_catalog(catalog, target, tmp_path / "one", skip=True)
    export_catalog(catalog, target, tmp_path / "two", skip=True)
    assert read(tmp_path / "one") == read(tmp_path / "two")
    assert first.written.files
    assert export_catalog(catalog, target, tmp_path / "one", skip=True).written.changed == ()


@pytest.mark.parametrize("target", list(TARGETS))
def test_a_warning_names_views_that_lose_their_properties(catalog, tmp_path, target):
    out = tmp_path / "out"
    found = export_catalog(catalog, target, out, skip=True)
    kept = any(b"team" in each for each in read(out).values())
    lost = f"properties of views are not exported to {target}: sales.totals"
    assert found.warnings == (() if kept else (lost,))


@pytest.mark.parametrize("target", list(TARGETS))
def test_an_empty_catalog(tmp_path, target):
    env = vs.TableEnvironment(f"file:{tmp_path}/none")
    env.create_database("sales")
    found = export_catalog(env.catalogs.catalog(), target, tmp_path / "out")
    assert (found.views, found.skipped) == ((), ())


def test_views_stand_after_those_that_they_read(catalog, tmp_path):
    found = export_catalog(catalog, "sql", tmp_path / "out")
    assert found.views == ("sales.days", "sales.german", "sales.totals", "hr.german")


def test_a_view_is_exported_with_those_that_it_reads(catalog, tmp_path):
    found = export_catalog(catalog, "sql", tmp_path / "out", only=[("SALES", "totals")])
    assert found.views == ("sales.german", "sales.totals")
    with pytest.raises(ObjectNotFoundError, match=r"no view `sales.total`") as error:
        export_catalog(catalog, "sql", tmp_path / "out", only=[("sales", "total")])
    assert str(error.value.hint).startswith("did you mean: sales.totals")


def test_views_of_another_tool(shop, catalog, tmp_path):
    shop.catalogs.save(foreign("SELECT id FROM customers AS c -- whose", "number"))
    shop.catalogs.save(foreign("SELECT id FROM customers WHERE", "id", name="broken"))
    shop.create_view("sales.after", shop.from_path("sales.broken"))
    with pytest.raises(ExportRefusedError, match=r"sales.broken cannot .* not read") as error:
        export_catalog(catalog, "sql", tmp_path / "out")
    assert [each.message for each in error.value.others] == [
        "sales.after cannot be exported to sql: it reads sales.broken, which is not exported"
    ]
    assert not (tmp_path / "out").exists()
    found = export_catalog(catalog, "sql", tmp_path / "out", skip=True)
    assert [each.view for each in found.skipped] == ["sales.broken", "sales.after"]
    script = next((tmp_path / "out").rglob("*sales.other.sql")).read_text()
    assert "id AS number" in script
    assert "FROM spark_catalog.sales.customers" in script


def test_what_reaches_out_of_the_query_needs_a_permission(shop, catalog, tmp_path):
    reflecting = "SELECT CAST(reflect('java.lang.System', 'exit', '1') AS BIGINT) AS id"
    shop.catalogs.save(foreign(reflecting, "id"))
    with pytest.raises(ExportRefusedError, match="reflect"):
        export_catalog(catalog, "dbt", tmp_path / "out")
    allowed = Permissions.of((), (), ("reflect",))
    export_catalog(catalog, "dbt", tmp_path / "out", permissions=allowed)
    assert "reflect" in (tmp_path / "out/models/sales/other.sql").read_text()


@pytest.mark.parametrize(
    "text",
    ["SELECT id FROM t; DROP TABLE t", "DROP TABLE t", "SELECT ${x} AS id"],
)
def test_a_text_that_is_not_one_query(shop, catalog, tmp_path, text):
    shop.catalogs.save(foreign(text, "id"))
    for target in ("dbt", "sqlmesh", "spark-pipelines", "sql"):
        found = export_catalog(catalog, target, tmp_path / target, skip=True)
        assert "sales.other" in [each.view for each in found.skipped]
        assert not any(b"DROP TABLE" in each for each in read(tmp_path / target).values())


@pytest.mark.parametrize("target", ["dbt", "sqlmesh", "spark-pipelines", "sql"])
def test_carriage_returns(shop, catalog, tmp_path, target):
    shop.catalogs.save(foreign("SELECT id\r\nFROM customers -- a\r", "id"))
    shop.catalogs.save(foreign("SELECT id FROM customers WHERE name <> 'a\r\nb'", "id", name="raw"))
    shop.create_table("sales.`a\rb`", "id BIGINT")
    shop.create_view("sales.`c\rd`", shop.from_path("sales.`a\rb`"))
    found = export_catalog(catalog, target, tmp_path / "out", skip=True)
    written = read(tmp_path / "out").values()
    assert not any(b"\r" in each for each in written)
    skipped = {each.view for each in found.skipped} - {"sales.days"}
    assert skipped == (set() if target == "dbt" else {"sales.raw", "sales.`c\rd`"})
    assert "sales.other" in found.views


def test_an_edited_view_and_one_with_a_damaged_plan(shop, catalog, tmp_path):
    stored = catalog.get("view", "sales", "german")
    plan = {**stored.document.plan, "nodes": stored.document.plan["nodes"][:1]}
    edited = msgspec.structs.replace(stored.document, plan=plan)
    catalog.replace(edited, expected=stored.token)
    found = export_catalog(catalog, "sql", tmp_path / "out", skip=True)
    assert [each.view for each in found.skipped] == ["sales.german", "sales.totals", "hr.german"]
    assert "plan is damaged" in found.skipped[0].reason
    place = next(Path(catalog.url.removeprefix("file:")).rglob("sales/days.yaml"), None)
    place = place or next(Path(catalog.url.removeprefix("file:")).rglob("*days*"))
    place.write_text(place.read_text().replace("'x'", "'y'"))
    found = export_catalog(catalog, "sql", tmp_path / "other", skip=True)
    assert "edited by hand" in {each.view: each.reason for each in found.skipped}["sales.days"]


def test_columns_that_are_not_those_of_the_text(shop, catalog, tmp_path):
    shop.catalogs.save(foreign("SELECT name FROM customers", "name"))
    found = export_catalog(catalog, "sql", tmp_path / "out", skip=True)
    assert [each.reason for each in found.skipped] == [
        "its column name is STRING, and not BIGINT as declared"
    ]


def test_an_unreadable_document(shop, catalog, tmp_path):
    place = next(Path(catalog.url.removeprefix("file:")).rglob("*days*"))
    place.write_text("{")
    found = export_catalog(catalog, "openlineage", tmp_path / "out", skip=True)
    assert [each.view for each in found.skipped] == ["sales.days"]
    assert "cannot be read" in found.skipped[0].reason


def test_names_of_models_are_identifiers_and_distinct():
    paths = [
        ("c", "a", "b"),
        ("c", "x", "b"),
        ("c", "a", "b c"),
        ("c", "a", "B_c"),
        ("c", "a__b", "c"),
    ]
    paths += [("c", "a", "b__c"), ("c", "a", "1"), ("c", "a", "é"), ("c", "a", "x" * 300)]
    names = model_names(paths)
    assert names[paths[0]] == "a__b"
    assert names[paths[1]] == "x__b"
    assert names[paths[3]] == "b_c"
    assert len(set(names.values())) == len(paths)
    assert all(
        each.isidentifier() and each.isascii() and len(each) < 120 for each in names.values()
    )
    assert all(slug(each) != each for each in ("con", "aux", "nul", "com1", "lpt9"))
    assert slug("con", "x") != "con__x"
    assert slug("..", "/") not in ("", ".", "..")
