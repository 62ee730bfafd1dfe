"""The tables that the pipelines read, as names and Spark types."""

from __future__ import annotations

from typing import Final

from examples.tpch import data
from viewscribe.types.ddl import parse_schema

EVENTS: Final = "id INT, kind STRING, day DATE"

SCHEMAS: Final[dict[str, dict[str, str]]] = {
    name: {field.name: field.type.ddl for field in parse_schema(ddl)}
    for name, ddl in {**data.SCHEMAS, "events": EVENTS}.items()
}
