"""Sketches, bitmaps and vectors: the SQL text and the tree give the values worked out by hand."""

from __future__ import annotations

import datetime as dt
from functools import partial

import pytest

import viewscribe as vs
from tests.spark.helpers import rows
from viewscribe import call, col, lit, over
from viewscribe import functions as F
from viewscribe.errors import ArityError, TypeMismatchError, ValidationError

COLUMNS = (
    "part INT, a INT, b INT, x DOUBLE, f FLOAT, bits BINARY, vector ARRAY<FLOAT>, some ARRAY<INT>"
)
ROWS = [
    (1, 5, 4, 5.0, 5.0, b"\xf0", [1.0, 2.0], [1, 2]),
    (1, 1, 4, 1.0, 1.0, b"\x70", [3.0, 4.0], [2, 3]),
    (2, 2, 5, 2.0, 2.0, b"\x30", None, [1]),
    (2, 2, 5, 2.0, 2.0, b"\x30", [1.0, 2.0], None),
    (2, 3, 1, 3.0, 3.0, b"\x30", [3.0, 4.0], []),
]
KINDS = {"bigint": "a", "float": "f", "double": "x"}
NUMBERS = {"double": "x", "integer": "a"}


def vector(*values):
    return lit(list(values), "ARRAY<FLOAT>")


def beginning(bitmap):
    return F.substring(F.hex(bitmap), 1, 6)


# Of all rows: an expression and its value.
WHOLE = {
    "approx_top_k": (F.approx_top_k("a", 1), [(2, 2)]),
    "approx_top_k with a size": (F.approx_top_k("b", k=1, maxItemsTracked=100), [(4, 2)]),
    "approx_top_k_estimate": (F.approx_top_k_estimate(F.approx_top_k_accumulate("a"), 1), [(2, 2)]),
    "bitmap_construct_agg": (
        beginning(F.bitmap_construct_agg(F.bitmap_bit_position("a"))),
        "170000",
    ),
    "bitmap_count": (F.bitmap_count(F.bitmap_or_agg("bits")), 4),
    "bitmap_or_agg": (beginning(F.bitmap_or_agg("bits")), "F00000"),
    "bitmap_and_agg": (beginning(F.bitmap_and_agg("bits")), "300000"),
    "bitmap_bit_position": (F.bitmap_bit_position(lit(123)), 122),
    "bitmap_bucket_number": (F.bitmap_bucket_number(lit(123)), 1),
    "collect_union": (F.sort_array(F.collect_union("some")), [1, 2, 3]),
    "count_min_sketch": (F.length(F.count_min_sketch("a", 0.5, 0.5, 1)), 60),
    "histogram_numeric": (
        F.histogram_numeric("a", lit(5)),
        [(1, 1.0), (2, 2.0), (3, 1.0), (5, 1.0)],
    ),
    "hll_sketch_agg": (F.hll_sketch_estimate(F.hll_sketch_agg("a", lgConfigK=12)), 4),
    "hll_union": (
        F.hll_sketch_estimate(F.hll_union(F.hll_sketch_agg("a"), F.hll_sketch_agg("b"))),
        5,
    ),
    "theta_sketch_agg": (F.theta_sketch_estimate(F.theta_sketch_agg("a", 12)), 4),
    "theta_union": (
        F.theta_sketch_estimate(
            F.theta_union(F.theta_sketch_agg("a"), F.theta_sketch_agg("b"), 12)
        ),
        5,
    ),
    "theta_intersection": (
        F.theta_sketch_estimate(
            F.theta_intersection(F.theta_sketch_agg("a"), F.theta_sketch_agg("b"))
        ),
        2,
    ),
    "theta_difference": (
        F.theta_sketch_estimate(
            F.theta_difference(F.theta_sketch_agg("a"), F.theta_sketch_agg("b"))
        ),
        2,
    ),
    "percentile_cont": (F.percentile_cont(0.25).within_group("a"), 2.0),
    "percentile_cont of many": (F.percentile_cont([0.125, 1.0]).within_group("a"), [1.5, 5.0]),
    "percentile_cont downwards": (F.percentile_cont(0.125).within_group(col("a").desc()), 4.0),
    "percentile_disc": (F.percentile_disc(0.125).within_group("a"), 1.0),
    "percentile_disc of some": (F.percentile_disc(0.5).within_group("a").filter(col("a") > 2), 3.0),
    "vector_sum": (F.vector_sum("vector"), [8.0, 12.0]),
    "vector_avg": (F.vector_avg("vector"), [2.0, 3.0]),
    "vector_cosine_similarity": (
        F.vector_cosine_similarity(vector(1, 2, 3), vector(4, 5, 6)) > 0.9746,
        True,
    ),
    "vector_inner_product": (F.vector_inner_product(vector(1, 2, 3), vector(4, 5, 6)), 32.0),
    "vector_l2_distance": (F.vector_l2_distance(vector(1, 5), vector(4, 1)), 5.0),
    "vector_norm": (F.vector_norm(vector(3, 4)), 5.0),
    "vector_norm of a degree": (F.vector_norm(vector(3, 4), degree=lit(1.0, "FLOAT")), 7.0),
    "vector_normalize": (F.vector_normalize(vector(0, 4)), [0.0, 1.0]),
}

