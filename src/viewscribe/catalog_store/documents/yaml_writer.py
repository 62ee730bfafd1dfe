"""Documents as YAML that people read: SQL as a block, one column, dependency or node a line.

A small writer of its own, because PyYAML's gives up the block form for SQL with a blank at the
end of a line, and takes ten times as long. What it writes is a narrow part of YAML: block
mappings and lists down to the second level, flow below, scalars bare where no YAML version reads
them as anything else and otherwise quoted as in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Keys whose text is code: always a block, even when it has one line.
_CODE = frozenset(["sql", "body"])

_BARE = re.compile(r"[A-Za-z_](?:[\w .()/-]*[\w)./-])?")
# Words that YAML 1.1 or 1.2 reads as truth values or nulls.
_RESERVED = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
# What YAML does not allow in a text as it is, and JSON does not escape by itself.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NOT_IN_BLOCK = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

# The YAML parser looks no further than 1,024 characters for the colon after a key.
_LONG_KEY = 500


def dump(plain: Mapping[str, Any]) -> str:
    """The YAML text of ``plain``, which must be plain data as ``copy_plain`` makes it."""
    lines: list[str] = []
    for key, value in plain.items():
        lines.extend(_entry(key, value))
    return "\n".join(lines or ["{}"]) + "\n"


def _entry(key: str, value: Any) -> Iterator[str]:
    """The lines of one key of the top level."""
    name = _key(key, "")
    if (
        isinstance(value, str)
        and (key in _CODE or "\n" in value)
        and (bool(value.strip()) and not _NOT_IN_BLOCK.search(value))
    ):
        yield from _block(name, value)
    elif isinstance(value, dict) and value:
        yield f"{name}:"
        for inner_key, inner in value.items():
            yield from _inner_entry(_key(inner_key, "  "), inner)
    elif isinstance(value, list) and value:
        yield f"{name}:"
        yield from (f"  - {_flow(item)}" for item in value)
    else:
        yield f"{name}: {_flow(value)}"


def _inner_entry(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        yield f"{name}:"
        yield from (f"    - {_flow(item)}" for item in value)
    else:
        yield f"{name}: {_flow(value)}"


def _block(name: str, text: str) -> Iterator[str]:
    """``text`` as a literal block; the indicators keep its first blanks and last newlines."""
    body = text.rstrip("\n")
    newlines = len(text) - len(body)
    indent = "2" if text[0] in " \t\n" else ""
    chomp = "-" if newlines == 0 else "" if newlines == 1 else "+"
    yield f"{name}: |{indent}{chomp}"
    for line in body.split("\n"):
        yield f"  {line}" if line else ""
    yield from [""] * (newlines - 1)


def _key(key: str, indent: str) -> str:
    text = _text(key)
    # The parser wants an explicit mark where it would lose sight of the colon.
    return f"{indent}? {text}\n{indent}" if len(text) > _LONG_KEY else f"{indent}{text}"


def _flow(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow_key(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return json.dumps(value, allow_nan=False)


def _flow_key(key: str) -> str:
    text = _text(key)
    return f"? {text} " if len(text) > _LONG_KEY else text


def _text(text: str) -> str:
    if _BARE.fullmatch(text) and text.lower() not in _RESERVED and "  " not in text:
        return text
    return _UNPRINTABLE.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
