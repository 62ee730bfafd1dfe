"""All five kinds of Hive's functions, from classes that Spark's own jars hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark  # in a process of its own

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "UDF": ["ba", "cba"],
    "GenericUDF": [1, 1],
    "UDAF": [1.5],
    "GenericUDAFResolver": [3],
    "GenericUDAFResolver with clauses": [1],
    "GenericUDAFResolver with FILTER": [1],
    "GenericUDTF": ["x", "y", "z"],
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    place = tmp_path_factory.mktemp("hive")
    command = [sys.executable, "-m", "tests.spark.hive_functions", str(place)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("RESULT "))


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize("life", ["temporary", "stored"])
def test_a_class_of_hive(found, kind, life):
    made = found[f"{kind} {life}"]
    assert made == {"tree": EXPECTED[kind], "text": EXPECTED[kind], "verified": [True, True, True]}
