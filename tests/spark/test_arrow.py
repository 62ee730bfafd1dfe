"""Without pyarrow all but Python functions is carried out, and these name what is missing."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime

import pytest

import viewscribe as vs
from viewscribe.spark.errors import NotInterpretableError

WITHOUT = """
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
from viewscribe.operations.nodes import Process
from viewscribe.spark import functions, verify, views
from viewscribe.spark.interpreter import handlers
assert Process in handlers()
"""


def test_nothing_that_opens_and_verifies_views_needs_it() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


def test_who_calls_a_process_table_function_is_told(monkeypatch, spark) -> None:
    env = vs.TableEnvironment()
    rows = env.from_values([("a", datetime(2024, 1, 1))], "k STRING, ts TIMESTAMP")
    table = rows.partition_by("k").process(vs.process.deduplicate, on_time="ts")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInterpretableError, match=r"(?s)pyarrow is not.*viewscribe\[spark\]"):
        table.to_dataframe(spark)


def test_who_tries_one_is_told(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInterpretableError, match=r"(?s)pyarrow is not.*viewscribe\[spark\]"):
        _ = vs.process.run
