"""Text for an older Spark: said otherwise where it can be, refused by name where it cannot."""

from __future__ import annotations

import re

import pytest

import viewscribe as vs
from tests.opaque import opaque
from tests.serializer.cases import CASES, ORDERS
from tests.serializer.pipe_layouts import LAYOUTS
from tests.serializer.turned import TURNED
from viewscribe import col, exists, lit
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.serializer import STYLES, TARGETS
from viewscribe.serializer.targets import NEWEST, noted_target, session_target, target_of

TABLES = CASES | TURNED
_PIVOT_ALIAS = re.compile(r"^( *)PIVOT \(\n(?:\1 .*\n)*\1\) AS", re.MULTILINE)


@pytest.mark.parametrize("name", TABLES)
def test_the_newest_target_is_the_default(name: str) -> None:
    table = TABLES[name]()
    for style in STYLES:
        assert table.to_sql(style, target="4.3") == table.to_sql(style)
        assert table.to_sql(style, target="4.2") == table.to_sql(style)


@pytest.mark.parametrize("name", TABLES)
def test_no_clause_that_an_older_grammar_lacks(name: str) -> None:
    table = TABLES[name]()
    for style in STYLES:
        for target in ("4.0", "4.1"):
            text = table.to_sql(style, target=target)
            assert "QUALIFY" not in text
            assert not _PIVOT_ALIAS.search(text)


def test_the_check_above_can_fail() -> None:
    newest = [make().to_sql(style) for make in TABLES.values() for style in STYLES]
    assert sum("QUALIFY" in text for text in newest) > 5
    assert sum(bool(_PIVOT_ALIAS.search(text)) for text in newest) > 10


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_pipe_style_is_the_same_for_all(name: str) -> None:
    table = LAYOUTS[name]()
    assert {table.to_sql("pipe", target=target) for target in TARGETS} == {table.to_sql("pipe")}


def test_a_filtered_window_is_a_subquery() -> None:
    assert (
        TURNED["window_filtered_and_dropped"]().to_sql(target="4.1")
        == """\
SELECT
  id,
  n
FROM (
  SELECT
    id,
    person,
    n,
    row_number() OVER (PARTITION BY person ORDER BY id) AS place
  FROM spark_catalog.shop.orders
) AS orders_windowed
WHERE place = 1"""
    )


def test_a_pivot_needs_no_alias_where_its_columns_are_all_that_is_called() -> None:
    assert (
        TURNED["pivot_sorted_and_limited"]().to_sql(target="4.0")
        == """\
SELECT
  person,
  new,
  x
FROM (
  SELECT
    person,
    state,
    n
  FROM spark_catalog.shop.orders
)
PIVOT (
  sum(n) AS `sum(n)`
  FOR state IN ('new' AS new, 'x' AS x)
)
ORDER BY new DESC, person
LIMIT 2"""
    )


def test_a_pivot_gets_its_alias_from_a_select_around_it() -> None:
    assert (
        TURNED["pivot_seen_from_within"]().to_sql(target="4.1.4")
        == """\
SELECT
  person,
  new,
  x
FROM (
  SELECT
    person,
    new,
    x
  FROM (
    SELECT
      person,
      state,
      n
    FROM spark_catalog.shop.orders
  )
  PIVOT (
    sum(n) AS `sum(n)`
    FOR state IN ('new' AS new, 'x' AS x)
  )
) AS orders_rows_pivot
WHERE EXISTS (
  SELECT
    1
  FROM spark_catalog.shop.people
  WHERE id = orders_rows_pivot.person
)"""
    )


@pytest.mark.parametrize(
    ("expression", "target", "message"),
    [
        (lambda: F.to_base32(col("state")), "4.2", "`to_base32` came with Spark 4.3"),
        (lambda: F.kll_merge_agg_bigint(col("state").cast("BINARY")), "4.1", "Spark 4.1.2"),
        (lambda: F.make_timestamp(lit("x").cast("DATE")), "4.0", "`make_timestamp` of DATE"),
        (lambda: lit(None).cast("TIME"), "4.0", r"the type TIME\(6\) came with Spark 4.1"),
        (lambda: lit(None).cast("ARRAY<TIME(3)>"), "4.0", r"ARRAY<TIME\(3\)> came with"),
        (lambda: F.st_srid(F.st_geomfromwkb(lit(b""))), "4.1", "came with Spark 4.2"),
    ],
)
def test_what_came_later_is_refused_by_name(expression, target, message) -> None:
    table = ORDERS.select(expression().alias("x"))
    for style in STYLES:
        with pytest.raises(NotSerializableError, match=message) as caught:
            table.to_sql(style, target=target)
        assert caught.value.code == "NewerThanTargetError"
        assert f"the text is for Spark {target}" in str(caught.value)
        hint = re.search(r'target="([\d.]+)"', caught.value.hint or "")
        assert hint
        assert table.to_sql(style, target=hint[1]) == table.to_sql(style)


def test_a_form_of_a_call_that_came_later() -> None:
    table = ORDERS.agg(F.max_by(col("n"), col("id"), 2).alias("x"))
    assert_refused(table, "`max_by` of INT, INT, INT came with", "4.1")
    assert table.to_sql(target="4.2") == table.to_sql()


def test_clauses_that_an_older_spark_does_not_listen_to() -> None:
    listed = ORDERS.agg(F.collect_list(col("n")).respect_nulls().alias("x"))
    assert_refused(listed, "`collect_list` with RESPECT NULLS came with Spark 4.2", "4.1")
    assert ORDERS.agg(F.first(col("n")).ignore_nulls().alias("x")).to_sql(target="4.0")
    filtered = F.sum(col("n")).filter(col("id") > 1).over(vs.over(order_by="id"))
    assert_refused(ORDERS.select(filtered.alias("x")), "`sum` with FILTER over a window", "4.1")
    assert_refused(ORDERS.select(F.reverse(lit(b"a")).alias("x")), "`reverse` of BINARY", "4.1")


