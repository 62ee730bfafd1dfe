"""No judge of equality calls two queries equal of which the rows differ, or of which one fails."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from tests.spark.proof.mutants import mutants, queries

if TYPE_CHECKING:
    from tests.spark.proof.mutants import Court, Pair

COUNT = examples(150)


@pytest.mark.slow("Spark plans each query and the changed one several times")
def test_what_differs_is_called_equal_by_no_judge(court: Court) -> None:
    assert judged(court, pairs(court, COUNT, 7)) > COUNT // 20, (
        "too few pairs of equal rows to say anything"
    )


def judged(court: Court, asked: list[Pair]) -> int:
    """How many of the pairs are called equal, all of which are."""
    equal = 0
    wrong: list[tuple[list[str], Pair]] = []
    for pair in asked:
        judges = court.equal_to(pair)
        equal += bool(judges)
        if judges and court.is_steady(pair) and court.differ(pair):
            wrong.append((judges, pair))
    shown = "\n".join(f"{judges}\n  {p.change}\n  {p.one}\n  {p.other}" for judges, p in wrong)
    assert not wrong, f"{len(wrong)} of {len(asked)} pairs:\n{shown}"
    return equal


def pairs(court: Court, count: int, seed: int) -> list[Pair]:
    """So many pairs, with as many of each change as there are."""
    random, found = Random(seed), dict[tuple[str, str], "Pair"]()
    often: Counter[str] = Counter()
    for text in queries(random):
        for pair in mutants(text, random, court.values):
            if often[pair.change] * 12 <= count and len(found) < count:
                often[pair.change] += (pair.one, pair.other) not in found
                found[pair.one, pair.other] = pair
        if len(found) >= count:
            return [*found.values()]
    raise AssertionError
