"""What is created under a free name costs the same however much is there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from viewscribe import TableEnvironment, col


@pytest.fixture(params=["memory:", "file:{}/views", "sqlite:{}/views.db"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> TableEnvironment:
    made = TableEnvironment.open(request.param.format(tmp_path))
    made.create_table("t", "a INT")
    return made


def test_nothing_is_listed(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("lists what is there")

    for module in ("memory", "files.home", "sql.catalog"):
        found = import_module(f"viewscribe.catalog_store.stores.{module}")
        for each in vars(found).values():
            if isinstance(each, type) and "list_ids" in vars(each):
                monkeypatch.setattr(each, "list_ids", refuse)
    env.create_view("v", env.from_path("t").select(col("a") + 1))
    env.execute_sql("CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1")
    env.create_table("u", "a INT")
    with pytest.raises(AssertionError, match="lists"):  # for the nearest names
        env.get_view("w")
