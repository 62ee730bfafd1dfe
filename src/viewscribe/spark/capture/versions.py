"""The Spark versions that each way of capturing was tested with, in one place."""

from __future__ import annotations

from viewscribe.errors import CaptureError

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
