"""A strict JSON reader: what a document of ours may not say in YAML, it may not say in JSON.

Python's own takes the last of two equal keys, NaN, halves of surrogate pairs, and nests as deep as
its stack. A catalog must not hold one document for us and another one for somebody else.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import accumulate
from typing import Any, NoReturn

MAX_BYTES = 16 * 1024 * 1024
"""The maximum size of a document, in bytes."""

MAX_DEPTH = 64
"""The maximum nesting depth of mappings and lists in a document."""

MAX_DIGITS = 4300
"""The maximum length of a whole number: CPython reads no longer ones."""

OUTER_DEPTH = 100
"""The same of what holds documents, such as plans of migrations, and of what others write."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def loads(
    text: str | bytes,
    *,
    limit: int | None = MAX_BYTES,
    depth: int = MAX_DEPTH,
    of_others: bool = False,
) -> Any:
    """The value of a JSON text.

    Args:
        text: the text, in UTF-8 where it is bytes.
        limit: how long it may be; None for any length.
        depth: how deep mappings and lists may nest.
        of_others: whether a server may say what no document may: each thing in it is looked at.

    Raises:
        ValueError: it is none, or says something that no document may say.
    """
    if limit is not None and len(text) > limit:
        raise ValueError(f"larger than {limit >> 20} MiB")
    text = text if isinstance(text, str) else text.decode("utf-8")
    if _depth_of(text) > depth:
        raise ValueError(f"nested more than {depth} levels deep")
    if of_others:
        return json.loads(text, parse_int=_integer)
    value = json.loads(
        text,
        object_pairs_hook=_mapping,
        parse_constant=_constant,
        parse_float=_float,
        parse_int=_integer,
    )
    if _SURROGATE.search(text):
        _require_letters(value)
    return value


_NO_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"|[^][{}"]++', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1, '"': 0}


def _depth_of(text: str) -> int:
    """How deep a text nests, as far as it is JSON.

    Counted before it is read: where much of Python's stack is allowed, Python's reader would use up
    that of the process.
    """
    brackets = _NO_BRACKETS.sub("", text)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not allowed")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a whole number of more than {MAX_DIGITS:,} digits")
    return int(text)


def _require_letters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise ValueError(f"the text holds {half}, half of a surrogate pair") from None
