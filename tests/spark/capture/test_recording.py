"""Pipelines recorded without a server: what is known, what is answered, what is refused."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import viewscribe as vs
from tests.versions import before
from viewscribe.errors import CaptureError, ValidationError


@pytest.fixture(scope="module")
def shop() -> vs.TableEnvironment:
    """An environment that no session knows."""
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT NOT NULL, customer STRING, amount DECIMAL(10, 2), n INT")
    return env


def totals(spark: Any) -> Any:
    from pyspark.sql import functions as F

    orders = spark.table("orders").filter(F.col("amount") > 3)
    return orders.groupBy("customer").agg(F.sum("amount").alias("total"))


def test_the_text_is_what_was_written(shop):
    assert vs.record(totals, env=shop).to_sql() == (
        "SELECT\n"
        "  customer,\n"
        "  sum(amount) AS total\n"
        "FROM spark_catalog.default.orders\n"
        "WHERE amount > 3\n"
        "GROUP BY customer"
    )


def test_a_recording_needs_no_jvm_and_leaves_nothing_behind(tmp_path):
    script = (
        "import os, viewscribe as vs\n"
        "env = vs.TableEnvironment()\n"
        "env.create_table('t', 'a INT')\n"
        "print(vs.record(lambda spark: spark.table('t').select('a'), env=env).to_sql())\n"
        "from pyspark import SparkContext\n"
        "assert SparkContext._gateway is None\n"
        "assert not [name for name in os.environ if name.startswith('SPARK_')], os.environ\n"
    )
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=clean, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "SELECT\n  a\nFROM spark_catalog.default.t\n"


def test_columns_of_rows_in_python_are_as_they_were_declared():
    seen = []

    def pipeline(spark):
        rows = spark.createDataFrame([(1, "x", [1])], "a INT NOT NULL, b STRING, c ARRAY<INT>")
        seen.extend([rows.schema, rows.where("a > 0").select("b").schema])
        return rows

    vs.record(pipeline, env=vs.TableEnvironment())
    assert [field.nullable for field in seen[0]] == [False, True, True]
    assert [field.nullable for field in seen[1]] == [True]


def test_columns_are_known_while_recording(shop):
    def pipeline(spark):
        frame = spark.table("orders")
        assert frame.columns == ["id", "customer", "amount", "n"]
        assert frame.schema["id"].nullable is False
        assert frame.schema["amount"].dataType.simpleString() == "decimal(10,2)"
        for name, kind in frame.dtypes:
            if kind == "string":
                frame = frame.drop(name)
        return frame.groupBy("n").sum()

    assert vs.record(pipeline, env=shop).columns == ["n", "sum(id)", "sum(amount)", "sum(n)"]


def key_of_the_right_side(spark: Any) -> Any:
    orders = spark.table("orders").select("id", "customer")
    totals_ = totals(spark)
    return orders.join(totals_, "customer", "full").select("id", totals_["customer"])


def test_a_key_that_a_join_left_out_is_refused_where_sessions_differ(shop):
    """With Spark 4.0 a Connect session takes the key of both sides, a classic one the right's."""
    if before("4.1"):
        with pytest.raises(CaptureError, match="a classic one does not"):
            vs.record(key_of_the_right_side, env=shop)
    else:
        text = vs.record(key_of_the_right_side, env=shop).to_sql()
        assert "coalesce" not in text
        assert "USING" not in text


def test_a_temporary_view_is_what_it_was_made_of(shop):
    def pipeline(spark):
        spark.table("orders").select("id", "customer").createOrReplaceTempView("few")
        return spark.table("FEW").select("few.customer")

    assert vs.record(pipeline, env=shop).to_sql() == (
        "SELECT\n  customer\nFROM spark_catalog.default.orders AS few"
    )


def _filters_itself(spark):
    spark.table("orders").createOrReplaceTempView("v")
    spark.table("v").filter("id > 0").createOrReplaceTempView("v")
    spark.sql("WITH v AS (SELECT * FROM v) SELECT id FROM v AS b").createOrReplaceTempView("V")
    return spark.sql("SELECT * FROM v")