for kind, name in KINDS.items():
    sketch = getattr(F, f"kll_sketch_agg_{kind}")(name)
    united = getattr(F, f"kll_sketch_merge_{kind}")(
        sketch, getattr(F, f"kll_sketch_agg_{kind}")(name, k=400)
    )
    count = getattr(F, f"kll_sketch_get_n_{kind}")
    quantile = getattr(F, f"kll_sketch_get_quantile_{kind}")
    rank = getattr(F, f"kll_sketch_get_rank_{kind}")
    described = getattr(F, f"kll_sketch_to_string_{kind}")
    WHOLE |= {
        f"kll_sketch_agg_{kind}": (count(sketch), 5),
        f"kll_sketch_merge_{kind}": (count(united), 10),
        f"kll_sketch_get_quantile_{kind}": (quantile(sketch, 0.5), 2),
        f"kll_sketch_get_quantile_{kind} of many": (quantile(sketch, [0.5, 1.0]), [2, 5]),
        f"kll_sketch_get_rank_{kind}": (rank(sketch, lit(2)), 0.6),
        f"kll_sketch_to_string_{kind}": (F.length(described(sketch)) > 0, True),
    }

for kind, name in NUMBERS.items():
    sketch = getattr(F, f"tuple_sketch_agg_{kind}")("a", name)
    other = getattr(F, f"tuple_sketch_agg_{kind}")("b", name, mode="min")
    theta = F.theta_sketch_agg("b")
    estimate = getattr(F, f"tuple_sketch_estimate_{kind}")
    summary = getattr(F, f"tuple_sketch_summary_{kind}")
    made = {
        what: getattr(F, f"tuple_{what}_{kind}") for what in ("union", "intersection", "difference")
    }
    with_theta = {
        what: getattr(F, f"tuple_{what}_theta_{kind}")
        for what in ("union", "intersection", "difference")
    }
    WHOLE |= {
        f"tuple_sketch_estimate_{kind}": (estimate(sketch), 4.0),
        f"tuple_sketch_theta_{kind}": (getattr(F, f"tuple_sketch_theta_{kind}")(sketch), 1.0),
        f"tuple_sketch_summary_{kind}": (summary(sketch), 13),
        f"tuple_sketch_summary_{kind} by a mode": (summary(sketch, mode="max"), 5),
        f"tuple_union_{kind}": (estimate(made["union"](sketch, other)), 5.0),
        f"tuple_union_{kind} by a mode": (summary(made["union"](sketch, other, mode="max")), 16),
        f"tuple_intersection_{kind}": (summary(made["intersection"](sketch, other, "min")), 3),
        f"tuple_difference_{kind}": (summary(made["difference"](sketch, other)), 7),
        f"tuple_union_theta_{kind}": (estimate(with_theta["union"](sketch, theta, 12)), 5.0),
        f"tuple_intersection_theta_{kind}": (summary(with_theta["intersection"](sketch, theta)), 6),
        f"tuple_difference_theta_{kind}": (summary(with_theta["difference"](sketch, theta)), 7),
    }

