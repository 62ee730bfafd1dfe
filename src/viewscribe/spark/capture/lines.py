"""The Python lines of steps, as comments say them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import FrameType

from viewscribe.errors import CaptureError

# The Spark versions that each way of capturing was tested with, in one place.

CONNECT = ((4, 0), (4, 3))
"""First and last version whose Connect plans are read."""

CLASSIC = ((4, 0), (4, 3))
"""First and last version whose analyzed plans are read."""


def check_version(version: str, tested: tuple[tuple[int, int], tuple[int, int]], way: str) -> None:
    """Refuses a version whose plans nobody has looked at.

    Raises:
        CaptureError: says which versions were tested.
    """
    if not is_tested(version, tested):
        first, last = tested
        raise CaptureError(
            f"{way} of Spark {version} was not tested",
            code="UntestedSparkError",
            hint=f"capture with Spark {_show(first)} to {_show(last)}",
        )


def is_tested(version: str, tested: tuple[tuple[int, int], tuple[int, int]]) -> bool:
    """Returns whether a version is between the first and the last that were tested."""
    parts = version.split(".")
    return tested[0] <= (int(parts[0]), int(parts[1])) <= tested[1]


def _show(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


_HERE = str(Path(__file__).resolve().parents[2])


def short_line(site: str) -> str | None:
    """``etl.py:12`` of a call site; what is no file of the working directory by its name alone.

    Args:
        site: ``file:line`` as PySpark notes it, or ``line 3 in cell [7]`` of a notebook; of
            several, the first is the call.
    """
    first = site.replace('"', "").strip().partition("\n")[0]
    path, colon, number = first.rpartition(":")
    if not colon or not number.isdigit():
        return first or None
    here = os.path.join(os.getcwd(), "")
    whole = os.path.abspath(path)
    shown = whole[len(here) :] if whole.startswith(here) else os.path.basename(path)
    return f"{shown.replace(os.sep, '/')}:{number}"


def call_site() -> str | None:
    """The line of a user's code that is running now: the nearest outside of PySpark and of this."""
    frame: FrameType | None = sys._getframe(1)
    libraries = _libraries()
    while frame is not None and frame.f_code.co_filename.startswith(libraries):
        frame = frame.f_back
    return None if frame is None else _site(frame, frame.f_lineno)


def site_of(error: BaseException) -> str | None:
    """The line of a user's code that an error came from."""
    libraries, found = _libraries(), None
    for frame, number in walk_tb(error.__traceback__):
        if not frame.f_code.co_filename.startswith(libraries):
            found = _site(frame, number)
    return found


def _libraries() -> tuple[str, ...]:
    import pyspark

    return (os.path.dirname(pyspark.__file__) + os.sep, _HERE + os.sep, "<frozen ")


def _site(frame: FrameType, number: int) -> str:
    return _cell(frame, number) or f"{frame.f_code.co_filename}:{number}"


def _cell(frame: FrameType, number: int) -> str | None:
    """The line of a notebook's cell, whose file has a name that nobody knows."""
    name = frame.f_code.co_filename
    if "ipykernel" not in name and not name.startswith("<ipython-input"):
        return None
    shell = frame.f_globals.get("get_ipython")
    count = getattr(shell(), "execution_count", None) if callable(shell) else None
    return f"line {number} in cell [{count}]" if count else None


@contextmanager
def lines_noted(lines: dict[int, str]) -> Iterator[None]:
    """Notes in ``lines``, by plan id, where each step of a Connect DataFrame is written.

    PySpark notes it for expressions alone. Plan ids are given out when a step is written, by a
    method of one class, which is why it is replaced here while the block lasts.
    """
    from pyspark.sql.connect.plan import LogicalPlan

    given = LogicalPlan.__dict__["_fresh_plan_id"]

    def fresh_plan_id() -> int:
        plan_id: int = given.__func__()
        site = call_site()
        if site is not None:
            lines[plan_id] = site
        return plan_id

    LogicalPlan._fresh_plan_id = staticmethod(fresh_plan_id)  # type: ignore[method-assign]
    try:
        yield
    finally:
        LogicalPlan._fresh_plan_id = given  # type: ignore[method-assign]
