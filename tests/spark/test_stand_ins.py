"""Python functions of catalogs where a session has no place for them: Connect, other catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from tests.spark import stored_functions as functions
from tests.spark.capture.conftest import connect_mode
from tests.spark.stored_views import OPENED, rows, store_views
from viewscribe import call, col
from viewscribe.catalog_store import ObjectNotFoundError
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.python_modules import (
    ChangedFunctionError,
    ForbiddenModuleError,
)
from viewscribe.spark.catalog_verification import CatalogVerifier
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.stand_ins import with_stand_ins

HERE = functions.__name__


@pytest.fixture
def remote(connected: Any, spark: Any) -> Iterator[Any]:
    session = connected.newSession()
    with connect_mode(session):
        session.conf.set("spark.sql.session.timeZone", "UTC")
        yield session
    spark.sql("DROP DATABASE IF EXISTS py CASCADE")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A catalog of files with functions of every kind, and views that call them."""
    return store_views(tmp_path / "catalog")


@pytest.fixture
def env(url: str) -> vs.TableEnvironment:
    return vs.TableEnvironment.open(url, python_modules=["tests.spark"])


@pytest.mark.slow("opens and verifies a view over each kind of function")
def test_views_open_over_connect_with_functions_of_every_kind(
    remote: Any, env: vs.TableEnvironment
) -> None:
    for name, expected in OPENED.items():
        frame = vs.open_view(env, f"py.{name}", remote)
        assert sorted(map(tuple, frame.collect()), key=repr) == sorted(expected, key=repr)
        report = vs.verify(env.get_view(f"py.{name}"), remote)
        if name == "whole":  # DISTINCT, which a DataFrame of Connect cannot say
            assert "Spark Connect has no API for this" in report.rows.detail
            continue
        assert report.ok, str(report)
        assert report.rows.status == "equal", report


def test_views_of_a_catalog_are_verified_by_several_sessions(
    remote: Any, env: vs.TableEnvironment
) -> None:
    """What stands for a view is of one session; another makes its own."""
    env.create_view("py.also", env.from_path("py.tenths").select("tenth"))
    with env.python_modules.in_force(), CatalogVerifier(env.catalogs, remote) as first:
        assert first.verify("py", "behind").ok
        first._own.session = None  # as a second thread begins
        assert first.verify("py", "also").ok


@pytest.mark.slow("two queries of process table functions, and two of asynchronous ones")
def test_process_table_functions_and_asynchronous_ones(
    remote: Any, env: vs.TableEnvironment
) -> None:
    for name in ("Counting", "Tripled", "quadrupled", "Shares"):
        env.create_function(f"py.{name}", getattr(functions, name))
    counted = rows(env).partition_by("id").process("py.Counting")
    env.create_view("py.counted", counted)
    calls = [call(f"py.{name}", col("id")).alias(name) for name in ("Tripled", "quadrupled")]
    env.create_view("py.more", env.from_path("py.counted").select(*calls))
    shares = env.from_path("py.counted").join_lateral(call("py.Shares", col("id"), most=1))
    env.create_view("py.shares", shares.select("of", "number"))
    found = {
        "shares": [(1, 1), (2, 1), (2, 1), (3, 1)],
        "counted": [(1, 1), (2, 1), (2, 2), (3, 1)],
        "more": [(3, 4), (6, 8), (6, 8), (9, 12)],
    }
    for name, expected in found.items():
        assert sorted(map(tuple, vs.open_view(env, f"py.{name}", remote).collect())) == expected
        report = vs.verify(env.get_view(f"py.{name}"), remote)
        assert report.ok, str(report)
    report = vs.verify(counted, remote)
    assert report.ok, report


def test_nothing_is_imported_that_was_not_allowed(remote: Any, url: str) -> None:
    env = vs.TableEnvironment.open(url)
    with pytest.raises(ForbiddenModuleError, match="--python-module"):
        vs.open_view(env, "py.behind", remote)
    with pytest.raises(ForbiddenModuleError):
        vs.attach_functions(remote, "py.tenth", catalog=url)


