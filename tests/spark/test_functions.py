"""User functions on Spark: the text calls the very function that the tree means."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Annotated, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.opaque import opaque
from tests.spark.answers import Answers
from tests.spark.helpers import sorted_rows
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


def by_id(frame):
    """The rows without their ``id``, in its order."""
    return [tuple(row)[1:] for row in sorted(frame.collect(), key=lambda row: row.id)]


def values(frame):
    return [row[0] for row in by_id(frame)]


def check(spark, table, expected, of=values):
    """The tree and the text give these values, of the same types."""
    answers = Answers(of)
    tree, text = table.to_dataframe(spark), spark.sql(table.to_sql())
    assert text.schema == tree.schema
    assert answers.of(tree) == expected
    assert answers.of(text) == expected


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
    env.create_temporary_system_function("point", point)
    env.create_temporary_system_function("days", days)
    found = rows.select(
        "id",
        call("doubled", col("id")).alias("x"),
        call("ghost.db.shouted", col("word"), 2).alias("y"),
        call("point", col("id"), col("word")).alias("p"),
        call("days", col("id")).alias("d"),
    )
    assert str(found.schema[3].type) == "STRUCT<x: BIGINT, y: STRING>"
    expected = [
        (2, "ONEONE", (1, "one"), [dt.date(2020, 1, 1)]),
        (4, "??", (2, None), [dt.date(2020, 1, 2)]),
        (6, "IT'SIT'S", (3, "it's"), [dt.date(2020, 1, 3)]),
    ]
    check(spark, found, expected, by_id)
    assert verify(found, spark).ok


def test_an_inline_function_runs_in_the_tree(spark, rows):
    made = rows.select("id", call(doubled, col("id")).alias("x"))
    assert values(made.to_dataframe(spark)) == [2, 4, 6]


def test_two_functions_that_a_session_could_not_tell_apart_are_refused(spark, env, rows):
    env.create_temporary_system_function("`a.b.f`", doubled)
    env.create_temporary_function("a.b.f", shouted)
    made = rows.select(call("`a.b.f`", col("id")).alias("x"), call("a.b.f", "y", 2).alias("y"))
    with pytest.raises(FunctionRegistrationError, match=r"two functions by the name `a\.b\.f`"):
        made.to_dataframe(spark)
    check(spark, rows.select("id", call("`a.b.f`", col("id")).alias("x")), [2, 4, 6])


def test_sql_functions(spark, env, rows):
    env.execute_sql(
        "CREATE TEMPORARY SYSTEM FUNCTION plus(x INT, y INT DEFAULT 10) RETURNS INT RETURN x + y"
    )
    plus = [call("plus", col("id")).alias("x"), call("plus", col("id"), 1).alias("y")]
    check(spark, rows.select("id", *plus), [(11, 2), (12, 3), (13, 4)], by_id)


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


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(
    system=st.sets(st.sampled_from(OVERLAPPING)),
    temporary=st.sets(st.sampled_from(OVERLAPPING)),
    stored=st.sets(st.sampled_from(OVERLAPPING)),
)
@pytest.mark.slow("registers functions of equal names in Spark for each example")
def test_whatever_names_overlap_the_text_means_what_the_tree_means(
    spark, system, temporary, stored
):
    """Every registered function says who it is; names resolve in the catalog's order.

    One row calls them all.
    """
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
    row = env.from_values([("Ab",)], "x STRING")
    args = {
        name: (col("x"), col("x")) if said[name].startswith("temporary") else (col("x"),)
        for name in said
    }
    table = row.select(
        *[call(name, *args[name]).alias(f"c{place}") for place, name in enumerate(said)]
    )
    answers = Answers(sorted_rows)
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        assert answers.of(frame) == [tuple(said.values())]
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
    assert in_all_styles(spark, table) == [(8, "two")]


SHAPES = [(1, [(1, 0)]), (0, []), (2, [(2, 0), (2, 1)])]
UPTO = (
    "(x INT) RETURNS TABLE(q BIGINT) RETURN SELECT CAST(q AS BIGINT) "
    "FROM explode(sequence(0, x - 1)) AS t(q) WHERE x > 0"
)
NAMES = ("numbers", "explode", "ghost.db.numbers", "udfs.upto", "upto")


@pytest.fixture
def tables(env):
    """An environment with a table function under each of the names."""
    env.create_database("udfs")
    for each in ("numbers", "explode"):
        env.create_temporary_system_function(each, numbers)
    env.create_temporary_function("ghost.db.numbers", numbers)
    env.execute_sql(f"CREATE FUNCTION udfs.upto{UPTO}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION upto{UPTO}")
    return env


@pytest.fixture
def shapes(tables):
    return tables.from_values([(k,) for k, _ in SHAPES], "k INT").filter(col("k") < 9)


def in_all_styles(spark, table):
    """The rows of the tree, which the texts of all styles give, too."""
    answers = Answers(sorted_rows)
    found = answers.of(table.to_dataframe(spark))
    for style in ("readable", "pipe", "nested"):
        assert answers.of(spark.sql(table.to_sql(style))) == found, style
    return found


@pytest.mark.slow("joins table functions of both languages in one query, four times")
def test_table_functions_of_every_name_are_joined_to_the_rows_before_them(spark, shapes):
    """Whatever they are called, and whichever language they are in: all in one query."""
    made, keys = shapes, []
    for name in NAMES:
        keys.append(name.replace(".", "_"))
        made = made.generate(call(name, col("k")), keys[-1])
    found = in_all_styles(spark, made.select("k", *keys))
    values = [[n for _, n in found] for _, found in SHAPES]
    expected = [
        (k, *row)
        for (k, _), each in zip(SHAPES, values, strict=True)
        for row in product(each, repeat=len(NAMES))
    ]
    assert found == sorted(expected, key=repr)


@pytest.mark.parametrize("name", ["numbers", "upto"], ids=["Python", "SQL"])
@pytest.mark.parametrize("outer", [False, True])
def test_a_table_function_is_joined_to_the_rows_before_it(spark, shapes, name, outer):
    """Spark has them as tables alone, not in a LATERAL VIEW."""
    made = shapes.generate(call(name, col("k")), "made", outer=outer)
    table = made.filter(col("k") != 5).select("k", (col("made") + 1).alias("next"))
    none: list[tuple[int, int | None]] = []
    if outer:
        none += [(k, None) for k, found in SHAPES if not found]
    expected = sorted(none + [(k, n + 1) for _, found in SHAPES for k, n in found], key=repr)
    assert in_all_styles(spark, table) == expected
    again = call(name, col("made").cast("INT"))
    twice = made.generate(again, "again", outer=outer).select("k", "again")
    found = [(2, 0)] if not outer else [(0, None), (1, None), (2, 0), (2, None)]
    assert sorted_rows(twice.to_dataframe(spark)) == found
    assert verify(twice, spark).ok


@pytest.mark.parametrize("name", ["numbers", "upto"], ids=["Python", "SQL"])
def test_a_table_function_after_one_of_spark(spark, shapes, name):
    exploded = shapes.generate(F.explode(F.array(col("k"))), "e")
    after = exploded.generate(call(name, col("e")), "made").select("k", "made")
    assert in_all_styles(spark, after) == [pair for _, found in SHAPES for pair in found]
    assert shapes.select("k", call(name, col("k")).alias("made")).equals(
        shapes.generate(call(name, col("k")), "made").select("k", "made")
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
    made = opaque(env, f"{text} AS v(id)", schema="id INT, x STRING")
    check(spark, made, ["4AA", "6AA"])
    text = "SELECT id, q AS x FROM VALUES (1), (2) AS v(id) JOIN LATERAL numbers(id) AS n(q)"
    env.create_temporary_system_function("numbers", numbers)
    made = opaque(env, f"{text} WHERE q = id - 1", schema="id INT, x BIGINT")
    check(spark, made, [0, 1])
