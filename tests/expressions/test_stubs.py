"""Type checkers know every function, so they find wrong names and wrong numbers of arguments."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.expressions.stubs import FUNCTIONS, METHODS, formatted, functions_stub, methods_stub
from viewscribe import col
from viewscribe import functions as F

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MISTAKES = """
from viewscribe import col, functions as F

F.uper("a")
F.upper()
F.upper("a", "b")
F.lpad("a")
col("a").uper_case()
col("a").upper("b")
"""

RIGHT = """
import builtins
from viewscribe import col, functions as F

F.upper("a").over().alias("b").desc()
F.concat("a", "b", "c"), F.concat(["a", "b"]), F.coalesce("a")
F.transform("tags", lambda tag: F.upper(tag))
F.when(col("a") > 1, 2).otherwise(3)
F.hll_sketch_agg("a", lgConfigK=12), F.mask("a", lowerChar="q"), F.count(), F.round("a", 2)
F.percentile_cont(0.5).within_group("a"), F.sum("a").filter(col("b")).distinct()
col("a").upper_case().substring(1, 2), col("a").mask(lowerChar="q"), col("a").in_(1, 2)
lengths: builtins.list[builtins.int] = [len(each) for each in dir(F)]
"""


@pytest.mark.parametrize(
    ("stub", "made"), [(FUNCTIONS, functions_stub), (METHODS, methods_stub)], ids=["F", "methods"]
)
def test_the_stubs_are_current(
    stub: Path, made: Callable[[], str], request: pytest.FixtureRequest
) -> None:
    text = formatted(made())
    if request.config.option.update_snapshots:
        stub.write_text(text, encoding="utf-8")
    assert stub.read_text(encoding="utf-8") == text, "make snapshots rewrites the stubs"


def test_every_name_of_the_stubs_is_there() -> None:
    names = [line[4:].split("(")[0] for line in functions_stub().split("\n") if line[:4] == "def "]
    assert len(names) > 500
    assert [name for name in names if not callable(getattr(F, name))] == []
    lines = methods_stub().split("\n")
    methods = [line[8:].split("(")[0] for line in lines if line.startswith("    def ")]
    assert len(methods) > 500
    assert [name for name in methods if not callable(getattr(col("a"), name))] == []


@pytest.mark.slow("mypy reads the package, from its cache where there is one")
def test_mypy_finds_each_mistake_and_nothing_else(tmp_path: Path) -> None:
    assert _lines_with_errors(tmp_path, MISTAKES) == [4, 5, 6, 7, 8, 9]
    assert _lines_with_errors(tmp_path, RIGHT) == []


def _lines_with_errors(folder: Path, text: str) -> list[int]:
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", str(program)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "program.py" in told or "Success" in told, told
    return [int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line]