def test_a_changed_source_is_told(remote: Any, env: vs.TableEnvironment) -> None:
    document = env.catalogs.get("function", ("py", "tenth")).document
    other = msgspec.structs.replace(document, source_hash="0" * 64)
    env.catalogs.save(other, or_replace=True)
    with pytest.raises(ChangedFunctionError, match="source has changed"):
        vs.open_view(env, "py.behind", remote)


def test_functions_are_attached_by_name(remote: Any, env: vs.TableEnvironment) -> None:
    assert vs.attach_functions(remote, "py.tenth", catalog=env) == [f"{HERE}:tenth"]
    assert remote.sql("SELECT `spark_catalog.py.tenth`(5D)").collect()[0][0] == 0.5
    text = "SELECT py.tenth(5D) AS a, 'py.tenth' AS b -- py.tenth(x)"
    assert with_stand_ins(text, remote) == text.replace(
        "py.tenth(5D)", "`spark_catalog.py.tenth`(5D)"
    )
    assert vs.attach_functions(remote, "py.groups", catalog=env) == [
        f"{HERE}:Spread",
        f"{HERE}:largest",
        f"{HERE}:tenth",
    ]
    with pytest.raises(ObjectNotFoundError, match="neither a function nor a view"):
        vs.attach_functions(remote, "py.nothing", catalog=env)


def test_a_dataframe_that_calls_one_is_stored_proven(remote: Any, env: vs.TableEnvironment) -> None:
    from pyspark.sql import functions as F

    vs.attach_functions(remote, "py.tenth", catalog=env)
    frame = remote.sql("SELECT id, CAST(id AS DOUBLE) AS x FROM range(3)")
    called = F.call_function("`spark_catalog.py.tenth`", "x").alias("y")
    catalog = env.catalogs.catalog()
    saved = vs.save_view(frame.select("id", called), "py.saved", catalog=catalog, rows=True)
    assert saved is not None
    assert saved.verification.ok
    assert "spark_catalog.py.tenth(" in saved.sql
    text = remote.sql("SELECT `spark_catalog.py.tenth`(id) AS y FROM range(3)")
    assert "spark_catalog.py.tenth(" in vs.to_sql(text)
    opened = vs.open_view(env, "py.saved", remote)
    assert sorted(row.y for row in opened.collect()) == [0.0, 0.1, 0.2]


# -- the session's own catalog ---------------------------------------------------------------------


@pytest.fixture
def of_session(spark: Any) -> Iterator[None]:
    """Functions and views in the server's catalog, put there by a classic session."""
    classic = spark.newSession()
    env = vs.TableEnvironment(classic)
    env.create_database("py")
    env.create_function("py.tenth", functions.tenth)
    env.create_view("py.v", rows(env).select("id", call("py.tenth", col("x")).alias("y")))
    classic.sql(
        "CREATE VIEW py.on_it AS SELECT v.id, py.tenth(spark_catalog.py.v.y) AS z FROM py.v"
    )
    yield
    spark.sql("DROP DATABASE IF EXISTS py CASCADE")


@pytest.mark.slow("opens, reads and verifies views in two sessions")
@pytest.mark.usefixtures("of_session")
def test_views_of_the_server_that_call_them(remote: Any) -> None:
    env = vs.TableEnvironment(remote, python_modules=[HERE])
    table = env.from_path("py.on_it")
    with pytest.raises(
        FunctionRegistrationError, match=r"views of Spark cannot call.*\n.*open_view"
    ):
        table.to_dataframe(remote)
    assert [row.z for row in vs.open_view(env, "py.on_it", remote).collect()] == [1, 0.5, 0.5, None]
    assert vs.verify(env.get_view("py.on_it"), remote).ok
    other = remote.newSession()
    assert vs.attach_functions(other, "py.on_it", python_modules=[HERE]) == [f"{HERE}:tenth"]
    assert table.to_dataframe(other).count() == 4


@pytest.mark.usefixtures("of_session")
def test_a_view_that_was_replaced_stands_for_itself_again(remote: Any) -> None:
    env = vs.TableEnvironment(remote, python_modules=[HERE])
    assert vs.open_view(env, "py.on_it", remote).count() == 4
    env.create_view("py.v", env.from_values([(1, 2.0)], "id INT, y DOUBLE"), or_replace=True)
    assert vs.open_view(env, "py.on_it", remote).count() == 1
    assert env.from_path("py.v").to_dataframe(remote).count() == 1


