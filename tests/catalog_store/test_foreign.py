"""Catalogs that somebody else wrote: JSON, rows, names, and URLs with passwords in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import text

from tests.catalog_store.samples import database, view
from viewscribe.catalog_store import CatalogError, DamagedDocumentError, Unreadable, open_catalog
from viewscribe.catalog_store.documents.codec import decode_json, write_json
from viewscribe.catalog_store.documents.normalization import seal_plain
from viewscribe.catalog_store.hosted.embedded_document import from_parameters, from_text
from viewscribe.secrets import mask_value, secrets_in

# -- JSON ------------------------------------------------------------------------------------------


def test_a_document_says_each_thing_once() -> None:
    written = write_json(seal_plain(view())[1])
    again = written.replace('"name":"young"', '"name":"young","name":"other"', 1)
    assert again != written
    with pytest.raises(DamagedDocumentError, match="the key 'name' is given twice"):
        decode_json(again, "view", "here")


# -- rows ------------------------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    catalog = cast(Any, open_catalog(f"sqlite:{tmp_path}/views.db"))
    catalog.create_database(database())
    catalog.create(view())
    catalog.create(view("other"))
    return catalog


def change(catalog: Any, statement: str, **values: Any) -> None:
    with catalog._engine.begin() as connection:
        assert connection.execute(text(statement), values).rowcount == 1


def test_a_row_with_the_document_of_another_object_is_damaged(stored: Any) -> None:
    """Or else what opens, moves or replaces one would do so with the other."""
    other = write_json(seal_plain(view("other"))[1])
    change(stored, "UPDATE viewscribe_objects SET document = :d WHERE key = 'young'", d=other)
    with pytest.raises(DamagedDocumentError, match=r"for the view `sales\.other`"):
        stored.get("view", "sales", "young")
    found = {each.id.name: each for each in stored.load_all()}
    assert isinstance(found["young"], Unreadable)
    assert found["other"].document.name == "other"


def test_nor_may_a_database_be_another(stored: Any) -> None:
    other = write_json(seal_plain(database("other"))[1])
    change(stored, "UPDATE viewscribe_databases SET document = :d WHERE key = 'sales'", d=other)
    with pytest.raises(DamagedDocumentError, match="for the database `other`"):
        stored.get_database("sales")
    assert isinstance(next(iter(stored.load_all())), Unreadable)


@pytest.mark.parametrize("name", ["{", "1", '"elsewhere"', '"\\ud800"', "[" * 100_000, '""'])
def test_a_damaged_name_hides_nothing(stored: Any, name: str) -> None:
    change(stored, "UPDATE viewscribe_objects SET name = :n WHERE key = 'young'", n=name)
    change(stored, "UPDATE viewscribe_databases SET name = :n WHERE key = 'sales'", n=name)
    assert stored.list_databases() == ["sales"]
    assert [each.name for each in stored.list_objects("sales")] == ["other", "young"]
    assert {each.id.name for each in stored.load_all()} == {"sales", "other", "young"}


# -- a metastore -----------------------------------------------------------------------------------


def test_damaged_parameters_are_told() -> None:
    parameters = {
        "viewscribe.catalog.document.numParts": "1",
        "viewscribe.catalog.document.part.0": "{}",
        "viewscribe.catalog.version.x.numParts": "1",
    }
    with pytest.raises(DamagedDocumentError, match="invalid literal"):
        from_parameters(parameters, "here")
    with pytest.raises(DamagedDocumentError, match="nested more than 64"):
        from_text("[" * 100_000, "here")


# -- URLs ------------------------------------------------------------------------------------------

SECRETS = [
    "postgresql://ada:{}@host/db",
    "postgresql://:{}@host:5432/db",
    "postgresql://host/db?user=ada&password={}",
    "postgresql://host/db?sslpassword={}&x=1",
    "postgres://ada:{}@host/db",
    "hive+thrift://ada:{}@host:9083",
]


@pytest.mark.parametrize("url", SECRETS)
@pytest.mark.parametrize("password", ["hunter2", "hunt/er2", "hu?nt#er2", "hunt@er2", "a:hunter2"])
def test_passwords_are_not_shown(url: str, password: str) -> None:
    shown = mask_value(url.format(password))
    assert not any(part in shown for part in ("hunt", "er2", "nt#")), shown
    assert list(secrets_in(url.format(password))) == [password]
    with pytest.raises(CatalogError) as raised:
        open_catalog(url.format(password).replace("host", "127.0.0.1:1", 1), create=False)
    assert "er2" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["hive+thrift://host:9083", "postgresql://ada@host/db?x=a@b", "file:./a:b@c", "sqlite:a@b"],
)
def test_what_is_no_password_is_shown(url: str) -> None:
    assert mask_value(url) == url


# -- files -----------------------------------------------------------------------------------------


def test_an_earlier_version_is_as_private_as_its_file(tmp_path: Path) -> None:
    catalog = cast(Any, open_catalog(f"file:{tmp_path}"))
    catalog.create_database(database())
    token = catalog.create(view())
    file = tmp_path / "sales" / "young.view.yaml"
    file.chmod(0o600)
    catalog.replace(view(comment="another"), expected=token)
    (kept,) = (tmp_path / "sales" / "_history").rglob("*.yaml")
    assert {each.stat().st_mode & 0o777 for each in (file, kept)} == {0o600}
