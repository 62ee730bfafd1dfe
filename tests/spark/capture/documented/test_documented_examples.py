"""What PySpark's documented examples show, and the text of its captured tree, are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from tests.corpus import WHOLE, chosen
from tests.oracle.trials import small_queries
from tests.spark.capture.documented.docstrings import CORPORA, documented
from tests.spark.capture.documented.listing import Listing
from tests.spark.capture.documented.stages import ClassicStage, ConnectStage, Stage
from tests.spark.capture.documented.trials import EQUAL, FAILED, REFUSED, STOPPED, Trial, attempt

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import Planner

LEAST = 98.0
"""How many of a hundred DataFrames must be equal, or refused for a reason that is listed."""

_EVERY = {"DataFrame": 40, "functions": 90, "Column": 12}
"""One of how many methods or functions is run where not all of them are."""

STAGES: dict[str, type[ClassicStage] | type[ConnectStage]] = {
    "classic": ClassicStage,
    "connect": ConnectStage,
}


@pytest.fixture(scope="module")
def small(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The session set for small queries, in a folder where examples may write."""
    with pytest.MonkeyPatch.context() as patch, small_queries(spark):
        patch.chdir(tmp_path_factory.mktemp("examples"))
        yield spark


@pytest.mark.parametrize("way", STAGES)
@pytest.mark.parametrize("corpus", CORPORA)
def test_documented_examples(corpus: str, way: str, small: SparkSession, planner: Planner):
    listing = Listing(way)
    stage: Stage = STAGES[way](small, planner)
    trials = [
        trial
        for example in chosen(documented(corpus), _EVERY.get(corpus, 4))
        for trial in attempt(example, stage, small, set(listing.by_chance))
    ]
    _report(corpus, way, trials)
    assert trials
    assert not _wrong(trials, listing)
    assert not _outdated(trials, listing)
    if WHOLE:
        assert _share(trials, listing) >= LEAST


def _wrong(trials: Sequence[Trial], listing: Listing) -> list[Trial]:
    """What is neither equal nor refused nor listed."""
    return [
        trial
        for trial in trials
        if (trial.outcome == FAILED and trial.name not in listing.failing)
        or (trial.outcome == STOPPED and trial.name not in listing.stopping)
        or (trial.outcome == REFUSED and not listing.knows(trial.why))
    ]


def _outdated(trials: Sequence[Trial], listing: Listing) -> list[str]:
    """What is listed, and yet as it shall be: take it out of ``listing.yaml``."""
    seen = {trial.name for trial in trials}
    failed = {trial.name for trial in trials if trial.outcome == FAILED}
    stopped = {trial.name for trial in trials if trial.outcome == STOPPED}
    return [name for name in listing.failing if name in seen - failed] + [
        name for name in listing.stopping if name in seen - stopped
    ]


def _share(trials: Sequence[Trial], listing: Listing) -> float:
    run = [trial for trial in trials if trial.outcome != STOPPED]
    fine = [trial for trial in run if trial.outcome in (EQUAL, REFUSED)]
    return 100 * len(fine) / len(run)


def _report(corpus: str, way: str, trials: Sequence[Trial]) -> None:
    """Says how many are equal: a corpus that is mostly refused would prove little."""
    counts = Counter(trial.outcome for trial in trials)
    run = len(trials) - counts[STOPPED]
    print(
        f"{corpus}, {way}: {counts[EQUAL]} of {run} DataFrames are equal "
        f"({100 * counts[EQUAL] / run:.1f} %), {counts[REFUSED]} refused, {counts[FAILED]} "
        f"different; {counts[STOPPED]} examples do not run"
    )
