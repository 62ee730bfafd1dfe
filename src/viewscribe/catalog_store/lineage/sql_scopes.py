"""Which column a name in SQL text means: relations, scopes, and Spark's order of looking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from viewscribe.catalog_store.lineage.influence import (
    ColumnId,
    Influence,
    Origins,
    add,
    merged,
)

if TYPE_CHECKING:
    from viewscribe.catalog_store.lineage.sql_text import QueryReader


class UnknownLineageError(Exception):
    """What the text depends on cannot be told exactly; the message says why."""


def spelled(node: Any) -> str:
    """The beginning of a part of the text, for messages."""
    text = " ".join(node.sql(dialect="spark").split())
    return f"`{text if len(text) <= 60 else f'{text[:59]}…'}`"


class Relation(NamedTuple):
    """Something in FROM, or the result of a query: its columns and what decides its rows."""

    name: tuple[str, ...]
    columns: Sequence[tuple[str, Origins]]
    rows: Origins

    @property
    def origins(self) -> list[Origins]:
        return [each for _, each in self.columns]

    def named(self, name: tuple[str, ...]) -> Relation:
        return self._replace(name=name)

    def renamed(self, names: Sequence[str]) -> Relation:
        """The relation with other names of its columns; as it is where there are none."""
        if not names:
            return self
        if len(names) != len(self.columns):
            raise UnknownLineageError(f"{len(names)} names for {len(self.columns)} columns")
        return self._replace(columns=list(zip(names, self.origins, strict=True)))

    def with_rows(self, more: Origins) -> Relation:
        return self._replace(rows=merged(self.rows, more))

    def find(self, name: str) -> list[Origins]:
        wanted = name.lower()
        return [origins for each, origins in self.columns if each.lower() == wanted]


class Scope:
    """What a SELECT sees: the relations of its FROM, and the scope of the query around it."""

    def __init__(self, relations: list[Relation], outer: Scope | None, reader: QueryReader) -> None:
        self.relations = relations
        self.outer = outer
        self.reader = reader
        self.shared: dict[str, Origins] = {}
        """The columns that USING made one."""

    def join_using(self, right: Relation, names: Sequence[str], side: str) -> Origins:
        """Notes that columns of what is here and of ``right`` are one; gives what they decide."""
        decided: dict[ColumnId, Influence] = {}
        for name in names:
            before, there = self.find((name,)), right.find(name)
            if before is None or len(there) != 1:
                raise UnknownLineageError(f"`{name}` of USING is not one column on both sides")
            both = merged(before, there[0])
            values = {"RIGHT": there[0], "FULL": both}.get(side, before)
            self.shared[name.lower()] = values
            add(decided, both, Influence.JOIN)
        self.reader.mentioned.update(decided)
        return decided

    def star(self, table: Sequence[str]) -> list[tuple[str, Origins]]:
        """The columns that ``*`` or ``table.*`` stands for."""
        if table:
            found = [each for each in self.relations if _is_called(each, table)]
            if len(found) != 1:
                raise UnknownLineageError(f"`{'.'.join(table)}.*` is not one table")
            columns = list(found[0].columns)
        else:
            everything = [column for each in self.relations for column in each.columns]
            rest = [each for each in everything if each[0].lower() not in self.shared]
            columns = [(name, origins) for name, origins in self.shared.items()] + rest
        for _, origins in columns:
            self.reader.mentioned.update(origins)
        return columns

    def find(self, parts: Sequence[str]) -> Origins | None:
        """The column of FROM that a dotted name means; None where there is none.

        Tables and aliases are tried before fields of structs, the longest qualifier first.
        """
        for length in range(len(parts) - 1, 0, -1):
            qualifier, name = parts[:length], parts[length]
            owners = [each for each in self.relations if _is_called(each, qualifier)]
            found = [origins for each in owners for origins in each.find(name)]
            if found:
                return _one(found, ".".join(parts[: length + 1]))
        shared = self.shared.get(parts[0].lower())
        if shared is not None:
            return shared
        found = [origins for each in self.relations for origins in each.find(parts[0])]
        return _one(found, parts[0]) if found else None


def _one(found: Sequence[Origins], name: str) -> Origins:
    if len(found) > 1:
        raise UnknownLineageError(f"`{name}` could be {len(found)} columns")
    return found[0]


def _is_called(relation: Relation, qualifier: Sequence[str]) -> bool:
    own = [part.lower() for part in relation.name[-len(qualifier) :]]
    return own == [part.lower() for part in qualifier]
