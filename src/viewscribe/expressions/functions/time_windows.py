"""The functions that Spark makes a step of, known without loading the family they are of."""

from __future__ import annotations

TIME_WINDOWS = frozenset(("window", "session_window"))
"""The names of the functions that say which windows of time a row lies in."""
