"""The rows of the benchmark: what is built, by whom, and what its SQL must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp

from benchmarks import with_ibis, with_sqlframe, with_sqlglot, with_viewscribe
from benchmarks.timing import Job

Jobs = dict[str, Job]

VIEWSCRIBE: Final = "viewscribe"


@dataclass(frozen=True)
class Row:
    """One line of the results.

    Args:
        name: how ``--only`` calls it.
        title: what it is.
        tables: the tables that the SQL of every contestant must read.
        nodes: how many expressions of a kind it must hold at least.
        numbers: numbers that must all stand in it.
        seconds: for a row without contestants, how long it may take.
    """

    name: str
    title: str
    tables: frozenset[str]
    nodes: Mapping[type[exp.Expression], int] = field(default_factory=dict)
    numbers: range = range(0)
    seconds: float | None = None


ROWS: Final = (
    Row(
        "q01",
        "TPC-H q1",
        frozenset({"lineitem"}),
        {exp.Sum: 4, exp.Avg: 3, exp.Count: 1, exp.Mul: 3, exp.LTE: 1, exp.Group: 1, exp.Order: 1},
    ),
    Row(
        "q03",
        "TPC-H q3",
        frozenset({"customer", "orders", "lineitem"}),
        {exp.Join: 2, exp.EQ: 3, exp.Sum: 1, exp.LT: 1, exp.GT: 1, exp.Group: 1, exp.Limit: 1},
    ),
    Row(
        "q05",
        "TPC-H q5",
        frozenset({"customer", "orders", "lineitem", "supplier", "nation", "region"}),
        {exp.Join: 5, exp.EQ: 7, exp.Sum: 1, exp.GTE: 1, exp.LT: 1, exp.Group: 1, exp.Order: 1},
    ),
    Row(
        "chain",
        "a chain of 3 steps",
        frozenset({"events"}),
        {exp.Where: 1, exp.GT: 1, exp.Is: 1, exp.Mul: 1, exp.Add: 1},
        range(10, 11),
    ),
    Row(
        "columns",
        f"{with_viewscribe.COLUMNS} columns, each from the one before",
        frozenset({"events"}),
        {exp.Add: with_viewscribe.COLUMNS},
    ),
    Row(
        "conjunction",
        f"an AND of {with_viewscribe.TERMS:,} terms",
        frozenset({"events"}),
        {exp.GT: with_viewscribe.TERMS, exp.And: with_viewscribe.TERMS - 1},
        range(with_viewscribe.TERMS),
    ),
    Row(
        "filters",
        f"{with_viewscribe.STEPS:,} chained filters",
        frozenset({"events"}),
        {exp.GT: with_viewscribe.STEPS, exp.And: with_viewscribe.STEPS - 1},
        range(with_viewscribe.STEPS),
        seconds=1.0,
    ),
)


def contestants() -> dict[str, Jobs]:
    """The jobs of each tool by row."""
    own = with_viewscribe.jobs()
    return {
        VIEWSCRIBE: own,
        "sqlframe": with_sqlframe.jobs(),
        "ibis": with_ibis.jobs(),
        "sqlglot": with_sqlglot.jobs(own),
    }


def jobs_of(row: Row, tools: Mapping[str, Jobs]) -> Jobs:
    """The jobs of one row by tool."""
    return {tool: jobs[row.name] for tool, jobs in tools.items() if row.name in jobs}


class EmptyWorkError(Exception):
    """A contestant's SQL lacks a part of what the row asks for."""


def check(row: Row, tool: str, text: str) -> None:
    """Makes sure that the SQL of a tool is the query of the row, as far as counting parts can.

    Raises:
        EmptyWorkError: it reads other tables or lacks expressions.
    """
    parsed = sqlglot.parse_one(text, read="spark")
    steps = {cte.alias_or_name for cte in parsed.find_all(exp.CTE)}
    read = {table.name for table in parsed.find_all(exp.Table)} - steps
    if read != row.tables:
        raise EmptyWorkError(f"{row.name}, {tool}: reads {sorted(read)}, not {sorted(row.tables)}")
    for kind, wanted in row.nodes.items():
        found = sum(1 for _ in parsed.find_all(kind))
        if found < wanted:
            raise EmptyWorkError(f"{row.name}, {tool}: {found} of {wanted} {kind.__name__}")
    present = {node.name for node in parsed.find_all(exp.Literal)}
    missing = [number for number in row.numbers if str(number) not in present]
    if missing:
        raise EmptyWorkError(f"{row.name}, {tool}: lacks the numbers {missing[:5]}")
