"""Asynchronous functions in Spark: the calls that are made are counted by a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

import viewscribe as vs
from tests.servers.counting import CountingServer, fetch
from viewscribe import call, col, exists, over, scalar
from viewscribe import functions as F
from viewscribe.operations.nodes import SqlText
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types import BIGINT, Field

ROWS = 1_000


class Doubled(vs.AsyncScalarFunction):
    """Twice the number, as the server says it."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self, context: Any) -> None:
        await fetch(self.port, "open")

    async def close(self) -> None:
        await fetch(self.port, "close")

    async def eval(self, x: int) -> int:
        return 2 * int(await fetch(self.port, str(x)))


@pytest.fixture(scope="module")
def server() -> Iterator[CountingServer]:
    made = CountingServer()
    yield made
    made.close()


SETTINGS = {
    "table.exec.async-scalar.system.doubled.buffer-capacity": "40",
    "table.exec.async-scalar.system.doubled.timeout": "5 min",
    "table.exec.async-scalar.system.anyhow.output-mode": "ALLOW_UNORDERED",
    "table.exec.async-scalar.system.hasty.timeout": "20 ms",
    "table.exec.async-scalar.ghost.db.broken.fixed-delay": "1 ms",
}


@pytest.fixture
def env(server: CountingServer) -> vs.TableEnvironment:
    env = vs.TableEnvironment(settings=SETTINGS)
    for name in ("doubled", "anyhow"):
        env.create_temporary_system_function(name, Doubled(server.port))
    return env


@pytest.fixture
def numbers(env: vs.TableEnvironment) -> vs.Table:
    return env.from_function("range", 0, ROWS, 1, 2).select("id", (col("id") % 7).alias("k"))


@pytest.fixture(autouse=True)
def clean(spark: Any, server: CountingServer) -> Iterator[None]:
    server.reset()
    yield
    for row in spark.sql("SHOW USER FUNCTIONS").collect():
        if not row[0].startswith("spark_catalog."):
            spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS `{row[0]}`")


def rows(spark: Any, table: vs.Table) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in table.to_dataframe(spark).collect()]


def asked(server: CountingServer) -> dict[str, int]:
    """How often each number was asked for; one opening and closing a task."""
    assert server.counts["open"] == server.counts["close"]
    found = {page: n for page, n in server.counts.items() if page not in ("open", "close")}
    server.reset()
    return found


TWICE = call("doubled", col("id"))


# -- exactly the calls needed ----------------------------------------------------------------------


@pytest.mark.slow("Spark calls a server from a Python worker, a hundred times")
def test_a_hundred_of_a_thousand_rows_make_a_hundred_calls(
    spark: Any, server: CountingServer, numbers: vs.Table
) -> None:
    wanted = {str(number): 1 for number in range(0, ROWS, 10)}
    before = numbers.filter(col("id") % 10 == 0).select("id", TWICE.alias("r"))
    after = numbers.select("id", TWICE.alias("r")).filter(col("id") % 10 == 0)
    for table in (before, after):
        assert rows(spark, table) == [(int(n), 2 * int(n)) for n in wanted]
        assert asked(server) == wanted


def test_a_call_in_select_and_where_is_made_once_a_row(
    spark: Any, server: CountingServer, numbers: vs.Table
) -> None:
    table = numbers.filter(TWICE >= 1_000).select("id", TWICE.alias("r"))
    assert rows(spark, table) == [(n, 2 * n) for n in range(500, ROWS)]
    assert asked(server) == {str(n): 1 for n in range(ROWS)}


def test_a_limit_and_branches_call_for_their_rows_only(
    spark: Any, server: CountingServer, numbers: vs.Table
) -> None:
    last = numbers.select("id", TWICE.alias("r")).order_by(col("id").desc()).limit(3)
    assert rows(spark, last) == [(n, 2 * n) for n in (999, 998, 997)]
    assert asked(server) == {str(n): 1 for n in (997, 998, 999)}
    branch = F.coalesce(F.nullif(col("k"), 3), TWICE, call("doubled", col("id") + 1))
    found = dict(rows(spark, numbers.select("id", branch.alias("r"))))
    assert found == {n: 2 * n if n % 7 == 3 else n % 7 for n in range(ROWS)}
    assert asked(server) == {str(n): 1 for n in range(ROWS) if n % 7 == 3}


