"""Working with the versions of an object: find one, roll back to one, compare two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from viewscribe.catalog_store.documents.masking import mask_change
from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import seal
from viewscribe.catalog_store.documents.plain import to_plain
from viewscribe.catalog_store.documents.versions import (
    Change,
    Version,
    VersionOperation,
    next_version,
)
from viewscribe.catalog_store.errors import InvalidDocumentError, ObjectNotFoundError
from viewscribe.catalog_store.names import fold
from viewscribe.catalog_store.protocol import Catalog, Stored, Token

V = TypeVar("V", bound=ObjectDocument)

History = Sequence[Stored[ObjectDocument]]
"""The versions of an object, oldest first."""


def find_version(history: History, number: int) -> Stored[ObjectDocument]:
    """Returns the version with that number.

    Raises:
        ObjectNotFoundError: there is none; the hint lists the existing numbers.
    """
    for each in history:
        if each.version is not None and each.version.number == number:
            return each
    numbers = [str(each.version.number) for each in history if each.version is not None]
    document = history[-1].document
    raise ObjectNotFoundError(
        f"the {document.kind} `{document.database}.{document.name}` has no version {number}",
        hint=f"its versions are: {', '.join(numbers)}",
    )


def in_sequence(versions: Sequence[tuple[V, Change]]) -> list[tuple[V, Version]]:
    """Assigns versions to documents that were current one after the other.

    Of adjacent documents with the same content only the first is kept, just as an identical
    replace makes no new version.

    Raises:
        InvalidDocumentError: a document cannot be stored, or they belong to different objects.
    """
    names = {(fold(each.database), fold(each.name)): each for each, _ in versions}
    if len(names) != 1:
        shown = ", ".join(f"{each.database}.{each.name}" for each in names.values())
        raise InvalidDocumentError(f"versions of one object have one name, and not: {shown}")
    found: list[tuple[V, Version]] = []
    plain: dict[str, Any] | None = None
    for document, change in versions:
        before, plain = plain, to_plain(seal(document))
        if plain != before:
            last = found[-1][1] if found else None
            operation: VersionOperation = "replace" if found else "create"
            found.append((document, next_version(last, change, operation)))
    return found


def roll_back(
    catalog: Catalog,
    kind: ObjectKind,
    database: str,
    name: str,
    number: int,
    *,
    expected: Token | None = None,
    change: Change | None = None,
) -> Token:
    """Restores an earlier version as a new version; the object keeps its current name.

    Args:
        catalog: the catalog of the object.
        kind: its kind.
        database: its database.
        name: its name.
        number: the version to restore.
        expected: only roll back from this state.
        change: author and reason, for the history.

    Raises:
        ObjectNotFoundError: there is no such object or version.
        ConcurrentUpdateError: somebody else changed the object in the meantime.
    """
    history = catalog.history(kind, database, name)
    now = history[-1]
    wanted = find_version(history, number).document
    document = msgspec.structs.replace(
        wanted, database=now.document.database, name=now.document.name
    )
    told = change or Change()
    source = told.source or f"version {number}"
    made = msgspec.structs.replace(told, operation="rollback", source=source)
    return catalog.replace(document, expected=expected or now.token, change=made)


class ColumnChange(NamedTuple):
    """The difference of a column: added (``before`` is None), removed, moved or retyped."""

    before: Column | None
    after: Column | None
    moved: bool = False

    @property
    def name(self) -> str:
        """The column's name; the new spelling if its case changed."""
        column = self.after or self.before
        assert column is not None
        return column.name

    def __str__(self) -> str:
        if self.before is None:
            return f"+ {_spell(self.after)}"
        if self.after is None:
            return f"- {_spell(self.before)}"
        if self.before == self.after:
            return f"  {_spell(self.after)} (moved)"
        return f"~ {_spell(self.before)} -> {_spell(self.after)}"


class Differences(NamedTuple):
    """The differences between two documents of an object.

    Args:
        sql: a unified diff of the SQL texts; for functions, of their bodies.
        columns: the columns that differ.
        fields: other fields that differ, with the values before and after, secrets masked.
    """

    sql: tuple[str, ...]
    columns: tuple[ColumnChange, ...]
    fields: dict[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.sql or self.columns or self.fields)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.notebook import diff_block, grid, show, text_block

        fields = list(self._field_rows())
        changes = [f"~ {name}: {old} -> {new}" for name, old, new in fields]
        return show(
            "\n".join([*map(str, self.columns), *changes, *self.sql]) or "no difference",
            text_block("\n".join(map(str, self.columns))) if self.columns else None,
            diff_block(self.sql) if self.sql else None,
            grid(("field", "before", "after"), fields) if fields else None,
        )

    def _field_rows(self) -> Iterator[tuple[str, str, str]]:
        """The other fields, and the keys of those that have some."""
        for name, (old, new) in self.fields.items():
            before, after = _by_key(name, old), _by_key(name, new)
            for key in dict.fromkeys((*before, *after)):
                if before.get(key) != after.get(key):
                    yield key, before.get(key, ""), after.get(key, "")


def _by_key(name: str, value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {f"{name}.{key}": str(each) for key, each in value.items()}
    return {} if value is None else {name: str(value)}


def differences(
    before: ObjectDocument, after: ObjectDocument, labels: tuple[str, str] = ("before", "after")
) -> Differences:
    """Returns the differences, except in derived fields (fingerprint, plan)."""
    plain_before, plain_after = to_plain(before), to_plain(after)
    skipped = {"sql", "body", "columns", "fingerprint", "plan", "schema_version"}
    names = [*plain_before, *[each for each in plain_after if each not in plain_before]]
    old, new = map(to_plain, mask_change(before, after))
    fields = {
        name: (old.get(name), new.get(name))
        for name in names
        if name not in skipped and plain_before.get(name) != plain_after.get(name)
    }
    columns = column_changes(getattr(before, "columns", ()), getattr(after, "columns", ()))
    return Differences(unify(_text(before), _text(after), labels), columns, fields)


def column_changes(before: Sequence[Column], after: Sequence[Column]) -> tuple[ColumnChange, ...]:
    """Returns the columns that differ, matched by name ignoring case."""
    import difflib

    old = {column.name.lower(): column for column in before}
    new = {column.name.lower(): column for column in after}
    kept_before = [name for name in old if name in new]
    kept_after = [name for name in new if name in old]
    matcher = difflib.SequenceMatcher(None, kept_before, kept_after, autojunk=False)
    in_place = {kept_after[b + i] for _, b, n in matcher.get_matching_blocks() for i in range(n)}
    found = [ColumnChange(old[name], None) for name in old if name not in new]
    for name, column in new.items():
        if name not in old:
            found.append(ColumnChange(None, column))
        elif old[name] != column or name not in in_place:
            found.append(ColumnChange(old[name], column, name not in in_place))
    return tuple(found)


def _text(document: ObjectDocument) -> str:
    if isinstance(document, ViewDocument):
        return document.sql
    return (document.body or "") if isinstance(document, FunctionDocument) else ""


def unify(
    before: str, after: str, labels: tuple[str, str] = ("before", "after")
) -> tuple[str, ...]:
    """Returns the lines of a unified diff of two texts."""
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *labels, lineterm="", n=3)
    return tuple(lines)


def _spell(column: Column | None) -> str:
    assert column is not None
    nulls = "" if column.nullable else " NOT NULL"
    comment = f" COMMENT {column.comment!r}" if column.comment else ""
    return f"{column.name} {column.type}{nulls}{comment}"
