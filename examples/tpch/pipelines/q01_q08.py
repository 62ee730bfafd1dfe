"""TPC-H queries 1 to 8 as Table API pipelines."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from examples.tpch.pipelines.common import DISCOUNTED_PRICE
from viewscribe import Table, TableEnvironment, col, exists, if_then_else, interval, scalar
from viewscribe import functions as F


def q01(env: TableEnvironment) -> Table:
    """Pricing summary report."""
    return (
        env.from_path("lineitem")
        .filter(col("l_shipdate") <= date(1998, 12, 1) - interval(days=90))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            F.sum("l_quantity").alias("sum_qty"),
            F.sum("l_extendedprice").alias("sum_base_price"),
            F.sum(DISCOUNTED_PRICE).alias("sum_disc_price"),
            F.sum(DISCOUNTED_PRICE * (1 + col("l_tax"))).alias("sum_charge"),
            F.avg("l_quantity").alias("avg_qty"),
            F.avg("l_extendedprice").alias("avg_price"),
            F.avg("l_discount").alias("avg_disc"),
            F.count("*").alias("count_order"),
        )
        .order_by("l_returnflag", "l_linestatus")
    )


def q02(env: TableEnvironment) -> Table:
    """Minimum cost supplier."""
    offers = (
        env.from_path("partsupp")
        .join(env.from_path("supplier"), col("ps_suppkey") == col("s_suppkey"))
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .join(env.from_path("region"), col("n_regionkey") == col("r_regionkey"))
        .filter(col("r_name") == "EUROPE")
        .select(
            "ps_partkey",
            "ps_supplycost",
            "n_name",
            "s_name",
            "s_address",
            "s_phone",
            "s_acctbal",
            "s_comment",
        )
        .alias("offers")
    )
    return (
        env.from_path("part")
        .filter(col("p_size") == 15)
        .filter(col("p_type").like("%BRASS"))
        .join(offers, col("p_partkey") == col("ps_partkey"))
        .filter(
            col("ps_supplycost")
            == scalar(
                lambda outer: offers.filter(col("ps_partkey") == outer("p_partkey")).select(
                    F.min("ps_supplycost")
                )
            )
        )
        .select(
            "s_acctbal",
            "s_name",
            "n_name",
            "p_partkey",
            "p_mfgr",
            "s_address",
            "s_phone",
            "s_comment",
        )
        .order_by(col("s_acctbal").desc(), "n_name", "s_name", "p_partkey")
        .limit(100)
    )


def q03(env: TableEnvironment) -> Table:
    """Shipping priority."""
    customers = env.from_path("customer").filter(col("c_mktsegment") == "BUILDING")
    orders = env.from_path("orders").filter(col("o_orderdate") < date(1995, 3, 15))
    lines = env.from_path("lineitem").filter(col("l_shipdate") > date(1995, 3, 15))
    return (
        customers.join(orders, col("c_custkey") == col("o_custkey"))
        .join(lines, col("l_orderkey") == col("o_orderkey"))
        .group_by("l_orderkey", "o_orderdate", "o_shippriority")
        .select(
            "l_orderkey",
            F.sum(DISCOUNTED_PRICE).alias("revenue"),
            "o_orderdate",
            "o_shippriority",
        )
        .order_by(col("revenue").desc(), "o_orderdate")
        .limit(10)
    )


def q04(env: TableEnvironment) -> Table:
    """Order priority checking."""
    late = env.from_path("lineitem").filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        env.from_path("orders")
        .filter(col("o_orderdate") >= date(1993, 7, 1))
        .filter(col("o_orderdate") < date(1993, 7, 1) + interval(months=3))
        .filter(exists(lambda outer: late.filter(col("l_orderkey") == outer("o_orderkey"))))
        .group_by("o_orderpriority")
        .agg(F.count("*").alias("order_count"))
        .order_by("o_orderpriority")
    )


def q05(env: TableEnvironment) -> Table:
    """Local supplier volume."""
    return (
        env.from_path("customer")
        .join(env.from_path("orders"), col("c_custkey") == col("o_custkey"))
        .join(env.from_path("lineitem"), col("l_orderkey") == col("o_orderkey"))
        .join(
            env.from_path("supplier"),
            (col("l_suppkey") == col("s_suppkey")) & (col("c_nationkey") == col("s_nationkey")),
        )
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .join(env.from_path("region"), col("n_regionkey") == col("r_regionkey"))
        .filter(col("r_name") == "ASIA")
        .filter(col("o_orderdate") >= date(1994, 1, 1))
        .filter(col("o_orderdate") < date(1994, 1, 1) + interval(years=1))
        .group_by("n_name")
        .agg(F.sum(DISCOUNTED_PRICE).alias("revenue"))
        .order_by(col("revenue").desc())
    )


def q06(env: TableEnvironment) -> Table:
    """Forecasting revenue change."""
    return (
        env.from_path("lineitem")
        .filter(col("l_shipdate") >= date(1994, 1, 1))
        .filter(col("l_shipdate") < date(1994, 1, 1) + interval(years=1))
        .filter(col("l_discount").between(Decimal("0.05"), Decimal("0.07")))
        .filter(col("l_quantity") < 24)
        .select(F.sum(col("l_extendedprice") * col("l_discount")).alias("revenue"))
    )


def q07(env: TableEnvironment) -> Table:
    """Volume shipping."""
    lines = env.from_path("lineitem").filter(
        col("l_shipdate").between(date(1995, 1, 1), date(1996, 12, 31))
    )
    nation = env.from_path("nation")
    supplier_nation, customer_nation = col("n1.n_name"), col("n2.n_name")
    return (
        env.from_path("supplier")
        .join(lines, col("s_suppkey") == col("l_suppkey"))
        .join(env.from_path("orders"), col("o_orderkey") == col("l_orderkey"))
        .join(env.from_path("customer"), col("c_custkey") == col("o_custkey"))
        .join(nation.alias("n1"), col("s_nationkey") == col("n1.n_nationkey"))
        .join(nation.alias("n2"), col("c_nationkey") == col("n2.n_nationkey"))
        .filter(
            ((supplier_nation == "FRANCE") & (customer_nation == "GERMANY"))
            | ((supplier_nation == "GERMANY") & (customer_nation == "FRANCE"))
        )
        .select(
            supplier_nation.alias("supp_nation"),
            customer_nation.alias("cust_nation"),
            F.year("l_shipdate").alias("l_year"),
            DISCOUNTED_PRICE.alias("volume"),
        )
        .group_by("supp_nation", "cust_nation", "l_year")
        .agg(F.sum("volume").alias("revenue"))
        .order_by("supp_nation", "cust_nation", "l_year")
    )


def q08(env: TableEnvironment) -> Table:
    """National market share."""
    parts = env.from_path("part").filter(col("p_type") == "ECONOMY ANODIZED STEEL")
    orders = env.from_path("orders").filter(
        col("o_orderdate").between(date(1995, 1, 1), date(1996, 12, 31))
    )
    nation = env.from_path("nation")
    all_nations = (
        parts.join(env.from_path("lineitem"), col("p_partkey") == col("l_partkey"))
        .join(env.from_path("supplier"), col("s_suppkey") == col("l_suppkey"))
        .join(orders, col("l_orderkey") == col("o_orderkey"))
        .join(env.from_path("customer"), col("o_custkey") == col("c_custkey"))
        .join(nation.alias("n1"), col("c_nationkey") == col("n1.n_nationkey"))
        .join(env.from_path("region"), col("n1.n_regionkey") == col("r_regionkey"))
        .join(nation.alias("n2"), col("s_nationkey") == col("n2.n_nationkey"))
        .filter(col("r_name") == "AMERICA")
        .select(
            F.year("o_orderdate").alias("o_year"),
            DISCOUNTED_PRICE.alias("volume"),
            col("n2.n_name").alias("nation"),
        )
        .alias("all_nations")
    )
    brazilian = if_then_else(col("nation") == "BRAZIL", col("volume"), 0)
    return (
        all_nations.group_by("o_year")
        .agg((F.sum(brazilian) / F.sum("volume")).alias("mkt_share"))
        .order_by("o_year")
    )
