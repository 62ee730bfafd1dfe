"""Calls of process table functions as SQL text."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.process_functions import CountRows, CountWithTimeout, MatchOnce, Repeat
from viewscribe import col, descriptor
from viewscribe.errors import NotSerializableError, ValidationError, ViewscribeError


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("clicks", "user_id BIGINT, ts TIMESTAMP, url STRING, place STRUCT<zip: INT>")
    env.create_table("customers", "id BIGINT, name STRING, address STRING, c_time TIMESTAMP")
    env.create_table("orders", "customer BIGINT, order_id BIGINT, price DOUBLE, o_time TIMESTAMP")
    env.create_temporary_system_function("count_with_timeout", CountWithTimeout)
    env.create_temporary_system_function("match_once", MatchOnce)
    env.create_temporary_system_function("repeat_rows", Repeat)
    return env


def counted(env: vs.TableEnvironment, **named: str) -> vs.Table:
    return (
        env.from_path("clicks")
        .filter(col("url").is_not_null())
        .partition_by("user_id")
        .process("count_with_timeout", on_time=descriptor("ts"), **named)
    )


def test_a_call_reads_its_pipeline(env: vs.TableEnvironment) -> None:
    table = counted(env, uid="main").filter(col("count") > 1).select("user_id", "count")
    assert (
        table.to_sql()
        == """\
SELECT
  user_id,
  count
FROM count_with_timeout(
  input => TABLE(
    SELECT
      user_id,
      ts,
      url,
      place
    FROM spark_catalog.default.clicks
    WHERE url IS NOT NULL
  ) PARTITION BY (user_id) ORDER BY (ts),
  on_time => 'ts',
  keys => array('user_id'),
  uid => 'main'
) AS count_with_timeout
WHERE count > 1"""
    )
    assert (
        table.to_sql("pipe")
        == """\
FROM count_with_timeout(
  input => TABLE(
    FROM spark_catalog.default.clicks
    |> WHERE url IS NOT NULL
  ) PARTITION BY (user_id) ORDER BY (ts),
  on_time => 'ts',
  keys => array('user_id'),
  uid => 'main'
) AS count_with_timeout
|> WHERE count > 1
|> SELECT user_id, count"""
    )


def test_several_tables_are_one_tagged(env: vs.TableEnvironment) -> None:
    table = (
        env.from_path("customers")
        .partition_by("id")
        .process(
            "match_once",
            env.from_path("orders").partition_by("customer").copartition_with("customer"),
            on_time=descriptor("c_time", "o_time"),
        )
    )
    assert (
        table.to_sql()
        == """\
SELECT
  id,
  customer,
  name,
  order_id,
  rowtime
FROM match_once(
  tables => TABLE(
    SELECT
      struct(id) AS __key,
      c_time AS __time,
      0 AS __source,
      struct(id, name, address, c_time) AS customer,
      NULL AS order
    FROM spark_catalog.default.customers
    UNION ALL
    SELECT
      struct(customer),
      o_time,
      1,
      NULL,
      struct(customer, order_id, price, o_time)
    FROM spark_catalog.default.orders
  ) PARTITION BY (__key) ORDER BY (__time, __source),
  on_time => array('c_time', 'o_time'),
  keys => array('id', 'customer')
) AS match_once""".replace("AS order\n", "AS `order`\n")
    )


def test_a_table_of_rows_has_no_partitions(env: vs.TableEnvironment) -> None:
    text = env.from_path("orders").process("repeat_rows", times=3).select("n").to_sql()
    assert "PARTITION" not in text
    assert "times => 3" in text


def test_the_nested_style_gives_each_step_a_query(env: vs.TableEnvironment) -> None:
    text = counted(env).filter(col("count") > 1).to_sql("nested")
    assert text.count("SELECT") == 3
    assert text.count("input => TABLE(") == 1


def test_a_call_that_is_used_twice_is_written_once(env: vs.TableEnvironment) -> None:
    table = counted(env)
    twice = table.alias("a").join(table.alias("b"), col("a.user_id") == col("b.user_id"))
    text = twice.to_sql()
    assert text.startswith("WITH count_with_timeout_rows AS (")
    assert text.count("TABLE(") == 1


def test_two_calls_need_names_of_their_own(env: vs.TableEnvironment) -> None:
    others = env.from_path("clicks").partition_by("url")
    same = others.process("count_with_timeout", on_time=descriptor("ts"))
    for style in ("readable", "nested", "pipe"):
        with pytest.raises(ValidationError, match="called twice in one statement") as caught:
            counted(env).select("count").union_all(same.select("count")).to_sql(style)
        assert 'uid="first"' in (caught.value.hint or "")
    other = others.process("count_with_timeout", on_time=descriptor("ts"), uid="main")
    with pytest.raises(ValidationError, match='have the uid "main"'):
        counted(env, uid="Main").select("count").union_all(other.select("count")).to_sql()
    counted(env, uid="first").select("count").union_all(other.select("count")).to_sql()


def test_a_function_without_a_name_is_in_no_text(env: vs.TableEnvironment) -> None:
    table = env.from_path("clicks").partition_by("user_id").process(CountRows)
    for style in ("readable", "pipe"):
        with pytest.raises(NotSerializableError, match="without being registered") as caught:
            table.to_sql(style)
        assert "create_temporary_system_function" in (caught.value.hint or "")


WRONG = [
    ("PARTITION BY user_id, keys => array('ts')", "keys => array('user_id')"),
    ("PARTITION BY user_id, on_time => 'ts', order_keys => array('url')", "leave order_keys out"),
    (
        "PARTITION BY user_id ORDER BY (ts, url), on_time => 'ts', order_keys => array('ts')",
        "order_keys => array('ts', 'url')",
    ),
]


@pytest.mark.parametrize(("clauses", "way_out"), WRONG)
def test_a_text_tells_the_function_the_keys_of_its_table(env, clauses, way_out) -> None:
    with pytest.raises(ViewscribeError, match="divided or sorted by") as caught:
        env.sql_query(f"SELECT * FROM count_with_timeout(TABLE(clicks) {clauses})")
    assert way_out in str(caught.value.hint)
