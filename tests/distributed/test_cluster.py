"""A standalone cluster: a master and two workers in processes and places of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.distributed.conftest import make_world
from tests.distributed.flow import (
    MODULE,
    assert_captures,
    assert_streams,
    assert_views,
    driver,
    over_clicks,
    stored_views,
    write_clicks,
)
from tests.servers.spark_servers import Cluster, cluster, python_without_viewscribe
from viewscribe import call, col


@pytest.fixture(scope="module")
def workers() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


@pytest.fixture(scope="module")
def session(workers: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of the cluster; in the order of the tests its workers get what they lack."""
    python = python_without_viewscribe(tmp_path_factory.mktemp("python"))
    with driver(workers.url, python) as found:
        yield found


@pytest.fixture
def env(tmp_path: Path, functions: Any) -> vs.TableEnvironment:
    return stored_views(tmp_path / "views", functions)


@pytest.mark.slow("starts a cluster, and Python workers anew")
def test_views_over_functions_that_workers_do_not_have(
    session: Any, env: vs.TableEnvironment
) -> None:
    assert_views(env, session)


@pytest.mark.slow("a stream with state in RocksDB")
def test_a_stream(session: Any, tmp_path: Path, functions: Any) -> None:
    vs.send_modules(session, MODULE)
    clicks = write_clicks(tmp_path / "clicks")
    assert_streams(over_clicks(session, clicks, functions), session)


@pytest.mark.slow("captures and verifies a hundred pipelines")
def test_a_hundred_pipelines_are_captured_and_verified(session: Any) -> None:
    make_world(session)
    assert assert_captures(session, 5) >= 100


@pytest.mark.slow("rows that take their time")
def test_a_worker_that_is_killed(
    session: Any, workers: Cluster, tmp_path: Path, functions: Any
) -> None:
    """Its tasks run again elsewhere, from the first row of a partition: no row counts twice."""
    vs.send_modules(session, MODULE)
    seen = tmp_path / "seen"
    seen.mkdir()
    session.conf.set("spark.sql.adaptive.enabled", "false")  # which makes one task of few rows
    env = vs.TableEnvironment()
    numbers = env.from_values([(n, n % 20) for n in range(400)], "n INT, k INT")
    table = numbers.partition_by("k").process(functions.SlowCount, seen=str(seen))
    found: list[Any] = []
    run = threading.Thread(target=lambda: found.extend(table.to_dataframe(session).collect()))
    run.start()
    end = time.monotonic() + 120
    while len(list(seen.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(list(seen.iterdir())) == 2  # both workers have begun
    workers.kill(0)
    run.join(300)
    assert sorted(map(tuple, found)) == [(k, 20) for k in range(20)]
    asynchronous = env.from_values([("a",), ("b",)], "t STRING")
    env.create_temporary_system_function("loud", functions.Loud)
    rows = asynchronous.select(call("loud", col("t")).alias("t")).to_dataframe(session).collect()
    assert sorted(row.t for row in rows) == ["A", "B"]
