"""``python -m benchmarks.reading``: SQL text read, resolved and typed, beside sqlglot.

The 22 texts of TPC-H, the tables known beforehand. sqlglot parses a text, qualifies its names and
annotates its types; viewscribe reads it into a tree, nullability included. Both take turns, and
the figure is the ratio of their best times of the processor.
"""

from __future__ import annotations

import sys
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
from viewscribe import TableEnvironment
from viewscribe.types.ddl_reader import parse_schema

AIM = 0.5
"""The part of sqlglot's time that reading may take."""


@click.command()
@click.option("--rounds", default=15, show_default=True, help="How often both take turns.")
def main(rounds: int) -> None:
    """Measures, prints, and fails where the aim is missed."""
    texts = [path.read_text() for path in sorted(_place().glob("q*.sql"))]
    env = TableEnvironment()
    for name, schema in data.SCHEMAS.items():
        env.create_table(name, schema)
    known = MappingSchema(
        {
            name: {field.name: field.type.ddl for field in parse_schema(schema)}
            for name, schema in data.SCHEMAS.items()
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
    ratio = best["viewscribe"] / best["sqlglot"]
    lines = Lines("", "ms of CPU a query", "beside sqlglot", title=f"{len(texts)} queries of TPC-H")
    for name, seconds in best.items():
        lines.add_row(
            name, f"{1000 * seconds / len(texts):.2f}", f"{seconds / best['sqlglot']:.2f}"
        )
    Console().print(lines)
    sys.exit(int(ratio > AIM))


def _place() -> Path:
    return Path(data.__file__).parent / "sql"


if __name__ == "__main__":
    main()
