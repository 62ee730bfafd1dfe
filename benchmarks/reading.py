"""``python -m benchmarks.reading``: SQL text read, resolved and typed, beside sqlglot.

The 22 texts of TPC-H, and with ``--tpc-ds`` the 103 of TPC-DS, the tables known beforehand.
sqlglot parses a text, qualifies its names and annotates its types; viewscribe reads it into a
tree, nullability included. Both take turns, and the figure is the ratio of their best times of the
processor.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import sqlglot
from rich.console import Console
from rich.table import Table as Lines
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from benchmarks.timing import interleaved
from examples.tpch import data
from tests.queries.corpus import Corpus, fetch
from viewscribe import TableEnvironment
from viewscribe.types.ddl_reader import parse_schema

AIM = 0.5
"""The part of sqlglot's time that reading may take."""


@click.command()
@click.option("--rounds", default=15, show_default=True, help="How often both take turns.")
@click.option("--tpc-ds", is_flag=True, help="The texts of TPC-DS too, which Maven fetches.")
def main(rounds: int, tpc_ds: bool) -> None:
    """Measures, prints, and fails where the aim is missed."""
    texts = [path.read_text() for path in sorted(_place().glob("q*.sql"))]
    ratios = [_measured("TPC-H", data.SCHEMAS, texts, rounds)]
    if tpc_ds:
        tables, scripts = Corpus(fetch(Path(".data"))).benchmark("TPC-DS")
        texts = [each.statements[0] for each in scripts]
        ratios.append(_measured("TPC-DS", tables, texts, -(-rounds // 3)))
    sys.exit(int(max(ratios) > AIM))


def _measured(name: str, tables: Mapping[str, str], texts: Sequence[str], rounds: int) -> float:
    """Prints what reading the texts takes, and returns its part of sqlglot's time."""
    env = TableEnvironment()
    for table, schema in tables.items():
        env.create_table(table, schema)
    known = MappingSchema(
        {
            table: {field.name: field.type.ddl for field in parse_schema(schema)}
            for table, schema in tables.items()
        },
        dialect="spark",
    )

    def read() -> str:
        return str([env.sql_query(text).schema.names for text in texts])

    def annotate() -> str:
        trees = [sqlglot.parse_one(text, read="spark") for text in texts]
        typed = [
            annotate_types(qualify(tree, schema=known, dialect="spark"), schema=known)
            for tree in trees
        ]
        return str([tree.type for tree in typed])

    best = interleaved({"viewscribe": read, "sqlglot": annotate}, rounds)
    lines = Lines(
        "", "ms of CPU a query", "beside sqlglot", title=f"{len(texts)} queries of {name}"
    )
    for tool, seconds in best.items():
        lines.add_row(
            tool, f"{1000 * seconds / len(texts):.2f}", f"{seconds / best['sqlglot']:.2f}"
        )
    Console().print(lines)
    return best["viewscribe"] / best["sqlglot"]


def _place() -> Path:
    return Path(data.__file__).parent / "sql"


if __name__ == "__main__":
    main()
