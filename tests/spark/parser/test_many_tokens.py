"""A million tokens are cut as Spark cuts them, and nothing is refused that its parser takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import WHOLE
from tests.oracle.documentation import documented_examples
from tests.parser.texts import known_texts, mangled_texts
from tests.spark.parser.spark_tokens import SparkLexer, count_alike
from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.tokens import tokenize
from viewscribe.spark.error_logging import silence_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MILLIONS = 10 if WHOLE else 1

NOT_READ = ("'$' begins nothing", "'@' begins nothing", "'{' begins nothing")


@pytest.mark.slow("a million tokens, cut by Spark and by us")
def test_a_million_tokens_are_cut_alike(spark: SparkSession) -> None:
    lexer, alike, rounds = SparkLexer(spark._jvm), 0, 0
    while alike < MILLIONS * 1_000_000:
        rounds += 1
        alike += count_alike(lexer, mangled_texts(f"many {rounds}"))[0]


@pytest.mark.slow("Spark parses thousands of texts")
def test_what_spark_parses_is_cut(spark: SparkSession) -> None:
    texts = {*known_texts(), *(each.text for each in documented_examples(spark))}
    with silence_errors():
        taken = [text for text in sorted(texts) if _is_parsed(spark, text)]
    assert len(taken) > 2000
    refused = {text: error for text in taken if (error := _error(text)) is not None}
    assert {text: error for text, error in refused.items() if not error.startswith(NOT_READ)} == {}


def _is_parsed(spark: SparkSession, text: str) -> bool:
    session: Any = spark
    try:
        session._jsparkSession.sessionState().sqlParser().parsePlan(text)
    except Exception:
        return False
    return True


def _error(text: str) -> str | None:
    try:
        tokenize(text)
    except SqlSyntaxError as error:
        return error.message
    return None
