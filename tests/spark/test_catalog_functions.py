"""Functions that a catalog of Spark's has itself: captured, declared, stored, opened, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as SF

import viewscribe as vs
from tests.spark.tools_catalog import session_with_catalogs
from viewscribe import call, col
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import CaptureError, NotSerializableError, UnknownFunctionError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import FunctionSource, Language, UserFunction
from viewscribe.operations.user_functions import user_functions
from viewscribe.spark.errors import FunctionRegistrationError, MissingSourceError
from viewscribe.spark.functions import register_function
from viewscribe.types import STRING
from viewscribe.types.identifiers import quote_name

ALLOWED = ["tools.fns.twice", "tools.fns.shout", "tools.fns.upper"]
ROWS = "VALUES (1L, 2, 'a'), (NULL, NULL, NULL) AS t(l, i, s)"
DECLARED = "CREATE TEMPORARY FUNCTION tools.fns.{} RETURNS {} LANGUAGE CATALOG"


ALLOWED = [
    *(f"tools.fns.{each}" for each in ("twice", "next", "shout", "upper")),
    *(f"others.fns.{each}" for each in ("next", "shout")),
    quote_name(("tools", "fns", "an.odd `name`")),
]


@pytest.fixture(scope="module")
def session(spark: Any, tools_jar: Path) -> Any:
    return session_with_catalogs(spark, tools_jar)


@pytest.fixture
def rows(session: Any) -> DataFrame:
    return session.sql(f"SELECT * FROM {ROWS}")  # type: ignore[no-any-return]


@pytest.fixture
def env() -> vs.TableEnvironment:
    made = vs.TableEnvironment()
    made.execute_sql(DECLARED.format("twice(x BIGINT)", "BIGINT"))
    made.execute_sql(DECLARED.format("shout", "STRING"))
    return made


def pairs(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=repr)


# -- capture ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown", "type_"),
    [
        ("tools.fns.twice(l)", "tools.fns.twice(l)", "BIGINT"),
        ("tools.fns.twice(i)", "tools.fns.twice(CAST(i AS BIGINT))", "BIGINT"),
        ("others.fns.next(i)", "others.fns.next(i)", "INT"),
        ("tools.fns.shout(s)", "tools.fns.shout(s)", "STRING"),
        ("tools.fns.upper(s)", "tools.fns.upper(s)", "STRING"),
        ("tools.fns.`an.odd ``name```(i)", "tools.fns.`an.odd ``name```(i)", "INT"),
        ("1 + others.fns.next(tools.fns.next(i))", None, "INT"),
    ],
)
def test_a_call_in_text_is_captured_by_its_name(
    rows: DataFrame, session: Any, written: str, shown: str | None, type_: str
) -> None:
    frame = rows.selectExpr(f"{written} AS x")
    found = vs.capture(frame)
    assert str(found.schema.fields[0].type) == type_
    assert f"SELECT\n  {shown or written} AS x\n" in found.to_sql()
    assert pairs(session.sql(found.to_sql())) == pairs(frame)
    assert vs.verify(found, session, rows=True).ok
    again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
    assert again.to_sql() == found.to_sql()


def test_a_call_that_is_no_text_is_captured_where_one_name_alone_fits(
    session: Any, rows: DataFrame
) -> None:
    twice = SF.call_function("tools.fns.twice", "l").alias("x")
    with pytest.raises(CaptureError, match=r"others\.fns\.twice and tools\.fns\.twice") as refused:
        vs.capture(rows.select(twice))
    assert 'F.expr("' in str(refused.value)
    alone = session.newSession()
    alone.conf.set("spark.sql.catalog.tools", "tools.Tools")
    frame = alone.sql(f"SELECT * FROM {ROWS}").select(twice)
    assert "tools.fns.twice(l) AS x" in vs.capture(frame).to_sql()
    with pytest.raises(CaptureError, match=r"fns\.shout and tools\.fns\.upper"):
        vs.capture(frame.select(SF.call_function("tools.fns.shout", SF.lit("a")).alias("x")))


def test_the_name_of_an_unnamed_result_is_kept(rows: DataFrame, session: Any) -> None:
    frame = rows.selectExpr("tools.fns.twice(l)")
    found = vs.capture(frame)
    assert found.schema.names == tuple(frame.columns)
    assert vs.verify(found, session).ok


def test_one_whose_results_differ_is_known_for_it(rows: DataFrame, session: Any) -> None:
    """Or a condition over its result would be one over another result."""

    def pipeline(spark: Any) -> Any:
        rows = spark.sql(f"SELECT * FROM {ROWS}")
        return rows.select(SF.expr("tools.fns.lucky(i)").alias("a")).where("a > 0.5")

    drawn = rows.selectExpr("tools.fns.lucky(i) AS a").where("a > 0.5")
    for found in (vs.capture(drawn), vs.record(pipeline, session)):
        (function,) = user_functions(found.operation)
        assert not function.deterministic
        assert found.to_sql().count("lucky") == 1


def test_a_recorded_call_asks_the_session_for_its_type(session: Any) -> None:
    def pipeline(spark: Any) -> Any:
        rows = spark.sql(f"SELECT * FROM {ROWS}")
        called = SF.call_function("tools.fns.twice", SF.col("l")).alias("x")
        return rows.select(called, SF.expr("others.fns.shout(s)").alias("y"))

    found = vs.record(pipeline, session)
    assert [str(each.type) for each in found.schema.fields] == ["BIGINT", "STRING"]
    assert "tools.fns.twice(l) AS x,\n  others.fns.shout(s) AS y" in found.to_sql()
    assert vs.verify(found, session, rows=True).ok
    again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
    assert again.to_sql() == found.to_sql()


def test_a_recorded_result_without_a_name_is_refused(session: Any) -> None:
    with pytest.raises(CaptureError, match="after the class") as refused:
        vs.record(
            lambda spark: spark.sql(f"SELECT * FROM {ROWS}").select(
                SF.call_function("tools.fns.twice", SF.col("l"))
            ),
            session,
        )
    assert ".alias(" in str(refused.value)


# -- without a session -----------------------------------------------------------------------------


def test_a_declared_function_is_called_in_text_and_in_the_table_api(
    env: vs.TableEnvironment, session: Any
) -> None:
    texts = env.sql_query(f"SELECT tools.fns.twice(l) AS x, tools.fns.shout(s) AS y FROM {ROWS}")
    built = env.sql_query(f"SELECT * FROM {ROWS}").select(
        call("tools.fns.twice", col("l")).alias("x"), call("tools.fns.shout", col("s")).alias("y")
    )
    expected = [(2, "A"), (None, "nothing")]
    for table in (texts, built):
        assert [str(each.type) for each in table.schema.fields] == ["BIGINT", "STRING"]
        assert pairs(table.to_dataframe(session)) == expected
        assert pairs(session.sql(table.to_sql())) == expected
        assert vs.verify(table, session).ok


def test_what_nobody_declared_is_an_error_with_the_statement(env: vs.TableEnvironment) -> None:
    for build in (
        lambda: env.sql_query("SELECT tools.fns.next(1) AS x"),
        lambda: env.sql_query("SELECT 1 AS a").select(call("tools.fns.next", 1).alias("x")),
    ):
        with pytest.raises(UnknownFunctionError) as refused:
            build()
        assert "CREATE TEMPORARY FUNCTION tools.fns.next" in str(refused.value)
    with pytest.raises(NotSerializableError, match="after the class"):
        env.sql_query("SELECT tools.fns.twice(1L)")


# -- stored ----------------------------------------------------------------------------------------


@pytest.fixture
def stored(env: vs.TableEnvironment) -> vs.TableEnvironment:
    text = f"SELECT tools.fns.twice(l) AS x, tools.fns.shout(s) AS y FROM {ROWS}"
    env.create_view("called", env.sql_query(text))
    env.create_view("above", env.from_path("called").filter(col("x") > 1))
    return env


def test_a_stored_view_is_opened_and_verified_where_it_is_allowed(
    stored: vs.TableEnvironment, session: Any
) -> None:
    other = session.newSession()
    other.conf.set("spark.sql.catalog.tools", "tools.Tools")
    for name, expected in (("called", [(2, "A"), (None, "nothing")]), ("above", [(2, "A")])):
        with pytest.raises(ForbiddenSourceError, match=r"functions=\['tools\.fns\.twice'\]"):
            vs.open_view(stored, name, other)
        assert pairs(vs.open_view(stored, name, other, functions=ALLOWED)) == expected
    view = stored.get_view("called")
    with pytest.raises(ForbiddenSourceError, match=r"tools\.fns\.twice"):
        vs.verify(view, other)
    assert vs.verify(view, other, functions=ALLOWED).ok


def test_a_session_without_the_catalog_is_told_apart(
    stored: vs.TableEnvironment, spark: Any
) -> None:
    with pytest.raises(MissingSourceError, match=r"function tools\.fns\.twice"):
        vs.open_view(stored, "called", spark, functions=ALLOWED)
    with pytest.raises(FunctionRegistrationError, match=r"no function tools\.fns\.twice"):
        vs.verify(stored.get_view("called"), spark, functions=ALLOWED)


HOSTILE = {
    "full name": f"SELECT tools.fns.shout(s) AS y FROM {ROWS}",
    "quoted": f"SELECT `tools` . `fns`/**/.`shout` (s) AS y FROM {ROWS}",
    "in a sub-query": f"SELECT s AS y FROM {ROWS} WHERE (SELECT tools.fns.shout('a')) = 'A'",
    "another one's": f"SELECT others.fns.shout(s) AS y FROM {ROWS}",
    "two parts": f"SELECT tools.shout(s) AS y FROM {ROWS}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("named", [False, True], ids=["hidden", "among the dependencies"])
def test_a_hostile_text_calls_nothing_that_was_not_allowed(
    env: vs.TableEnvironment, session: Any, text: str, named: bool
) -> None:
    from viewscribe.catalog_store import Column, Dependency, ViewDocument

    names = [("tools", "fns", "shout"), ("others", "fns", "shout"), ("tools", "shout")]
    document = ViewDocument(
        database="default",
        name="evil",
        sql=text,
        columns=(Column("y", "STRING"),),
        dependencies=tuple(Dependency("function", each) for each in names if named),
    )
    env.create_database("default", if_not_exists=True)
    env.catalogs.catalog().create(document)
    with pytest.raises((ForbiddenSourceError, vs.errors.CatalogError)) as refused:
        vs.open_view(env, "evil", session, functions=["tools.fns.twice"])
    assert "shout" in str(refused.value)


def test_an_error_of_java_while_a_query_is_asked_for_is_told(session: Any) -> None:
    """Spark's analyzer fails on a lambda there, with an error that PySpark has no class for."""
    with pytest.raises(CaptureError, match="Spark does not tell the columns of a query"):
        vs.record(lambda spark: spark.sql("SELECT tools.fns.twice(x -> x) AS y"), session)


