"""Collations of calls are Spark's: which one wins, which calls are refused, what is kept."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.expressions.functions.collated_calls import AGGREGATES, SCALARS
from tests.fuzzing import examples
from viewscribe.errors import ViewscribeError
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = {
    "b": "STRING",
    "l": "STRING COLLATE UTF8_LCASE",
    "m": "STRING COLLATE UTF8_LCASE",
    "u": "STRING COLLATE UNICODE_CI",
    "r": "STRING COLLATE UTF8_BINARY_RTRIM",
    "i": "INT",
    "al": "ARRAY<STRING COLLATE UTF8_LCASE>",
    "st": "STRUCT<f: STRING COLLATE UNICODE_CI>",
}
SCHEMA = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())

WEAK = ("'x'", "'y'", "CAST(i AS STRING)", "upper('x')", "concat('a','b')", "space(i)")
STRONG = ("b", "l", "l", "m", "u", "r", "st.f", "al[0]", "upper(l)", "CAST(l AS STRING)")
ASKED_FOR = ("b COLLATE UTF8_LCASE", "'x' COLLATE UTF8_LCASE", "u COLLATE UTF8_LCASE")
TEXTS = (*WEAK, *WEAK, *STRONG, *ASKED_FOR)

INNER = (
    *("lower(@)", "concat(@,'x')", "coalesce('x',@)", "replace(@,'a','b')", "nvl2(i,'x',@)"),
    *("if(i=1,@,'x')", "split('a,b',',')[0]", "array('x',@)[1]", "trim('x' FROM @)"),
    *("element_at(split(lower('x'),'y'),1)", "named_struct('f',@).f", "md5(@)", "concat_ws(@,'x')"),
    *("format_string('%s',@)", "(SELECT max('x'))", "CAST(@ AS STRING COLLATE UNICODE)"),
)

STRICTER = (
    *("array_contains", "array_position", "arrays_overlap", "decode", "BETWEEN", "format_string"),
)
"""What Spark still computes without knowing a collation, and is refused here."""

INDETERMINATE = "without a collation"


def templates(text: str) -> list[str]:
    """The calls of a listing, between blanks that are outside of parentheses."""
    found, depth = [""], 0
    for character in text.replace("\n", " "):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == " " and not depth:
            found.append("")
        else:
            found[-1] += character
    return [each for each in found if each]


def filled(template: str, choice: random.Random) -> str:
    """The call with texts in its places: columns, literals, and calls that have a collation."""

    def one(match: re.Match[str]) -> str:
        text = choice.choice(TEXTS)
        if choice.random() < 0.3:
            text = choice.choice(INNER).replace("@", text)
        return f" {text} "

    return re.sub("@", one, template)


def calls(listing: str, count: int, seed: int) -> list[str]:
    """That many calls of each template, with texts drawn at random."""
    choice = random.Random(seed)
    found = []
    for template in templates(listing):
        over = " OVER (ORDER BY i)" if template.startswith(("lag", "lead", "first_")) else ""
        found += [filled(template, choice) + over for _ in range(count)]
    return list(dict.fromkeys(found))


def ours(env: Any, call: str) -> Any:
    """The table of the call; None where it is refused, the call itself where it is not read."""
    try:
        table = vs.record(lambda spark: spark.table("texts").selectExpr(f"{call} AS x"), env=env)
    except ViewscribeError as error:
        return None if "is not read" not in error.message else call
    return table


@pytest.fixture(scope="module")
def env(spark: SparkSession) -> vs.TableEnvironment:
    spark.sql(f"CREATE TABLE IF NOT EXISTS texts ({SCHEMA}) USING parquet")
    made = vs.TableEnvironment()
    made.create_table("texts", SCHEMA)
    return made


def theirs(spark: SparkSession, call: str) -> Any:
    """Spark's type; a text where it refuses the call, or gives text of no collation."""
    from pyspark.errors import AnalysisException

    try:
        frame = spark.sql(f"SELECT {call} AS x FROM texts")
    except AnalysisException as error:
        return error.getCondition()
    if "COLLATE NULL" in frame._jdf.schema().toDDL():
        return INDETERMINATE
    return schema_from_spark(frame.schema)[0].type


def check(spark: SparkSession, env: Any, wanted: list[str]) -> None:
    accepted, refused = {}, []
    for call in wanted:
        table = ours(env, call)
        if table is None:
            refused.append(call)
        elif table is not call:
            accepted[call] = table
    assert len(accepted) > len(wanted) / 4
    # One query for all that is accepted: what cannot be analyzed fails here, by its name.
    items = ", ".join(f"{call} AS x{place}" for place, call in enumerate(accepted))
    found = schema_from_spark(spark.sql(f"SELECT {items} FROM texts").schema)
    wrong = {
        call: (table.schema.fields[0].type, field.type)
        for (call, table), field in zip(accepted.items(), found, strict=True)
        if table.schema.fields[0].type != field.type
    }
    assert not wrong
    printed = ", ".join(f"{_item(table)} AS x{n}" for n, table in enumerate(accepted.values()))
    again = schema_from_spark(spark.sql(f"SELECT {printed} FROM texts").schema)
    assert [each.type for each in again] == [each.type for each in found]
    too_strict = {
        call: kind
        for call in refused
        if not isinstance(kind := theirs(spark, call), str)
        and not any(name in call for name in STRICTER)
    }
    assert not too_strict


def _item(table: Any) -> str:
    return str(table.to_sql()).split("SELECT", 1)[1].rsplit("FROM", 1)[0].rsplit(" AS x", 1)[0]


@pytest.mark.slow("some 300 calls, and of those that are refused Spark is asked one by one")
def test_scalar_calls_of_texts_of_any_collation(spark: SparkSession, env: vs.TableEnvironment):
    for seed in range(examples(1)):
        check(spark, env, calls(SCALARS, 2, seed))


def test_aggregates_of_texts_of_any_collation(spark: SparkSession, env: vs.TableEnvironment):
    check(spark, env, calls(AGGREGATES, 6, seed=1))
