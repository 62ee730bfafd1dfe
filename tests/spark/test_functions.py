"""User functions on Spark: the text calls the very function that the tree means."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe import call, col
from viewscribe import functions as F
from viewscribe.catalog_store import MemoryCatalog
from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import is_sparks
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.verify import verify

ROWS = [(1, "one", Decimal("1.5")), (2, None, None), (3, "it's", Decimal("2.5"))]


@pytest.fixture
def env():
    return vs.TableEnvironment()


@pytest.fixture
def rows(env):
    return env.from_values(ROWS, "id INT, word STRING, amount DECIMAL(6, 2)")


@pytest.fixture(autouse=True)
def clean(spark) -> Iterator[None]:
    yield
    for row in spark.sql("SHOW USER FUNCTIONS").collect():
        name = row[0].rpartition(".")[2] if row[0].startswith("spark_catalog.") else row[0]
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS `{name}`")
    spark.sql("DROP DATABASE IF EXISTS udfs CASCADE")


def values(frame):
    return [row[-1] for row in frame.orderBy("id").collect()]


def check(spark, table, expected):
    assert values(table.to_dataframe(spark)) == expected
    assert values(spark.sql(table.to_sql())) == expected
    report = verify(table, spark)
    assert report.ok, report


class Point(NamedTuple):
    x: int
    y: str | None


def doubled(x: int | None) -> int | None:
    """Twice as much."""
    return None if x is None else 2 * x


def shouted(word: str, times: Annotated[int, "INT"]) -> str:
    return (word or "?").upper() * times


def point(x: int, y: str) -> Point:
    return Point(x, y)


def days(x: int) -> list[dt.date]:
    return [dt.date(2020, 1, x)]


def test_python_functions_of_a_row(spark, env, rows):
    env.create_temporary_system_function("doubled", doubled)
    env.create_temporary_function("ghost.db.shouted", shouted)
    check(spark, rows.select("id", call("doubled", col("id")).alias("x")), [2, 4, 6])
    loud = rows.select("id", call("ghost.db.shouted", col("word"), 2).alias("x"))
    check(spark, loud, ["ONEONE", "??", "IT'SIT'S"])
    env.create_temporary_system_function("point", point)
    env.create_temporary_system_function("days", days)
    found = rows.select("id", call("point", col("id"), col("word")).alias("x"))
    assert str(found.schema[1].type) == "STRUCT<x: BIGINT, y: STRING>"
    check(spark, found, [(1, "one"), (2, None), (3, "it's")])
    found = rows.select("id", call("days", col("id")).alias("x"))
    check(spark, found, [[dt.date(2020, 1, day)] for day in (1, 2, 3)])


def test_an_inline_function_runs_in_the_tree(spark, rows):
    made = rows.select("id", call(doubled, col("id")).alias("x"))
    assert values(made.to_dataframe(spark)) == [2, 4, 6]


def test_two_functions_that_a_session_could_not_tell_apart_are_refused(spark, env, rows):
    env.create_temporary_system_function("a.b.f", doubled)
    env.create_temporary_function("a.b.f", shouted)
    made = rows.select(call("`a.b.f`", col("id")).alias("x"), call("a.b.f", "y", 2).alias("y"))
    with pytest.raises(FunctionRegistrationError, match=r"two functions by the name `a\.b\.f`"):
        made.to_dataframe(spark)
    check(spark, rows.select("id", call("`a.b.f`", col("id")).alias("x")), [2, 4, 6])


def test_sql_functions(spark, env, rows):
    env.execute_sql(
        "CREATE TEMPORARY SYSTEM FUNCTION plus(x INT, y INT DEFAULT 10) RETURNS INT RETURN x + y"
    )
    check(spark, rows.select("id", call("plus", col("id")).alias("x")), [11, 12, 13])
    check(spark, rows.select("id", call("plus", col("id"), 1).alias("x")), [2, 3, 4])


def test_catalog_functions_are_created_where_they_are_missing(spark, env, rows):
    env.create_database("udfs")
    env.execute_sql("CREATE FUNCTION udfs.plus(x INT) RETURNS INT RETURN x + 1")
    made = rows.select("id", call("udfs.plus", col("id")).alias("x"))
    assert "spark_catalog.udfs.plus(id)" in made.to_sql()
    check(spark, made, [2, 3, 4])
    env.execute_sql("ALTER FUNCTION udfs.plus(x INT) RETURNS INT RETURN x + 2")
    made = rows.select("id", call("udfs.plus", col("id")).alias("x"))
    with pytest.raises(FunctionRegistrationError, match="another body"):
        made.to_dataframe(spark)


def test_classes(spark, env, rows):
    name = "org.apache.hadoop.hive.ql.udf.generic.GenericUDFUpper"
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION shout(x STRING) RETURNS STRING AS '{name}'")
    made = rows.select("id", call("shout", col("word")).alias("x"))
    with pytest.raises(Exception, match=r"NO_HANDLER|Hive"):
        made.to_dataframe(spark).collect()


OVERLAPPING = ("upper", "lower", "mine", "reverse")


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    system=st.sets(st.sampled_from(OVERLAPPING)),
    temporary=st.sets(st.sampled_from(OVERLAPPING)),
    stored=st.sets(st.sampled_from(OVERLAPPING)),
    called=st.lists(
        st.sampled_from([*OVERLAPPING, *(f"udfs.{name}" for name in OVERLAPPING)]),
        min_size=1,
        max_size=4,
    ),
)
def test_whatever_names_overlap_the_text_means_what_the_tree_means(
    spark, system, temporary, stored, called
):
    """Every registered function says who it is; names resolve in the catalog's order."""
    env = vs.TableEnvironment(MemoryCatalog())
    env.create_database("udfs")
    said: dict[str, str] = {}
    for name in stored:
        env.execute_sql(
            f"CREATE FUNCTION udfs.{name}(x STRING) RETURNS STRING RETURN 'stored {name}'"
        )
        said[f"udfs.{name}"] = f"stored {name}"
    for name in temporary:
        env.create_temporary_function(
            f"udfs.{name}",
            _saying_of_two(f"temporary {name}"),
            parameters=["STRING", "STRING"],
            returns="STRING",
        )
        said[f"udfs.{name}"] = f"temporary {name}"
    built_in = {"upper": "AB", "lower": "ab", "reverse": "bA"}
    for name in OVERLAPPING:
        if name in built_in:
            said[name] = built_in[name]
    for name in system:
        env.create_temporary_system_function(
            name, _saying(f"system {name}"), parameters=["STRING"], returns="STRING"
        )
        said[name] = f"system {name}"
    wanted = [name for name in called if name in said]
    if not wanted:
        return
    row = env.from_values([("Ab",)], "x STRING")
    args = {
        name: (col("x"), col("x")) if said[name].startswith("temporary") else (col("x"),)
        for name in wanted
    }
    table = row.select(
        *[call(name, *args[name]).alias(f"c{place}") for place, name in enumerate(wanted)]
    )
    expected = [said[name] for name in wanted]
    assert list(table.to_dataframe(spark).first()) == expected
    assert list(spark.sql(table.to_sql()).first()) == expected
    spark.sql("DROP DATABASE IF EXISTS udfs CASCADE")