GROUPED = [
    "SELECT {} AS x FROM t GROUP BY {}",
    "SELECT {} + 1 AS x, count(*) AS n FROM t GROUP BY {}",
    "SELECT {} AS x, count(*) AS n FROM t GROUP BY x",
    "SELECT {} AS x, max(i) AS n FROM t GROUP BY 1",
    "SELECT {} AS x, i FROM t GROUP BY ALL",
    "SELECT count(*) AS n FROM t GROUP BY {} HAVING {} > 1",
    "SELECT count(*) AS n FROM t GROUP BY {} ORDER BY {}",
    "SELECT i + 1 AS y, sum({}) AS z FROM t GROUP BY i + 1, {} HAVING {} > 0",
    "SELECT {} AS x, count(*) AS n FROM t GROUP BY ROLLUP({})",
    "SELECT {} AS x, rank() OVER (ORDER BY {}) AS r FROM t GROUP BY {}",
    "SELECT l AS y, {} AS x FROM t GROUP BY l",
    "SELECT i AS y, {} AS x FROM t GROUP BY i, {}",
    "FROM t |> AGGREGATE count(*) AS n GROUP BY {} AS k",
    "FROM t |> EXTEND {} AS k |> AGGREGATE count(*) AS n GROUP BY k",
]
"""Groups by a call: Spark knows it again by its place or alias, and not where it is written."""


