"""A CTE that nobody wrote must earn its place: the text is shorter with it."""

from __future__ import annotations

import pytest

from viewscribe import Table, TableEnvironment, col
from viewscribe import functions as F
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Call
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.sharing import names_within

WIDE = ", ".join(f"c{number} INT" for number in range(30))


@pytest.fixture
def env() -> TableEnvironment:
    env = TableEnvironment()
    env.create_table("wide", f"id INT, hour INT, {WIDE}")
    env.create_table("pages", "page_id INT, title STRING, length INT")
    env.create_table("people", "id INT, dept STRING, salary INT")
    return env


def joined(env: TableEnvironment) -> Table:
    return env.from_path("wide").join(env.from_path("pages"), col("id") == col("page_id"))


def best(env: TableEnvironment) -> Table:
    people = env.from_path("people").where(col("salary") > 10)
    return people.group_by("dept").select("dept", F.count("*").alias("n")).alias("best")


def test_a_join_is_not_taken_out_of_its_conditions(env: TableEnvironment) -> None:
    morning = joined(env).where(col("hour") < 12).select("title")
    evening = joined(env).where(col("hour") > 18).select("title")
    text = morning.union_all(evening).to_sql()
    assert "WITH" not in text
    assert text.count("JOIN") == 2


def test_what_is_shared_with_its_conditions_is_said_once(env: TableEnvironment) -> None:
    twice = best(env).alias("a").join(best(env).alias("b"), col("a.n") < col("b.n"))
    text = twice.select(col("a.dept").alias("one"), col("b.dept").alias("two")).to_sql()
    assert text.startswith("WITH best AS (")
    assert text.count("GROUP BY") == 1


def test_queries_within_expressions_read_one_cte(env: TableEnvironment) -> None:
    depts = best(env).select("dept")
    asked = env.from_path("people").where(col("dept").in_(depts))
    text = asked.union_all(asked.where(col("salary") > 20)).to_sql()
    assert text.count("WITH best AS (") == 1
    assert text.count("GROUP BY") == 1


@pytest.mark.parametrize("style", ["readable", "nested", "pipe"])
def test_what_is_done_to_a_named_step_is_done_for_every_reader(
    env: TableEnvironment, style: str
) -> None:
    named = env.from_path("people").select("id", (col("salary") % 3).alias("k")).alias("named")
    changed = named.with_column("id", col("id") + 1)
    again = env.sql_query(changed.union_all(changed).to_sql(style))
    for branch in again.operation.children():
        calls = [node.function.name for node in preorder(branch) if isinstance(node, Call)]
        assert sorted(calls) == ["mod", "plus"]


@pytest.mark.parametrize("conditions", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("copies", [2, 3, 6])
@pytest.mark.parametrize("table", ["wide", "people"])
def test_the_text_is_about_the_shorter_one(
    env: TableEnvironment, conditions: int, copies: int, table: str
) -> None:
    source = env.from_path(table)
    for number in range(conditions):
        source = source.where(col("id") + number > number)
    union = source
    for _ in range(copies - 1):
        union = union.union_all(source)
    root = union.operation
    always: list[set[QueryOperation]] = [{source.operation}, set()]
    lengths = [len(_printed(root, shared)) for shared in always]
    assert len(union.to_sql()) <= 1.3 * min(lengths)


def _printed(root: QueryOperation, shared: set[QueryOperation]) -> str:
    steps = Steps(shared)
    printer = QueryPrinter(steps)
    printer.inner_names = names_within(root)[0]
    return printer.statement(Folder(steps=steps).fold(root), root.schema.names)
