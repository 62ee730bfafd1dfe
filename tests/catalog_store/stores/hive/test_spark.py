"""A view that viewscribe wrote behaves in Spark like one that Spark wrote, and vice versa."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


pytestmark = pytest.mark.spark  # in processes of their own


@pytest.fixture(scope="module")
def found(metastore, tmp_path_factory):
    metastore.wipe()
    place = tmp_path_factory.mktemp("metastore")
    command = [
        sys.executable, "-m", "tests.catalog_store.stores.hive.with_spark",
        str(metastore.port), str(place),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-3000:]
    steps = json.loads(lines[0].removeprefix("RESULT "))
    failed = {name: step for name, step in steps.items() if isinstance(step, str)}
    assert not failed
    return steps


TABLE = ["table", "spark_catalog", "sales", "t"]
TWO_ROWS = [[2, "b"], [3, None]]


def test_spark_reads_a_view_of_ours(found):
    view = found["a_view_of_ours"]
    assert view["rows"] == TWO_ROWS
    assert view["columns"] == ["id", "Name"]
    assert (view["type"], view["comment"]) == ("VIEW", "two of them")
    assert view["create"].startswith(
        "CREATE VIEW sales.ours (\n  id,\n  Name)\nCOMMENT 'two of them'"
    )
    assert view["listed"] == [["sales", "ours", False]]


def test_the_metastore_holds_what_spark_would_have_written(found):
    # The text is meant in another database, and Spark's column comments go through views.
    assert {
        key: values
        for key, values in found["the_record_of_ours"].items()
        if key not in ("columns", "spark.sql.sources.schema")
    } == {
        "view.catalogAndNamespace.part.1": ["sales", "default"],
        "view.sqlConfig.spark.sql.artifact.isolation.enabled": [None, "false"],
    }
    ours, theirs = found["the_record_of_ours"]["spark.sql.sources.schema"]
    assert ours == theirs.replace('"metadata":{"comment":"it"}', '"metadata":{}')
    assert ours != theirs


def test_what_spark_alters_is_a_version_without_a_plan(found):
    altered = found["altered"]
    assert altered["had plan"]
    assert altered["sql"] == "SELECT id * 10 AS id, s AS Name FROM spark_catalog.sales.t"
    assert altered["plan"] is None
    assert altered["dependencies"] == [TABLE]
    assert altered["versions"] == [[1, True], [2, False]]
    assert altered["plans"] == [True, False]
    assert altered["stale"].startswith("ConcurrentUpdateError")
    assert altered["rows"] == TWO_ROWS
    assert altered["restored"]
    assert altered["all"] == [1, 2, 3]


def test_properties_that_spark_sets_leave_the_plan(found):
    properties = found["properties"]
    assert properties.pop("stale").startswith("ConcurrentUpdateError")
    assert properties == {"plan": True, "team": "other", "comment": "new"}


def test_both_rename(found):
    renamed = found["renamed"]
    assert (renamed["name"], renamed["plan"], renamed["versions"]) == ("theirs", True, 5)
    assert renamed["old"].startswith("ObjectNotFoundError")
    assert "TABLE_OR_VIEW_NOT_FOUND" in renamed["spark's old"]
    assert renamed["rows"] == TWO_ROWS


def test_both_drop(found):
    ours, theirs = found["dropped"]
    assert ours.startswith("ObjectNotFoundError")
    assert "TABLE_OR_VIEW_NOT_FOUND" in theirs


def test_views_of_spark_are_read(found):
    views = found["views_of_spark"]
    assert views["r"]["columns"] == [["a", "BIGINT", "first"], ["b", "STRING", "it"]]
    assert views["r"]["sql"] == (
        "SELECT\n  id AS a,\n  s AS b\nFROM (\nSELECT id, s FROM spark_catalog.sales.t\n)"
    )
    assert views["e"]["sql"] == (
        "WITH c AS (SELECT id FROM spark_catalog.sales.t) "
        "SELECT c.id, 't' AS t FROM c JOIN spark_catalog.sales.t ON c.id = t.id"
    )
    for name, names in (("r", ["a", "b"]), ("e", ["id", "t"])):
        view = views[name]
        assert view["dependencies"] == [TABLE]
        assert view["settings"] == "UTC"
        assert view["version"] == [1, None]
        assert view["names"] == names
        assert view["same rows"]
        assert view["token kept"]
    assert views["moved"] == [[3]]
    assert views["as a table"] == "SELECT\n  a\nFROM spark_catalog.sales.r\nWHERE a = 2"


def test_types_go_both_ways(found):
    types = found["types"]
    assert types["read"] == [
        "BIGINT", "DECIMAL(12, 3)", "STRING", "STRING COLLATE UTF8_LCASE", "TIMESTAMP_NTZ",
        "INTERVAL YEAR TO MONTH", "INTERVAL DAY TO SECOND", "VOID", "VARIANT",
        "STRUCT<a: INT, b: ARRAY<STRING COLLATE UNICODE>, `c d`: MAP<STRING, DATE>>",
    ]  # fmt: skip
    assert types["schemas"]
    assert types["hive"]
    assert types["spark"]
    assert (types["wide"], types["rows"], types["again"]) == (60, 1, True)


def test_spark_calls_our_functions(found):
    functions = found["functions"]
    assert functions["rows"] == [[8, 6, 3, 3, 5000, "cba"]]
    assert functions["table"] == [[7, "a"]]
    assert "Cannot load class python:package.module:name" in functions["python"]
    names = ["long", "more", "most", "pairs", "py", "turned", "twice"]
    assert functions["listed"] == [f"spark_catalog.sales.{name}" for name in names]
    assert functions["replaced"] == [[800]]
    assert functions["versions"] == 2
    assert functions["dropped"].startswith("ObjectNotFoundError")


def test_functions_of_spark_are_read(found):
    functions = found["functions_of_spark"]
    assert functions["f"] == {
        "language": "sql", "kind": "scalar", "body": "x + y + length(z)", "class": None,
        "returns": "DOUBLE", "comment": "c",
        "parameters": [
            ["x", "INT", None, "it's"],
            ["y", "DECIMAL(10, 2)", "1.5", None],
            ["z", "STRING", "'a, b'", None],
        ],
    }  # fmt: skip
    assert functions["g"]["kind"] == "table"
    assert functions["g"]["returns"] == "STRUCT<a: INT, b: STRING>"
    assert functions["h"]["language"] == "hive"
    assert functions["h"]["class"] == "org.apache.hadoop.hive.ql.udf.UDFMd5"


def test_tables_go_both_ways(found):
    tables = found["tables"]
    assert tables["rows"] == [[0, 0, "x"], [1, 1, "x"], [2, 0, "x"], [3, 1, "x"]]
    assert "Failed to find the data source: viewscribe" in tables["only columns"]
    assert tables["theirs"] == ["parquet", [["id", "BIGINT", None], ["s", "STRING", "it"]]]
    assert tables["again"] == [
        "parquet", True, ["part"], {"mergeSchema": "false"}, {"owner team": "core"},
        "kept elsewhere",
    ]  # fmt: skip


def test_a_dataframe_is_saved_where_spark_finds_it(found):
    saved = found["saved"]
    assert saved == {
        "rows": [["a", 1], ["b", 1]],
        "verified": True,
        "tables": ["files", "only_columns", "t"],
    }


def test_a_session_of_the_metastore_keeps_the_same_documents(found):
    assert found["through_the_session"] == {
        "theirs reads ours": True,
        "after a replacement": True,
        "ours reads theirs": True,
        "stale": True,
        "versions": 4,
        "rows": [[8, 1]],
        "shared": True,
        "left": ["viewscribe_function_thrice"],
        "hidden": [],
        "database": True,
    }