@pytest.mark.parametrize("name", ["doubled", "anyhow"])
def test_a_limit_above_a_condition_reads_ahead_by_the_capacity(
    spark: Any, server: CountingServer, numbers: vs.Table, name: str
) -> None:
    """Of a task's 500 rows; forty calls are open at once, and forty more may have been read."""
    table = numbers.filter(call(name, col("id")) >= 0).limit(5)
    for server.latency in (0.0, 0.3):  # the first time warms up
        server.reset()
        assert len(rows(spark, table)) == 5
        # Spark ends before its workers do: a closing told after `reset` has no opening.
        assert server.wait_for(lambda server: server.counts["open"] == server.counts["close"])
    server.latency = 0.0
    assert 5 <= sum(asked(server).values()) <= 240


@pytest.mark.slow("waits for calls that are not begun")
@pytest.mark.parametrize("name", ["doubled", "anyhow"])
def test_few_calls_are_begun_after_a_job_was_cancelled(
    spark: Any, server: CountingServer, numbers: vs.Table, name: str
) -> None:
    """Spark tells its workers nothing; they notice that it reads no more. There are 900 left."""
    frame = numbers.select(call(name, col("id")).alias("r")).to_dataframe(spark)
    server.latency = 0.2
    failures: list[Exception] = []

    def collect() -> None:
        try:
            frame.collect()
        except Exception as failure:  # which of Py4J's or PySpark's depends on the version
            failures.append(failure)

    job = threading.Thread(target=collect)
    job.start()
    assert server.wait_for(lambda server: server.calls >= 100)
    spark.sparkContext.cancelAllJobs()
    before = server.calls
    job.join()
    too_many = before + 2 * 2 * 40 + 2  # in each task those that were read, and as many again
    assert not server.wait_for(lambda server: server.calls > too_many, timeout=3.0)
    server.latency = 0.0
    assert "cancel" in str(failures[0])


def test_a_sort_calls_once_a_row(spark: Any, server: CountingServer, numbers: vs.Table) -> None:
    """Spark reads what it sorts twice: a sample of it first."""
    once = {str(n): 1 for n in range(ROWS)}
    table = numbers.select("id", TWICE.alias("r"))
    for key in (col("id").desc(), col("r").desc(), TWICE.desc()):
        assert rows(spark, table.order_by(key)) == [(n, 2 * n) for n in reversed(range(ROWS))]
        assert asked(server) == once
    filtered = table.filter(col("r") >= 0).order_by(col("id").desc())
    assert rows(spark, filtered) == [(n, 2 * n) for n in reversed(range(ROWS))]
    assert asked(server) == once


def test_whole_rows_travel_where_their_order_cannot_be_observed(
    spark: Any, server: CountingServer, numbers: vs.Table
) -> None:
    anyhow = call("anyhow", col("id")).alias("r")
    table = numbers.select("id", "k", F.coalesce(F.nullif(col("k"), 3), anyhow).alias("r"))
    assert "as they are ready" in table.explain()
    expected = [(n, n % 7, 2 * n if n % 7 == 3 else n % 7) for n in range(ROWS)]
    assert sorted(rows(spark, table)) == expected
    assert asked(server) == {str(n): 1 for n in range(ROWS) if n % 7 == 3}
    ordered = numbers.order_by(col("id").desc()).select("id", anyhow)
    assert rows(spark, ordered) == [(n, 2 * n) for n in reversed(range(ROWS))]


# -- the same everywhere ---------------------------------------------------------------------------


def _pipelines(t: vs.Table) -> dict[str, vs.Table]:
    def f(x: Any) -> Any:
        return call("doubled", x)

    a, b = t.alias("a"), t.filter(col("id") > 20).alias("b")
    both = (f(col("a.id") + col("b.id")) > 90) & (col("a.id") == col("b.id"))
    return {
        "nested": t.select("id", f(f(col("k")) + 1).alias("r")),
        "keys and aggregates": t.group_by(f(col("k")).alias("g")).agg(
            F.sum(f(col("id"))).filter(col("id") > 9).alias("s"), F.count("*").alias("n")
        ),
        "of groups": t.group_by("k").select("k", (f(F.count("*")) + F.max("id")).alias("n")),
        "window, rows, order": t.select(
            "id", F.sum(f(col("id"))).over(over(partition_by=f(col("k")))).alias("w")
        )
        .explode(F.array(f(col("id")), col("w")), "e")
        .order_by(f(col("e")).desc(), "id"),
        "one-sided join": a.join(b, f(col("a.id")) == f(col("b.k")), "left").select(
            "a.id", col("b.k").alias("other")
        ),
        "inner join": a.join(b, both).select("a.id", col("b.k").alias("other")),
        "sub-query": t.filter(col("id") > scalar(t.select((F.max(f(col("k"))) + 20).alias("m")))),
        "correlated": t.filter(
            exists(lambda o: t.alias("z").filter((col("id") == o("id")) & (f(col("k")) > 6)))
        ).select("id"),
        "lateral": t.join_lateral(
            lambda o: (
                t.alias("z")
                .filter((col("id") == o("id")) & (f(col("k")) > 6))
                .select(col("k").alias("zk"))
            )
        ),
    }


