"""Catalogs by URL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.catalog_store.samples import database
from viewscribe import TableEnvironment
from viewscribe.catalog_store import (
    CatalogError,
    CatalogNotFoundError,
    FileCatalog,
    MemoryCatalog,
    UnknownSchemeError,
    factory,
    open_catalog,
    register_scheme,
)
from viewscribe.errors import ValidationError


def test_memory():
    assert isinstance(open_catalog("memory:"), MemoryCatalog)
    with pytest.raises(CatalogError, match="no name or place"):
        open_catalog("memory:x")


@pytest.mark.parametrize("form", ["file:{}", "FILE:{}", "file://{}", "file://localhost{}"])
def test_files(tmp_path, form):
    catalog = open_catalog(form.format(tmp_path))
    assert isinstance(catalog, FileCatalog)
    assert catalog.root == str(tmp_path)
    catalog.create_database(database())
    assert open_catalog(catalog.url).list_databases() == ["sales"]


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("hive+thrift://host", "hive+thrift://host:9083"),
        ("HIVE+THRIFT://host.example.com:1/", "hive+thrift://host.example.com:1"),
        ("hive+thrift://[::1]:9083", "hive+thrift://[::1]:9083"),
    ],
)
def test_metastores(url, opened):
    # Nothing is connected to before it is needed.
    assert open_catalog(url).url == opened


def test_relative_and_home_paths(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert open_catalog("file:./views").url == "file:./views"
    assert open_catalog("file:~/views").url == "file:/home/me/views"
    assert open_catalog("file:a%20b").url == "file:a%20b"
    assert open_catalog("file:///a%20b").url == "file:/a b"


def test_a_catalog_that_must_exist(tmp_path):
    with pytest.raises(CatalogNotFoundError, match="there is no catalog at"):
        open_catalog(f"file:{tmp_path}/nope", create=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(CatalogError, match="is not a directory"):
        open_catalog(f"file:{tmp_path}/file")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("fil:x", "did you mean file:"),
        ("views", "write file:views; known are file:, hive"),
        ("./views", "write file:./views"),
        ("s3:x", r"nown are file:, hive\+thrift:, iceberg:, memory:"),
        ("hive+thrift:host", "write hive"),
        ("hive+thrift://host:99999", "is not the address of a metastore"),
        ("hive+thrift://me:secret@host", "is not the address of a metastore"),
        ("file:", "names no directory"),
        ("file://host/x", "names a host"),
        ("", "nown are"),
    ],
)
def test_urls_that_do_not_open(url, words):
    with pytest.raises(CatalogError, match=words):
        open_catalog(url)


def test_other_rooms_add_schemes(monkeypatch):
    monkeypatch.setattr(factory, "SCHEMES", dict(factory.SCHEMES))
    seen = []

    def opener(rest, create):
        seen.append((rest, create))
        return MemoryCatalog()

    register_scheme("Hive+Thrift", opener)
    open_catalog("hive+thrift://host:9083", create=False)
    assert seen == [("//host:9083", False)]
    with pytest.raises(
        UnknownSchemeError, match=r"nown are file:, hive\+thrift:, iceberg:, memory:"
    ):
        open_catalog("s3:x")
    with pytest.raises(CatalogError, match="not a URL scheme"):
        register_scheme("a b", lambda rest, create: MemoryCatalog())


def test_importing_is_cheap():
    """Neither YAML nor JSON Schema is loaded until a file catalog is used."""
    code = (
        "import sys, viewscribe.catalog_store as c\n"
        "manager = c.CatalogManager()\n"
        "manager.save(c.TableDocument(database='default', name='t', columns=()))\n"
        "heavy = {'yaml', 'jsonschema', 'referencing', 'pyspark', 'urllib.parse'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": source},
    )
    assert done.stdout == "[]\n"


def test_a_path_is_no_url(tmp_path: Path) -> None:
    for opened in (open_catalog, TableEnvironment.open):
        with pytest.raises(ValidationError, match="of the class PosixPath") as no:
            opened(tmp_path)  # type: ignore[arg-type]
        assert no.value.hint == f'for a directory write "file:{tmp_path}"'
