"""Tables and functions that the tests of the rules speak of, and how they compare trees."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any, NamedTuple

from viewscribe import Table, TableEnvironment, async_udtf, call
from viewscribe.operations.base import QueryOperation


class Person(NamedTuple):
    name: str
    age: int


async def f(x: int) -> int:
    return x


async def g(x: int) -> int:
    return x


async def person(x: int) -> Person:
    return Person("", x)


@async_udtf
async def rows(x: int) -> list[Person]:
    return [Person("", x)]


ENV = TableEnvironment()
ENV.create_table("t", "id INT, x INT, y BOOLEAN NOT NULL, s STRUCT<a: INT>, tags ARRAY<INT>")
ENV.create_table("u", "id INT, z INT")
for _function in (f, g, person, rows):
    ENV.create_temporary_system_function(_function.__name__, _function)
T, U = ENV.from_path("t"), ENV.from_path("u")


def F_(*args: Any) -> Any:
    """A call of f."""
    return call("f", *args)


def G_(*args: Any) -> Any:
    """A call of g."""
    return call("g", *args)


SHOWN = {
    "CatalogSource(table: spark_catalog.default.t, columns: [id, x, y, s, tags])": "t",
    "CatalogSource(table: spark_catalog.default.u, columns: [id, z])": "u",
    "columns: [id, x, y, s, tags": "columns: [*",
}


def shown(operation: QueryOperation) -> str:
    """The tree, its tables and their columns in short."""
    text = operation.as_summary_string()
    for long, short in SHOWN.items():
        text = text.replace(long, short)
    return text


def becomes(
    rule: Callable[[QueryOperation], QueryOperation],
    table: Table | QueryOperation,
    before: str,
    after: str,
) -> None:
    """Asserts what a rule makes of the last step of a table; its columns stay the same."""
    operation = table.operation if isinstance(table, Table) else table
    assert shown(operation) == dedent(before).strip()
    made = rule(operation)
    assert shown(made) == dedent(after).strip()
    assert str(made.schema) == str(operation.schema)
