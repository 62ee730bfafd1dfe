"""Passwords in stored options and properties, which a site must not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

from viewscribe.catalog_store.url_secrets import without_secrets

_SECRET = re.compile(r"(?i)passw|passphrase|pwd|secret|token|credential|(access|api|private).?key")


def mask_options(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options by name, in order, with passwords replaced by ``***``."""
    return {
        name: "***" if _SECRET.search(name) and value else without_secrets(value)
        for name, value in sorted(options.items())
    }
