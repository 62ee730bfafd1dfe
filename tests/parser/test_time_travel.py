"""Tables as they were: the clause is a part of the source, and printed as it was written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.parser.tables import Tables, read
from viewscribe.catalog_store.circle.world import ReadBack, read_back
from viewscribe.errors import SqlSyntaxError, ViewscribeError
from viewscribe.operations import nodes as n
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.serializer import to_sql
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.types import Field
from viewscribe.types.ddl_reader import parse_schema


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("VERSION AS OF 3", "VERSION AS OF 3"),
        ("FOR VERSION AS OF 'tag'", "VERSION AS OF 'tag'"),
        ("FOR SYSTEM_VERSION AS OF 3", "VERSION AS OF 3"),
        ("TIMESTAMP AS OF '2026-01-31'", "TIMESTAMP AS OF '2026-01-31'"),
        ("FOR SYSTEM_TIME AS OF DATE '2026-01-31'", "TIMESTAMP AS OF DATE '2026-01-31'"),
    ],
)
def test_clauses(written: str, printed: str) -> None:
    made = read(f"SELECT a FROM t {written} WHERE a > 1")
    assert from_plan(to_plan(made)) == made
    for style in ("readable", "pipe", "nested"):
        text = to_sql(made, style=style)
        assert f"FROM t {printed}" in text
        assert to_sql(read(text), style=style) == text


def test_two_versions_of_a_table_beside_each_other() -> None:
    made = read("SELECT x.a, y.b FROM t VERSION AS OF 3 AS x JOIN t AS y ON x.a = y.a")
    text = to_sql(made)
    assert "t VERSION AS OF 3 AS x" in text
    assert to_sql(read(text)) == text


@pytest.mark.parametrize("point", ["current_date()", "date_sub(now(), 1)", "a"])
def test_computed_times_are_refused(point: str) -> None:
    with pytest.raises(ViewscribeError, match="computed time"):
        read(f"SELECT a FROM t TIMESTAMP AS OF {point}")


def test_only_tables_were_otherwise_before() -> None:
    with pytest.raises(ViewscribeError, match="is no table"):
        read("WITH q AS (SELECT 1 AS a) SELECT a FROM q VERSION AS OF 3")


def test_documents_say_nothing_else_there() -> None:
    made = to_plan(
        n.CatalogSource.of(("t",), read("SELECT a FROM t").schema.fields, "VERSION AS OF 3")
    )
    made["nodes"][0]["as_of"] = "WHERE FALSE"
    with pytest.raises(ViewscribeError, match="cannot be read"):
        from_plan(made)


class _Kept(Tables):
    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        return parse_schema("a STRING") if as_of == "VERSION AS OF 3" else None


def test_a_table_has_the_columns_that_it_had_then() -> None:
    text = (
        "SELECT old.*, new.b, other.d FROM w.d.t VERSION AS OF 3 AS old JOIN w.d.t AS new "
        "ON old.a = new.s JOIN w.d.t VERSION AS OF 4 AS other ON other.s = old.a"
    )
    made = read_sql(text, _Kept(), Reading(zone="UTC"))
    assert made.schema.names == ("a", "b", "d")
    assert made.schema.fields[0].type.ddl == "STRING"
    for style in ("readable", "pipe", "nested"):
        assert read_back(made, to_sql(made, style=style), {}) == ReadBack()


def test_paths_are_no_tables_of_a_catalog() -> None:
    with pytest.raises(SqlSyntaxError, match="what columns are at a path, only Spark knows"):
        read("SELECT a FROM delta.`/data/t` VERSION AS OF 3")
