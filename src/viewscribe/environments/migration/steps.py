"""The steps of a plan, each with what it says of the object: the changes of its SQL and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Document,
    FunctionDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import find_version, is_edited, roll_back
from viewscribe.catalog_store.documents.versions import Change, Version
from viewscribe.catalog_store.errors import BreakingChangeError
from viewscribe.catalog_store.manager import CatalogManager, ObjectPath, refuse_circle
from viewscribe.catalog_store.protocol import Catalog, Loaded, Stored, Token
from viewscribe.catalog_store.view_checks import print_plan, prints, read_plan
from viewscribe.environments import environment_of
from viewscribe.environments.migration.breaking_changes import with_breaks
from viewscribe.environments.migration.columns import ColumnChange, column_changes
from viewscribe.environments.migration.model import (
    Break,
    Drift,
    Expected,
    Problem,
    Requirement,
    Step,
    field_changes,
    origin_of,
)
from viewscribe.environments.migration.snapshot import (
    Desired,
    Key,
    Needs,
    Snapshot,
    as_plain,
    columns_hash,
    content,
    key_of,
    read,
)
from viewscribe.errors import CatalogError, ViewscribeError
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import strip_alias
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types.policy import coercion, coercion_of

# What the replacement of a single view breaks, seen as a plan of one step sees it.

SHOWN = 5
"""How many views an error names."""


def find_breaks(
    catalog: Catalog, catalog_name: str, before: ViewDocument, after: ViewDocument
) -> tuple[Break, ...]:
    """The views and functions of a catalog that read a view and no longer fit it.

    Nothing is read where no column changes that a reader may notice.

    Args:
        catalog: the catalog that holds the view.
        catalog_name: what views call it.
        before: the view as its readers know it.
        after: the view as it is to be.
    """
    changes = column_changes(before.columns, after.columns)
    if not any(each.breaking for each in changes):
        return ()
    key = key_of("view", before.database, before.name)
    targets = read(catalog, "Looking for readers")
    present = targets.loaded.get(key)
    if present is None:
        raise CatalogError(
            f"{before.database}.{before.name} is not among what the catalog lists, so its readers "
            "cannot be told",
            hint="`viewscribe check` says what is damaged",
        )
    targets.loaded[key] = msgspec.structs.replace(present, document=before)
    environment = environment_of(catalog, catalog_name=catalog_name)
    needs = Needs(environment, environment, targets, targets)
    origin = (after.database, after.name)
    needs.final({key: Desired(key, origin, after, after.dependencies)}, ())
    step = Step(
        operation="change", kind="view", database=origin[0], name=origin[1], columns=tuple(changes)
    )
    (found,) = with_breaks([step], needs)
    return found.breaks


def roll_back_object(
    catalogs: CatalogManager,
    kind: ObjectKind,
    parts: Sequence[str],
    number: int,
    *,
    change: Change | None = None,
    allow_breaking: bool = False,
) -> Token:
    """Makes version ``number`` of an object the present one, as a new version.

    Raises:
        BreakingChangeError: views that read it no longer fit, and ``allow_breaking`` is not given.
        NotSerializableError: it would read views that read it by now.
        ConcurrentUpdateError: somebody else changed it meanwhile.
    """
    path = catalogs.resolve(parts)
    home = catalogs.catalog(path.catalog)
    history = home.history(kind, path.database, path.name)
    now, wanted = history[-1], find_version(history, number).document
    if isinstance(wanted, ViewDocument) and isinstance(now.document, ViewDocument):
        refuse_rollback(catalogs, path, now.document, wanted, allow_breaking=allow_breaking)
    return roll_back(
        home, kind, path.database, path.name, number, expected=now.token, change=change
    )


def refuse_rollback(
    catalogs: CatalogManager,
    path: ObjectPath,
    now: ViewDocument,
    wanted: ViewDocument,
    *,
    allow_breaking: bool,
) -> None:
    """Refuses to go back to a version of a view that what is built on it does not fit.

    Raises:
        BreakingChangeError: views that read it no longer fit.
        NotSerializableError: it would read views that read it by now.
    """
    refuse_circle(catalogs, path, wanted.dependencies)
    if not allow_breaking:
        after = msgspec.structs.replace(wanted, database=path.database, name=path.name)
        before = msgspec.structs.replace(now, database=path.database, name=path.name)
        refuse_breaks(
            find_breaks(catalogs.catalog(path.catalog), path.catalog, before, after),
            "change those views too, or allow it: --allow-breaking, allow_breaking=True",
        )


def refuse_breaks(breaks: tuple[Break, ...], hint: str) -> None:
    """Refuses a change that breaks something.

    Raises:
        BreakingChangeError: it does.
    """
    if breaks:
        more = f", and {len(breaks) - SHOWN} more" if len(breaks) > SHOWN else ""
        shown = "; ".join(map(str, breaks[:SHOWN]))
        raise BreakingChangeError(f"views that read it would break: {shown}{more}", hint=hint)


# Columns that a view gives another name: what makes them is what made them before.


def with_renames(
    changes: Sequence[ColumnChange], before: ViewDocument, after: ViewDocument
) -> list[ColumnChange]:
    """The changes, a removed and an added column being one renamed column where that is certain.

    It is where both views have a plan and one expression makes both columns and no third.
    """
    gone = [each for each in changes if each.change == "removed"]
    new = [each for each in changes if each.change == "added"]
    if not gone or not new or before.plan is None or after.plan is None:
        return list(changes)
    made, makes = _makers(before), _makers(after)
    renamed: dict[str, str] = {}
    for old in gone:
        maker = made.get(old.name.lower())
        same = [each.name for each in new if maker and makes.get(each.name.lower()) == maker]
        alike = sum(each == maker for each in made.values())
        if len(same) == 1 and alike == 1:
            renamed[old.name] = same[0]
    return [
        _describe_rename(each, renamed) for each in changes if each.name not in renamed.values()
    ]


def _describe_rename(change: ColumnChange, names: Mapping[str, str]) -> ColumnChange:
    if change.change != "removed" or change.name not in names:
        return change
    return ColumnChange(change.name, "renamed", change.name, names[change.name])


def _makers(view: ViewDocument) -> dict[str, Node]:
    """By the folded name of a column the expression that makes it, where an operation names one."""

    assert view.plan is not None
    try:
        with coercion(coercion_of(view.settings)):
            operation = from_plan(view.plan)
    except ViewscribeError:
        return {}
    while operation.keeps_columns:
        operation = operation.inputs()[0]
    if len(operation.schema) != len(view.columns):
        return {}
    names = [column.name.lower() for column in view.columns]
    return dict(zip(names, map(strip_alias, operation.column_expressions()), strict=False))


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


# Drift: objects of the target that no plan created, and manual edits to those that one did.
#
# Every version that a plan writes says so (``model.stamp``): an object without such a version came
# another way, and one whose present state is not the last of them was edited since. So was a view
# or function whose fingerprint does not fit: somebody changed its file, and the version there is
# the plan's.


class Deliveries:
    """The objects that plans have delivered to a target.

    Args:
        catalog: the target; None if it does not exist yet.
        targets: its documents.
    """

    def __init__(self, catalog: Catalog | None, targets: Snapshot) -> None:
        self._catalog = catalog
        self._targets = targets
        self._known: dict[Key, Stored[Any] | None] = {}

    def are_of(self, key: Key) -> bool:
        """Returns whether a plan delivered the object; False if its history is unreadable."""
        return self._last(key) is not None

    def drift(self, step: Step) -> Drift | None:
        """Returns the manual edit of the object that a step changes, or who made it; or None."""
        former = step.former or (step.database, step.name)
        if step.kind == "database" or step.operation == "create":
            return None
        key = key_of(step.kind, *former)
        entry, last = self._targets.loaded.get(key), self._last(key)
        if entry is None:
            return None
        if last is None:
            made = entry.version
            return Drift(
                author=None if made is None else made.author,
                reason=None if made is None else made.reason,
                foreign=True,
            )
        # Whether a document was changed by something else than viewscribe.
        document = entry.document
        unsealed = isinstance(document, ViewDocument) and not document.fingerprint
        in_place = unsealed or is_edited(document)
        if not in_place and content(last.document) == content(entry.document):
            return None
        before = last.document
        if before is entry.document:
            before = _as_planned(entry.document)
        version = None if in_place else entry.version  # which is not the edit's
        name = name_of(entry)
        return Drift(
            author=None if version is None else version.author,
            reason=None if version is None else version.reason,
            sql_diff=sql_diff(before, entry.document, (name, f"{name} (edited)")),
            columns=tuple(column_changes_of(before, entry.document)),
            fields=field_changes(before, entry.document),
        )

    def _last(self, key: Key) -> Stored[Any] | None:
        """Returns the last version of an object that a plan wrote."""
        if key not in self._known:
            self._known[key] = self._find(self._targets.loaded.get(key))
        return self._known[key]

    def _find(self, entry: Loaded | None) -> Stored[Any] | None:
        if entry is None or self._catalog is None:
            return None
        if _is_of_plan(entry.version):
            return Stored(cast("Any", entry.document), entry.token, entry.version)
        if entry.version is None or entry.version.number == 1:
            return None
        history = self._catalog.history(cast(ObjectKind, entry.id.kind), *place_of(entry))
        return next((each for each in reversed(history) if _is_of_plan(each.version)), None)


def _as_planned(document: Document) -> Document:
    """An edited view with the text and columns that its plan has, as far as that can be read."""
    if not isinstance(document, ViewDocument) or document.plan is None:
        return document
    try:
        with coercion(coercion_of(document.settings)):
            tree = read_plan(document)
            if prints(tree, document):
                return document
            text = print_plan(tree, document)
    except ViewscribeError:
        return document
    return msgspec.structs.replace(document, sql=text)


def _is_of_plan(version: Version | None) -> bool:
    return version is not None and origin_of(version.source) is not None


def drift_problems(steps: list[Step]) -> Iterator[Problem]:
    """Yields a problem for each step that would overwrite a manual edit."""
    for step in steps:
        if step.drift is not None and not step.drift.foreign:
            yield Problem(
                code="drift",
                object=step.target,
                message=f"{step.drift}; the plan would {_UNDOING[step.operation]} that",
                hint="bring the edit into the source, or overwrite it: --overwrite-drift, "
                "overwrite_drift=True",
            )


_UNDOING = {"change": "overwrite", "rename": "overwrite", "delete": "delete", "create": "overwrite"}
