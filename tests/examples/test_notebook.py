"""The notebook runs from top to bottom, and the view that it leaves is its DataFrame."""

from __future__ import annotations

import runpy
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_view_of_the_notebook_is_its_dataframe(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        names = runpy.run_module("examples.notebook.churn")
        assert names["saved"].verification.ok
        stored = [tuple(row) for row in spark.table("churn.lost_customers").collect()]
        assert stored == [tuple(row) for row in names["lost"].collect()]
        assert [(customer, spent) for customer, _, spent, _ in stored] == [
            ("bob", Decimal("99.00")),
            ("ann", Decimal("42.50")),
        ]
    finally:
        spark.sql("DROP DATABASE IF EXISTS churn CASCADE")
    shown = capsys.readouterr().out
    assert "row_number() OVER (PARTITION BY customer ORDER BY day DESC, id DESC)" in shown