# The sketch of each part, how the sketches are merged, and the value that the merged one gives.
MERGED = {
    "hll_union_agg": (F.hll_sketch_agg("a"), F.hll_union_agg, F.hll_sketch_estimate, 4),
    "hll_union_agg of sizes": (
        F.hll_sketch_agg("a", 8),
        partial(F.hll_union_agg, allowDifferentLgConfigK=True),
        F.hll_sketch_estimate,
        4,
    ),
    "theta_union_agg": (F.theta_sketch_agg("a"), F.theta_union_agg, F.theta_sketch_estimate, 4),
    "theta_intersection_agg": (
        F.theta_sketch_agg("b"),
        F.theta_intersection_agg,
        F.theta_sketch_estimate,
        0,
    ),
    "approx_top_k_combine": (
        F.approx_top_k_accumulate("a"),
        F.approx_top_k_combine,
        lambda state: F.approx_top_k_estimate(state, 1),
        [(2, 2)],
    ),
    **{
        f"kll_merge_agg_{kind}": (
            getattr(F, f"kll_sketch_agg_{kind}")(name),
            getattr(F, f"kll_merge_agg_{kind}"),
            getattr(F, f"kll_sketch_get_n_{kind}"),
            5,
        )
        for kind, name in KINDS.items()
    },
    **{
        f"tuple_{what}_agg_{kind}": (
            getattr(F, f"tuple_sketch_agg_{kind}")("part", name),
            partial(getattr(F, f"tuple_{what}_agg_{kind}"), mode="max"),
            getattr(F, f"tuple_sketch_estimate_{kind}"),
            expected,
        )
        for kind, name in NUMBERS.items()
        for what, expected in (("union", 2.0), ("intersection", 0.0))
    },
}


@pytest.fixture(scope="module")
def table():
    return vs.TableEnvironment().from_values(ROWS, COLUMNS)


def both(spark, table):
    """The one row, by column, that the SQL text and the tree give."""
    frames = (spark.sql(table.to_sql()), table.to_dataframe(spark))
    return [frame.first().asDict(recursive=True) for frame in frames]


@pytest.fixture(scope="module")
def whole(spark, table):
    items = [expression.alias(name) for name, (expression, _) in WHOLE.items()]
    return both(spark, table.group_by().select(*items))


@pytest.fixture(scope="module")
def merged(spark, table):
    sketches = [sketch.alias(name) for name, (sketch, *_) in MERGED.items()]
    items = [
        estimate(merge(col(f"`{name}`"))).alias(name)
        for name, (_, merge, estimate, _) in MERGED.items()
    ]
    return both(spark, table.group_by("part").select(*sketches).group_by().select(*items))


