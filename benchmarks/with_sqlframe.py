"""The pipelines in sqlframe: its standalone session, which only writes SQL, in Spark's dialect.

``optimize=False, pretty=False`` is its fastest way to text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlframe.standalone import StandaloneSession
from sqlframe.standalone import functions as F

from benchmarks.tables import SCHEMAS
from benchmarks.with_viewscribe import COLUMNS, TERMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.rows import Jobs

col = F.col


class KnownTables:
    """The tables by name, each looked up once."""

    def __init__(self) -> None:
        session: Any = StandaloneSession()
        for name, columns_ in SCHEMAS.items():
            types = {column: type_.lower() for column, type_ in columns_.items()}
            session.catalog.add_table(name, types)
        self._known = {name: session.table(name) for name in SCHEMAS}

    def table(self, name: str) -> Any:
        return self._known[name]


def _price() -> Any:
    return col("l_extendedprice") * (F.lit(1) - col("l_discount"))


def q01(spark: KnownTables) -> Any:
    return (
        spark.table("lineitem")
        .where(col("l_shipdate") <= F.expr("DATE '1998-12-01' - INTERVAL '90' DAY"))
        .groupBy("l_returnflag", "l_linestatus")
        .agg(
            F.sum("l_quantity").alias("sum_qty"),
            F.sum("l_extendedprice").alias("sum_base_price"),
            F.sum(_price()).alias("sum_disc_price"),
            F.sum(_price() * (F.lit(1) + col("l_tax"))).alias("sum_charge"),
            F.avg("l_quantity").alias("avg_qty"),
            F.avg("l_extendedprice").alias("avg_price"),
            F.avg("l_discount").alias("avg_disc"),
            F.count("*").alias("count_order"),
        )
        .orderBy("l_returnflag", "l_linestatus")
    )


def q03(spark: KnownTables) -> Any:
    customers = spark.table("customer").where(col("c_mktsegment") == "BUILDING")
    orders = spark.table("orders").where(col("o_orderdate") < F.expr("DATE '1995-03-15'"))
    lines = spark.table("lineitem").where(col("l_shipdate") > F.expr("DATE '1995-03-15'"))
    return (
        customers.join(orders, on=col("c_custkey") == col("o_custkey"))
        .join(lines, on=col("l_orderkey") == col("o_orderkey"))
        .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
        .agg(F.sum(_price()).alias("revenue"))
        .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .orderBy(col("revenue").desc(), "o_orderdate")
        .limit(10)
    )


def q05(spark: KnownTables) -> Any:
    return (
        spark.table("customer")
        .join(spark.table("orders"), on=col("c_custkey") == col("o_custkey"))
        .join(spark.table("lineitem"), on=col("l_orderkey") == col("o_orderkey"))
        .join(
            spark.table("supplier"),
            on=(col("l_suppkey") == col("s_suppkey")) & (col("c_nationkey") == col("s_nationkey")),
        )
        .join(spark.table("nation"), on=col("s_nationkey") == col("n_nationkey"))
        .join(spark.table("region"), on=col("n_regionkey") == col("r_regionkey"))
        .where(col("r_name") == "ASIA")
        .where(col("o_orderdate") >= F.expr("DATE '1994-01-01'"))
        .where(col("o_orderdate") < F.expr("DATE '1994-01-01' + INTERVAL '1' YEAR"))
        .groupBy("n_name")
        .agg(F.sum(_price()).alias("revenue"))
        .orderBy(col("revenue").desc())
    )


def chain(spark: KnownTables) -> Any:
    return (
        spark.table("events")
        .where(col("kind").isNotNull() & (col("id") > 10))
        .withColumn("twice", col("id") * 2 + 1)
        .select("kind", "day", "twice")
    )


def columns(spark: KnownTables) -> Any:
    table = spark.table("events").withColumn("c0", col("id") + 1)
    for number in range(1, COLUMNS):
        table = table.withColumn(f"c{number}", col(f"c{number - 1}") + 1)
    return table


def conjunction(spark: KnownTables) -> Any:
    """A chain of ``&``, or one ``where`` a term, overflows the stack; a balanced tree does not."""
    terms = [col("id") > number for number in range(TERMS)]
    while len(terms) > 1:
        pairs = [left & right for left, right in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(pairs) * 2 :]
    return spark.table("events").where(terms[0])


PIPELINES: dict[str, Callable[[KnownTables], Any]] = {
    "q01": q01,
    "q03": q03,
    "q05": q05,
    "chain": chain,
    "columns": columns,
    "conjunction": conjunction,
}


def jobs() -> Jobs:
    """Each pipeline built anew and written as SQL."""
    spark = KnownTables()
    return {name: _job(spark, pipeline) for name, pipeline in PIPELINES.items()}


def _job(spark: KnownTables, pipeline: Callable[[KnownTables], Any]) -> Callable[[], str]:
    return lambda: str(pipeline(spark).sql(optimize=False, pretty=False))
