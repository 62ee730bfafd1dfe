"""What is known of the examples, each with its reason, from ``listing.yaml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("listing.yaml")


class Listing:
    """The listed examples of one way of capturing.

    Args:
        way: ``classic`` or ``connect``.
    """

    def __init__(self, way: str) -> None:
        document: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
        self.failing = _examples([*document["different"], *document[f"different_{way}"]])
        """Steps that are not equal, and why."""
        self.stopping = _examples([*document["stopped"], *document[f"stopped_{way}"]])
        """Steps that do not run here, and why."""
        self.by_chance = _examples(document["by_chance"])
        """Steps that give something else each time: only their columns are compared."""
        self._reasons = [re.compile(each) for each in document["refusals"]]

    def knows(self, refusal: str) -> bool:
        """Whether it is one of the reasons for which something is refused."""
        return any(reason.search(refusal) for reason in self._reasons)


def _examples(groups: Sequence[dict[str, Any]]) -> dict[str, str]:
    return {name: group["reason"] for group in groups for name in group["examples"]}
