"""The YAML writer and its two readers: exact round trips, and no tricks on reading."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.catalog_store.samples import NASTY, json_values, texts
from viewscribe.catalog_store.documents.codec import StrictYamlError, find_line, load, peek
from viewscribe.catalog_store.documents.regular_yaml import read_regular
from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.schemas.strict_json import MAX_BYTES


def round_trip(value):
    return load(dump(value).encode())


@given(st.dictionaries(texts | st.just("k" * 1500), json_values | texts, max_size=4))
def test_every_plain_value_survives(value):
    again = round_trip(value)
    assert json.dumps(again) == json.dumps(value)
    fast = read_regular(dump(value).encode())
    assert fast is None or json.dumps(fast) == json.dumps(value)


@given(texts)
@example("SELECT 1 \n  \nFROM t\n")
def test_every_text_survives_as_sql(text):
    assert round_trip({"sql": text, "after": 1}) == {"sql": text, "after": 1}


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_survive_wherever_they_stand(text):
    value = {
        "comment": text,
        "sql": text,
        f"k{text}": text,
        "settings": {text: text, f"{text}x": [text]},
        "columns": [{"name": text, text: [text, [text]]}, text],
        "plan": {"nodes": [{text: text}], "root": 0},
        "last": text,
    }
    assert json.dumps(round_trip(value)) == json.dumps(value)


@given(st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), json_values, max_size=4))
def test_a_reader_of_yaml_1_1_sees_the_same(value):
    # Other tools must not read "no" as false. Floats apart: YAML 1.1 reads 1e5 as text.
    def without_floats(inner):
        if isinstance(inner, float):
            return 0
        if isinstance(inner, list):
            return [without_floats(item) for item in inner]
        if isinstance(inner, dict):
            return {key: without_floats(item) for key, item in inner.items()}
        return inner

    value = without_floats(value)
    assert yaml.safe_load(dump(value)) == value


def test_sql_is_a_block_even_with_blanks_at_the_end_of_lines():
    assert dump({"sql": "SELECT 1 \nFROM t"}) == "sql: |-\n  SELECT 1 \n  FROM t\n"


def test_the_layout_is_one_item_a_line():
    value = {
        "name": "young",
        "columns": [{"name": "a", "type": "DECIMAL(10,2)"}],
        "settings": {"spark.sql.ansi.enabled": "true"},
        "dependencies": [],
        "plan": {"version": 1, "nodes": [{"op": "source", "name": ["a", "b"]}, {"op": "filter"}]},
    }
    assert dump(value) == (
        "name: young\n"
        "columns:\n"
        '  - {name: a, type: "DECIMAL(10,2)"}\n'
        "settings:\n"
        '  spark.sql.ansi.enabled: "true"\n'
        "dependencies: []\n"
        "plan:\n"
        "  version: 1\n"
        "  nodes:\n"
        "    - {op: source, name: [a, b]}\n"
        "    - {op: filter}\n"
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", "a"),
        ("no", "no"),
        ("1:20", "1:20"),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-3", -3),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1_000", "1_000"),
        ("2020-01-01", "2020-01-01"),
        ("True", True),
        ("FALSE", False),
        ("Null", None),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("+", "+"),
        (".", "."),
    ],
)
def test_scalars_mean_what_the_core_schema_says(text, value):
    found = load(f"k: {text}\n".encode())["k"]
    assert (type(found), found) == (type(value), value)


BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("data", "words", "line"),
    [
        (BOMB, "anchor &a", 1),
        (b"x: 1\nb: *a\n", "alias \\*a", 2),
        (b"x: 1\ny: !!python/object/apply:os.system [ls]\n", "tag", 2),
        (b"x: !t 1\n", "tag", 1),
        (b"x: ! 1\n", "tag", 1),
        (b"a: 1\nb: 2\na: 3\n", "'a' is given twice", 3),
        (b"a: 1\n2: x\n", "key 2 is not text", 2),
        (b"true: x\n", "key True is not text", 1),
        (b"? [a]\n: x\n", "key a mapping or list", 1),
        (b"a: 1\n---\nb: 1\n", "more than one document", 2),
        (b"", "empty", 1),
        (b"# nothing\n", "empty", 1),
        (b"a: .nan\n", "not allowed", 1),
        (b"a: 1\nb: -.inf\n", "not allowed", 2),
        (b"a: 1e999\n", "too large", 1),
        (b"a: " + b"9" * 5000, "4,300 digits", 1),
        (b"a: 1\nb: [1, 2\n", "not valid YAML", 3),
        (b"a: 1\n\tb: 1\n", "not valid YAML", 2),
        (b"a: 1\nb: \xff\n", "not UTF-8 text: byte 0xff", 2),
        (b"a: 1\nb: \x07\n", "U\\+0007 is not allowed", 2),
        (b"a: {b: 1, b: 2}", "given twice", 1),
    ],
)
def test_what_is_refused(data, words, line):
    with pytest.raises(StrictYamlError, match=words) as caught:
        load(data)
    assert caught.value.line == line


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_without_a_crash(opener):
    with pytest.raises(StrictYamlError):
        load((opener * 100_000).encode())


def test_a_large_file_is_refused_unread():
    with pytest.raises(StrictYamlError, match="16 MiB"):
        load(b"x" * (MAX_BYTES + 1))


DOCUMENT = b"a: 1\nb:\n  - x\n  - {y: 1,\n     z: [1,\n  2]}\nc:\n  d: 1\n"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("a",), 1),
        (("b",), 3),
        (("b", 0), 3),
        (("b", 1), 4),
        (("b", 1, "z"), 5),
        (("b", 1, "z", 1), 6),
        (("b", 7, "z"), 3),
        (("c", "d"), 8),
        (("missing",), 1),
    ],
)
def test_the_line_of_a_value(path, line):
    assert find_line(DOCUMENT, path) == line


def test_peek_reads_a_key_of_a_damaged_or_cut_off_document():
    assert peek(b"a: 1\nname: Young\nb: [[[", "name") == "Young"
    assert peek(b"a: {name: no}\nname: Young\n\xe6\xbc", "name") == "Young"
    assert peek(b"a: [\nname: Young", "name") is None
    assert peek(b"a: 1\n", "name") is None
    assert peek(b"\x00", "name") is None
