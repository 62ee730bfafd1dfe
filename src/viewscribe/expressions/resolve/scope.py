"""What names can mean in one place, and what was met while resolving there."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import msgspec

from viewscribe.expressions.nodes import Alias, ResolvedExpression
from viewscribe.expressions.schema import Schema

outer_scopes: ContextVar[tuple[Schema, ...]] = ContextVar("outer_scopes", default=())
"""The columns of the enclosing queries, the outermost first."""


class KeyNames(msgspec.Struct, eq=False):
    """The names of grouping keys, which resolve to the keys if no input column has them.

    ``qualified`` collects the columns that were called by the name of their table, too: those are
    never keys of the same name.
    """

    keys: dict[str, Alias]
    qualified: set[int] = msgspec.field(default_factory=set)

    def find(self, name: str) -> Alias | None:
        """Returns the key of that name, or None."""
        return self.keys.get(name.lower())


class Scope(msgspec.Struct, eq=False):
    """What names can mean in one place, and what was met while resolving there."""

    schema: Schema
    depth: int = 0
    nested: int = 0
    """The calls inside of several others that were met."""
    known: dict[int, ResolvedExpression] = msgspec.field(default_factory=dict)
    deep: list[Any] = msgspec.field(default_factory=list)
    lambda_names: list[str] = msgspec.field(default_factory=list)
    aggregates: bool = False
    windows: bool = False
    generators: bool = False
    time_windows: bool = False
    subqueries: bool = False
    outer: str | None = None
    """A column of the row around that was used."""
    inside_aggregate: bool = False
    is_windowed: bool = False
    """Whether the call to resolve has an OVER."""
    python_aggregates: bool = False
    key_names: KeyNames | None = None
    generator_names: tuple[str, ...] | None = None
