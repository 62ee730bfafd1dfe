"""Errors of exports."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError


class ExportRefusedError(ViewscribeError):
    """A view cannot be exported exactly; nothing was written."""


class ForeignFilesError(ViewscribeError):
    """Files of somebody else are where an export would write."""
