"""Python functions of catalogs in a session: views call them, and say what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.errors import PySparkException

import viewscribe as vs
from tests.spark import stored_functions as functions
from tests.spark.stored_views import OPENED, rows, store_views
from tests.versions import before
from viewscribe import call, col
from viewscribe.errors import CatalogError
from viewscribe.expressions.functions.python_modules import (
    ChangedFunctionError,
    ChangedFunctionWarning,
    ForbiddenModuleError,
)
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.missing_functions import why_not

HERE = functions.__name__


@pytest.fixture
def spark(spark: Any) -> Iterator[Any]:
    """A session of its own, without what others attached; the catalog is the same."""
    session = spark.newSession()
    yield session
    session.sql("DROP DATABASE IF EXISTS py CASCADE")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A catalog of files with functions of every kind, and views that call them."""
    return store_views(tmp_path / "catalog")


@pytest.mark.slow("opens and verifies a view over each kind of function")
@pytest.mark.skipif(before("4.2"), reason="Arrow's UDFs, and names of table functions")
def test_views_open_with_functions_of_every_kind(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url, python_modules=["tests.spark"])
    for name, expected in OPENED.items():
        frame = vs.open_view(env, f"py.{name}", spark)
        assert sorted(map(tuple, frame.collect()), key=repr) == sorted(expected, key=repr)
        report = vs.verify(env.get_view(f"py.{name}"), spark)
        assert report.ok, report


def test_nothing_opens_that_was_not_allowed(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url)
    with pytest.raises(
        ForbiddenModuleError,
        match=rf"(?s)spark_catalog\.py\.\w+ is .*{HERE}:tenth.*python_modules=",
    ):
        vs.open_view(env, "py.behind", spark)
    opened = vs.open_view(env, "py.behind", spark, python_modules=[HERE])
    assert opened.count() == 1
    table = rows(env).select(call("py.tenth", col("x")).alias("y"))
    with pytest.raises(ForbiddenModuleError):
        table.to_dataframe(spark)
    with pytest.raises(ForbiddenModuleError):
        vs.verify(table, spark.newSession())


