"""YAML text of plain data, which every reader of YAML takes for the same data."""

from __future__ import annotations

import re
import sys
from typing import Any

_MISREAD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""What readers take for the end of a line or leave out, where it is not escaped."""


def yaml_text(data: Any, head: str = "") -> str:
    """The data as YAML, in the order that it has."""
    text = _dump(data, allow_unicode=True)
    return head + (_dump(data, allow_unicode=False) if _MISREAD.search(text) else text)


def _dump(data: Any, *, allow_unicode: bool) -> str:
    import yaml

    text: str = yaml.safe_dump(
        data,
        sort_keys=False,
        allow_unicode=allow_unicode,
        default_flow_style=False,
        width=sys.maxsize,
    )
    return text
