"""Servers of AWS get requests whose signature they compute alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.catalog_store.samples import database, view
from tests.servers.aws_signatures import is_signed
from tests.servers.iceberg_rest import IcebergServer, iceberg_rest
from viewscribe.catalog_store import Catalog, CatalogUnreachableError, open_catalog
from viewscribe.catalog_store.errors import CatalogError

pytest.importorskip("boto3")
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"
SCOPE = "eu-west-1/glue"
SIGNED = "&rest.sigv4-enabled=true&rest.signing-name=glue"


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


@pytest.fixture
def server() -> IcebergServer:
    made = IcebergServer(page=2)
    made.admits = lambda method, target, headers, body: is_signed(
        method, target, headers, body, SECRET, SCOPE
    )
    return made


@pytest.fixture
def url(server: IcebergServer) -> Iterator[str]:
    with iceberg_rest(server) as found:
        yield found + SIGNED


@pytest.fixture
def lake(url: str) -> Catalog:
    return open_catalog(f"{url}&rest.signing-region=eu-west-1")


@pytest.mark.parametrize("name", ["sales", "north sea", "a+b & c=d", "größe", "b~c*d(e)"])
def test_every_request_is_signed(lake: Catalog, server: IcebergServer, name: str) -> None:
    """Reading, writing, names of all kinds in paths, and pages, the first of which has no value."""
    lake.create_database(database(name))
    for number in range(3):
        lake.create(view(f"v {number}", database=name))
    token = lake.get("view", name, "v 0").token
    lake.replace(view("v 0", database=name, comment="other"), expected=token)
    lake.rename("view", name, "v 1", (name, "w"))
    lake.delete("view", name, "v 2")
    assert [each.name for each in lake.list_objects(name)] == ["v 0", "w"]
    assert name in lake.list_databases()
    assert len(lake.history("view", name, "v 0")) == 2
    assert all(SECRET not in str(each) for each in server.headers)


def test_another_key_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET[::-1])
    with pytest.raises(CatalogError, match="signature"):
        open_catalog(f"{url}&rest.signing-region=eu-west-1").list_databases()


def test_the_region_is_that_of_aws_where_none_is_said(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CatalogError, match="none is known") as caught:
        open_catalog(url).list_databases()
    assert "rest.signing-region" in str(caught.value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert open_catalog(url).list_databases() == []


def test_without_credentials(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(CatalogError, match="no credentials of AWS") as caught:
        open_catalog(f"{url}&rest.signing-region=eu-west-1").list_databases()
    assert "AWS_PROFILE" in str(caught.value)


def test_its_answers_are_not_waited_for_for_ever(
    url: str, server: IcebergServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home: Any = "viewscribe.catalog_store.stores.iceberg.rest.connection"
    lake = open_catalog(f"{url}&rest.signing-region=eu-west-1")
    lake.create_database(database())
    monkeypatch.setattr(f"{home}.IN_ALL", 0.3)
    server.drips = lambda method, path: b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"
    with pytest.raises(CatalogUnreachableError, match=r"within 0\.3 seconds"):
        lake.list_databases()


def test_a_change_is_asked_for_once(lake: Catalog, server: IcebergServer) -> None:
    lake.create_database(database())
    lake.create(view())
    server.lost = lambda method, path: method == "DELETE"
    with suppress(CatalogError):  # what became of it is looked up, or told
        lake.drop_database("sales", cascade=True)
    paths = [path for method, path in server.requests if method == "DELETE"]
    assert 0 < len(paths) == len(set(paths))
