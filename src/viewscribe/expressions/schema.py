"""The schema of an operation: ordered, typed columns, and the look-up of column names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError, did_you_mean, printable
from viewscribe.expressions.column_places import MANY, ColumnPlaces, KeptColumns, KeptPlaces
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import FieldReference

Qualifier = tuple[str, ...]
_LOCK = Lock()


class _Growing:
    """The columns of a schema that is made wider column by column, shared by all its widths."""

    __slots__ = ("fields", "qualifiers")

    def __init__(self, fields: Sequence[Field], qualifiers: Sequence[Qualifier]) -> None:
        self.fields = [*fields]
        self.qualifiers = [*qualifiers]


class Schema:
    """Ordered columns with types and nullability; prints as DDL.

    Names are compared case-insensitively, as in Spark by default. Each column may carry the
    table name or alias it came from as a qualifier, which keeps ``orders.id`` and
    ``customers.id`` apart.
    """

    __slots__ = (
        "_by_name",
        "_fields",
        "_growing",
        "_is_wider",
        "_kept",
        "_names",
        "_qualifiers",
        "_references",
        "_width",
    )

    def __init__(
        self, fields: Sequence[Field], qualifiers: Sequence[Qualifier] | None = None
    ) -> None:
        self._fields: tuple[Field, ...] | None = tuple(fields)
        self._width = len(self._fields)
        self._qualifiers: tuple[Qualifier, ...] | None = (
            ((),) * self._width if qualifiers is None else tuple(qualifiers)
        )
        self._growing: _Growing | None = None
        self._kept: KeptColumns | None = None
        self._is_wider = False
        self._names: tuple[str, ...] | None = None
        self._by_name: ColumnPlaces | None = None
        self._references: tuple[FieldReference, ...] | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        """Returns the columns, in order."""
        found = self._fields
        if found is None:
            kept, growing = self._kept, self._growing
            if kept is not None:
                found = kept.choose(kept.before.fields)
            else:
                assert growing is not None
                found = tuple(growing.fields[: self._width])
            self._fields = found
        return found

    @property
    def qualifiers(self) -> tuple[Qualifier, ...]:
        """Returns the table or alias that each column came from; empty where there is none."""
        found = self._qualifiers
        if found is None:
            kept, growing = self._kept, self._growing
            if kept is not None:
                found = kept.choose(kept.before.qualifiers)
            else:
                assert growing is not None
                found = tuple(growing.qualifiers[: self._width])
            self._qualifiers = found
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the column names, in order."""
        found = self._names
        if found is None:
            found = self._names = tuple([field.name for field in self.fields])
        return found

    def __len__(self) -> int:
        return self._width

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, index: int) -> Field:
        if self._fields is None and 0 <= index < self._width:
            if self._growing is not None:
                return self._growing.fields[index]
            if self._kept is not None:
                return self._kept.before[self._kept.place_before(index)]
        return self.fields[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(self.fields)

    def __str__(self) -> str:
        from viewscribe.types.ddl import schema_ddl

        return schema_ddl(self.fields)

    def __repr__(self) -> str:
        return printable(f"Schema({self})")

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.notebook import Column, column_grid, show

        columns = [Column(f.name, f.type.ddl, f.type.nullable, f.comment) for f in self.fields]
        return show(repr(self), column_grid(columns))

    def __reduce__(self) -> tuple[object, ...]:
        return (Schema, (self.fields, self.qualifiers))

    @property
    def by_name(self) -> ColumnPlaces:
        """Returns where the columns stand, by their names."""
        found = self._by_name
        if found is None:
            found = self._by_name = ColumnPlaces.of(self.names)
        return found

    def find_field(self, name: str) -> tuple[int, Field] | None:
        """Returns the only column of a name in lower case, with its position; else None."""
        places = self._by_name
        if places is None:
            places = self.by_name
        place = places.find_unique(name)
        if place < 0:
            return None
        fields = self._fields
        return place, self[place] if fields is None else fields[place]

    def extended(self, fields: tuple[Field, ...]) -> Schema:
        """Returns this schema with further columns appended, which have no qualifier.

        Columns that are added one at a time are kept once, whatever the number of steps.
        """
        keys = [field.name.lower() for field in fields]
        if self._growing is None and not self._is_wider:
            return self._widen(fields, keys)
        with _LOCK:
            return self._grow(fields, keys) or self._copy_with(fields, keys)

    def _widen(self, fields: tuple[Field, ...], keys: list[str]) -> Schema:
        """The wider schema with columns of its own: most schemas are made wider only once."""
        wider = Schema(self.fields + fields, self.qualifiers + ((),) * len(fields))
        wider._by_name = self._places_with(keys)
        wider._is_wider = True
        return wider

    def _grow(self, fields: tuple[Field, ...], keys: list[str]) -> Schema | None:
        """The wider schema over the same lists; None where these go on otherwise already."""
        growing, places = self._growing, self._by_name
        if growing is None or places is None or len(growing.fields) > self._width:
            return None
        if len({*keys}) < len(keys) or any(key in places.shared for key in keys):
            return None
        growing.fields += fields
        growing.qualifiers += ((),) * len(fields)
        return _over(growing, places.grow(keys))

    def _copy_with(self, fields: tuple[Field, ...], keys: list[str]) -> Schema:
        growing = _Growing(self.fields, self.qualifiers)
        growing.fields += fields
        growing.qualifiers += ((),) * len(fields)
        return _over(growing, self._places_with(keys))

    def _places_with(self, keys: list[str]) -> ColumnPlaces:
        index = self.by_name.copy()
        for place, key in enumerate(keys, self._width):
            index[key] = MANY if key in index else place
        return ColumnPlaces(index, self._width + len(keys), len(index))

    def without(self, places: tuple[int, ...]) -> Schema:
        """Returns this schema without the columns at some places, which are in order.

        Columns that are dropped one at a time are noted one at a time: what is left is not copied.
        """
        if len(self.by_name) < self._width:  # one of two columns of a name would get it alone
            gone = KeptColumns(self, places)
            return Schema(gone.choose(self.fields), gone.choose(self.qualifiers))
        kept = KeptColumns(self, places) if self._kept is None else self._kept.without(places)
        made = Schema.__new__(Schema)
        made._fields = made._qualifiers = made._names = made._references = made._growing = None
        made._kept, made._width, made._is_wider = kept, self._width - len(places), False
        made._by_name = KeptPlaces(kept.before.by_name, kept.gone, made._width)
        return made

    def name_as(self, left: Schema, right: Schema) -> Schema:
        """Returns this schema with the combined qualifiers of two others whose columns it has."""
        self._names = left.names + right.names
        index, width = left.by_name.copy(), len(left)
        for key, place in right.by_name.items():
            index[key] = MANY if key in index or place < 0 else place + width
        self._by_name = ColumnPlaces(index, len(self), len(index))
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

        field = self[index]
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
        if index == MANY:
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
        named = self._find_named(parts[0].lower())
        if not named:
            raise self.unknown(".".join(parts))
        return named, parts[1:]

    def _find_qualified(self, qualifier: Sequence[str], name: str) -> list[int]:
        wanted = [part.lower() for part in qualifier]
        return [
            index
            for index in self._find_named(name.lower())
            if (source := self._source(index))
            and [part.lower() for part in source[-len(wanted) :]] == wanted
        ]

    def _find_named(self, folded: str) -> Sequence[int]:
        """The positions of all columns that have a name, which is in lower case."""
        index = self.by_name.get(folded)
        if index is None:
            return ()
        if index != MANY:
            return (index,)
        return [place for place, each in enumerate(self.names) if each.lower() == folded]

    def _source(self, index: int) -> Qualifier:
        if self._qualifiers is None and self._growing is not None:
            return self._growing.qualifiers[index]
        if self._qualifiers is None and self._kept is not None:
            return self._kept.before.qualifiers[self._kept.place_before(index)]
        return self.qualifiers[index]

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


def _over(growing: _Growing, places: ColumnPlaces) -> Schema:
    """The schema of all columns that the lists have now."""
    made = Schema.__new__(Schema)
    made._fields = made._qualifiers = made._names = made._references = made._kept = None
    made._growing, made._by_name, made._width = growing, places, len(growing.fields)
    return made


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
