"""Documents changed at random: as data whose parts are others, and as bytes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Literal

from viewscribe.catalog_store.documents.codec import load
from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.errors import ViewscribeError

Form = Literal["yaml", "json", "lines", "text"]
"""How a document is written; ``lines`` are of JSON, and ``text`` is no data."""

NAMES = (
    "../x", "../../../x", "/tmp/../x", "a/../../x", "..", ".", "", " ", "C:", "C:\\x", "NUL", "con",
    "a\0b", "\u202egpj.sql", "\ufeff", "\n", "a\r\nb", "-rf", "$(id)", "`", "a`b", "'", '"',
    "%2e%2e",
    "x" * 300, "漢" * 200, "é", "e\u0301", "A", "a.b", "a.b.c.d", "spark_catalog", "_database",
    "_history", ".tmp-1", "~root", "${env:HOME}", "<script>", "\x1b[2J", "\ud7ff", "K", "İ",
)  # fmt: skip
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.5, 1e308, -0.0),
    *([], [[]], [None], {}, {"a": 1}, {"": None}, "0", "1", "null", "true", "INT", "ARRAY<INT>"),
    *("SELECT 1 AS x", "SELECT * FROM t", "STRUCT<a: INT, a: INT>", "view", "table", "function"),
)
RAW = (
    *("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-" + "9" * 5000, "0x1F", ".inf", "~"),
    *('{"a": 1, "a": 2}', '"\\ud800"', '"\\u0000"', "'it''s'", "1_000", "0o17", "2020-01-01"),
    *("[" * 100 + "]" * 100, "[" * 100_000, '{"a":' * 100_000, "[" * 3000 + "]" * 3000),
    *("&a [*a, *a]", "*a", "!!python/object/apply:os.system [id]", "<<: {a: 1}", "? a", "|2\n  x"),
    *("{a: &a [x, x], b: &b [*a, *a], c: &c [*b, *b], d: [*c, *c]}", "- " * 10_000, "# x", "---"),
)
BYTES = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xfe\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\r", b"\r\n"),
    *(
        "\u202e".encode(),
        "\u2028".encode(),
        b"\x1b[2J",
        b"\t",
        b"\n",
        b" ",
        b":",
        b": ",
        b"-",
        b'"',
    ),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b"\\",
        b"'",
        b"#",
        b"&",
        b"*",
        b"!",
        b"|",
        b">",
        b"%",
        b"@",
        b"`",
        b",",
    ),
    *(b"[" * 100_000, b"{" * 20_000, b"(" * 20_000, b"- " * 20_000, b"? " * 5000, b"\\" * 5000),
)
MOST = 1 << 20
"""The length of the longest document."""

_HOLE = "holeHOLEhole"


def mutated(original: bytes, form: Form, rng: random.Random) -> bytes:
    """A document that is another one, or none."""
    data = original
    if form != "text" and rng.random() < 0.7:
        data = _as_data(data, form, rng)
    if form == "text" or rng.random() < 0.4:
        for _ in range(rng.choice((1, 1, 2, 5))):
            data = rng.choice(_OF_BYTES)(data, rng)
    return data[:MOST]


# -- data ------------------------------------------------------------------------------------------


def _as_data(data: bytes, form: Form, rng: random.Random) -> bytes:
    if form == "lines":
        lines = data.split(b"\n")
        place = rng.randrange(len(lines))
        lines[place] = _as_data(lines[place], "json", rng) if lines[place] else b"{}"
        return b"\n".join(lines)
    try:
        plain = load(data) if form == "yaml" else json.loads(data)
    except (ViewscribeError, ValueError):
        return data
    holder = [plain]
    try:
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            rng.choice(_OF_DATA)(holder, rng)
        return _written(holder[0], form, rng)
    except RecursionError:  # of what made it so deep
        return data


def _written(plain: Any, form: Form, rng: random.Random) -> bytes:
    """The data as text, with something that data cannot say where a hole is."""
    text = _yaml(plain) if form == "yaml" and rng.random() < 0.6 else None
    text = text or json.dumps(plain, ensure_ascii=rng.random() < 0.5)
    raw = rng.choice(RAW)
    text = text[: 2 * MOST].replace(f'"{_HOLE}"', raw, 3).replace(_HOLE, raw, 3)
    return text.encode("utf-8", "replace")


def _yaml(plain: Any) -> str | None:
    """The data as we write it; None where we would not."""
    if not isinstance(plain, dict):
        return None
    try:
        return dump(plain)
    except (AttributeError, TypeError, ValueError):
        return None


def spots(holder: Any) -> list[tuple[Any, Any]]:
    """Every place of a value: what holds it, and under what key."""
    found: list[tuple[Any, Any]] = []
    pending: list[Any] = [holder]
    while pending:
        each = pending.pop()
        for key in each if isinstance(each, dict) else range(len(each)):
            found.append((each, key))
            if isinstance(each[key], dict | list):
                pending.append(each[key])
    return found


def _spot(holder: Any, rng: random.Random, *kinds: type) -> tuple[Any, Any]:
    """A place, rather one not deep inside: of those there are many more."""
    found = [each for each in spots(holder) if not kinds or type(each[0][each[1]]) in kinds]
    if not found:
        return holder, 0
    return found[min(rng.randrange(len(found)), rng.randrange(len(found)))]


def _delete(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng)
    if inside is not holder:
        del inside[key]


def _swap(holder: Any, rng: random.Random) -> None:
    (one, a), (other, b) = _spot(holder, rng), _spot(holder, rng)
    one[a], other[b] = copy.deepcopy(other[b]), copy.deepcopy(one[a])


def _junk(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng)
    inside[key] = copy.deepcopy(rng.choice(JUNK))


def _raw(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng)
    inside[key] = _HOLE


def _name(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng, str)
    inside[key] = rng.choice(NAMES)


def _key(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng)
    if isinstance(inside, dict):
        new = rng.choice((*NAMES, "k" * 100_000, "plan", "kind", "nodes", "root", _HOLE))
        inside[new] = inside.pop(key) if rng.random() < 0.5 else copy.deepcopy(inside[key])


def _nest(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng)
    for _ in range(rng.choice((1, 2, 30, 62, 70, 100))):
        inside[key] = [inside[key]] if rng.random() < 0.5 else {"a": inside[key]}


def _repeat(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng, list)
    items = inside[key] if isinstance(inside[key], list) else [inside[key]]
    inside[key] = items * rng.choice((2, 3, 20)) if items else [None] * 5000


def _long(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng, str)
    text = str(inside[key]) or "x"
    times = rng.choice((2, 100, 300_000 // len(text) + 1))
    inside[key] = text * min(times, 300_000 // len(text) + 1)


def _text(holder: Any, rng: random.Random) -> None:
    inside, key = _spot(holder, rng, str)
    data = rng.choice(_OF_BYTES)(str(inside[key]).encode("utf-8", "replace"), rng)
    inside[key] = data.decode("utf-8", "replace")


_OF_DATA: tuple[Callable[[Any, random.Random], None], ...] = (
    *(_delete, _swap, _junk, _junk, _raw, _name, _name, _key, _nest, _repeat, _long, _text, _text),
)


# -- bytes -----------------------------------------------------------------------------------------


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _part(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + rng.choice((1, 2, 5, 20, 200)))


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + rng.choice(BYTES) + data[at:]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start, end = _part(data, rng)
    return data[:start] + data[end:]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)]


def _again(data: bytes, rng: random.Random) -> bytes:
    start, end = _part(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 2, 100)) + data[end:]


def _move(data: bytes, rng: random.Random) -> bytes:
    start, end = _part(data, rng)
    rest = data[:start] + data[end:]
    at = _place(rest, rng)
    return rest[:at] + data[start:end] + rest[at:]


def _flip(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    lines.insert(rng.randrange(len(lines) + 1), lines[place])
    return b"\n".join(lines)


def _widths(data: bytes, rng: random.Random) -> bytes:
    """In the letters of another system."""
    return data.decode("utf-8", "replace").encode(
        rng.choice(("utf-16", "utf-8-sig", "latin-1")), "replace"
    )


_OF_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_insert, _insert, _cut, _truncate, _again, _move, _flip, _line, _widths),
)
