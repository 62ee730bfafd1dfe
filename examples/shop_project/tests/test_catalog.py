"""What readers of the views rely on."""

from __future__ import annotations

from typing import Any

import pytest

from viewscribe.snapshots import assert_contract, views


@pytest.mark.parametrize("view", views("file:./views", select="sales.customer_revenue"))
def test_revenue_has_one_row_for_each_customer(view: Any) -> None:
    assert_contract(
        view,
        columns={
            "id": "BIGINT NOT NULL",
            "name": "STRING",
            "country": "STRING",
            "revenue": "DECIMAL(38, 2)",
        },
        unique=["id", "name", "country"],
    )


@pytest.mark.parametrize("view", views("file:./views", select="sales.order_totals"))
def test_totals_have_one_row_for_each_order(view: Any) -> None:
    assert_contract(view, not_null=["order_id"], unique="order_id")