@pytest.mark.parametrize("text", GROUPED)
def test_groups_by_a_call_are_printed_as_spark_takes_them(
    env: vs.TableEnvironment, session: Any, text: str
) -> None:
    rows = "(SELECT * FROM VALUES (1L, 2), (1L, 3), (2L, 3), (NULL, NULL) AS t(l, i)) AS t"
    text = text.replace("FROM t", f"FROM {rows}")
    table = env.sql_query(text.replace("{}", "tools.fns.twice(l)"))
    meaning = pairs(session.sql(text.replace("{}", "(l * 2)")))
    assert pairs(table.to_dataframe(session)) == meaning
    for style in ("readable", "pipe", "nested"):
        assert pairs(session.sql(table.to_sql(style))) == meaning, table.to_sql(style)


def test_what_a_catalog_tells_of_its_own_function_vouches_for_nothing(session: Any) -> None:
    """A function that viewscribe knows is in a database of the session's own catalog."""
    source = FunctionSource(
        kind=FunctionKind.SCALAR, language=Language.SQL, parameters=(), returns=STRING, body="'a'"
    )
    function = UserFunction(FunctionIdentifier("shout", "fns", "tools"), source, temporary=False)
    with (
        patch("viewscribe.spark.functions.describe_function", return_value={"Body": "'a'"}),
        pytest.raises(FunctionRegistrationError, match="of the catalog's own"),
    ):
        register_function(function, session)
