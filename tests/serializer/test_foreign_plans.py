"""Plan documents that somebody else wrote: no text in one gets into SQL but between quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serializer.cases import CASES
from viewscribe import Table, TableEnvironment, call, col
from viewscribe.errors import PlanDocumentError, ViewscribeError
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.plan_document import from_plan, to_plan

PASTED = re.compile(r"zq\W")  # a name derived from a text goes on with an underscore
TEXTS = (
    "zq' OR 1 = 1 -- ",
    "zq` OR 1 = 1 -- ",
    'zq" OR 1 = 1 -- ',
    "zq) UNION SELECT 1 -- ",
    "zq\\' OR 1 = 1 /* ",
    "zq\nUNION SELECT 1",
)
# As Spark's lexer sees it: texts, names between backticks, comments.
QUOTED = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|--[^\r\n]*|/\*.*?\*/", re.DOTALL
)
SQL_ITSELF = {("sql_text", "text")}
"""The text of a query, which is a query: ``sql_query()`` is for that."""


def user_functions() -> Table:
    env = TableEnvironment()
    env.create_table("orders", "id INT, state STRING")
    orders = env.from_path("orders")
    env.execute_sql("CREATE FUNCTION add_one(x INT) RETURNS INT RETURN x + 1")
    env.execute_sql("CREATE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN x * 2")
    return orders.select(call("add_one", col("id")).alias("a"), call("twice", col("id")).alias("b"))


TABLES = CASES | {"user_functions": user_functions}


def texts_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a document texts are."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_in(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from texts_in(inner, (*path, place))


def changed(value: Any, path: tuple[Any, ...], to: str) -> Any:
    if not path:
        return to
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], to)
    return copy


def places() -> dict[tuple[str, ...], tuple[str, tuple[Any, ...]]]:
    """Each kind of node with each of its texts, once: in which case, and where there."""
    found: dict[tuple[str, ...], tuple[str, tuple[Any, ...]]] = {}
    for name, make in TABLES.items():
        plan = to_plan(make().operation)
        for path in texts_in(plan):
            if path[-1] == "node":
                continue
            node = plan["nodes"][path[1]]
            kind = (node["node"], *[each for each in path[2:] if isinstance(each, str)])
            if node["node"] == "literal":
                kind = (*kind, node["type"])
            found.setdefault(kind, (name, path))
    return found


PLACES = places()


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_no_text_of_a_plan_is_pasted(place: tuple[str, ...]) -> None:
    name, path = PLACES[place]
    plan = to_plan(TABLES[name]().operation)
    for text in TEXTS:
        try:
            tree = from_plan(changed(plan, path, text))
        except PlanDocumentError:
            continue
        for style in STYLES:
            try:
                sql = to_sql(tree, style=style)
            except ViewscribeError:
                continue
            if place not in SQL_ITSELF:
                assert not PASTED.search(QUOTED.sub("''", sql)), sql


def test_there_is_something_to_test() -> None:
    assert {each[0] for each in PLACES} >= {
        "literal",
        "catalog_source",
        "alias",
        "call",
        "sql_text",
    }
    assert len(PLACES) > 30


def test_a_window_of_time_is_a_step() -> None:
    env = TableEnvironment()
    env.create_table("events", "id INT, at TIMESTAMP")
    plan = env.from_path("events").tumble("at", "1 hour", name="w").to_plan()
    window = plan["nodes"].pop()
    made = {"node": "alias", "child": window["call"], "name": "w"}
    made["type"] = plan["nodes"][window["call"]]["type"]
    project = {"node": "project", "child": window["child"], "expressions": [len(plan["nodes"])]}
    plan["nodes"] += [made, project]
    plan["root"] = len(plan["nodes"]) - 1
    with pytest.raises(PlanDocumentError, match="a window of time stands beside other columns"):
        from_plan(plan)
