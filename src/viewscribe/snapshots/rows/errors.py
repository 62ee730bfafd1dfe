"""Why a test of a view cannot run."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError


class ViewTestError(ViewscribeError):
    """The test itself is wrong, or the view cannot be run: nothing is known of its rows."""
