"""Process table functions in Spark: from the tree, from SQL text, as stored views."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import viewscribe as vs
from tests.process_functions import CountRows, CountWithTimeout, MatchOnce, Repeat, Set
from tests.spark.answers import Answers
from viewscribe import col, descriptor, lit
from viewscribe import functions as F
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

T = vs.ArgumentTrait
START = datetime(2024, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


class Flags(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """The values of a row as the function sees them, as text."""

    output_type = "seen STRING"

    def eval(
        self,
        ctx: vs.Context,
        input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.OPTIONAL_PARTITION_BY)],
        when: datetime | None = None,
        amount: Annotated[Any, vs.ArgumentHint(type="DECIMAL(10, 2)", is_optional=True)] = None,
    ) -> None:
        """All of it."""
        keys = ctx.set_semantics_for("input").partition_by_columns()
        self.collect(f"{tuple(input)} {when} {amount} {keys}")


class Fails(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Gives a text where a number is wanted."""

    output_type = "n INT"

    def eval(self, input: Set) -> None:
        """Wrong."""
        self.collect(("twelve",))


@dataclass
class Point:
    """A constant of two fields."""

    x: int
    name: str


class Constants(vs.ProcessTableFunction[Any]):
    """What its constants are."""

    output_type = "seen STRING"

    def eval(
        self,
        input: Set,
        point: Point,
        sizes: dict[str, int],
        weights: list[float],
        most: int,
        least: float = 0.5,
    ) -> None:
        """All of them."""
        self.collect(f"{point.x} {point.name} {sizes} {weights} {most} {least}")


class HowMany(vs.ProcessTableFunction[Any]):
    """The rows of a table, which may have none."""

    output_type = "n BIGINT"

    def eval(
        self,
        seen: vs.ListState[str],
        input: Annotated[
            vs.Row,
            vs.ArgumentHint(T.TABLE_AS_SET, T.OPTIONAL_PARTITION_BY, T.KEEP_WHEN_EMPTY),
        ],
    ) -> None:
        """One more."""
        seen.add(input.url)

    def finish(self, seen: vs.ListState[str]) -> None:
        """All of them."""
        self.collect((len(seen),))


class Callers(vs.ProcessTableFunction[Any]):
    """The files of the functions it is called by."""

    output_type = "callers STRING"

    def eval(self, input: Set) -> None:
        """Of each row."""
        frames = traceback.extract_stack()
        self.collect(" ".join(Path(frame.filename).name for frame in frames))


@pytest.fixture(scope="module")
def env(spark: SparkSession) -> Iterator[vs.TableEnvironment]:
    spark.sql("CREATE DATABASE IF NOT EXISTS processes")
    rows = [(number % 5 or None, at(number * 17), f"u{number}") for number in range(60)]
    _table(spark, "clicks", rows, "user_id BIGINT, ts TIMESTAMP, url STRING")
    _table(
        spark,
        "customers",
        [(1, "Ann", "Here", at(5)), (2, "Bob", "There", at(90)), (2, "Rob", "There", at(91))],
        "id BIGINT, name STRING, address STRING, c_time TIMESTAMP",
    )
    _table(
        spark,
        "orders",
        [(1, 10, 1.5, at(0)), (1, 11, 2.5, at(70)), (2, 20, None, at(80)), (3, 30, 0.0, at(0))],
        "customer BIGINT, order_id BIGINT, price DOUBLE, o_time TIMESTAMP",
    )
    _table(
        spark,
        "kinds",
        [
            (
                START.replace(tzinfo=None),
                START.date(),
                b"x",
                [1, None],
                {"a": 1},
                (1, START),
                True,
                1.5,
            )
        ],
        "n TIMESTAMP_NTZ, d DATE, b BINARY, l ARRAY<INT>, m MAP<STRING, INT>, "
        "s STRUCT<i: INT, t: TIMESTAMP>, f BOOLEAN, x DOUBLE",
    )
    env = vs.TableEnvironment(spark)
    env.use_database("processes")
    for name, function in {
        "count_with_timeout": CountWithTimeout,
        "count_rows": CountRows,
        "match_once": MatchOnce,
        "repeat_rows": Repeat,
        "flags": Flags,
        "fails": Fails,
        "callers": Callers,
        "how_many": HowMany,
        "constants": Constants,
    }.items():
        env.create_temporary_system_function(name, function)
    yield env
    spark.sql("DROP DATABASE processes CASCADE")


