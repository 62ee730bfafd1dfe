"""The pipelines in viewscribe's Table API.

Here and for every other tool, tables are looked up before the clock starts: what is timed is
building the pipeline over them and writing it as SQL.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tables import EVENTS, SCHEMAS
from examples.tpch.queries import QUERIES, tables
from viewscribe import Table, TableEnvironment, and_, col

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.rows import Jobs

COLUMNS = 50
TERMS = 1_000
STEPS = 10_000


class KnownTables(TableEnvironment):
    """The TPC-H tables and a small one for the synthetic rows, each looked up once."""

    def __init__(self) -> None:
        super().__init__()
        tables(self, Path("data"))
        self.create_table("events", EVENTS)
        self._known = {name: super(KnownTables, self).from_path(name) for name in SCHEMAS}

    def from_path(self, name: str) -> Table:
        return self._known[name]


def chain(env: TableEnvironment) -> Table:
    """Three steps: a filter, a computed column, a selection."""
    return (
        env.from_path("events")
        .filter(col("kind").is_not_null() & (col("id") > 10))
        .add_columns((col("id") * 2 + 1).alias("twice"))
        .select("kind", "day", "twice")
    )


def columns(env: TableEnvironment) -> Table:
    """Columns added one by one, each computed from the one before."""
    table = env.from_path("events").add_columns((col("id") + 1).alias("c0"))
    for number in range(1, COLUMNS):
        table = table.add_columns((col(f"c{number - 1}") + 1).alias(f"c{number}"))
    return table


def conjunction(env: TableEnvironment) -> Table:
    """One filter of very many conditions."""
    terms = [col("id") > number for number in range(TERMS)]
    return env.from_path("events").filter(and_(*terms))


def filters(env: TableEnvironment, count: int = STEPS) -> Table:
    """Very many filters, one step each."""
    table = env.from_path("events")
    for number in range(count):
        table = table.filter(col("id") > number)
    return table


PIPELINES: dict[str, Callable[[TableEnvironment], Table]] = {
    "q01": QUERIES["q01"],
    "q03": QUERIES["q03"],
    "q05": QUERIES["q05"],
    "chain": chain,
    "columns": columns,
    "conjunction": conjunction,
    "filters": filters,
}


def jobs() -> Jobs:
    """Each pipeline built anew and written as SQL."""
    env = KnownTables()
    return {name: _job(env, pipeline) for name, pipeline in PIPELINES.items()}


def _job(env: TableEnvironment, pipeline: Callable[[TableEnvironment], Table]) -> Callable[[], str]:
    return lambda: pipeline(env).to_sql()
