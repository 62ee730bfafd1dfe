"""Which tables of an environment can be read as they were."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError


@pytest.mark.parametrize("form", ["csv", "parquet", "delta", "iceberg", None])
@pytest.mark.parametrize("point", ["VERSION AS OF 1", "TIMESTAMP AS OF '2026-01-31'"])
def test_files_keep_no_history(form, point) -> None:
    env = TableEnvironment()
    env.create_table("t", "a INT", format=form)
    if form in ("csv", "parquet"):
        with pytest.raises(ViewscribeError, match=f"is a {form}, which keeps no history"):
            env.sql_query(f"SELECT a FROM t {point}")
    else:
        assert point in env.sql_query(f"SELECT a FROM t {point}").to_sql()


@pytest.mark.parametrize("name", ["v", "w"])
def test_views_keep_none_either(name) -> None:
    env = TableEnvironment()
    env.create_view("v", env.sql_query("SELECT 1 AS a"))
    env.create_temporary_view("w", env.sql_query("SELECT 1 AS a"))
    with pytest.raises(ViewscribeError, match=r"keeps no history|is no table"):
        env.sql_query(f"SELECT a FROM {name} VERSION AS OF 1")
