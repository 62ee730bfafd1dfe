"""Every text is cut as Spark's own lexer cuts it, or refused."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import examples
from tests.parser.texts import known_texts, mangled_texts
from tests.spark.parser.spark_tokens import SparkLexer, count_alike, spark_schemas
from viewscribe.errors import DataTypeError
from viewscribe.types import Field
from viewscribe.types.ddl_reader import parse_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

LETTERS = (
    ("/*+'-\n\\", 4),
    ("'\"\\rR`a", 4),
    ("1.e+xBd", 5),
    ("<>=!|-:*/", 4),
    (":/a1.#-?", 4),
    ("ıſSaü \x85\u3000", 4),
)
"""Characters that mean something else beside each other, and how many of them."""

TYPES = ("array", "MAP<", " Struct ", "`map`", ">", ">>", ">>>", ">=", "->", "<>")
HIDDEN = (
    *("", " ", "\x85", "\u3000", "/* x */", "/* /* */ */", "/*+ x */", "/*/ */", "/* -- */"),
    *("-- x\n", "-- x\\\n", "-- x\r", "-- /*\n", "-- x\\\r\n", "--\\\\\n"),
)
"""What may hide a part of a text, or does not."""


@pytest.fixture(scope="module")
def lexer(spark: SparkSession) -> SparkLexer:
    return SparkLexer(spark._jvm)


def test_known_texts_are_cut_alike(lexer: SparkLexer) -> None:
    alike, refused = count_alike(lexer, known_texts())
    assert alike > 80_000
    assert refused < len(known_texts()) / 10


def test_mangled_texts_are_cut_alike_or_refused(lexer: SparkLexer) -> None:
    rounds = examples(1, fuzz=100)
    seed = "" if rounds == 1 else str(random.random())
    for number in range(rounds):
        alike, refused = count_alike(lexer, mangled_texts(f"{seed}{number}"))
        assert alike > 20_000
        assert refused < len(known_texts()) / 2


@pytest.mark.parametrize(("letters", "size"), LETTERS, ids=ascii)
def test_all_short_texts_of_some_letters(lexer: SparkLexer, letters: str, size: int) -> None:
    assert count_alike(lexer, _short_texts(letters, size))[0] > 50


def test_ends_of_types(lexer: SparkLexer) -> None:
    assert count_alike(lexer, _short_texts(TYPES, 4))[1] == 0


def test_schemas_hide_what_spark_hides(spark: SparkSession) -> None:
    texts = [f"a INT{x}, b INT{y}, c {z}INT" for x, y, z in product(HIDDEN, repeat=3)]
    alike = 0
    for text, theirs in zip(texts, spark_schemas(spark._jvm, texts), strict=True):
        ours = _schema(text)
        if ours is not None and theirs is not None:
            assert ours == _schema(theirs), text
            alike += 1
    assert alike > len(texts) / 10


def _schema(text: str) -> tuple[Field, ...] | None:
    try:
        return parse_schema(text)
    except DataTypeError:
        return None


def _short_texts(pieces: Sequence[str], most: int) -> list[str]:
    """All texts of a few pieces."""
    return ["".join(each) for size in range(most + 1) for each in product(pieces, repeat=size)]
