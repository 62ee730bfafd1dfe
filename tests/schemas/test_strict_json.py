"""JSON says each thing once and exactly, and what is too large or too deep is an error of ours."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe.errors import DataTypeError
from viewscribe.schemas.strict_json import MAX_DEPTH, loads

SOURCES = Path(vs.__file__).parent


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' is given twice"),
        ('[{"b": {"a": 1, "c": 2, "a": 1}}]', "the key 'a' is given twice"),
        ("[NaN]", "NaN is not allowed"),
        ("-Infinity", "-Infinity is not allowed"),
        ("[1e999]", "1e999 is too large"),
        ('["\\ud800"]', r"U\+D800, half of a surrogate pair"),
        ('{"\\uDFFF": 1}', r"U\+DFFF, half of a surrogate pair"),
        (nested(MAX_DEPTH + 1), "nested more than 64 levels deep"),
        (nested(100_000), "nested more than 64 levels deep"),
        ("[" * 100_000, "nested more than 64 levels deep"),
        ('{"a":' * 100_000, "nested more than 64 levels deep"),
        ("9" * 5000, "4,300 digits"),
        ('"' + "x" * (16 << 20) + '"', "larger than 16 MiB"),
        ("{} {}", "Extra data"),
        ("\ufeff{}", "BOM"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'"\xff"', "invalid start byte"),
        ("\0", "Expecting value"),
        ('"a\0b"', "Invalid control character"),
        ("", "Expecting value"),
    ],
)
def test_what_json_may_not_say(wrong: str | bytes, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        loads(wrong)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.text('[]{}"\\'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
)


@given(VALUES)
def test_what_json_may_say_is_read_as_ever(value: Any) -> None:
    for ascii_only in (True, False):
        written = json.dumps(value, ensure_ascii=ascii_only)
        if "\\ud" not in written or ascii_only:
            assert loads(written) == json.loads(written) == loads(written.encode())


@given(VALUES, st.integers(1, 5))
def test_the_depth_is_that_of_the_value(value: Any, depth: int) -> None:
    """Brackets in texts are no depth."""
    written = json.dumps(value)
    if _depth(value) <= depth:
        assert loads(written, depth=depth) == json.loads(written)
    else:
        with pytest.raises(ValueError, match=f"more than {depth} levels"):
            loads(written, depth=depth)


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0)


def test_json_of_the_greatest_depth_is_read_as_ever() -> None:
    assert loads(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))


def test_deep_json_does_not_use_up_the_stack_of_the_process() -> None:
    """Queries are read with so much of Python's stack that its own reader would."""
    env = vs.TableEnvironment()
    env.create_table("t", "a BINARY")
    with pytest.raises(DataTypeError, match="nested more than 100 levels deep"):
        env.sql_query(f"SELECT from_avro(a, '{'[' * 200_000}') AS x FROM t")


def test_one_of_many_keys_given_twice_is_found_at_once() -> None:
    keys = [f'"{number}": 0' for number in range(50_000)]
    before = time.process_time()
    with pytest.raises(ValueError, match="the key '49999' is given twice"):
        loads(f"{{{', '.join([*keys, keys[-1]])}}}")
    assert time.process_time() - before < 2


# What Spark itself says to viewscribe.spark is no document, and as long and as deep as it may be.
_READERS = {
    "catalog_store/documents/regular_yaml.py": "reads values of YAML, as the strict reader would",
    "expressions/schema.py": "reads a sample in a query as Spark infers its schema",
    "schemas/strict_json.py": "reads JSON",
    "schemas/validator.py": "reads the schemas of this package",
}


def test_nobody_reads_json_in_another_way() -> None:
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if any(each in path.read_text(encoding="utf-8") for each in _WAYS)
    }
    assert {each for each in found if not each.startswith("spark/")} == {*_READERS}


_WAYS = ("json.load", "json.decode", "JSONDecoder(", "answer.json()")
