"""Python functions of every kind on Spark: as a tree, as text, and by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import reduce
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.spark.answers import Answers
from tests.spark.helpers import failure, sorted_rows
from viewscribe import call, col, lit, over
from viewscribe import functions as F
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.types import schema_from_spark

Longs = Annotated[pa.Array, "BIGINT"]
Words = Annotated[pa.Array, "STRING"]

ROWS = [(1, "a", 1), (1, "b", 1), (1, None, None), (2, "c", 5), (3, "d", 7), (3, "e", None)]


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


def check(spark: Any, table: vs.Table, expected: list[tuple[Any, ...]]) -> None:
    """The tree and the text give these rows, of the types the tree says."""
    answers = Answers(sorted_rows)
    tree, text = table.to_dataframe(spark), spark.sql(table.to_sql())
    assert text.schema == tree.schema
    types = [field.type.ddl for field in schema_from_spark(tree.schema)]
    assert types == [field.type.ddl for field in table.schema.fields]
    for frame in (tree, text):
        assert answers.of(frame) == sorted(expected, key=repr)


def check_failure(spark: Any, table: vs.Table, message: str) -> None:
    """The tree and the text both fail with the message."""
    answers = Answers(failure)
    for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
        assert message in answers.of(frame)


# -- vectorized functions --------------------------------------------------------------------------


def plus_one(x: Longs) -> Longs:
    return pc.add(x, 1)


def lengths(word: Words) -> Annotated[pa.Array, "BIGINT"]:
    return pc.utf8_length(word)  # 32 bits in Arrow


def with_state(x: Iterator[Longs]) -> Iterator[Longs]:
    step = 10  # once, not for every batch
    for batch in x:
        yield pc.add(batch, step)


def products(pair: Iterator[tuple[Longs, Longs]]) -> Iterator[Longs]:
    for one, other in pair:
        yield pc.multiply(one, other)


@pytest.mark.slow("starts Python workers for vectorized functions of each kind")
def test_vectorized_functions(spark: Any, env: vs.TableEnvironment, rows: vs.Table) -> None:
    for function in (plus_one, lengths, with_state):
        env.create_temporary_system_function(function.__name__, function)
    env.create_temporary_function("ghost.db.products", products)
    table = rows.select(
        "k",
        call("plus_one", col("v")).alias("a"),
        call("lengths", col("w")).alias("b"),
        call("with_state", call("plus_one", col("k"))).alias("c"),
        call("ghost.db.products", col("k"), col("v")).alias("d"),
        call("plus_one", "41").alias("e"),
    )
    expected = [(k, v and v + 1, w and 1, k + 11, v and k * v, 42) for k, w, v in ROWS]
    check(spark, table, expected)
    summed = rows.filter(call("plus_one", col("v")) > 2).agg(
        F.sum(call("with_state", col("v"))).alias("x")
    )
    check(spark, summed, [(32,)])


def test_a_function_without_annotations(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table
) -> None:
    env.create_temporary_system_function(
        "negated", lambda x: pc.negate(x), parameters=["INT"], returns="INT", vectorized=True
    )
    table = rows.select(call("negated", col("v")).alias("x"))
    check(spark, table, [(v and -v,) for _, _, v in ROWS])


def test_an_inline_vectorized_function_runs_in_the_tree(spark: Any, rows: vs.Table) -> None:
    table = rows.select(call(plus_one, col("k")).alias("x"))
    assert sorted(table.to_dataframe(spark).collect()) == [(2,), (2,), (2,), (3,), (4,), (4,)]


def one_row_less(x: Longs) -> Longs:
    return x.slice(1)


def as_text(x: Longs) -> Longs:
    return pc.cast(x, pa.string())  # which Spark would silently cast back


def as_list(x: Longs) -> Longs:
    return x.to_pylist()


def too_large(x: Longs) -> Annotated[pa.Array, "TINYINT"]:
    return pc.multiply(x, 1000)


def first_batch_only(x: Iterator[Longs]) -> Iterator[Longs]:
    yield next(x).slice(1)


WRONG = {
    one_row_less: "Error: the vectorized function f gave",
    as_text: "the function f gave string in Arrow, and its result is BIGINT, int64",
    as_list: "the vectorized function f gave a list, not a pyarrow.Array",
    too_large: "the function f gave what is no TINYINT",
    first_batch_only: "Error: the vectorized function f gave",
}


@pytest.mark.parametrize("function", WRONG)
def test_a_wrong_result_names_the_function(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table, function: Any
) -> None:
    env.create_temporary_system_function("f", function)
    check_failure(spark, rows.select(call("f", col("k")).alias("x")), WRONG[function])


# -- aggregates ------------------------------------------------------------------------------------


class Mean:
    """The mean of the values that are there."""

    def create_accumulator(self) -> list[Any]:
        return [0, 0]

    def accumulate(self, accumulator: list[Any], x: int | None) -> None:
        if x is not None:
            accumulator[0] += x
            accumulator[1] += 1

    def merge(self, accumulator: list[Any], accumulators: Iterable[list[Any]]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: list[Any]) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


class Seen:
    """Counts rows, NULLs among them: never NULL itself."""

    def create_accumulator(self) -> dict[str, int]:
        return {"rows": 0, "nulls": 0}

    def accumulate(self, accumulator: dict[str, int], x: int, y: str) -> None:
        accumulator["rows"] += 1
        accumulator["nulls"] += (x is None) + (y is None)

    def get_value(self, accumulator: dict[str, int]) -> dict[str, int]:
        return accumulator


def total(xs: list[int | None]) -> int:
    return sum(x for x in xs if x is not None)


def longest(word: Words) -> str:
    words = [each for each in word.to_pylist() if each is not None]
    return max(words, key=lambda each: (len(each), each), default=None)  # type: ignore[return-value]


@pytest.fixture
def aggregates(env: vs.TableEnvironment) -> None:
    env.create_temporary_system_function("my_mean", Mean)
    env.create_temporary_system_function("seen", Seen())
    env.create_temporary_system_function("total", total, kind=FunctionKind.AGGREGATE)
    env.create_temporary_system_function("longest", longest)


MEAN = call("my_mean", col("v"))
TOTAL = call("total", col("v"))
SEEN = call("seen", col("v"), col("w"))
LONGEST = call("longest", col("w"))


@pytest.mark.usefixtures("aggregates")
def test_aggregates_of_every_convention_by_groups(spark: Any, rows: vs.Table) -> None:
    table = rows.group_by("k").agg(
        MEAN.alias("m"), TOTAL.alias("t"), SEEN.alias("s"), LONGEST.alias("l")
    )
    assert "collect_list" not in table.to_sql()
    check(
        spark,
        table,
        [
            (1, 1.0, 2, {"rows": 3, "nulls": 2}, "b"),
            (2, 5.0, 5, {"rows": 1, "nulls": 0}, "c"),
            (3, 7.0, 7, {"rows": 2, "nulls": 1}, "e"),
        ],
    )
    having = rows.group_by("k").select("k", (MEAN + TOTAL).alias("x")).filter(col("x") > 5)
    check(spark, having, [(2, 10.0), (3, 14.0)])
    rollup = rows.rollup("k").agg(TOTAL.alias("t"))
    check(spark, rollup, [(1, 2), (2, 5), (3, 7), (None, 14)])
    check(spark, rows.filter(col("k") > 9).group_by("k").agg(TOTAL.alias("t")), [])


@pytest.mark.usefixtures("aggregates")
def test_distinct_filter_and_other_aggregates_beside(spark: Any, rows: vs.Table) -> None:
    table = rows.group_by("k").agg(
        TOTAL.distinct().alias("once"),
        TOTAL.filter(col("w") != "b").alias("some"),
        SEEN.distinct().filter(col("k") != 2).alias("both"),
        MEAN.alias("m"),
        F.sum("v").alias("s"),
        F.count().alias("n"),
    )
    check(
        spark,
        table,
        [
            (1, 1, 1, {"rows": 3, "nulls": 2}, 1.0, 2, 3),
            (2, 5, 5, {"rows": 0, "nulls": 0}, 5.0, 5, 1),
            (3, 7, 7, {"rows": 2, "nulls": 1}, 7.0, 7, 2),
        ],
    )


@pytest.mark.usefixtures("aggregates")
def test_all_rows_are_a_group_also_where_there_are_none(spark: Any, rows: vs.Table) -> None:
    """Spark itself would give no row for no rows."""
    items = [MEAN.alias("m"), TOTAL.alias("t"), SEEN.alias("s"), LONGEST.alias("l")]
    check(spark, rows.agg(*items), [(3.5, 14, {"rows": 6, "nulls": 3}, "e")])
    nothing = rows.filter(col("k") > 9)
    check(spark, nothing.agg(*items), [(None, 0, {"rows": 0, "nulls": 0}, None)])
    check(spark, nothing.select((TOTAL + 1).alias("t"), F.count().alias("n")), [(1, 0)])


@pytest.mark.usefixtures("aggregates")
def test_a_sub_query_of_an_aggregate_has_a_value_for_no_rows(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table
) -> None:
    keys = env.from_values([(1,), (4,)], "key INT")
    table = keys.select(
        "key",
        vs.scalar(lambda outer: rows.filter(col("k") == outer("key")).agg(TOTAL)).alias("t"),
    )
    check(spark, table, [(1, 2), (4, 0)])


@pytest.mark.usefixtures("aggregates")
def test_aggregates_over_windows(spark: Any, rows: vs.Table) -> None:
    by_key, ordered = over(partition_by="k"), over(partition_by="k", order_by="w")
    pair = over(order_by=["k", "w"]).rows_between(-1, 0)
    far = over(order_by=["k", "w"]).rows_between(7, 9)
    table = rows.select(
        "k",
        "w",
        MEAN.over(by_key).alias("a"),
        TOTAL.over(ordered).alias("b"),
        SEEN.over(pair).alias("c"),
        LONGEST.over(far).alias("d"),
        F.sum("v").over(by_key).alias("e"),
    )
    check(
        spark,
        table,
        [
            (1, None, 1.0, 0, {"rows": 1, "nulls": 2}, None, 2),
            (1, "a", 1.0, 1, {"rows": 2, "nulls": 2}, None, 2),
            (1, "b", 1.0, 2, {"rows": 2, "nulls": 0}, None, 2),
            (2, "c", 5.0, 5, {"rows": 2, "nulls": 0}, None, 5),
            (3, "d", 7.0, 7, {"rows": 2, "nulls": 0}, None, 7),
            (3, "e", 7.0, 7, {"rows": 2, "nulls": 1}, None, 7),
        ],
    )


@pytest.mark.usefixtures("aggregates")
def test_a_pivot_of_a_python_aggregate(spark: Any, rows: vs.Table) -> None:
    table = rows.group_by("k").pivot("w", ["a", "e"]).agg(TOTAL)
    check(spark, table, [(1, 1, None), (2, None, None), (3, None, 0)])


class Batches:
    """Counts accumulators: one for each batch of rows."""

    def create_accumulator(self) -> list[int]:
        return [1, 0]

    def accumulate(self, accumulator: list[int], x: int) -> None:
        accumulator[1] += x

    def merge(self, accumulator: list[int], accumulators: Iterable[list[int]]) -> None:
        for made, summed in accumulators:
            accumulator[0] += made
            accumulator[1] += summed

    def get_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


def test_accumulators_of_batches_are_merged(spark: Any, env: vs.TableEnvironment) -> None:
    env.create_temporary_system_function("batches", Batches)
    count = 25_000
    rows = env.from_function("range", count)
    two = rows.group_by((col("id") % 2).alias("k")).agg(call("batches", col("id")).alias("x"))
    even = sum(range(0, count, 2))
    check(spark, two, [(0, [2, even]), (1, [2, even + count // 2])])
    whole = rows.agg(call("batches", col("id")).alias("x"), F.count().alias("n"))
    check(spark, whole, [([3, sum(range(count))], count)])


def bad_value(xs: list[int]) -> int:
    return "seven"  # type: ignore[return-value]


def test_a_value_of_another_type_names_the_function(
    spark: Any, env: vs.TableEnvironment, rows: vs.Table
) -> None:
    env.create_temporary_system_function("bad", bad_value, kind=FunctionKind.AGGREGATE)
    bad = call("bad", col("v"))
    grouped, window = rows.group_by("k").agg(bad.alias("x")), bad.over(over(partition_by="k"))
    message = "gave 'seven', which is no BIGINT"
    check_failure(spark, grouped, f"the function bad {message}")
    check_failure(spark, rows.select(window.alias("x")), f"the function bad {message}")
    check_failure(spark, rows.agg(bad.alias("x")), f"the function bad {message}")


# -- types -----------------------------------------------------------------------------------------

VALUES = {
    "BOOLEAN": True,
    "TINYINT": 1,
    "SMALLINT": 2,
    "INT": 3,
    "BIGINT": 4,
    "FLOAT": 1.5,
    "DOUBLE": 2.5,
    "DECIMAL(10, 2)": Decimal("1.25"),
    "STRING": "it's",
    "BINARY": b"\x00\xff",
    "DATE": dt.date(2020, 2, 29),
    "TIMESTAMP": dt.datetime(2020, 2, 29, 12, 30, 0, 5),
    "TIMESTAMP_NTZ": dt.datetime(1900, 1, 1, 0, 0, 0, 1),
    "TIME(6)": dt.time(10, 30, 0, 7),
    "INTERVAL DAY TO SECOND": dt.timedelta(days=1, seconds=2),
    "ARRAY<INT>": [1, None],
    "ARRAY<TIMESTAMP>": [dt.datetime(2020, 1, 1)],
    "MAP<STRING, DECIMAL(5, 1)>": {"a": Decimal("1.5")},
    "STRUCT<x: INT, y: ARRAY<DATE>>": (1, [dt.date(2020, 1, 1), None]),
}


class First:
    """The first value of a group, and NULL after a NULL."""

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], x: Any) -> None:
        accumulator.append(x)

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] if accumulator else None


def identity(x: Any) -> Any:
    return x


def first(xs: Any) -> Any:
    return xs[0]


CONVENTIONS: dict[str, dict[str, Any]] = {
    "row": {"function": identity},
    "arrow": {"function": identity, "vectorized": True},
    "accumulated": {"function": First},
    "listed": {"function": first, "kind": FunctionKind.AGGREGATE},
    "grouped": {"function": first, "kind": FunctionKind.AGGREGATE, "vectorized": True},
}


@pytest.fixture
def times(spark: Any) -> Iterator[None]:
    spark.conf.set("spark.sql.timeType.enabled", True)
    yield
    spark.conf.unset("spark.sql.timeType.enabled")


@pytest.mark.slow("every type through every kind of Python function")
@pytest.mark.usefixtures("times")
def test_values_of_every_type_pass_through_every_convention(
    spark: Any, env: vs.TableEnvironment
) -> None:
    names = [f"c{place}" for place in range(len(VALUES))]
    schema = ", ".join(f"{name} {ddl}" for name, ddl in zip(names, VALUES, strict=True))
    rows = env.from_values([(1, *VALUES.values()), (2, *[None] * len(VALUES))], f"id INT, {schema}")
    calls: dict[str, list[Any]] = {kind: [] for kind in CONVENTIONS}
    for kind, options in CONVENTIONS.items():
        for name, ddl in zip(names, VALUES, strict=True):
            function = f"{kind}_{name}"
            env.create_temporary_system_function(function, parameters=[ddl], returns=ddl, **options)
            calls[kind].append(call(function, col(name)).alias(function))
    scalars = [*calls["row"], *calls["arrow"]]
    aggregates = [*calls["accumulated"], *calls["listed"], *calls["grouped"]]
    plain = sorted_rows(spark.sql(rows.to_sql()))
    answers = Answers(sorted_rows)
    for table in (
        rows.select("id", *scalars),
        rows.group_by("id").agg(*aggregates),
        rows.group_by("id").agg(*aggregates, F.count().alias("n")),
    ):
        for frame in (table.to_dataframe(spark), spark.sql(table.to_sql())):
            shown = answers.of(frame)
            for place in range(1, len(frame.columns) - 1, len(VALUES)):
                kind = frame.columns[place]
                part = slice(place, place + len(VALUES))
                assert [(row[0], *row[part]) for row in shown] == plain, kind
                types = [each.type for each in schema_from_spark(frame.schema)][part]
                assert [each.as_nullable().ddl for each in types] == list(VALUES), kind


@pytest.mark.slow("a Python aggregate grouped, global, distinct and filtered, four times")
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.none() | st.integers(-3, 3), st.booleans()),
        min_size=4,
        max_size=20,
    )
)
def test_python_aggregates_agree_with_sparks_own(
    spark: Any, data: list[tuple[int, int | None, bool]]
) -> None:
    """Grouped, global, distinct, filtered: the same function in Python and of Spark."""
    env = vs.TableEnvironment()
    env.create_temporary_system_function("total", total_or_null, kind=FunctionKind.AGGREGATE)
    rows = env.from_values([*data, (9, None, False)], "k INT, v BIGINT, b BOOLEAN")
    rows = rows.filter(col("k") < 9)

    def totals(x: Any) -> vs.Table:
        found = [
            rows.group_by("k").agg(x.alias("x")),
            rows.agg(x.alias("x")).select(lit(None, "INT").alias("k"), "x"),
            rows.group_by("k").agg(x.distinct().alias("x")),
            rows.agg(x.filter(col("b")).alias("x")).select(lit(None, "INT").alias("k"), "x"),
        ]
        return reduce(vs.Table.union_all, [
            each.select(lit(place).alias("how"), "k", "x") for place, each in enumerate(found)
        ])  # fmt: skip

    ours = totals(call("total", col("v")))
    expected = sorted_rows(totals(F.sum("v")).to_dataframe(spark))
    answers = Answers(sorted_rows)
    assert answers.of(ours.to_dataframe(spark)) == expected
    assert answers.of(spark.sql(ours.to_sql())) == expected


def total_or_null(xs: list[int | None]) -> int | None:
    known = [x for x in xs if x is not None]
    return sum(known) if known else None


# -- what cannot run -------------------------------------------------------------------------------


def test_intervals_of_months_are_refused_before_running(
    spark: Any, env: vs.TableEnvironment
) -> None:
    env.create_temporary_system_function(
        "f", identity, parameters=["INTERVAL YEAR TO MONTH"], returns="INT", vectorized=True
    )
    rows = env.from_values([(1,)], "x INT")
    table = rows.select(call("f", vs.interval(months=1)).alias("x"))
    with pytest.raises(NotInterpretableError, match=r"(?s)f takes or gives INTERVAL YEAR.*months"):
        table.to_dataframe(spark)


def test_an_older_spark_is_named(
    spark: Any, rows: vs.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("pyspark.sql.functions.arrow_udf")
    table = rows.select(call(plus_one, col("k")).alias("x"))
    with pytest.raises(NotInterpretableError, match=r"(?s)plus_one is called through Arrow.*4\.1"):
        table.to_dataframe(spark)
