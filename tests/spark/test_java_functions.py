"""Functions in Java by the name of their class: as a tree, as text, and by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.answers import Answers
from tests.spark.helpers import sorted_rows
from tests.spark.java_classes import write_jar
from viewscribe import call, col, over
from viewscribe import functions as F
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.functions import java_source
from viewscribe.spark.types import schema_from_spark
from viewscribe.spark.verify import verify
from viewscribe.spark.views import open_view

ROWS = [(1, "a b", 1), (1, "c", 2), (1, None, None), (1, "c", 2), (2, "ddd e", 5)]


@pytest.fixture(scope="module")
def jar(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_jar(spark, tmp_path_factory.mktemp("java") / "demo.jar"))


@pytest.fixture
def env() -> vs.TableEnvironment:
    return vs.TableEnvironment()


@pytest.fixture
def rows(env: vs.TableEnvironment) -> vs.Table:
    return env.from_values(ROWS, "k INT, w STRING, v INT")


@pytest.fixture(autouse=True)
def clean(spark: Any) -> Iterator[None]:
    yield
    for row in spark.sql("SHOW USER FUNCTIONS").collect():
        if not row[0].startswith("spark_catalog."):
            spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS `{row[0]}`")
    spark.sql("DROP DATABASE IF EXISTS java_udfs CASCADE")


def check(spark: Any, table: vs.Table, expected: list[tuple[Any, ...]]) -> None:
    """The tree and the text give these rows, of the types the tree says."""
    answers = Answers(sorted_rows)
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        assert answers.of(frame) == sorted(expected, key=repr)
        types = [field.type for field in schema_from_spark(frame.schema)]
        assert [each.ddl for each in types] == [each.type.ddl for each in table.schema.fields]
    report = verify(table, spark, rows=False)
    assert report.schema.status == "equal", report


def declare(env: vs.TableEnvironment, jar: str, signature: str, name: str = "Plus") -> None:
    env.execute_sql(
        f"CREATE TEMPORARY SYSTEM FUNCTION {signature} LANGUAGE JAVA AS 'demo.{name}' "
        f"USING JAR '{jar}'"
    )


# -- scalar functions ------------------------------------------------------------------------------


def test_a_class_of_each_number_of_arguments(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, jar: str
) -> None:
    calls, expected = [], []
    for count in range(23):
        parameters = ", ".join(f"x{place} BIGINT" for place in range(count))
        declare(env, jar, f"sum{count}({parameters}) RETURNS BIGINT", f"Sum{count}")
        given = [col("v") if place == 0 else place for place in range(count)]
        calls.append(call(f"sum{count}", *given).alias(f"c{count}"))
        expected.append(count + sum(range(count)) + (5 if count else 0))
    check(spark, rows.filter(col("v") == 5).select(*calls), [tuple(expected)])


def test_arguments_become_what_the_class_takes(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, jar: str
) -> None:
    declare(env, jar, "plus_one(x INT) RETURNS INT")
    table = rows.select(
        call("plus_one", col("v")).alias("a"),
        call("plus_one", col("v").cast("BIGINT")).alias("b"),
        call("plus_one", "41").alias("c"),
        call("plus_one", None).alias("d"),
    )
    assert "plus_one(v) AS a" in table.to_sql()
    assert "plus_one(CAST(CAST(v AS BIGINT) AS INT)) AS b" in table.to_sql()
    numbers = [None if v is None else v + 1 for _, _, v in ROWS]
    check(spark, table, [(number, number, 42, None) for number in numbers])


def test_types_are_what_spark_infers_of_the_class(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, jar: str
) -> None:
    source = java_source("demo.Words", spark, resources=[jar])
    assert source.kind is FunctionKind.SCALAR
    assert source.parameters is not None
    assert [each.type.ddl for each in source.parameters] == ["STRING"]
    assert source.returns is not None
    assert source.returns.ddl == "ARRAY<STRING>"
    env.create_temporary_system_function("words", source)
    env.create_temporary_function("ghost.db.words", source)
    table = rows.select(
        call("words", col("w")).alias("x"), call("ghost.db.words", "p q").alias("y")
    )
    check(spark, table, [(w.split(" ") if w else None, ["p", "q"]) for _, w, _ in ROWS])


# -- aggregates ------------------------------------------------------------------------------------


def test_an_aggregate_of_the_older_interface(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, jar: str
) -> None:
    declare(env, jar, "total(x BIGINT) RETURNS BIGINT AGGREGATE", "Total")
    total = call("total", col("v"))
    by_key = rows.group_by("k").agg(
        total.alias("all"),
        total.distinct().alias("once"),
        total.filter(col("w") == "c").alias("some"),
        F.sum("v").alias("sum"),
    )
    check(spark, by_key, [(1, 5, 3, 4, 5), (2, 5, 5, 0, 5)])
    check(spark, rows.filter(col("k") > 9).agg(total.alias("x")), [(0,)])
    running = rows.select("k", "w", total.over(over(partition_by="k", order_by="v")).alias("x"))
    expected = [(1, None, 0), (1, "a b", 1), (1, "c", 5), (1, "c", 5), (2, "ddd e", 5)]
    check(spark, running, expected)


def test_an_aggregator_of_values_and_one_of_rows(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, jar: str
) -> None:
    env.create_temporary_system_function(
        "longest", java_source("demo.Longest", spark, resources=[jar])
    )
    declare(env, jar, "weighted(x BIGINT, y BIGINT) RETURNS BIGINT AGGREGATE", "Weighted")
    table = rows.group_by("k").agg(
        call("longest", col("w")).alias("x"),
        call("weighted", col("v"), col("k")).alias("y"),
        call("weighted", col("v"), col("k")).distinct().alias("z"),
    )
    check(spark, table, [(1, "a b", 5, 3), (2, "ddd e", 10, 10)])
    check(spark, rows.filter(col("k") > 9).agg(call("longest", col("w")).alias("x")), [("",)])


def test_an_aggregate_may_stay_in_a_catalog_and_in_views(
    spark: Any, jar: str, tmp_path: Any
) -> None:
    stored = vs.TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    stored.create_database("java_udfs")
    stored.execute_sql(
        "CREATE FUNCTION java_udfs.total(x BIGINT) RETURNS BIGINT AGGREGATE AS 'demo.Total' "
        f"USING JAR '{jar}'"
    )
    table = stored.from_values(ROWS, "k INT, w STRING, v INT").group_by("k")
    made = table.agg(call("java_udfs.total", col("v")).distinct().alias("x"))
    assert "spark_catalog.java_udfs.total(DISTINCT v)" in made.to_sql()
    check(spark, made, [(1, 3), (2, 5)])
    stored.create_view("java_udfs.v", made)
    again = vs.TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    spark.sql("DROP FUNCTION java_udfs.total")
    for attempt in (open_view, lambda *given: vs.verify(again.get_view("java_udfs.v"), spark)):
        with pytest.raises(ForbiddenSourceError, match=r"is loaded from .*demo\.jar, a place"):
            attempt(again, "java_udfs.v", spark)
    assert not spark.catalog.functionExists("java_udfs.total")
    found = open_view(again, "java_udfs.v", spark, locations=[str(Path(jar).parent)])
    assert sorted(map(tuple, found.collect())) == [(1, 3), (2, 5)]
    assert vs.verify(again.get_view("java_udfs.v"), spark, locations=[jar]).ok


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signature", "name", "message"),
    [
        ("f(x INT) RETURNS INT", "Nothing", r"Can not load class demo\.Nothing(?s:.*)USING JAR"),
        ("f(x INT) RETURNS INT", "Untyped", "doesn't implement any UDF interface"),
        ("f(x INT) RETURNS INT", "Total", "(?s)any UDF interface.*RETURNS … AGGREGATE"),
        ("f(x INT) RETURNS INT AGGREGATE", "Plus", "(?s)implement interface UserDefinedAgg.*UDF22"),
        ("f(x INT) RETURNS INT AGGREGATE", "Nothing", r"the session has no class demo\.Nothing"),
        ("f(x BIGINT) RETURNS INT AGGREGATE", "Total", "(?s)gives BIGINT, and .* INT.*RETURNS BIG"),
        ("f(x INT) RETURNS TABLE(y INT)", "Plus", "(?s)f is a table function.*LANGUAGE HIVE"),
        ("f(x INT) RETURNS INT NOT DETERMINISTIC", "Plus", "takes every Java function for determ"),
    ],
)
def test_what_spark_does_not_take_is_named(
    spark: Any, env: vs.TableEnvironment, jar: str, signature: str, name: str, message: str
) -> None:
    declare(env, jar, signature, name)
    rows = env.from_values([(1,)], "v INT")
    if "TABLE" in signature:
        table = env.from_function("f", 1)
    elif "AGGREGATE" in signature:
        table = rows.agg(call("f", col("v")).alias("x"))
    else:
        table = rows.select(call("f", col("v")).alias("x"))
    with pytest.raises(FunctionRegistrationError, match=message):
        table.to_dataframe(spark)


def test_a_class_of_hive_is_told_how_to_be_one(spark: Any, env: vs.TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TEMPORARY SYSTEM FUNCTION r(x STRING) RETURNS STRING "
        "AS 'org.apache.hadoop.hive.ql.udf.UDFReverse'"
    )
    table = env.from_values([("ab",)], "x STRING").select(call("r", col("x")))
    with pytest.raises(FunctionRegistrationError, match="LANGUAGE HIVE"):
        table.to_dataframe(spark)


@pytest.mark.parametrize(
    ("signature", "name"),
    [("plus_one(x INT) RETURNS INT", "Plus"), ("f(x STRING) RETURNS STRING AGGREGATE", "Longest")],
)
def test_other_classes_cannot_stay_in_a_catalog(
    spark: Any, env: vs.TableEnvironment, jar: str, signature: str, name: str
) -> None:
    env.create_database("java_udfs")
    env.execute_sql(f"CREATE FUNCTION java_udfs.{signature} AS 'demo.{name}' USING JAR '{jar}'")
    rows = env.from_values([(1, "a")], "v INT, w STRING")
    if name == "Longest":
        table = rows.agg(call("java_udfs.f", col("w")).alias("x"))
    else:
        table = rows.select(call("java_udfs.plus_one", col("v")).alias("x"))
    with pytest.raises(FunctionRegistrationError, match="catalogs hold no functions in Java but"):
        table.to_dataframe(spark)
    assert not spark.catalog.databaseExists("java_udfs")


def test_a_view_calls_no_function_of_the_udf_interfaces(
    env: vs.TableEnvironment, rows: vs.Table
) -> None:
    env.execute_sql("CREATE FUNCTION plus_one(x INT) RETURNS INT LANGUAGE JAVA AS 'demo.Plus'")
    made = rows.select(call("plus_one", col("v")).alias("x"))
    with pytest.raises(NotSerializableError, match=r"(?s)Java function .*plus_one.*LANGUAGE HIVE"):
        env.create_view("v", made)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Untyped", "says of none of Spark's interfaces"),
        ("Vague", r"takes or gives class java\.lang\.Object, which says no type of SQL"),
        ("Weighted", r"takes or gives (class|interface) org\.apache\.spark\.sql\.Row"),
        ("Nothing", r"(?s)no class demo\.Nothing.*USING JAR"),
    ],
)
def test_a_class_that_does_not_say_its_types(spark: Any, jar: str, name: str, message: str) -> None:
    with pytest.raises(FunctionRegistrationError, match=message):
        java_source(f"demo.{name}", spark, resources=[jar])


def test_types_that_are_said_help_an_aggregator_of_rows(spark: Any, jar: str) -> None:
    source = java_source("demo.Weighted", spark, resources=[jar], parameters=["BIGINT", "BIGINT"])
    assert source.returns is not None
    assert (source.kind, source.returns.ddl) == (FunctionKind.AGGREGATE, "BIGINT")
    assert "viewscribe" not in str(spark.sql("SHOW USER FUNCTIONS").collect())


def test_a_function_is_made_of_jars(env: vs.TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="made of jars"):
        env.execute_sql("CREATE FUNCTION f AS 'demo.Plus' USING FILE 'a.py'")
