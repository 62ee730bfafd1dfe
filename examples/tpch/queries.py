"""All 22 TPC-H queries as Table API pipelines, by name, and the tables they read."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from examples.tpch import data
from examples.tpch.pipelines import q01_q08, q09_q15, q16_q22

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from viewscribe import Table, TableEnvironment

QUERIES: Final[Mapping[str, Callable[[TableEnvironment], Table]]] = MappingProxyType(
    {
        name: pipeline
        for module in (q01_q08, q09_q15, q16_q22)
        for name, pipeline in sorted(vars(module).items())
        if name.startswith("q")
    }
)


def tables(env: TableEnvironment, directory: Path) -> None:
    """Register the eight tables, stored as Parquet files in ``directory``."""
    for name, schema in data.SCHEMAS.items():
        location = str(data.table_path(directory, name))
        env.create_table(name, schema, format="parquet", location=location, or_replace=True)


def title(name: str) -> str:
    """Return the business name of a query: ``pricing summary report``."""
    return (QUERIES[name].__doc__ or "").rstrip(".")
