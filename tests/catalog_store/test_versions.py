"""Histories and renaming, over each implementation."""

from __future__ import annotations

import time

import pytest

from tests.catalog_store.samples import database, function, table, view
from tests.catalogs import needs_described_tables
from viewscribe.catalog_store import (
    AlreadyExistsError,
    Change,
    ConcurrentUpdateError,
    DatabaseNotFoundError,
    InvalidNameError,
    ObjectId,
    ObjectNotFoundError,
    Token,
    WrongKindError,
    seal,
)


def versions(catalog, kind="view", name="young", home="sales"):
    return [each.version for each in catalog.history(kind, home, name)]


@pytest.mark.parametrize("document", [view(), table(), function()], ids=lambda each: each.kind)
def test_what_is_created_is_its_first_version(catalog, document):
    if document.kind == "table":
        needs_described_tables(catalog)
    before = time.time_ns() // 1_000_000
    token = catalog.create(document, change=Change(author="ada", reason="asked for"))
    (only,) = catalog.history(document.kind, "sales", document.name)
    assert only == catalog.get(document.kind, "sales", document.name)
    assert (only.document, only.token) == (seal(document), token)
    version = only.version
    assert (version.number, version.operation) == (1, "create")
    assert (version.author, version.reason, version.source) == ("ada", "asked for", None)
    assert before <= version.timestamp_ms <= time.time_ns() // 1_000_000


def test_a_replacement_keeps_what_it_replaces(catalog):
    first = catalog.create(view(comment="one"))
    second = catalog.replace(
        view(comment="two"), expected=first, change=Change(author="bo", source="dev")
    )
    third = catalog.replace(view(comment="three"), expected=second)
    found = catalog.history("view", "sales", "young")
    assert [each.document.comment for each in found] == ["one", "two", "three"]
    assert [each.token for each in found] == [first, second, third]
    assert [each.version.number for each in found] == [1, 2, 3]
    assert [each.version.operation for each in found] == ["create", "replace", "replace"]
    assert (found[1].version.author, found[1].version.source) == ("bo", "dev")
    times = [each.version.timestamp_ms for each in found]
    assert times == sorted(times)


def test_an_identical_replacement_is_no_version(catalog):
    token = catalog.create(view())
    catalog.replace(view(), expected=token, change=Change(author="bo"))
    assert [each.number for each in versions(catalog)] == [1]


def test_going_back_to_an_earlier_text_is_a_version(catalog):
    first = catalog.create(view(comment="one"))
    second = catalog.replace(view(comment="two"), expected=first)
    third = catalog.replace(
        view(comment="one"), expected=second, change=Change(operation="rollback")
    )
    assert len({first, second, third}) == 3
    assert [each.operation for each in versions(catalog)] == ["create", "replace", "rollback"]


def test_a_clock_set_back_does_not_turn_a_history_round(catalog):
    token = catalog.create(view(comment="one"), change=Change(timestamp_ms=5_000))
    catalog.replace(view(comment="two"), expected=token, change=Change(timestamp_ms=4_000))
    assert [each.timestamp_ms for each in versions(catalog)] == [5_000, 5_000]


def test_the_author_is_the_user_unless_told(catalog, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_AUTHOR", "somebody@example.com")
    catalog.create(view())
    assert versions(catalog)[0].author == "somebody@example.com"


def test_a_history_ends_with_its_object(catalog):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    catalog.delete("view", "sales", "young")
    with pytest.raises(ObjectNotFoundError):
        catalog.history("view", "sales", "young")
    catalog.create(view(comment="new"))
    assert [each.number for each in versions(catalog)] == [1]


def test_histories_are_of_one_kind(catalog):
    catalog.create(view("same"))
    catalog.create(function("same"))
    with pytest.raises(WrongKindError):
        catalog.history("table", "sales", "same")
    assert len(versions(catalog, "function", "same")) == 1


def test_everything_loaded_tells_its_version(catalog):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    found = {each.id.kind: each.version for each in catalog.load_all()}
    assert found["view"].number == 2
    assert found["database"] is None


def test_one_database_alone_can_be_loaded(catalog):
    catalog.create_database(database("hr"))
    catalog.create(view())
    catalog.create(view("other", "hr"))
    assert [str(each.id) for each in catalog.load_all("HR")] == ["hr", "hr.other"]
    assert list(catalog.load_all("none")) == []


# --- renaming ---


def test_a_renamed_object_is_found_under_its_new_name_alone(catalog):
    catalog.create(view(comment="one"))
    token = catalog.rename("view", "sales", "Young", ("sales", "Younger"))
    stored = catalog.get("view", "sales", "younger")
    assert stored.token == token
    assert stored.document == seal(view("Younger", comment="one"))
    assert catalog.list_objects("sales") == [ObjectId("sales", "Younger", "view")]


def test_its_history_goes_with_it(catalog):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    catalog.rename("view", "sales", "young", ("sales", "old"), change=Change(author="bo"))
    found = catalog.history("view", "sales", "old")
    assert [each.document.name for each in found] == ["young", "young", "old"]
    assert [each.version.operation for each in found] == ["create", "replace", "rename"]
    assert (found[-1].version.source, found[-1].version.author) == ("sales.young", "bo")
    catalog.create(view("young"))
    assert len(versions(catalog)) == 1


def test_it_can_move_to_another_database(catalog):
    catalog.create_database(database("hr"))
    token = catalog.create(function("twice"))
    catalog.rename("function", "sales", "twice", ("hr", "double"), expected=token)
    assert catalog.list_objects("sales") == []
    assert catalog.get("function", "hr", "double").document.database == "hr"
    assert len(versions(catalog, "function", "double", "hr")) == 2


def test_another_spelling_is_a_rename_too(catalog):
    catalog.create(view("young"))
    catalog.rename("view", "sales", "young", ("sales", "YOUNG"))
    assert catalog.list_objects("sales") == [ObjectId("sales", "YOUNG", "view")]
    assert len(versions(catalog)) == 2


def test_a_renaming_that_cannot_be_changes_nothing(catalog):
    needs_described_tables(catalog)
    token = catalog.create(view())
    catalog.create(table("taken"))
    cases = [
        (AlreadyExistsError, ("view", "sales", "young", ("sales", "taken")), token),
        (ConcurrentUpdateError, ("view", "sales", "young", ("sales", "x")), Token("stale")),
        (ObjectNotFoundError, ("view", "sales", "none", ("sales", "x")), None),
        (WrongKindError, ("view", "sales", "taken", ("sales", "x")), None),
        (DatabaseNotFoundError, ("view", "sales", "young", ("none", "x")), None),
        (DatabaseNotFoundError, ("view", "none", "young", ("sales", "x")), None),
        (InvalidNameError, ("view", "sales", "young", ("sales", "")), None),
    ]
    before = list(catalog.load_all())
    for error, arguments, expected in cases:
        with pytest.raises(error) as caught:
            catalog.rename(*arguments, expected=expected)
        assert "or_replace" not in str(caught.value)  # which no renaming takes
        assert list(catalog.load_all()) == before
    assert len(versions(catalog)) == 1
