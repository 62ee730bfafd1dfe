"""Random DataFrame pipelines: captured in each way, they give the columns and rows they had.

``make generated`` runs thousands of them; here are the same few hundred every time.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.corpus import WHOLE
from tests.spark.capture.generated import world
from tests.spark.capture.generated.choices import Choices
from tests.spark.capture.generated.outcomes import outcome_of
from tests.spark.capture.generated.programs import Trial, write
from tests.spark.capture.ways import Ways

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

BATCH = 100 if WHOLE else 60
BATCHES = 10 if WHOLE else 1
"""A batch is a test of its own: one of them all would take longer than any test may."""

FIRST = 100_000
"""The seed of the first batch, which is none of those of ``make generated``."""


@pytest.fixture(scope="module")
def ways(spark: SparkSession, planner: Planner, offline: OfflineSession) -> Ways:
    world.create(spark)
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return Ways(spark, planner, offline)


@pytest.mark.slow("60 random pipelines, each captured in three ways and run again")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_pipelines_are_what_they_were(ways: Ways, batch: int) -> None:
    @settings(max_examples=BATCH, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def each(data: Any) -> None:
        program = write(Choices(data.draw), Trial(ways))
        assert not outcome_of(program, ways).wrong, program

    if settings.default is not None and settings.default.derandomize:
        each = seed(FIRST + batch)(each)
    each()
