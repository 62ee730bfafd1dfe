"""Names are quoted where Spark needs it, and nowhere else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.types.keywords import PLACES, Parser, check_columns_and_aliases, keywords
from tests.types.strategies import names
from viewscribe.errors import ValidationError
from viewscribe.types.identifiers import (
    RESERVED_WORDS,
    fold_name,
    needs_quoting,
    parse_name,
    quote_identifier,
    quote_name,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("name", ["a", "_1", "A9", "name", "date", "value", "year", "interval"])
def test_plain_names_stay_bare(name: str) -> None:
    assert quote_identifier(name) == name


@pytest.mark.parametrize(
    "name", ["", "1a", "1e5", "a.b", "a b", "é", "Table", "LEFT", "current_date", "a-b", "a\n"]
)
def test_other_names_are_quoted(name: str) -> None:
    assert needs_quoting(name)
    assert quote_identifier(name) == f"`{name}`"


def test_backticks_are_doubled() -> None:
    assert quote_identifier("a`b") == "`a``b`"
    assert quote_name(["sales", "2024 q1", "order"]) == "sales.`2024 q1`.`order`"


@given(st.lists(names(), min_size=1, max_size=4))
def test_quoted_names_are_read_back(parts: list[str]) -> None:
    assert parse_name(quote_name(parts)) == tuple(parts)


@pytest.mark.parametrize(
    "text", ["a..b", ".a", "a.", "`a`b", "a`b`", "`a", "`` ", "`a`.", "`", "."]
)
def test_damaged_names_are_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a name"):
        parse_name(text)


def test_names_split_as_spark_splits_them(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    read = jvm.org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute.parseAttributeName
    for text in [
        "a",
        "a.b",
        "`a.b`.c",
        "a b",
        " a . b ",
        "`a``b`",
        "",
        "``",
        "a.``.b",
        "1a.*",
        "é",
    ]:
        parts = read(text)
        assert parse_name(text) == tuple(parts.apply(i) for i in range(parts.size()))


SAMPLE = 12
"""How many of the keywords are tried here: each costs the parser. `test_keywords.py` tries all."""


@pytest.mark.parametrize("enforced", [False, True])
def test_bare_keywords_mean_themselves(spark: SparkSession, enforced: bool) -> None:
    parser = Parser(spark)
    with parser.reserved(enforced):
        assert all(parser.plan(place.replace("{k}", "`table`")) for place in PLACES)
        bare = [word for word in keywords(spark) if not needs_quoting(word)]
        assert len(bare) > 300
        tried = random.Random(1).sample(bare, SAMPLE)
        assert [word for word in tried if not parser.means_itself(word)] == []


def test_no_keyword_is_quoted_in_vain(spark: SparkSession) -> None:
    parser = Parser(spark)
    in_vain = set(RESERVED_WORDS)
    for enforced in (True, False):
        with parser.reserved(enforced):
            in_vain = {word for word in in_vain if parser.means_itself(word)}
    assert in_vain == set()


@pytest.mark.parametrize("enforced", [False, True])
def test_keywords_are_columns_and_aliases(spark: SparkSession, enforced: bool) -> None:
    with Parser(spark).reserved(enforced):
        check_columns_and_aliases(spark, random.Random(2).sample(keywords(spark), SAMPLE))


@pytest.mark.parametrize("name", ["system", "session", "builtin"])
def test_names_of_sparks_own_are_found_as_java_compares_them(name: str) -> None:
    odd = str.maketrans("si", "\u017f\u0131"), str.maketrans("i", "\u0130")
    for each in (name.upper(), name.title(), *map(name.translate, odd)):
        assert fold_name(each) == name
