"""Documents to files and back; faults are told with path, line and cause."""

from __future__ import annotations

import datetime
import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalog_store import samples
from viewscribe.catalog_store import (
    Column,
    DamagedDocumentError,
    DocumentKind,
    FunctionDocument,
    InvalidDocumentError,
    NewerDocumentError,
    ViewDocument,
    fingerprint,
    seal,
)
from viewscribe.catalog_store.documents.codec import Step, decode, encode, migrate

PLAN = {"version": 1, "root": 0, "nodes": [{"node": "star", "flags": (True, None, 1.5)}]}


@given(samples.documents)
def test_every_document_survives(document):
    sealed, data = encode(document)
    assert decode(data, document.kind, "x").document == sealed
    if isinstance(document, ViewDocument | FunctionDocument):
        sealed = msgspec.structs.replace(sealed, fingerprint=document.fingerprint)
    assert sealed == document


@given(st.dictionaries(samples.texts, samples.json_values, max_size=3))
def test_every_plan_node_survives(node):
    plan = {"version": 1, "root": 0, "nodes": [{"node": "star", "data": node}]}
    sealed, data = encode(samples.view(plan=plan))
    assert decode(data, "view", "x").document == sealed


def test_the_same_document_gives_the_same_bytes():
    assert encode(samples.view())[1] == encode(samples.view())[1]


def test_a_view_is_readable():
    document = samples.view(
        comment="Young ones",
        columns=(Column("id", "BIGINT", nullable=False), Column("name", "STRING", comment="full")),
        settings={"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "Europe/Berlin"},
    )
    sealed, data = encode(document)
    assert data.decode() == (
        "schema_version: 1\n"
        "kind: view\n"
        "database: sales\n"
        "name: young\n"
        "comment: Young ones\n"
        "sql: |-\n"
        "  SELECT\n"
        "    name\n"
        "  FROM VALUES (1, 'ann') AS customers (id, name)\n"
        "  WHERE id >= 1\n"
        "columns:\n"
        "  - {name: id, type: BIGINT, nullable: false}\n"
        "  - {name: name, type: STRING, comment: full}\n"
        "settings:\n"
        '  spark.sql.ansi.enabled: "true"\n'
        "  spark.sql.session.timeZone: Europe/Berlin\n"
        f'fingerprint: "{sealed.fingerprint}"\n'
    )


@pytest.mark.parametrize(
    "change",
    [
        {"sql": "SELECT 2"},
        {"columns": (Column("name", "STRING", nullable=False),)},
        {"settings": {"spark.sql.ansi.enabled": "false"}},
        {"comment": "x"},
        {"plan": PLAN},
    ],
)
def test_the_fingerprint_follows_the_meaning(change):
    before = samples.view()
    assert fingerprint(msgspec.structs.replace(before, **change)) != fingerprint(before)


def test_the_fingerprint_ignores_everything_else():
    before = samples.view(plan=PLAN)
    after = msgspec.structs.replace(
        before,
        name="other",
        owner="me",
        spark_version="4.3.0",
        style="pipe",
        properties={"a": "b"},
        plan=dict(reversed(PLAN.items())),
        fingerprint="sha256:whatever",
    )
    assert fingerprint(after) == fingerprint(before) == seal(after).fingerprint


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (samples.view(plan={"a": float("nan")}), "nan has no exact form"),
        (samples.view(plan={"a": [datetime.date(2020, 1, 1)]}), "a date cannot be written"),
        (samples.view(plan={"a": b"x"}), "a bytes cannot be written"),
        (samples.view(plan={1: 2}), "the key 1 is not text"),
        (samples.view(plan={"a": 10**5000}), "4,000 digits"),
        (samples.view(comment="\ud83d"), "U\\+D83D, half of a surrogate pair"),
        (samples.view(plan={"a": 1}), "the key 'version' is missing"),
        (samples.view(sql=""), "too short"),
        (samples.view(style="fancy"), "fancy"),
        (samples.view(sql=None), "str"),
        (samples.view(columns=("a",)), "columns"),
        (samples.view(settings={"a": True}), "settings"),
        (samples.view(sql="x" * (16 << 20)), "at most 16,777,216"),
    ],
)
def test_what_cannot_be_stored(document, words):
    with pytest.raises(InvalidDocumentError, match=words):
        encode(document)


def test_a_circle_of_objects_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(InvalidDocumentError, match="64 levels"):
        encode(samples.view(plan={"a": loop}))


def damaged(data: bytes) -> DamagedDocumentError:
    with pytest.raises(DamagedDocumentError) as caught:
        decode(data, "view", "sales/young.view.yaml")
    return caught.value


def edited(old: bytes, new: bytes) -> bytes:
    data = encode(samples.view(plan=PLAN))[1]
    assert old in data
    return data.replace(old, new)


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", 1, "empty"),
        (b"- a\n", 1, "not a mapping"),
        (b"kind: view\n", 1, "schema_version is missing"),
        (edited(b"schema_version: 1", b"schema_version: one"), 1, "'one' is not a version"),
        (edited(b"schema_version: 1", b"schema_version: 0"), 1, "0 is not a version"),
        (edited(b"schema_version: 1", b"schema_version: true"), 1, "True is not a version"),
        (edited(b"kind: view", b"kind: table"), 2, "'table', but the file is a view"),
        (edited(b"type: STRING", b"type: 1"), 11, "/columns/0/type: 1 is a whole number"),
        (edited(b"name: young", b"name: young\nnmae: x"), 5, 'unknown key "nmae" (allowed: '),
        (edited(b"name: young\n", b""), 1, "the key 'name' is missing"),
        (edited(b"root: 0", b"root: zero"), 15, "/plan/root"),
        (edited(b"root: 0", b"root: [0"), 16, "not valid YAML"),
        (edited(b'"sha256:', b'"md5:'), 12, "/fingerprint"),
    ],
)
def test_faults_have_path_line_and_cause(data, line, words):
    error = damaged(data)
    assert (error.path, error.line) == ("sales/young.view.yaml", line)
    assert words in error.cause
    assert str(error).startswith(f"sales/young.view.yaml:{line}: ")


def test_a_newer_document_says_what_to_do():
    error = damaged(edited(b"schema_version: 1", b"schema_version: 7"))
    assert isinstance(error, NewerDocumentError)
    assert str(error) == (
        "sales/young.view.yaml:1: schema version 7 is newer than this viewscribe, "
        "which reads up to version 1\n  upgrade viewscribe to read it"
    )


@pytest.mark.parametrize("stop", range(0, 400, 13))
def test_a_document_cut_off_anywhere_is_damaged(stop):
    whole = encode(samples.view())[1]
    if stop < len(whole) - 1:
        assert damaged(whole[:stop]).cause


def test_errors_survive_pickling():
    error = damaged(edited(b"schema_version: 1", b"schema_version: 7"))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.line) == (type(error), str(error), 1)


def test_migrations_run_one_step_after_the_other():
    steps: dict[DocumentKind, dict[int, Step]] = {
        "view": {
            1: lambda plain: {"schema_version": 1, "style": plain["layout"]},
            2: lambda plain: {**plain, "style": plain["style"].upper()},
        }
    }
    old = {"schema_version": 1, "layout": "pipe"}
    assert migrate(dict(old), "view", current=3, steps=steps) == {
        "schema_version": 3,
        "style": "PIPE",
    }
    assert migrate({"schema_version": 3}, "view", current=3, steps=steps) == {"schema_version": 3}
