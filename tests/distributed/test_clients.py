"""Beside other people's PySpark: the thin client, and the one that Databricks Connect brings.

``make connect`` makes the environments; what a client calls itself is not what it can do.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SQL = """\
SELECT
  customer,
  sum(amount) AS total
FROM spark_catalog.clients.orders
WHERE amount > 1
GROUP BY customer"""


@pytest.fixture(scope="module")
def served(url: str) -> str:
    """The address of a server that has the table."""
    from viewscribe.spark.remote import remote_session

    with remote_session(url) as session:
        session.sql("CREATE DATABASE IF NOT EXISTS clients")
        session.sql("CREATE TABLE clients.orders (customer STRING, amount INT) USING parquet")
        session.sql("INSERT INTO clients.orders VALUES ('a', 1), ('a', 2), ('b', 3), ('b', 4)")
    return url


def first_hour(client: str, url: str) -> Any:
    python = ROOT / f".venv-{client}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"there is no environment with {client}: make connect makes it")
    hidden = ("PYTHONHOME", "SPARK_HOME", "PYSPARK_PYTHON")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [str(python), "-m", "tests.distributed.as_client", url],
        env={**env, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow("a client of its own asks a server")
@pytest.mark.parametrize("client", ["pyspark-client", "databricks-connect"])
def test_a_first_hour(client: str, served: str) -> None:
    told = first_hour(client, served)
    for way in ("recorded alone", "recorded", "captured", "saved", "kept"):
        assert told[way] == SQL, way
    assert told["opened"] == told["read"] == [["a", 2], ["b", 7]]
    assert told["built"] == [["b", 7]]
    assert told["verified"] is True
