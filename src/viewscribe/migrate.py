"""Moving views between environments from Python: ``vs.migrate.plan("dev", "prod").apply()``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from viewscribe.catalog_store.environments import (
    Environment,
    environment_of,
    find_environments,
    load_environments,
)
from viewscribe.catalog_store.migration.applying import Outcome, apply_plan, rollback_plan
from viewscribe.catalog_store.migration.journal import journal_of
from viewscribe.catalog_store.migration.model import Plan, Problem, Step
from viewscribe.catalog_store.migration.opening import open_to_apply
from viewscribe.catalog_store.migration.plan_file import read_plan, target_of, write_plan
from viewscribe.catalog_store.migration.planning import make_plan
from viewscribe.catalog_store.migration.watching import Watch, silent
from viewscribe.catalog_store.protocol import Catalog

EnvironmentLike = str | Environment | Catalog
"""The name of an environment of viewscribe.yaml, the URL of a catalog, or either of them itself."""


class Migration:
    """A plan and the environment it is for.

    Args:
        plan: what is to be done.
        target: where.
        path: the file of the plan, whose journal is beside it.
    """

    def __init__(
        self, plan: Plan, target: Environment, path: str | os.PathLike[str] | None = None
    ) -> None:
        self.plan = plan
        self.target = target
        self.path = path

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is to be done, in this order."""
        return self.plan.steps

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What stands against it, and what nobody could check."""
        return self.plan.problems

    def save(self, path: str | os.PathLike[str]) -> Migration:
        """Write the plan to a file, JSON or (``.yaml``) YAML, for ``viewscribe apply``."""
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
        """Carry the plan out; what was done is taken back where a step fails.

        Raises:
            PlanBlockedError: the plan has problems, or breaks views.
            OutdatedPlanError: the target has changed since.
            ApplyFailedError: a step failed; says what was taken back and what stands.
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
        """Take back what the plan did. Needs a plan that was saved before it was applied.

        Raises:
            JournalError: there is nothing to take back.
            OutdatedPlanError: something was changed since.
            PlanBlockedError: views that were made since read what would go.
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
    """The environment that a name, a URL or a catalog stands for.

    Args:
        place: the name of one in the environments file, a catalog's URL, or a catalog.
        config: the environments file; ``viewscribe.yaml`` here or above by default.
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
    """What has to be done so that ``target`` holds what ``source`` holds; nothing is written.

    Args:
        source: where the views and functions are.
        target: where they are to be.
        select: patterns of the source's names, ``sales.*``; none for all.
        delete: also delete what the source has not, of what plans brought.
        delete_foreign: also delete what came into the target another way.
        overwrite_drift: also overwrite what was edited by hand in the target since the last apply.
        config: the environments file.
        watch: is told how far it is.
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
    """A plan that was saved. Raises ``PlanFileError``.

    Args:
        path: the file.
        target: the target, where the plan cannot say how to open it.
    """
    found = read_plan(path)
    there = target_of(found) if target is None else environment(target)
    return Migration(found, there, path)
