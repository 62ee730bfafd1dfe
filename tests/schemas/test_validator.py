"""The schemas are themselves valid, and their faults are told in words."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.catalog_store import samples
from viewscribe.catalog_store.documents.normalization import copy_plain, seal_plain
from viewscribe.schemas import DocumentSchemaError, find_problems, is_valid, schema_for, validate
from viewscribe.schemas.validator import KINDS

VIEW: dict[str, Any] = {
    "schema_version": 1,
    "kind": "view",
    "database": "sales",
    "name": "young",
    "sql": "SELECT 1 AS a",
    "columns": [{"name": "a", "type": "INT"}],
    "fingerprint": "sha256:" + "0" * 64,
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_are_valid(kind):
    Draft202012Validator.check_schema(schema_for(kind))
    assert schema_for(kind)["$id"] == f"urn:viewscribe:{kind}"


def test_a_valid_document_passes():
    validate(VIEW, "view")
    assert find_problems(VIEW, "view") == ()


def change(path, value):
    document = copy.deepcopy(VIEW)
    at: Any = document
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (change(["columns", 0, "type"], 1), "/columns/0/type: 1 is a whole number (allowed: text)"),
        (
            change(["columns", 0, "nullable"], "no"),
            '/columns/0/nullable: "no" is text (allowed: true or false)',
        ),
        (change(["comment"], True), "/comment: true is a truth value (allowed: text or null)"),
        (change(["columns"], {}), "/columns: {} is a mapping (allowed: a list)"),
        (
            change(["style"], "fancy"),
            '/style: "fancy" is not one of the allowed values '
            '(allowed: "readable", "pipe", "nested")',
        ),
        (
            change(["kind"], "table"),
            '/kind: "table" is not the only allowed value (allowed: "view")',
        ),
        (change(["sql"], ""), '/sql: "" is too short (allowed: 1 or more)'),
        (
            change(["columns", 0, "typ"], "INT"),
            '/columns/0/typ: unknown key "typ" (allowed: name, type, nullable, comment)',
        ),
        (
            change(["settings"], {"a/b~c": 1}),
            "/settings/a~1b~0c: 1 is a whole number (allowed: text)",
        ),
        (change(["plan"], {"version": 1, "root": 0}), "/plan: the key 'nodes' is missing"),
        ("x", '(document): "x" is text (allowed: a mapping)'),
    ],
)
def test_a_problem_has_pointer_cause_and_what_is_allowed(document, problem):
    assert [str(each) for each in find_problems(document, "view")] == [problem]


def test_all_problems_are_told():
    with pytest.raises(DocumentSchemaError) as caught:
        validate({"schema_version": 1, "kind": "view", "sql": 1}, "view")
    error = caught.value
    causes = [each.cause for each in error.problems]
    assert "the key 'name' is missing" in causes
    assert "the key 'columns' is missing" in causes
    assert "1 is a whole number" in causes
    assert str(error).startswith("not a valid view document\n")
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


@pytest.mark.parametrize(
    "spark",
    [
        {"fs.s3a.secret.key": ["hunter2"]},
        {"fs.s3a.secret.key": {"a": "hunter2"}},
        {"a": {"password": ["hunter2"]}},
        {"a": ["https://hunter2@host/x", {"b": [{"token": 1, "url": "x?sig=hunter2"}]}]},
        [{"private_key": "hunter2"}],
        "jdbc:x?password=hunter2",
    ],
)
def test_a_value_of_a_wrong_type_tells_no_secret(spark: Any) -> None:
    plain = {"schema_version": 1, "environments": {"dev": {"catalog": "file:a", "spark": spark}}}
    (problem,) = find_problems(plain, "environments")
    assert "hunter2" not in str(problem)
    assert "***" in str(problem)


def test_a_long_value_is_cut_whatever_the_fault_is() -> None:
    path = ["x" * 500, "b", "c"]
    step = {"operation": "rename", "kind": "view", "database": "a", "name": "b", "former": path}
    problems = find_problems({"steps": [step]}, "migration")
    (long,) = [each for each in problems if each.path == ("steps", 0, "former")]
    assert str(long) == f'/steps/0/former: ["{"x" * 55}... is too long'


def test_a_long_value_is_cut():
    (problem,) = find_problems(change(["columns"], "x" * 500), "view")
    assert len(str(problem)) < 120


# --- the two validators ---

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.sampled_from(["view", "STRING", "sha256:" + "a" * 64, "readable", 1.0, 2**70, -0.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abk", max_size=2), inner),
    max_leaves=4,
)  # fmt: skip


@given(samples.documents, st.data())
def test_both_validators_say_the_same(document, data):
    """Of documents, and of documents in which one thing is another."""
    plain = copy_plain(seal_plain(document)[1])
    assert is_valid(plain, document.kind)
    assert find_problems(plain, document.kind) == ()
    places = list(_places(plain))
    parent, key = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()):
        del parent[key]
    else:
        parent[key] = data.draw(_values)
    assert is_valid(plain, document.kind) == (find_problems(plain, document.kind) == ())


def _places(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@pytest.mark.parametrize("module", ["shop", "shop.a_1", "shop\n", "şhop", "İ", "1a", "a..b", ""])
def test_both_validators_read_patterns_alike(module):
    """One takes a line break for the end of a text, and knows more letters than the other."""
    environment = {"catalog": "file:x", "python_modules": [module]}
    document = {"schema_version": 1, "environments": {"dev": environment}}
    assert is_valid(document, "environments") == (not find_problems(document, "environments"))
    assert is_valid(document, "environments") == (module in ("shop", "shop.a_1"))


@pytest.mark.parametrize("half", ["\ud800", "a\udfff"])
def test_half_a_letter_is_a_fault_where_it_matters(half):
    """Servers send such texts in their JSON."""
    for document in (half, {"schema_version": 1, "environments": {half: {}}}):
        assert not is_valid(document, "environments")
        with pytest.raises(DocumentSchemaError):
            validate(document, "environments")
