"""A stored view keeps its settings, whichever way it is run, and in a session that has others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.capture.conftest import connect_mode
from viewscribe import call, col
from viewscribe import functions as F
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS, is_allowed
from viewscribe.errors import ValidationError
from viewscribe.operations.required_settings import TIME_TYPE
from viewscribe.serializer.targets import SettingsWarning
from viewscribe.spark.errors import NotInterpretableError

ANSI, ZONE = "spark.sql.ansi.enabled", "spark.sql.session.timeZone"
MEANT = {ANSI: "false", ZONE: "America/New_York"}
QUERY = """
SELECT CAST(s AS INT) AS n, CAST(at AS STRING) AS at
FROM VALUES ('x', TIMESTAMP '2024-01-01 00:00:00Z'), ('2', NULL) AS v(s, at)
"""
ROWS = [(None, "2023-12-31 19:00:00"), (2, None)]


@pytest.fixture
def env(tmp_path: Any) -> vs.TableEnvironment:
    """A catalog with a view, in an environment of other settings than the view's."""
    (tmp_path / "views").mkdir()
    url = f"file:{tmp_path}/views"
    meant = vs.TableEnvironment(url, settings=MEANT)
    meant.create_view("default.v", meant.sql_query(QUERY))
    return vs.TableEnvironment(url)


@pytest.fixture
def remote(connected: Any) -> Iterator[Any]:
    session = connected.newSession()
    with connect_mode(session):
        session.conf.set(ZONE, "UTC")
        yield session


def _rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=str)


def test_opened(spark: Any, env: vs.TableEnvironment) -> None:
    assert spark.conf.get(ANSI) == "true"
    assert _rows(vs.open_view(env, "default.v", spark)) == sorted(ROWS, key=str)


def test_opened_over_connect(remote: Any, env: vs.TableEnvironment) -> None:
    """A server analyzes a DataFrame when it runs, when the settings are the session's again."""
    opened = vs.open_view(env, "default.v", remote)
    assert remote.conf.get(ANSI) == "true"
    assert _rows(opened) == _rows(vs.open_view(env, "default.v", remote)) == sorted(ROWS, key=str)


@pytest.mark.parametrize("where", ["classic", "connect"])
def test_settings_that_a_view_does_not_name_are_sparks_defaults(
    request: pytest.FixtureRequest, spark: Any, env: vs.TableEnvironment, where: str
) -> None:
    """As Spark reads its own views."""
    query = "SELECT exists(array(1, NULL), x -> x > 5) AS e, array_insert(array(1, 2), -1, 9) AS i"
    env.create_view("default.n", env.sql_query(query))
    there = spark.newSession() if where == "classic" else request.getfixturevalue("remote")
    there.conf.set("spark.sql.legacy.followThreeValuedLogicInArrayExists", "false")
    there.conf.set("spark.sql.legacy.negativeIndexInArrayInsert", "true")
    assert _rows(vs.open_view(env, "default.n", there)) == [(None, [1, 2, 9])]
    report = vs.verify(env.get_view("default.n"), there)
    assert report.ok, report
    if where == "classic":
        table = env.view_table("default.n")
        assert _rows(table.to_dataframe(there)) == [(None, [1, 2, 9])]
    assert there.conf.get("spark.sql.legacy.negativeIndexInArrayInsert") == "true"


READ_LATE = [
    ("jsonGenerator.ignoreNullFields", "false", "to_json(struct(a, NULLIF(a, a) AS b))"),
    ("legacy.castComplexTypesToString.enabled", "true", "CAST(array(a, NULL) AS STRING)"),
    ("legacy.collationAwareHashFunctions", "true", "hash(('a' || a) COLLATE UTF8_LCASE)"),
    ("legacy.csv.enableDateTimeParsingFallback", "false", "from_csv('2020-1-' || a, 'd DATE').d"),
    ("legacy.timeParserPolicy", "LEGACY", "to_date('2020-1-' || a, 'yyyy-MM-dd')"),
    ("mapKeyDedupPolicy", "LAST_WIN", "map(a, 1, a, 2)"),
]


