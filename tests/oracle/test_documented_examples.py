"""The examples in Spark's documentation of each function, rebuilt as trees, give the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from tests.oracle.documentation import documented_examples
from tests.oracle.listing import listed
from tests.oracle.trials import Trial, attempt, small_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST = 97.0
"""How many of a hundred examples must be equal."""


@pytest.fixture(scope="module")
def trials(spark: SparkSession) -> Iterator[list[Trial]]:
    with small_queries(spark):
        yield attempt(spark, list(documented_examples(spark)), set(listed("by_chance")))


def test_examples_give_the_same(trials: list[Trial]) -> None:
    known = listed("different")
    wrong = [t for t in _tried(trials) if t.failure and str(t.example) not in known]
    assert not wrong, f"{len(wrong)} examples differ:\n" + "\n".join(map(_told, wrong))


def test_listed_examples_differ(trials: list[Trial]) -> None:
    known = listed("different")
    equal = [str(t.example) for t in _tried(trials) if not t.failure and str(t.example) in known]
    assert not equal, "take these out of listing.yaml, they are equal: " + "\n".join(equal)


def test_share_of_equal_examples(trials: list[Trial]) -> None:
    tried = _tried(trials)
    equal = sum(t.failure is None for t in tried)
    share = 100 * equal / len(tried)
    missing = sorted({t.missing for t in trials if t.missing})
    print(
        f"{equal} of {len(tried)} examples are equal: {share:.1f} %; "
        f"{len(trials) - len(tried)} of missing functions: {', '.join(missing) or 'none'}"
    )
    assert share >= LEAST


def _tried(trials: Sequence[Trial]) -> list[Trial]:
    """The examples whose functions viewscribe has."""
    return [trial for trial in trials if trial.missing is None]


def _told(trial: Trial) -> str:
    return f"{trial.example}\n    {trial.failure}\n    {' '.join(trial.sql.split())}"
