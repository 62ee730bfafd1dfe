"""The model of a migration plan: its steps, and the problems that block it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec

from viewscribe.catalog_store.documents.model import Document, DocumentKind, mask_change
from viewscribe.catalog_store.documents.normalization import to_plain
from viewscribe.environments.migration.columns import ColumnChange
from viewscribe.html.markup import (
    Html,
    collapsible,
    diff_block,
    grid,
    heading,
    marked,
    show,
    text_block,
)

# How an object changes besides its SQL and its columns: its settings, comment and properties.

_SETTINGS = "settings."
_ELSEWHERE = frozenset(
    (
        *("schema_version", "kind", "database", "name", "owner", "version", "dependencies"),
        *("sql", "body", "columns", "plan", "fingerprint", "viewscribe_version", "spark_version"),
    )
)
"""Fields that a plan shows in another way, or that follow from others."""
_LONGEST = 300


class FieldChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed field, as ``comment`` or ``settings.spark.sql.ansi.enabled``; one line each.

    Args:
        name: the field.
        before: its value, with passwords masked; None if there was none.
        after: its new value; None if there is none.
    """

    name: str
    before: str | None = None
    after: str | None = None

    @property
    def is_setting(self) -> bool:
        """Whether it is a setting, with which the same SQL may mean something else."""
        return self.name.startswith(_SETTINGS)

    def __str__(self) -> str:
        if self.before is None:
            return f"+ {self.name}: {self.after}"
        if self.after is None:
            return f"- {self.name}: {self.before}"
        return f"~ {self.name}: {self.before} -> {self.after}"


def field_changes(before: Document | None, after: Document | None) -> tuple[FieldChange, ...]:
    """Returns the changed fields in the order of the document; none where one is missing."""
    if before is None or after is None:
        return ()
    old, new = _values(before), _values(after)
    old_shown, new_shown = map(_values, mask_change(before, after))
    return tuple(
        FieldChange(name, old_shown.get(name), new_shown.get(name))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    )


