"""Splitting long texts into parameters, since a metastore may limit values to 4,000 characters.

The format is Spark's own for long schemas: ``<key>.numParts`` and ``<key>.part.0``, ``.1``, ...
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

PART = 3_900

_COMPRESSED = "zlib:"
_DIGITS = "zlib16:"
_MAX_BYTES = 64 << 20
_MOST_DIGITS = 16


class MissingPartError(Exception):
    """A part of a text is missing or damaged."""


def split(key: str, text: str) -> dict[str, str]:
    """Returns the parameters that hold ``text``, in several parts."""
    parts = [text[start : start + PART] for start in range(0, len(text), PART)]
    numbered = {f"{key}.part.{number}": part for number, part in enumerate(parts)}
    return {f"{key}.numParts": str(len(parts)), **numbered}


def join(key: str, parameters: Mapping[str, str]) -> str | None:
    """Returns the text, or None if there is none.

    Raises:
        MissingPartError: a part is missing.
    """
    count = parameters.get(f"{key}.numParts")
    if count is None:
        return None
    try:
        return "".join([parameters[f"{key}.part.{number}"] for number in range(int(count))])
    except (KeyError, ValueError):
        raise MissingPartError(f"a part of `{key}` is missing") from None


def whole_number(text: str | None) -> int | None:
    """The number that a parameter says; None where it says none, or none that anybody means."""
    known = text is not None and text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS
    return int(text or "") if known else None


def numbered(parameters: Mapping[str, str], count: str, item: str) -> list[str]:
    """The texts ``item0``, ``item1`` and so on: as many as ``count`` says, and can be there."""
    number = min(whole_number(parameters.get(count)) or 0, len(parameters))
    return [parameters.get(f"{item}{place}", "") for place in range(number)]


def pack(text: str) -> str:
    """Returns ``text`` (ASCII), compressed if it is long."""
    if len(text) <= PART:
        return text
    return _COMPRESSED + base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def digits(packed: str) -> str:
    """Returns a packed text as hexadecimal digits.

    Spark redacts property values that contain ``token``, ``url`` and similar words wherever it
    shows them; digits contain no such word.
    """
    if packed.startswith(_DIGITS):
        return packed
    return _DIGITS + zlib.compress(unpack(packed).encode("ascii"), 6).hex()


def unpack(packed: str) -> str:
    """Reverses ``pack``.

    Raises:
        MissingPartError: the text was not made by ``pack``.
    """
    if not packed.startswith((_COMPRESSED, _DIGITS)):
        return packed
    try:
        if packed.startswith(_DIGITS):
            data = bytes.fromhex(packed[len(_DIGITS) :])
        else:
            data = base64.b64decode(packed[len(_COMPRESSED) :], validate=True)
        decompressor = zlib.decompressobj()
        text = decompressor.decompress(data, _MAX_BYTES)
        if not decompressor.eof:
            raise MissingPartError("a compressed text is cut short, or too long")
        return text.decode("ascii")
    except (ValueError, zlib.error) as error:
        raise MissingPartError(f"a compressed text is damaged: {error}") from None
