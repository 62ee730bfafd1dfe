"""Asynchronous table functions in Spark give what a loop over the rows gives, call by call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.errors import PySparkException

import viewscribe as vs
from tests.servers.counting import CountingServer, fetch
from viewscribe import call, col
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError, SqlSyntaxError
from viewscribe.operations.nodes import SqlText
from viewscribe.types import INT, STRING, Field

ROWS = [(n, None if n % 5 == 3 else "xyz"[: n % 4]) for n in range(24)]
"""Some give no rows, some are called with NULL."""


class Part(NamedTuple):
    place: int
    letter: str | None


def parts_of(text: str | None) -> list[Part]:
    """What the functions below give for a text."""
    return [Part(place, letter) for place, letter in enumerate(text or "")]


class Parts(vs.AsyncTableFunction):
    """The letters of a text, as the server counts them."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def eval(self, text: str | None, key: int) -> list[Part]:
        await fetch(self.port, str(key))
        return parts_of(text)


@vs.async_udtf
async def letters(text: str | None) -> AsyncIterator[str]:
    """The letters of a text, one after the other."""
    for letter in text or "":
        await asyncio.sleep(0)
        yield letter


@pytest.fixture(scope="module")
def server() -> Iterator[CountingServer]:
    made = CountingServer()
    yield made
    made.close()


@pytest.fixture
def env(server: CountingServer) -> vs.TableEnvironment:
    server.reset()
    settings = {"table.exec.async-table.system.anyhow.output-mode": "ALLOW_UNORDERED"}
    env = vs.TableEnvironment(settings=settings)
    for name in ("parts", "anyhow"):
        env.create_temporary_system_function(name, Parts(server.port))
    env.create_temporary_system_function("letters", letters)
    env.create_temporary_view("t", env.from_values(ROWS, "id INT, text STRING"))
    return env


@pytest.fixture(autouse=True)
def clean(spark: Any) -> Iterator[None]:
    yield
    for row in spark.sql("SHOW USER FUNCTIONS").collect():
        if not row[0].startswith("spark_catalog."):
            spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS `{row[0]}`")


def asked(server: CountingServer) -> dict[str, int]:
    found = {page: n for page, n in server.counts.items() if page not in ("open", "close")}
    server.reset()
    return found


def ordered(rows: Any) -> list[Any]:
    return sorted(map(tuple, rows), key=repr)


PARTS = call("parts", col("text"), col("id"))
INNER = [(n, text, *part) for n, text in ROWS for part in parts_of(text)]
OUTER = [
    (n, text, *part)
    for n, text in ROWS
    for part in parts_of(text) or [Part(None, None)]  # type: ignore[arg-type]
]


@pytest.mark.parametrize("name", ["parts", "anyhow"])
def test_a_join_gives_what_a_loop_gives_with_a_call_for_each_row(
    spark: Any, env: vs.TableEnvironment, server: CountingServer, name: str
) -> None:
    t, made = env.from_path("t"), call(name, col("text"), col("id"))
    for table, expected in (
        (t.join_lateral(made), INNER),
        (t.left_outer_join_lateral(made), OUTER),
    ):
        assert ordered(table.to_dataframe(spark).collect()) == ordered(expected)
        assert asked(server) == {str(n): 1 for n, _ in ROWS}
        assert ordered(spark.sql(table.to_sql()).collect()) == ordered(expected)
        server.reset()


def test_only_rows_that_are_needed_make_calls(
    spark: Any, env: vs.TableEnvironment, server: CountingServer
) -> None:
    """A condition on the table's own columns is tested first, one on the rows made after it."""
    joined = env.from_path("t").left_outer_join_lateral(PARTS)
    table = joined.filter((col("id") < 8) & (col("letter") == "y")).select("id", "place")
    assert ordered(table.to_dataframe(spark).collect()) == [(2, 1), (6, 1), (7, 1)]
    assert asked(server) == {str(n): 1 for n in range(8)}
    assert len(joined.limit(3).to_dataframe(spark).collect()) == 3


# -- SQL text --------------------------------------------------------------------------------------

