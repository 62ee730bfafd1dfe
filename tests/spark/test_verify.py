"""A verification can fail, and says where."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

import viewscribe as vs
from tests.opaque import opaque
from viewscribe import col, lit, row
from viewscribe import functions as F
from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.errors import CaptureError, VerificationError
from viewscribe.operations.nodes import SqlText
from viewscribe.serializer.plan_document import to_plan
from viewscribe.serializer.targets import SettingsWarning
from viewscribe.spark.compare import compare_plans
from viewscribe.spark.report import Check, VerificationReport
from viewscribe.spark.session import captured_settings
from viewscribe.spark.types import schema_from_spark
from viewscribe.spark.verify import verify
from viewscribe.types import BIGINT, Field


@pytest.fixture(params=[10_000, 1], ids=["here", "in Spark"])
def in_memory(request):
    """Both ways of comparing rows."""
    return request.param


def test_equal(spark, env, in_memory):
    people = env.from_path("people").filter(col("salary").is_not_null())
    report = verify(people, spark, in_memory=in_memory)
    assert report.ok, report
    assert (report.schema.status, report.rows.status) == ("equal", "equal")
    assert "5 rows" in report.rows.detail
    assert str(report).startswith("pipeline: proven\n  schema     equal         6 columns")


@pytest.mark.parametrize(
    ("sql", "seen"),
    [
        ("SELECT name, salary FROM world.people WHERE salary > 10", "only in the tree"),
        ("SELECT DISTINCT name, salary FROM world.people", "only in the tree: (name: 'bob'"),
        ("SELECT name, salary FROM world.people UNION ALL SELECT 'x', 1", "only in the SQL text"),
        ("SELECT name, salary + 1 AS salary FROM world.people", "only in the tree"),
        ("SELECT coalesce(name, '') AS name, salary FROM world.people", "(name: NULL, salary: 40)"),
    ],
)
def test_wrong_rows(spark, env, in_memory, sql, seen):
    table = env.from_path("people").select("name", "salary")
    report = verify(table, spark, sql=sql, in_memory=in_memory)
    assert not report.ok
    assert report.rows.status == "different"
    assert report.plan.status == "not compared"
    assert seen in str(report)


@pytest.mark.parametrize(
    ("sql", "seen"),
    [
        (
            "SELECT dept, name, CAST(salary AS BIGINT) AS salary FROM world.people",
            "column 3 `salary` is BIGINT in the SQL text, INT in the tree",
        ),
        (
            "SELECT dept, name AS Name, salary FROM world.people",
            "column 2 is `Name` in the SQL text, `name` in the tree",
        ),
        ("SELECT dept, name FROM world.people", "the SQL text has 2 columns, the tree 3"),
        (
            "SELECT dept, name, coalesce(salary, 0) AS salary FROM world.people",
            "column 3 `salary` is INT NOT NULL in the SQL text, INT NULL in the tree",
        ),
    ],
)
def test_wrong_schema(spark, env, sql, seen):
    report = verify(env.from_path("people").select("dept", "name", "salary"), spark, sql=sql)
    assert not report.ok
    assert report.schema.status == "different"
    assert seen in report.schema.differences


def test_nullability_inside_types(spark, env):
    table = env.from_path("people").select(F.array(col("salary")).alias("a"))
    report = verify(table, spark, sql="SELECT array(coalesce(salary, 1)) AS a FROM world.people")
    assert report.schema.status == "different"
    assert "ARRAY<INT NOT NULL>" in report.schema.differences[0]


LOOK_ALIKE = [
    ("double('NaN')", "CAST(NULL AS DOUBLE)"),
    ("-0.0D", "0.0D"),
    ("1.0D", "1.00001D"),
    ("named_struct('a', -0.0D)", "named_struct('a', 0.0D)"),
    ("array(1, NULL)", "array(NULL, 1)"),
    ("map('a', 1, 'b', 2)", "map('a', 1, 'b', 3)"),
    ("map('a', double('NaN'))", "map('a', 1.0D)"),
    ("X'00'", "X''"),
    ("parse_json('{\"a\": 1}')", "parse_json('{\"a\": 2}')"),
    ("parse_json('1')", "parse_json('\"1\"')"),
    ("TIMESTAMP '2024-10-27 00:30:00Z'", "TIMESTAMP '2024-10-27 01:30:00Z'"),
    ("TIMESTAMP_NTZ '0001-01-01 00:00:00'", "TIMESTAMP_NTZ '0001-01-01 00:00:00.000001'"),
    ("'a' COLLATE UTF8_LCASE", "'A' COLLATE UTF8_LCASE"),
    ("INTERVAL '1' MONTH", "INTERVAL '2' MONTH"),
]


def test_values_are_equal_to_themselves(spark, env, in_memory):
    shown = ", ".join(f"{value} AS v{place}" for place, (value, _) in enumerate(LOOK_ALIKE))
    schema = schema_from_spark(spark.sql(f"SELECT {shown}").schema)
    right = opaque(env, f"SELECT {shown} FROM world.depts", schema=schema)
    report = verify(right, spark, in_memory=in_memory)
    assert report.ok, report
    assert report.rows.status == "equal", report


@pytest.mark.parametrize(("value", "other"), LOOK_ALIKE)
def test_values_that_look_alike(spark, env, in_memory, value, other):
    right = opaque(env, f"SELECT {value} AS v FROM world.depts", schema=_type(spark, value))
    report = verify(right, spark, sql=f"SELECT {other} AS v FROM world.depts", in_memory=in_memory)
    assert report.rows.status == "different", report


def _type(spark, value):
    return schema_from_spark(spark.sql(f"SELECT {value} AS v").schema)


def test_entries_of_maps_have_no_order(spark, env, in_memory):
    table = opaque(
        env,
        "SELECT map('a', 1, 'b', 2) AS m FROM world.depts",
        schema="m MAP<STRING, INT NOT NULL> NOT NULL",
    )
    sql = "SELECT map('b', 2, 'a', 1) AS m FROM world.depts"
    assert verify(table, spark, sql=sql, in_memory=in_memory).rows.status == "equal"


def test_last_digits_of_floating_point_sums(spark, env, in_memory):
    table = opaque(
        env,
        "SELECT dept, 0.1D + 0.2D AS x FROM world.depts",
        schema="dept STRING, x DOUBLE NOT NULL",
    )
    sql = "SELECT dept, 0.3D AS x FROM world.depts"
    report = verify(table, spark, sql=sql, in_memory=in_memory)
    assert report.ok
    assert "relative difference of 1e-09" in report.rows.detail
    far = "SELECT dept, 0.3000001D AS x FROM world.depts"
    assert not verify(table, spark, sql=far, in_memory=in_memory).ok
    swapped = "SELECT upper(dept) AS dept, 0.3D AS x FROM world.depts"
    assert not verify(table, spark, sql=swapped, in_memory=in_memory).ok


@pytest.mark.parametrize("limited", [False, True])
def test_order_of_a_final_sort(spark, env, in_memory, limited):
    table = env.from_path("people").select("name", "salary").order_by(col("salary").desc(), "name")
    table = table.limit(6) if limited else table
    limit = "LIMIT 6" if limited else ""
    right = f"SELECT name, salary FROM world.people ORDER BY salary DESC, name {limit}"
    report = verify(table, spark, sql=right, in_memory=in_memory)
    assert report.ok
    assert "in order" in report.rows.detail
    wrong = f"SELECT name, salary FROM world.people ORDER BY salary, name {limit}"
    report = verify(table, spark, sql=wrong)
    assert not report.ok
    assert report.rows.detail == "the rows are equal, their order is not"
    assert report.rows.differences[0].startswith("row 1 of the SQL text: (salary: NULL")


def test_order_by_an_expression(spark, env):
    table = env.from_path("people").select("name", "salary").order_by(-col("salary"), "name")
    assert "in order" in verify(table, spark).rows.detail
    wrong = "SELECT name, salary FROM world.people ORDER BY salary, name"
    assert verify(table, spark, sql=wrong).rows.status == "different"


def test_rows_that_tell_the_time_are_no_difference(spark, env):
    table = env.from_path("depts").add_columns(F.current_timestamp().alias("t"))
    report = verify(table, spark, rows=True)
    assert report.rows.status == "not compared"
    assert report.rows.detail.endswith("current_timestamp()")
    assert report.is_sound
    other = "SELECT dept, city, TIMESTAMP '2020-01-01 10:00:00' AS t FROM world.depts"
    assert not verify(table, spark, sql=other, rows=True).ok


def test_rows_by_chance_are_not_compared(spark, env):
    table = env.from_path("depts").add_columns(F.rand().alias("r"))
    report = verify(table, spark)
    assert report.rows.status == "not compared"
    assert "rand()" in report.rows.detail
    assert report.plan.status == "equal"
    assert report.ok
    other = "SELECT dept, city, rand() + 1 AS r FROM world.depts"
    assert not verify(table, spark, sql=other).ok


def test_rows_that_spark_may_choose(spark, env):
    table = env.from_path("people").select("name").limit(1)
    sql = "SELECT name FROM (SELECT * FROM world.people ORDER BY salary DESC) LIMIT 1"
    report = verify(table, spark, sql=sql)
    assert report.rows.status == "not compared"
    assert "limit or offset without an order" in report.rows.detail
    assert not report.ok
    grouped = env.from_path("people").group_by("dept").agg(F.first("name").alias("n"))
    assert verify(grouped, spark).ok
    sql = "SELECT dept, max(name) AS n FROM world.people GROUP BY dept"
    report = verify(grouped, spark, sql=sql)
    assert report.ok or report.rows.status == "not compared"


def test_null_where_the_tree_says_there_is_none(spark, env):
    sure = opaque(env, "SELECT name FROM world.people", schema="name STRING NOT NULL")
    report = verify(sure, spark)
    assert not report.ok
    assert report.schema.status == "different"
    assert "NOT NULL by the inferred schema, and NULL in a row" in report.schema.differences[0]
    known = opaque(env, "SELECT city FROM world.depts", schema="city STRING NOT NULL")
    report = verify(known, spark)
    assert report.ok
    assert report.schema.detail == "1 column; NOT NULL by the inferred schema alone: city"


def test_a_type_that_spark_sees_differently(spark, env):
    text = SqlText.of("SELECT salary + 1 AS n FROM world.people", (Field("n", BIGINT),))
    report = verify(vs.Table(env, text), spark)
    assert not report.ok
    assert "INT in Spark, BIGINT in the inferred schema" in report.schema.differences[0]


def test_a_side_that_does_not_analyze(spark, env):
    people = env.from_path("people").select("name")
    report = verify(people, spark, sql="SELECT nmae FROM world.people")
    assert not report.ok
    assert "the SQL text does not analyze: [UNRESOLVED_COLUMN" in report.schema.detail
    env.create_table("missing", "a INT", or_replace=True)
    report = verify(env.from_path("missing"), spark, sql="SELECT 1 AS a")
    assert "the tree does not analyze: the session has no table" in report.schema.detail


def test_a_side_that_fails_when_it_runs(spark, env, in_memory):
    people = env.from_path("people").select((col("salary") * 1).alias("x"))
    failing = "SELECT salary * 1 + CAST(name AS INT) AS x FROM world.people"
    report = verify(people, spark, sql=failing, in_memory=in_memory)
    assert not report.ok
    assert "the SQL text fails when it runs: [CAST_INVALID_INPUT]" in report.rows.detail
    both = env.from_path("people").select(col("name").cast("INT").alias("x"))
    report = verify(both, spark, in_memory=in_memory)
    assert report.rows.status == "not compared"
    assert report.rows.detail.startswith("both sides fail")


def test_schema_and_plan_alone(spark, env):
    report = verify(env.from_path("people").select("name"), spark, rows=False)
    assert report.rows == Check("not compared", "not asked for")
    assert report.plan.status == "equal"
    assert report.ok


def test_a_stored_view(spark, env):
    table = env.from_path("people").select("name", row(col("dept"), lit(Decimal("1.5"))).alias("s"))
    env.create_view("stored", table, or_replace=True)
    document = env.get_view("stored")
    report = verify(document, spark)
    assert report.ok, report
    assert report.subject == "world.stored"
    assert not verify(document, spark, sql="SELECT name, NULL AS s FROM world.people").ok


def test_a_stored_view_whose_text_was_changed(spark, env):
    table = env.from_path("people").select("name")
    document = ViewDocument(
        database="world",
        name="edited",
        sql="SELECT upper(name) AS name FROM world.people",
        columns=(Column("name", "STRING"),),
        plan=to_plan(table.operation),
    )
    assert verify(document, spark).rows.status == "different"
    other = ViewDocument(
        database="world",
        name="edited",
        sql="SELECT name FROM world.people",
        columns=(Column("name", "INT"),),
        plan=to_plan(table.operation),
    )
    assert "INT in the stored columns" in verify(other, spark).schema.differences[0]


def written(sql, *columns):
    """A view as somebody else writes it: names without a database are those of its own."""
    return ViewDocument(database="world", name="written", sql=sql, columns=columns)


def test_a_view_without_a_plan_is_compared_with_the_tree_of_its_text(spark, env, in_memory):
    sql = "SELECT dept, count(*) FROM people WHERE salary > 10 GROUP BY dept"
    columns = (Column("d", "STRING"), Column("n", "BIGINT", nullable=False))
    report = verify(written(sql, *columns), spark, in_memory=in_memory)
    assert (report.schema.status, report.plan.status, report.rows.status) == ("equal",) * 3
    wrong = (Column("d", "STRING"), Column("n", "INT", nullable=False))
    assert "INT in the stored columns" in verify(written(sql, *wrong), spark).schema.differences[0]


def test_a_view_without_a_plan_may_call_functions_of_its_database(spark, env):
    spark.sql("CREATE FUNCTION world.twice(x INT) RETURNS INT RETURN x * 2")
    try:
        made = spark.sql("SELECT world.twice(length(name)) AS n FROM world.people").schema["n"]
        text = "SELECT spark_catalog.world.twice(length(name)) AS n FROM people"
        column = Column("n", "INT", nullable=made.nullable)
        report = verify(written(text, column), spark)
        assert (report.schema.status, report.rows.status) == ("equal", "equal")
        with pytest.raises(VerificationError, match=r"no function `world.thrice`"):
            verify(written("SELECT world.thrice(1) AS n", column), spark)
    finally:
        spark.sql("DROP FUNCTION world.twice")


def test_what_is_read_wrongly_is_seen(spark, env, monkeypatch):
    def misread(view, session):
        return env.from_path("people").select("name").distinct().operation

    monkeypatch.setattr("viewscribe.spark.verify.read_in_session", misread)
    view = written("SELECT name FROM people", Column("name", "STRING"))
    report = verify(view, spark)
    assert report.rows.status == "different"
    assert "only in the SQL text" in str(report)


def test_what_cannot_be_verified(spark):
    sampled = "SELECT name FROM people TIMESTAMP AS OF now()"
    with pytest.raises(VerificationError, match="no plan, and its text is not read: a table"):
        verify(written(sampled, Column("name", "STRING")), spark)
    with pytest.raises(VerificationError, match=r"`spark_catalog.world.gone` cannot be read"):
        verify(written("SELECT a FROM gone", Column("a", "INT")), spark)
    with pytest.raises(VerificationError, match="a str cannot be verified"):
        verify("SELECT 1", spark)


def test_reports_are_data():
    report = VerificationReport(
        "d.v",
        Check("equal", "1 column"),
        Check("not compared", "the optimized plans are built differently"),
        Check("different", "1 row", ["only in the tree: (a: 1)"]),
    )
    assert not report.ok
    assert json.loads(json.dumps(report.to_json()))["rows"]["differences"] == [
        "only in the tree: (a: 1)"
    ]
    assert str(report) == (
        "d.v: different\n"
        "  schema     equal         1 column\n"
        "  plan       not compared  the optimized plans are built differently\n"
        "  rows       different     1 row\n"
        "             only in the tree: (a: 1)"
    )


def test_a_report_needs_proof():
    equal, unknown = Check("equal"), Check("not compared")
    assert VerificationReport("v", equal, unknown, equal).ok
    assert VerificationReport("v", equal, equal, unknown).ok
    assert not VerificationReport("v", equal, unknown, unknown).ok
    assert not VerificationReport("v", unknown, equal, equal).ok
    assert not VerificationReport("v", Check("different"), equal, equal).ok


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT name AS who, now() AS seen FROM world.people WHERE salary > 10", "equal"),
        ("SELECT name AS who, now() AS seen FROM world.people WHERE salary > 11", "not compared"),
        ("SELECT name AS who, now() + INTERVAL '1' DAY AS seen FROM world.people", "not compared"),
    ],
)
def test_plans_that_ask_for_the_time_are_compared_as_of_one_moment(spark, env, sql, status):
    people = env.from_path("people").filter(col("salary") > 10)
    seen = people.select(col("name").alias("who"), F.current_timestamp().alias("seen"))
    assert compare_plans(spark.sql(sql), seen.to_dataframe(spark)).status == status


def test_a_dataframe_becomes_a_table_of_an_environment(spark, env):
    home = vs.TableEnvironment(settings=captured_settings(spark))
    young = home.from_dataframe(spark.table("world.people").where("salary > 10"))
    assert young.env is home
    joined = young.join(home.from_dataframe(spark.table("world.depts")), using="dept")
    assert verify(joined, spark, rows=True).ok
    settings = {**captured_settings(spark), "spark.sql.ansi.enabled": "false"}
    classic = vs.TableEnvironment(settings=settings)
    with pytest.raises(CaptureError, match=r"under spark\.sql\.ansi\.enabled = ") as caught:
        classic.from_dataframe(spark.table("world.people"))
    assert "settings={'spark.sql.ansi.enabled': 'true'}" in str(caught.value)


def test_what_is_captured_is_compared_with_its_dataframe(spark):
    """Its plan is the text's where the interpreted tree is built in another way."""
    query = (
        "SELECT name FROM world.people WHERE salary > "
        "(SELECT avg(salary) FROM world.people AS other WHERE other.dept = people.dept)"
    )
    captured = vs.capture(spark.sql(query))
    for subject in (captured, spark.sql(query)):
        report = vs.verify(subject, spark, rows=False)
        assert report.plan.status == "equal", report