def _keeps_what_another_view_was_made_of(spark):
    spark.range(3).createOrReplaceTempView("v")
    spark.table("v").createOrReplaceTempView("w")
    spark.range(5).createOrReplaceTempView("v")
    return spark.table("w")


@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        (_filters_itself, "FROM spark_catalog.default.orders"),
        (_keeps_what_another_view_was_made_of, "FROM range(3)"),
    ],
)
def test_a_temporary_view_may_be_defined_again(shop, pipeline, text):
    """Notebooks do: a view means what names meant when it was made."""
    assert text in vs.record(pipeline, env=shop).to_sql()


def _held(read):
    def pipeline(spark):
        spark.range(3).createOrReplaceTempView("v")
        held = read(spark)
        spark.range(5).createOrReplaceTempView("v")
        return held

    return pipeline


def _hides_a_table(spark):
    held = spark.table("orders")
    spark.range(3).createOrReplaceTempView("orders")
    return held


@pytest.mark.parametrize(
    "pipeline",
    [
        _held(lambda spark: spark.table("v").select("id")),
        _held(lambda spark: spark.sql("SELECT * FROM v")),
        _held(lambda spark: spark.range(9).filter("id IN (SELECT id FROM v)")),
        _hides_a_table,
    ],
)
def test_what_was_read_before_a_view_is_defined_again_differs_among_sessions(shop, pipeline):
    """Classic sessions read the rows that were there, those of Spark Connect the ones of then."""
    with pytest.raises(CaptureError, match="is read before a temporary view of that name"):
        vs.record(pipeline, env=shop)


def test_builder_and_active_session_give_the_recording_session(shop):
    def pipeline(spark):
        from pyspark.sql import SparkSession

        assert SparkSession.builder.appName("nightly").getOrCreate() is spark
        assert SparkSession.getActiveSession() is spark
        return spark.table("orders").cache()

    assert vs.record(pipeline, env=shop).columns == ["id", "customer", "amount", "n"]


def test_settings_are_those_of_the_environment():
    env = vs.TableEnvironment(settings={"spark.sql.session.timeZone": "Asia/Tokyo"})
    env.create_table("orders", "id INT")
    seen = []

    def pipeline(spark):
        seen.append(spark.conf.get("spark.sql.session.timeZone"))
        seen.append(spark.conf.get("spark.unknown", "none"))
        return spark.table("orders")

    vs.record(pipeline, env=env)
    assert seen == ["Asia/Tokyo", "none"]


def test_settings_that_were_not_set_are_those_of_the_session(spark):
    names = ["spark.sql.shuffle.partitions", "spark.sql.autoBroadcastJoinThreshold"]
    asked = [(name,) for name in names] + [(name, "7") for name in [*names, "spark.unknown"]]
    seen = []

    def pipeline(session):
        seen.append([session.conf.get(*each) for each in asked])
        return session.range(1)

    pipeline(spark)
    vs.record(pipeline, spark)
    assert seen[0] == seen[1]


def refused(pipeline: Callable[[Any], Any], env: vs.TableEnvironment) -> CaptureError:
    with pytest.raises(CaptureError) as caught:
        vs.record(pipeline, env=env)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (lambda spark: spark.table("orders").collect(), "asks for rows"),
        (lambda spark: spark.table("orders").count(), "asks for rows"),
        (lambda spark: spark.table("orders").toPandas(), "asks for rows"),
        (lambda spark: spark.table("orders").write.saveAsTable("x"), "runs a command"),
        (lambda spark: spark.conf.set("spark.sql.ansi.enabled", "false"), "changes a setting"),
        (lambda spark: spark.conf.get("spark.unknown"), "asks for the setting spark.unknown"),
        (lambda spark: spark.udf.register("f", lambda x: x), "registers a function"),
        (lambda spark: spark.catalog.listTables(), "looks into the catalog"),
        (lambda spark: spark.table("orders").columns, "gives a list, not a DataFrame"),
    ],
)
def test_what_a_recording_refuses(shop, pipeline, message):
    assert message in str(refused(pipeline, shop))


