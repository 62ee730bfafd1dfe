"""What ``check`` finds in a catalog, without Spark."""

from __future__ import annotations

from itertools import pairwise

import pytest

import viewscribe as vs
from tests.catalog_store.samples import database, function, table, view
from tests.catalogs import needs_described_tables
from viewscribe import col
from viewscribe.catalog_store import Column, Dependency, MemoryCatalog, check, open_catalog
from viewscribe.catalog_store.checks import check_documents
from viewscribe.catalog_store.protocol import Loaded
from viewscribe.catalog_store.shared_loading import load_in_shares


def reads(*names, kind="table"):
    return tuple(Dependency(kind, tuple(name.split("."))) for name in names)


def codes(catalog):
    return [(each.code, str(each.id)) for each in check(catalog)]


def test_a_healthy_catalog_has_no_findings(catalog):
    needs_described_tables(catalog)
    catalog.create(table())
    catalog.create(function())
    catalog.create(
        view(
            dependencies=(
                *reads("spark_catalog.sales.Customers", "SALES.customers", "customers"),
                *reads("other.sales.gone", "system.builtin.upper"),
                *reads("spark_catalog.sales.twice", kind="function"),
            )
        )
    )
    assert check(catalog) == []


def test_missing_dependencies(catalog):
    needs_described_tables(catalog)
    catalog.create(table())
    catalog.create(view(dependencies=reads("spark_catalog.sales.costumers")))
    (finding,) = check(catalog)
    assert finding.code == "missing-dependency"
    assert finding.cause == "needs the table `spark_catalog.sales.costumers`, which is missing"
    assert finding.hint == "did you mean: customers"
    assert check(catalog, name="lake") == []


def test_a_dependency_of_another_kind(catalog):
    catalog.create(view("customers"))
    catalog.create(view(dependencies=reads("sales.customers")))
    (finding,) = check(catalog)
    assert finding.code == "wrong-dependency"
    assert finding.cause == "reads the table `sales.customers`, which is a view now"


def test_circles_are_told_once(catalog):
    catalog.create(view("a", dependencies=reads("sales.b", kind="view")))
    catalog.create(view("b", dependencies=reads("sales.c", "sales.d", kind="view")))
    catalog.create(view("c", dependencies=reads("sales.a", kind="view")))
    catalog.create(view("d", dependencies=reads("sales.d", kind="view")))
    catalog.create(view("e", dependencies=reads("sales.a", kind="view")))
    findings = check(catalog)
    assert [each.code for each in findings] == ["cycle", "cycle"]
    assert "sales.a reads sales.b reads sales.c reads sales.a" in findings[0].cause
    assert "sales.d reads sales.d" in findings[1].cause


def test_so_are_circles_through_functions(catalog):
    body = "x + (SELECT max(id) FROM counted)"
    catalog.create(function("added", body=body))
    catalog.create(function("deeper", body="added(x)"))
    through = (*reads("sales.deeper", kind="function"), *reads("sales.other", kind="view"))
    catalog.create(view("counted", dependencies=through))
    catalog.create(view("other"))
    (finding,) = [each for each in check(catalog) if each.code == "cycle"]
    assert "views and functions read each other" in finding.cause
    assert "sales.added reads sales.counted reads sales.deeper reads sales.added" in finding.cause


def test_a_long_chain_is_no_trouble():
    catalog = MemoryCatalog()
    catalog.create_database(database())
    names = [f"v{n}" for n in range(1500)]
    for name, next_one in pairwise(names):
        catalog.create(view(name, dependencies=reads(f"sales.{next_one}", kind="view")))
    assert codes(catalog) == [("missing-dependency", "sales.v1498")]


@pytest.mark.parametrize("sensitive", ["true", "false"])
def test_duplicate_columns(catalog, sensitive):
    columns = (Column("a", "INT"), Column("A", "INT"))
    catalog.create(view(columns=columns, settings={"spark.sql.caseSensitive": sensitive}))
    expected = [] if sensitive == "true" else [("duplicate-column", "sales.young")]
    assert codes(catalog) == expected


