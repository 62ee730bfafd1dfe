"""Python functions in a metastore, in three processes: two of Spark, and this one without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import viewscribe as vs
from tests.spark import stored_functions
from viewscribe import call, col

ROOT = Path(__file__).resolve().parents[4]
HERE = stored_functions.__name__

pytestmark = pytest.mark.spark  # in processes of their own


def run(step, port, place):
    """What one process found."""
    command = [
        sys.executable, "-m", "tests.catalog_store.stores.hive.with_python_functions",
        step, str(port), str(place),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("RESULT "))


@pytest.fixture(scope="module")
def env(metastore):
    metastore.wipe()
    return vs.TableEnvironment(f"hive+thrift://127.0.0.1:{metastore.port}")


@pytest.fixture(scope="module")
def found(env, metastore, tmp_path_factory):
    place = tmp_path_factory.mktemp("metastore")
    assert run("store", metastore.port, place) == {"rows": [[1, 10.0], [2, None]]}
    env.create_function("shop.fifth", stored_functions.fifth)
    env.create_function("shop.Spread", stored_functions.Spread)
    rows = env.from_values([(1, 100.0), (2, None)], "id INT, x DOUBLE")
    env.create_view("shop.thrift", rows.select("id", call("shop.fifth", col("x")).alias("y")))
    spread = call("shop.Spread", col("id")).distinct().alias("spread")
    env.create_view("shop.whole", rows.agg(spread))
    return run("read", metastore.port, place)


def test_views_are_readable(found):
    assert found["text"].endswith("SELECT * FROM shop.tenths WHERE y > 0\n")
    assert not found["imported at first"]


@pytest.mark.parametrize(
    ("view", "function", "signature"),
    [
        ("tenths", "tenth", "scalar, annotated|(x DOUBLE)|DOUBLE|sha256:"),
        ("thrift", "fifth", "scalar, annotated|(x DOUBLE)|DOUBLE|sha256:"),
    ],
)
def test_another_process_says_what_is_missing(found, view, function, signature):
    message = found[f"{view} alone"]
    assert "[CANNOT_LOAD_FUNCTION_CLASS] Cannot load class" in message
    assert f"python:{HERE}:{function}|{signature}" in message


def test_of_a_table_function_spark_knows_no_better(found):
    assert "[NOT_A_TABLE_FUNCTION] `words` appears as a table function" in found["split alone"]


def test_nothing_is_imported_that_was_not_allowed(found):
    assert found["refused"].startswith(
        f"ForbiddenModuleError: spark_catalog.shop.tenth is the Python function {HERE}:tenth"
    )
    assert not found["imported then"]


def test_views_work_once_they_are_opened(found):
    assert found["behind"] == [[1, 10.0]]
    assert found["split"] == [[1, "a"], [1, "b"]]
    assert found["thrift"] == [[1, 20.0], [2, None]]
    assert found["imported at last"]


def test_a_metastore_has_no_name_for_a_function_of_collected_rows(found):
    assert "spread of rows" in found["whole"].lower()


def test_what_spark_stored_is_read_without_spark(found, env):
    for name, kind in (("tenth", "scalar"), ("words", "table")):
        document = env.catalogs.get("function", ("shop", name)).document
        assert document.class_name == f"{HERE}:{name}"
        assert document.function_kind == kind
        assert len(document.source_hash) == 64
        assert document.annotated
