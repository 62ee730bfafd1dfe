"""The schema of an operation: ordered, typed columns, and the look-up of column names."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from threading import Lock
from typing import TYPE_CHECKING, Any

from viewscribe.errors import (
    AmbiguousColumnError,
    UnknownColumnError,
    ValidationError,
    did_you_mean,
    printable,
)
from viewscribe.expressions.column_places import (
    MANY,
    ColumnPlaces,
    KeptColumns,
    KeptPlaces,
    PlacesOfTwo,
)
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    VOID,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    StructType,
    VoidType,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from viewscribe.expressions.nodes import FieldReference, OuterReference


# The types of texts, as Spark infers them: ``schema_of_json('{"a":1}')``.
#
# What is not plainly one of them, such as a date that only Spark can read, is left to it.

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_MOST_DIGITS = 38


def infer_json(text: str, options: Mapping[str, str]) -> str:
    """The type of a JSON text.

    Raises:
        ValueError: it is no JSON, or JSON that only Spark reads so.
    """
    known = _only(options, "primitivesasstring", "prefersdecimal", *_OF_READING)
    as_text, as_decimal = (known.get(name, "").lower() == "true" for name in _OF_TYPES)
    read_decimal = _decimal if as_decimal else float
    found = json.loads(
        text, object_pairs_hook=_struct, parse_constant=_refuse, parse_float=read_decimal
    )
    type_ = _complete(_type_of(found)) or StructType(fields=())
    return _print(_as_text(type_) if as_text else type_)


def infer_csv(text: str, options: Mapping[str, str]) -> str:
    """The type of a line of CSV.

    Raises:
        ValueError: only Spark can tell.
    """
    known = _only(options, "sep", "delimiter", "mode")
    between = known.get("sep", known.get("delimiter", ","))
    if not text or len(between) != 1 or re.search(r"[\"\\\n\r]", text + between):
        _refuse(text)
    types = [_type_of_text(each) for each in text.split(between)]
    return _print(
        StructType(fields=tuple(Field(f"_c{place}", each) for place, each in enumerate(types)))
    )


def infer_xml(text: str, options: Mapping[str, str]) -> str:
    """The type of an XML text.

    Raises:
        ValueError: it is no XML, or XML that only Spark reads so.
    """
    from xml.etree import ElementTree

    known = _only(options, "mode", "excludeattribute")
    if "<!" in text or re.search(r"\bxmlns|<\w+:", text):
        _refuse(text)
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise ValueError(text) from error
    found = _type_of_element(root, known.get("excludeattribute", "").lower() == "true")
    if isinstance(found, VoidType):
        _refuse(text)
    row = found if isinstance(found, StructType) else _sorted_struct({"_VALUE": found})
    return _print(_complete(row) or StructType(fields=()))


_OF_TYPES = ("primitivesasstring", "prefersdecimal")
_OF_READING = (
    *("mode", "allowcomments", "allowunquotedfieldnames", "allowsinglequotes"),
    *("allownumericleadingzeros", "allowbackslashescapinganycharacter"),
)
"""Options that change nothing where the text is JSON as the standard has it."""


def _only(options: Mapping[str, str], *known: str) -> Mapping[str, str]:
    if not options.keys() <= set(known):
        _refuse(str(options))
    return options


def _refuse(text: str) -> None:
    raise ValueError(text)


# -- JSON ------------------------------------------------------------------------------------------


def _struct(pairs: Sequence[tuple[str, Any]]) -> StructType:
    if len({name for name, _ in pairs}) < len(pairs):
        _refuse(str(pairs))
    ordered = sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be"))
    return StructType(fields=tuple(Field(name, _type_of(value)) for name, value in ordered))


def _decimal(text: str) -> LogicalType:
    """The type of a number with a fraction, which is to be no DOUBLE."""
    if "e" in text.lower():
        _refuse(text)
    whole, fraction = text.lstrip("-").split(".")
    scale, digits = len(fraction), len((whole + fraction).lstrip("0"))
    precision = max(digits, scale)
    return DecimalType(precision=precision, scale=scale) if precision <= _MOST_DIGITS else DOUBLE


def _as_text(type_: LogicalType) -> LogicalType:
    """The type with STRING for all that is no struct and no array."""
    if isinstance(type_, ArrayType):
        return ArrayType(element=_as_text(type_.element))
    if isinstance(type_, StructType):
        return StructType(fields=tuple(Field(f.name, _as_text(f.type)) for f in type_.fields))
    return STRING


def _type_of(value: Any) -> LogicalType:
    if isinstance(value, LogicalType):
        return value
    if isinstance(value, list):
        nothing: LogicalType = VOID
        return ArrayType(element=reduce(_merge, map(_type_of, value), nothing))
    if type(value) is int:
        return _type_of_number(value)
    return {bool: BOOLEAN, float: DOUBLE, str: STRING}.get(type(value), VOID)


def _type_of_number(value: int) -> LogicalType:
    digits = len(str(abs(value)))
    if -(1 << 63) <= value < 1 << 63:
        return BIGINT
    return DecimalType(precision=digits, scale=0) if digits <= _MOST_DIGITS else DOUBLE


def _merge(left: LogicalType, right: LogicalType) -> LogicalType:
    """The type of both, STRING where there is none."""
    if left == right or isinstance(right, VoidType):
        return left
    if isinstance(left, VoidType):
        return right
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return ArrayType(element=_merge(left.element, right.element))
    if isinstance(left, StructType) and isinstance(right, StructType):
        found = {field.name: field.type for field in left.fields}
        for field in right.fields:
            found[field.name] = _merge(found.get(field.name, VOID), field.type)
        return _sorted_struct(found)
    both = (left, right)
    if not all(each in (BIGINT, DOUBLE) or isinstance(each, DecimalType) for each in both):
        return STRING
    if DOUBLE in both:
        return DOUBLE
    decimals = [each for each in both if isinstance(each, DecimalType)]
    scale = max(each.scale for each in decimals)
    whole = max(each.precision - each.scale for each in decimals)
    precision = (max(20, whole) if BIGINT in both else whole) + scale
    return DecimalType(precision=precision, scale=scale) if precision <= _MOST_DIGITS else DOUBLE


def _sorted_struct(found: Mapping[str, LogicalType]) -> StructType:
    names = sorted(found, key=lambda name: name.encode("utf-16-be"))
    return StructType(fields=tuple(Field(name, found[name]) for name in names))


def _complete(type_: LogicalType) -> LogicalType | None:
    """The type without structs of nothing, and STRING for what was never there."""
    if isinstance(type_, ArrayType):
        element = _complete(type_.element)
        return element and ArrayType(element=element)
    if isinstance(type_, StructType):
        kept = [(field.name, _complete(field.type)) for field in type_.fields]
        fields = tuple(Field(name, known) for name, known in kept if known is not None)
        return StructType(fields=fields) if fields else None
    return STRING if isinstance(type_, VoidType) else type_


# -- CSV -------------------------------------------------------------------------------------------


def _type_of_text(text: str) -> LogicalType:
    for pattern, type_ in _TEXTS:
        if pattern.fullmatch(text):
            return _type_of_whole(int(text)) if type_ is INT else type_
    raise ValueError(text)


def _type_of_whole(value: int) -> LogicalType:
    return INT if -(1 << 31) <= value < 1 << 31 else _type_of_number(value)


_TEXTS = (
    (re.compile(r""), STRING),
    (re.compile(r"-?[0-9]+"), INT),
    (re.compile(r"-?[0-9]+\.[0-9]+"), DOUBLE),
    (re.compile(r"(?i:true|false)"), BOOLEAN),
    (re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"), DATE),
    (re.compile(r"(?!(?i:nan|inf|infinity)$)[A-Za-z][A-Za-z_ ]*[A-Za-z]|[A-Za-z]"), STRING),
)


# -- XML -------------------------------------------------------------------------------------------


def _type_of_element(element: Element, without_attributes: bool) -> LogicalType:
    """The type of what an element has: attributes and elements inside, else its text."""
    found: dict[str, LogicalType] = {}
    for name, value in () if without_attributes else element.items():
        found[f"_{name}"] = _type_of_value(value)
    for inner in element:
        if inner.tail and inner.tail.strip():
            _refuse(inner.tail)
        type_, before = _type_of_element(inner, without_attributes), found.get(inner.tag)
        if before is not None:
            before = before.element if isinstance(before, ArrayType) else before
            type_ = ArrayType(element=_merge_elements(before, type_))
        found[inner.tag] = type_
    said = _type_of_value((element.text or "").strip())
    if not found:
        return said
    return _sorted_struct(found if isinstance(said, VoidType) else {**found, "_VALUE": said})


def _type_of_value(text: str) -> LogicalType:
    type_ = _type_of_text(text) if text else VOID
    return BIGINT if type_ is INT else type_


def _merge_elements(left: LogicalType, right: LogicalType) -> LogicalType:
    """The type of two elements of a name; of texts and structs together only Spark tells."""
    if isinstance(left, StructType) != isinstance(right, StructType):
        _refuse(str(right))
    return _merge(left, right)


# -- texts -----------------------------------------------------------------------------------------


def _print(type_: LogicalType) -> str:
    """The text that Spark gives for a type."""
    if isinstance(type_, ArrayType):
        return f"ARRAY<{_print(type_.element)}>"
    if isinstance(type_, StructType):
        inner = (f"{_quote(field.name)}: {_print(field.type)}" for field in type_.fields)
        return f"STRUCT<{', '.join(inner)}>"
    if isinstance(type_, DecimalType):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return type_.ddl


def _quote(name: str) -> str:
    return name if _NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"


Qualifier = tuple[str, ...]
_LOCK = Lock()


MOST_COLUMNS = 100_000
"""How many columns a query may have: twice as many again and again are soon too many for all."""


class _Growing:
    """The columns of a schema that is made wider, shared by all its widths."""

    __slots__ = ("by_table", "fields", "names", "qualifiers")

    def __init__(self, fields: Sequence[Field], qualifiers: Sequence[Qualifier]) -> None:
        self.fields = [*fields]
        self.names = [field.name for field in fields]
        self.qualifiers = [*qualifiers]
        self.by_table = _ByTable()


class _ByTable:
    """Where the columns of each name stand that come from a table, for names that several have."""

    __slots__ = ("_count", "_places")

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], list[int]] = {}
        self._count = 0

    def find(
        self, table: str, name: str, fields: Sequence[Field], qualifiers: Sequence[Qualifier]
    ) -> Sequence[int]:
        """Returns the positions of the columns; both names are in lower case."""
        with _LOCK:
            for place in range(self._count, len(fields)):
                source = qualifiers[place]
                if source:
                    key = source[-1].lower(), fields[place].name.lower()
                    self._places.setdefault(key, []).append(place)
            self._count = len(fields)
            return self._places.get((table, name), ())


class Schema:
    """Ordered columns with types and nullability; prints as DDL.

    Names are compared case-insensitively, as in Spark by default. Each column may carry the
    table name or alias it came from as a qualifier, which keeps ``orders.id`` and
    ``customers.id`` apart.
    """

    __slots__ = (
        "_by_name",
        "_by_table",
        "_fields",
        "_growing",
        "_is_wider",
        "_kept",
        "_names",
        "_qualifiers",
        "_references",
        "_sides",
        "_width",
    )

    def __init__(
        self, fields: Sequence[Field], qualifiers: Sequence[Qualifier] | None = None
    ) -> None:
        self._fields: tuple[Field, ...] | None = tuple(fields)
        self._width = _limited(len(self._fields))
        self._qualifiers: tuple[Qualifier, ...] | None = (
            ((),) * self._width if qualifiers is None else tuple(qualifiers)
        )
        self._growing: _Growing | None = None
        self._kept: KeptColumns | None = None
        self._sides: tuple[Schema, Schema] | None = None
        self._is_wider = False
        self._names: tuple[str, ...] | None = None
        self._by_name: ColumnPlaces | None = None
        self._by_table: _ByTable | None = None
        self._references: tuple[FieldReference, ...] | None = None

    @classmethod
    def side_by_side(cls, left: Schema, right: Schema) -> Schema:
        """Returns the columns of one schema and then those of another, which nobody lists."""
        made = cls._made_of(left._width + right._width)
        made._sides = left, right
        made._by_name = PlacesOfTwo(left.by_name, right.by_name, left._width)
        return made

    @classmethod
    def _made_of(cls, width: int) -> Schema:
        """A schema whose columns another one has."""
        made = cls.__new__(cls)
        made._fields = made._qualifiers = made._names = made._references = None
        made._growing = made._kept = made._sides = made._by_name = made._by_table = None
        made._width, made._is_wider = _limited(width), False
        return made

    @property
    def fields(self) -> tuple[Field, ...]:
        """Returns the columns, in order."""
        found = self._fields
        if found is None:
            kept, growing, sides = self._kept, self._growing, self._sides
            if kept is not None:
                found = kept.choose(kept.before.fields)
            elif sides is not None:
                found = sides[0].fields + sides[1].fields
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
            kept, growing, sides = self._kept, self._growing, self._sides
            if kept is not None:
                found = kept.choose(kept.before.qualifiers)
            elif sides is not None:
                found = sides[0].qualifiers + sides[1].qualifiers
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
            if self._growing is not None:
                found = tuple(self._growing.names[: self._width])
            elif self._sides is not None:
                found = self._sides[0].names + self._sides[1].names
            else:
                found = tuple([field.name for field in self.fields])
            self._names = found
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
            if self._sides is not None:
                left, right = self._sides
                return left[index] if index < left._width else right[index - left._width]
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
        from viewscribe.html.markup import Column, column_grid, show

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

    def extended(
        self, fields: Sequence[Field], qualifiers: Sequence[Qualifier] | None = None
    ) -> Schema:
        """Returns this schema with further columns appended, of no table where none is given.

        Columns that are added again and again are kept once, whatever the number of steps.
        """
        sources = ((),) * len(fields) if qualifiers is None else qualifiers
        if self._growing is None and not self._is_wider:  # most schemas are made wider only once
            wider = Schema((*self.fields, *fields), (*self.qualifiers, *sources))
            wider._is_wider = True
            return wider
        with _LOCK:
            growing, places = self._growing, self._by_name
            if growing is None or places is None or len(growing.fields) > self._width:
                growing = _Growing(self.fields, self.qualifiers)
                own = self.by_name
                places = ColumnPlaces(own.copy(), self._width, len(own))
            made = Schema._made_of(self._width + len(fields))
            growing.fields += fields
            growing.names += [field.name for field in fields]
            growing.qualifiers += sources
            made._growing = growing
            made._by_name = places.grow([field.name.lower() for field in fields])
            return made

    def without(self, places: tuple[int, ...]) -> Schema:
        """Returns this schema without the columns at some places, which are in order.

        Columns that are dropped one at a time are noted one at a time: what is left is not copied.
        """
        if len(self.by_name) < self._width:  # one of two columns of a name would get it alone
            gone = KeptColumns(self, places)
            return Schema(gone.choose(self.fields), gone.choose(self.qualifiers))
        kept = KeptColumns(self, places) if self._kept is None else self._kept.without(places)
        made = Schema._made_of(self._width - len(places))
        made._kept = kept
        made._by_name = KeptPlaces(kept.before.by_name, kept.gone, made._width)
        return made

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

    def outer_reference(self, index: int, name: str, level: int = 1) -> OuterReference:
        """Returns a reference from ``level`` queries inside to a column asked for by a name."""
        from viewscribe.expressions.nodes import OuterReference

        field = self[index]
        asked = (*self.qualifiers[index], name)
        return OuterReference(level, index, field.name, field.type, asked=asked)

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
        named = self.by_name.find_all(parts[0].lower())
        if not named:
            raise self.unknown(".".join(parts))
        return named, parts[1:]

    def _find_qualified(self, qualifier: Sequence[str], name: str) -> Sequence[int]:
        wanted = [part.lower() for part in qualifier]
        return [
            index
            for index in self._find_named_of(wanted[-1], name.lower())
            if (source := self._source(index))
            and [part.lower() for part in source[-len(wanted) :]] == wanted
        ]

    def _find_named_of(self, table: str, name: str) -> Sequence[int]:
        """The positions of the columns of a name that may be those of a table; both folded."""
        index = self.by_name.get(name)
        if index is None:
            return ()
        if index != MANY:
            return (index,)
        if self._sides is not None:
            left, right = self._sides
            behind = [place + left._width for place in right._find_named_of(table, name)]
            return [*left._find_named_of(table, name), *behind]
        growing = self._growing
        if growing is not None:
            found = growing.by_table.find(table, name, growing.fields, growing.qualifiers)
            return found[: bisect_left(found, self._width)]
        if self._by_table is None:
            self._by_table = _ByTable()
        return self._by_table.find(table, name, self.fields, self.qualifiers)

    def _source(self, index: int) -> Qualifier:
        if self._qualifiers is None:
            if self._growing is not None:
                return self._growing.qualifiers[index]
            if self._kept is not None:
                return self._kept.before._source(self._kept.place_before(index))
            if self._sides is not None:
                left, right = self._sides
                width = left._width
                return left._source(index) if index < width else right._source(index - width)
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


def _limited(width: int) -> int:
    """How many columns a schema has.

    Raises:
        ValidationError: it has too many.
    """
    if width > MOST_COLUMNS:
        raise ValidationError(
            f"the query has more than {MOST_COLUMNS:,} columns", hint="select fewer of them"
        )
    return width


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