def test_switches_are_restored_after_an_error(shop):
    before = dict(os.environ)
    refused(lambda spark: spark.table("orders").collect(), shop)
    assert dict(os.environ) == before


def test_unknown_tables_and_columns_show_the_nearest(shop):
    with pytest.raises(vs_errors()) as caught:
        vs.record(lambda spark: spark.table("ordres"), env=shop)
    assert "orders" in str(caught.value)
    error = refused(lambda spark: spark.table("orders").select("custmer"), shop)
    assert "did you mean: customer" in str(error)


def vs_errors() -> type[Exception]:
    from viewscribe.errors import ViewscribeError

    return ViewscribeError


def test_nobody_to_ask():
    with pytest.raises(CaptureError, match="nobody can be asked"):
        vs.record(totals)


def test_a_marked_function_is_still_a_function(shop):
    @vs.view("sales.totals")
    def marked(spark):
        """What each customer spent.

        More about it.
        """
        return totals(spark)

    assert vars(marked)["__name__"] == "marked"
    assert (marked.view_name, marked.comment) == ("sales.totals", "What each customer spent.")
    assert marked.to_sql(env=shop) == vs.record(totals, env=shop).to_sql()
    assert marked.record(env=shop).columns == ["customer", "total"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SET spark.sql.ansi.enabled = false", "set it before"),
        ("-- which day\nUSE world", "name the database"),
        ("DECLARE VARIABLE day DATE DEFAULT current_date()", "argument of the pipeline"),
        ("CREATE TEMPORARY VIEW t AS SELECT 1 AS a", "createOrReplaceTempView"),
        ("CREATE TEMPORARY FUNCTION one() RETURNS INT RETURN 1", "outside of the pipeline"),
        ("CREATE TABLE t AS SELECT 1 AS a", "outside of the pipeline"),
        ("INSERT INTO orders VALUES (1, 'a', 2, 3)", "outside of the pipeline"),
        ("DROP TABLE orders", "outside of the pipeline"),
        ("CACHE TABLE orders", "outside of the pipeline"),
        ("SHOW TABLES", "outside of the pipeline"),
    ],
)
def test_a_command_in_sql_text_is_refused_though_nobody_uses_what_it_gives(shop, text, hint):
    def pipeline(spark):
        spark.sql(text)
        return spark.table("orders")

    error = refused(pipeline, shop)
    assert error.message.startswith("the pipeline runs a command while it is recorded: ")
    assert str(error.hint).startswith(hint) or hint in str(error.hint)
    assert "test_recording.py:" in str(error.location)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM orders",
        "/* which */ SELECT id -- the key\nFROM orders;",
        "SELECT id FROM orders WHERE id > :least",
    ],
)
def test_a_query_in_sql_text_is_none(shop, text):
    args = {"least": 3} if ":least" in text else None
    assert vs.record(lambda spark: spark.sql(text, args=args), env=shop).columns == ["id"]


def test_settings_of_the_builder_are_refused_where_they_change_the_meaning(shop):
    def pipeline(name, value):
        def made(spark):
            from pyspark.sql import SparkSession

            return SparkSession.builder.config(name, value).getOrCreate().table("orders")

        return made

    error = refused(pipeline("spark.sql.ansi.enabled", "false"), shop)
    assert "spark.sql.ansi.enabled" in error.message
    for name, value in (
        ("spark.sql.shuffle.partitions", "64"),
        ("spark.sql.ansi.enabled", "true"),
    ):
        assert vs.record(pipeline(name, value), env=shop).columns[0] == "id"


def takes_a_day(spark: Any, day: str) -> Any:
    return spark.table("orders")