def _saying(text):
    return lambda x: text


def _saying_of_two(text):
    return lambda x, y: text


def test_a_view_that_calls_a_function_opens_with_it(spark, env, tmp_path):
    from viewscribe.spark.views import open_view

    stored = vs.TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    stored.create_database("udfs")
    stored.execute_sql("CREATE FUNCTION udfs.plus(x INT) RETURNS INT RETURN x + 1")
    table = stored.from_values([(1,), (2,)], "id INT")
    stored.create_view(
        "udfs.v", table.select(call("udfs.plus", col("id")).alias("x")).filter(F.col("x") > 0)
    )
    again = vs.TableEnvironment.open(f"file:{tmp_path / 'catalog'}")
    assert sorted(row[0] for row in open_view(again, "udfs.v", spark).collect()) == [2, 3]
    assert verify(again.get_view("udfs.v"), spark).ok


def pairs(n: int) -> Iterator[Point]:
    for number in range(n):
        yield Point(number, f"p{number}")


def test_table_functions(spark, env, rows):
    env.create_temporary_system_function("pairs", pairs, kind=FunctionKind.GENERATOR)
    table = env.from_function("pairs", 2)
    assert str(table.schema) == "x BIGINT, y STRING"
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        assert sorted(map(tuple, frame.collect())) == [(0, "p0"), (1, "p1")]
    env.create_database("udfs")
    env.execute_sql(
        "CREATE FUNCTION udfs.twice(x INT) RETURNS TABLE(a INT, b STRING) "
        "RETURN SELECT x, 'one' UNION ALL SELECT 2 * x, 'two'"
    )
    table = env.from_function("udfs.twice", 4).filter(col("a") > 4)
    assert "FROM spark_catalog.udfs.twice(4) AS twice" in table.to_sql()
    for style in ("readable", "pipe", "nested"):
        assert verify(table, spark, sql=table.to_sql(style)).ok
    assert [tuple(row) for row in table.to_dataframe(spark).collect()] == [(8, "two")]


