"""A part of the table of truth, at every door: what `make test` holds against Spark's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.truth.doors import Comparison
from tests.truth.rows import DOORS, areas, rows

if TYPE_CHECKING:
    from tests.truth.doors import Doors

EVERY = 41
"""One row of so many."""


@pytest.mark.slow("queries of all kinds, while Spark is still cold")
@pytest.mark.parametrize("door", DOORS)
def test_some_rows_of_every_area(doors: Doors, door: str) -> None:
    wrong = [
        told
        for area in areas()
        for told in Comparison(doors, door, area).judge(rows(area)[::EVERY])
    ]
    assert not wrong, "\n".join(wrong)
