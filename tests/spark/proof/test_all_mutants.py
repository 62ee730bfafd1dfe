"""A thousand pairs of queries with one place changed, and more of them in ``make fuzz``."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from tests.spark.proof.test_mutants import judged

if TYPE_CHECKING:
    from tests.spark.proof.mutants import Court

COUNT = examples(1000)


@pytest.mark.slow("Spark plans each query and the changed one several times")
def test_what_differs_is_called_equal_by_no_judge(court: Court) -> None:
    seed = 8 if COUNT == 1000 else SystemRandom().randrange(1 << 30)
    assert judged(court, COUNT, seed) > COUNT // 20, "too few pairs of equal rows to say anything"