@pytest.mark.usefixtures("of_session")
def test_spark_stores_no_view_that_calls_one(remote: Any) -> None:
    env = vs.TableEnvironment(remote, python_modules=[HERE])
    table = rows(env).select(call("py.tenth", col("x")).alias("y"))
    with pytest.raises(
        FunctionRegistrationError, match=r"no place for the Python function .*py\.tenth"
    ):
        env.create_view("py.w", table)
    assert "w" not in env.list_views("py")


# -- other catalogs, other functions ---------------------------------------------------------------


@pytest.mark.slow("opens and verifies views in a session with code that it generates")
def test_a_catalog_that_spark_asks_itself(spark: Any) -> None:
    """In a classic session, too, it is not the session's registry that knows its functions."""
    session = spark.newSession()
    env = vs.TableEnvironment()
    env.register_catalog("lake", "memory:")
    env.create_database("lake.py")
    env.create_function("lake.py.tenth", functions.tenth)
    table = rows(env).select(call("lake.py.tenth", col("x")).alias("y"))
    assert [row.y for row in table.to_dataframe(session).collect()] == [10.0, 5.0, 5.0, None]
    env.create_view("lake.py.v", table)
    env.create_view("lake.py.on_it", env.from_path("lake.py.v").filter(col("y") > 5))
    assert vs.open_view(env, "lake.py.on_it", session).collect() == [(10.0,)]
    assert vs.verify(env.get_view("lake.py.on_it"), session).ok
    assert vs.verify(table, session).ok


def test_a_temporary_function_of_the_same_path(remote: Any, env: vs.TableEnvironment) -> None:
    env.create_temporary_function("py.tenth", functions.fifth)
    table = rows(env).select(call("py.tenth", col("x")).alias("y"))
    assert vs.verify(table, remote).ok
    with pytest.raises(FunctionRegistrationError, match="a temporary function and a stored one"):
        vs.open_view(env, "py.behind", remote)


def make_function(name: str, session: Any) -> None:
    session.udf.register(name, lambda x: "mine")


def make_sql_function(name: str, session: Any) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION `{name}`(x DOUBLE) RETURN 'mine'")


def make_view(name: str, session: Any) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW `{name}` AS SELECT 'mine' AS x")


def of_user(name: str, session: Any) -> str:
    source = f"`{name}`" if name.endswith("behind") else "VALUES (1D) AS t(x)"
    called = "x" if name.endswith("behind") else f"`{name}`(x)"
    return str(session.sql(f"SELECT {called} FROM {source}").head()[0])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("spark_catalog.py.tenth", make_function),
        ("SPARK_CATALOG.py.Tenth", make_sql_function),
        ("spark_catalog.py.behind", make_view),
    ],
)
def test_what_stands_for_something_takes_the_place_of_nothing(
    remote: Any, env: vs.TableEnvironment, name: str, make: Any
) -> None:
    env.create_view("py.on_it", env.from_path("py.behind"))
    make(name, remote)
    for _ in range(2):
        with pytest.raises(ViewscribeError, match=r"(?s)of its own.*DROP"):
            vs.open_view(env, "py.on_it", remote)
        assert of_user(name, remote) == "mine"
    kind = "VIEW" if make is make_view else "TEMPORARY FUNCTION"
    remote.sql(f"DROP {kind} `{name}`")
    expected = sorted(map(repr, OPENED["behind"]))
    for _ in range(2):
        opened = vs.open_view(env, "py.on_it", remote).collect()
        assert sorted(repr(tuple(row)) for row in opened) == expected


def test_one_that_the_user_made_again_is_his(remote: Any, env: vs.TableEnvironment) -> None:
    vs.attach_functions(remote, "py.tenth", catalog=env)
    remote.sql("DROP TEMPORARY FUNCTION `spark_catalog.py.tenth`")
    make_sql_function("spark_catalog.py.tenth", remote)
    with pytest.raises(FunctionRegistrationError, match="of its own"):
        vs.open_view(env, "py.behind", remote)
    assert of_user("spark_catalog.py.tenth", remote) == "mine"
