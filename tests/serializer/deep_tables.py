"""Long and deep pipelines of any size, each with rows that its result has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe import Table, TableEnvironment, col, lit, or_
from viewscribe import functions as F

# A view over VALUES: a scan of files would push every predicate down, and die of a thousand.
VIEW = (
    "CREATE OR REPLACE VIEW default.deep AS SELECT id, name "
    "FROM VALUES (1, 'a'), (2, 'b'), (3, NULL), (1500, 'c'), (-7, 'd') AS v (id, name)"
)

Row = tuple[Any, ...]


def source() -> Table:
    """The table of the view."""
    env = TableEnvironment()
    env.create_table("deep", "id INT NOT NULL, name STRING")
    return env.from_path("deep")


def filters(size: int) -> tuple[Table, list[Row]]:
    """One filter over the other."""
    table = source()
    for number in range(size):
        table = table.filter(col("id") != number + 2)
    kept = [(1500, "c")] if size < 1_400 else []
    return table, [(-7, "d"), (1, "a"), *kept]


def columns(size: int) -> tuple[Table, list[Row]]:
    """Columns, each from the one before."""
    table = source().add_columns(col("id").alias("c0"))
    for number in range(1, size):
        table = table.add_or_replace_columns((col(f"c{number - 1}") + 1).alias(f"c{number}"))
    half = size // 2
    table = table.select("id", f"c{half}", f"c{size - 1}")
    return table, [(each, each + half, each + size - 1) for each in (-7, 1, 1500, 2, 3)]


def replacements(size: int) -> tuple[Table, list[Row]]:
    """One column, again and again replaced by another value of itself."""
    table = source()
    for _ in range(size):
        table = table.add_or_replace_columns((col("id") + 1).alias("id"))
    rows = [(1, "a"), (2, "b"), (3, None), (1500, "c"), (-7, "d")]
    return table, [(each + size, name) for each, name in rows]


def union(size: int) -> tuple[Table, list[Row]]:
    """A union of tables, each added to those before."""
    deep = table = source()
    for number in range(1, size):
        table = table.union_all(deep.filter(col("id") == number))
    once = [(1500, "c"), (-7, "d"), (1, "a"), (2, "b"), (3, None)]
    return table, [*once, (1, "a"), (2, "b"), (3, None)]


def terms(size: int) -> tuple[Table, list[Row]]:
    """A condition of alternatives."""
    condition = or_(*[col("id") == number * 3 for number in range(size)])
    return source().filter(condition), [(1500, "c"), (3, None)]


def calls(size: int) -> tuple[Table, list[Row]]:
    """One call inside of the other."""
    value, rows = col("id"), [(1, "a"), (2, "b"), (3, None), (1500, "c"), (-7, "d")]
    for _ in range(size // 2):
        value = F.abs(value - lit(1))
        rows = [(abs(number - 1), name) for number, name in rows]
    return source().select(value.alias("value"), "name"), [*rows]


SHAPES: dict[str, Callable[[int], tuple[Table, list[Row]]]] = {
    made.__name__: made for made in (filters, columns, replacements, union, terms, calls)
}
