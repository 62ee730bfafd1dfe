"""What ``check`` proves of views without Spark: their text, their columns, what they read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import msgspec
import pytest

from examples.tpch.queries import QUERIES, tables
from tests.catalogs import needs_described_tables
from tests.opaque import opaque
from tests.serializer.cases import CASES
from viewscribe import TableEnvironment, call, col
from viewscribe import functions as F
from viewscribe.catalog_store import ChangedViewWarning, MemoryCatalog, ViewDocument, check
from viewscribe.catalog_store.documents.model import Dependency
from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.serializer import STYLES
from viewscribe.serializer.plan_document import to_plan
from viewscribe.serializer.targets import TARGETS

LEGACY = {"spark.sql.ansi.enabled": "false"}


def shop(**settings: Any) -> TableEnvironment:
    env = TableEnvironment(MemoryCatalog(), **settings)
    env.create_table("orders", "id INT NOT NULL, state STRING, price DECIMAL(10, 2), note STRING")
    orders = env.from_path("orders").filter(col("state") == "new")
    env.create_view("fresh", orders.select("id", (col("price") * 2).alias("twice"), "state"))
    return env


def found(env: TableEnvironment) -> list[tuple[str, str]]:
    return [(each.code, each.cause) for each in check(env.catalogs.catalog())]


def stored(env: TableEnvironment, name: str = "fresh") -> ViewDocument:
    return env.get_view(name)


def put(env: TableEnvironment, view: ViewDocument) -> None:
    """Stores the document as it is, its fingerprint made to fit."""
    env.catalogs.save(view, or_replace=True)


# -- what no fingerprint covers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ((), "which is not among its dependencies"),
        ((("spark_catalog", "default", "orders"), ("other", "a", "b")), "its plan does not read"),
    ],
)
def test_dependencies_that_the_plan_does_not_have(
    names: tuple[tuple[str, ...], ...], says: str
) -> None:
    env = shop()
    dependencies = tuple(Dependency(kind="table", name=each) for each in names)
    put(env, msgspec.structs.replace(stored(env), dependencies=dependencies))
    ((code, cause),) = found(env)
    assert code == "wrong-dependency"
    assert says in cause


def test_a_text_for_another_engine_that_says_something_else() -> None:
    env = shop()
    env.create_view("twice", env.from_path("orders").select("id"), dialects=["trino"])
    assert found(env) == []
    put(env, msgspec.structs.replace(stored(env, "twice"), representations={"trino": "DROP x"}))
    assert found(env) == [("other-text", "its text for trino is not what its plan prints")]


@pytest.mark.parametrize(
    "now", ["(x INT) RETURNS INT RETURN x + 2", "(x INT) RETURNS BIGINT RETURN x + 1"]
)
def test_a_function_that_is_not_what_the_view_was_made_with(now: str) -> None:
    env = shop()
    env.execute_sql("CREATE FUNCTION more(x INT) RETURNS INT RETURN x + 1")
    env.create_view("called", env.from_path("orders").select(call("more", col("id")).alias("a")))
    assert found(env) == []
    env.execute_sql("DROP FUNCTION more")
    env.execute_sql(f"CREATE FUNCTION more{now}")
    ((code, cause),) = found(env)
    assert code == "changed-function"
    assert "more" in cause


def test_a_type_that_is_none_is_told_of_its_column_and_stops_nothing(tmp_path: Path) -> None:
    env = TableEnvironment(f"file:{tmp_path}")
    env.create_table("a", "x INT")
    env.create_view("seen", env.from_path("a").select("x"))
    document = tmp_path / "default" / "a.table.yaml"
    document.write_text(document.read_text().replace("type: INT", 'type: "STRUCT<"'))
    ((code, cause),) = found(env)
    assert code == "no-type"
    assert "`x`" in cause


# -- the text -------------------------------------------------------------------------------------


def test_whatever_is_stored_is_found_as_it_was_stored(tmp_path: Any) -> None:
    """In every style, for the oldest Spark, with comments: every text is what its plan prints."""
    count = 0
    env = TableEnvironment(MemoryCatalog())
    tables(env, tmp_path)
    made = {name: make() for name, make in CASES.items()}
    made |= {name: make(env) for name, make in QUERIES.items()}
    for number, (name, table) in enumerate(made.items()):
        options: dict[str, Any] = {"style": STYLES[number % 3]}
        options |= {"target": "4.0"} if number % 2 else {"annotate": True}
        try:
            table.env.create_view(f"check_{name}", table, or_replace=True, **options)
        except NotSerializableError:
            continue
        count += 1
    assert count > 60
    for home in {id(each.env): each.env for each in made.values()}.values():
        assert found(home) == []
        for name in home.list_views():
            home.drop_view(name)


@pytest.mark.parametrize("settings", [{}, LEGACY])
def test_with_ansi_off_too(settings: dict[str, str]) -> None:
    env = shop(settings=settings)
    made = env.from_path("orders").select((col("id") + col("state")).alias("both"))
    env.create_view("mixed", made)
    assert found(env) == []


def test_a_text_that_says_something_else() -> None:
    env = shop()
    view = stored(env)
    put(env, msgspec.structs.replace(view, sql=view.sql.replace("'new'", "'old'")))
    assert found(env) == [("other-text", "its text is not what its plan prints")]


def test_a_text_printed_by_another_version() -> None:
    env = shop()
    view = stored(env)
    text = view.sql.replace("price * 2", "(price * 2)")
    put(env, msgspec.structs.replace(view, sql=text, viewscribe_version="0.0.1"))
    ((code, cause),) = found(env)
    assert (code, "viewscribe 0.0.1 printed it" in cause) == ("other-text", True)


def test_a_damaged_plan() -> None:
    env = shop()
    view = stored(env)
    assert view.plan is not None
    nodes = [
        {**node, "type": "INT"} if node["node"] == "call" else node for node in view.plan["nodes"]
    ]
    put(env, msgspec.structs.replace(view, plan={**view.plan, "nodes": nodes}))
    ((code, cause),) = found(env)
    assert code == "damaged-plan"
    assert "the document says INT" in cause


@pytest.mark.parametrize("version", ["9.9", "4.9.1", "3.5", "0.1", "40.3", "four", "", "4"])
def test_a_version_of_spark_that_there_is_not(version: str) -> None:
    env = shop()
    put(env, msgspec.structs.replace(stored(env), spark_version=version))
    ((code, cause),) = found(env)
    assert code == "unknown-version"
    assert f"for Spark {version}, which this viewscribe does not know: it knows 4.0, " in cause


@pytest.mark.parametrize("version", [*TARGETS, "4.3.7", "4.3.0-SNAPSHOT", None])
def test_a_version_of_spark_that_there_is(version: str | None) -> None:
    env = shop()
    put(env, msgspec.structs.replace(stored(env), spark_version=version))
    assert found(env) == []


def test_columns_that_the_plan_does_not_give() -> None:
    env = shop()
    view = stored(env)
    first = msgspec.structs.replace(view.columns[0], type="BIGINT")
    put(env, msgspec.structs.replace(view, columns=(first, *view.columns[1:])))
    cause = "`id` is INT NOT NULL in its plan, BIGINT NOT NULL in the document"
    assert found(env) == [("wrong-columns", cause)]


# -- what it reads --------------------------------------------------------------------------------

CHANGES = {
    "dropped": (
        "id INT NOT NULL, price DECIMAL(10, 2), note STRING",
        "the column `state` is gone",
    ),
    "renamed": (
        "id INT NOT NULL, status STRING, price DECIMAL(10, 2), note STRING",
        "the column `state` is gone",
    ),
    "of another type": (
        "id BIGINT NOT NULL, state STRING, price DECIMAL(10, 2), note STRING",
        "`id` was INT NOT NULL, and is BIGINT NOT NULL",
    ),
    "nullable": (
        "id INT, state STRING, price DECIMAL(10, 2), note STRING",
        "`id` was INT NOT NULL, and is INT",
    ),
    "in another order": (
        "state STRING, id INT NOT NULL, price DECIMAL(10, 2), note STRING",
        "its columns are in another order",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_table(change: str) -> None:
    schema, cause = CHANGES[change]
    env = shop()
    env.create_table("orders", schema, or_replace=True)
    where = "`spark_catalog.default.orders` has changed since: "
    assert found(env) == [("changed-source", where + cause)]


def test_a_column_more_is_no_fault() -> None:
    env = shop()
    schema = "id INT NOT NULL, state STRING, price DECIMAL(10, 2), note STRING, more INT"
    env.create_table("orders", schema, or_replace=True)
    assert found(env) == []


def test_a_view_over_a_view_that_was_stored_anew() -> None:
    env = shop()
    env.create_view("upper", env.from_path("fresh").select("twice"))
    env.create_view("fresh", env.from_path("orders").select("id", "state"), or_replace=True)
    where = "`spark_catalog.default.fresh` has changed since: "
    assert found(env) == [("changed-source", f"{where}the column `twice` is gone")]


def test_the_plan_of_a_query_in_sql() -> None:
    env = shop()
    env.create_view("text", opaque(env, "SELECT id, state FROM orders"))
    assert found(env) == []
    assert to_plan(env.view_table("text").operation)["nodes"][0]["node"] == "sql_text"


@pytest.mark.parametrize("change", ["dropped", "renamed", "of another type"])
def test_a_changed_table_under_a_query_in_sql(change: str) -> None:
    env = shop()
    env.drop_view("fresh")
    env.create_view("text", opaque(env, "SELECT id, note FROM orders WHERE state = 'x'"))
    env.create_table("orders", CHANGES[change][0], or_replace=True)
    ((code, cause),) = found(env)
    assert (code, "does not fit the tables as they are now" in cause) == ("changed-source", True)


# -- accepting an edit ----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[TableEnvironment, Path]:
    env = TableEnvironment(f"file:{tmp_path}/views")
    env.create_table("orders", "id INT NOT NULL, state STRING, price DECIMAL(10, 2)")
    orders = env.from_path("orders").filter(col("state") == "new")
    env.create_view("fresh", orders.select("id", "state"), dialects=["trino"])
    return env, tmp_path / "views" / "default" / "fresh.view.yaml"


def edit(file: Path, old: str, new: str, count: int = -1) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, count))


def test_an_edited_text_becomes_the_query(files: tuple[TableEnvironment, Path]) -> None:
    env, file = files
    edit(file, "WHERE state = 'new'", "WHERE state = 'old' AND price > 3", 1)
    ((code, cause),) = found(env)
    assert (code, cause.endswith("and its text is not what its plan prints")) == ("edited", True)
    assert env.accept_view("fresh", reason="hot fix") == "text"
    assert found(env) == []
    view = env.get_view("fresh")
    assert "price > 3" in view.sql
    assert "price > 3" in env.view_table("fresh").to_sql()
    assert (view.representations, len(view.columns)) == ({}, 2)
    version = env.catalogs.history("view", ("fresh",))[-1].version
    assert version is not None
    assert version.reason == "hot fix"
    assert env.accept_view("fresh") == "nothing"


def test_the_columns_follow_from_an_edited_text(files: tuple[TableEnvironment, Path]) -> None:
    env, file = files
    edit(file, "  id,", "  id AS other, price,", 1)
    edit(file, "{name: state,", "{comment: how far it is, name: state,", 1)
    assert env.accept_view("fresh") == "text"
    assert found(env) == []
    columns = env.get_view("fresh").columns
    assert [(each.name, each.type, each.nullable, each.comment) for each in columns] == [
        ("other", "INT", False, None),
        ("price", "DECIMAL(10, 2)", True, None),
        ("state", "STRING", True, "how far it is"),
    ]


def test_an_edited_comment_leaves_the_query(files: tuple[TableEnvironment, Path]) -> None:
    env, file = files
    edit(file, "sql: |-", "comment: By hand\nsql: |-")
    assert found(env) == [("edited", EDITED)]
    assert env.accept_view("fresh") == "document"
    assert found(env) == []
    assert env.get_view("fresh").comment == "By hand"
    assert env.get_view("fresh").representations != {}


EDITED = "the fingerprint does not match: the document was edited by hand"


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("WHERE state = 'new'", "WHERE stat = 'new'", "no column `stat`"),
        ("WHERE state = 'new'", "WHERE state = 'new'; DROP TABLE orders", "end of the query"),
        ("FROM spark_catalog.default.orders", "FROM spark_catalog.default.ordrs", "ordrs"),
    ],
)
def test_what_cannot_be_accepted(
    files: tuple[TableEnvironment, Path], old: str, new: str, part: str
) -> None:
    env, file = files
    edit(file, old, new, 1)
    before = file.read_text()
    with pytest.raises(ViewscribeError) as caught:
        env.accept_view("fresh")
    assert part in str(caught.value)
    assert file.read_text() == before


# -- warnings -------------------------------------------------------------------------------------


def test_from_path_warns_of_a_changed_table_and_of_an_edit(
    files: tuple[TableEnvironment, Path],
) -> None:
    env, file = files
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.from_path("fresh")
    env.create_table("orders", CHANGES["of another type"][0], or_replace=True)
    with pytest.warns(ChangedViewWarning, match="`id` was INT NOT NULL, and is BIGINT NOT NULL"):
        env.from_path("fresh")
    edit(file, "sql: |-", "comment: By hand\nsql: |-")
    with pytest.warns(ChangedViewWarning, match=r"default\.fresh was edited by hand"):
        env.from_path("fresh")


# -- every catalog --------------------------------------------------------------------------------


def test_a_view_of_any_catalog_is_found_as_it_was_stored(catalog: Any) -> None:
    needs_described_tables(catalog)
    env = TableEnvironment(catalog)
    env.create_table("sales.orders", "id INT NOT NULL, state STRING, price DECIMAL(10, 2)")
    orders = env.from_path("sales.orders")
    made = (
        orders.filter(col("state") == "it's")
        .group_by("id")
        .select("id", F.sum("price").alias("sum"))
    )
    env.create_view("sales.sums", made, style="pipe", dialects=["trino"], annotate=False)
    env.create_view("sales.texts", opaque(env, "SELECT id, state FROM sales.orders"))
    env.execute_sql("CREATE FUNCTION sales.f(x INT) RETURNS INT RETURN x + 1")
    assert check(catalog) == []
    env.create_table("sales.orders", CHANGES["of another type"][0], or_replace=True)
    assert {(each.code, each.id.name) for each in check(catalog)} == {
        ("changed-source", "sums"),
        ("changed-source", "texts"),
    }
