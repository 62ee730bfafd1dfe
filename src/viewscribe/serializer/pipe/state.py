"""The table that the steps so far give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.blocks import UNSEEN, Column, Relation, SourceColumn


class State:
    """The table after the steps so far: its lines, and how each column is called.

    ``operation`` is what gives it, ``extends`` counts the EXTENDs right on top of each other.
    ``relations`` are those whose names still tell its columns apart, ``qualifiers`` all that there
    were: Spark knows columns by their tables' names behind operators, too.
    """

    def __init__(self, line: str, relation: Relation, operation: QueryOperation) -> None:
        self.lines = [line]
        self.operation = operation
        self.relations = [relation]
        self.qualifiers = [relation]
        self.columns: list[Column] = columns_of(relation)
        self.extends = 0

    def names(self) -> list[str]:
        """The names of the columns; empty for one that is not in the table by itself."""
        return [c.name if isinstance(c, SourceColumn) else "" for c in self.columns]

    def renamed(self, names: Sequence[str], alias: str = "") -> None:
        """After a step that makes a new table: its columns by bare names."""
        relation = Relation(alias, names)
        self.relations = [relation]
        if alias:
            self.qualifiers.append(relation)
        self.columns = columns_of(relation)

    def shadow(self, relation: Relation, names: set[str]) -> None:
        """Columns of these names (in lower case) are qualified, here and in the relation."""
        for each in (*self.relations, relation):
            each.shadowed |= names

    def is_called(self, places: Collection[int]) -> bool:
        """Whether the columns at these places belong to tables that have a name."""
        columns = [self.columns[place] for place in places]
        return all(isinstance(c, SourceColumn) and c.relation.alias for c in columns)

    def join(self, relation: Relation) -> None:
        """The columns of the relation come after those there are."""
        self.columns = [*self.columns, *columns_of(relation)]
        self.relations = [*self.relations, relation]
        self.qualifiers.append(relation)

    def settle(self) -> None:
        """After a join: from here on only names that two columns share are qualified."""
        counts = Counter(map(str.lower, self.names()))
        for relation in self.relations:
            relation.shadowed = {
                name for name in relation.shadowed if counts[name] > 1 or name in UNSEEN
            }

    def common(self, relation: Relation) -> set[str]:
        """The names, in lower case, that the table and the relation both have."""
        mine, others = set(map(str.lower, self.names())), set(map(str.lower, relation.columns))
        return (mine & others) | ((mine | others) & UNSEEN)


def columns_of(relation: Relation) -> list[Column]:
    """All columns of a relation."""
    return [SourceColumn(relation, name) for name in relation.columns]
