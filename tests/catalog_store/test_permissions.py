"""What a stored text reaches is found, wherever it hides, and refused unless it was allowed."""

from __future__ import annotations

import pytest

from viewscribe import TableEnvironment, lit
from viewscribe import functions as F
from viewscribe.catalog_store.permissions import (
    ForbiddenSourceError,
    Permissions,
    permissions_in_force,
)
from viewscribe.operations.sql_reach import functions_called, paths_read

PATHS = {
    "SELECT * FROM text.`/etc/passwd`": [("text", "/etc/passwd")],
    "select * from\n\tTEXT . `/etc/passwd`": [("TEXT", "/etc/passwd")],
    "SELECT * FROM /* a */ csv.`/x` -- b": [("csv", "/x")],
    "SELECT * FROM json.relative": [("json", "relative")],
    "SELECT * FROM `my.Source`.`http://x`": [("my.Source", "http://x")],
    "SELECT * FROM a JOIN b USING (k), csv.`/x`": [("csv", "/x")],
    "SELECT * FROM a JOIN b ON a.k = b.k, csv.`/x`": [("csv", "/x")],
    "SELECT * FROM (a JOIN text.`/q` ON true)": [("text", "/q")],
    "FROM csv.`/x` |> WHERE a": [("csv", "/x")],
    "FROM t |> JOIN csv.`/x`": [("csv", "/x")],
    "TABLE parquet.`/y`": [("parquet", "/y")],
    "WITH c AS (SELECT * FROM avro.`a b`) SELECT * FROM c": [("avro", "a b")],
    "SELECT (SELECT max(value) FROM text.`/p`) FROM t": [("text", "/p")],
    "SELECT * FROM t WHERE a IN (SELECT b FROM u, xml.f)": [("xml", "f")],
    "SELECT x FROM t LATERAL VIEW explode(a) v AS x WHERE EXISTS (SELECT 1 FROM orc.`s3://b`)": [
        ("orc", "s3://b")
    ],
    'SELECT * FROM "text"."/etc/passwd"': [("text", "/etc/passwd")],
    'SELECT * FROM t, text."/etc/passwd"': [("text", "/etc/passwd")],
    'SELECT * FROM text."/allowed""/../../etc/passwd"': [("text", '/allowed"/../../etc/passwd')],
    "SELECT * FROM text.`/allowed``/../../etc/passwd`": [("text", "/allowed`/../../etc/passwd")],
    "SELECT 1 UNION ALL SELECT * FROM jdbc.`jdbc:h2:mem`": [("jdbc", "jdbc:h2:mem")],
}

HARMLESS = (
    "SELECT * FROM sales.orders",
    "SELECT a, text.body FROM docs AS text",
    "SELECT a, csv.x FROM t AS csv ORDER BY x, csv.y",
    "SELECT * FROM (SELECT a, json.x FROM t AS json) AS s",
    "SELECT * FROM range(10)",
    "SELECT 'FROM text.`/etc/passwd`' AS quoted",
    'SELECT trim(BOTH "/" FROM "/a"), extract(DAY FROM "2020-01-01") FROM t',
    "SELECT reflect AS a FROM t",
    "VALUES (1), (2)",
    "FROM t AS text |> EXTEND a, text.b AS c",
)


@pytest.mark.parametrize("text", PATHS)
def test_paths_are_found(text: str) -> None:
    assert [*paths_read(text)] == PATHS[text]
    with pytest.raises(ForbiddenSourceError, match=r"(locations|formats)=\["):
        Permissions().require_text("the view v", text)
    formats, locations = zip(*PATHS[text], strict=True)
    Permissions.of(formats, locations).require_text("the view v", text)


@pytest.mark.parametrize("text", HARMLESS)
def test_names_that_are_no_paths_are_left_alone(text: str) -> None:
    assert [*paths_read(text), *functions_called(text)] == []
    Permissions().require_text("the view v", text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT reflect('java.lang.Runtime', 'getRuntime')",
        "SELECT `java_method` ('java.lang.System', 'exit', 1)",
        "SELECT a FROM t WHERE Try_Reflect('x', 'y') IS NULL",
        "SELECT system.builtin.reflect('x', 'y')",
        "SELECT \"reflect\"('x', 'y')",
    ],
)
def test_functions_that_reach_out_are_refused_unless_they_are_allowed(text: str) -> None:
    with pytest.raises(ForbiddenSourceError, match=r"reaches out of the query\n.*functions=\["):
        Permissions().require_text("the view v", text)
    Permissions.of(functions=["REFLECT", "java_method", "try_reflect"]).require_text("v", text)


@pytest.mark.parametrize("text", ["SELECT * FROM IDENTIFIER('a.b')", "SELECT identifier ('f')(1)"])
def test_computed_names_are_refused(text: str) -> None:
    with pytest.raises(ForbiddenSourceError, match="computes names"):
        Permissions().require_text("the view v", text)


def test_so_they_are_in_a_tree() -> None:
    call = F.reflect(lit("java.util.UUID"), lit("randomUUID"))
    tree = TableEnvironment().from_values([(1,)], "a INT").select(call.alias("x")).operation
    with pytest.raises(ForbiddenSourceError, match="reaches out of the query"):
        Permissions().require_tree("the plan", tree)
    Permissions.of(functions=["reflect", "java_method"]).require_tree("the plan", tree)


@pytest.mark.parametrize(
    ("place", "location", "inside"),
    [
        ("/data", "/data/x", True),
        ("/data/", "/data", True),
        ("/data", "/database/x", False),
        ("/data", "/data/../etc/passwd", False),
        ("/data", "file:/data/x", True),
        ("/data", "file:///data/./x", True),
        ("s3://bucket/a", "s3://bucket/a/b", True),
        ("s3://bucket/a", "S3://bucket/a/b", True),
        ("s3://bucket/a", "s3://other/a", False),
        ("s3://bucket/a", "s3://bucket/a/../b", False),
        ("/", "hdfs://host/x", False),
    ],
)
def test_a_location_lies_in_a_place_or_not(place: str, location: str, inside: bool) -> None:
    given = Permissions.of(locations=[place])
    if inside:
        given.require_text("v", f"SELECT * FROM parquet.`{location}`")
        return
    with pytest.raises(ForbiddenSourceError, match="a place that nobody allowed"):
        given.require_text("v", f"SELECT * FROM parquet.`{location}`")


def test_tables_of_other_formats_are_refused_and_of_other_places_where_places_are_given() -> None:
    given = Permissions()
    for name in ("parquet", "ORC", "csv", "json", "text", "avro", None):
        given.require_table("the table t", name, "/anywhere")
    for name in ("jdbc", "org.apache.spark.sql.jdbc", "kafka", "delta"):
        with pytest.raises(ForbiddenSourceError, match=rf"formats=\['{name}'\]"):
            given.require_table("the table t", name, None)
        Permissions.of(formats=[name]).require_table("the table t", name, None)
    with pytest.raises(ForbiddenSourceError, match="a place that nobody allowed"):
        Permissions.of(locations=["/data"]).require_table("the table t", "csv", "/etc")


def test_permissions_hold_in_a_block() -> None:
    with Permissions.of(formats=["jdbc"]).in_force():
        assert permissions_in_force().formats == {"jdbc"}
    assert permissions_in_force() == Permissions()