def test_the_other_form_of_a_call_is_not_refused() -> None:
    scalars = [F.instr(col("state"), "x").alias("a"), F.unix_micros(col("at")).alias("b")]
    table = ORDERS.select(*scalars)
    assert table.to_sql(target="4.0") == table.to_sql()
    table = ORDERS.agg(F.max_by(col("n"), col("id")).alias("x"))
    assert table.to_sql(target="4.0") == table.to_sql()


def test_sub_queries_and_functions_of_from_are_looked_at() -> None:
    newer = ORDERS.filter(F.to_base32(col("state")).is_null())
    assert_refused(ORDERS.filter(exists(newer)), "to_base32")
    assert_refused(ORDERS.join_lateral(newer.select(col("n").alias("m"))), "to_base32")
    env = vs.TableEnvironment()
    assert_refused(env.from_function("python_worker_logs"), "python_worker_logs", "4.0")


def assert_refused(table: vs.Table, name: str, target: str = "4.2") -> None:
    with pytest.raises(NotSerializableError, match=name):
        table.to_sql(target=target)


def test_the_version_of_a_function_counts_beside_that_of_its_form() -> None:
    assert_refused(ORDERS.agg(F.approx_top_k(col("n")).alias("x")), "`approx_top_k` of INT", "4.0")


def test_every_version_of_a_function_is_one() -> None:
    for function in all_built_ins().values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", function.since)


@pytest.mark.parametrize("name", ["3.5", "4.4", "5.0", "4", "four", "", "4.0-SNAPSHOT"])
def test_a_target_that_there_is_not(name: str) -> None:
    with pytest.raises(ValidationError, match="no text can be written for Spark") as caught:
        ORDERS.select("id").to_sql(target=name or " ")
    assert "4.0, 4.1, 4.2, 4.3" in str(caught.value)
    with pytest.raises(ValidationError):
        vs.TableEnvironment(target=name)


@pytest.mark.parametrize(
    ("version", "target"),
    [
        ("4.0.5", "4.0.5"),
        ("4.1.0-SNAPSHOT", "4.1.0"),
        ("4.2.1+vendor.3", "4.2.1"),
        ("4.3.0", None),
        ("4.3.7", None),
        ("4.10.0", None),
        ("5.0.0", None),
    ],
)
def test_the_target_of_a_session(version: str, target: str | None) -> None:
    assert session_target(version) == target
    assert target_of(target).is_newest is (target is None)


def test_a_session_older_than_all_targets() -> None:
    with pytest.raises(ValidationError, match=r"no text can be written for Spark 3\.5\.9"):
        session_target("3.5.9")


def test_targets_in_their_order() -> None:
    assert [target_of(each).version for each in TARGETS] == sorted(
        target_of(each).version for each in TARGETS
    )
    assert target_of(TARGETS[-1]).version == NEWEST.version == target_of(None).version


def test_the_target_of_an_environment() -> None:
    env = vs.TableEnvironment(target="4.1")
    env.create_table("t", "a INT")
    place = F.row_number().over(vs.over(order_by="a")).alias("place")
    table = env.from_path("t").select("a", place).filter(col("place") == 1)
    assert "QUALIFY" not in table.to_sql()
    assert table.as_serializable_string() == table.to_sql(target="4.0") == vs.to_sql(table)
    assert "QUALIFY" in table.to_sql(target="4.2")
    assert "QUALIFY" in vs.to_sql(table, target="4.3")
    env.create_view("old", table)
    env.create_view("new", table, target="4.3")
    vs.save_view(table, "older", target="4.0")
    noted = {name: env.get_view(name).spark_version for name in ("old", "new", "older")}
    assert noted == {"old": "4.1", "new": None, "older": "4.0"}
    assert env.get_view("old").sql == table.to_sql()
    assert "QUALIFY" in env.get_view("new").sql


@pytest.mark.parametrize(
    ("text", "what", "version"),
    [
        ("SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY id) = 1", "QUALIFY", "4.2"),
        ("SELECT id FROM orders WHERE Time_Diff('HOUR', NULL, NULL) = 1", "`Time_Diff`", "4.1"),
    ],
)
def test_sql_text_of_a_user_is_looked_at(text: str, what: str, version: str) -> None:
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT")
    table = opaque(env, text, schema="id INT")
    for target in ("4.2", "4.3", None):
        assert what.strip("`") in table.to_sql(target=target)
    with pytest.raises(NotSerializableError, match=f"{what} in SQL text came with") as caught:
        table.to_sql(target="4.0")
    assert f'target="{version}"' in str(caught.value.hint)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM orders AS qualify -- QUALIFY time_diff(1)",
        "SELECT id FROM orders WHERE max_by(id, id) OVER () = 1",
        "SELECT default.time_diff(id) AS id FROM orders",
    ],
)
def test_sql_text_that_every_version_reads(text: str) -> None:
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT")
    for target in TARGETS:
        assert opaque(env, text, schema="id INT").to_sql(target=target)


def test_a_number_is_a_target_like_its_text() -> None:
    table = ORDERS.select("id")
    assert table.to_sql(target=4.0) == table.to_sql(target="4.0")  # type: ignore[arg-type]
    assert noted_target(4.0) == "4.0"  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=r"no text can be written for Spark 3\.5"):
        table.to_sql(target=3.5)  # type: ignore[arg-type]
