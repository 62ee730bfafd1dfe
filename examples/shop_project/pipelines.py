"""The pipelines of a shop. ``python pipelines.py`` stores each as a view in ``views/``."""

from __future__ import annotations

from collections.abc import Callable

import viewscribe as vs
from viewscribe import col, lit
from viewscribe import functions as F

TABLES = {
    "customers": "id BIGINT NOT NULL, name STRING, country STRING COMMENT 'ISO 3166, two letters'",
    "orders": (
        "id BIGINT NOT NULL, customer_id BIGINT NOT NULL, day DATE NOT NULL, "
        "status STRING COMMENT 'open, paid or cancelled'"
    ),
    "order_lines": ("order_id BIGINT NOT NULL, product STRING, quantity INT, price DECIMAL(10, 2)"),
}


def paid_orders(env: vs.TableEnvironment) -> vs.Table:
    """Orders that were paid."""
    orders = env.from_path("sales.orders")
    return orders.filter(col("status") == "paid").select("id", "customer_id", "day")


def order_totals(env: vs.TableEnvironment) -> vs.Table:
    """What every order is worth."""
    lines = env.from_path("sales.order_lines")
    return lines.group_by("order_id").select(
        col("order_id"),
        F.sum(col("quantity") * col("price")).alias("total"),
        F.count(lit(1)).alias("lines"),
    )


def customer_revenue(env: vs.TableEnvironment) -> vs.Table:
    """What every customer has paid; 0 for one who has paid nothing."""
    paid = env.from_path("sales.paid_orders").alias("paid")
    totals = env.from_path("sales.order_totals").alias("totals")
    joined = paid.join(totals, col("paid.id") == col("totals.order_id"))
    bought = joined.select("customer_id", "total").alias("bought")
    customers = env.from_path("sales.customers")
    return (
        customers.join(bought, col("id") == col("customer_id"), "left")
        .group_by("id", "name", "country")
        .select("id", "name", "country", F.coalesce(F.sum("total"), lit(0)).alias("revenue"))
    )


def country_revenue(env: vs.TableEnvironment) -> vs.Table:
    """Revenue and number of customers by country."""
    customers = env.from_path("sales.customer_revenue")
    return customers.group_by("country").select(
        col("country"), F.sum("revenue").alias("revenue"), F.count(lit(1)).alias("customers")
    )


def recent_orders(env: vs.TableEnvironment) -> vs.Table:
    """Orders of the last 30 days."""
    orders = env.from_path("sales.orders")
    return orders.filter(col("day") > F.date_sub(F.current_date(), 30))


VIEWS: dict[str, Callable[[vs.TableEnvironment], vs.Table]] = {
    pipeline.__name__: pipeline
    for pipeline in (paid_orders, order_totals, customer_revenue, country_revenue, recent_orders)
}


def create_tables(env: vs.TableEnvironment, data: str = "/srv/shop") -> None:
    """Describes the tables that the pipelines read.

    Args:
        env: the environment to describe them in.
        data: the directory of their files.
    """
    env.create_database("sales", if_not_exists=True)
    for name, columns in TABLES.items():
        location = f"{data}/{name}"
        env.create_table(
            f"sales.{name}", columns, format="parquet", location=location, or_replace=True
        )


def store(catalog: str = "file:./views", data: str = "/srv/shop") -> None:
    """Stores every pipeline as a view; one that has not changed keeps its version.

    Args:
        catalog: the URL of the catalog.
        data: the directory of the tables' files.
    """
    env = vs.TableEnvironment.open(catalog)
    create_tables(env, data)
    for name, pipeline in VIEWS.items():
        env.create_view(f"sales.{name}", pipeline(env), or_replace=True, comment=pipeline.__doc__)


if __name__ == "__main__":
    store()
