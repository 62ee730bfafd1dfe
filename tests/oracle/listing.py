"""The examples that are not compared like the others, and why, from ``listing.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("listing.yaml")


def listed(section: str) -> dict[str, str]:
    """The examples of a section, each with its reason."""
    document: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {text: group["reason"] for group in document[section] for text in group["examples"]}
