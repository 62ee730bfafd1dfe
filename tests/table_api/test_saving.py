"""DataFrames saved as views: proof first, sources noted, names made fit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.conftest import env as world_of_spark
from tests.versions import before
from viewscribe.catalog_store import TableDocument
from viewscribe.errors import CaptureError, CatalogError, VerificationError, ViewscribeError
from viewscribe.table_api import view_storage
from viewscribe.table_api.dataframes import CapturedTable
from viewscribe.table_api.replacement import VERIFIED

world = world_of_spark


@pytest.fixture
def place(tmp_path):
    return f"file:{tmp_path / 'views'}"


def by_dept(spark: Any) -> Any:
    from pyspark.sql import functions as F

    people = spark.table("world.people").where(F.col("salary") > 10)
    return people.groupBy("dept").agg(F.count("*").alias("n"))


def test_in_a_catalog_of_files_with_what_it_reads(spark, world, place):
    saved = view_storage.save_pipeline(by_dept, "by_dept", spark, catalog=place, rows=True)
    assert saved.verification.ok
    assert saved.verification.proof == "proven"  # though rows were asked for
    env = vs.TableEnvironment.open(place)
    view = env.get_view("by_dept")
    assert view.properties[VERIFIED] == "proven"
    assert [each.name for each in view.dependencies] == [("spark_catalog", "world", "people")]
    noted = env.catalogs.get("table", ("world", "people")).document
    assert isinstance(noted, TableDocument)
    assert noted.format == "parquet"
    assert noted.location
    opened = vs.open_view(env, "by_dept", spark)
    assert Counter(opened.collect()) == Counter(by_dept(spark).collect())


@pytest.mark.parametrize("kind", ["parquet", "orc", "json"])
def test_files_that_a_reader_names_are_proven(spark, place, tmp_path, kind):
    files = tmp_path / kind
    spark.sql("SELECT 1 AS a, 'x' AS b").write.format(kind).save(str(files))
    for name, frame in {
        "bare": spark.read.format(kind).load(str(files)),
        "chosen": getattr(spark.read, kind)(str(files)).where("a > 0").select("b"),
    }.items():
        saved = vs.save_view(frame, name, catalog=place)
        assert saved is not None
        assert saved.verification.proof == "proven"


def test_in_the_catalog_of_the_session(spark, world):
    spark.sql("DROP VIEW IF EXISTS world.by_dept")
    saved = view_storage.save_pipeline(by_dept, "world.by_dept", spark, comment="it's mine")
    assert saved.verification.proof == "proven"
    found = {row[0]: row[1] for row in spark.sql("SHOW TBLPROPERTIES world.by_dept").collect()}
    assert found[VERIFIED] == "proven"
    assert spark.table("world.by_dept").columns == ["dept", "n"]
    with pytest.raises(CatalogError, match=r"view world\.by_dept exists already") as caught:
        view_storage.save_pipeline(by_dept, "world.by_dept", spark)
    assert "or_replace=True" in str(caught.value)
    view_storage.save_pipeline(by_dept, "world.by_dept", spark, or_replace=True)
    spark.sql("DROP VIEW world.by_dept")


def test_an_existing_dataframe(spark, world, place):
    frame = by_dept(spark)
    assert vs.to_sql(frame) == vs.record(by_dept, spark).to_sql()
    assert vs.capture(frame).columns == ["dept", "n"]
    saved = vs.save_view(frame, "by_dept", catalog=place, rows=True)
    assert saved is not None
    assert saved.verification.ok
    opened = vs.open_view(vs.TableEnvironment.open(place), "by_dept", spark)
    assert Counter(opened.collect()) == Counter(frame.collect())


def filled(spark: Any) -> Any:
    return spark.table("world.people").na.fill("?").select("name", "salary")


def by_tag(spark: Any) -> Any:
    from pyspark.sql import functions as F

    return spark.table("world.people").select("name", F.explode("tags").alias("tag"))


def complete(spark: Any) -> Any:
    return spark.table("world.people").dropna(thresh=2).select("name", "salary")


@pytest.mark.parametrize(
    ("pipeline", "verdict"),
    [
        (by_dept, "proven"),
        (filled, "proven"),
        (by_tag, "proven"),
        (complete, "rows equal (6 rows)"),
    ],
)
def test_what_is_known_is_noted_in_one_word(spark, world, place, pipeline, verdict):
    saved = vs.save_view(pipeline(spark), "v", catalog=place)
    assert saved is not None
    assert saved.verification.verdict == verdict
    assert str(saved).startswith(f"saved v: {verdict}\n")
    assert f">{verdict}</" in saved._repr_mimebundle_()["text/html"]
    assert saved.verification.to_json()["proof"] == verdict.partition(" (")[0]
    env = vs.TableEnvironment.open(place)
    assert env.get_view("v").properties[VERIFIED] == verdict
    again = vs.save_view(pipeline(spark), "v", catalog=place, or_replace=True, rows=True)
    assert again is not None
    assert again.verification.verdict == verdict  # rows add nothing to a plan


def test_what_nothing_proves_is_not_stored(spark, world, place):
    complete_rows = complete(spark)
    with pytest.raises(VerificationError, match="nothing proves") as caught:
        vs.save_view(complete_rows, "v", catalog=place, compare_up_to=10)
    assert "bytes, more than compare_up_to=10;" in caught.value.message
    assert "rows=True" in str(caught.value)
    assert "unproven=True" in str(caught.value)
    env = vs.TableEnvironment.open(place)
    assert env.list_views() == []

    saved = vs.save_view(complete_rows, "v", catalog=place, compare_up_to=10, unproven=True)
    assert saved is not None
    assert "stored unproven, as was asked for" in str(saved)
    assert env.get_view("v").properties[VERIFIED] == "schema only"
    again = vs.save_view(
        complete_rows, "v", catalog=place, or_replace=True, compare_up_to=10, rows=True
    )
    assert again is not None
    assert again.verification.proof == "rows equal"


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("salary > 1000", "neither side gives a row"),
        ("rand() < 2", "the rows change from run to run"),
    ],
)
@pytest.mark.parametrize("asked", [False, True])
def test_rows_that_say_nothing_prove_nothing(spark, world, place, condition, why, asked):
    frame = complete(spark).where(condition).dropna(thresh=1)
    with pytest.raises(VerificationError, match=why):
        vs.save_view(frame, "v", catalog=place, rows=asked)


def test_a_view_says_null_where_the_text_or_the_dataframe_does(spark, world, place):
    def filled(session: Any) -> Any:
        return (
            session.table("world.people")
            .groupBy("dept")
            .pivot("name", ["ann", "bob"])
            .agg({"salary": "sum"})
            .na.fill(0)
        )

    def written(session: Any) -> Any:
        return session.createDataFrame([(1, "a"), (2, "b")], "id INT, k STRING")

    for pipeline, alone in ((filled, False), (written, True)):
        saved = view_storage.save_pipeline(pipeline, "v", spark, catalog=place, or_replace=True)
        report = saved.verification
        assert ("NOT NULL in the SQL text alone" in report.schema.detail) is alone, report
        view = vs.TableEnvironment.open(place).get_view("v")
        assert all(column.nullable for column in view.columns)
        assert vs.verify(view, spark).ok


def test_what_cannot_be_saved_says_why(spark, world, place):
    frame = spark.createDataFrame(spark.sparkContext.parallelize([(1,)]), "a INT")
    with pytest.raises(CaptureError) as caught:
        vs.save_view(frame, "rdd", catalog=place)
    assert caught.value.hint
    with pytest.raises(CaptureError, match="neither a Table of viewscribe nor a DataFrame"):
        vs.to_sql(42)


def test_columns_of_one_name_are_numbered_and_reported(spark, world, place):
    def pipeline(session):
        people = session.table("world.people").select("name", "dept").alias("p")
        depts = session.table("world.depts").alias("d")
        return people.crossJoin(depts)

    saved = view_storage.save_pipeline(pipeline, "pairs", spark, catalog=place)
    assert saved.renamed == (("dept", "dept_2"),)
    assert "column `dept` is called `dept_2`" in str(saved)
    env = vs.TableEnvironment.open(place)
    assert [column.name for column in env.get_view("pairs").columns] == [
        "name",
        "dept",
        "dept_2",
        "city",
    ]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["a", "A"], ["a", "A_2"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["a_2", "a", "a"], ["a_2", "a", "a_3"]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_distinct_names(given, wanted):
    assert view_storage._distinct(given) == wanted


def wrong(table: Any, spark: Any) -> Any:
    """What was captured, beside a DataFrame of the same columns that means something else."""
    other = spark.table("world.depts").selectExpr("city AS dept", "length(city) AS n")
    return CapturedTable(
        table.env, table.operation, table.lines, spark=spark, original=lambda: other
    )


def misnamed(table: Any, frame: Any) -> Any:
    """What was captured, beside a DataFrame of the same rows whose columns are called otherwise."""
    return CapturedTable(
        table.env, table.operation, table.lines, spark=table.spark, original=lambda: frame
    )


def test_no_wrong_name_is_proven(spark, world, place):
    table = misnamed(vs.record(by_dept, spark), by_dept(spark).toDF("dept", "count"))
    with pytest.raises(VerificationError, match="nothing was stored") as caught:
        vs.save_view(table, "wrong", catalog=place)
    assert "`n` in the SQL text, `count` in the DataFrame" in str(caught.value)
    assert not vs.verify(table, spark).ok


def test_only_what_the_view_renames_is_renamed_in_the_dataframe(spark, world, place):
    twice = by_dept(spark).selectExpr("dept", "n", "n AS n")
    saved = vs.save_view(twice, "twice", catalog=place)
    assert saved is not None
    assert saved.renamed == saved.verification.renamed == (("n", "n_2"),)
    assert "column `n` is called `n_2`" in str(saved.verification)
    table = misnamed(vs.capture(twice), twice.toDF("dept", "n", "m"))
    with pytest.raises(VerificationError) as caught:
        vs.save_view(table, "wrong", catalog=place)
    assert "`n_2` in the SQL text, `m` in the DataFrame" in str(caught.value)


def test_nothing_is_logged_that_is_no_error_of_the_user(spark, world, place, caplog):
    from pyspark.errors import AnalysisException
    from pyspark.logger import PySparkLogger

    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    formatter = caplog.handler.formatter
    logger.addHandler(caplog.handler)
    try:
        for catalog in (None, place):
            vs.save_view(spark.table("world.people").where("salary > 10"), "quiet", catalog=catalog)
        vs.verify(vs.TableEnvironment(place).from_values([(1,)], schema="a INT"), spark)
        assert [record.getMessage() for record in caplog.records] == []
        with pytest.raises(AnalysisException):
            spark.sql("SELECT * FROM nowhere.at_all")
        assert before("4.2") or len(caplog.records) == 1  # older ones log none
    finally:
        logger.removeHandler(caplog.handler)
        caplog.handler.setFormatter(formatter)
        spark.sql("DROP VIEW IF EXISTS quiet")


def test_a_text_that_differs_is_not_stored(spark, world, tmp_path):
    table = wrong(vs.record(by_dept, spark), spark)
    with pytest.raises(VerificationError, match="nothing was stored"):
        vs.save_view(table, "wrong", catalog=f"file:{tmp_path / 'views'}")
    assert not (tmp_path / "views").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("taken", "the view default.taken exists already"),
        ("world.people", "would read itself"),
        ("nowhere.v", "no database `nowhere`"),
        ("a.b.c.d", "has 4 parts"),
    ],
)
def test_what_is_refused_for_its_name_leaves_nothing_behind(
    spark, world, tmp_path, monkeypatch, name, message
):
    place = f"file:{tmp_path / 'views'}"
    env = vs.TableEnvironment(place)
    env.create_database("world")
    env.create_view("taken", env.from_values([(1,)], schema="a INT"))
    before = contents(tmp_path)
    monkeypatch.setattr(
        view_storage, "_prove", lambda *given, **more: pytest.fail("proven in vain")
    )
    with pytest.raises(ViewscribeError, match=message):
        vs.save_view(by_dept(spark), name, catalog=place)
    assert contents(tmp_path) == before


def contents(place: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in place.rglob("*") if file.is_file()}


def test_what_is_captured_or_recorded_is_proven_too(spark, world, place):
    for table in (vs.capture(by_dept(spark)), vs.record(by_dept, spark)):
        saved = vs.save_view(table, "v", catalog=place, or_replace=True)
        assert saved is not None
        assert saved.verification.proof == "proven"
        assert str(saved).startswith("saved v: proven\n")
    more = vs.capture(by_dept(spark)).filter(vs.col("n") > 1)
    saved = vs.save_view(more, "more", catalog=place, rows=True)
    assert saved is not None
    assert saved.verification.proof in ("proven", "rows equal")
    wanted = by_dept(spark).where("n > 1")
    opened = vs.open_view(vs.TableEnvironment.open(place), "more", spark)
    assert Counter(opened.collect()) == Counter(wanted.collect())


def test_a_captured_table_goes_where_its_session_keeps_views(spark, world):
    spark.sql("DROP VIEW IF EXISTS world.captured")
    try:
        vs.save_view(vs.capture(by_dept(spark)), "world.captured")
        assert spark.table("world.captured").columns == ["dept", "n"]
    finally:
        spark.sql("DROP VIEW IF EXISTS world.captured")


def test_a_marked_pipeline_compares_rows_and_keeps_the_reason(spark, world, place):
    marked = vs.view("by_dept")(complete)
    saved = marked.save(
        spark, catalog=place, rows=True, or_replace=True, reason="asked", author="ann"
    )
    assert saved.verification.proof in ("proven", "rows equal")
    last = vs.TableEnvironment.open(place).history("by_dept")[-1].version
    assert last is not None
    assert (last.reason, last.author) == ("asked", "ann")


def test_a_column_without_a_name_is_told_of_in_words(spark, place):
    def pipeline(spark: Any) -> Any:
        return spark.range(2).toDF("")

    with pytest.raises(ViewscribeError, match="column 1 has the empty name"):
        view_storage.save_pipeline(pipeline, "nameless", spark, catalog=place)
