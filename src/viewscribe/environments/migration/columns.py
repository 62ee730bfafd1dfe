"""Comparing column lists, and finding the columns that a view reads and a change breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal

import msgspec

from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.lineage import ColumnId, ViewLineage, view_lineage
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.text_reader import FindColumns
from viewscribe.errors import DataTypeError, PlanDocumentError, ValidationError
from viewscribe.parser.names import read_names
from viewscribe.types.ddl import parse_type
from viewscribe.types.nested_types import LogicalType, deeply_nullable, value_type

ColumnChangeKind = Literal[
    "added", "removed", "renamed", "type", "nullable", "not null", "moved", "comment"
]

GONE: frozenset[ColumnChangeKind] = frozenset(("removed", "renamed"))
"""The name is gone; views that use it can no longer be opened."""

BREAKING: frozenset[ColumnChangeKind] = GONE | {"type", "nullable"}
"""Changes that affect readers: the column is gone, has another type, or became nullable."""

Path = tuple[str, ...]


class ColumnChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed column; ``before`` and ``after`` are shown as DDL."""

    name: str
    change: ColumnChangeKind
    before: str | None = None
    after: str | None = None

    @property
    def breaking(self) -> bool:
        """Whether the change affects readers of the column."""
        return self.change in BREAKING

    @property
    def word(self) -> str:
        """The change in one to three words."""
        return f"renamed to {self.after}" if self.change == "renamed" else self.change

    def __str__(self) -> str:
        match self.change:
            case "added":
                return f"+ {self.name} {self.after}"
            case "removed":
                return f"- {self.name} {self.before}"
            case "renamed":
                return f"~ {self.name} renamed to {self.after}"
            case "moved":
                return f"~ {self.name} moved from place {self.before} to {self.after}"
        return f"~ {self.name} {self.change}: {self.before} -> {self.after}"


def column_changes(before: Sequence[Column], after: Sequence[Column]) -> list[ColumnChange]:
    """Returns the changed columns, those of ``before`` first; names are case-insensitive."""
    if tuple(before) == tuple(after):  # as nearly always
        return []
    old = {column.name.lower(): column for column in before}
    new = {column.name.lower(): column for column in after}
    found = []
    for key, column in old.items():
        if key not in new:
            found.append(ColumnChange(column.name, "removed", before=_show(column)))
        else:
            found += _find_changes(column, new[key])
    found += _find_moves(
        [key for key in old if key in new], [key for key in new if key in old], new
    )
    found += [
        ColumnChange(column.name, "added", after=_show(column))
        for key, column in new.items()
        if key not in old
    ]
    return found


def _find_changes(old: Column, new: Column) -> Iterable[ColumnChange]:
    if not same_type(old.type, new.type):
        yield ColumnChange(new.name, "type", old.type, new.type)
    if old.nullable != new.nullable:
        change: ColumnChangeKind = "nullable" if new.nullable else "not null"
        yield ColumnChange(new.name, change, _null(old), _null(new))
    if old.comment != new.comment:
        yield ColumnChange(new.name, "comment", old.comment or "none", new.comment or "none")


def _find_moves(
    old: Sequence[str], new: Sequence[str], columns: Mapping[str, Column]
) -> Iterable[ColumnChange]:
    for place, (one, other) in enumerate(zip(old, new, strict=True), 1):
        if one != other:
            before = old.index(other) + 1
            yield ColumnChange(columns[other].name, "moved", str(before), str(place))


def _show(column: Column) -> str:
    return column.type if column.nullable else f"{column.type} NOT NULL"


def _null(column: Column) -> str:
    return "NULL" if column.nullable else "NOT NULL"


def same_type(one: str, other: str) -> bool:
    """Returns whether two DDL texts are the same type, ignoring nullability and text lengths."""
    if one == other:
        return True
    left, right = _parse_type(one), _parse_type(other)
    return left is not None and left == right


@lru_cache(maxsize=4096)
def _parse_type(text: str) -> LogicalType | None:
    try:
        return deeply_nullable(value_type(parse_type(text)))
    except DataTypeError:
        return None


