"""What is known of a DataFrame of a random pipeline: its columns, and what they can be called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import types as t

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("select", "order", "table", "from", "value")

_KINDS: dict[type[t.DataType], str] = {
    t.ByteType: "int",
    t.ShortType: "int",
    t.IntegerType: "int",
    t.LongType: "int",
    t.FloatType: "double",
    t.DoubleType: "double",
    t.DecimalType: "decimal",
    t.StringType: "string",
    t.BooleanType: "boolean",
    t.DateType: "date",
    t.TimestampType: "timestamp",
    t.ArrayType: "array",
    t.MapType: "map",
    t.StructType: "struct",
    t.BinaryType: "binary",
}

ORDERED = ("int", "double", "decimal", "string", "boolean", "date", "timestamp", "binary")
"""Kinds whose values have an order and can be grouped by."""


def kind_of(type_: t.DataType) -> str:
    """What functions a value of the type can be given to."""
    return _KINDS.get(type(type_), "other")


def is_simple(name: str) -> bool:
    """Whether the name needs no quotes anywhere."""
    return _SIMPLE.fullmatch(name) is not None


def quoted(name: str) -> str:
    """The name as PySpark's methods take it."""
    return name if _SIMPLE.fullmatch(name) else f"`{name.replace('`', '``')}`"


def in_text(name: str) -> str:
    """The name as SQL text has it."""
    simple = _SIMPLE.fullmatch(name) and name.lower() not in _RESERVED
    return name if simple else f"`{name.replace('`', '``')}`"


@dataclass
class Column:
    """One column.

    Args:
        name: its name.
        type: its type.
        unique: whether no other column of the frame has the name.
        others: what it was called in frames before, which Spark still understands.
    """

    name: str
    type: t.DataType
    unique: bool = True
    others: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return kind_of(self.type)


@dataclass
class Frame:
    """A DataFrame in a variable.

    Args:
        var: the variable.
        columns: its columns.
        hidden: columns that the last select left out.
        rowwise: whether its rows come in the order of one file.
        alias: the name it was just given.
    """

    var: str
    columns: list[Column]
    hidden: list[Column] = field(default_factory=list)
    rowwise: bool = False
    alias: str | None = None

    def of(self, *kinds: str) -> list[Column]:
        """The columns of some kinds that can be named."""
        return [c for c in self.columns if (not kinds or c.kind in kinds) and names_of(self, c)]

    def plain(self, *kinds: str) -> list[Column]:
        """Those of them whose mere name says which they are."""
        return [c for c in self.of(*kinds) if c.unique]

    @property
    def sortable(self) -> bool:
        """Whether all columns can be sorted by, so that an order can be total."""
        return all(c.kind in ORDERED and names_of(self, c) for c in self.columns)

    @property
    def groupable(self) -> bool:
        """Whether rows can be compared as a whole."""
        return all(comparable(c.type) for c in self.columns)


def comparable(type_: t.DataType) -> bool:
    """Whether values of the type are equal or not, which those of maps are not always."""
    if isinstance(type_, t.ArrayType):
        return comparable(type_.elementType)
    if isinstance(type_, t.StructType):
        return all(comparable(each.dataType) for each in type_.fields)
    return not isinstance(type_, t.MapType | t.VariantType)


def groupable(frame: Frame) -> list[Column]:
    """The columns that rows can be grouped by."""
    return [c for c in frame.of() if comparable(c.type) and c.kind in ORDERED]


def names_of(frame: Frame, column: Column) -> list[str]:
    """What the column can be called in code, the plainest first."""
    if not column.unique:
        return list(column.others)
    name = quoted(column.name)
    return [f"F.col({name!r})", f"{frame.var}[{name!r}]", *column.others]


def made(
    var: str,
    schema: t.StructType,
    kept: Sequence[Column | None] = (),
    *,
    source: Frame | None = None,
) -> Frame:
    """The frame in a variable.

    Args:
        var: the variable.
        schema: its columns.
        kept: which column of a frame before each of them is, by position.
        source: the frame that ``kept`` is of.
    """
    folded = [each.name.lower() for each in schema.fields]
    columns = []
    for place, each in enumerate(schema.fields):
        others: tuple[str, ...] = ()
        before = kept[place] if len(kept) == len(folded) else None
        if before is not None:
            own = source is not None and before in source.columns and before.unique
            added = [f"{source.var}[{quoted(before.name)!r}]"] if own and source else []
            others = (*added, *before.others)[:3]
        unique = folded.count(each.name.lower()) == 1
        columns.append(Column(each.name, each.dataType, unique, others))
    return Frame(var, columns)