def takes_nothing() -> Any:
    return None


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (takes_a_day, "takes_a_day(spark: 'Any', day: 'str') -> 'Any' cannot be called with a"),
        (takes_nothing, "takes_nothing() -> 'Any' cannot be called with a session alone"),
        (type("Counted", (), {}), "Counted is a class, not a function"),
        (42, "42 is a int, not a function"),
        (lambda spark: None, "the pipeline gives None, not a DataFrame"),
    ],
)
def test_what_is_no_pipeline_is_said(shop, pipeline, message):
    assert message in refused(pipeline, shop).message


def test_frames_of_pandas_show_the_way_to_spark(shop):
    pytest.importorskip("pandas")
    made = type("DataFrame", (), {"__module__": "pyspark.pandas.frame"})
    error = refused(lambda spark: made(), shop)
    assert error.message.startswith("the pipeline gives a DataFrame of pandas")
    assert ".to_spark()" in str(error.hint)


def test_a_mark_without_a_name_is_refused():
    with pytest.raises(ValidationError, match="a view has a name"):
        vs.view(totals)  # type: ignore[arg-type]


def test_a_marked_function_is_no_table_yet():
    with pytest.raises(CaptureError, match="has to be recorded first"):
        vs.to_sql(vs.view("sales.totals")(totals))


def test_columns_that_only_spark_can_tell_ask_for_a_session(shop):
    error = refused(lambda spark: spark.sql("SELECT id FROM orders TIMESTAMP AS OF now()"), shop)
    assert "at a computed time" in error.message
    assert "vs.record(pipeline, spark)" in str(error.hint)
    assert "sql_query" not in str(error)


def test_a_step_of_sql_text_is_written_for_every_version(shop):
    """A text stays as it is whatever the target, and so do the steps that are put into it."""
    from viewscribe.spark.capture.connect.scopes import with_views

    def best(spark):
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        place = F.row_number().over(Window.partitionBy("customer").orderBy("id"))
        return spark.table("orders").withColumn("place", place).where("place = 1").alias("best")

    operation = vs.record(best, env=shop).operation
    assert "QUALIFY" in vs.record(best, env=shop).to_sql()
    text, _ = with_views("SELECT id FROM best", lambda parts: operation)
    assert "row_number()" in text
    assert "QUALIFY" not in text


def test_all_refusals_are_told_where_the_pipeline_asks_for_columns(shop):
    def pipeline(spark):
        from pyspark.sql import functions as F

        shout = F.udf(lambda text: text, "string")
        orders = spark.table("orders")
        loud = orders.select(shout("customer")).union(orders.select(shout("customer")))
        return loud.select(*loud.columns)

    with pytest.raises(CaptureError, match="2 parts of the DataFrame cannot be captured"):
        vs.record(pipeline, env=shop, partial=True)
    with pytest.raises(CaptureError, match=r"^`<lambda>` is a Python function"):
        vs.record(pipeline, env=shop)


def test_columns_of_a_frame_are_found_in_any_case(shop):
    def pipeline(spark):
        orders = spark.table("orders")
        return orders.filter(orders["ID"] > 1).cube("Customer").count()

    made = vs.record(pipeline, env=shop).to_sql()
    assert "WHERE id > 1" in made
    assert "customer AS Customer" in made

    def mistaken(spark):
        orders = spark.table("orders")
        return orders.select(orders["nope"])

    with pytest.raises(CaptureError, match="no column `nope`"):
        vs.record(mistaken, env=shop)
    with pytest.raises(CaptureError, match="asks Spark for is local"):
        vs.record(lambda spark: spark.table("orders").isLocal(), env=shop)


