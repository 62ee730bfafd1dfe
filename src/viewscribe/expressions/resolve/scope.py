"""What names can mean in one place, and what was met while resolving there."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import msgspec

from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.schema import Schema

outer_scopes: ContextVar[tuple[Schema, ...]] = ContextVar("outer_scopes", default=())
"""The columns of the enclosing queries, the outermost first."""


class Scope(msgspec.Struct, eq=False):
    """What names can mean in one place, and what was met while resolving there."""

    schema: Schema
    depth: int = 0
    known: dict[int, ResolvedExpression] = msgspec.field(default_factory=dict)
    deep: list[Any] = msgspec.field(default_factory=list)
    lambda_names: list[str] = msgspec.field(default_factory=list)
    aggregates: bool = False
    windows: bool = False
    generators: bool = False
    subqueries: bool = False
    inside_aggregate: bool = False
    python_aggregates: bool = False
