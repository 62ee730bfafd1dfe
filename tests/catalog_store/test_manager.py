"""Names of one, two and three parts over several catalogs, and temporary objects."""

from __future__ import annotations

import pytest

from tests.catalog_store.samples import database, function, table, view
from viewscribe import TableEnvironment
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogManager,
    CatalogNotFoundError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    DatabaseNotFoundError,
    FileCatalog,
    InvalidNameError,
    MemoryCatalog,
    ObjectNotFoundError,
    ObjectPath,
    Temporary,
    WrongKindError,
)


@pytest.fixture
def manager():
    found = CatalogManager()
    found.create_database(database())
    found.register("lake", MemoryCatalog())
    return found


def test_names_resolve_against_what_is_current(manager):
    assert manager.resolve(["a"]) == ("spark_catalog", "default", "a")
    assert manager.resolve(["b", "a"]) == ("spark_catalog", "b", "a")
    assert manager.resolve(["LAKE", "b", "a"]) == ("lake", "b", "a")
    manager.use_database("SALES")
    assert manager.resolve(["a"]) == ("spark_catalog", "sales", "a")
    manager.use_catalog("Lake")
    assert manager.resolve(["a"]) == ("lake", "default", "a")
    manager.use_database("sales", catalog="spark_catalog")
    assert str(manager.resolve(["a"])) == "spark_catalog.sales.a"


def test_names_that_do_not_resolve(manager):
    with pytest.raises(CatalogNotFoundError, match="did you mean: lake"):
        manager.resolve(["lke", "b", "a"])
    with pytest.raises(InvalidNameError, match="has 4 parts"):
        manager.resolve(["a", "b", "c", "d"])
    with pytest.raises(InvalidNameError, match="has 0 parts"):
        manager.resolve([])
    with pytest.raises(InvalidNameError, match="empty"):
        manager.resolve(["a", ""])
    with pytest.raises(DatabaseNotFoundError, match="did you mean: sales"):
        manager.use_database("sale")


def test_tables_of_metadata_are_known_to_sessions_alone(manager):
    with pytest.raises(ObjectNotFoundError, match="belongs to the metadata of"):
        manager.relation(["lake", "sales", "orders", "snapshots"])
    assert manager.kind_of(["lake", "sales", "orders", "snapshots"]) is None


def test_saving_and_reading(manager):
    token = manager.save(view("Young"))
    found = manager.relation(["sales", "YOUNG"])
    assert found.path == ObjectPath("spark_catalog", "sales", "Young")
    assert found.is_view
    assert found.token == token
    manager.save(table())
    assert not manager.relation(["sales", "customers"]).is_view
    assert [each.name for each in manager.list_objects("view", database="sales")] == ["Young"]
    assert manager.get("view", ["sales", "young"]).token == token


def test_the_default_database_is_made_when_it_is_needed(manager):
    assert manager.list_databases() == ["default", "sales"]
    assert manager.list_objects() == []
    assert manager.list_objects(catalog="lake") == []
    manager.save(view(database="Default"))
    assert manager.catalog().list_databases() == ["default", "sales"]
    manager.save(view(database="default"), catalog="lake")
    assert manager.relation(["lake", "default", "young"]).path.catalog == "lake"
    with pytest.raises(DatabaseNotFoundError, match="no database `hr`"):
        manager.save(view(database="hr"))


def test_a_missing_database_to_save_in_says_how_to_create_it(tmp_path):
    files = CatalogManager(FileCatalog(tmp_path / "views"))
    for attempt in (
        lambda: files.save(view(database="hr")),
        lambda: files.save(view(database="hr"), or_replace=True),
        lambda: files.require_free(["hr", "young"]),
    ):
        with pytest.raises(DatabaseNotFoundError) as raised:
            attempt()
        assert raised.value.hint is not None
        how = raised.value.hint.removeprefix("create it first: ")
    eval(how, {"TableEnvironment": TableEnvironment})
    files.save(view(database="hr"))
    with pytest.raises(DatabaseNotFoundError, match="did you mean: hr; or create it first: "):
        files.save(view(database="hrs"))


