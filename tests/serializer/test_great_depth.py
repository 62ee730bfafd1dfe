"""The pipelines of ``test_depth.py``, as long and deep as somebody might make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serializer.test_depth import check

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZES = {
    "filters": 1_000,
    "columns": 1_000,
    "replacements": 1_000,
    "union": 1_000,
    "terms": 10_000,
    "calls": 300,
}


@pytest.mark.slow("Spark plans a thousand of everything")
@pytest.mark.parametrize("shape", SIZES)
def test_shape(deep: SparkSession, shape: str) -> None:
    check(deep, shape, SIZES[shape])
