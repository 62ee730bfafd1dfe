"""A thousand pairs of queries with one place changed, and more of them in ``make fuzz``."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from tests.spark.proof.test_mutants import judged, pairs

if TYPE_CHECKING:
    from tests.spark.proof.mutants import Court

FEW = 125
COUNT = examples(FEW, fuzz=2 * FEW)


@pytest.mark.slow("Spark plans each query and the changed one several times")
@pytest.mark.parametrize("part", range(8))
def test_what_differs_is_called_equal_by_no_judge(court: Court, part: int) -> None:
    seed = part if COUNT == FEW else SystemRandom().randrange(1 << 30)
    assert judged(court, pairs(court, COUNT, seed)) > COUNT // 20, (
        "too few pairs of equal rows to say anything"
    )
