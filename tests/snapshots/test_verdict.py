"""What a change of SQL is said to mean, without Spark and with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe.catalog_store import ViewDocument
from viewscribe.errors import ValidationError
from viewscribe.snapshots.verdict import TextReader, Unread, compare_texts, compare_views
from viewscribe.table_api.text_reader import EnvironmentWorld

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b STRING NOT NULL, c DOUBLE, d DECIMAL(10, 2), e DATE")
    env.create_table("u", "a INT, x STRING")
    return env


@pytest.fixture
def reader(env: vs.TableEnvironment) -> TextReader:
    return TextReader([EnvironmentWorld(env)], env.settings, env)


SAME_TREE = [
    ("select a from t", "SELECT\n  a -- a comment\nFROM t"),
    ("select a from t", "FROM spark_catalog.default.t |> SELECT a"),
    ("select a from t where (a > 1)", "select a from t where a > 1"),
]
SAME_MEANING = [
    ("select a from t where a > 1 and b = 'x'", "select a from t where b = 'x' and a > 1"),
    ("select a from t", "select a from (select a, b from t)"),
    ("select a from t", "with w as (select * from t) select a from w"),
    ("select t.a from t join u on t.a = u.a", "select t.a from t, u where t.a = u.a"),
]
DIFFERENT = [
    ("select a from t", "select a from u", "the table it reads"),
    ("select a from t", "select a from t limit 3", "LIMIT"),
    ("select a from t order by a", "select a from t", "the order of the rows"),
    ("select a from t where a > 1", "select a from t where a > 2", "WHERE"),
    ("select a + 1 as x from t", "select a + 2 as x from t", "compute `x` otherwise"),
    ("select a from t", "select distinct a from t", "DISTINCT"),
    ("select a from t", "select a as A from t", "the columns differ"),
    ("select a, b from t", "select b, a from t", "the columns differ"),
    ("select a from t", "select cast(a as bigint) as a from t", "the columns differ"),
    ("select b from t", "select nullif(b, '') as b from t", "the columns differ"),
    ("select a from t where rand() < 0.5", "select a from t where rand() < 0.5 and true", ""),
    ("select a from t union all select a from u", "select a from u union all select a from t", ""),
]
UNREAD = [
    ("select a from t", "select a from gone", "the SQL after cannot be read: no view or table"),
    ("selec", "select a from t", "the SQL before cannot be read: expected"),
    ("", "select a from t", "the SQL before cannot be read"),
    ("select a from t; drop table t", "select a from t", "the SQL before cannot be read"),
    ("select nobody(a) from t", "select nobody( a ) from t", "the SQL before cannot be read"),
    ("{% snapshot %}", "select 1", "the SQL before cannot be read"),
]


@pytest.mark.parametrize(("before", "after"), SAME_TREE)
def test_same_tree(reader: TextReader, before: str, after: str) -> None:
    verdict = compare_texts(before, after, reader)
    assert verdict.kind == "same tree"
    assert verdict.is_cosmetic


@pytest.mark.parametrize(("before", "after"), SAME_MEANING)
def test_same_meaning(reader: TextReader, before: str, after: str) -> None:
    verdict = compare_texts(before, after, reader)
    assert verdict.kind == "same meaning"
    assert verdict.is_cosmetic


@pytest.mark.parametrize(("before", "after", "why"), DIFFERENT)
def test_different(reader: TextReader, before: str, after: str, why: str) -> None:
    verdict = compare_texts(before, after, reader)
    assert verdict.kind == "different"
    assert why in verdict.why
    assert not verdict.is_cosmetic


@pytest.mark.parametrize(("before", "after", "why"), UNREAD)
def test_what_cannot_be_read_is_never_the_same(
    reader: TextReader, before: str, after: str, why: str
) -> None:
    verdict = compare_texts(before, after, reader)
    assert (verdict.kind, verdict.unread) == ("different", True)
    assert verdict.why.startswith(why)


def test_columns_and_lineage(reader: TextReader) -> None:
    before = "select a, b from t where c > 1"
    after = "select cast(a as bigint) as a, x from t join u using (a)"
    verdict = compare_texts(before, after, reader)
    assert [*map(str, verdict.columns)] == [
        "- b STRING NOT NULL",
        "~ a INT -> a BIGINT",
        "+ x STRING",
    ]
    lines = [*map(str, verdict.lineage)]
    assert "- (rows) <- spark_catalog.default.t.c (filter)" in lines
    assert "+ x <- spark_catalog.default.u.x (identity)" in lines
    assert verdict.to_json()["columns"] == [*map(str, verdict.columns)]
    assert str(verdict).splitlines()[1] == "columns:"


def test_settings_are_those_of_the_text() -> None:
    env = vs.TableEnvironment(settings={"spark.sql.ansi.enabled": "false"})
    env.create_table("t", "a INT")
    reader = TextReader([EnvironmentWorld(env)], env.settings, env)
    tree = reader.read("select a / 0 as x from t where a = '1'")
    assert not isinstance(tree, Unread)
    assert tree == env.sql_query("select a / 0 as x from t where a = '1'").operation


def test_functions_of_users(env: vs.TableEnvironment, reader: TextReader) -> None:
    env.execute_sql("CREATE FUNCTION twice(x INT) RETURNS INT RETURN x * 2")
    env.execute_sql("CREATE FUNCTION thrice(x INT) RETURNS INT RETURN x * 3")
    one, same = "select twice(a) as x from t", "select twice( a ) as x from t"
    assert compare_texts(one, same, reader).kind == "same tree"
    other = "select thrice(a) as x from t"
    assert compare_texts(one, other, reader).kind == "different"


# -- stored views ----------------------------------------------------------------------------------


def view(env: vs.TableEnvironment, text: str) -> ViewDocument:
    env.create_view("v", env.sql_query(text), or_replace=True)
    return env.get_view("v")


def judge(env: vs.TableEnvironment, before: ViewDocument, after: ViewDocument) -> Any:
    return compare_views(before, after, env, "spark_catalog")


def test_views(env: vs.TableEnvironment) -> None:
    before = view(env, "select a from t where a > 1 and b = 'x'")
    after = view(env, "select a from t where b = 'x' and a > 1")
    assert judge(env, before, after).kind == "same meaning"
    assert judge(env, before, view(env, "select a from t")).kind == "different"


def test_the_text_of_a_view_counts_and_not_its_plan(env: vs.TableEnvironment) -> None:
    before = view(env, "select a from t where a > 1")
    edited = msgspec.structs.replace(before, sql=before.sql.replace("> 1", "> 2"))
    assert judge(env, before, edited).kind == "different"


def test_other_settings_are_another_meaning(env: vs.TableEnvironment) -> None:
    before = view(env, "select a from t")
    settings = {**before.settings, "spark.sql.ansi.enabled": "false"}
    verdict = judge(env, before, msgspec.structs.replace(before, settings=settings))
    assert verdict.kind == "different"
    assert "spark.sql.ansi.enabled" in verdict.why


def test_columns_of_tables_that_changed_places(env: vs.TableEnvironment) -> None:
    """The normal form knows columns by their places."""
    before = view(env, "select x from u where x > 'm'")
    env.create_table("u", "x STRING, a INT", or_replace=True)
    after = view(env, "select x from u where x > 'm' and true")
    verdict = judge(env, before, after)
    assert verdict.kind == "different"
    assert "they read other columns of spark_catalog.default.u" in verdict.why


@pytest.mark.parametrize("plan", [None, {}, {"version": 99}, {"nodes": [1]}])
def test_views_of_other_tools_and_damaged_plans(env: vs.TableEnvironment, plan: Any) -> None:
    before = msgspec.structs.replace(view(env, "select a from t"), plan=plan)
    after = msgspec.structs.replace(before, sql="select  a  from  t")
    assert judge(env, before, after).kind == "same tree"
    away = msgspec.structs.replace(before, sql="select a from nowhere")
    assert judge(env, away, after).kind == "different"


# -- in Spark --------------------------------------------------------------------------------------

PROVEN = [
    ("select a from t where b = 'x'", "select a from t where 'x' = b"),
    ("select a from t where a > 1", "select a from t where not (a <= 1)"),
    ("select a from t where 1 = 0", "select a from u where 2 = 3"),
]
UNPROVEN = [
    ("select a from t where a > 1", "select a from t where a > 2"),
    ("select a from t", "select a from u"),
    ("select sum(a) as s from t", "select sum(a) as s from u"),
    ("select a from t where exists (select 1 from u)", "select a from t"),
    ("select t.a from t left join u on t.a = u.a", "select t.a from t"),
    ("select count(*) as n from t", "select 0L as n"),
]


@pytest.mark.parametrize(
    ("before", "after", "proven"),
    [*((*each, True) for each in PROVEN), *((*each, False) for each in UNPROVEN)],
)
def test_plans(
    reader: TextReader, spark: SparkSession, before: str, after: str, proven: bool
) -> None:
    from viewscribe.spark.query_changes import compare_optimized_plans

    one, other = (reader.read(each) for each in (before, after))
    assert not isinstance(one, Unread)
    assert not isinstance(other, Unread)
    found = compare_optimized_plans(one, other, spark, reader.settings)
    assert (found.status == "equal") is proven


DATA: dict[str, list[Any]] = {
    "t": [(1, "x", 1, 3, "2024-01-01"), {"a": 2, "b": "y"}],
    "u": [(2, "z")],
}


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("select a from t where a > 1", "select a from t where a > 0", "different"),
        ("select a from t where a > 1", "select a from t where a >= 2", "equal"),
        ("select d, e from t", "select d + 0 as d, e from t", "not compared"),
        ("select a from t limit 1", "select a from t where a = 2 limit 1", "not compared"),
        ("select rand() as r from t", "select rand() as r from t", "not compared"),
    ],
)
def test_rows(reader: TextReader, spark: SparkSession, before: str, after: str, status: str):
    from viewscribe.spark.query_changes import compare_rows

    one, other = reader.read(before), reader.read(after)
    assert not isinstance(one, Unread)
    assert not isinstance(other, Unread)
    found = compare_rows(one, other, spark, reader.settings, DATA)
    assert found.status == status, found
    if status == "different":
        assert found.differences == ["only in the SQL after: (a: 1)"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"w": []}, "there are rows for w, and the SQL reads spark_catalog.default.u"),
        ({"u": [(1,)]}, "a row has 1 values, the table 2 columns"),
        ({"u": [{"y": 1}]}, "there is no column `y`"),
        ({"u": [("one", "x")]}, "the rows of spark_catalog.default.u do not fit"),
    ],
)
def test_rows_that_do_not_fit(
    reader: TextReader, spark: SparkSession, data: dict[str, Any], why: str
) -> None:
    from viewscribe.spark.query_changes import compare_rows

    tree = reader.read("select a from u")
    assert not isinstance(tree, Unread)
    with pytest.raises(ValidationError) as caught:
        compare_rows(tree, tree, spark, reader.settings, data)
    assert why in str(caught.value)
