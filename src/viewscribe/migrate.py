"""Migrating views between environments in Python: ``vs.migrate.plan("dev", "prod").apply()``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from viewscribe.catalog_store.protocol import Catalog
from viewscribe.environments import (
    Environment,
    environment_of,
    find_environments,
    load_environments,
)
from viewscribe.environments.migration.execution import (
    Outcome,
    apply_plan,
    open_to_apply,
    rollback_plan,
)
from viewscribe.environments.migration.journal import journal_of, read_plan, target_of, write_plan
from viewscribe.environments.migration.model import Plan, Problem, Step, show_plan
from viewscribe.environments.migration.planner import make_plan
from viewscribe.environments.migration.snapshot import Watch, silent

EnvironmentLike = str | Environment | Catalog
"""An environment or its name in viewscribe.yaml, or a catalog or its URL."""


class Migration:
    """A migration plan together with its target environment.

    Args:
        plan: the plan.
        target: the environment to apply it to.
        path: the file of the plan; its journal lies beside it.
    """

    def __init__(
        self, plan: Plan, target: Environment, path: str | os.PathLike[str] | None = None
    ) -> None:
        self.plan = plan
        self.target = target
        self.path = path

    def __repr__(self) -> str:
        source, target = self.plan.source.name, self.plan.target.name
        counts = f"{len(self.steps)} steps, {len(self.problems)} problems"
        return f"Migration({source} -> {target}: {counts})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return show_plan(self.plan, repr(self))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in order."""
        return self.plan.steps

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What blocks the plan, and warnings about what could not be checked."""
        return self.plan.problems

    def save(self, path: str | os.PathLike[str]) -> Migration:
        """Saves the plan to a JSON or (``.yaml``) YAML file, for ``viewscribe apply``."""
        write_plan(self.plan, path)
        self.path = path
        return self

    def apply(
        self,
        *,
        allow_breaking: bool = False,
        author: str | None = None,
        reason: str | None = None,
        watch: Watch = silent,
    ) -> Outcome:
        """Applies the plan; if a step fails, the steps before it are rolled back.

        Raises:
            PlanBlockedError: the plan has problems, or breaks views.
            OutdatedPlanError: the target has changed since the plan was made.
            ApplyFailedError: a step failed; lists what was rolled back and what was not.
        """
        return apply_plan(
            self.plan,
            open_to_apply(self.plan, self.target, allow_breaking=allow_breaking),
            journal=None if self.path is None else journal_of(self.path),
            allow_breaking=allow_breaking,
            author=author,
            reason=reason,
            watch=watch,
        )

    def rollback(
        self,
        *,
        allow_breaking: bool = False,
        author: str | None = None,
        reason: str | None = None,
        watch: Watch = silent,
    ) -> Outcome:
        """Rolls back what the plan did. The plan must have been saved before it was applied.

        Raises:
            JournalError: there is nothing to roll back.
            OutdatedPlanError: an object has been changed since.
            PlanBlockedError: views created since read an object that would be removed.
        """
        return rollback_plan(
            self.plan,
            self.target.open(),
            journal=None if self.path is None else journal_of(self.path),
            allow_breaking=allow_breaking,
            author=author,
            reason=reason,
            watch=watch,
        )

    def __str__(self) -> str:
        lines = [str(step) for step in self.steps]
        lines += [f"{step.target} {step.drift}" for step in self.steps if step.drift]
        lines += [line for step in self.steps for each in step.breaks for line in each.lines()]
        lines += [f"{each.code}: {each}" for each in self.problems]
        return "\n".join(lines) or "nothing to do"


def environment(place: EnvironmentLike, config: str | None = None) -> Environment:
    """Returns the environment for a name, a URL or a catalog.

    Args:
        place: a name in the environments file, the URL of a catalog, or a catalog.
        config: the environments file; by default ``viewscribe.yaml`` in the working directory or
            one above it.
    """
    if isinstance(place, Environment):
        return place
    if isinstance(place, str):
        file = find_environments() if config is None else load_environments(config)
        if file is not None and (place in file or ":" not in place):
            return file[place]
    return environment_of(place)


def plan(
    source: EnvironmentLike,
    target: EnvironmentLike,
    *,
    select: Sequence[str] = (),
    delete: bool = False,
    delete_foreign: bool = False,
    overwrite_drift: bool = False,
    config: str | None = None,
    watch: Watch = silent,
) -> Migration:
    """Plans how to bring ``target`` to the state of ``source``; writes nothing.

    Args:
        source: the environment that has the views and functions.
        target: the environment to change.
        select: patterns of names in the source, such as ``sales.*``; all by default.
        delete: also delete objects that earlier plans created and the source no longer has.
        delete_foreign: also delete objects in the target that no plan created.
        overwrite_drift: also overwrite manual edits made in the target since the last apply.
        config: the environments file.
        watch: a progress listener.
    """
    there = environment(target, config)
    made = make_plan(
        environment(source, config),
        there,
        select=select,
        delete=delete,
        delete_foreign=delete_foreign,
        overwrite_drift=overwrite_drift,
        watch=watch,
    )
    return Migration(made, there)


def load(path: str | os.PathLike[str], *, target: EnvironmentLike | None = None) -> Migration:
    """Loads a saved plan. Raises ``PlanFileError`` if the file is not a valid plan.

    Args:
        path: the file.
        target: the target environment, if the plan does not say how to open it.
    """
    found = read_plan(path)
    there = target_of(found) if target is None else environment(target)
    return Migration(found, there, path)
