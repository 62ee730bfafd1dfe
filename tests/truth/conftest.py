"""The session of the table of truth, and all doors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.truth.doors import Doors


@pytest.fixture(scope="module")
def doors(spark: SparkSession) -> Iterator[Doors]:
    """All doors, in a session that has the tables."""
    from tests.spark.capture.planner import OfflineSession, Planner
    from tests.truth.doors import Doors
    from tests.truth.world import tables

    with tables(spark):
        yield Doors(spark, OfflineSession(Planner(spark)))