def test_an_edit_by_hand(files, root):
    files.create(view())
    path = root / "sales" / "young.view.yaml"
    path.write_text(path.read_text().replace("id >= 1", "id >= 2"))
    (finding,) = check(files)
    assert (finding.code, finding.path) == ("edited", str(path))
    stored = files.get("view", "sales", "young")
    files.replace(stored.document, expected=stored.token)
    assert check(files) == []


def test_a_name_that_two_objects_have(files, root):
    files.create(table("young"))
    source = (root / "sales" / "young.table.yaml").read_text()
    files.delete("table", "sales", "young")
    files.create(view())
    (root / "sales" / "young.table.yaml").write_text(source)
    assert codes(files) == [("name-clash", "sales.young")]


def test_findings_are_sorted_and_say_where(files, root):
    files.create_database(database("hr"))
    files.create(view())
    files.create(view("a", "hr", dependencies=reads("x")))
    (root / "sales" / "young.view.yaml").write_text("schema_version: 1\nkind: view\nkind: x\n")
    assert [str(each) for each in check(files)] == [
        f"{root}/hr/a.view.yaml: needs the table `x`, which is missing",
        f"{root}/sales/young.view.yaml:3: the key 'kind' is given twice",
    ]


@pytest.mark.slow("several processes")
def test_several_processes_find_the_same(tmp_path, monkeypatch):
    root = damage_everything(tmp_path)
    documents = list(root.load_all())
    alone = check_documents(documents, notes=True)
    assert {each.code for each in alone} == {
        *("changed-source", "cycle", "duplicate-column", "edited", "function-body"),
        *("missing-dependency", "name-clash", "no-plan", "not-allowed", "unreadable"),
    }
    monkeypatch.setattr("viewscribe.catalog_store.shared_work._WORTH_PROCESSES", 1)
    monkeypatch.setattr("viewscribe.catalog_store.checks.TOGETHER", 3)
    seen: list[str] = []
    shared = check_documents(documents, notes=True, processes=2, watch=seen.append)
    assert shared == alone == check(root, notes=True)
    assert sorted(seen) == sorted(str(each.id) for each in documents if isinstance(each, Loaded))
    read: list[str] = []
    checked: list[str] = []
    with load_in_shares(root, 2, read.append) as shares:
        assert shares is not None
        assert [each.id for each in shares.entries] == [each.id for each in documents]
        again = check_documents(shares.entries, notes=True, shares=shares, watch=checked.append)
    assert again == alone
    assert sorted(read) == sorted(str(each.id) for each in documents)
    assert sorted(checked) == sorted(seen)


def test_few_documents_and_other_catalogs_are_loaded_in_one_process(tmp_path):
    damaged = damage_everything(tmp_path)
    for catalog in (damaged, open_catalog("memory:")):
        with load_in_shares(catalog, 2, print) as shares:
            assert shares is None


def damage_everything(folder):
    """A catalog with something wrong in nearly every document."""
    env = vs.TableEnvironment(f"file:{folder}")
    env.create_database("sales")
    for name in ("orders", "items", "gone"):
        env.create_table(f"sales.{name}", "id INT, price INT")
        vs.save_view(env.from_path(f"sales.{name}").filter(col("id") > 1), f"sales.good_{name}")
    vs.save_view(env.from_path("sales.good_items").select("id"), "sales.over_a_view")
    vs.save_view(env.from_path("sales.items").select("price"), "sales.edited")
    env.drop_table("sales.gone")
    env.drop_table("sales.orders")
    env.create_table("sales.orders", "id BIGINT, price INT")
    files = open_catalog(f"file:{folder}")
    files.create(view("first", dependencies=reads("second", kind="view")))
    files.create(view("second", dependencies=reads("first", kind="view")))
    files.create(view("twice", columns=(Column("a", "INT"), Column("A", "INT"))))
    files.create(view("far", sql="SELECT * FROM csv.`/etc/passwd`"))
    files.create(function("broken", body="y * 2"))
    edited = folder / "sales" / "edited.view.yaml"
    edited.write_text(edited.read_text().replace("price", "id"))
    (folder / "sales" / "unreadable.view.yaml").write_text("kind: view\nkind: x\n")
    table_too = (folder / "sales" / "items.table.yaml").read_text()
    (folder / "sales" / "over_a_view.table.yaml").write_text(
        table_too.replace("items", "over_a_view")
    )
    return files
