"""All keywords of the running Spark are quoted where it needs it, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.types.keywords import Parser, check_columns_and_aliases, keywords
from viewscribe.types.identifiers import needs_quoting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow("Spark's parser learns each keyword in each place")
@pytest.mark.parametrize("enforced", [False, True])
def test_all_bare_keywords_mean_themselves(spark: SparkSession, enforced: bool) -> None:
    parser = Parser(spark)
    with parser.reserved(enforced):
        bare = [word for word in keywords(spark) if not needs_quoting(word)]
        assert [word for word in bare if not parser.means_itself(word)] == []


@pytest.mark.parametrize("enforced", [False, True])
def test_all_keywords_are_columns_and_aliases(spark: SparkSession, enforced: bool) -> None:
    with Parser(spark).reserved(enforced):
        check_columns_and_aliases(spark, keywords(spark))
