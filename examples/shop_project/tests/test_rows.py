"""The rows that the views give, in a local Spark session or in DuckDB."""

from __future__ import annotations

from viewscribe.snapshots import given

CUSTOMERS = [
    {"id": 1, "name": "Ada", "country": "GB"},
    {"id": 2, "name": "Grace", "country": "US"},
    {"id": 3, "name": "Alan", "country": "GB"},
]
ORDERS = [
    {"id": 10, "customer_id": 1, "day": "2026-01-03", "status": "paid"},
    {"id": 11, "customer_id": 2, "day": "2026-01-05", "status": "open"},
]
LINES = [
    {"order_id": 10, "product": "pen", "quantity": 2, "price": "1.50"},
    {"order_id": 10, "product": "ink", "quantity": 1, "price": "7.25"},
    {"order_id": 11, "product": "ink", "quantity": 4, "price": "7.25"},
]


def test_who_has_paid_nothing_has_a_revenue_of_0() -> None:
    given(customers=CUSTOMERS, orders=ORDERS, order_lines=LINES).expect(
        "sales.customer_revenue",
        rows=[
            {"name": "Ada", "revenue": "10.25"},
            {"name": "Grace", "revenue": 0},
            {"name": "Alan", "revenue": 0},
        ],
        env="file:./views",
        engine="duckdb",
    )


def test_an_order_without_lines_counts_as_nothing() -> None:
    given(customers=CUSTOMERS, orders=ORDERS, order_lines=[]).expect(
        "sales.country_revenue",
        rows=[("GB", 0, 2), ("US", 0, 1)],
        env="file:./views",
        engine="duckdb",
    )