TEXTS = {
    "SELECT id, text, p.* FROM t, LATERAL parts(t.text, t.id) AS p": INNER,
    "SELECT t.*, p.place, p.letter FROM t CROSS JOIN LATERAL parts(t.text, t.id) p": INNER,
    "SELECT * FROM t JOIN LATERAL parts(text, id) ON TRUE": INNER,
    "SELECT * FROM t LEFT JOIN LATERAL parts(text, id)": OUTER,
    "SELECT * FROM t LEFT OUTER JOIN LATERAL parts(t.text, t.id) AS p(a, b) ON true": OUTER,
    "SELECT * FROM t LATERAL VIEW parts(text, id) p": INNER,
    "SELECT * FROM t LATERAL VIEW OUTER parts(text, id) p AS a, b": OUTER,
    "SELECT * FROM t JOIN LATERAL parts(text, id) AS p ON p.place > t.id": [
        row for row in INNER if row[2] > row[0]
    ],
    "WITH w AS (SELECT * FROM t, LATERAL parts(text, id)) "
    "SELECT id, place FROM w UNION ALL SELECT id, -1 FROM w WHERE letter = 'z'": [
        *[(row[0], row[2]) for row in INNER],
        *[(row[0], -1) for row in INNER if row[3] == "z"],
    ],
    "SELECT t.id, a.letter, b.col FROM t, LATERAL parts(text, id) a, LATERAL letters(a.letter) b": [
        (row[0], row[3], row[3]) for row in INNER
    ],
    "SELECT a.letter, b.place FROM t, LATERAL parts(text, id) a, LATERAL parts(a.letter, id) b": [
        (row[3], 0) for row in INNER
    ],
    "SELECT * FROM parts('xy', 1)": [(0, "x"), (1, "y")],
    "SELECT * FROM parts(key => 1, text => 'xy') AS p(a, b)": [(0, "x"), (1, "y")],
    "SELECT id, size(parts(text, id)) FROM t": [(n, len(text or "")) for n, text in ROWS],
    "SELECT id, m FROM t, LATERAL (SELECT max(place) AS m FROM parts(t.text, t.id))": [
        (n, len(text) - 1 if text else None) for n, text in ROWS
    ],
    "SELECT count(*) FROM (SELECT * FROM t WHERE id < 0), LATERAL parts(text, id)": [(0,)],
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_calls_it_means_the_same_in_spark(
    spark: Any, env: vs.TableEnvironment, text: str
) -> None:
    table = env.sql_query(text)
    assert env.sql_query(table.to_sql()).to_sql() == table.to_sql()
    assert ordered(table.to_dataframe(spark).collect()) == ordered(TEXTS[text])
    assert ordered(spark.sql(table.to_sql()).collect()) == ordered(TEXTS[text])


def test_other_conditions_of_an_outer_join_are_refused(env: vs.TableEnvironment) -> None:
    with pytest.raises(SqlSyntaxError, match=r"(?s)LEFT JOIN with the .* parts is ON TRUE"):
        env.sql_query("SELECT * FROM t LEFT JOIN LATERAL parts(text, id) p ON p.place > 1")


@pytest.mark.parametrize("call_", ["parts(text, id)", "explode(array(id))", "(SELECT t.id AS i)"])
@pytest.mark.parametrize(
    "kind", ["FULL", "RIGHT", "LEFT SEMI", "LEFT ANTI", "NATURAL", "NATURAL LEFT", "NATURAL FULL"]
)
def test_lateral_joins_are_inner_or_left(env: vs.TableEnvironment, kind: str, call_: str) -> None:
    """Whatever is joined, with a condition where the kind takes one, or without."""
    for on in (" ON TRUE", ""):
        with pytest.raises(SqlSyntaxError):
            env.sql_query(f"SELECT t.* FROM t {kind} JOIN LATERAL {call_} AS p{on}")


# -- streams, other names, functions without one ---------------------------------------------------


def test_rows_of_a_stream(spark: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    path = str(tmp_path / "in")
    spark.createDataFrame(ROWS, "id INT, text STRING").write.parquet(path)
    spark.sql(f"CREATE TABLE arriving (id INT, text STRING) USING parquet LOCATION '{path}'")
    fields = (Field("id", INT), Field("text", STRING))
    source = vs.Table(env, SqlText.of("SELECT * FROM STREAM arriving", fields, (), ()))
    frame = source.left_outer_join_lateral(PARTS).to_dataframe(spark)
    try:
        assert frame.isStreaming
        query = frame.writeStream.format("memory").queryName("came").trigger(availableNow=True)
        query.start().awaitTermination()
        assert ordered(spark.table("came").collect()) == ordered(OUTER)
    finally:
        spark.catalog.dropTempView("came")
        spark.sql("DROP TABLE arriving")


def test_columns_of_equal_names_are_told_apart(spark: Any, env: vs.TableEnvironment) -> None:
    t = env.from_path("t").select("id", col("text").alias("letter"))
    table = t.join_lateral(call("parts", col("letter"), col("id")).as_("id2", "letter2"))
    assert ordered(table.to_dataframe(spark).collect()) == ordered(INNER)
    both = t.join_lateral(call("parts", col("letter"), col("id")))
    assert both.schema.names == ("id", "letter", "place", "letter")
    assert ordered(both.to_dataframe(spark).collect()) == ordered(INNER)


def test_a_function_without_a_name_and_its_array(spark: Any, env: vs.TableEnvironment) -> None:
    t = env.from_path("t")
    table = t.join_lateral(call(letters, col("text")).alias("c")).select("id", "c")
    expected = [(row[0], row[3]) for row in INNER]
    assert ordered(table.to_dataframe(spark).collect()) == ordered(expected)
    array = t.filter(col("id") == 2).select(call(letters, col("text")).alias("all"))
    assert array.to_dataframe(spark).collect()[0][0] == [("x",), ("y",)]
    exploded = t.select("id", F.inline(call(letters, col("text"))).alias("c"))
    assert ordered(exploded.to_dataframe(spark).collect()) == ordered(expected)


def test_what_is_not_deterministic_is_called_once_a_row(
    spark: Any, env: vs.TableEnvironment, server: CountingServer
) -> None:
    env.create_temporary_system_function("drawn", Parts(server.port), deterministic=False)
    table = env.from_path("t").join_lateral(call("drawn", col("text"), col("id")))
    table = table.filter(col("place") >= 0).select("id", "place", "letter", col("place") + 1)
    expected = ordered((n, place, letter, place + 1) for n, _, place, letter in INNER)
    assert ordered(table.to_dataframe(spark).collect()) == expected
    assert asked(server) == {str(n): 1 for n, _ in ROWS}
    assert ordered(spark.sql(table.to_sql()).collect()) == expected
    with pytest.raises(NotSerializableError, match=r"(?s)not deterministic.*style=\"readable\""):
        table.to_sql(style="pipe")


# -- what goes wrong -------------------------------------------------------------------------------


@vs.async_udtf(returns="STRUCT<a: INT, b: STRING NOT NULL>", parameters=["INT"])
async def wrong(x: Any) -> Any:
    results: list[Any] = [
        None,
        ((1, "a"),),
        [(1, "a"), None],
        [(1, "a"), (1,)],
        [(1, "a"), (2, None)],
        [{"a": 1, "c": "x"}],
        [("1", "a")],
        [(1, "a"), (2**40, "a")],
    ]
    if x == len(results):
        raise ValueError("no such thing")
    return results[x]


LIST = "which is no list of rows: a table function returns one, without rows []"
NO_ROW = "which is no STRUCT<a: INT, b: STRING NOT NULL>: "


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (0, f"the asynchronous call wrong(0) gave None, {LIST}"),
        (1, f"the asynchronous call wrong(1) gave ((1, 'a'),), {LIST}"),
        (2, f"row 2 of the asynchronous call wrong(2) is None, {NO_ROW}"),
        (3, f"row 2 of the asynchronous call wrong(3) is (1,), {NO_ROW}"),
        (4, f"row 2 of the asynchronous call wrong(4) is (2, None), {NO_ROW}"),
        (5, f"row 1 of the asynchronous call wrong(5) is {{'a': 1, 'c': 'x'}}, {NO_ROW}"),
        (6, f"row 1 of the asynchronous call wrong(6) is ('1', 'a'), {NO_ROW}"),
        (7, f"row 2 of the asynchronous call wrong(7) is (1099511627776, 'a'), {NO_ROW}"),
        (8, "the asynchronous call wrong(8) failed after 3 attempts: ValueError: no such thing"),
    ],
)
def test_wrong_results_are_named_with_their_row(
    spark: Any, env: vs.TableEnvironment, x: int, message: str
) -> None:
    table = env.from_values([(x,)], "x INT").left_outer_join_lateral(call(wrong, col("x")))
    with pytest.raises(PySparkException) as error:
        table.to_dataframe(spark).collect()
    assert message in str(error.value)
