"""Text in a Jinja template that is rendered as itself."""

from __future__ import annotations

import re

_OPENING = re.compile(r"\{(?=[{%#])")
_TO_ESCAPE = re.compile(r"[^ -~]|['\\{}%#]")


def jinja_text(text: str) -> str:
    """The text as a part of a template."""
    return _OPENING.sub("{{ '{' }}", text)


def jinja_string(text: str) -> str:
    """The text as a string inside of ``{{ … }}``, of harmless characters only."""
    return f"'{_TO_ESCAPE.sub(_escape, text)}'"


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
