"""What processes are forked from has loaded what they need, wherever the tests are."""

from __future__ import annotations

import sys

from tests.forked import CommandLine, server


def loaded():
    print(*sys.modules)


def test_a_process_finds_everything_loaded(tmp_path, monkeypatch):
    server()
    monkeypatch.chdir(tmp_path)
    code, stdout, _ = CommandLine("--version", place=tmp_path, prepare=loaded).wait()
    modules, version = stdout.splitlines()
    assert (code, version.split()[0]) == (0, "viewscribe")
    assert {
        "viewscribe.cli.app",
        "viewscribe.catalog_store.stores.files.catalog",
        "sqlalchemy",
    } <= {*modules.split()}
