"""The pipelines in ibis: unbound tables, compiled for PySpark without laying the text out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ibis

from benchmarks.tables import SCHEMAS
from benchmarks.with_viewscribe import COLUMNS, TERMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.rows import Jobs

_TYPES = {"BIGINT": "int64", "INT": "int32", "STRING": "string", "DATE": "date"}


def tables() -> dict[str, Any]:
    """An unbound table for each schema."""
    return {
        name: ibis.table(
            {column: _TYPES.get(type_, type_.lower()) for column, type_ in columns.items()},
            name=name,
        )
        for name, columns in SCHEMAS.items()
    }


def q01(known: dict[str, Any]) -> Any:
    lines = known["lineitem"]
    lines = lines.filter(lines.l_shipdate <= ibis.date(1998, 12, 1) - ibis.interval(days=90))
    price = lines.l_extendedprice * (1 - lines.l_discount)
    return (
        lines.group_by("l_returnflag", "l_linestatus")
        .aggregate(
            sum_qty=lines.l_quantity.sum(),
            sum_base_price=lines.l_extendedprice.sum(),
            sum_disc_price=price.sum(),
            sum_charge=(price * (1 + lines.l_tax)).sum(),
            avg_qty=lines.l_quantity.mean(),
            avg_price=lines.l_extendedprice.mean(),
            avg_disc=lines.l_discount.mean(),
            count_order=lines.count(),
        )
        .order_by("l_returnflag", "l_linestatus")
    )


def q03(known: dict[str, Any]) -> Any:
    customers, orders, lines = known["customer"], known["orders"], known["lineitem"]
    customers = customers.filter(customers.c_mktsegment == "BUILDING")
    orders = orders.filter(orders.o_orderdate < ibis.date(1995, 3, 15))
    lines = lines.filter(lines.l_shipdate > ibis.date(1995, 3, 15))
    joined = customers.join(orders, customers.c_custkey == orders.o_custkey).join(
        lines, lines.l_orderkey == orders.o_orderkey
    )
    price = joined.l_extendedprice * (1 - joined.l_discount)
    return (
        joined.group_by("l_orderkey", "o_orderdate", "o_shippriority")
        .aggregate(revenue=price.sum())
        .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .order_by(ibis.desc("revenue"), "o_orderdate")
        .limit(10)
    )


def q05(known: dict[str, Any]) -> Any:
    customers, orders, lines = known["customer"], known["orders"], known["lineitem"]
    suppliers, nations, regions = known["supplier"], known["nation"], known["region"]
    joined = (
        customers.join(orders, customers.c_custkey == orders.o_custkey)
        .join(lines, lines.l_orderkey == orders.o_orderkey)
        .join(
            suppliers,
            [
                lines.l_suppkey == suppliers.s_suppkey,
                customers.c_nationkey == suppliers.s_nationkey,
            ],
        )
        .join(nations, suppliers.s_nationkey == nations.n_nationkey)
        .join(regions, nations.n_regionkey == regions.r_regionkey)
    )
    first = ibis.date(1994, 1, 1)
    price = joined.l_extendedprice * (1 - joined.l_discount)
    return (
        joined.filter(
            joined.r_name == "ASIA",
            joined.o_orderdate >= first,
            joined.o_orderdate < first + ibis.interval(years=1),
        )
        .group_by("n_name")
        .aggregate(revenue=price.sum())
        .order_by(ibis.desc("revenue"))
    )


def chain(known: dict[str, Any]) -> Any:
    events = known["events"]
    return (
        events.filter(events.kind.notnull() & (events.id > 10))
        .mutate(twice=events.id * 2 + 1)
        .select("kind", "day", "twice")
    )


def columns(known: dict[str, Any]) -> Any:
    table = known["events"]
    table = table.mutate(c0=table.id + 1)
    for number in range(1, COLUMNS):
        table = table.mutate(**{f"c{number}": table[f"c{number - 1}"] + 1})
    return table


def conjunction(known: dict[str, Any]) -> Any:
    """``ibis.and_`` of so many terms overflows the stack, so they are arguments of ``filter``."""
    events = known["events"]
    return events.filter(*[events.id > number for number in range(TERMS)])


PIPELINES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "q01": q01,
    "q03": q03,
    "q05": q05,
    "chain": chain,
    "columns": columns,
    "conjunction": conjunction,
}


def jobs() -> Jobs:
    """Each pipeline built anew and written as SQL."""
    known = tables()
    return {name: _job(known, pipeline) for name, pipeline in PIPELINES.items()}


def _job(known: dict[str, Any], pipeline: Callable[[dict[str, Any]], Any]) -> Callable[[], str]:
    return lambda: str(ibis.to_sql(pipeline(known), dialect="pyspark", pretty=False))