def plain(value):
    """Rows as tuples, so that a literal can say them."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    return tuple(value.values()) if isinstance(value, dict) else value


@pytest.mark.parametrize("name", WHOLE)
def test_of_all_rows(whole, name):
    text, tree = whole
    assert plain(text[name]) == plain(tree[name]) == WHOLE[name][1]


@pytest.mark.parametrize("name", MERGED)
def test_merged(merged, name):
    text, tree = merged
    assert plain(text[name]) == plain(tree[name]) == MERGED[name][3]


START = dt.datetime(2026, 1, 1)
MINUTE = dt.timedelta(minutes=1)


@pytest.mark.parametrize(
    ("counts", "starts", "expected"),
    [
        ([100, 200, 400, 50, 100], [], [None, 100, 200, None, 50]),
        ([100, 200, 400, 500, 600], [0, 0, 0, 2, 2], [None, 100, 200, None, 100]),
    ],
)
def test_counter_diff(spark, counts, starts, expected):
    times = [START + MINUTE * place for place in range(len(counts))]
    began = [START + MINUTE * place for place in starts] or times[:1] * len(counts)
    table = vs.TableEnvironment().from_values(
        list(zip(times, counts, began, strict=True)),
        "at TIMESTAMP_NTZ, counted INT, began TIMESTAMP_NTZ",
    )
    growth = F.counter_diff("counted", startTime="began") if starts else F.counter_diff("counted")
    made = table.select("at", growth.over(over(order_by="at")).alias("growth")).order_by("at")
    for frame in (spark.sql(made.to_sql()), made.to_dataframe(spark)):
        assert [row.growth for row in frame.collect()] == expected


def test_percentiles_in_having_and_over_a_window(spark, table):
    middle = F.percentile_cont(0.5).within_group("a")
    of_parts = table.group_by("part").agg(middle.alias("middle")).filter(col("middle") > 2)
    of_rows = table.select(middle.over(over(partition_by="part")).alias("middle"))
    for made, expected in ((of_parts, [(1, 3.0)]), (of_rows, [(2.0,)] * 3 + [(3.0,)] * 2)):
        frames = (spark.sql(made.to_sql()), made.to_dataframe(spark))
        text, tree = (sorted(map(tuple, frame.collect())) for frame in frames)
        assert text == tree == expected


def test_measure(spark):
    spark.sql("CREATE DATABASE IF NOT EXISTS metrics")
    spark.sql("DROP VIEW IF EXISTS metrics.by_dept")
    spark.sql("DROP TABLE IF EXISTS metrics.pay")
    spark.sql("CREATE TABLE metrics.pay (dept STRING, salary INT) USING parquet")
    spark.sql("INSERT INTO metrics.pay VALUES ('a', 1), ('a', 2), ('b', 5)")
    spark.sql(
        """CREATE VIEW metrics.by_dept WITH METRICS LANGUAGE YAML AS $$
        version: "0.1"
        source: metrics.pay
        dimensions:
          - name: dept
            expr: dept
        measures:
          - name: total
            expr: sum(salary)
        $$"""
    )
    env = vs.TableEnvironment()
    env.create_database("metrics")
    env.use_database("metrics")
    env.create_table("by_dept", "dept STRING, total BIGINT")
    made = env.from_path("by_dept").group_by("dept").agg(F.measure("total").alias("pay"))
    text, tree = rows(spark.sql(made.to_sql())), rows(made.to_dataframe(spark))
    assert sorted(text) == sorted(tree) == [("a", 3), ("b", 5)]


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (F.percentile_cont(0.5), ValidationError, "takes its values from one sort key, not 0"),
        (F.percentile_cont(0.5).within_group("a", "b"), ValidationError, "not 2"),
        (F.percentile_disc(0.5).within_group("a").distinct(), ValidationError, "has no DISTINCT"),
        (F.percentile_cont(1.5).within_group("a"), TypeMismatchError, "from 0 to 1, not"),
        (
            F.kll_sketch_agg_bigint("a", 7),
            TypeMismatchError,
            "argument 2 is from 8 to 65535, not 7",
        ),
        (
            F.tuple_sketch_agg_integer("a", "a", mode="avg"),
            TypeMismatchError,
            "one of 'sum', 'min'",
        ),
        (F.approx_top_k_combine(F.struct("a"), 5), TypeMismatchError, "a state of approx_top_k"),
        (
            call("count_min_sketch", col("a"), 0.1, 0.9),
            ArityError,
            "takes 4 arguments, not 3",
        ),
        (F.vector_norm("some"), TypeMismatchError, "not ARRAY<FLOAT>"),
    ],
)
def test_what_is_refused(table, made, error, message):
    with pytest.raises(error, match=message):
        table.group_by().select(made.alias("x"))
