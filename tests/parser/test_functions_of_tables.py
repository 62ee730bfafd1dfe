"""Process table functions in SQL text: the tree that ``partition_by(…).process(…)`` makes."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.process_functions import CountWithTimeout, MatchOnce
from viewscribe import descriptor
from viewscribe.errors import ViewscribeError


@pytest.fixture(scope="module")
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("clicks", "user STRING NOT NULL, ts TIMESTAMP NOT NULL, url STRING")
    env.create_temporary_system_function("counted", CountWithTimeout)
    env.create_temporary_system_function("matched", MatchOnce)
    env.create_table("customers", "name STRING, address STRING")
    env.create_table("orders", "order_id INT, price DOUBLE, name STRING")
    return env


def test_the_tree_is_that_of_the_method(env: vs.TableEnvironment) -> None:
    read = env.sql_query(
        "SELECT * FROM counted(input => TABLE(clicks) PARTITION BY user, on_time => 'ts')"
    )
    made = env.from_path("clicks").partition_by("user").process("counted", on_time=descriptor("ts"))
    assert read.schema == made.schema
    assert read.to_sql() == made.to_sql()


def test_what_is_printed_is_read(env: vs.TableEnvironment) -> None:
    table = env.from_path("clicks").filter("url LIKE 'a%'")
    made = table.partition_by("user").process("counted", on_time=descriptor("ts"))
    text = made.filter("count > 1").to_sql()
    assert env.sql_query(text).to_sql() == text


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ("counted(TABLE(clicks) PARTITION BY user, on_time => 3)", "on_time names columns"),
        ("counted(TABLE(clicks) PARTITION BY nope, on_time => 'ts')", "no column `nope`"),
        ("counted(TABLE(nothing) PARTITION BY user)", "no view or table"),
        ("unknown(TABLE(clicks) PARTITION BY user)", "no function `unknown`"),
    ],
)
def test_mistakes_are_shown_where_they_stand(
    env: vs.TableEnvironment, call: str, part: str
) -> None:
    with pytest.raises(ViewscribeError, match=part) as caught:
        env.sql_query(f"SELECT *\nFROM {call}")
    assert "line 2, column" in str(caught.value.location)


@pytest.mark.parametrize(
    "arguments",
    [
        "TABLE(customers) PARTITION BY name, TABLE(SELECT * FROM orders) PARTITION BY name",
        "`order` => TABLE(orders) PARTITION BY name, customer => TABLE customers PARTITION BY name",
    ],
)
def test_several_tables_are_partitioned_together(env: vs.TableEnvironment, arguments: str) -> None:
    read = env.sql_query(f"SELECT * FROM matched({arguments})")
    orders = env.from_path("orders").partition_by("name").copartition_with("customer")
    made = env.from_path("customers").partition_by("name").process("matched", orders)
    assert read.schema == made.schema
    assert read.to_sql() == made.to_sql()


def test_keys_of_several_tables_must_fit(env: vs.TableEnvironment) -> None:
    with pytest.raises(ViewscribeError, match="INT"):
        env.sql_query(
            "SELECT * FROM matched(TABLE(customers) PARTITION BY name, "
            "TABLE(orders) PARTITION BY order_id)"
        )


@pytest.mark.parametrize("style", ["readable", "pipe"])
@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("SELECT * FROM twice(y => 1, x => 2)", "twice(2, 1)"),
        ("SELECT * FROM twice(5)", "twice(5)"),
        ("SELECT (SELECT max(a) FROM twice(order_id)) AS m FROM orders", "twice(orders.order_id)"),
        (
            "SELECT * FROM orders, LATERAL (SELECT a + 1 FROM twice(y => order_id, x => 0))",
            "twice(0, orders.order_id)",
        ),
    ],
)
def test_arguments_of_functions_in_sql(
    env: vs.TableEnvironment, query: str, call: str, style: str
) -> None:
    env.execute_sql(
        "CREATE OR REPLACE FUNCTION twice(x INT, y INT DEFAULT 3) RETURNS TABLE (a INT) "
        "RETURN SELECT x + y"
    )
    printed = env.sql_query(query).to_sql(style)
    assert call in printed
    assert env.sql_query(printed).schema.names == env.sql_query(query).schema.names