def _table(spark: SparkSession, name: str, rows: list[Any], schema: str) -> None:
    spark.createDataFrame(rows, schema).write.saveAsTable(f"processes.{name}", mode="overwrite")


def clicks(env: vs.TableEnvironment) -> vs.Table:
    return env.from_path("clicks")


def no_times(env: vs.TableEnvironment, policy: str) -> vs.Table:
    """Sessions of clicks of which some have no time."""
    ts = F.nullif(col("ts"), lit(at(34)))
    clicked = clicks(env).select("user_id", ts.alias("ts")).partition_by("user_id")
    return clicked.process("count_rows", on_time=descriptor("ts"), null_times=policy)


def constants(env: vs.TableEnvironment) -> vs.Table:
    """Constants that are built, of smaller types than declared."""
    return (
        env.from_path("orders")
        .partition_by("customer")
        .process(
            "constants",
            point=vs.row(1, "a"),
            sizes=vs.map_("s", 1, "l", lit(3).cast("INT")),
            weights=vs.array(1, 2.5),
            most=lit(7).cast("SMALLINT"),
        )
    )


def computed_keys(env: vs.TableEnvironment) -> vs.Table:
    """A key that is computed, beside one that is not."""
    half = (col("order_id") / 10).cast("INT").alias("half")
    return env.from_path("orders").partition_by(half, "customer").process("count_rows")


PIPELINES = {
    "computed keys": computed_keys,
    "constants": constants,
    "no times": lambda env: no_times(env, "drop"),
    "times last": lambda env: no_times(env, "last"),
    "sessions": lambda env: (
        clicks(env)
        .filter(col("url") != "u7")
        .partition_by("user_id")
        .process("count_with_timeout", on_time=descriptor("ts"), uid="main")
        .filter(col("count") > 1)
    ),
    "counts": lambda env: clicks(env).partition_by("user_id").process("count_rows"),
    "two tables": lambda env: (
        env.from_path("customers")
        .partition_by("id")
        .process(
            "match_once",
            env.from_path("orders").partition_by("customer").copartition_with("customer"),
            on_time=descriptor("c_time", "o_time"),
        )
    ),
    "rows": lambda env: env.from_path("orders").process("repeat_rows", times=3),
    "one partition": lambda env: clicks(env).limit(3).order_by("ts").process("flags"),
    "all types": lambda env: (
        env.from_path("kinds").partition_by("d").process("flags", when=at(0.5), amount=12)
    ),
    "one over another": lambda env: (
        clicks(env)
        .partition_by("user_id")
        .process("count_with_timeout", on_time=descriptor("ts"))
        .partition_by("count")
        .process("count_rows")
    ),
    "beside itself": lambda env: _joined(clicks(env).partition_by("user_id").process("count_rows")),
    "no rows": lambda env: (
        clicks(env)
        .filter(col("url") == "")
        .partition_by("url")
        .process("count_with_timeout", on_time=descriptor("ts"))
    ),
}


def _joined(table: vs.Table) -> vs.Table:
    return table.alias("a").join(table.alias("b"), col("a.user_id") == col("b.user_id"))


@pytest.mark.parametrize("name", PIPELINES)
def test_the_text_gives_what_the_tree_gives(
    spark: SparkSession, env: vs.TableEnvironment, name: str
) -> None:
    table = PIPELINES[name](env)
    answers = Answers(lambda frame: sorted(map(str, frame.collect())))
    tree = table.to_dataframe(spark)
    for style in ("readable", "nested", "pipe"):
        text = spark.sql(table.to_sql(style))
        assert text.schema == tree.schema
        assert answers.of(text) == answers.of(tree)


def test_what_functions_see(spark: SparkSession, env: vs.TableEnvironment) -> None:
    table = PIPELINES["all types"](env)
    (row,) = table.to_dataframe(spark).collect()
    zoned = "datetime.datetime(2024, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)"
    assert row.seen == (
        "(datetime.datetime(2024, 1, 1, 0, 0), datetime.date(2024, 1, 1), b'x', [1, None], "
        f"{{'a': 1}}, Row(i=1, t={zoned}), True, 1.5) 2024-01-01 00:00:00.500000+00:00 12.00 "
        "('d',)"
    )