@pytest.mark.parametrize(("setting", "value", "expression"), READ_LATE)
def test_settings_that_spark_reads_when_a_query_runs_are_told(
    spark: Any, env: vs.TableEnvironment, setting: str, value: str, expression: str
) -> None:
    """They are those of the session after all, as in Spark's own views: so the list stays true."""
    query = f"SELECT {expression} AS r FROM VALUES (1) AS t(a)"
    env.create_view("default.late", env.sql_query(query))
    there = spark.newSession()
    vs.open_view(env, "default.late", there)
    there.conf.set(f"spark.sql.{setting}", value)
    with pytest.warns(SettingsWarning, match=f"the view .*late is meant for spark.sql.{setting} ="):
        opened = vs.open_view(env, "default.late", there)
    assert _rows(opened) == _rows(there.sql(query))
    with pytest.warns(SettingsWarning, match=f"the pipeline is meant for spark.sql.{setting} ="):
        env.view_table("default.late").to_dataframe(there)


def test_as_a_pipeline(spark: Any, env: vs.TableEnvironment) -> None:
    table = env.view_table("default.v")
    assert _rows(table.to_dataframe(spark)) == sorted(ROWS, key=str)
    assert {**table.env.settings, **MEANT} == table.env.settings
    env.create_view("default.w", table.select("n"))
    assert env.get_view("default.w").settings == {**env.settings, **MEANT}


def test_as_a_pipeline_over_connect(remote: Any, env: vs.TableEnvironment) -> None:
    table = env.view_table("default.v")
    with pytest.raises(NotInterpretableError, match=r"meant for spark.sql.\S+ = \S+, and the sess"):
        table.to_dataframe(remote)
    for name, value in table.env.settings.items():
        remote.conf.set(name, value)
    assert _rows(table.to_dataframe(remote)) == sorted(ROWS, key=str)


def test_no_pipeline_is_meant_for_two_settings(env: vs.TableEnvironment) -> None:
    view, own = env.view_table("default.v"), env.from_values([(1, "a")], "n INT, at STRING")
    combined = [
        lambda: view.join(own, col("n") == col("n")),
        lambda: own.union_all(view),
        lambda: own.union_by_name(view),
        lambda: own.minus(view.select("n", "at")),
        lambda: own.filter(col("n").in_(view.select("n"))),
        lambda: own.filter(vs.exists(view)),
        lambda: own.select(vs.scalar(view.select(F.max("n"))).alias("m")),
        lambda: own.join_lateral(view),
        lambda: own.join_lateral(lambda outer: view.filter(col("n") == outer("n"))),
        lambda: env.create_temporary_view("meant", view),
    ]
    for combine in combined:
        with pytest.raises(ValidationError, match="one table is meant for spark"):
            combine()
    assert view.union_all(env.view_table("default.v")).columns == ["n", "at"]


VALUES = ("true", "false", "1", "LEGACY", "HEX", "first")


@pytest.mark.parametrize("name", sorted(set(ALLOWED_SETTINGS) - set(DEFAULT_SETTINGS)))
def test_a_setting_that_one_side_alone_names_differs_too(name: str) -> None:
    value = next(v for v in VALUES if is_allowed(name, v))
    plain = vs.TableEnvironment().from_values([(1,)], "n INT")
    given = vs.TableEnvironment(settings={name: value}).from_values([(1,)], "n INT")
    for one, other in ((plain, given), (given, plain)):
        if name == TIME_TYPE:  # with it Spark takes more, and means the same
            assert one.union_all(other).columns == ["n"]
            continue
        with pytest.raises(ValidationError, match=rf"Spark's default of {re.escape(name)}"):
            one.union_all(other)
    of_calls = {"table.exec.async-scalar.system.f.timeout": "5 s"}
    hurried = vs.TableEnvironment(settings=of_calls).from_values([(1,)], "n INT")
    assert plain.union_all(hurried).columns == ["n"]


def test_temporary_functions_are_there_too(env: vs.TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN x * 2")
    assert env.view_table("default.v").select(call("twice", "n").alias("m")).columns == ["m"]
