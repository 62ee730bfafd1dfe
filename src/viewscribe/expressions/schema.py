"""The schema of an operation: ordered, typed columns, and the look-up of column names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError, did_you_mean
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import FieldReference

Qualifier = tuple[str, ...]
_MANY = -1


class Schema:
    """Ordered columns with types and nullability; prints as DDL.

    Names are compared case-insensitively, as in Spark by default. Each column may carry the
    table name or alias it came from as a qualifier, which keeps ``orders.id`` and
    ``customers.id`` apart.
    """

    __slots__ = ("_by_name", "_names", "_references", "fields", "qualifiers")

    def __init__(
        self, fields: Sequence[Field], qualifiers: Sequence[Qualifier] | None = None
    ) -> None:
        self.fields: tuple[Field, ...] = tuple(fields)
        if qualifiers is None:
            qualifiers = ((),) * len(self.fields)
        self.qualifiers: tuple[Qualifier, ...] = tuple(qualifiers)
        self._names: tuple[str, ...] | None = None
        self._by_name: dict[str, int] | None = None
        self._references: tuple[FieldReference, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the column names, in order."""
        found = self._names
        if found is None:
            found = self._names = tuple([field.name for field in self.fields])
        return found

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, index: int) -> Field:
        return self.fields[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(self.fields)

    def __str__(self) -> str:
        from viewscribe.types.ddl import schema_ddl

        return schema_ddl(self.fields)

    def __repr__(self) -> str:
        return f"Schema({self})"

    def __reduce__(self) -> tuple[object, ...]:
        return (Schema, (self.fields, self.qualifiers))

    @property
    def by_name(self) -> dict[str, int]:
        """Maps lower-case names to positions; -1 marks a name that several columns have."""
        found = self._by_name
        if found is None:
            keys = [field.name.lower() for field in self.fields]
            found = dict(zip(keys, range(len(keys)), strict=True))
            if len(found) < len(keys):
                found |= {key: _MANY for key, count in Counter(keys).items() if count > 1}
            self._by_name = found
        return found

    def extended(self, fields: tuple[Field, ...]) -> Schema:
        """Returns this schema with further columns appended, which have no qualifier."""
        wider = Schema(self.fields + fields, self.qualifiers + ((),) * len(fields))
        wider._names = self.names + tuple([field.name for field in fields])
        index = self.by_name.copy()
        for place, field in enumerate(fields, len(self.fields)):
            key = field.name.lower()
            index[key] = _MANY if key in index else place
        wider._by_name = index
        return wider

    def name_as(self, left: Schema, right: Schema) -> Schema:
        """Returns this schema with the combined qualifiers of two others whose columns it has."""
        self._names = left.names + right.names
        index, width = left.by_name.copy(), len(left.fields)
        for key, place in right.by_name.items():
            index[key] = _MANY if key in index or place < 0 else place + width
        self._by_name = index
        return self

    @property
    def references(self) -> tuple[FieldReference, ...]:
        """Returns a reference to each column, in order."""
        found = self._references
        if found is None:
            from viewscribe.expressions.nodes import FieldReference

            found = tuple(
                FieldReference(index, field.name, field.type)
                for index, field in enumerate(self.fields)
            )
            self._references = found
        return found

    def reference(self, index: int) -> FieldReference:
        """Returns a reference to the column at a position."""
        from viewscribe.expressions.nodes import FieldReference

        field = self.fields[index]
        return FieldReference(index, field.name, field.type)

    def find(self, name: str) -> int:
        """Returns the position of the column of an unqualified name.

        Raises:
            UnknownColumnError: no column has it; shows the columns and the nearest names.
            AmbiguousColumnError: more than one has it.
        """
        index = self.by_name.get(name.lower())
        if index is None:
            raise self.unknown(name)
        if index == _MANY:
            raise self.ambiguous(name)
        return index

    def find_path(self, parts: Sequence[str]) -> tuple[int, Sequence[str]]:
        """Resolves a dotted name to a column position and the remaining name parts (struct fields).

        Raises:
            UnknownColumnError, AmbiguousColumnError: no column has the name, or several have it.
        """
        places, fields = self.find_places(parts)
        if len(places) > 1:
            raise self.ambiguous(".".join(parts[: len(parts) - len(fields)]))
        return places[0], fields

    def find_places(self, parts: Sequence[str]) -> tuple[Sequence[int], Sequence[str]]:
        """Returns the positions of all columns that a dotted name can mean, and the name's rest.

        Qualifiers are tried before struct fields, the longest first, in Spark's order:
        ``catalog.database.table.column``, ``table.column``, ``column.field``.

        Raises:
            UnknownColumnError: no column has the name.
        """
        for length in range(min(len(parts) - 1, 3), 0, -1):
            found = self._find_qualified(parts[:length], parts[length])
            if found:
                return found, parts[length + 1 :]
        folded = parts[0].lower()
        index = self.by_name.get(folded)
        if index is None:
            raise self.unknown(".".join(parts))
        if index != _MANY:
            return (index,), parts[1:]
        named = [place for place, each in enumerate(self.names) if each.lower() == folded]
        return named, parts[1:]

    def _find_qualified(self, qualifier: Sequence[str], name: str) -> list[int]:
        wanted, folded = [part.lower() for part in qualifier], name.lower()
        return [
            index
            for index, field in enumerate(self.fields)
            if field.name.lower() == folded
            and self.qualifiers[index]
            and [part.lower() for part in self.qualifiers[index][-len(wanted) :]] == wanted
        ]

    def unknown(self, name: str) -> UnknownColumnError:
        """Returns the error for a name that no column has."""
        known = [_quote_parts(field.name) for field in self.fields] + [
            ".".join((_quote_parts(qualifier[-1]), _quote_parts(field.name)))
            for field, qualifier in zip(self.fields, self.qualifiers, strict=True)
            if qualifier and "." in name
        ]
        return UnknownColumnError(
            f"no column `{name}` in the input",
            location=f"({_shorten(self)})",
            hint=did_you_mean(name, known) or f"the columns are: {_describe_columns(self.names)}",
        )

    def ambiguous(self, name: str) -> AmbiguousColumnError:
        """Returns the error for a name that several columns have."""
        bare = name.rsplit(".", 1)[-1].lower()
        owners = [
            ".".join(map(_quote_parts, (*qualifier[-1:], field.name)))
            for field, qualifier in zip(self.fields, self.qualifiers, strict=True)
            if field.name.lower() == bare
        ]
        apart = 'name a side first with .alias("…")'
        if len(set(owners)) == len(owners):
            apart = f"qualify it: {', '.join(owners)}; or {apart}"
        return AmbiguousColumnError(
            f"column `{name}` is ambiguous: {len(owners)} columns of the input have this name",
            location=f"({_shorten(self)})",
            hint=apart,
        )


def _quote_parts(name: str) -> str:
    """Returns the name quoted the way ``col`` accepts it."""
    return f"`{name.replace('`', '``')}`" if "." in name or "`" in name else name


def _shorten(schema: Schema) -> str:
    shown = ", ".join(f"{_quote_parts(field.name)} {field.type}" for field in schema.fields[:12])
    return shown + (", …" if len(schema) > 12 else "")


def _describe_columns(names: Sequence[str]) -> str:
    if not names:
        return "none"
    return ", ".join(map(_quote_parts, names[:20])) + (", …" if len(names) > 20 else "")
