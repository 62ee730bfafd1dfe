"""Going back to a version, telling versions apart; the manager and the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import viewscribe as vs
from tests.catalog_store.samples import SQL, function, table, view
from viewscribe import col
from viewscribe.catalog_store import (
    AlreadyExistsError,
    CatalogManager,
    Change,
    Column,
    ConcurrentUpdateError,
    InvalidDocumentError,
    InvalidNameError,
    ObjectNotFoundError,
    Stored,
    Token,
    Version,
)
from viewscribe.catalog_store.documents.normalization import differences, find_version, roll_back


def test_rolling_back_makes_a_new_version_of_the_old_document(catalog):
    token = catalog.create(view(comment="one"))
    catalog.replace(view(comment="two"), expected=token)
    roll_back(catalog, "view", "sales", "Young", 1, change=Change(author="ada", reason="wrong"))
    history = catalog.history("view", "sales", "young")
    assert [each.document.comment for each in history] == ["one", "two", "one"]
    version = history[-1].version
    assert (version.number, version.operation) == (3, "rollback")
    assert (version.source, version.author, version.reason) == ("version 1", "ada", "wrong")


def test_a_view_is_stored_with_all_its_versions(catalog):
    told = Change(author="ada", reason="asked", source="elsewhere", timestamp_ms=5)
    later = Change(operation="rollback", timestamp_ms=9)
    versions = [
        (view(comment="one"), told),
        (view(comment="one"), Change(timestamp_ms=6)),
        (view(comment="two"), Change(author="bo", timestamp_ms=4)),
        (view(comment="one"), later),
    ]
    token = catalog.create_with_history(versions)
    history = catalog.history("view", "sales", "young")
    assert catalog.get("view", "sales", "young").token == history[-1].token == token
    assert [each.document.comment for each in history] == ["one", "two", "one"]
    stamps = [each.version for each in history]
    assert [(each.number, each.timestamp_ms) for each in stamps] == [(1, 5), (2, 5), (3, 9)]
    assert [each.operation for each in stamps] == ["create", "replace", "rollback"]
    assert stamps[0].author == "ada"
    assert (stamps[0].reason, stamps[0].source) == ("asked", "elsewhere")
    with pytest.raises(AlreadyExistsError):
        catalog.create_with_history(versions)
    catalog.replace(view(comment="three"), expected=token)
    assert len(catalog.history("view", "sales", "young")) == 4


@pytest.mark.parametrize("broken", [view("other"), view(comment="\ud800")])
def test_of_versions_that_cannot_be_stored_none_is(catalog, broken):
    with pytest.raises(InvalidDocumentError):
        catalog.create_with_history([(view(), Change()), (broken, Change())])
    assert catalog.list_objects("sales") == []


def test_rolling_back_behind_a_rename_keeps_the_present_name(catalog):
    catalog.create(view(comment="one"))
    token = catalog.rename("view", "sales", "young", ("sales", "younger"))
    catalog.replace(view("younger", comment="two"), expected=token)
    roll_back(catalog, "view", "sales", "younger", 1)
    document = catalog.get("view", "sales", "younger").document
    assert (document.name, document.comment) == ("younger", "one")


def test_rolling_back_to_what_is_there_changes_nothing(catalog):
    token = catalog.create(view())
    assert roll_back(catalog, "view", "sales", "young", 1) == token
    assert len(catalog.history("view", "sales", "young")) == 1


def test_rolling_back_to_nothing_or_from_another_state_is_refused(catalog):
    catalog.create(view())
    with pytest.raises(ObjectNotFoundError, match="has no version 7") as error:
        roll_back(catalog, "view", "sales", "young", 7)
    assert error.value.hint == "its versions are: 1"
    with pytest.raises(ConcurrentUpdateError):
        roll_back(catalog, "view", "sales", "young", 1, expected=Token("stale"))
    with pytest.raises(ObjectNotFoundError):
        roll_back(catalog, "view", "sales", "none", 1)


def test_a_version_is_found_by_its_number(catalog):
    token = catalog.create(function(comment="one"))
    catalog.replace(function(comment="two"), expected=token)
    history = catalog.history("function", "sales", "twice")
    assert find_version(history, 2).document.comment == "two"


def test_differences_of_texts_columns_and_other_fields():
    before = view(
        columns=(Column("a", "INT"), Column("b", "INT"), Column("c", "DATE")), comment="one"
    )
    after = view(
        sql=SQL.replace("  name", "  id"),
        columns=(Column("B", "BIGINT", nullable=False), Column("a", "INT"), Column("d", "DATE")),
        settings={"spark.sql.ansi.enabled": "false"},
        comment="one",
    )
    found = differences(before, after, ("v@1", "v@2"))
    assert found.sql == (
        *("--- v@1", "+++ v@2", "@@ -1,4 +1,4 @@", " SELECT", "-  name", "+  id"),
        *(" FROM VALUES (1, 'ann') AS customers (id, name)", " WHERE id >= 1"),
    )
    told = [str(each) for each in found.columns]
    assert told[:2] + told[-1:] == ["- c DATE", "~ b INT -> B BIGINT NOT NULL", "+ d DATE"]
    assert found.fields == {"settings": (None, {"spark.sql.ansi.enabled": "false"})}
    assert not differences(before, before)


def test_columns_that_only_moved_are_told():
    before = table(columns=(Column("a", "INT"), Column("b", "INT")))
    after = table(columns=(Column("b", "INT"), Column("a", "INT")))
    (moved,) = differences(before, after).columns
    assert moved.moved


def versions(history: Sequence[Stored[Any]]) -> list[Version]:
    return [each.version for each in history if each.version is not None]


def test_the_manager_renames_within_a_catalog():
    catalogs = CatalogManager()
    catalogs.save(view(database="default"))
    catalogs.rename("view", ["young"], ["younger"], change=Change(author="ada"))
    assert versions(catalogs.history("view", ["younger"]))[-1].author == "ada"
    catalogs.register("other", CatalogManager().catalog())
    with pytest.raises(InvalidNameError, match="cannot be renamed into the catalog"):
        catalogs.rename("view", ["younger"], ["other", "default", "young"])


def test_the_environment(monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_AUTHOR", "ada")
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b INT")
    env.create_view("v", env.from_path("t").select("a"), reason="asked for")
    env.create_view("v", env.from_path("t").select("b"), or_replace=True, author="bo")
    env.rename_view("v", "w", reason="clearer")
    env.rollback("w", 1, reason="too early")
    told = [(each.operation, each.author, each.reason) for each in versions(env.history("w"))]
    assert told == [
        ("create", "ada", "asked for"),
        ("replace", "bo", None),
        ("rename", "ada", "clearer"),
        ("rollback", "ada", "too early"),
    ]
    assert env.get_view("w").sql == "SELECT\n  a\nFROM spark_catalog.default.t"
    assert list(env.view_table("w").columns) == ["a"]


def test_saving_a_table_tells_why():
    env = vs.TableEnvironment()
    env.create_table("t", "a INT")
    vs.save_view(env.from_path("t").filter(col("a") > 1), "v", reason="why", author="ada")
    assert versions(env.history("v"))[0].reason == "why"