def test_replacing(manager):
    first = manager.save(view())
    with pytest.raises(AlreadyExistsError):
        manager.save(view(sql="SELECT 2"))
    assert manager.save(view(), or_replace=True) == first
    second = manager.save(view(sql="SELECT 2"), or_replace=True)
    with pytest.raises(ConcurrentUpdateError):
        manager.save(view(sql="SELECT 3"), expected=first)
    manager.save(view(sql="SELECT 3"), expected=second)
    assert manager.save(function(), or_replace=True)
    with pytest.raises(AlreadyExistsError, match="a view has that name"):
        manager.save(table("young"), or_replace=True)


def test_losing_a_race_while_replacing(manager, monkeypatch):
    catalog = manager.catalog()
    real = catalog.get

    def get_and_lose(kind, database, name):
        try:
            return real(kind, database, name)
        finally:
            monkeypatch.undo()
            manager.save(view(sql="SELECT 'other'"), or_replace=True)

    for _ in ("it is made meanwhile", "it is changed meanwhile"):
        monkeypatch.setattr(catalog, "get", get_and_lose)
        with pytest.raises(ConcurrentUpdateError):
            manager.save(view(sql="SELECT 'mine'"), or_replace=True)
        manager.save(view(sql="SELECT 'again'"), or_replace=True)


def test_a_damaged_view_is_not_replaced_blindly(tmp_path):
    manager = CatalogManager(FileCatalog(tmp_path))
    manager.save(view(database="default"))
    (tmp_path / "default" / "young.view.yaml").write_text("schema_version: 9")
    for act in (
        lambda: manager.save(view(database="default"), or_replace=True),
        lambda: manager.relation(["young"]),
    ):
        with pytest.raises(DamagedDocumentError):
            act()
    manager.drop("view", ["young"])
    manager.save(view(database="default"))


def test_dropping(manager):
    manager.save(view())
    with pytest.raises(WrongKindError, match="is a view, not a table"):
        manager.drop("table", ["sales", "young"], if_exists=True)
    assert manager.drop("view", ["sales", "young"])
    assert not manager.drop("view", ["sales", "young"], if_exists=True)
    assert not manager.drop("view", ["nope", "young"], if_exists=True)
    with pytest.raises(ObjectNotFoundError):
        manager.drop("view", ["sales", "young"])


def test_unknown_relations_get_the_nearest_names(manager):
    manager.save(view("customers"))
    manager.create_temporary("costs", object())
    with pytest.raises(ObjectNotFoundError, match="did you mean: customers"):
        manager.relation(["sales", "costumers"])
    with pytest.raises(ObjectNotFoundError, match="did you mean: costs"):
        manager.relation(["cots"])
    with pytest.raises(DatabaseNotFoundError, match="did you mean: sales"):
        manager.relation(["sals", "customers"])
    with pytest.raises(ObjectNotFoundError, match="holds no views or tables"):
        manager.relation(["lake", "default", "x"])


def test_temporary_objects_come_first_and_live_in_no_catalog(manager):
    manager.use_database("sales")
    manager.save(view())
    value = object()
    manager.create_temporary("Young", value)
    assert manager.relation(["young"]) == Temporary("Young", value)
    assert manager.relation(["sales", "young"]).is_view
    with pytest.raises(AlreadyExistsError):
        manager.create_temporary("YOUNG", value)
    manager.create_temporary("YOUNG", 1, or_replace=True)
    assert manager.list_temporaries() == ["YOUNG"]
    assert manager.drop_temporary("young")
    assert not manager.drop_temporary("young", if_exists=True)
    with pytest.raises(ObjectNotFoundError):
        manager.drop_temporary("young")
    assert manager.relation(["young"]).is_view


def test_catalogs(manager):
    assert manager.catalogs() == ["lake", "spark_catalog"]
    with pytest.raises(AlreadyExistsError):
        manager.register("LAKE", MemoryCatalog())
    other = MemoryCatalog()
    manager.register("Lake", other, replace=True)
    assert manager.catalog("lake") is other
    manager.use_catalog("lake")
    with pytest.raises(WrongKindError, match="current catalog"):
        manager.unregister("lake")
    manager.use_catalog("spark_catalog")
    manager.unregister("lake")
    assert manager.catalogs() == ["spark_catalog"]


def test_databases(manager):
    assert not manager.create_database(database(), if_not_exists=True)
    with pytest.raises(AlreadyExistsError):
        manager.create_database(database())
    assert manager.create_database(database("hr"), catalog="lake")
    assert manager.list_databases("lake") == ["default", "hr"]
