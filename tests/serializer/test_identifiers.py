"""Names and values that look like SQL stay what they are; equal trees give equal bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe
from tests.fuzzing import examples
from tests.serializer.cases import CASES
from viewscribe import TableEnvironment, col, lit
from viewscribe import functions as F
from viewscribe.errors import NotSerializableError
from viewscribe.serializer import STYLES
from viewscribe.serializer.literals import identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe import Table

ATTACKS = (
    "a; DROP TABLE x",
    "a` ; DROP TABLE x; --",
    "`",
    "``",
    "a`b``c",
    "'; DROP TABLE x; --",
    "' OR '1'='1",
    "\\'; DROP TABLE x; --",
    "\\",
    "\\\\'",
    "/* not a comment",
    "*/ SELECT 1 /*",
    "-- nothing",
    "a\nb",
    "a\r\n|> DROP",
    '"double"',
    "$x",
    "{x}",
    ":parameter",
    "?",
    "@x",
    "%s",
    "a.b.c",
    " leading and trailing ",
    "名前 😀",
    "e\u0301",
    "\u202edesrever",
    "1e5",
    "TRUE",
    "current_date",
    "NULL",
)


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("things", "id INT, name STRING")
    return made


def test_attacks_survive_as_names_and_as_values(spark: SparkSession, env: TableEnvironment) -> None:
    source = env.from_values([(1,)], "id INT")
    named = source.select(*[lit(text).alias(text) for text in ATTACKS])
    table = named.filter(col(quoted(ATTACKS[0])) == ATTACKS[0]).distinct()
    table = table.filter(col(quoted("`")).in_(*ATTACKS)).select(*map(quoted, ATTACKS))
    for style in STYLES:
        found = spark.sql(table.to_sql(style))
        assert found.columns == list(ATTACKS)
        assert [tuple(row) for row in found.collect()] == [ATTACKS]


def test_attacks_survive_as_names_of_tables_steps_and_struct_fields(
    spark: SparkSession, env: TableEnvironment
) -> None:
    """A parser that sees one statement of one query saw nothing of the attack."""
    parser = spark._jsparkSession.sessionState().sqlParser()
    for attack in ATTACKS:
        field = F.named_struct(lit(attack), col("id")).alias("st")
        table = env.from_path("things").select(field).alias(attack)
        joined = table.join(table.alias("other"), on=lit(True))
        shown = joined.select(col(f"{quoted(attack)}.st")[attack].alias("v"))
        for style in STYLES:
            parser.parsePlan(shown.to_sql(style))


def test_variables_are_not_substituted(spark: SparkSession, env: TableEnvironment) -> None:
    """Spark replaces ``${x}`` before it parses; in a literal it can be written otherwise."""
    value = "a ${spark.app.name} ${env:HOME} $ {x} ${"
    text = env.from_values([(1,)], "id INT").select(lit(value).alias("v")).to_sql()
    assert [row.v for row in spark.sql(text).collect()] == [value]


@pytest.mark.parametrize("name", ["${x}", "a\0b", "\ud800"])
def test_names_that_sql_cannot_carry_are_refused(env: TableEnvironment, name: str) -> None:
    table = env.from_path("things").select(col("id").alias(name))
    with pytest.raises(NotSerializableError):
        table.to_sql()


def test_strings_that_sql_cannot_carry_are_refused(env: TableEnvironment) -> None:
    with pytest.raises(NotSerializableError, match="surrogate"):
        env.from_path("things").select(lit("\udc00").alias("v")).to_sql()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "plain"),
        ("Mixed_Case1", "Mixed_Case1"),
        ("_x", "_x"),
        ("select", "`select`"),
        ("FROM", "`FROM`"),
        ("a b", "`a b`"),
        ("a.b", "`a.b`"),
        ("a-b", "`a-b`"),
        ("a`b", "`a``b`"),
        ("1a", "`1a`"),
        ("1e5", "`1e5`"),
        ("größe", "`größe`"),
        ("'", "`'`"),
        ("", "``"),
    ],
)
def test_quoting_where_needed(name: str, text: str) -> None:
    assert identifier(name) == text


@settings(max_examples=examples(60), deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_an_identifier_is_one_token(name: str) -> None:
    try:
        text = identifier(name)
    except NotSerializableError:
        assert "${" in name or "\0" in name
        return
    if text != name:
        assert text == quoted(name)
    else:
        assert name.replace("_", "a").isalnum()
        assert name.isascii()


@settings(
    max_examples=examples(10, fuzz=200), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10),
        min_size=1,
        max_size=40,
        unique_by=lambda name: name.casefold(),
    )
)
def test_any_text_survives_as_name_and_value(spark: SparkSession, names: list[str]) -> None:
    kept = [name for name in names if "${" not in name and "\0" not in name]
    env = TableEnvironment()
    table = env.from_values([(1,)], "id INT").select(
        *[lit(name).alias(f"{name}_{place}") for place, name in enumerate(kept)], lit(1).alias("x")
    )
    found = spark.sql(table.to_sql())
    assert found.columns == table.columns
    assert [tuple(row) for row in found.collect()] == [(*kept, 1)]


PRINT_ALL = """
from tests.fuzzing import examples
from tests.serializer.cases import CASES
from viewscribe.serializer import STYLES
for make in CASES.values():
    for style in STYLES:
        print(make().to_sql(style))
"""


@pytest.mark.slow("several processes")
@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_same_bytes_in_any_process(seed: str) -> None:
    here = Path(__file__).parents[2]
    source = Path(viewscribe.__file__).parents[1]
    paths = {"PYTHONPATH": f"{source}{os.pathsep}{here}", "PYTHONIOENCODING": "utf-8"}
    made = subprocess.run(
        [sys.executable, "-c", PRINT_ALL],
        env={**os.environ, **paths, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
    )
    wanted = [make().to_sql(style) for make in CASES.values() for style in STYLES]
    assert made.stdout.decode("utf-8") == "\n".join(wanted) + "\n"


def test_equal_trees_built_in_different_orders_give_equal_text(env: TableEnvironment) -> None:
    def build() -> Table:
        things = env.from_path("things")
        return things.join(things.alias("b"), on=col("things.id") == col("b.id")).select("b.name")

    first = build()
    env.from_path("things").alias("t").to_sql()
    assert build().operation == first.operation
    assert build().to_sql() == first.to_sql()
