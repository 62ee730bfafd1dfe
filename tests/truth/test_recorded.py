"""The answers belong to the rows: none is missing, none is left over, none is of other tables."""

from __future__ import annotations

import pytest

from tests.truth.answers import recorded, stamp
from tests.truth.rows import DOORS, areas, rows
from viewscribe.serializer import TARGETS


@pytest.mark.parametrize("area", areas())
def test_every_row_has_an_answer_that_is_not_older(area: str) -> None:
    found = recorded(area)
    assert found.stamp == stamp(area), "the tables are others than when Spark was asked: make truth"
    keys = [row.key for row in rows(area)]
    assert list(found.answers) == keys, "rows are new or changed: make truth"


@pytest.mark.parametrize("version", TARGETS[:-1])
@pytest.mark.parametrize("area", areas())
def test_older_versions_were_asked_the_same_rows(area: str, version: str) -> None:
    found = recorded(area, version)
    assert found.stamp == stamp(area, version), f"Spark {version} was asked other rows: make truth"
    newest = recorded(area).answers
    assert all(each != newest[key] for key, each in found.answers.items())


@pytest.mark.parametrize("area", areas())
def test_what_is_known_names_doors_that_there_are(area: str) -> None:
    named = {door for row in rows(area) for door in (*row.gaps, *row.faults)}
    assert named <= set(DOORS)


@pytest.mark.parametrize("area", areas())
def test_rows_stand_once(area: str) -> None:
    keys = [row.key for row in rows(area)]
    assert len(keys) == len(set(keys))
