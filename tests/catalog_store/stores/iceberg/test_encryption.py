"""Servers whose certificate an authority of one's own has signed."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.iceberg_rest import IcebergServer, iceberg_rest
from viewscribe.catalog_store import CatalogUnreachableError, open_catalog

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate")
OTHERS = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
TOKEN = {"access_token": "abc", "token_type": "bearer", "expires_in": 3600}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("certificates") / "server.pem"
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-out", str(made), "-keyout", str(made.with_name("key.pem"))]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", *options, *files, *names], check=True, capture_output=True)
    return made


@pytest.fixture
def server() -> IcebergServer:
    made = IcebergServer()
    made.fault = lambda method, path: (200, TOKEN) if path == "oauth/tokens" else None
    return made


@pytest.fixture
def address(server: IcebergServer, certificate: Path) -> Iterator[str]:
    encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    encryption.load_cert_chain(certificate, certificate.with_name("key.pem"))
    with iceberg_rest(server, encryption) as url:
        yield url.removeprefix("iceberg:").removesuffix("?name=lake")


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, certificate: Path) -> Path:
    """The certificates that the environment trusts, this server's not among them."""
    made = tmp_path / "others.pem"
    shutil.copy(ssl.get_default_verify_paths().cafile or certificate, made)
    for name in OTHERS:
        monkeypatch.setenv(name, str(made))
    return made


def test_it_is_not_trusted_unless_told(
    address: str, server: IcebergServer, monkeypatch: pytest.MonkeyPatch, certificate: Path
) -> None:
    for name in OTHERS:
        monkeypatch.delenv(name, raising=False)
    url = f"iceberg:{address}?name=lake&credential=id:SECRET"
    with pytest.raises(CatalogUnreachableError, match="is not trusted") as caught:
        open_catalog(url).list_databases()
    assert "cabundle" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert server.requests == []
    monkeypatch.setenv(OTHERS[0], str(certificate))
    assert open_catalog(url).list_databases() == []


def test_what_the_configuration_names_goes_before_the_environment(
    address: str, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificate: Path
) -> None:
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    (tmp_path / ".pyiceberg.yaml").write_text(
        f"catalog:\n  lake:\n    uri: {address}\n    credential: id:SECRET\n"
        f"    ssl:\n      cabundle: {certificate}\n"
    )
    for url in ("iceberg:lake", f"iceberg:{address}?name=lake"):
        assert open_catalog(url).list_databases() == []


def test_the_end_of_a_token_is_not_waited_for_for_ever(
    server: IcebergServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewscribe.catalog_store.stores.iceberg.rest.connection.IN_ALL", 0.3)
    server.drips = lambda method, path: (
        b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" if path == "oauth/tokens" else b""
    )
    with iceberg_rest(server) as url:
        lake = open_catalog(f"{url}&credential=id:SECRET")
        with pytest.raises(CatalogUnreachableError, match=r"within 0\.3 seconds"):
            lake.list_databases()
