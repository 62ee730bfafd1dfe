"""Names of objects: comparing them, and encoding them as file names.

Names are case-insensitive as in Spark, and equal if their Unicode normal forms are. A file name
only has the characters ``a-z0-9_-%~``, so a name cannot escape from its directory, and names stay
distinct on file systems that fold case or normalize Unicode.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from viewscribe.catalog_store.errors import InvalidNameError
from viewscribe.types.arguments import require_text

MAX_ENCODED = 180
"""Longer encodings are truncated and completed with a hash; file systems allow 255 bytes."""

_KEPT = 130
_MAX_NAME = 4096
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
"""Names of devices on Windows, whatever the extension."""
_ENCODED = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+")
_ESCAPED = re.compile("%(..)")
_HASHED = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+~[0-9a-f]{32}")


def fold(name: str) -> str:
    """Returns the folded form of a name; two names are the same if their folded forms are."""
    if name.isascii():  # the common case, which needs no normalization
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


def check_name(name: str, what: str = "object") -> None:
    """Raises :class:`InvalidNameError` for a name that cannot be stored."""
    require_text(name, f"the name of {_one(what)}")
    if not name:
        raise InvalidNameError(f"the name of {_one(what)} is empty", hint="give it a name")
    if len(name) > _MAX_NAME:
        raise InvalidNameError(
            f"the name of {_one(what)} has {len(name):,} characters: {name[:40]}...",
            hint=f"use at most {_MAX_NAME:,}",
        )
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidNameError(
            f"the name {name!r} of a {what} holds half of a surrogate pair",
            hint="use valid Unicode text",
        ) from None


def encode(name: str) -> str:
    """Returns the file name, without extension, of ``name``; the encoding is injective."""
    check_name(name)
    folded = fold(name)
    encoded = "".join(
        chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in folded.encode("utf-8")
    )
    if encoded in DEVICES or encoded.startswith("-"):
        encoded = f"%{ord(encoded[0]):02x}{encoded[1:]}"
    return encoded if len(encoded) <= MAX_ENCODED else _hash(encoded, folded)


def _hash(encoded: str, folded: str) -> str:
    """Returns a shortened encoding; the ``~`` in it keeps it distinct from all others."""
    head = re.sub(r"%[0-9a-f]?$", "", encoded[:_KEPT])
    return f"{head}~{hashlib.sha256(folded.encode('utf-8')).hexdigest()[:32]}"


def _one(what: str) -> str:
    return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}"


def decode(component: str) -> str | None:
    """Returns the folded name encoded in a file name, or None.

    None means that the name was too long to be kept, so that only the document has it, or that
    ``encode`` did not make this file name: see :func:`is_encoded`.
    """
    if not _ENCODED.fullmatch(component):
        return None
    try:
        name = _ESCAPED.sub(_unescape, component).encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if len(name) <= _MAX_NAME and encode(name) == component else None


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def is_encoded(component: str) -> bool:
    """Returns whether ``encode`` could have made this file name."""
    return _HASHED.fullmatch(component) is not None or decode(component) is not None