def test_texts_are_for_strings_with_escapes(spark, tmp_path):
    """Where a session reads none, a text says so, and a view carries the setting."""
    session = spark.newSession()
    session.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    frame = session.sql("SELECT name, name RLIKE '\\w+' AS word, \"it's\" AS s FROM world.people")
    with pytest.warns(SettingsWarning, match="would read the backslashes as they stand"):
        text = vs.to_sql(frame)
    assert "'\\\\w+'" in text
    report = vs.verify(frame, session)
    assert (report.plan.status, report.rows.status) == ("equal", "equal"), report
    url = f"file:{tmp_path}"
    vs.TableEnvironment(url).create_database("d")
    saved = vs.save_view(frame, "d.v", catalog=url)
    assert saved is not None
    assert saved.verification.ok
    again = vs.open_view(vs.TableEnvironment(url), "d.v", session)
    assert sorted(map(str, again.collect())) == sorted(map(str, frame.collect()))


def test_a_tree_that_no_dataframe_says_is_not_called_different(spark, env):
    people = env.from_path("people")
    query = people.join_lateral(
        lambda outer: (
            people.alias("other").select((col("salary") + outer("salary")).alias("s")).distinct()
        )
    ).select("name", "s")
    report = verify(query, spark)
    assert report.schema.status == "equal", report
    assert (report.plan.status, report.rows.status) == ("not compared", "not compared")
    assert not report.ok
