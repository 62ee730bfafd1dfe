"""Clusters that Spark itself starts: executors in processes of their own, one command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.distributed.flow import another_python, assert_views, driver, stored_views
from tests.servers.spark_servers import python_without_viewscribe
from viewscribe import call, col
from viewscribe.spark.errors import MissingOnWorkersError

MASTER = "local-cluster[2,1,1024]"


@pytest.mark.slow("starts a cluster of its own")
def test_views_over_functions_that_executors_do_not_have(tmp_path: Path, functions: Any) -> None:
    with driver(MASTER, python_without_viewscribe(tmp_path)) as session:
        assert_views(stored_views(tmp_path / "views", functions), session)


@pytest.mark.slow("starts a cluster of its own")
def test_a_python_of_another_version(tmp_path: Path, functions: Any) -> None:
    """Workers cannot even read a function; that is told in one line, and not by each task."""
    env = vs.TableEnvironment()
    env.create_temporary_system_function("doubled", functions.twice)
    table = env.from_values([(1,)], "id INT").select(call("doubled", col("id")))
    with (
        driver(MASTER, another_python(tmp_path)) as session,
        pytest.raises(MissingOnWorkersError, match=r"PYTHON_VERSION_MISMATCH.*different") as told,
    ):
        table.to_dataframe(session)
    assert len(str(told.value).splitlines()) == 2