def test_sessions_are_right(spark: SparkSession, env: vs.TableEnvironment) -> None:
    found = PIPELINES["two tables"](env).to_dataframe(spark).collect()
    assert sorted(map(tuple, found)) == [
        (1, 1, "Ann", 10, at(5).replace(tzinfo=None)),
        (2, 2, "Bob", 20, at(90).replace(tzinfo=None)),
    ]


def test_a_failure_names_function_and_value(spark: SparkSession, env: vs.TableEnvironment) -> None:
    table = clicks(env).partition_by("user_id").process("fails")
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        with pytest.raises(Exception, match="the column `n` of Fails is INT") as caught:
            frame.collect()
        assert "'twelve'" in str(caught.value)


def test_text_with_wrong_arguments_says_so(spark: SparkSession, env: vs.TableEnvironment) -> None:
    clicks(env).partition_by("user_id").process("count_rows").to_dataframe(spark)
    for text, message in {
        "input => TABLE(processes.clicks) PARTITION BY (user_id), key => 'a'": "no argument `key`",
        "input => TABLE(processes.clicks) PARTITION BY (user_id), keys => array('who')": "`who`",
        "input => 5": "is a table",
        "keys => array('a')": "without a table",
    }.items():
        with pytest.raises(Exception, match=message):
            spark.sql(f"SELECT * FROM count_rows({text})").collect()


def test_intervals_of_months_are_refused(spark: SparkSession, env: vs.TableEnvironment) -> None:
    table = clicks(env).add_columns(vs.interval(years=1).alias("y")).partition_by("user_id")
    with pytest.raises(ViewscribeError, match="interval of months"):
        table.process("count_rows").to_dataframe(spark)


def test_the_text_has_batches_handed_over_whole(
    env: vs.TableEnvironment, spark: SparkSession
) -> None:
    """Spark's worker would cut them into partitions, a Python comparison for each row."""
    table = clicks(env).partition_by("user_id").process("callers")
    table.to_dataframe(spark)
    callers = {row.callers for row in spark.sql(table.to_sql()).collect()}
    assert all("whole_batches.py" in each for each in callers), callers


def test_constants_in_a_text_are_widened(env: vs.TableEnvironment, spark: SparkSession) -> None:
    constants(env).to_dataframe(spark)
    call = """SELECT DISTINCT seen FROM constants(
      input => TABLE(processes.orders) PARTITION BY customer, keys => array('customer'),
      point => named_struct('x', 1, 'name', 'a'), sizes => map('s', 1), weights => array(1, 2),
      most => 7{}, least => 1.5)"""
    (row,) = spark.sql(call.format("")).collect()
    assert row.seen == "1 a {'s': 1} [1.0, 2.0] 7 1.5"
    with pytest.raises(Exception, match=r"`most` of Constants is DECIMAL.*takes BIGINT"):
        spark.sql(call.format(".5")).collect()


def test_a_table_without_rows_may_be_kept(env: vs.TableEnvironment, spark: SparkSession) -> None:
    """Whether Spark knows that it is empty, finds out as it runs, or there are some."""
    table = clicks(env)
    for rows, count in (
        (table.filter(col("url") == "none"), 0),
        (table.filter(lit(1) > 2), 0),
        (table, 60),
    ):
        counted = rows.process("how_many")
        assert [tuple(row) for row in counted.to_dataframe(spark).collect()] == [(count,)]
        with pytest.raises(ViewscribeError, match="HowMany keeps a table without rows"):
            counted.to_sql()
    by_user = table.filter(lit(1) > 2).partition_by("user_id").process("how_many")
    assert by_user.to_dataframe(spark).collect() == []
    assert "PARTITION BY (user_id)" in by_user.to_sql()
    with pytest.raises(Exception, match="HowMany keeps a table without rows"):
        spark.sql("SELECT * FROM how_many(TABLE(processes.clicks) WITH SINGLE PARTITION)").collect()
    found = vs.process.run(HowMany, {"input": []}, schema="url STRING")
    assert [tuple(row) for row in found] == [(0,)]