def doubled(n: int) -> int:
    return 2 * n


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (lambda orders, made, sf: orders.select(made["column"]), "a Column, Column<'"),
        (lambda orders, made, sf: orders.filter(made["column"] > 1), "a Column, Column<'"),
        (
            lambda orders, made, sf: orders.select(sf.col("id") + made["column"]),
            "a Column, Column<'",
        ),
        (lambda orders, made, sf: orders.select(sf.abs(made["column"])), "a Column, Column<'"),
        (
            lambda orders, made, sf: orders.select(sf.row_number().over(made["window"])),
            "a WindowSpec",
        ),
        (lambda orders, made, sf: orders.join(made["frame"], "id"), r"a DataFrame, DataFrame\[id"),
        (lambda orders, made, sf: orders.union(made["frame"]), r"a DataFrame, DataFrame\[id"),
        (lambda orders, made, sf: made["frame"].join(orders, "id"), r"a DataFrame, DataFrame\[id"),
        (
            lambda orders, made, sf: orders.filter(sf.col("id").isin(made["frame"])),
            r"a DataFrame, DataFrame\[id",
        ),
        (
            lambda orders, made, sf: orders.join(sf.broadcast(made["frame"]), "id"),
            r"a DataFrame, DataFrame\[id",
        ),
    ],
)
def test_what_was_made_before_the_recording_is_said(spark: Any, use: Any, what: str) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    made = {
        "column": F.col("id") + 1,
        "window": Window.orderBy("id"),
        "frame": spark.range(3),
    }
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT")
    with pytest.raises(CaptureError, match=f"uses {what}.*made before the recording") as caught:
        vs.record(lambda session: use(session.table("orders"), made, F), env=env)
    assert "inside the pipeline" in str(caught.value)


def test_a_function_that_was_made_before_is_one_of_the_recording(spark: Any) -> None:
    from pyspark.sql import functions as F

    function = F.udf(doubled, "int")
    function("id")  # a column of a classic session, which others may have made of it

    def pipeline(session: Any) -> Any:
        return session.range(3).withColumn("u", function(F.col("id")))

    dropped = vs.record(lambda session: pipeline(session).drop("u"), spark)
    assert [each.name for each in dropped.schema.fields] == ["id"]
    with pytest.raises(CaptureError, match="`doubled` is a Python function of this session"):
        vs.record(pipeline, spark)


@pytest.mark.skipif(before("4.1"), reason="isin(DataFrame) came with Spark 4.1")
def test_a_sub_query_that_pyspark_sends_without_its_plan(spark: Any) -> None:
    def pipeline(session: Any) -> Any:
        from pyspark.sql import functions as F

        ids = session.range(3)
        return ids.where(ids.agg(F.max("id")).scalar().isin(session.range(5)))

    with pytest.raises(CaptureError, match="sends a sub-query without its plan"):
        vs.record(pipeline, spark)


@pytest.mark.parametrize("stratum", [1, 1.0, "1", True, "2020-01-01"])
def test_strata_are_values_of_the_column_or_refused(spark: Any, stratum: Any) -> None:
    """Spark compares them without a cast: ``{1: 0.5}`` is of no row of a DECIMAL column."""
    values = "1, 1L, 1.0D, 1.0BD, '1', true, date'2020-01-01', 1Y"
    spark.sql(f"SELECT * FROM VALUES ({values}) AS v(i, l, d, b, s, o, dt, y)").write.saveAsTable(
        "st"
    )
    try:
        for column in spark.table("st").columns:

            def pipeline(session: Any, name: str = column) -> Any:
                return session.table("st").sampleBy(name, {stratum: 1.0}, seed=1)

            wanted = pipeline(spark).count()
            text, refused = None, ""
            try:
                text = vs.record(pipeline, spark).to_sql()
            except CaptureError as error:
                refused = error.message
            assert wanted == (0 if text is None else spark.sql(text).count())
            assert text is not None or "compares without a cast" in refused
    finally:
        spark.sql("DROP TABLE st")


