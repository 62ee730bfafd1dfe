"""Which PySpark is installed, for the few places where its versions differ."""

from __future__ import annotations

import pyspark


def is_at_least(major: int, minor: int) -> bool:
    """Whether the installed PySpark is that version or a later one."""
    parts = pyspark.__version__.split(".")
    return (int(parts[0]), int(parts[1])) >= (major, minor)