def _values(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in to_plain(document).items():
        if name in _ELSEWHERE:
            continue
        if isinstance(value, dict):
            found |= {f"{name}.{key}": _shorten(each) for key, each in value.items()}
        elif value is not None:
            found[name] = _shorten(value)
    return found


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"


Operation = Literal["create", "change", "rename", "delete"]
OPERATIONS: tuple[Operation, ...] = ("create", "change", "rename", "delete")

PLAN_VERSION = 1
"""The version of the plan files that this viewscribe writes."""


class Expected(msgspec.Struct, frozen=True):
    """The state of a target object that a step expects."""

    token: str
    content: str


class BrokenColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column of a broken view that is derived from a changed column.

    Args:
        name: the column; None for the rows of the view, and so all of its columns.
        path: the path from the changed column to this one; long paths are shortened with ``…``.
    """

    name: str | None
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name or '(rows)'} <- {' <- '.join(reversed(self.path[:-1]))}"


class Break(msgspec.Struct, frozen=True, omit_defaults=True):
    """A view of the target that the plan would break.

    Args:
        view: the view, or a SQL function.
        through: the object that it reads.
        changes: the changed columns of ``through`` that it uses; empty if ``through`` itself does
            not change but breaks.
        columns: its columns that are derived from a changed one.
        opens: whether it certainly can still be opened, with columns that changed their type or
            became nullable.
    """

    view: str
    through: str
    changes: tuple[ColumnChange, ...] = ()
    columns: tuple[BrokenColumn, ...] = ()
    opens: bool = False

    def __str__(self) -> str:
        if not self.changes:
            return f"{self.view}, through {self.through}"
        shown = ", ".join(f"{each.name} ({each.word})" for each in self.changes)
        return f"{self.view}: {self.through} {shown}"

    def lines(self) -> list[str]:
        """The lines to show: the view, then its columns."""
        opens = ", which still opens" if self.opens else ""
        return [f"breaks {self}{opens}", *(f"  {each}" for each in self.columns)]


class Drift(msgspec.Struct, frozen=True, omit_defaults=True):
    """A manual edit of an object in the target since a plan last wrote it; or it was made there.

    Args:
        author: its author, if known.
        reason: its reason, if given.
        sql_diff: the change of the SQL, as a unified diff.
        columns: the changes of the columns.
        fields: the other fields that changed.
        foreign: whether no plan ever brought the object.
    """

    author: str | None = None
    reason: str | None = None
    sql_diff: str | None = None
    columns: tuple[ColumnChange, ...] = ()
    foreign: bool = False
    fields: tuple[FieldChange, ...] = ()

    def __str__(self) -> str:
        by = f" by {self.author}" if self.author else ""
        why = f" ({self.reason})" if self.reason else ""
        if self.foreign:
            return f"was made in the target{by}, and no plan brought it{why}"
        return f"was edited in the target{by} since the last apply{why}"


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change of one object of the target.

    Args:
        operation: what to do.
        kind: the kind of the object.
        database: its database in the target.
        name: its name in the target, after the step.
        former: its database and name in the target before a rename.
        origin: its name in the source.
        expected: its expected state; None if it must not exist.
        document: its new document as plain data; None for a deletion.
        sql_diff: the change of its SQL, as a unified diff.
        columns: the changes of its columns.
        fields: its other fields that change: settings, comment, properties.
        breaks: the views that the step breaks; a view that breaks only through others is listed
            once, at the shortest path.
        fits: the views that read it but use no column whose change would break them.
        reads: what it reads and calls in the target, after the step.
        drift: the manual edits since the last apply, which the step overwrites.
    """

    operation: Operation
    kind: DocumentKind
    database: str
    name: str
    former: tuple[str, str] | None = None
    origin: tuple[str, str] | None = None
    expected: Expected | None = None
    document: Mapping[str, Any] | None = None
    sql_diff: str | None = None
    columns: tuple[ColumnChange, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    breaks: tuple[Break, ...] = ()
    fits: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    drift: Drift | None = None

    @property
    def target(self) -> str:
        """The object's name in the target."""
        return self.database if self.kind == "database" else f"{self.database}.{self.name}"

    @property
    def compatible(self) -> bool:
        """Whether the step removes or changes no column that a reader may use."""
        return not self.breaks and not any(each.breaking for each in self.columns)

    @property
    def effect(self) -> str:
        """What a change means for readers of an object, in one or two words."""
        if not self.compatible:
            return "changes columns"
        return "changes settings" if any(each.is_setting for each in self.fields) else "compatible"

    def __repr__(self) -> str:
        return f"Step({self})"

    def __str__(self) -> str:
        former = f" {'.'.join(self.former)} to" if self.former else ""
        return f"{self.operation} {self.kind}{former} {self.target}"


ProblemCode = Literal[
    "missing-catalog",
    "missing-table",
    "missing-view",
    "missing-function",
    "missing-column",
    "missing-setting",
    "column-type",
    "column-null",
    "cycle",
    "unreadable",
    "edited",
    "name-clash",
    "comments",
    "drift",
    "other-kind",
    "untranslatable",
    "unchecked",
    "setting",
]

WARNINGS: frozenset[ProblemCode] = frozenset(
    ("missing-catalog", "column-null", "unchecked", "setting", "comments")
)
"""Problems that do not block a plan."""


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A problem that blocks the plan, or a warning about something that cannot be checked."""

    code: ProblemCode
    object: str
    message: str
    hint: str | None = None

    @property
    def blocking(self) -> bool:
        """Whether it blocks the plan."""
        return self.code not in WARNINGS

    def __str__(self) -> str:
        return f"{self.object}: {self.message}"


class Requirement(msgspec.Struct, frozen=True):
    """An object of the target that the plan reads but does not change, as it was at planning."""

    kind: DocumentKind
    database: str
    name: str
    columns: str


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the two environments, without its secrets."""

    name: str
    url: str
    catalog_name: str
    file: str | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A migration plan.

    Args:
        id: a hash of the steps, which identifies the plan in versions and journals.
        source: the environment that the views come from.
        target: the environment that they go to.
        select: the patterns that select them; empty means all.
        delete: whether objects that the source no longer has are deleted.
        delete_foreign: whether that includes objects that no plan created.
        overwrite_drift: whether manual edits are overwritten.
        steps: the steps, in order.
        problems: problems that block the plan, and warnings.
        requires: objects that are read and not changed.
        unchanged: the number of objects that are up to date in the target.
        extra: objects of the target that the source does not have and that are kept.
        foreign: those of them that no plan created.
        base: the directory that relative paths of the two places refer to; empty for the working
            directory. In a plan file it is relative to the file.
    """

    id: str
    source: Place
    target: Place
    select: tuple[str, ...] = ()
    delete: bool = False
    delete_foreign: bool = False
    overwrite_drift: bool = False
    steps: tuple[Step, ...]
    problems: tuple[Problem, ...] = ()
    requires: tuple[Requirement, ...] = ()
    unchanged: int = 0
    extra: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    base: str = ""

    def __repr__(self) -> str:
        counts = f"{len(self.steps)} steps, {len(self.problems)} problems"
        return f"Plan({self.source.name} -> {self.target.name}: {counts})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:

        return show_plan(self, "\n".join([repr(self), *map(str, self.steps)]))

    @property
    def blocking(self) -> list[Problem]:
        """The problems that block it."""
        return [each for each in self.problems if each.blocking]

    @property
    def breaking(self) -> list[Step]:
        """The steps that break views of the target."""
        return [each for each in self.steps if each.breaks]

    def counts(self) -> dict[str, int]:
        """The number of steps by operation, and other totals."""
        found = Counter(each.operation for each in self.steps if each.kind != "database")
        counts: dict[str, int] = {operation: found[operation] for operation in OPERATIONS}
        others = {
            "unchanged": self.unchanged,
            "breaking": len(self.breaking),
            "drift": sum(each.drift is not None and not each.drift.foreign for each in self.steps),
            "problems": len(self.blocking),
            "warnings": len(self.problems) - len(self.blocking),
        }
        return {**counts, **others}


def plan_id(source: Place, target: Place, steps: Iterable[Step]) -> str:
    """Returns a hash of a plan's target and steps; equal plans have equal ids."""
    digest = sha256(f"{source.name}\n{target.name}\n{target.url}\n".encode())
    for step in steps:
        expected = step.expected.token if step.expected else None
        identity = (step.operation, step.kind, step.target, step.former, expected, step.document)
        digest.update(msgspec.json.encode(identity, order="deterministic"))
    return digest.hexdigest()[:16]


STAMP = "migration "
"""The prefix of the ``source`` of versions that a plan made; the plan's id follows."""


def stamp(plan: Plan) -> str:
    """Returns the ``source`` of the versions that a plan makes."""
    return f"{STAMP}{plan.id} from {plan.source.name}"


def origin_of(source: str | None) -> str | None:
    """Returns the environment named in a stamp; None if the text is not a stamp."""
    if source is None or not source.startswith(STAMP):
        return None
    _, found, origin = source.removeprefix(STAMP).partition(" from ")
    return origin if found else None


# What notebooks show of plans.


def show_plan(plan: Plan, text: str) -> dict[str, str]:
    """Returns the problems of a plan, and its steps with what they change and break."""
    problems = [
        (each.object, marked(each.message, "bad" if each.blocking else "warning"), each.hint or "")
        for each in plan.problems
    ]
    return show(
        text,
        heading(f"{plan.source.name} → {plan.target.name}"),
        grid(("object", "problem", ""), problems) if problems else None,
        *map(_step, plan.steps),
        None if plan.steps else marked("nothing to do", "soft"),
    )


def _step(step: Step) -> Html:
    title = [str(step), *([marked("  breaks views", "bad")] if step.breaks else [])]
    blocks = []
    if step.columns or step.fields:
        blocks.append(text_block("\n".join(map(str, (*step.columns, *step.fields)))))
    if step.breaks:
        blocks.append(text_block("\n".join(map(str, step.breaks))))
    if step.sql_diff:
        blocks.append(diff_block(step.sql_diff.splitlines()))
    return collapsible(title, *blocks)
