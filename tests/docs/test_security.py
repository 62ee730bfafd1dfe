"""Each promise of SECURITY.md names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "SECURITY.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| what stands")
]


def test_there_is_a_row_for_each_thing() -> None:
    assert len(ROWS) > 10


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_the_tests_of_a_row_are_there(row: str) -> None:
    proof = row.split("|")[3]
    paths = re.findall(r"`(tests/[\w./]+)`", proof)
    assert paths, row
    text = "".join((ROOT / path).read_text("utf-8") for path in paths)
    for name in re.findall(r"`(\w+)`", proof):
        assert f"def {name}(" in text, name