def test_columns_of_a_dictionary_have_the_order_of_a_classic_session(spark: Any) -> None:
    rng = random.Random(4)
    names = [*(f"c{number}" for number in range(30)), "Ü", "größe", "🙂", "AaAa", "BBBB", "AaBB"]
    spark.range(1).selectExpr(*[f"id AS `{name}`" for name in names]).write.saveAsTable("wide_one")
    try:
        for count in [*range(1, 9), 13, 20, len(names)]:
            functions = dict.fromkeys(rng.sample(names, count), "max")

            def pipeline(session: Any, given: dict[str, str] = functions) -> Any:
                wide = session.table("wide_one")
                return wide.agg(given).crossJoin(wide.groupBy().agg(given))

            assert vs.record(pipeline, spark).columns == pipeline(spark).columns
    finally:
        spark.sql("DROP TABLE wide_one")


@pytest.mark.parametrize(
    "moment",
    [
        *(datetime(year, 1, 1, 12) for year in (1, 1500, 1880)),
        *(datetime(year, 1, 1, tzinfo=UTC) for year in (1500, 1880)),
    ],
)
def test_moments_before_1900_differ_among_sessions(shop, moment):
    def pipeline(spark):
        from pyspark.sql import functions as F

        return spark.table("orders").select(F.lit(moment).alias("at"))

    with pytest.raises(CaptureError, match="before 1900 is another moment"):
        vs.record(pipeline, env=shop)


def test_rows_are_made_of_no_group(shop):
    """Spark makes them of the groups; the steps one by one say the same."""
    from pyspark.sql import functions as F

    def every(spark: Any) -> Any:
        return spark.table("orders").groupBy("customer")

    refused = [
        lambda spark: every(spark).agg(F.explode(F.collect_set("n"))),
        lambda spark: every(spark).agg(F.explode(F.array("customer")), F.count("*")),
        lambda spark: spark.table("orders").agg(F.posexplode(F.collect_set("n"))),
        lambda spark: spark.table("orders").select(F.explode(F.collect_set("n"))),
        lambda spark: every(spark).pivot("n", [1, 2]).agg(F.explode(F.collect_set("id"))),
    ]
    for pipeline in refused:
        with pytest.raises(CaptureError, match="a generator cannot stand beside an aggregate"):
            vs.record(pipeline, env=shop)
    listed = vs.record(
        lambda spark: (
            every(spark)
            .agg(F.collect_set("n").alias("every"))
            .select("customer", F.explode("every"))
        ),
        env=shop,
    )
    assert listed.columns == ["customer", "col"]


@pytest.mark.parametrize(
    "step",
    [
        lambda frame: frame.na.drop(subset=[]),
        lambda frame: frame.dropna("all", subset=()),
        lambda frame: frame.na.fill(0, subset=[]),
        lambda frame: frame.na.replace(1, 2, subset=[]),
        lambda frame: frame.dropDuplicates([]),
        lambda frame: frame.drop_duplicates(subset=[]),
    ],
)
def test_an_empty_list_of_columns_is_refused(shop, step):
    """It is none of them to a classic session, and all of them over Connect."""
    with pytest.raises(CaptureError, match="an empty list of columns is of none in a classic"):
        vs.record(lambda spark: step(spark.table("orders")), env=shop)


def test_a_fill_that_a_classic_session_would_cast_is_refused(shop):
    with pytest.raises(CaptureError, match="`n`, which is INT, with a value of another kind"):
        vs.record(lambda spark: spark.table("orders").na.fill({"n": "7"}), env=shop)
    filled = vs.record(lambda spark: spark.table("orders").na.fill({"n": 7}), env=shop)
    assert "coalesce(n, 7)" in filled.to_sql()


def test_names_of_what_is_left_out_or_not_known(shop):
    from pyspark.sql import functions as F

    counted = vs.record(
        lambda spark: spark.table("orders").agg(F.approx_count_distinct("id", 0.1)), env=shop
    )
    assert counted.columns == ["approx_count_distinct(id)"]

    def transformed(spark: Any) -> Any:
        rows = F.array(F.struct("id", "n"))
        return spark.table("orders").select(F.transform(rows, lambda each: each.id))

    with pytest.raises(CaptureError, match=r"a field of what a function is given"):
        vs.record(transformed, env=shop)
