"""The errors of writing a site."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError


class SiteError(ViewscribeError):
    """The pages cannot be written where they are wanted."""
