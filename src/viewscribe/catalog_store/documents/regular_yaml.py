"""A fast reader for YAML of the regular shape that our own writer gives documents.

What it reads, it reads as the strict reader does; for everything else it says None, and the
strict reader decides. Within a line of that shape YAML differs from JSON only in its bare words,
so these are quoted and the rest is the work of a JSON decoder: three times as fast as the events of
a YAML parser, of which there is one for every scalar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from viewscribe.schemas.strict_json import MAX_BYTES, MAX_DEPTH

# A literal block: its key, the marks of its header and its lines.
_BLOCK = re.compile(r"^([A-Za-z_]\w*): \|(2?)([-+]?)\n((?:(?:  .*)?\n)+)", re.MULTILINE)
# What stands for the quoted parts, which are put back later.
_HOLE = "\0"
# What may stand outside of quotes, besides letters of other alphabets.
_PLAIN = b"\0\nABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ .()/-{}[],:"
# As far as they go, and none that a blank ends: YAML leaves that away.
_WORDS = re.compile(r"([A-Za-z_][^\0\n{}\[\],:]*+(?<! ))")
_LITERALS = ("true", "false", "null")
_ESCAPED_BACKSLASH, _ESCAPED_QUOTE = "\1", "\2"
# JSON and YAML agree on these; of the two halves of a surrogate pair only JSON makes a letter.
_OTHER_ESCAPE = re.compile(r"\\(?![nrtbf]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})")

_LONG = 1000
"""A key must end within 1,024 characters as they are written, or YAML wants it marked."""

_INNER_DEPTH = MAX_DEPTH - 3
"""How deeply values of a line may nest, which are inside three others at most."""


class _Irregular(Exception):  # noqa: N818 - not an error: the strict reader decides
    """The text is not of the regular shape."""


def read_regular(data: bytes) -> dict[str, Any] | None:
    """The mapping in ``data``, or None where its shape is not regular, which proves nothing."""
    if len(data) > MAX_BYTES:
        return None
    try:
        text = data.decode("utf-8")
        if not text.replace("\n", "").replace("\t", "").isprintable() or not text.endswith("\n"):
            raise _Irregular
        outside, *blocks = _BLOCK.split(text)
        found: dict[str, Any] = {}
        _read_entries(outside, found)
        for start in range(0, len(blocks), 5):
            key, indent, chomp, body, outside = blocks[start : start + 5]
            if len(key) > _LONG or key.lower() in _LITERALS:
                raise _Irregular
            _put(found, key, _block(body, indent, chomp))
            _read_entries(outside, found)
        if not found:
            raise _Irregular
        return found
    except (_Irregular, ValueError, RecursionError, StopIteration):
        return None


def _put(into: dict[str, Any], key: Any, value: Any) -> None:
    if type(key) is not str or key in into:
        raise _Irregular
    into[key] = value


def _block(body: str, indent: str, chomp: str) -> str:
    """The text of a literal block, of whose lines each is empty or begins with two blanks."""
    # Without a mark the first line says how far the text is indented.
    if not indent and (len(body) < 3 or body[2] in " \t\n"):
        raise _Irregular
    text = ("\n" + body).replace("\n  ", "\n")[1:]
    if not text.strip():
        raise _Irregular
    if chomp == "+":
        return text
    return text.rstrip("\n") + ("" if chomp else "\n")


def _read_entries(text: str, into: dict[str, Any]) -> None:
    """Read what stands between blocks: entries of the top level, each with its lines below."""
    if not text:
        return
    if text[-1] != "\n":
        raise _Irregular
    lines = iter(_as_json(text).split("\n")[:-1])
    line = next(lines, None)
    while line is not None:
        if line[:1] == " ":
            raise _Irregular
        if line[-1:] != ":":
            _put(into, *_entry(line, 0))
            line = next(lines, None)
            continue
        key, (value, line) = _key(line, 0), _read_nested(lines)
        _put(into, key, value)


def _read_nested(lines: Iterator[str]) -> tuple[Any, str | None]:
    """The list or mapping on the next lines, two blanks further in, and the line after it."""
    line = next(lines, "")
    if line.startswith("  - "):
        return _items(line, lines, "  - ")
    found: dict[str, Any] = {}
    following: str | None = line
    while following is not None and following[:2] == "  " and following[2:3] not in (" ", "-"):
        if following[-1] == ":":
            key, (value, following) = _key(following, 2), _items(next(lines, ""), lines, "    - ")
            _put(found, key, value)
        else:
            _put(found, *_entry(following, 2))
            following = next(lines, None)
    if not found:
        raise _Irregular
    return found, following


def _items(line: str, lines: Iterator[str], dash: str) -> tuple[list[Any], str | None]:
    """The items of a list, one a line, and the line after it."""
    found: list[Any] = []
    following: str | None = line
    while following is not None and following.startswith(dash):
        found.append(_value(following, len(dash)))
        following = next(lines, None)
    if not found:
        raise _Irregular
    return found, following


def _entry(line: str, start: int) -> tuple[Any, Any]:
    """The key and the value of a line."""
    pairs = list(_value(f"{{{line[start:]}}}", 0).items())
    if len(pairs) != 1:
        raise _Irregular
    return pairs[0][0], pairs[0][1]


def _key(line: str, start: int) -> Any:
    """The key of a line that has nothing but a key and its colon."""
    if len(line) > _LONG:
        raise _Irregular
    return _value(line[:-1], start)


def _value(line: str, start: int) -> Any:
    """The value that is the rest of a line."""
    value, end = _scan(line, start)
    if end != len(line):
        raise _Irregular
    # Short lines hold no long keys, and few brackets no deep values.
    if end > _LONG or line.count("[") + line.count("{") >= _INNER_DEPTH:
        _require_simple(value)
    return value


def _require_simple(value: Any) -> None:
    """Refuse deep values and long keys, of which each letter may be written with six."""
    level = [value]
    for _ in range(_INNER_DEPTH):
        below: list[Any] = []
        for each in level:
            if type(each) is dict:
                if max(map(len, each), default=0) > _LONG // 6:
                    raise _Irregular
                below.extend(each.values())
            elif type(each) is list:
                below.extend(each)
        if not below:
            return
        level = below
    raise _Irregular


def _as_json(text: str) -> str:
    """``text`` with its bare words quoted."""
    escapes = "\\" in text
    if escapes:
        text = text.replace("\\\\", _ESCAPED_BACKSLASH).replace('\\"', _ESCAPED_QUOTE)
        if _OTHER_ESCAPE.search(text):
            raise _Irregular
    parts = text.split('"')
    parts[::2] = _quote(_HOLE.join(parts[::2])).split(_HOLE)
    text = '"'.join(parts)
    if escapes:
        text = text.replace(_ESCAPED_QUOTE, '\\"').replace(_ESCAPED_BACKSLASH, "\\\\")
    return text


def _quote(bare: str) -> str:
    """What stands outside of quotes, with its words quoted."""
    others = bare.encode("utf-8").translate(None, _PLAIN).decode("utf-8")
    if others and not others.isalnum():
        raise _Irregular
    # YAML takes `a:b` and, outside of brackets, `a,b` for one word.
    if bare.count(":") != bare.count(": ") + bare.count(":\n"):
        raise _Irregular
    if bare.count(",") != bare.count(", "):
        raise _Irregular
    # Splitting at the words and joining with quotes puts quotes around each of them.
    text = '"'.join(_WORDS.split(bare))
    folded = text.lower()
    for literal in _LITERALS:
        quoted = f'"{literal}"'
        if quoted in folded:
            text = text.replace(quoted, literal)
            if quoted in text.lower():  # True and TRUE are left to the strict reader
                raise _Irregular
    return text


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Irregular  # a key is given twice
    return found


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _Irregular
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_mapping, parse_float=_float)
# What `raw_decode` calls: the value at a place and where it ends, StopIteration where none begins.
_scan: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
