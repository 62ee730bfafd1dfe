"""Replacing a view: what is not said of it stays, at every door and in every catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

import viewscribe as vs
from tests.catalogs import *  # noqa: F403
from viewscribe import functions as F
from viewscribe.catalog_store.errors import (
    BreakingChangeError,
    ConcurrentUpdateError,
    LostTextError,
)
from viewscribe.errors import SqlSyntaxError, ValidationError
from viewscribe.table_api.replacement import VERIFIED
from viewscribe.table_api.sql_files import SqlFolder, store_folder
from viewscribe.table_api.statements import STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from viewscribe import TableEnvironment
    from viewscribe.catalog_store import Catalog, ViewDocument

PROPERTIES = {"team": "sales", "tier": "gold"}
COMMENTS = {"id": "the key", "name": "as it is written"}


@pytest.fixture
def env(catalog: Catalog) -> TableEnvironment:
    """An environment with a view of which everything is said, beside its query."""
    found = vs.TableEnvironment(catalog)
    people = found.from_values([(1, "Ann", 30)], "id INT, name STRING, age INT")
    found.create_view("sales.people", people, column_comments={"id": "of people"})
    make(found)
    return found


def make(env: TableEnvironment) -> None:
    env.create_view(
        "sales.v",
        env.from_path("sales.people").select("id", "name"),
        comment="who there is",
        properties={**PROPERTIES, VERIFIED: "rows"},
        column_comments=COMMENTS,
        dialects=["trino"],
    )


def replace_view(env: TableEnvironment, **said: object) -> ViewDocument:
    table = env.from_path("sales.people").select("age", "id")
    env.create_view("sales.v", table, or_replace=True, **said)  # type: ignore[arg-type]
    return env.get_view("sales.v")


def comments(view: ViewDocument) -> dict[str, str | None]:
    return {column.name: column.comment for column in view.columns}


def own_properties(view: ViewDocument) -> dict[str, str]:
    return {key: text for key, text in view.properties.items() if key in {*PROPERTIES, VERIFIED}}


QUERY = "SELECT age, id FROM sales.people"


def by_table(env: TableEnvironment, _: Path) -> None:
    replace_view(env)


def by_expected(env: TableEnvironment, _: Path) -> None:
    seen = env.catalogs.get("view", ("sales", "v"))
    env.create_view("sales.v", env.sql_query(QUERY), expected=seen.token)


def by_save_view(env: TableEnvironment, _: Path) -> None:
    vs.save_view(env.sql_query(QUERY), "sales.v", or_replace=True)


def by_statement(env: TableEnvironment, _: Path) -> None:
    env.execute_sql(f"CREATE OR REPLACE VIEW sales.v AS {QUERY}")


def by_alter(env: TableEnvironment, _: Path) -> None:
    env.execute_sql(f"ALTER VIEW sales.v AS {QUERY}")


def by_file(env: TableEnvironment, place: Path) -> None:
    (place / "sql").mkdir()
    (place / "sql" / "v.sql").write_text(f"CREATE OR REPLACE VIEW sales.v AS {QUERY}")
    folder = SqlFolder(env, place / "sql")
    assert not folder.read()
    store_folder(folder)


DOORS = [by_table, by_expected, by_save_view, by_statement, by_alter, by_file]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_what_is_not_said_stays(
    env: TableEnvironment, tmp_path: Path, door: Callable[[TableEnvironment, Path], None]
) -> None:
    before = env.get_view("sales.v")
    door(env, tmp_path)
    after = env.get_view("sales.v")
    assert (after.comment, after.owner) == ("who there is", before.owner)
    assert own_properties(after) == PROPERTIES
    assert comments(after) == {"age": None, "id": "the key"}
    expected = env.from_path("sales.people").select("age", "id").to_sql(dialect="trino")
    kept = {key: text.strip() for key, text in after.representations.items()}
    assert kept == ({"trino": expected.strip()} if before.representations else {})


def test_what_is_said_is_done(env: TableEnvironment) -> None:
    view = replace_view(
        env,
        comment="now",
        properties={"tier": None, "by": "me"},
        column_comments={"AGE": "in years"},
        dialects=["duckdb"],
        drop_dialects=["trino"],
    )
    assert view.comment == "now"
    assert {"team": "sales", "by": "me"}.items() <= view.properties.items()
    assert "tier" not in view.properties
    assert comments(view) == {"age": "in years", "id": "the key"}
    assert list(view.representations) in (["duckdb"], [])


def test_all_of_it_can_be_taken_away(env: TableEnvironment) -> None:
    view = replace_view(
        env,
        comment="",
        properties=dict.fromkeys(PROPERTIES),
        column_comments={"id": ""},
        drop_dialects=True,
    )
    assert (view.comment, own_properties(view), view.representations) == (None, {}, {})
    assert comments(replace_view(env)) == {"age": None, "id": None}, "and stays away"
    assert replace_view(env).comment is None


IN_MEMORY = pytest.mark.parametrize("empty", ["memory"], indirect=True)
"""The rule is one for all catalogs; that they keep what it gives them is told above."""


@IN_MEMORY
def test_a_comment_for_a_column_that_is_not_there(env: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="no column `nmae`") as caught:
        make_commented(env, {"nmae": "?"})
    assert caught.value.hint == "did you mean: name, age"
    with pytest.raises(ValidationError, match="no column `name`"):
        replace_view(env, column_comments={"name": "gone"})


@IN_MEMORY
def test_what_is_said_means_something(env: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="names a column twice"):
        make_commented(env, {"name": "one", "NAME": "another"})
    with pytest.raises(ValidationError, match="no dialect 'trinoo'") as caught:
        replace_view(env, drop_dialects=["trinoo"])
    assert caught.value.hint == "did you mean: trino"


def make_commented(env: TableEnvironment, said: dict[str, str]) -> None:
    table = env.from_path("sales.people")
    env.create_view("sales.commented", table, column_comments=said)


@IN_MEMORY
def test_comments_of_what_it_reads_are_read_anew(env: TableEnvironment) -> None:
    make_commented(env, {"name": "said"})
    people = env.from_path("sales.people").select("id", "name")
    env.create_view("sales.others", people, column_comments={"id": "new", "name": "x"})
    table = env.from_path("sales.others")
    env.create_view("sales.commented", table, or_replace=True)
    assert comments(env.get_view("sales.commented")) == {"id": "new", "name": "said"}


def edit(env: TableEnvironment, **fields: object) -> None:
    stored = env.catalogs.get("view", ("sales", "v"))
    env.catalogs.save(msgspec.structs.replace(stored.document, **fields), expected=stored.token)


@IN_MEMORY
def test_a_text_of_others_is_not_lost_without_a_word(env: TableEnvironment) -> None:
    edit(env, representations={"trino": "SELECT by_hand FROM people"})
    before = env.get_view("sales.v")
    with pytest.raises(BreakingChangeError, match="a text for trino"):
        replace_view(env)
    with pytest.raises(BreakingChangeError):
        by_statement(env, None)  # type: ignore[arg-type]
    assert env.get_view("sales.v") == before
    assert replace_view(env, drop_dialects=["TRINO"]).representations == {}
    edit(env, representations={"trino": "SELECT by_hand FROM people"})
    made = env.from_path("sales.people").select("age", "id").to_sql(dialect="trino")
    assert replace_view(env, dialects=["trino"]).representations == {"trino": made}


@IN_MEMORY
@pytest.mark.parametrize(
    "statement", [f"CREATE OR REPLACE VIEW sales.v AS {QUERY}", f"ALTER VIEW sales.v AS {QUERY}"]
)
def test_a_statement_says_what_it_drops(env: TableEnvironment, statement: str) -> None:
    edit(env, representations={"trino": "SELECT by_hand FROM people"})
    with pytest.raises(LostTextError) as refused:
        env.execute_sql(statement)
    assert refused.value.dialect == "trino"
    assert "drop_dialects=['trino']" in str(refused.value.hint)
    env.execute_sql(statement, drop_dialects=["trino"])
    assert env.get_view("sales.v").representations == {}


@IN_MEMORY
@pytest.mark.parametrize("words", STATEMENTS)
def test_a_statement_that_replaces_no_view_drops_no_text(env: TableEnvironment, words: str) -> None:
    if words in ("CREATE OR REPLACE VIEW", "ALTER VIEW"):
        words = "ALTER VIEW sales.v RENAME TO sales.w"
    with pytest.raises(SqlSyntaxError, match="give a view another query"):
        env.execute_sql(words, drop_dialects=True)


@IN_MEMORY
def test_a_query_that_an_engine_cannot_say(env: TableEnvironment) -> None:
    unsaid = env.from_path("sales.people").select(F.spark_partition_id().alias("p"))
    with pytest.raises(BreakingChangeError, match="its new query has none"):
        env.create_view("sales.v", unsaid, or_replace=True)
    env.create_view("sales.v", unsaid, or_replace=True, drop_dialects=True)
    assert env.get_view("sales.v").representations == {}


@IN_MEMORY
def test_what_another_said_meanwhile_is_not_lost(
    env: TableEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from viewscribe.table_api import views

    told = views.view_document

    def meanwhile(*args: object, **options: object) -> ViewDocument:
        edit(env, comment="of another")
        return told(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(views, "view_document", meanwhile)
    with pytest.raises(ConcurrentUpdateError):
        replace_view(env)
    assert env.get_view("sales.v").comment == "of another"