NAMES = [
    "nested",
    "keys and aggregates",
    "of groups",
    "window, rows, order",
    "one-sided join",
    "inner join",
    "sub-query",
    "correlated",
    "lateral",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_and_the_text_give_the_same(
    spark: Any, env: vs.TableEnvironment, name: str
) -> None:
    small = env.from_values([(n, n % 5) for n in range(40)], "id BIGINT, k BIGINT")
    table = _pipelines(small)[name]
    found = sorted(map(repr, rows(spark, table)))
    assert found == sorted(repr(tuple(row)) for row in spark.sql(table.to_sql()).collect())
    assert found


def test_rows_of_a_stream(spark: Any, env: vs.TableEnvironment, tmp_path: Path) -> None:
    spark.range(30).write.parquet(str(tmp_path / "in"))
    spark.sql(f"CREATE TABLE arriving (id BIGINT) USING parquet LOCATION '{tmp_path / 'in'}'")
    fields = (Field("id", BIGINT),)
    source = vs.Table(env, SqlText.of("SELECT * FROM STREAM arriving", fields, (), ()))
    table = source.filter(TWICE > 10).select("id", TWICE.alias("r"))
    try:
        for place, frame in enumerate((table.to_dataframe(spark), spark.sql(table.to_sql()))):
            assert frame.isStreaming
            name = f"arrived_{place}"
            query = frame.writeStream.format("memory").queryName(name).trigger(availableNow=True)
            query.start().awaitTermination()
            found = sorted(map(tuple, spark.table(name).collect()))
            assert found == [(n, 2 * n) for n in range(6, 30)]
            spark.catalog.dropTempView(name)
    finally:
        spark.sql("DROP TABLE arriving")


# -- what goes wrong -------------------------------------------------------------------------------


class Broken(vs.AsyncScalarFunction):
    async def eval(self, x: int) -> int:
        if x == 7:
            raise ValueError("no such id 7")
        return x


async def hasty(x: int) -> int:
    await asyncio.sleep(30)
    return x


async def text_for_number(x: int) -> int:
    return str(x)  # type: ignore[return-value]


def test_a_failure_names_the_function_its_arguments_and_the_cause(
    spark: Any, env: vs.TableEnvironment, numbers: vs.Table
) -> None:
    env.create_temporary_function("ghost.db.broken", Broken)
    env.create_temporary_system_function("hasty", hasty)
    env.create_temporary_system_function("text_for_number", text_for_number)
    messages = {
        "ghost.db.broken": "ghost.db.broken(7) failed after 3 attempts: ValueError: no such id 7",
        "hasty": "the asynchronous call hasty(0) timed out after 0.02 s",
        "text_for_number": "text_for_number(0) gave '0', which is no BIGINT: it is of the class",
    }
    for name, message in messages.items():
        table = numbers.filter(col("id") < 9).select(call(name, col("id")).alias("r"))
        for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
            with pytest.raises(PySparkException) as error:
                frame.collect()
            assert message in str(error.value)


def test_what_spark_cannot_run_is_refused_before_it_runs(spark: Any, numbers: vs.Table) -> None:
    a, b = numbers.alias("a"), numbers.alias("b")
    table = a.join(b, call("doubled", col("a.id") + col("b.id")) > 1, "left")
    with pytest.raises(
        NotInterpretableError, match=r"(?s)doubled\(plus\(id, id\)\) cannot be .*inner"
    ):
        table.to_dataframe(spark)


def test_options_are_none_of_sparks_settings(spark: Any, numbers: vs.Table) -> None:
    table = numbers.filter(col("id") < 3).select(TWICE.alias("r"))
    assert vs.verify(table, spark).ok
    assert not [name for name in dict(spark.conf.getAll) if name.startswith("table.")]


def test_a_function_without_a_name_runs_as_a_tree(spark: Any, numbers: vs.Table) -> None:
    @vs.async_udf(returns="STRING", parameters=["BIGINT"])
    async def worded(x):
        await asyncio.sleep(0)
        return f"number {x}"

    table = numbers.filter(col("id") < 2).select(call(worded, col("id")).alias("r"))
    assert rows(spark, table) == [("number 0",), ("number 1",)]
