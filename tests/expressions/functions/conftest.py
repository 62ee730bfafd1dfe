"""The running Spark as an oracle of types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.expressions.functions.oracle import SparkOracle


@pytest.fixture
def spark_types(spark: SparkSession) -> Iterator[SparkOracle]:
    from tests.expressions.functions.oracle import SparkOracle
    from viewscribe.spark.session import settings

    with settings(spark, {"spark.sql.timeType.enabled": "true"}):
        yield SparkOracle(spark)
