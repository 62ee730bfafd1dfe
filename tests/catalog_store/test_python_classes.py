"""Python functions in the place of a class: the text, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.catalog_store.columns import class_text, is_same_function, read_class_text
from viewscribe.catalog_store.documents.codec import decode, encode
from viewscribe.catalog_store.documents.model import FunctionDocument, Parameter
from viewscribe.catalog_store.errors import DamagedDocumentError, InvalidDocumentError

HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def test_what_a_reader_sees():
    document = FunctionDocument(
        database="sales",
        name="normalize",
        function_kind="scalar",
        language="python",
        class_name="shop.text:normalize",
        parameters=(Parameter("x", "DOUBLE"), Parameter("steps", "ARRAY<INT NOT NULL>")),
        returns="DOUBLE",
        source_hash=HASH,
    )
    assert class_text(document) == (
        "python:shop.text:normalize|scalar|(x DOUBLE, steps ARRAY<INT NOT NULL>)|DOUBLE|sha256:"
        + HASH
    )


_names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
_types = st.sampled_from(
    ["INT", "DECIMAL(10, 2)", "ARRAY<STRING NOT NULL>", "MAP<STRING, DATE>", "VARIANT",
     "STRUCT<`a|b%7C`: INT, c: STRING NOT NULL COMMENT 'it''s | %'>"]
)  # fmt: skip
documents = st.builds(
    FunctionDocument,
    database=st.just("sales"),
    name=st.just("f"),
    language=st.just("python"),
    function_kind=st.sampled_from(["scalar", "aggregate", "table"]),
    class_name=st.sampled_from(["a:b", "shop.text:Outer.inner", "odd|name%25:f"]),
    convention=st.sampled_from(["values", "arrow", "arrow batches", "accumulator"]),
    parameters=st.lists(st.builds(Parameter, _names, _types), max_size=3).map(tuple),
    returns=_types,
    deterministic=st.booleans(),
    collected=st.booleans(),
    annotated=st.booleans(),
    source_hash=st.none() | st.just(HASH),
)


@given(documents)
def test_a_text_says_the_whole_function(document):
    text = class_text(document)
    again = FunctionDocument(database="sales", name="f", **read_class_text(text))
    assert class_text(again) == text
    same = ("function_kind", "language", "class_name", "convention", "deterministic", "collected",
            "annotated", "source_hash")  # fmt: skip
    assert [getattr(again, each) for each in same] == [getattr(document, each) for each in same]
    names = [[each.name for each in one.parameters or ()] for one in (again, document)]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    "text",
    ["python:mod:f", "python:mod:f|int|abcdef", "python:mod:f|scalar|(x INT)|INT|sha256:abc",
     "python:mod:f|scalar|x INT|INT", "python:mod:f|scalar|(x NOTHING)|INT",
     "python:mod:f|widget|(x INT)|INT"],
)  # fmt: skip
def test_a_text_of_another_form_says_the_name(text):
    assert read_class_text(text) == {
        "language": "python", "function_kind": "scalar", "class_name": "mod:f",
    }  # fmt: skip


def test_a_signature_that_no_metastore_keeps():
    many = tuple(Parameter(f"column_{number}", "STRING") for number in range(300))
    document = FunctionDocument(
        database="sales", name="f", language="python", function_kind="scalar", class_name="a:b",
        parameters=many, returns="INT",
    )  # fmt: skip
    with pytest.raises(InvalidDocumentError, match=r"(?s)keeps 4,000.*function sales.f"):
        class_text(document)


def test_a_process_table_function():
    document = FunctionDocument(
        database="sales", name="f", language="python", function_kind="process",
        class_name="a:B", signature="B(input TABLE_AS_SET, n INT)", source_hash=HASH,
    )  # fmt: skip
    text = class_text(document)
    assert text == f"python:a:B|process|(B(input TABLE_AS_SET, n INT))|TABLE|sha256:{HASH}"
    assert FunctionDocument(database="sales", name="f", **read_class_text(text)) == document


def test_a_type_that_nobody_can_read_is_left_out():
    document = FunctionDocument(
        database="sales", name="f", language="python", function_kind="scalar", class_name="a:b",
        parameters=(Parameter("x", "NOTHING"),), returns="INT", source_hash=HASH,
    )  # fmt: skip
    assert class_text(document) == "python:a:b"


def test_the_same_function():
    text = "python:a:f|scalar|(x INT)|INT"
    assert is_same_function(text, "python:a:f|scalar|(x INT)|STRING|sha256:" + HASH)
    assert is_same_function(text, "python:a:f")
    assert not is_same_function(text, "python:a:g")
    assert not is_same_function("a.b.C", "a.b.C")


def test_a_document_holds_the_hash_and_older_ones_have_none():
    document = FunctionDocument(
        database="sales", name="f", language="python", function_kind="scalar", class_name="a:b",
        parameters=(), returns="INT", source_hash=HASH, annotated=True,
    )  # fmt: skip
    sealed, text = encode(document)
    assert decode(text, "function", "f").document == sealed
    older = "\n".join(
        line for line in text.decode().splitlines() if not line.startswith(("source", "annot"))
    )
    read = decode(older.encode(), "function", "f").document
    assert isinstance(read, FunctionDocument)
    assert (read.source_hash, read.annotated, read.collected) == (None, False, False)
    with pytest.raises(DamagedDocumentError, match="source_hash"):
        decode(text.replace(HASH.encode(), b"abc"), "function", "f")
