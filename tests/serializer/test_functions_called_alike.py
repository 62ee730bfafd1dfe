"""A user's function that is called like one of Spark's is not taken for it: ``db.case(…)``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import viewscribe
from viewscribe import TableEnvironment, call, col, lit
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.functions.registry import all_built_ins, find_built_in
from viewscribe.expressions.nodes import strip_alias
from viewscribe.operations.nodes import Project
from viewscribe.types.identifiers import quote_name

COLUMNS = {
    "a": "INT",
    "b": "BOOLEAN",
    "s": "STRING",
    "m": "MAP<STRING, INT>",
    "r": "ARRAY<INT>",
    "k": "STRUCT<x: INT>",
    "v": "VARIANT",
}
SHAPES = ("a", "r", "ms", "vs", "bsbs")


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("t", ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items()))
    return made


def names() -> set[str]:
    found = [definition for each in all_built_ins() if (definition := find_built_in(each))]
    return {name for each in found for name in (each.name, *each.aliases)}


@pytest.mark.slow("every name of Spark's")
@pytest.mark.parametrize("shape", SHAPES)
def test_its_calls_are_printed_and_read_as_calls(env: TableEnvironment, shape: str) -> None:
    home = f"of_{shape}"
    env.create_database(home)
    parameters = ", ".join(f"p{at} {COLUMNS[each]}" for at, each in enumerate(shape))
    rows = env.from_path("t")
    given = [col(each) for each in shape]
    if shape == "bsbs":  # as CASE has conditions
        given = [col("a") == 1, col("s"), col("a") == 2, col("s")]
    for name in sorted(names()):
        path = quote_name((home, name))
        env.execute_sql(f"CREATE FUNCTION {path}({parameters}) RETURNS INT RETURN 7")
        table = rows.select(call(path, *given).alias("z"))
        text = table.to_sql()
        assert quote_name(("spark_catalog", home, name)) + "(" in text, text
        assert env.sql_query(text).equals(table), text


def test_its_value_for_constants_is_not_computed(env: TableEnvironment) -> None:
    """Constant arguments of process table functions are, with Spark's functions."""
    env.execute_sql("CREATE FUNCTION concat(x STRING, y STRING) RETURNS STRING RETURN 'other'")
    for name, value in (("concat", "ab"), ("default.concat", None)):
        made = env.from_path("t").select(call(name, lit("a"), lit("b")).alias("z")).operation
        assert isinstance(made, Project)
        found = fold_constant(strip_alias(made.expressions[0]))
        assert (found and found.value) == value


def test_functions_are_known_again_by_their_built_in_name() -> None:
    """By ``name`` alone they are not: a user's may be called so."""
    compared = re.compile(r"function\.name (==|!=|in\b|not in\b)|\.get\([\w.]*function\.name\)")
    allowed = {
        "equivalence.py",  # of definitions that are no user's
        "overrides.py",  # what a user's test gives for a name
        "columns.py",  # behind the calls of users' functions
        "casts.py",  # of classes of Catalyst
    }
    root = Path(viewscribe.__file__).parent
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in sorted(root.rglob("*.py"))
        if path.name not in allowed
        for line in path.read_text(encoding="utf-8").splitlines()
        if compared.search(line)
    ]
    assert found == []
