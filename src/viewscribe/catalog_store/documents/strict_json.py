"""A strict JSON reader, for documents that are kept as JSON: what YAML may not say, it may not.

Python's own takes the last of two equal keys, NaN, halves of surrogate pairs, and nests as deep as
its stack. A catalog must not hold one document for us and another one for somebody else.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from viewscribe.catalog_store.documents.plain import MAX_DEPTH
from viewscribe.catalog_store.documents.yaml_reader import MAX_BYTES

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def loads(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none, or says something that no document may say.
    """
    if len(text) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES >> 20} MiB")
    try:
        value = json.loads(
            text, object_pairs_hook=_mapping, parse_constant=_constant, parse_float=_float
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _require_shallow(value)
    if _SURROGATE.search(text):
        _require_letters(value)
    return value


_CONTAINERS = (dict, list)
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not allowed")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _require_shallow(value: Any) -> None:
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        if not level:
            return
        level = [
            inner
            for each in level
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) in _CONTAINERS
        ]
    if level:
        raise ValueError(_TOO_DEEP)


def _require_letters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise ValueError(f"the text holds {half}, half of a surrogate pair") from None