def by_names(view: ViewDocument) -> dict[Path, frozenset[str] | None]:
    """Returns the columns that a view may use, judging by the names in its plan or text.

    This overestimates: a column counts as used if another table has one of the same name.
    """
    with say_damage(view):
        names = names_in_text(view.sql) if view.plan is None else _names_in_plan(view)
    return {each.name: names for each in view.dependencies if each.kind != "function"}


@contextmanager
def say_damage(view: ViewDocument) -> Iterator[None]:
    """Inside the block, what is wrong with a plan that was edited by hand is said with words."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise PlanDocumentError(
            f"the plan of the view {view.database}.{view.name} is damaged: {error}",
            hint="take back the edit, or read the text anew with `viewscribe accept`",
        ) from error


def _names_in_plan(view: ViewDocument) -> frozenset[str] | None:
    assert view.plan is not None
    names = {column.name.lower() for column in view.columns}
    for node in view.plan["nodes"]:
        kind = node["node"]
        if kind in ("field_reference", "outer_reference"):
            names.add(node["name"].lower())
        elif kind == "sql_text":
            found = names_in_text(node["text"])
            if found is None:
                return None
            names |= found
        elif kind in _BY_POSITION:
            return None
        names.update(str(each).lower() for each in node.get("using", ()))
    return frozenset(names)


_BY_POSITION = ("set_operation",)
"""Operations that read every column of their inputs, whatever it is called."""


def names_in_text(text: str) -> frozenset[str] | None:
    """Returns all names in a text, folded, that may be columns; None means any."""
    try:
        names = read_names(text)
    except ValidationError:
        return None
    return None if names.reads_all else names.words


class Reading(msgspec.Struct, frozen=True):
    """The columns that a view expects of something it reads.

    Args:
        path: the table or view that it reads.
        columns: the columns when the view was created; None if they were not recorded.
    """

    path: Path
    columns: tuple[Column, ...] | None = None


def readings(view: ViewDocument) -> list[Reading]:
    """Yields everything with columns that a view reads."""
    found: dict[Path, Reading] = {}
    with say_damage(view):
        for node in view.plan["nodes"] if view.plan is not None else ():
            if node["node"] == "catalog_source":
                path = tuple(node["path"])
                found[path] = Reading(path, tuple(map(_column, node["fields"])))
    for each in view.dependencies:
        if each.kind != "function" and each.name not in found:
            found[each.name] = Reading(each.name)
    return list(found.values())


def _column(field: Mapping[str, str]) -> Column:
    text = field["type"]
    bare = text.removesuffix(" NOT NULL")
    return Column(field["name"], bare, nullable=bare == text)


def unmet(
    reading: Reading, now: Sequence[Column], used: frozenset[str] | None
) -> list[ColumnChange]:
    """Returns the changes between expected and present columns that break the view.

    Args:
        reading: the expected columns.
        now: the present columns.
        used: the folded names of the columns that it uses; None means any.
    """
    if reading.columns is None:
        return []
    return [
        change
        for change in column_changes(reading.columns, now)
        if change.breaking and (used is None or change.name.lower() in used)
    ]


# Which columns views use: from lineage, or from the names in their text if that is unknown.


def column_use(
    view: ViewDocument,
    lineage: ViewLineage | None = None,
    columns_of: FindColumns | None = None,
) -> Mapping[Path, frozenset[str] | None]:
    """Returns the folded names of the columns that a view uses, by path; None means any.

    Args:
        view: the view.
        lineage: its lineage, if already known.
        columns_of: finds the columns of what it reads, to compute the lineage.
    """
    found = lineage or view_lineage(("", view.database, view.name), view, columns_of)
    if found.unknown:
        return by_names(view)
    used: dict[Path, set[str]] = {}
    for each in list_named(found):
        if each.column is not None:
            used.setdefault(fold_name(each.path), set()).add(each.column.lower())
    paths = dict.fromkeys(each.name for each in view.dependencies if each.kind != "function")
    return {path: frozenset(used.get(fold_name(path), ())) for path in paths}


def list_named(lineage: ViewLineage) -> Iterator[ColumnId]:
    """Yields every column that a view names, with or without influence; may repeat columns."""
    yield from lineage.carried
    yield from lineage.rows
    for origins in lineage.columns.values():
        yield from origins


def fold_name(path: Path) -> Path:
    """Returns the case-folded path, for comparison."""
    return tuple(map(fold, path))
