"""A random pipeline made shorter, as long as the same thing is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.spark.capture.generated.programs import Program

_TRIALS = 40
_ASSIGNED = re.compile(r"(df\d+) = (df\d+)\b")


def shortened(program: Program, wrong: Callable[[Program], bool]) -> Program:
    """The program without the steps that do not matter.

    Args:
        program: something is wrong with it.
        wrong: whether something is still wrong; what Spark rejects is not.
    """
    current = _used(program)
    left = _TRIALS
    progress = True
    while progress:
        progress = False
        for candidate in _candidates(current)[:left]:
            left -= 1
            if _still(candidate, wrong):
                current, progress = _used(candidate), True
                break
    return current


def _still(program: Program, wrong: Callable[[Program], bool]) -> bool:
    try:
        return wrong(program)
    except Exception:  # Spark rejects what is left
        return False


def _candidates(program: Program) -> list[Program]:
    """The program up to each of its lines, and without each of them."""
    found = []
    for place, line in enumerate(program.lines[:-1]):
        if line.startswith("df"):
            found.append(
                Program(
                    program.lines[: place + 1],
                    line.split(" ", 1)[0],
                    classic=program.classic,
                )
            )
    for place, line in reversed(list(enumerate(program.lines))):
        match = _ASSIGNED.match(line)
        if match is None:
            continue
        renamed = re.compile(rf"\b{match[1]}\b")
        rest = [renamed.sub(match[2], each) for each in program.lines[place + 1 :]]
        found.append(
            Program(
                [*program.lines[:place], *rest],
                renamed.sub(match[2], program.result),
                classic=program.classic,
            )
        )
    return found


def _used(program: Program) -> Program:
    """The program without lines that nothing needs."""
    needed = {program.result}
    kept: list[str] = []
    for line in reversed(program.lines):
        var = line.split(" ", 1)[0]
        if var in needed or not line.startswith("df") or ".createOrReplace" in line:
            kept.append(line)
            needed.update(re.findall(r"\bdf\d+\b", line))
    return Program(kept[::-1], program.result, classic=program.classic)
