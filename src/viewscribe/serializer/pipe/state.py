"""The table that the steps so far give."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.serializer.blocks import Column, Relation, SourceColumn


class State:
    """The table after the steps so far: its lines, and how each column is called.

    ``extends`` counts the EXTENDs right on top of each other.
    """

    def __init__(self, line: str, relation: Relation) -> None:
        self.lines = [line]
        self.relation = relation
        self.relations = [relation]
        self.columns: list[Column] = columns_of(relation)
        self.extends = 0

    def names(self) -> list[str]:
        """The names of the columns; empty for one that is not in the table by itself."""
        return [c.name if isinstance(c, SourceColumn) else "" for c in self.columns]

    def renamed(self, names: Sequence[str], alias: str = "") -> None:
        """After a step that makes a new table: its columns by bare names."""
        self.relation = Relation(alias, names)
        self.relations = [self.relation]
        self.columns = columns_of(self.relation)

    def shadow(self, relation: Relation, names: set[str]) -> None:
        """Columns of these names (in lower case) are qualified, here and in the relation."""
        for each in (*self.relations, relation):
            each.shadowed |= names

    def common(self, relation: Relation) -> set[str]:
        """The names, in lower case, that the table and the relation both have."""
        return set(map(str.lower, self.names())) & set(map(str.lower, relation.columns))


def columns_of(relation: Relation) -> list[Column]:
    """All columns of a relation."""
    return [SourceColumn(relation, name) for name in relation.columns]
