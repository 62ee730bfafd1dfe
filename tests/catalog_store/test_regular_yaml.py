"""The fast reader of documents as we write them: it reads what the strict one reads, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from tests.catalog_store.samples import json_values, texts
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import MemoryCatalog, ViewDocument
from viewscribe.catalog_store.documents.codec import encode, load
from viewscribe.catalog_store.documents.regular_yaml import read_regular
from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.errors import ViewscribeError
from viewscribe.schemas.strict_json import MAX_DEPTH

WRITTEN = (
    b"schema_version: 1\nname: a b\nsql: |2-\n   x\n  y: 'z'\n\n  w\n"
    b'comment: "a\\"b\\\\ \\u00e9"\nproperties:\n  a.b: "true"\n'
    b'  "x y": [1, -2.5, true, null]\n  n:\n    - {a: {b: [c, d e]}}\n'
    b'empty: {}\nlist:\n  - {x: 1}\n  - y\n  - "q: ,"\nlast: "no"\n'
)

PIECES = [
    *"ab:, {}[]\"\\|-+#&*!?'\n0.eE_/()\t\u00e9\u2028\x07%@`>~",
    *(" : ", ", ", ": ", " #", " #\n", "\n  - ", "\n    - ", "\n  ", "- ", "? ", "|\n", ": |\n  "),
    *("---\n", "...\n", "true", "null", "True", "NULL", "1e5", "1e999", "-0", "012", "NaN"),
    *("\\u0041", "\\ud83d\\ude00", "\\x41", "\\/", "&a ", "*a", "!t ", "<<: ", "name: x\n"),
]


def agree(data: bytes) -> bool:
    """Whether the fast reader read ``data``, which the strict one must then read as well."""
    fast = read_regular(data)
    assert fast is None or json.dumps(fast) == json.dumps(load(data))
    return fast is not None


@st.composite
def changed_documents(draw: st.DrawFn) -> bytes:
    """What a document may be after somebody has edited it."""
    text = draw(st.sampled_from([WRITTEN, *views()])).decode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.sampled_from([start, start, start + 1, start + 3]))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return text.encode()


def views() -> Iterator[bytes]:
    """The files of some views."""
    env = vs.TableEnvironment(MemoryCatalog())
    env.create_table("t", "id BIGINT, status STRING, amount DECIMAL(10, 2)", comment="a table")
    paid = env.from_path("t").filter((col("status") == 'it\'s \\ "paid"\n') | (col("id") > 1.5))
    env.create_view("v", paid.group_by("id").agg(F.sum("amount").alias("total")))
    env.create_view("w", paid.select("status", F.lit("true").alias("no")))
    for name in ("v", "w"):
        document = env.catalogs.get("view", (name,)).document
        assert isinstance(document, ViewDocument)
        yield encode(document)[1]


@given(changed_documents())
def test_whatever_was_edited_is_read_as_the_strict_reader_reads_it_or_not_at_all(data):
    try:
        agree(data)
    except ViewscribeError as error:
        pytest.fail(f"the strict reader refuses it: {error}")


@given(st.dictionaries(texts, json_values | texts, max_size=4))
def test_what_is_written_is_read_the_same(value):
    agree(dump(value).encode())


def test_views_as_they_are_written_are_read_by_the_fast_reader():
    assert all(agree(each) for each in views())
    assert agree(WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "a: b # c\n",
        "a: b\n  c\n",
        "a: {b: 1, b: 2}\n",
        "a: 1\na: 2\n",
        "a: {b:1}\n",
        "a: [b,c]\n",
        "a: [b c , d]\n",
        "a: True\n",
        "a: [null, NULL]\n",
        "true: 1\n",
        "a: {true: 1}\n",
        "a: 1e999\n",
        "a: -Infinity\n",
        "a: &x 1\n",
        "a: *x\n",
        "a: !t 1\n",
        "a: '1'\n",
        'a: "\\x41"\n',
        'a: "\\ud83d\\ude00"\n',
        'a: "b\n  c"\n',
        "a:\nb: 1\n",
        "a:\n- 1\n",
        "a:\n   - 1\n",
        "a:\n  - 1\n - 2\n",
        "a: |\n   b\n",
        "a: >\n  b\n",
        "a: |\n  b\n c\n",
        "a: 1",
        "",
        "\n",
        "--- \na: 1\n",
        "a: 1\n---\nb: 1\n",
        "a: \u2028\n",
        "a: \x07\n",
        "\ufeffa: 1\n",
        "a: " + "[" * 100_000 + "\n",
        "a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "\n",
        "a: " + "9" * 5000 + "\n",
        "k" * 2000 + ": 1\n",
        "k" * 2000 + ": |\n  x\n",
        "k" * 2000 + ":\n  - x\n",
        "a: {" + "k" * 2000 + ": 1}\n",
        'a: {"' + "\\u0001" * 300 + '": 1}\n',
        "true: |-\n  x\n",
        "Null: |-\n  x\n",
        "a:\n  true:\n    - x\n",
    ],
)
def test_what_is_left_to_the_strict_reader(text):
    assert read_regular(text.encode()) is None


def test_bytes_that_are_no_text_are_left_to_the_strict_reader():
    assert read_regular(b"a: \xff\n") is None
