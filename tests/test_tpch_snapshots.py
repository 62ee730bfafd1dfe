"""The SQL of the TPC-H pipelines, approved as files in each of the three styles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from examples.tpch.queries import QUERIES, tables
from viewscribe import TableEnvironment
from viewscribe.snapshots import SqlSnapshotExtension

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

STYLES = ("readable", "pipe", "nested")


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    env = TableEnvironment()
    tables(env, Path("data"))
    return env


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("style", STYLES)
def test_sql(env: TableEnvironment, snapshot: SnapshotAssertion, style: str, name: str) -> None:
    approved = snapshot(name=f"tpch/{style}/{name}", extension_class=SqlSnapshotExtension)
    assert QUERIES[name](env).to_sql(style) == approved
