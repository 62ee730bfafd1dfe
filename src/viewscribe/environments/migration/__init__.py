"""Migration: compare two environments, plan the changes, apply the plan."""

from __future__ import annotations

from viewscribe.environments.migration.execution import (
    Outcome,
    apply_plan,
    check_applicable,
    check_plan,
    open_if_there,
    open_to_apply,
    rollback_plan,
)
from viewscribe.environments.migration.journal import (
    ApplyFailedError,
    JournalError,
    MigrationError,
    OutdatedPlanError,
    PlanBlockedError,
    PlanBusyError,
    PlanFileError,
    SelectionError,
    journal_of,
    read_plan,
    target_of,
    write_plan,
)
from viewscribe.environments.migration.model import Plan, Problem, Step
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
