"""What the targets of the Makefile run is there: a folder that moves takes its targets along."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_PREFIXED = re.compile(r"\$\(addprefix (tests/\S*?),([^)]*)\)", re.DOTALL)
_PATH = re.compile(r"(?<![\w/.])(?:tests|benchmarks|examples)/[\w/.]+\w")


def named_paths() -> list[str]:
    """The tests, benchmarks and examples that the Makefile names."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    prefixed = [
        f"{folder}{name}" for folder, names in _PREFIXED.findall(text) for name in names.split()
    ]
    return sorted({*prefixed, *_PATH.findall(_PREFIXED.sub("", text))})


@pytest.mark.parametrize("path", named_paths())
def test_what_a_target_runs_is_there(path: str) -> None:
    assert (ROOT / path).exists()
