"""Text in a Jinja template that is rendered as itself."""

from __future__ import annotations

import re

_CHANGED = re.compile(r"\{(?=[{%#\r]|\n?\Z)|\r|\n\Z")
"""What begins a tag, or may with what follows; ends of lines that Jinja replaces or drops."""


def jinja_text(text: str) -> str:
    """The text as a part of a template."""
    return _CHANGED.sub(lambda found: f"{{{{ {found[0]!r} }}}}", text)


def jinja_string(text: str) -> str:
    """The text as a string inside of ``{{ … }}``.

    dbt's static parser does not read escapes; it leaves what is no mere string to Jinja.
    """
    escaped = "".join(map(_escape, text))
    return f"'{text}'" if escaped == text else f"'{escaped}' ~ ''"


def _escape(character: str) -> str:
    if character.isprintable() and character not in "'\\":
        return character
    return f"\\U{ord(character):08x}"
