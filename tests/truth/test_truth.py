"""Every door gives what Spark answered: names, types, what may be NULL, and rows; or it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.truth.doors import Comparison
from tests.truth.rows import DOORS, areas, rows

if TYPE_CHECKING:
    from tests.truth.doors import Doors


@pytest.mark.slow("thousands of rows")
@pytest.mark.parametrize("area", areas())
@pytest.mark.parametrize("door", DOORS)
def test_door_gives_what_spark_answers(doors: Doors, door: str, area: str) -> None:
    wrong = [*Comparison(doors, door, area).judge(rows(area))]
    assert not wrong, f"{len(wrong)} rows at the door {door}:\n" + "\n".join(wrong)
