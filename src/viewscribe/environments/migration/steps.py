"""The steps of a plan, each with what it says of the object: the changes of its SQL and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.protocol import Loaded
from viewscribe.environments.migration.columns import ColumnChange, column_changes
from viewscribe.environments.migration.dependencies import Desired, Needs, columns_hash
from viewscribe.environments.migration.fields import field_changes
from viewscribe.environments.migration.model import (
    Expected,
    Requirement,
    Step,
)
from viewscribe.environments.migration.renamed_columns import with_renames
from viewscribe.environments.migration.snapshot import (
    Key,
    Snapshot,
    as_plain,
    content,
    key_of,
)


def step_to(
    operation: Any,
    wanted: Desired,
    document: ViewDocument | FunctionDocument,
    current: Loaded | None,
    former: Key | None,
) -> Step:
    """A step that makes an object what it is to be.

    Args:
        operation: what is done.
        wanted: the object.
        document: what it is to be.
        current: what is there; None for nothing.
        former: what it is still called there, where it is renamed.
    """
    before = None if current is None else current.document
    return Step(
        operation=operation,
        kind=document.kind,
        database=document.database,
        name=document.name,
        former=None if former is None or current is None else place_of(current),
        origin=wanted.origin,
        expected=None if current is None else _expect(current),
        document=as_plain(document),
        sql_diff=sql_diff(before, document, (name_of(current) if current else "", wanted.label)),
        columns=tuple(column_changes_of(before, document)),
        fields=field_changes(before, document),
        reads=tuple(".".join(each.name) for each in wanted.dependencies),
    )


def deletion(entry: Loaded) -> Step:
    """A step that takes away what is there."""
    database, name = place_of(entry)
    return Step(
        operation="delete",
        kind=entry.id.kind,
        database=database,
        name=name,
        expected=_expect(entry),
        sql_diff=sql_diff(entry.document, None, (name_of(entry), "/dev/null")),
    )


def database_steps(steps: Sequence[Step], sources: Snapshot, targets: Snapshot) -> Iterator[Step]:
    """Steps that make the databases that the target lacks, and other steps need."""
    seen: set[Key] = set()
    for step in steps:
        key = key_of("database", step.database, "")
        if step.operation == "delete" or key in seen or key in targets:
            continue
        seen.add(key)
        yield Step(
            operation="create",
            kind="database",
            database=step.database,
            name=step.database,
            document=as_plain(_database(step, sources)),
        )


def _database(step: Step, sources: Snapshot) -> DatabaseDocument:
    home = step.origin[0] if step.origin else step.database
    found = sources.document(key_of("database", home, ""))
    comment = found.comment if isinstance(found, DatabaseDocument) else None
    return DatabaseDocument(name=step.database, comment=comment)


def requirements(
    steps: Sequence[Step], desired: Mapping[Key, Desired], targets: Snapshot, needs: Needs
) -> Iterator[Requirement]:
    """What the steps read in the target and leave alone."""
    changed = {key_of(step.kind, step.database, step.name) for step in steps}
    seen: set[Key] = set()
    for step in steps:
        wanted = desired.get(key_of(step.kind, step.database, step.name))
        for key in needs.read_by(wanted) if wanted is not None else ():
            entry = targets.loaded.get(key)
            if entry is None or key in changed or key in seen:
                continue
            seen.add(key)
            database, name = place_of(entry)
            columns = columns_hash(entry.document)
            yield Requirement(entry.id.kind, database, name, columns)


def name_of(entry: Loaded) -> str:
    """Its name as it is spelled."""
    return ".".join(place_of(entry))


def place_of(entry: Loaded) -> tuple[str, str]:
    """Its database and its name as they are spelled."""
    document = cast(Any, entry.document)
    return document.database, document.name


def _expect(entry: Loaded) -> Expected:
    return Expected(entry.token, content(entry.document))


def column_changes_of(before: Document | None, after: Document) -> list[ColumnChange]:
    """How the columns of a view change; none of what is no view."""
    if not isinstance(before, ViewDocument | TableDocument) or not isinstance(after, ViewDocument):
        return []
    changes = column_changes(before.columns, after.columns)
    return with_renames(changes, before, after) if isinstance(before, ViewDocument) else changes


def sql_diff(before: Document | None, after: Document | None, names: tuple[str, str]) -> str | None:
    """How the SQL of an object changes; None where it does not, or was not there."""
    import difflib

    old, new = _sql_of(before), _sql_of(after)
    if before is None or old == new:
        return None
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")
    return "\n".join(lines)


def _sql_of(document: Document | None) -> str:
    if isinstance(document, ViewDocument):
        return document.sql
    if isinstance(document, FunctionDocument):
        return document.body or document.class_name or ""
    return ""
