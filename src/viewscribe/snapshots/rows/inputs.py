"""The rows that a test gives to the tables of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import TypeMismatchError, did_you_mean
from viewscribe.expressions.nodes import Literal
from viewscribe.snapshots.rows.subjects import (
    Path,
    Subject,
    ViewTestError,
    known_fields,
    nested_subject,
    read_value,
)
from viewscribe.types import Field
from viewscribe.types.identifiers import parse_name

GivenRows = Sequence[Mapping[str, Any] | Sequence[Any]]
"""Rows as a test writes them: mappings in which columns may be left out, or whole tuples."""


@dataclass(frozen=True)
class Table:
    """The typed rows of a table."""

    fields: tuple[Field, ...]
    rows: list[tuple[Literal, ...]]


@dataclass(frozen=True)
class View:
    """A view that others read, with what it reads itself."""

    subject: Subject
    sources: dict[Path, Table | View] = field(default_factory=dict)


def resolve(
    subject: Subject,
    given: Mapping[str, GivenRows],
    change: Callable[[Subject], Subject] = lambda view: view,
) -> View:
    """Returns a view with rows for every table that it reads, through other views or itself.

    Args:
        subject: the tested view.
        given: rows by the names of tables.
        change: what is done to the views that it reads before they are run.

    Raises:
        ViewTestError: a table has no rows, or rows are of no table.
    """
    named = {name: (parse_name(name), rows) for name, rows in given.items()}
    resolver = _Resolver(named, subject.zone, change)
    made = resolver.view(subject, ())
    resolver.require_used(subject)
    return made


class _Resolver:
    def __init__(
        self,
        given: Mapping[str, tuple[Sequence[str], GivenRows]],
        zone: str,
        change: Callable[[Subject], Subject],
    ) -> None:
        self._given = given
        self._zone = zone
        self._change = change
        self._used: dict[str, Path] = {}
        self._seen: dict[Path, None] = {}
        self._made: dict[tuple[str, ...], Table | View] = {}

    def view(self, subject: Subject, above: tuple[str, ...]) -> View:
        made = View(subject)
        for path, fields in subject.sources().items():
            made.sources[path] = self._source(path, fields, subject, above)
        return made

    def _source(
        self, path: Path, fields: tuple[Field, ...] | None, reader: Subject, above: tuple[str, ...]
    ) -> Table | View:
        key = tuple(fold(part) for part in path)
        if key not in self._made:
            self._seen[path] = None
            self._made[key] = self._make(path, key, fields, reader, above)
        return self._made[key]

    def _make(
        self,
        path: Path,
        key: tuple[str, ...],
        fields: tuple[Field, ...] | None,
        reader: Subject,
        above: tuple[str, ...],
    ) -> Table | View:
        shown = ".".join(path)
        name = self._name_of(key, path)
        if name is not None:
            columns = fields if fields is not None else known_fields(path, reader)
            if columns is None:
                raise ViewTestError(f"nobody knows the columns of `{shown}`")
            return _typed(name, columns, self._given[name][1], self._zone)
        if shown in above:
            raise ViewTestError(f"the view `{shown}` reads itself")
        nested = nested_subject(path, reader)
        if nested is not None:
            return self.view(self._change(nested), (*above, shown))
        raise ViewTestError(
            f"{reader.label} reads `{shown}`, and the test gives it no rows",
            hint=did_you_mean(path[-1], self._given) or f"give some, or none: {path[-1]}=[]",
        )

    def _name_of(self, key: tuple[str, ...], path: Path) -> str | None:
        """The name under which the test gives the rows of a table."""
        found = [
            name
            for name, (parts, _) in self._given.items()
            if key[-len(parts) :] == tuple(fold(part) for part in parts)
        ]
        if len(found) > 1:
            raise ViewTestError(
                f"the rows of `{'.'.join(path)}` are given as {' and as '.join(found)}"
            )
        if not found:
            return None
        other = self._used.setdefault(found[0], path)
        if tuple(fold(part) for part in other) != key:
            raise ViewTestError(
                f"`{found[0]}` may be {'.'.join(other)} or {'.'.join(path)}",
                hint='give the whole name: given({"database.table": […]})',
            )
        return found[0]

    def require_used(self, subject: Subject) -> None:
        for name in self._given:
            if name not in self._used:
                read = [".".join(path) for path in self._seen]
                hint = did_you_mean(name, [path.rpartition(".")[2] for path in read])
                raise ViewTestError(
                    f"{subject.label} does not read `{name}`",
                    hint=hint or f"it reads {', '.join(read) or 'no table'}",
                )


def _typed(name: str, fields: tuple[Field, ...], rows: GivenRows, zone: str) -> Table:
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Sequence):
        raise ViewTestError(f"`{name}`: rows are a list")
    made = []
    for number, row in enumerate(rows, 1):
        at = f"`{name}`, row {number}"
        made.append(
            tuple(
                _cell(value, column, zone, at)
                for value, column in zip(_whole(row, fields, at), fields, strict=True)
            )
        )
    return Table(fields, made)


def _whole(
    row: Mapping[str, Any] | Sequence[Any], fields: Sequence[Field], at: str
) -> Sequence[Any]:
    names = [field.name for field in fields]
    if isinstance(row, Mapping):
        return read_mapping(row, names, at)
    if isinstance(row, str | bytes) or not isinstance(row, Sequence):
        raise ViewTestError(f"{at}: a row is a mapping or a tuple, not {row!r}")
    if len(row) != len(names):
        raise ViewTestError(
            f"{at}: it has {len(row)} values, the table {len(names)} columns: {', '.join(names)}"
        )
    return row


def read_mapping(row: Mapping[str, Any], names: Sequence[str], at: str) -> list[Any]:
    """Returns the values of all columns of a row, NULL for those that it leaves out.

    Raises:
        ViewTestError: a column is not there, or is there twice.
    """
    values: dict[str, Any] = {}
    known = {fold(name) for name in names}
    for name, value in row.items():
        if fold(str(name)) not in known:
            hint = did_you_mean(str(name), names) or f"the columns are {', '.join(names)}"
            raise ViewTestError(f"{at}: no column `{name}`", hint=hint)
        if fold(str(name)) in values:
            raise ViewTestError(f"{at}: the column `{name}` is given twice")
        values[fold(str(name))] = value
    return [values.get(fold(name)) for name in names]


def _cell(value: Any, column: Field, zone: str, at: str) -> Literal:
    if value is None and not column.type.nullable:
        raise ViewTestError(f"{at}: `{column.name}` is NOT NULL, and has no value")
    try:
        return read_value(value, column.type, zone)
    except TypeMismatchError as error:
        raise ViewTestError(f"{at}, `{column.name}`: {error.message}", hint=error.hint) from None
