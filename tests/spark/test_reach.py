"""What documents could make Spark do beside reading tables: none of it happens unless allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.catalog_store.samples import function, table, view
from viewscribe.catalog_store import Column, DatabaseDocument, MemoryCatalog, Parameter
from viewscribe.catalog_store.documents.model import Dependency, ObjectDocument
from viewscribe.errors import ViewscribeError

MAY_BE = "it may be other than a query"
HOME = ("spark_catalog", "default")


def opened(spark: Any, *documents: ObjectDocument) -> Any:
    """The view ``reaching`` of a catalog of these documents, as anybody may have written them."""
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="default"))
    for each in documents:
        catalog.create(each)
    return vs.open_view(vs.TableEnvironment(catalog), "default.reaching", spark)


def reaching(sql: str, *functions: str, tables: tuple[str, ...] = ()) -> Any:
    called = [Dependency(kind="function", name=(*HOME, each)) for each in functions]
    read = [Dependency(kind="table", name=(*HOME, each)) for each in tables]
    columns = (Column("x", "STRING"),)
    return view(
        "reaching", database="default", sql=sql, columns=columns, dependencies=(*read, *called)
    )


def sql_function(name: str, body: str, **more: Any) -> Any:
    given: dict[str, Any] = {"function_kind": "scalar", "parameters": (), "returns": "STRING"}
    return function(name, database="default", language="sql", body=body, **(given | more))


def test_bodies_of_functions_run_no_scripts(spark: Any, tmp_path: Path) -> None:
    script, proof = tmp_path / "script.sh", tmp_path / "proof"
    script.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    script.chmod(0o755)
    runs = f"SELECT TRANSFORM(id) USING '{script}' AS (x STRING) FROM range(1)"
    maps = f"FROM range(1) MAP id USING '{script}' AS (x STRING)"
    for number, body in enumerate(f"(SELECT max(x) FROM ({each}))" for each in (runs, maps)):
        name = f"runs_{number}"
        with pytest.raises(ViewscribeError, match=rf"{name} is not given to Spark: {MAY_BE}"):
            opened(
                spark,
                sql_function(name, body),
                reaching(f"SELECT spark_catalog.default.{name}()", name),
            ).collect()
    of_rows = sql_function("rows_of", runs, function_kind="table", returns="STRUCT<x: STRING>")
    with pytest.raises(ViewscribeError, match=rf"rows_of is not given to Spark: {MAY_BE}"):
        opened(
            spark, of_rows, reaching("SELECT * FROM spark_catalog.default.rows_of()", "rows_of")
        ).collect()
    assert not proof.exists()


def test_nothing_is_put_in_the_place_of_variables(spark: Any, tmp_path: Path) -> None:
    """``HOME`` is a variable of the process that Spark runs in."""
    given = sql_function(
        "told",
        "concat('${env:HOME}', s)",
        parameters=(Parameter("s", "STRING", default="'-'"),),
        comment="${env:HOME}",
    )
    (tmp_path / "rows.csv").write_text("a\n${env:HOME}\n")
    read = table(
        "of_files",
        database="default",
        format="csv",
        location=str(tmp_path),
        options={"nullValue": "${env:HOME}"},
        columns=(Column("a", "STRING"),),
    )
    sql = "SELECT concat(coalesce(a, 'none'), spark_catalog.default.told()) FROM of_files"
    frame = opened(spark, given, read, reaching(sql, "told", tables=("of_files",)))
    assert sorted(row[0] for row in frame.collect()) == ["a${env:HOME}-", "none${env:HOME}-"]
    # A default is read at each call, when it is too late to say so.
    filled = sql_function(
        "filled", "s", parameters=(Parameter("s", "STRING", default="'${env:HOME}'"),)
    )
    with pytest.raises(ViewscribeError, match="puts the value of a variable"):
        opened(spark, filled, reaching("SELECT spark_catalog.default.filled()", "filled"))


@pytest.mark.slow("3,000 parentheses keep Spark's parser busy")
@pytest.mark.parametrize(
    ("location", "sql", "says"),
    [
        ("/x\\", "SELECT a FROM odd", "cannot be registered"),
        (
            "/x",
            f"SELECT a FROM odd WHERE {'(' * 3000}true{')' * 3000}",
            "Spark's parser fails: java.lang.StackOverflowError",
        ),
        ("/x", "SELECT a FROM odd WITH ('fs.file.impl' = 'x')", "the option"),
    ],
    ids=["location", "parentheses", "option"],
)
def test_what_java_and_python_say_is_an_error_of_ours(
    spark: Any, location: str, sql: str, says: str
) -> None:
    columns = (Column("a", "STRING"),)
    odd = table("odd", database="default", format="csv", location=location, columns=columns)
    with pytest.raises(ViewscribeError, match=says):
        opened(spark, odd, reaching(sql, tables=("odd",)))


def test_a_function_without_its_full_name_is_an_error_of_ours(spark: Any) -> None:
    short = Dependency(kind="function", name=("f",))
    document = view("reaching", database="default", sql="SELECT '1'", dependencies=(short,))
    with pytest.raises(ViewscribeError, match="no full name"):
        opened(spark, document)


def test_functions_may_read_the_tables_that_a_view_brings(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\nb\n")
    columns = (Column("a", "STRING"),)
    read = table(
        "read_by_body", database="default", format="csv", location=str(tmp_path), columns=columns
    )
    most = sql_function("most", "(SELECT max(a) FROM spark_catalog.default.read_by_body)")
    sql = "SELECT spark_catalog.default.most()"
    frame = opened(spark, read, most, reaching(sql, "most", tables=("read_by_body",)))
    assert [tuple(row) for row in frame.collect()] == [("b",)]
