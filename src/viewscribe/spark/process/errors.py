"""What fails in a task."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError


class ProcessFunctionError(ViewscribeError):
    """A process table function failed on a row or a timer."""
