"""The readable style says what a person would have written: exact texts, and rules for all."""

from __future__ import annotations

import re

import pytest

from tests.opaque import opaque
from tests.serializer.cases import CASES, ENV, ORDERS, PEOPLE, texts
from viewscribe import col, lit, or_
from viewscribe import functions as F
from viewscribe.serializer.literals import WIDTH

EXPECTED = texts("readable")


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    assert CASES[name]().to_sql() == EXPECTED[name]


def test_every_expected_text_has_a_case() -> None:
    assert list(EXPECTED) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_rules_for_every_text(name: str) -> None:
    text = CASES[name]().to_sql()
    for line in text.splitlines():
        assert len(line) <= WIDTH
        assert line == line.rstrip()
    if name != "sql_text":
        assert not re.search(r"SELECT( DISTINCT)?\s+\*", text)
    assert not re.search(r"\b[a-z]_?\d+\.", text), "no aliases from a counter"
    assert not re.search(r"(?m)^\s*(\w+) AS \1,?$", text), "no alias that says nothing"
    assert not re.search(r"NOT \(\S+ (IS|IN|=|<|LIKE|BETWEEN)", text)


@pytest.mark.parametrize("name", CASES)
def test_the_same_text_twice(name: str) -> None:
    assert CASES[name]().to_sql() == CASES[name]().to_sql()


def test_the_first_example() -> None:
    from datetime import date

    table = (
        PEOPLE.filter(col("name").is_not_null())
        .filter(col("ok") == True)
        .filter(col("born") >= date(1980, 1, 1))
        .select(col("name").upper_case().alias("name"), col("born"))
    )
    assert (
        table.to_sql()
        == """\
SELECT
  upper(name) AS name,
  born
FROM spark_catalog.shop.people
WHERE name IS NOT NULL
  AND ok = TRUE
  AND born >= DATE '1980-01-01'"""
    )


def test_text_does_not_depend_on_what_was_printed_before() -> None:
    table = PEOPLE.alias("a").join(PEOPLE.alias("b"), on=col("a.id") == col("b.id")).select("a.id")
    before = table.to_sql()
    for make in CASES.values():
        make().to_sql()
    assert table.to_sql() == before


def test_a_long_list_fills_lines() -> None:
    text = PEOPLE.filter(col("id").in_(*range(1000, 1040))).select("id").to_sql()
    assert "WHERE id IN (\n    1000, 1001, 1002," in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_an_or_of_many_terms_has_a_term_a_line() -> None:
    terms = [col("name") == f"somebody number {number}" for number in range(3)]
    text = PEOPLE.filter(or_(*terms)).select("id").to_sql()
    assert text.endswith(
        """\
WHERE name = 'somebody number 0'
  OR name = 'somebody number 1'
  OR name = 'somebody number 2'"""
    )


def test_a_line_of_just_the_width_stays_whole() -> None:
    # "  'xxx' || … AS v" is counted with its indentation and its comma.
    for size in range(40, 80):
        table = PEOPLE.select(F.concat(col("name"), lit("x" * size)).alias("v"), "id")
        whole = f"  concat(name, '{'x' * size}') AS v,"
        assert (whole in table.to_sql().splitlines()) == (len(whole) <= WIDTH)


def test_a_string_keeps_its_line_breaks_and_quotes() -> None:
    """Nothing re-indents what lies within a literal, however deep the query is."""
    table = ORDERS.select(lit("it's\n  a ' \\ b").alias("v")).distinct()
    for _ in range(3):
        table = table.filter(col("v") != "it's").limit(5)
    assert r"'it\'s\n  a \' \\ b'" in table.to_sql()
    assert "\nit" not in table.to_sql()


def test_user_sql_is_not_indented() -> None:
    table = opaque(ENV, "select id, name from people where name <> 'a\nb'").distinct()
    assert "'a\nb'" in table.filter(col("id") > 1).to_sql()


@pytest.mark.parametrize("style", ["readable", "nested"])
@pytest.mark.parametrize("text", ["ORDER BY id LIMIT 1", "EXCEPT SELECT 1, 'a'"])
def test_user_sql_keeps_its_own_clauses_in_a_set_operation(style: str, text: str) -> None:
    """Without parentheses its LIMIT or EXCEPT would be that of all branches before it."""
    table = opaque(ENV, f"select id, name from people {text}", schema="id INT, name STRING")
    shown = " ".join(table.union_all(table).to_sql(style=style).split())
    assert re.fullmatch(r"\( (\S.*) \) UNION ALL \( \1 \)", shown), shown
    assert shown.count(text) == 2


def test_partition_keys_are_all_there() -> None:
    from viewscribe import over

    summed = F.sum(col("n")).over(over(partition_by=["person", "state", "id"]))
    assert "PARTITION BY person, state, id" in ORDERS.select(summed.alias("s")).to_sql()


def test_a_filter_is_never_lost_within_a_semi_join() -> None:
    orders = ORDERS.filter(col("n") > 1).filter(col("state") == "x")
    text = PEOPLE.semi_join(orders, on=col("people.id") == col("person")).to_sql()
    assert "orders.n > 1" in text
    assert "orders.state = 'x'" in text


def test_a_filter_above_a_generator_is_not_pushed_below_outer() -> None:
    table = PEOPLE.explode("tags", "tag", outer=True).filter(col("tag") == "x")
    text = table.select("id", "tag").to_sql()
    assert text.endswith("LATERAL VIEW OUTER explode(tags) tag AS tag\nWHERE tag = 'x'")
