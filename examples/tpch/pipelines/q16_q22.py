"""TPC-H queries 16 to 22 as Table API pipelines."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from examples.tpch.pipelines.common import DISCOUNTED_PRICE
from viewscribe import Table, TableEnvironment, and_, col, exists, interval, or_, scalar
from viewscribe import functions as F
from viewscribe.expressions.dsl import Expression


def q16(env: TableEnvironment) -> Table:
    """Parts/supplier relationship."""
    complained_about = (
        env.from_path("supplier")
        .filter(col("s_comment").like("%Customer%Complaints%"))
        .select("s_suppkey")
    )
    return (
        env.from_path("partsupp")
        .join(env.from_path("part"), col("p_partkey") == col("ps_partkey"))
        .filter(col("p_brand") != "Brand#45")
        .filter(~col("p_type").like("MEDIUM POLISHED%"))
        .filter(col("p_size").in_(49, 14, 23, 45, 19, 3, 36, 9))
        .filter(~col("ps_suppkey").in_(complained_about))
        .group_by("p_brand", "p_type", "p_size")
        .agg(F.count_distinct("ps_suppkey").alias("supplier_cnt"))
        .order_by(col("supplier_cnt").desc(), "p_brand", "p_type", "p_size")
    )


def q17(env: TableEnvironment) -> Table:
    """Small-quantity-order revenue."""
    lines = env.from_path("lineitem")
    parts = (
        env.from_path("part")
        .filter(col("p_brand") == "Brand#23")
        .filter(col("p_container") == "MED BOX")
    )
    return (
        lines.join(parts, col("p_partkey") == col("l_partkey"))
        .filter(
            col("l_quantity")
            < scalar(
                lambda outer: lines.filter(col("l_partkey") == outer("p_partkey")).select(
                    Decimal("0.2") * F.avg("l_quantity")
                )
            )
        )
        .select((F.sum("l_extendedprice") / Decimal("7.0")).alias("avg_yearly"))
    )


def q18(env: TableEnvironment) -> Table:
    """Large volume customer."""
    lines = env.from_path("lineitem")
    large_orders = (
        lines.group_by("l_orderkey")
        .agg(F.sum("l_quantity").alias("quantity"))
        .filter(col("quantity") > 300)
        .alias("large_orders")
    )
    return (
        env.from_path("customer")
        .join(env.from_path("orders"), col("c_custkey") == col("o_custkey"))
        .semi_join(large_orders, col("o_orderkey") == col("large_orders.l_orderkey"))
        .join(lines, col("o_orderkey") == col("l_orderkey"))
        .group_by("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(F.sum("l_quantity"))
        .order_by(col("o_totalprice").desc(), "o_orderdate")
        .limit(100)
    )


def q19(env: TableEnvironment) -> Table:
    """Discounted revenue."""

    def offered(brand: str, containers: list[str], quantity: int, size: int) -> Expression:
        return and_(
            col("p_brand") == brand,
            col("p_container").in_(containers),
            col("l_quantity").between(quantity, quantity + 10),
            col("p_size").between(1, size),
        )

    return (
        env.from_path("lineitem")
        .filter(col("l_shipmode").in_("AIR", "AIR REG"))
        .filter(col("l_shipinstruct") == "DELIVER IN PERSON")
        .join(env.from_path("part"), col("p_partkey") == col("l_partkey"))
        .filter(
            or_(
                offered("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5),
                offered("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
                offered("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15),
            )
        )
        .select(F.sum(DISCOUNTED_PRICE).alias("revenue"))
    )


def q20(env: TableEnvironment) -> Table:
    """Potential part promotion."""
    forest_parts = env.from_path("part").filter(col("p_name").like("forest%")).select("p_partkey")
    shipped = (
        env.from_path("lineitem")
        .filter(col("l_shipdate") >= date(1994, 1, 1))
        .filter(col("l_shipdate") < date(1994, 1, 1) + interval(years=1))
    )
    well_stocked = (
        env.from_path("partsupp")
        .filter(col("ps_partkey").in_(forest_parts))
        .filter(
            col("ps_availqty")
            > scalar(
                lambda outer: (
                    shipped.filter(col("l_partkey") == outer("ps_partkey"))
                    .filter(col("l_suppkey") == outer("ps_suppkey"))
                    .select(Decimal("0.5") * F.sum("l_quantity"))
                )
            )
        )
        .select("ps_suppkey")
    )
    return (
        env.from_path("supplier")
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .filter(col("n_name") == "CANADA")
        .filter(col("s_suppkey").in_(well_stocked))
        .select("s_name", "s_address")
        .order_by("s_name")
    )


def q21(env: TableEnvironment) -> Table:
    """Suppliers who kept orders waiting."""
    lines = env.from_path("lineitem")
    late_lines = (
        lines.filter(col("l_receiptdate") > col("l_commitdate"))
        .select("l_orderkey", "l_suppkey")
        .alias("late_lines")
    )

    def of_another_supplier(others: Table, name: str) -> Expression:
        return exists(
            lambda outer: (
                others.alias(name)
                .filter(col(f"{name}.l_orderkey") == outer("l1.l_orderkey"))
                .filter(col(f"{name}.l_suppkey") != outer("l1.l_suppkey"))
            )
        )

    return (
        env.from_path("supplier")
        .join(late_lines.alias("l1"), col("s_suppkey") == col("l1.l_suppkey"))
        .join(env.from_path("orders"), col("o_orderkey") == col("l1.l_orderkey"))
        .join(env.from_path("nation"), col("s_nationkey") == col("n_nationkey"))
        .filter(col("o_orderstatus") == "F")
        .filter(col("n_name") == "SAUDI ARABIA")
        .filter(of_another_supplier(lines, "l2"))
        .filter(~of_another_supplier(late_lines, "l3"))
        .group_by("s_name")
        .agg(F.count("*").alias("numwait"))
        .order_by(col("numwait").desc(), "s_name")
        .limit(100)
    )


def q22(env: TableEnvironment) -> Table:
    """Global sales opportunity."""
    customers = (
        env.from_path("customer")
        .select("c_custkey", "c_acctbal", F.substring("c_phone", 1, 2).alias("cntrycode"))
        .filter(col("cntrycode").in_("13", "31", "23", "29", "30", "18", "17"))
        .alias("customers")
    )
    average = customers.filter(col("c_acctbal") > Decimal("0.00")).select(F.avg("c_acctbal"))
    orders = env.from_path("orders")
    return (
        customers.filter(col("c_acctbal") > average.scalar())
        .filter(~exists(lambda outer: orders.filter(col("o_custkey") == outer("c_custkey"))))
        .group_by("cntrycode")
        .agg(F.count("*").alias("numcust"), F.sum("c_acctbal").alias("totacctbal"))
        .order_by("cntrycode")
    )
