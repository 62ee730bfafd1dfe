"""Whatever a text is, it is read or refused: no text ends in an error of Python's."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests.corpus import chosen
from tests.fuzzing import examples
from tests.parser.tables import TABLES
from tests.parser.texts import known_texts, mangled_texts
from viewscribe import TableEnvironment
from viewscribe.errors import SqlSyntaxError, ViewscribeError
from viewscribe.expressions.literals import literal
from viewscribe.parser.grammar import PipeGrammar, Reading, read_query
from viewscribe.parser.grammar.statements import StatementGrammar, split_statements
from viewscribe.parser.names import read_names
from viewscribe.parser.tokens import NUMBER, STRING, Token, tokenize

PARAMETERS = Reading(named={"a": literal(1)}, placed=[literal(1)] * 9)
DIGITS = "1" * 5000
NUMBERS = (
    "0", "-1", "1.5", ".5", "1.", "1e1", "1e400", "1e-400", "1L", "1Y", "1BD", "1D", "1F", "'1'",
    "NULL", "TRUE", "2147483648", "9" * 20, DIGITS, f"{DIGITS}L", f"{DIGITS}BD", f"1e{DIGITS}",
    f"1e{DIGITS}BD", "1e99999999999BD", "1e-99999999999BD", "0" * 5000 + "1", "DATE '2024-01-01'",
)  # fmt: skip
STRINGS = (
    "''", "' '", "'-'", "'\\\\'", "'\\uD800'", "'\\UFFFFFFFF'", "'\\U00110000'", "'\\0'", "r'\\'",
    "'1e5000'", "'inf'", "'nan'", "'٣'", "'9999-99-99'", "'0000'", "'1-1'", "'('", "'$.['", "'%'",
    f"'{DIGITS}'", f"'{DIGITS} days'", f"'{DIGITS}-01-01'", f"'1 {DIGITS}'", "'🎈'", "1", "NULL",
)  # fmt: skip
CASES = (
    "CREATE TABLE t (a INT NOT NULL COMMENT 'a', b ARRAY<STRUCT<c: STRNG>>) USING parquet",
    "SELECT 1 AS a WHERE 1 IN ((SELECT 1), (2))",
    "SELECT a FROM t TABLESAMPLE (BUCKET 0 OUT OF 0)",
    "SELECT a FROM t TABLESAMPLE (DATE '2024-01-01' PERCENT) REPEATABLE (1)",
    "SELECT lag(a, NULL) OVER (ORDER BY a), lead(a, '1') OVER (ORDER BY a) FROM t",
)
STRANGE = {NUMBER: NUMBERS, STRING: STRINGS}


def _expression(text: str) -> object:
    return PipeGrammar(text, PARAMETERS).lone_expression()


def _query(text: str) -> object:
    return read_query(text, PARAMETERS)


GRAMMARS: dict[str, Callable[[str], object]] = {
    "query": _query,
    "expression": _expression,
    "statements": split_statements,
    "view": lambda text: StatementGrammar(text).create_view(),
    "table": lambda text: StatementGrammar(text).create_table(),
}


@functools.cache
def environment(purpose: str) -> TableEnvironment:
    """One for queries alone: statements change theirs."""
    env = TableEnvironment()
    for name, schema in TABLES.items():
        env.create_table(name, schema)
    return env


@functools.cache
def short_texts() -> list[str]:
    """What is read some hundred times."""
    return [text for text in known_texts() if len(text) < 400]


def meaning(text: str) -> None:
    """Reads a text in all ways in which an environment does."""
    query, execute = environment("queries").sql_query, environment("statements").execute_sql
    for read in (query, execute, read_names):
        with suppress(ViewscribeError):
            read(text)


@pytest.mark.slow("reads some ten thousand texts")
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_damaged_text_is_a_tree_or_an_error_of_syntax(grammar: str) -> None:
    read = GRAMMARS[grammar]
    for text in (*CASES, *chosen(short_texts(), every=30)):
        for damaged in damage(text):
            with suppress(SqlSyntaxError):
                read(damaged)


@pytest.mark.slow("reads some ten thousand texts")
def test_a_damaged_text_has_a_meaning_or_an_error() -> None:
    for text in (*CASES, *chosen(short_texts(), every=80)):
        for damaged in damage(text):
            meaning(damaged)


def test_a_mangled_text_has_a_meaning_or_an_error() -> None:
    rounds = examples(1, fuzz=20)
    seed = "" if rounds == 1 else str(random.random())
    for number in range(rounds):
        for text in mangled_texts(f"{seed}{number}"):
            meaning(text)


def test_any_literal_anywhere_has_a_meaning_or_an_error() -> None:
    for text in chosen(short_texts(), every=4):
        for token in _tokens(text):
            if token.kind in STRANGE:
                value = random.Random(f"{token.start} {text}").choice(STRANGE[token.kind])
                meaning(f"{text[: token.start]}{value}{text[token.start + len(token.text) :]}")


def damage(text: str) -> Iterator[str]:
    """The text cut off before and in each of its tokens, and without it."""
    for token in _tokens(text):
        yield text[: token.start]
        yield text[: token.start + 1]
        yield text[: token.start] + text[token.start + len(token.text) :]


def _tokens(text: str) -> list[Token]:
    try:
        return tokenize(text)
    except SqlSyntaxError:
        return []
