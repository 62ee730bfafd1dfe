"""TPC-H queries 9 to 15 as Table API pipelines."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from examples.tpch.pipelines.common import DISCOUNTED_PRICE
from viewscribe import Table, TableEnvironment, col, if_then_else, interval
from viewscribe import functions as F


def q09(env: TableEnvironment) -> Table:
    """Product type profit measure."""
    green = env.from_path("part").filter(col("p_name").like("%green%"))
    cost = col("ps_supplycost") * col("l_quantity")
    profit = (
        green.join(env.from_path("lineitem"), col("p_partkey") == col("l_partkey"))
        .join(env.from_path("supplier"), col("s_suppkey") == col("l_suppkey"))
        .join(
            env.from_path("partsupp"),
            (col("ps_suppkey") == col("l_suppkey")) & (col("ps_partkey") == col("l_partkey")),
        )
        .join(env.from_path("orders"), col("o_orderkey") == col("l_orderkey"))
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .select(
            col("n_name").alias("nation"),
            F.year("o_orderdate").alias("o_year"),
            (DISCOUNTED_PRICE - cost).alias("amount"),
        )
        .alias("profit")
    )
    return (
        profit.group_by("nation", "o_year")
        .agg(F.sum("amount").alias("sum_profit"))
        .order_by("nation", col("o_year").desc())
    )


def q10(env: TableEnvironment) -> Table:
    """Returned item reporting."""
    orders = (
        env.from_path("orders")
        .filter(col("o_orderdate") >= date(1993, 10, 1))
        .filter(col("o_orderdate") < date(1993, 10, 1) + interval(months=3))
    )
    returned = env.from_path("lineitem").filter(col("l_returnflag") == "R")
    return (
        env.from_path("customer")
        .join(orders, col("c_custkey") == col("o_custkey"))
        .join(returned, col("l_orderkey") == col("o_orderkey"))
        .join(env.from_path("nation"), col("c_nationkey") == col("n_nationkey"))
        .group_by("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .select(
            "c_custkey",
            "c_name",
            F.sum(DISCOUNTED_PRICE).alias("revenue"),
            "c_acctbal",
            "n_name",
            "c_address",
            "c_phone",
            "c_comment",
        )
        .order_by(col("revenue").desc())
        .limit(20)
    )


def q11(env: TableEnvironment) -> Table:
    """Important stock identification."""
    german_stock = (
        env.from_path("partsupp")
        .join(env.from_path("supplier"), col("ps_suppkey") == col("s_suppkey"))
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .filter(col("n_name") == "GERMANY")
        .select("ps_partkey", (col("ps_supplycost") * col("ps_availqty")).alias("cost"))
        .alias("german_stock")
    )
    # The fraction is 0.0001 / scale factor, and the data is of scale factor 0.01.
    important = german_stock.select(F.sum("cost") * Decimal("0.0100000000"))
    return (
        german_stock.group_by("ps_partkey")
        .agg(F.sum("cost").alias("value"))
        .filter(col("value") > important.scalar())
        .order_by(col("value").desc())
    )


def q12(env: TableEnvironment) -> Table:
    """Shipping modes and order priority."""
    late = (
        env.from_path("lineitem")
        .filter(col("l_shipmode").in_("MAIL", "SHIP"))
        .filter(col("l_commitdate") < col("l_receiptdate"))
        .filter(col("l_shipdate") < col("l_commitdate"))
        .filter(col("l_receiptdate") >= date(1994, 1, 1))
        .filter(col("l_receiptdate") < date(1994, 1, 1) + interval(years=1))
    )
    urgent = col("o_orderpriority").in_("1-URGENT", "2-HIGH")
    return (
        env.from_path("orders")
        .join(late, col("o_orderkey") == col("l_orderkey"))
        .group_by("l_shipmode")
        .agg(
            F.sum(F.when(urgent, 1).otherwise(0)).alias("high_line_count"),
            F.sum(F.when(~urgent, 1).otherwise(0)).alias("low_line_count"),
        )
        .order_by("l_shipmode")
    )


def q13(env: TableEnvironment) -> Table:
    """Customer distribution."""
    return (
        env.from_path("customer")
        .left_outer_join(
            env.from_path("orders"),
            (col("c_custkey") == col("o_custkey")) & ~col("o_comment").like("%special%requests%"),
        )
        .group_by("c_custkey")
        .agg(F.count("o_orderkey").alias("c_count"))
        .group_by("c_count")
        .agg(F.count("*").alias("custdist"))
        .order_by(col("custdist").desc(), col("c_count").desc())
    )


def q14(env: TableEnvironment) -> Table:
    """Promotion effect."""
    promoted = if_then_else(col("p_type").like("PROMO%"), DISCOUNTED_PRICE, 0)
    return (
        env.from_path("lineitem")
        .join(env.from_path("part"), col("l_partkey") == col("p_partkey"))
        .filter(col("l_shipdate") >= date(1995, 9, 1))
        .filter(col("l_shipdate") < date(1995, 9, 1) + interval(months=1))
        .select(
            (Decimal("100.00") * F.sum(promoted) / F.sum(DISCOUNTED_PRICE)).alias("promo_revenue")
        )
    )


def q15(env: TableEnvironment) -> Table:
    """Top supplier."""
    revenue = (
        env.from_path("lineitem")
        .filter(col("l_shipdate") >= date(1996, 1, 1))
        .filter(col("l_shipdate") < date(1996, 1, 1) + interval(months=3))
        .group_by(col("l_suppkey").alias("supplier_no"))
        .agg(F.sum(DISCOUNTED_PRICE).alias("total_revenue"))
        .alias("revenue")
    )
    best = revenue.select(F.max("total_revenue"))
    return (
        env.from_path("supplier")
        .join(revenue, col("s_suppkey") == col("supplier_no"))
        .filter(col("total_revenue") == best.scalar())
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .order_by("s_suppkey")
    )
