"""Aggregates that a catalog of Spark's has itself: what Spark runs has its rows, every way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as SF

import viewscribe as vs
from tests.spark.tools_catalog import session_with_catalogs
from viewscribe import call, col, over
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import CaptureError, NotSerializableError, ViewscribeError
from viewscribe.operations import nodes as n
from viewscribe.operations.user_functions import user_functions
from viewscribe.spark.errors import FunctionRegistrationError

ROWS = (
    "WITH t AS (SELECT * FROM VALUES (1, 10L, 1.0D, 'a'), (1, 20L, 2.0D, 'a'), "
    "(1, 20L, 3.0D, 'b'), (2, CAST(NULL AS BIGINT), CAST(NULL AS DOUBLE), 'c') AS v(k, l, d, s)) "
)
DECLARED = {
    "total(x BIGINT)": "BIGINT AGGREGATE",
    "weighted(x DOUBLE, w BIGINT)": "DOUBLE AGGREGATE",
    "odds": "BIGINT AGGREGATE NOT DETERMINISTIC",
    "`an.odd ``total```": "BIGINT AGGREGATE",
    "count": "BIGINT AGGREGATE",
    "first": "BIGINT AGGREGATE",
    "grouping": "BIGINT AGGREGATE",
    "sum": "BIGINT",
    "rows()": "BIGINT AGGREGATE",
    "twice": "BIGINT",
}

ALLOWED = [f"tools.fns.{name.partition('(')[0]}" for name in DECLARED]

QUERIES = {
    "no group": "SELECT tools.fns.total(l) AS x FROM t",
    "unnamed": "SELECT tools.fns.total(l), tools.fns.weighted(d + 1, l) FROM t",
    "groups": "SELECT k, tools.fns.total(l) AS x, tools.fns.weighted(d, l) AS w FROM t GROUP BY k",
    "cast": "SELECT tools.fns.total(k) AS x, tools.fns.total('1') AS y FROM t",
    "NULL": "SELECT tools.fns.total(NULL) AS x FROM t",
    "distinct": "SELECT tools.fns.total(DISTINCT l), count(DISTINCT k), sum(l) FROM t",
    "distinct pairs": "SELECT tools.fns.weighted(DISTINCT d, l) AS x FROM t",
    "filter": "SELECT tools.fns.total(l) FILTER (WHERE l > 10) AS x FROM t",
    "both clauses": "SELECT tools.fns.total(DISTINCT l) FILTER (WHERE d > 1) FROM t",
    "no rows": "SELECT tools.fns.total(l) AS x, tools.fns.count(l) AS y FROM t WHERE false",
    "no groups": "SELECT k, tools.fns.total(l) AS x FROM t WHERE false GROUP BY k",
    "having": "SELECT k FROM t GROUP BY k HAVING tools.fns.total(l) > 3",
    "having an alias": "SELECT k, tools.fns.total(l) AS l FROM t GROUP BY k HAVING l > 3",
    "having an alias inside": "SELECT k, max(l) AS d FROM t GROUP BY k "
    "HAVING tools.fns.twice(d) > 20 AND tools.fns.total(l) > 1",
    "order": "SELECT k FROM t GROUP BY k ORDER BY tools.fns.total(l) DESC, tools.fns.twice(k)",
    "order below": "SELECT k * 2 AS x FROM t GROUP BY k ORDER BY tools.fns.total(l)",
    "rollup": "SELECT k, tools.fns.total(l) AS x, grouping(k) AS g FROM t GROUP BY ROLLUP (k)",
    "sets": "SELECT count(*), tools.fns.total(l) FROM t GROUP BY GROUPING SETS ((k), (s), ())",
    "group by all": "SELECT s, tools.fns.total(l) + 1 AS x FROM t GROUP BY ALL",
    "pipe": "FROM t |> AGGREGATE tools.fns.total(l) AS x GROUP BY k |> WHERE x > 3",
    "window": "SELECT k, tools.fns.total(l) OVER (PARTITION BY k ORDER BY d) AS x FROM t",
    "unnamed window": "SELECT tools.fns.total(l) OVER (ORDER BY d) FROM t",
    "rows": "SELECT tools.fns.total(l) OVER (ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
    "AS x FROM t",
    "range": "SELECT tools.fns.weighted(d, l) OVER (ORDER BY d RANGE BETWEEN 1 PRECEDING AND "
    "CURRENT ROW) AS x FROM t",
    "named window": "SELECT tools.fns.total(l) OVER w AS x FROM t WINDOW w AS (PARTITION BY k)",
    "filter over": "SELECT tools.fns.total(l) FILTER (WHERE d > 1) OVER (PARTITION BY k) FROM t",
    "qualify": "SELECT k FROM t QUALIFY tools.fns.total(l) OVER () > 3",
    "window of it": "SELECT sum(tools.fns.total(l)) OVER () AS x FROM t GROUP BY k",
    "window over it": "SELECT tools.fns.total(tools.fns.total(l)) OVER () AS x FROM t GROUP BY k",
    "window by it": "SELECT rank() OVER (ORDER BY tools.fns.total(l)) AS x FROM t GROUP BY k",
    "nested": "SELECT tools.fns.total(tools.fns.twice(l)) AS x, "
    "tools.fns.twice(tools.fns.total(l)) AS y FROM t",
    "in a lambda": "SELECT transform(array(1), x -> x + tools.fns.total(l)) AS x FROM t",
    "pivot": "SELECT * FROM (SELECT k, s, l FROM t) PIVOT (tools.fns.total(l) FOR s IN ('a', 'b'))",
    "pivot of two": "SELECT * FROM t PIVOT (tools.fns.total(l) AS x, tools.fns.weighted(d, l) "
    "FOR s IN ('a', 'b'))",
    "sub-query": "SELECT k FROM t WHERE l > (SELECT tools.fns.total(u.l) / 4 FROM t AS u)",
    "correlated": "SELECT k, (SELECT tools.fns.total(u.l) FROM t AS u WHERE u.k = t.k) AS x FROM t",
    "exists": "SELECT l FROM t WHERE EXISTS (SELECT 1 FROM t AS u GROUP BY u.d "
    "HAVING tools.fns.total(u.l) > t.l)",
    "union": "SELECT tools.fns.total(l) AS x FROM t UNION ALL SELECT tools.fns.total(k) FROM t",
    "star": "SELECT tools.fns.total(*) AS x FROM (SELECT l FROM t)",
    "unnamed star": "SELECT tools.fns.total(*), tools.fns.count(u.*) FROM (SELECT l FROM t) AS u",
    "odd name": "SELECT tools.fns.`an.odd ``total```(l) AS x FROM t",
    "names of Spark's": "SELECT tools.fns.count(l), tools.fns.first(l) AS f, "
    "tools.fns.grouping(l) AS g, count(*), tools.fns.sum(sum(l)) AS s FROM t",
    "no arguments": "SELECT k, tools.fns.rows() AS n, tools.fns.rows() FILTER (WHERE l > 10) AS m, "
    "tools.fns.rows() OVER () AS o FROM t GROUP BY k, l",
    "a scalar's name": "SELECT k, sum(l) AS d FROM t GROUP BY k HAVING tools.fns.sum(d) > 20",
}

REFUSED = {
    "DISTINCT over a window": "SELECT tools.fns.total(DISTINCT l) OVER (PARTITION BY k) FROM t",
    "IGNORE NULLS": "SELECT tools.fns.total(l) IGNORE NULLS AS x FROM t",
    "an aggregate inside": "SELECT tools.fns.total(tools.fns.total(l)) AS x FROM t",
    "inside an aggregate": "SELECT sum(tools.fns.total(l)) AS x FROM t",
    "a window inside": "SELECT tools.fns.total(tools.fns.total(l) OVER ()) AS x FROM t",
    "WHERE": "SELECT k FROM t WHERE tools.fns.total(l) > 1",
    "GROUP BY": "SELECT k FROM t GROUP BY k, tools.fns.total(l)",
    "chance": "SELECT tools.fns.total(rand()) AS x FROM t",
    "no argument": "SELECT tools.fns.total() AS x FROM t",
    "two arguments": "SELECT tools.fns.total(l, k) AS x FROM t",
    "too many columns": "SELECT tools.fns.total(*) AS x FROM t",
}


@pytest.fixture(scope="module")
def session(spark: Any, tools_jar: Path) -> Any:
    return session_with_catalogs(spark, tools_jar)


@pytest.fixture
def env() -> vs.TableEnvironment:
    made = vs.TableEnvironment()
    for name, returns in DECLARED.items():
        made.execute_sql(
            f"CREATE TEMPORARY FUNCTION tools.fns.{name} RETURNS {returns} LANGUAGE CATALOG"
        )
    return made


@pytest.fixture
def rows(session: Any) -> DataFrame:
    return session.sql(f"{ROWS} SELECT * FROM t")  # type: ignore[no-any-return]


def result(frame: DataFrame) -> tuple[list[str], list[str]]:
    return frame.columns, sorted(map(repr, map(tuple, frame.collect())))


def recorded(text: str, session: Any) -> vs.Table:
    return vs.record(lambda spark: spark.sql(text), session)


# -- rows, every way -------------------------------------------------------------------------------

WAYS: dict[str, Callable[[str, Any, vs.TableEnvironment], vs.Table]] = {
    "captured": lambda text, session, env: vs.capture(session.sql(text)),
    "recorded": lambda text, session, env: recorded(text, session),
    "declared": lambda text, session, env: env.sql_query(text),
}


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_a_query_has_sparks_rows(session: Any, env: vs.TableEnvironment, text: str) -> None:
    """What several ways make alike is run once."""
    text = f"{ROWS}{text}"
    expected = result(session.sql(text))
    made = [way(text, session, env) for way in WAYS.values()]
    for written in {found.to_sql() for found in made}:
        assert result(session.sql(written)) == expected
    for found in {str(found.to_plan()): found for found in made}.values():
        assert not isinstance(found.operation, n.SqlText)
        assert result(found.to_dataframe(session)) == expected
        report = vs.verify(found, session, rows=True)
        assert (report.is_sound, report.rows.status) == (True, "equal")  # some have no rows
        again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
        assert again.to_sql() == found.to_sql()


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_spark_refuses_is_refused(session: Any, env: vs.TableEnvironment, text: str) -> None:
    text = f"{ROWS}{text}"
    with pytest.raises(Exception) as spark_says:  # noqa: PT011
        session.sql(text).collect()
    assert not isinstance(spark_says.value, ViewscribeError)
    for build in (lambda: env.sql_query(text), lambda: recorded(text, session)):
        with pytest.raises(ViewscribeError):
            build()


def test_a_sort_key_that_spark_leaves_out_is_refused(
    session: Any, env: vs.TableEnvironment
) -> None:
    text = f"{ROWS}SELECT tools.fns.total(l) WITHIN GROUP (ORDER BY d) AS x FROM t"
    assert result(session.sql(text))[1] == ["(50,)"]
    with pytest.raises(ViewscribeError, match="no WITHIN GROUP"):
        env.sql_query(text)


# -- DataFrames ------------------------------------------------------------------------------------


def grouped(frame: Any, f: Any, w: Any) -> Any:
    return frame.groupBy("k").agg(f.call_function("tools.fns.total", "l").alias("x"))


def unnamed(frame: Any, f: Any, w: Any) -> Any:
    return frame.agg(f.call_function("tools.fns.total", f.col("l")), f.max("k"))


def windowed(frame: Any, f: Any, w: Any) -> Any:
    window = w.partitionBy("k").orderBy("d")
    return frame.select("k", f.call_function("tools.fns.total", "l").over(window).alias("x"))


def unnamed_window(frame: Any, f: Any, w: Any) -> Any:
    return frame.select(f.call_function("tools.fns.total", "l").over(w.partitionBy("k")))


def nested(frame: Any, f: Any, w: Any) -> Any:
    twice = f.call_function("tools.fns.twice", "l")
    total = f.call_function("tools.fns.total", twice)
    return frame.agg(f.call_function("tools.fns.twice", total).alias("x"))


def over_groups(frame: Any, f: Any, w: Any) -> Any:
    total = f.call_function("tools.fns.total", f.call_function("tools.fns.total", "l"))
    return frame.groupBy("k").agg(total.over(w.partitionBy("k")).alias("x"))


def in_text(frame: Any, f: Any, w: Any) -> Any:
    text = "tools.fns.total(DISTINCT l) FILTER (WHERE d > 1)"
    return frame.groupBy("k").agg(f.expr(text), f.expr("tools.fns.total(l) + 1 AS x"))


def pivoted(frame: Any, f: Any, w: Any) -> Any:
    by = frame.groupBy("k").pivot("s", ["a", "b"])
    return by.agg(f.call_function("tools.fns.total", "l").alias("x"))


def kept(frame: Any, f: Any, w: Any) -> Any:
    return grouped(frame, f, w).where("x > 3").orderBy("x")


def having(frame: Any, f: Any, w: Any) -> Any:
    return frame.groupBy("k").agg(f.max("l")).where("k > 1").selectExpr("tools.fns.total(k) AS x")


STEPS = [
    grouped, unnamed, windowed, unnamed_window, nested, over_groups, in_text, pivoted, kept,
    having,
]  # fmt: skip


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: steps.__name__)
def test_steps_have_sparks_rows(session: Any, steps: Callable[..., Any]) -> None:
    only = session.newSession()  # in which one name alone fits
    only.conf.set("spark.sql.catalog.tools", "tools.Tools")
    frame = steps(only.sql(f"{ROWS}SELECT * FROM t"), SF, Window)
    expected = result(frame)

    def pipeline(spark: Any) -> Any:
        return steps(spark.sql(f"{ROWS}SELECT * FROM t"), SF, Window)

    for found in (vs.capture(frame), vs.record(pipeline, session)):
        assert result(session.sql(found.to_sql())) == expected
        assert vs.verify(found, session, rows=True).ok
        again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
        assert again.to_sql() == found.to_sql()


def test_of_one_name_the_kind_hangs_on_the_arguments(session: Any) -> None:
    text = f"{ROWS}SELECT tools.fns.either(s) AS x, tools.fns.either(k) AS y FROM t GROUP BY s"
    expected = result(session.sql(text))
    for found in (vs.capture(session.sql(text)), recorded(text, session)):
        assert not isinstance(found.operation, n.SqlText)
        assert result(session.sql(found.to_sql())) == expected
        kinds = {each.kind.value for each in user_functions(found.operation)}
        assert kinds == {"scalar", "aggregate"}


def test_a_call_that_two_names_fit_is_refused(rows: DataFrame) -> None:
    with pytest.raises(CaptureError, match=r"others\.fns\.total and tools\.fns\.total") as refused:
        vs.capture(rows.agg(SF.call_function("tools.fns.total", "l").alias("x")))
    assert 'F.expr("' in str(refused.value)


@pytest.mark.parametrize("catalog", ["tools", "others"])
def test_of_two_catalogs_the_one_that_was_written_is_meant(rows: DataFrame, catalog: str) -> None:
    found = vs.capture(rows.groupBy().agg(SF.expr(f"{catalog}.fns.total(l) AS x")))
    assert f"{catalog}.fns.total(l) AS x" in found.to_sql()


def test_an_aggregate_of_aggregates_is_refused_while_recording(session: Any) -> None:
    def pipeline(spark: Any) -> Any:
        total = SF.call_function("tools.fns.total", SF.sum("l")).alias("x")
        return spark.sql(f"{ROWS}SELECT * FROM t").agg(total)

    with pytest.raises(ViewscribeError, match="an aggregate function as an argument"):
        vs.record(pipeline, session)


# -- over Connect ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def remote(connected: Any, tools_jar: Path) -> Any:
    """A session of Connect that has the catalog, too."""
    connected.addArtifacts(str(tools_jar))
    connected.conf.set("spark.sql.catalog.tools", "tools.Tools")
    return connected


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: steps.__name__)
def test_over_connect_the_session_tells_kind_and_type(
    remote: Any, steps: Callable[..., Any]
) -> None:
    from pyspark.sql.connect import functions, window

    frame = steps(remote.sql(f"{ROWS}SELECT * FROM t"), functions, window.Window)
    found = vs.capture(frame)
    assert result(remote.sql(found.to_sql())) == result(frame)
    again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
    assert again.to_sql() == found.to_sql()


# -- aggregates whose results differ ---------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_may_differ_is_computed_once(
    session: Any, env: vs.TableEnvironment, way: Callable[..., vs.Table]
) -> None:
    """Or a condition over its result would be one over another result."""
    text = f"{ROWS}SELECT k, tools.fns.odds(l) AS x FROM t GROUP BY k HAVING x > 1"
    found = way(text, session, env)
    (function,) = user_functions(found.operation)
    assert not function.deterministic
    for style in ("readable", "pipe", "nested"):
        made = found.to_sql(style=style)
        assert made.count("odds") == 1
        assert result(session.sql(made)) == result(session.sql(text))


def test_over_a_window_it_is_computed_once_as_well(env: vs.TableEnvironment) -> None:
    rows = env.sql_query(f"{ROWS}SELECT * FROM t")
    drawn = rows.select(call("tools.fns.odds", col("l")).over(over(partition_by="k")).alias("x"))
    assert drawn.select((col("x") + col("x")).alias("y")).to_sql().count("odds") == 1


# -- stored ----------------------------------------------------------------------------------------


@pytest.fixture
def stored(env: vs.TableEnvironment) -> vs.TableEnvironment:
    text = f"{ROWS}SELECT k, tools.fns.total(l) AS x FROM t GROUP BY k"
    env.create_view("called", env.sql_query(text))
    env.create_view("above", env.from_path("called").filter(col("x") > 1))
    return env


@pytest.mark.parametrize("name", ["called", "above"])
def test_a_stored_view_is_opened_and_verified_where_it_is_allowed(
    stored: vs.TableEnvironment, session: Any, name: str
) -> None:
    other = session.newSession()
    other.conf.set("spark.sql.catalog.tools", "tools.Tools")
    with pytest.raises(ForbiddenSourceError, match=r"functions=\['tools\.fns\.total'\]"):
        vs.open_view(stored, name, other)
    with pytest.raises(ForbiddenSourceError):
        vs.open_view(stored, name, other, functions=["others.fns.total", "total"])
    opened = vs.open_view(stored, name, other, functions=["tools.fns.total"])
    assert result(opened)[1] == ["(1, 50)"] + (["(2, None)"] if name == "called" else [])
    called = stored.get_view("called")
    assert ("tools", "fns", "total") in [each.name for each in called.dependencies]
    assert vs.verify(called, other, functions=["tools.fns.total"], rows=True).ok


@pytest.mark.parametrize(
    "text",
    [
        "SELECT tools.fns.total(x => l) AS x FROM t",
        "SELECT tools.fns.total(l) WITHIN GROUP (ORDER BY l) AS x, tools.fns.twice(1L) AS y FROM t",
    ],
)
def test_a_text_that_is_kept_as_it_is_can_be_stored(session: Any, text: str) -> None:
    """What kind a function in it is of, nobody has to know."""
    found = recorded(f"{ROWS}{text}", session)
    assert isinstance(found.operation, n.SqlText)
    again = vs.Table.from_plan(vs.TableEnvironment(), found.to_plan(), functions=ALLOWED)
    assert again.operation == found.operation
    (function, *_) = user_functions(again.operation)
    with pytest.raises(ViewscribeError, match="only known to Spark"):
        vs.TableEnvironment().sql_query("SELECT 1L AS a").select(call(function, col("a")))


@pytest.mark.parametrize(
    ("declared", "is_"),
    [("total(x BIGINT) RETURNS BIGINT", "an aggregate"),
     ("twice(x BIGINT) RETURNS BIGINT AGGREGATE", "a scalar function")],
)  # fmt: skip
def test_a_declaration_of_another_kind_is_found_in_a_session(
    session: Any, declared: str, is_: str
) -> None:
    env = vs.TableEnvironment()
    env.execute_sql(f"CREATE TEMPORARY FUNCTION tools.fns.{declared} LANGUAGE CATALOG")
    name = declared.partition("(")[0]
    table = env.sql_query(f"{ROWS}SELECT tools.fns.{name}(l) AS x FROM t")
    with pytest.raises(FunctionRegistrationError, match=f"in the session .* is {is_}"):
        table.to_dataframe(session)


def test_an_unnamed_result_is_called_what_spark_calls_it(
    env: vs.TableEnvironment, session: Any
) -> None:
    found = env.sql_query(f"{ROWS}SELECT tools.fns.total(l), tools.fns.count(DISTINCT l) FROM t")
    assert found.schema.names == ("v2aggregator(l)", "v2aggregator(DISTINCT l)")
    with pytest.raises(NotSerializableError, match="after the class"):
        env.sql_query(f"{ROWS}SELECT tools.fns.total(tools.fns.twice(l)) FROM t")
