"""Migration: compare two environments, plan the changes, apply the plan."""

from __future__ import annotations

from viewscribe.environments.migration.endpoints import open_if_there, open_to_apply
from viewscribe.environments.migration.errors import (
    ApplyFailedError,
    JournalError,
    MigrationError,
    OutdatedPlanError,
    PlanBlockedError,
    PlanBusyError,
    PlanFileError,
    SelectionError,
)
from viewscribe.environments.migration.execution import (
    Outcome,
    apply_plan,
    check_applicable,
    check_plan,
    rollback_plan,
)
from viewscribe.environments.migration.journal import journal_of
from viewscribe.environments.migration.model import Plan, Problem, Step
from viewscribe.environments.migration.plan_file import read_plan, target_of, write_plan
from viewscribe.environments.migration.planner import make_plan

__all__ = [
    "ApplyFailedError",
    "JournalError",
    "MigrationError",
    "Outcome",
    "OutdatedPlanError",
    "Plan",
    "PlanBlockedError",
    "PlanBusyError",
    "PlanFileError",
    "Problem",
    "SelectionError",
    "Step",
    "apply_plan",
    "check_applicable",
    "check_plan",
    "journal_of",
    "make_plan",
    "open_if_there",
    "open_to_apply",
    "read_plan",
    "rollback_plan",
    "target_of",
    "write_plan",
]
