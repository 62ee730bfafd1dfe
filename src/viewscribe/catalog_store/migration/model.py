"""A migration plan: what is to happen in the target, step by step, and what stands against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec

from viewscribe.catalog_store.documents import DocumentKind
from viewscribe.catalog_store.migration.columns import ColumnChange

Operation = Literal["create", "change", "rename", "delete"]
OPERATIONS: tuple[Operation, ...] = ("create", "change", "rename", "delete")

PLAN_VERSION = 1
"""The version of the plan files that this viewscribe writes."""


class Expected(msgspec.Struct, frozen=True):
    """The state of an object of the target that a step is made for."""

    token: str
    content: str


class BrokenColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column of a broken view that comes from a column that changes.

    Args:
        name: the column; None for the rows of the view, and with them all of its columns.
        path: how the change gets there: from the column that changes to this one. In the middle of
            a long path stands ``…``.
    """

    name: str | None
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name or '(rows)'} <- {' <- '.join(reversed(self.path[:-1]))}"


class Break(msgspec.Struct, frozen=True, omit_defaults=True):
    """A view of the target that the plan would break; ``through`` names what it reads.

    Args:
        view: the view, or a function in SQL.
        through: what it reads.
        changes: the columns of ``through`` that it uses and that change; none where ``through``
            does not change itself, but breaks.
        columns: its columns that come from one that changes.
        opens: whether it certainly still opens, though with columns of another type, or with NULL.
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
        """What is told to people: the view, and its columns one by one."""
        opens = ", which still opens" if self.opens else ""
        return [f"breaks {self}{opens}", *(f"  {each}" for each in self.columns)]


class Drift(msgspec.Struct, frozen=True, omit_defaults=True):
    """An edit by hand in the target, since a plan wrote the object last.

    Args:
        author: whose edit it is, where that is known.
        reason: why, where they said so.
        sql_diff: how they changed its SQL, as a unified diff.
        columns: how they changed its columns.
    """

    author: str | None = None
    reason: str | None = None
    sql_diff: str | None = None
    columns: tuple[ColumnChange, ...] = ()

    def __str__(self) -> str:
        by = f" by {self.author}" if self.author else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"was edited in the target{by} since the last apply{why}"


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change of one object of the target.

    Args:
        operation: what is done.
        kind: the kind of the object.
        database: its database in the target.
        name: its name there, after the step.
        former: the database and name it has there before a rename.
        origin: what it is called in the source.
        expected: the state it is in; None where there must be nothing.
        document: what it is to be, as plain data; None where it is deleted.
        sql_diff: how its SQL changes, as a unified diff.
        columns: how its columns change.
        breaks: the views that this breaks; what breaks only through others is told once, where
            the way from the change is shortest.
        fits: the views that read it and use no column that changes to their harm.
        reads: what it reads and calls in the target, after the step.
        drift: what was edited by hand since the last apply, which the step undoes.
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
        """Whether no column that a reader may use is taken away or changed."""
        return not self.breaks and not any(each.breaking for each in self.columns)

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
"""What a plan can be applied with."""


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that stands against the plan, or that nobody can check here."""

    code: ProblemCode
    object: str
    message: str
    hint: str | None = None

    @property
    def blocking(self) -> bool:
        """Whether the plan cannot be applied with it."""
        return self.code not in WARNINGS

    def __str__(self) -> str:
        return f"{self.object}: {self.message}"


class Requirement(msgspec.Struct, frozen=True):
    """An object of the target that the plan reads and leaves alone, as it was when planned."""

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
    """What ``plan`` found.

    Args:
        id: a hash of what is to be done, by which versions and journals know the plan.
        source: where the views come from.
        target: where they go.
        select: the patterns that chose them; none for all.
        delete: whether what the source has not is deleted.
        delete_foreign: whether that is so for what no plan brought, too.
        overwrite_drift: whether edits by hand are overwritten.
        steps: what is to be done, in this order.
        problems: what stands against it.
        requires: what is read and not changed.
        unchanged: how many objects are in the target as they are to be.
        extra: objects of the target that the source has not and that stay.
        foreign: those of them that no plan brought.
        base: the directory from which relative paths of the two places are meant; empty for the
            working directory. In a plan file it is meant from where the file is.
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

    @property
    def blocking(self) -> list[Problem]:
        """The problems with which it cannot be applied."""
        return [each for each in self.problems if each.blocking]

    @property
    def breaking(self) -> list[Step]:
        """The steps that break views of the target."""
        return [each for each in self.steps if each.breaks]

    def counts(self) -> dict[str, int]:
        """How many steps of each kind there are, and how much else."""
        found = Counter(each.operation for each in self.steps if each.kind != "database")
        counts: dict[str, int] = {operation: found[operation] for operation in OPERATIONS}
        others = {
            "unchanged": self.unchanged,
            "breaking": len(self.breaking),
            "drift": sum(each.drift is not None for each in self.steps),
            "problems": len(self.blocking),
            "warnings": len(self.problems) - len(self.blocking),
        }
        return {**counts, **others}


def plan_id(source: Place, target: Place, steps: Iterable[Step]) -> str:
    """A hash of what a plan does where: plans that do the same have the same."""
    digest = sha256(f"{source.name}\n{target.name}\n{target.url}\n".encode())
    for step in steps:
        expected = step.expected.token if step.expected else None
        identity = (step.operation, step.kind, step.target, step.former, expected, step.document)
        digest.update(msgspec.json.encode(identity, order="deterministic"))
    return digest.hexdigest()[:16]


STAMP = "migration "
"""How the source of a version that a plan made begins; the plan's id follows."""


def stamp(plan: Plan) -> str:
    """What the versions that a plan makes say of where they come from."""
    return f"{STAMP}{plan.id} from {plan.source.name}"


def origin_of(source: str | None) -> str | None:
    """The environment that a stamp names; None where it is none."""
    if source is None or not source.startswith(STAMP):
        return None
    _, found, origin = source.removeprefix(STAMP).partition(" from ")
    return origin if found else None
