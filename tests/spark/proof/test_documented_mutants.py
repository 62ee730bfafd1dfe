"""Queries of documentation and of the table of truth, each with one place changed."""

from __future__ import annotations

from random import Random, SystemRandom
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from tests.spark.proof.mutants import Court, mutants
from tests.spark.proof.test_mutants import judged
from tests.truth.rows import query_of, rows
from tests.truth.world import plain_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from tests.spark.proof.mutants import Pair

AREAS = {"functions": 120, "clauses": 160, "reported": 30, "operators": 90}
"""How many pairs of each area; ``functions`` are the examples of Spark's own documentation."""


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> Iterator[Court]:
    """All judges, and the tables of the table of truth as files."""
    session = spark.newSession()
    with plain_tables(session) as env:
        yield Court(session, env)


@pytest.mark.slow("Spark plans each query and the changed one several times")
@pytest.mark.parametrize("area", AREAS)
def test_what_differs_is_called_equal_by_no_judge(told: Court, area: str) -> None:
    count = examples(AREAS[area], fuzz=4 * AREAS[area])
    seed = 7 if count == AREAS[area] else SystemRandom().randrange(1 << 30)
    assert judged(told, drawn(told, area, count, seed)) > count // 50, "too few are called equal"


def drawn(court: Court, area: str, count: int, seed: int) -> list[Pair]:
    """So many pairs of an area, one of each query before there is another one of it."""
    random = Random(seed)
    texts = [query_of([row.sql], row.over) for row in rows(area) if row.sql and not row.by_chance]
    random.shuffle(texts)
    found: dict[tuple[str, str], Pair] = {}
    while len(found) < count:
        for text in texts[:count]:
            if made := [*mutants(text, random, court.values)]:
                pair = random.choice(made)
                found[pair.one, pair.other] = pair
    return [*found.values()][:count]
