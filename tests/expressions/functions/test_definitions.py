"""What holds for every definition, and the SQL of each special shape."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import viewscribe.serializer  # noqa: F401  (prints the expressions)
from tests.expressions.functions.palette import SCHEMA
from viewscribe import call, col, if_then_else, lit, row
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import FAMILIES, find_built_in
from viewscribe.expressions.resolve import resolve
from viewscribe.types import StructType

PACKAGE = "viewscribe.expressions.functions.builtin"


def definitions() -> list[FunctionDefinition]:
    """Every definition that a family holds, registered or not."""
    modules = [import_module(f"{PACKAGE}.{family}") for family in FAMILIES]
    return [each for module in modules for each in vars(module).values() if _is_definition(each)]


def _is_definition(value: object) -> bool:
    return isinstance(value, FunctionDefinition)


@pytest.mark.parametrize("definition", definitions(), ids=repr)
def test_a_definition_is_complete(definition: FunctionDefinition) -> None:
    assert definition.doc.endswith((".", "…"))
    assert "\n" not in definition.doc
    assert definition.name == definition.name.lower()
    assert definition.inference.required <= definition.inference.most
    assert find_built_in(definition.name.upper()) is definition


def test_names_and_methods_are_unique() -> None:
    names = [name for each in definitions() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    methods = [name for each in definitions() for name in (each.name, *each.aliases, *each.methods)]
    assert len(methods) == len(set(methods))


def test_families_are_loaded_when_a_name_of_them_is_wanted() -> None:
    loaded = f"[m for m in sys.modules if m.startswith('{PACKAGE}.')]"
    code = f"import sys, viewscribe.functions; print(len({loaded}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == 1 < len(FAMILIES)


@pytest.mark.parametrize(
    ("made", "sql"),
    [
        (col("s").upper_case(), "upper(s)"),
        (col("s").trim("x"), "trim(BOTH 'x' FROM s)"),
        (col("s").ltrim(), "ltrim(s)"),
        (call("position", "a", col("s")), "position('a' IN s)"),
        (call("position", "a", col("s"), 2), "position('a', s, 2)"),
        (call("overlay", col("s"), "x", 1), "overlay(s PLACING 'x' FROM 1)"),
        (call("overlay", col("s"), "x", 1, 2), "overlay(s PLACING 'x' FROM 1 FOR 2)"),
        (call("extract", "YEAR", col("dt")), "extract(YEAR FROM dt)"),
        (call("timestampadd", "DAY", 3, col("ts")), "timestampadd(DAY, 3, ts)"),
        (call("current_date"), "current_date()"),
        (call("count"), "count(*)"),
        (call("count", col("i")).distinct(), "count(DISTINCT i)"),
        (call("bool_or", col("b")).filter(col("i") > 1), "bool_or(b) FILTER (WHERE i > 1)"),
        (
            call("listagg", col("s"), ",").within_group(col("i")),
            "listagg(s, ',') WITHIN GROUP (ORDER BY i)",
        ),
        (if_then_else(col("b"), 1, 2), "CASE WHEN b THEN 1 ELSE 2 END"),
        (call("if", col("b"), 1, 2), "if(b, 1, 2)"),
        (call("transform", col("ai"), lambda x: x + 1), "transform(ai, x -> x + 1)"),
        (row(col("i"), col("s")), "struct(i, s)"),
        (call("try_add", col("i"), lit(1)), "try_add(i, 1)"),
    ],
)
def test_the_sql_of_a_shape(made: Expression, sql: str) -> None:
    assert resolve(made, SCHEMA).as_serializable_string() == sql


def test_the_fields_of_a_struct_take_names() -> None:
    made = row(col("i"), col("s").alias("name"), col("st")["x"], col("i") + 1)
    type_ = resolve(made, SCHEMA).type
    assert isinstance(type_, StructType)
    assert [field.name for field in type_.fields] == ["i", "name", "x", "col4"]
