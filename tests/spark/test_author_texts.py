"""What the author wrote is asked of Spark, beside what was printed and the tree."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.parser import author_texts
from viewscribe.parser.read import read_sql
from viewscribe.spark.report import NO_SOURCE
from viewscribe.types.lexemes import AuthorText

QUERY = (
    "SELECT p.dept, sum(salary) AS total FROM people AS p LEFT JOIN depts AS d ON p.dept = d.dept "
    "WHERE salary > 10 GROUP BY p.dept UNION ALL SELECT 'a', 1L FROM depts"
)
WRONG = {
    "the kind of a join": ("LEFT JOIN", "RIGHT JOIN"),
    "a comparison": ("> 10", ">= 10"),
    "a function": ("sum(salary)", "sum(DISTINCT salary)"),
    "a set operation": ("UNION ALL", "UNION"),
    "a name": ("AS total", "AS totals"),
    "a type": ("sum(salary)", "CAST(sum(salary) AS DECIMAL(20, 0))"),
}
"""How a reader may be wrong: as if it had read other words."""


@pytest.fixture
def misread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the reader read other words than stand there."""
    read = read_sql

    def wrong(old: str, new: str) -> None:
        def read_wrongly(text: str, *others: Any) -> Any:
            assert old in text
            return read(text.replace(old, new), *others)

        monkeypatch.setattr(author_texts, "read_sql", read_wrongly)

    return wrong


@pytest.fixture
def stored(env: vs.TableEnvironment) -> Any:
    """Stores the view ``world.written`` of a query and returns its document."""

    def store(table: vs.Table) -> Any:
        env.create_view("written", table, or_replace=True)
        return env.get_view("written")

    yield store
    env.drop_view("written", if_exists=True)


def test_three_witnesses_agree(spark, env, stored):
    table = env.sql_query(QUERY)
    for subject in (table, stored(table)):
        report = vs.verify(subject, spark)
        assert report.ok, report
        assert report.source.status == "equal"
        assert "\n  source     equal         agrees with the tree: " in str(report)
    assert env.get_view("written").source == AuthorText(
        text=QUERY, namespace=("spark_catalog", "world"), origin="sql_query"
    )


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_of_the_reader_is_found(spark, env, misread, stored, fault):
    misread(*WRONG[fault])
    table = env.sql_query(QUERY)
    for subject in (table, stored(table), table.filter(col("dept").is_not_null())):
        report = vs.verify(subject, spark)
        assert report.plan.status == "equal", "both are from one reading"
        assert not report.ok, report
        assert report.source.status == "different"


def test_a_fault_of_the_printer_is_told_apart(spark, env):
    table = env.sql_query(QUERY)
    report = vs.verify(table, spark, sql=table.to_sql().replace("> 10", ">= 10"))
    assert not report.ok
    assert (report.rows.status, report.source.status) == ("different", "equal")


def test_which_other_witness_agrees_with_the_author(spark, env, misread):
    right = env.sql_query(QUERY).to_sql()
    misread(*WRONG["a comparison"])
    report = vs.verify(env.sql_query(QUERY), spark, sql=right)
    assert report.source.detail.endswith("it agrees with the SQL text")


def test_a_part_of_a_table_is_held_against_its_own_text(spark, env):
    depts = env.sql_query("SELECT dept FROM depts WHERE city <> 'oslo'")
    people = env.from_path("people").select("name", col("dept").alias("of"))
    joined = people.join(depts, col("of") == col("dept"))
    report = vs.verify(joined, spark)
    assert report.source.detail.startswith("of a part: agrees with the tree")
    assert vs.verify(people, spark).source.detail == NO_SOURCE


def test_parameters_and_names_of_columns(spark, env):
    table = env.sql_query("SELECT name FROM people WHERE salary > :least", args={"least": 10})
    assert vs.verify(table, spark).source.status == "equal"
    env.execute_sql("CREATE OR REPLACE VIEW renamed (who) AS SELECT name FROM people")
    view = env.get_view("renamed")
    env.drop_view("renamed")
    assert view.source == AuthorText(
        text="SELECT name FROM people",
        namespace=("spark_catalog", "world"),
        columns=("who",),
        origin="CREATE VIEW",
    )
    assert vs.verify(view, spark).source.status == "equal"


def test_what_only_the_environment_knows_is_not_asked(spark, env):
    env.create_temporary_view("rich", env.sql_query("SELECT * FROM people WHERE salary > 10"))
    report = vs.verify(env.sql_query("SELECT name FROM rich"), spark)
    env.drop_temporary_view("rich")
    assert report.ok
    assert report.source.status == "not compared"
    assert report.source.detail.endswith("the session has no rich")


def test_texts_for_other_engines_are_kept_and_not_asked(spark, env, stored):
    text = "SELECT name FROM people WHERE salary > 10"
    view = stored(env.sql_query(text, dialect="trino"))
    assert (view.source.language, view.source.text) == ("trino", text)
    assert "it is written for trino" in vs.verify(view, spark).source.detail


def test_texts_of_a_recorded_pipeline(spark, env):
    def pipeline(session: Any) -> Any:
        return session.sql("SELECT name, salary FROM world.people").where("salary > 10")

    table = vs.record(pipeline, env=env)
    assert vs.verify(table, spark).source.detail.startswith("of a part: agrees")
    misread_table = vs.record(pipeline, spark)
    report = vs.verify(misread_table, spark)
    assert report.ok
    assert report.source.detail == NO_SOURCE, "the DataFrame itself is the witness"


def test_a_recorded_text_that_is_misread_differs_from_the_dataframe(spark, env, misread):
    misread("salary > 10", "salary >= 10")
    pipeline = "SELECT name FROM world.people WHERE salary > 10"
    for table in (
        vs.record(lambda session: session.sql(pipeline), env=env),
        vs.record(lambda session: session.sql(pipeline), spark),
    ):
        assert not vs.verify(table, spark).ok


@pytest.mark.parametrize(
    "text",
    [
        "SELECT reflect('java.lang.System', 'getenv', 'HOME') AS name",
        "SELECT * FROM csv.`/etc/passwd`",
        "DROP TABLE people",
    ],
)
def test_a_stored_text_passes_the_gate(spark, env, stored, text):
    view = stored(env.sql_query("SELECT name FROM people"))
    hostile = msgspec.structs.replace(view, source=AuthorText(text=text))
    with pytest.raises(ForbiddenSourceError):
        vs.verify(hostile, spark)


def test_a_stored_text_is_read_literally(spark, env, stored, monkeypatch):
    view = stored(env.sql_query("SELECT name FROM people WHERE name = 'HOME'"))
    source = msgspec.structs.replace(view.source, text="SELECT '${system:user.home}' AS name")
    report = vs.verify(msgspec.structs.replace(view, source=source), spark)
    assert "only in the author's text: (name: '${system:user.home}')" in str(report)
