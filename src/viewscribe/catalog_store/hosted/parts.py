"""Long texts in parameters, whose values may have 4,000 characters in every metastore's database.

The form is Spark's own for long schemas: ``<key>.numParts`` and ``<key>.part.0``, ``.1``, ...
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

PART = 3_900

_COMPRESSED = "zlib:"
_DIGITS = "zlib16:"
_MAX_BYTES = 64 << 20


class MissingPartError(Exception):
    """A text of which a part is not there, or not what was written."""


def split(key: str, text: str) -> dict[str, str]:
    """The parameters that hold ``text``, in several parts."""
    parts = [text[start : start + PART] for start in range(0, len(text), PART)]
    numbered = {f"{key}.part.{number}": part for number, part in enumerate(parts)}
    return {f"{key}.numParts": str(len(parts)), **numbered}


def join(key: str, parameters: Mapping[str, str]) -> str | None:
    """The text, or None where there is none.

    Raises:
        MissingPartError: a part is not there.
    """
    count = parameters.get(f"{key}.numParts")
    if count is None:
        return None
    try:
        return "".join([parameters[f"{key}.part.{number}"] for number in range(int(count))])
    except (KeyError, ValueError):
        raise MissingPartError(f"a part of `{key}` is missing") from None


def pack(text: str) -> str:
    """``text`` (ASCII), compressed where it is long."""
    if len(text) <= PART:
        return text
    return _COMPRESSED + base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def digits(packed: str) -> str:
    """What ``pack`` made, as hexadecimal digits.

    Spark hides a property whose value has ``token``, ``url`` or the like in it, wherever it shows
    properties; among digits there is no such word.
    """
    if packed.startswith(_DIGITS):
        return packed
    return _DIGITS + zlib.compress(unpack(packed).encode("ascii"), 6).hex()


def unpack(packed: str) -> str:
    """What ``pack`` was given.

    Raises:
        MissingPartError: this is not what it made.
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
