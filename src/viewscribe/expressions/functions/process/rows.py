"""Rows as process table functions see them: tuples whose fields have names.

A class for each table, made once; to read ``row.price`` costs what it costs in a named tuple.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from viewscribe.errors import UnknownColumnError, did_you_mean
from viewscribe.types import STRING, Field

# Changelogs: rows that add, take back and replace, told apart by an operation.
#
# Spark's tables have no kinds of rows, so a changelog has a column for them, ``op``. Only append
# and retract changelogs exist here, as in the document on process table functions.

OPERATION = "op"
"""The column that holds the kind of a row in a changelog."""

OPERATION_FIELD = Field(OPERATION, STRING.not_null())


class RowKind(Enum):
    """What a row of a changelog does; the value is what stands in the column ``op``."""

    INSERT = "+I"
    UPDATE_BEFORE = "-U"
    UPDATE_AFTER = "+U"
    DELETE = "-D"

    @property
    def adds(self) -> bool:
        """Whether the row counts from here on; else one like it counts no longer."""
        return self in (RowKind.INSERT, RowKind.UPDATE_AFTER)


class ChangelogMode(Enum):
    """Which kinds of rows a function takes or gives.

    ``INSERT_ONLY``: rows that are added, no column ``op``. ``RETRACT``: all four kinds; each change
    takes the old row back before it adds the new one.
    """

    INSERT_ONLY = "insert only"
    RETRACT = "retract"


class Row(tuple[Any, ...]):
    """A row: its fields by place, ``row[0]``, by name, ``row["price"]``, or as ``row.price``.

    Equal to a tuple of its values. ``Row(price=1, name="a")`` makes one.

    ``kind`` is what it does in a changelog; INSERT in a table that is none, unless that has a
    column ``kind``. Columns named ``fields`` or ``as_dict`` are read by ``row["fields"]``.
    """

    __slots__ = ()

    fields: ClassVar[tuple[str, ...]] = ()
    """The names of its columns."""

    _places: ClassVar[dict[str, int]] = {}
    _kind: ClassVar[RowKind | None] = None

    def __new__(cls, *values: Any, **named: Any) -> Row:
        if named:
            return row_class(tuple(named))(named.values())
        return tuple.__new__(cls, values)

    @property
    def kind(self) -> RowKind:
        """What the row does in a changelog."""
        return RowKind.INSERT

    def __getitem__(self, key: Any) -> Any:
        if type(key) is str:
            place = self._places.get(key)
            if place is None:
                raise self._unknown(key)
            return tuple.__getitem__(self, place)
        return tuple.__getitem__(self, key)

    if not TYPE_CHECKING:  # with it, a type checker would take every attribute for granted

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(str(self._unknown(name)))

    else:

        def __getattr__(self, name: str) -> Any: ...

    def _unknown(self, name: str) -> UnknownColumnError:
        return UnknownColumnError(
            f"the row has no column `{name}`",
            location=f"({', '.join(self.fields)})",
            hint=did_you_mean(name, self.fields),
        )

    def as_dict(self) -> dict[str, Any]:
        """The values by the names of their columns."""
        return dict(zip(self.fields, self, strict=True))

    def __repr__(self) -> str:
        pairs = zip(self.fields, self, strict=False)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self.fields, tuple(self), self._kind))


_CLASSES: dict[tuple[tuple[str, ...], RowKind | None], type[Row]] = {}


def row_class(fields: Sequence[str], kind: RowKind | None = None) -> type[Row]:
    """The class of rows with these columns, which is called with the values in one iterable.

    Args:
        fields: the names of the columns.
        kind: what rows of a changelog do; None in a table that is none.
    """
    key = (tuple(fields), kind)
    made = _CLASSES.get(key)
    if made is None:
        made = _CLASSES[key] = _make(*key)
    return made


def _make(fields: tuple[str, ...], kind: RowKind | None) -> type[Row]:
    namespace: dict[str, Any] = {
        "__slots__": (),
        "__new__": tuple.__new__,
        "fields": fields,
        "_places": {name: place for place, name in enumerate(fields)},
        "_kind": kind,
    }
    for place, name in enumerate(fields):
        if name.isidentifier() and name not in _OWN and not name.startswith("__"):
            namespace[name] = property(itemgetter(place))
    if kind is not None:
        namespace["kind"] = property(lambda self: kind)
    return type("Row", (Row,), namespace)


_OWN = frozenset(("as_dict", "fields", "_kind", "_places", "_unknown"))


def _again(fields: tuple[str, ...], values: tuple[Any, ...], kind: RowKind | None) -> Row:
    return row_class(fields, kind)(values)


class MutableRow:
    """State that is a row: ``state.left = row``, ``state["left"]``; its fields are None at first.

    Args:
        names: the names of its fields.
        values: their values; None by default.
    """

    __slots__ = ("_values",)

    def __init__(self, names: Sequence[str], values: Sequence[Any] | None = None) -> None:
        given = [None] * len(names) if values is None else values
        object.__setattr__(self, "_values", dict(zip(names, given, strict=True)))

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise self._unknown(name)
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise self._unknown(name)
        self._values[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._values:
            raise AttributeError(str(self._unknown(name)))
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(str(self._unknown(name)))
        self._values[name] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MutableRow) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def as_dict(self) -> dict[str, Any]:
        """The values by the names of their fields."""
        return dict(self._values)

    def _unknown(self, name: str) -> UnknownColumnError:
        return UnknownColumnError(
            f"the state has no field `{name}`",
            location=f"({', '.join(self._values)})",
            hint=did_you_mean(name, self._values),
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"MutableRow({shown})"