SHAPES = [(1, [(1, 0)]), (0, []), (2, [(2, 0), (2, 1)])]


@pytest.mark.parametrize("name", ["numbers", "explode", "ghost.db.numbers", "udfs.upto", "upto"])
@pytest.mark.parametrize("outer", [False, True])
def test_a_table_function_is_joined_to_the_rows_before_it(spark, env, name, outer):
    """Spark has them as tables alone, not in a LATERAL VIEW."""
    env.create_database("udfs")
    table = (
        "(x INT) RETURNS TABLE(q BIGINT) RETURN SELECT CAST(q AS BIGINT) "
        "FROM explode(sequence(0, x - 1)) AS t(q) WHERE x > 0"
    )
    for each in ("numbers", "explode"):
        env.create_temporary_system_function(each, numbers)
    env.create_temporary_function("ghost.db.numbers", numbers)
    env.execute_sql(f"CREATE FUNCTION udfs.upto{table}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION upto{table}")
    rows = env.from_values([(k,) for k, _ in SHAPES], "k INT").filter(col("k") < 9)
    made = rows.generate(call(name, col("k")), "made", outer=outer)
    table = made.filter(col("k") != 5).select("k", (col("made") + 1).alias("next"))
    none: list[tuple[int, int | None]] = []
    if outer:
        none += [(k, None) for k, found in SHAPES if not found]
    expected = sorted(none + [(k, n + 1) for _, found in SHAPES for k, n in found], key=repr)
    for style in ("readable", "pipe", "nested"):
        frame = spark.sql(table.to_sql(style)) if style != "readable" else table.to_dataframe(spark)
        assert sorted(map(tuple, frame.collect()), key=repr) == expected, style
        report = verify(table, spark, sql=table.to_sql(style))
        assert report.ok, report
    again = call(name, col("made").cast("INT"))
    twice = made.generate(again, "again", outer=outer).select("k", "again")
    found = [(2, 0)] if not outer else [(0, None), (1, None), (2, 0), (2, None)]
    assert sorted(map(tuple, twice.to_dataframe(spark).collect()), key=repr) == found
    assert verify(twice, spark).ok
    after = rows.generate(F.explode(F.array(col("k"))), "e").generate(call(name, col("e")), "made")
    assert verify(after.select("k", "made"), spark).ok
    assert rows.select("k", call(name, col("k")).alias("made")).equals(
        rows.generate(call(name, col("k")), "made").select("k", "made")
    )


def numbers(n: int) -> Iterator[int]:
    yield from range(n or 0)


def test_an_inline_table_function_runs_in_the_tree(spark, rows):
    made = rows.generate(call(numbers, col("id")), "made").select("id", "made")
    found = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    assert sorted(map(tuple, made.to_dataframe(spark).collect())) == found
    with pytest.raises(NotSerializableError, match="numbers is used without being registered"):
        made.to_sql()


def test_no_name_of_sparks_own_functions_is_taken_for_another(spark):
    theirs = [row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()]
    assert len(theirs) > 500
    assert [name for name in theirs if not is_sparks(name)] == []


def test_spark_has_a_cast_of_its_own(spark, env, rows):
    env.create_temporary_system_function("cast", doubled)
    made = rows.select("id", call("`cast`", col("id")).alias("x"))
    assert "system.session.cast(id) AS x" in made.to_sql().replace("`", "")
    check(spark, made, [2, 4, 6])


def test_functions_in_sql_text_are_known_to_the_session(spark, env):
    env.create_database("udfs")
    env.execute_sql("CREATE FUNCTION udfs.plus(x INT) RETURNS INT RETURN x + 1")
    env.create_temporary_system_function("doubled", doubled)
    env.create_temporary_function("ghost.db.shouted", shouted)
    env.use_database("udfs")
    text = (
        "SELECT id, concat(doubled(plus(id)), ghost.db.shouted('a', 2)) AS x FROM VALUES (1), (2)"
    )
    made = env.sql_query(f"{text} AS v(id)", schema="id INT, x STRING")
    check(spark, made, ["4AA", "6AA"])
    text = "SELECT id, q AS x FROM VALUES (1), (2) AS v(id) JOIN LATERAL numbers(id) AS n(q)"
    env.create_temporary_system_function("numbers", numbers)
    made = env.sql_query(f"{text} WHERE q = id - 1", schema="id INT, x BIGINT")
    check(spark, made, [0, 1])