def test_what_was_given_runs_as_tree_and_as_text(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.create_database("py")
    env.create_function("py.Tenth", functions.tenth)
    table = rows(env).select(call("py.Tenth", col("x")).alias("y"))
    assert "spark_catalog.py.tenth(x) AS y" in table.to_sql().replace("Tenth", "tenth")
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        assert [row[0] for row in frame.collect()] == [10.0, 5.0, 5.0, None]
    assert vs.verify(table, spark).ok
    assert spark.sql("SELECT py.tenth(1D)").columns == ["spark_catalog.py.Tenth(1.0)"]
    shown = [row[0] for row in spark.sql("SHOW USER FUNCTIONS").collect()]
    assert [each for each in shown if "attaches" in each] == []


def test_an_environment_over_the_session(spark: Any) -> None:
    """Function and views are Spark's own; another session says what it misses."""
    env = vs.TableEnvironment(spark)
    env.create_database("py")
    env.create_function("py.tenth", functions.tenth)
    env.create_view("py.v", rows(env).select("id", call("py.tenth", col("x")).alias("y")))
    spark.sql("CREATE VIEW py.on_it AS SELECT id, py.tenth(y) AS z FROM py.v")
    spark.sql("CREATE FUNCTION py.twice(x DOUBLE) RETURNS DOUBLE RETURN py.tenth(x) * 2")
    text = spark.sql("SHOW CREATE TABLE py.v").collect()[0][0]
    assert "spark_catalog.py.tenth(x) AS y" in text
    document: Any = env.catalogs.get("function", ("py", "tenth")).document
    assert document.class_name == f"{HERE}:tenth"
    assert (document.annotated, len(document.source_hash)) == (True, 64)

    other = spark.newSession()
    missing = rf"CANNOT_LOAD_FUNCTION_CLASS.*python:{HERE}:tenth\|scalar, annotated\|\(x DOUBLE\)"
    for query in ("SELECT * FROM py.v", "SELECT * FROM py.on_it", "SELECT py.twice(1D)"):
        with pytest.raises(PySparkException, match=missing):
            other.sql(query).collect()
    for name in ("py.v", "py.on_it"):
        with pytest.raises(ForbiddenModuleError, match="--python-module"):
            vs.attach_functions(other, name)
    assert vs.attach_functions(other, "py.on_it", python_modules=[HERE]) == [f"{HERE}:tenth"]
    assert [row.z for row in other.table("py.on_it").collect()] == [1.0, 0.5, 0.5, None]
    assert other.sql("SELECT py.twice(1D)").collect()[0][0] == 0.2
    again = vs.TableEnvironment(spark.newSession(), python_modules=[HERE])
    assert again.from_path("py.v").to_dataframe(again.catalogs.catalog().session).count() == 4  # type: ignore[attr-defined]


def test_a_view_is_not_stored_in_a_session_that_may_not_import(spark: Any) -> None:
    env = vs.TableEnvironment(spark)
    env.create_database("py")
    env.create_function("py.tenth", functions.tenth)
    bare = vs.TableEnvironment(spark.newSession())
    table = rows(bare).select(call("py.tenth", col("x")).alias("y"))
    with pytest.raises(ForbiddenModuleError, match=r"py\.tenth"):
        bare.create_view("py.v", table)
    assert bare.list_views("py") == []


def test_functions_are_attached_by_name(spark: Any, url: str) -> None:
    found = vs.attach_functions(spark, "py.tenth", catalog=url, python_modules=[HERE])
    assert found == [f"{HERE}:tenth"]
    assert spark.sql("SELECT py.tenth(5D)").collect()[0][0] == 0.5
    env = vs.TableEnvironment(url)
    env.execute_sql("CREATE FUNCTION py.plain(x INT) RETURNS INT RETURN x")
    with pytest.raises(CatalogError, match="no Python function"):
        vs.attach_functions(spark, "py.plain", catalog=env)
    with pytest.raises(CatalogError, match=r"neither a function nor a view `py.nothing`"):
        vs.attach_functions(spark, "py.nothing", catalog=env)


@pytest.mark.skipif(before("4.2"), reason="names of table functions")
def test_process_table_functions(spark: Any, url: str) -> None:
    """Another environment knows one by its class, which it must be allowed to import."""
    vs.TableEnvironment.open(url).create_function("py.counting", functions.Counting)
    env = vs.TableEnvironment.open(url)
    with pytest.raises(ForbiddenModuleError, match=r"py\.counting"):
        rows(env).partition_by("id").process("py.counting")
    env = vs.TableEnvironment.open(url, python_modules=[HERE])
    table = rows(env).partition_by("id").process("py.counting")
    report = vs.verify(table, spark)
    assert report.ok, report
    spark.sql(f"CREATE VIEW py.counted AS {table.to_sql()}")
    other = spark.newSession()
    with pytest.raises(PySparkException, match="NOT_A_TABLE_FUNCTION"):
        other.table("py.counted")
    vs.attach_functions(other, "py.counted", python_modules=[HERE])
    found = sorted(map(tuple, other.table("py.counted").collect()))
    assert found == [(1, 1), (2, 1), (2, 2), (3, 1)]
    text = other.sql("DESCRIBE FUNCTION EXTENDED py.counting").collect()[1][0]
    assert f"python:{HERE}:Counting|process|(Counting(input TABLE_AS_SET)" in text


@pytest.mark.skipif(before("4.1"), reason="Arrow's UDFs")
def test_asynchronous_functions(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url)
    for name in ("Tripled", "quadrupled"):
        env.create_function(f"py.{name}", getattr(functions, name))
    calls = [call(f"py.{name}", col("id")).alias(name) for name in ("Tripled", "quadrupled")]
    env.create_view("py.more", rows(env).select(*calls))
    with pytest.raises(ForbiddenModuleError):
        vs.open_view(vs.TableEnvironment.open(url), "py.more", spark)
    again = vs.TableEnvironment.open(url, python_modules=[HERE])
    opened = vs.open_view(again, "py.more", spark)
    assert sorted(map(tuple, opened.collect())) == [(3, 4), (6, 8), (6, 8), (9, 12)]
    report = vs.verify(again.get_view("py.more"), spark)
    assert report.ok, report
    text = spark.sql("DESCRIBE FUNCTION EXTENDED py.quadrupled").collect()[1][0]
    assert f"python:{HERE}:quadrupled|scalar, async" in text


@pytest.mark.skipif(before("4.1"), reason="Arrow's UDFs")
def test_asynchronous_table_functions(spark: Any, url: str) -> None:
    """A session that opens the view plans it by the text, with the functions of the catalog."""
    env = vs.TableEnvironment.open(url)
    for name in ("Shares", "halved"):
        env.create_function(f"py.{name}", getattr(functions, name))
    made = rows(env).join_lateral(call("py.Shares", col("id"), most=2))
    table = made.left_outer_join_lateral(call("py.halved", col("number") - 1).as_("half"))
    env.create_view("py.shares", table.select("id", "number", "of", "half"))
    expected = [(1, 1, 1, None), *[(2, n, 2, n - 1 or None) for n in (1, 1, 2, 2)]]
    expected += [(3, 1, 3, None), (3, 2, 3, 1)]
    again = vs.TableEnvironment.open(url, python_modules=[HERE])
    opened = vs.open_view(again, "py.shares", spark)
    assert sorted(map(tuple, opened.collect()), key=repr) == sorted(expected, key=repr)
    report = vs.verify(again.get_view("py.shares"), spark)
    assert report.ok, report
    text = spark.sql("DESCRIBE FUNCTION EXTENDED py.shares").collect()[1][0]
    assert f"python:{HERE}:Shares|table, async" in text
    again.create_temporary_view("numbers", rows(again))
    found = again.sql_query("SELECT id, s.n FROM numbers, LATERAL py.Shares(id, 2) AS s(n, m)")
    assert sorted(map(tuple, found.to_dataframe(spark).collect())) == [
        *[(1, 1), (2, 1), (2, 1), (2, 2), (2, 2), (3, 1), (3, 2)]
    ]


# -- what changed ----------------------------------------------------------------------------------


def changed(env: vs.TableEnvironment, **fields: Any) -> None:
    """The document of the function as if its source had been another when it was stored."""
    document = env.catalogs.get("function", ("py", "tenth")).document
    env.catalogs.save(msgspec.structs.replace(document, **fields), or_replace=True)


def test_a_changed_source_is_told(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url, python_modules=[HERE])
    changed(env, source_hash="0" * 64)
    with pytest.raises(ChangedFunctionError, match="source has changed"):
        vs.open_view(env, "py.behind", spark)
    accepted = vs.PythonModules([HERE], changed="warn")
    with pytest.warns(ChangedFunctionWarning, match="source has changed"):
        assert vs.open_view(env, "py.behind", spark, python_modules=accepted).count() == 1
    env.alter_function("py.tenth", functions.tenth)
    assert vs.open_view(env, "py.behind", spark).count() == 1


def test_a_changed_source_is_told_of_what_spark_holds(spark: Any) -> None:
    text = f"python:{HERE}:tenth|scalar|(x DOUBLE)|DOUBLE|sha256:{'0' * 64}"
    spark.sql("CREATE DATABASE py")
    spark.sql(f"CREATE FUNCTION py.tenth AS '{text}'")
    with pytest.raises(ChangedFunctionError, match="source has changed"):
        vs.attach_functions(spark, "py.tenth", python_modules=[HERE])
    with pytest.raises(PySparkException, match="CANNOT_LOAD_FUNCTION_CLASS"):
        spark.sql("SELECT py.tenth(1D)")


def test_a_changed_signature_is_told(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url, python_modules=vs.PythonModules([HERE], changed="warn"))
    changed(env, returns="STRING")
    with pytest.raises(ChangedFunctionError, match=r"signature has changed .*RETURNS STRING"):
        vs.open_view(env, "py.behind", spark)


def test_another_function_under_the_name_takes_its_place(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url, python_modules=[HERE])
    assert vs.open_view(env, "py.behind", spark).collect()[0].tenth == 10.0
    env.alter_function("py.tenth", functions.fifth)
    with pytest.raises(FunctionRegistrationError, match=r"another|already has a function .*:tenth"):
        vs.open_view(env, "py.behind", spark)
    spark.sql("DROP FUNCTION py.tenth")
    assert {row.tenth for row in vs.open_view(env, "py.behind", spark).collect()} == {20.0, 10.0}


def test_what_detaches_is_attached_again(spark: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url, python_modules=[HERE])
    assert vs.open_view(env, "py.behind", spark).count() == 1
    text = spark.sql("DESCRIBE FUNCTION EXTENDED py.tenth").collect()[1][0].removeprefix("Class: ")
    spark.sql(f"CREATE OR REPLACE FUNCTION py.tenth AS '{text}'")
    with pytest.raises(PySparkException, match="CANNOT_LOAD_FUNCTION_CLASS"):
        spark.sql("SELECT py.tenth(1D)")
    assert vs.open_view(env, "py.behind", spark).count() == 1
    spark.sql("DROP FUNCTION py.tenth")
    assert vs.open_view(env, "py.behind", spark).count() == 1


def test_an_entry_of_somebody_else_is_left_alone(spark: Any, url: str) -> None:
    spark.sql("CREATE DATABASE py")
    spark.sql("CREATE FUNCTION py.tenth AS 'org.apache.hadoop.hive.ql.udf.UDFHex'")
    env = vs.TableEnvironment.open(url, python_modules=[HERE])
    with pytest.raises(FunctionRegistrationError, match=r"already has a function .*UDFHex"):
        vs.open_view(env, "py.behind", spark)
    spark.sql("DROP FUNCTION py.tenth")
    spark.sql("CREATE FUNCTION py.tenth(x DOUBLE) RETURNS DOUBLE RETURN x")
    with pytest.raises(
        FunctionRegistrationError, match=r"already has a function .*(another body|sqlFunction)"
    ):
        vs.open_view(env, "py.behind", spark)


def test_a_temporary_function_is_not_touched(spark: Any) -> None:
    env = vs.TableEnvironment()
    env.create_database("py")
    env.create_function("py.tenth", functions.tenth)
    spark.udf.register("spark_catalog.py.tenth", lambda: "mine", "string")
    table = rows(env).select(call("py.tenth", col("x")).alias("y"))
    table.to_dataframe(spark)
    assert spark.sql("SELECT `spark_catalog.py.tenth`()").collect()[0][0] == "mine"


# -- where it cannot be ----------------------------------------------------------------------------


def test_a_spark_whose_table_functions_have_no_database() -> None:
    class Older:
        version = "4.1.4"
        _jsparkSession = None  # noqa: N815

    env = vs.TableEnvironment()
    env.create_function("words", functions.words)
    function: Any = env.functions.lookup("default.words").function
    error = why_not(function, Older())  # type: ignore[arg-type]
    assert "Spark 4.1.4 takes no table function with a database in its name" in str(error)
