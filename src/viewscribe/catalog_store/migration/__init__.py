"""Migration: compare two environments, plan the changes, apply the plan."""

from __future__ import annotations

from viewscribe.catalog_store.migration.endpoints import open_if_there, open_to_apply
from viewscribe.catalog_store.migration.errors import (
    ApplyFailedError,
    JournalError,
    MigrationError,
    OutdatedPlanError,
    PlanBlockedError,
    PlanBusyError,
    PlanFileError,
    SelectionError,
)
from viewscribe.catalog_store.migration.execution import (
    Outcome,
    apply_plan,
    check_applicable,
    check_plan,
    rollback_plan,
)
from viewscribe.catalog_store.migration.journal import journal_of
from viewscribe.catalog_store.migration.model import Plan, Problem, Step
from viewscribe.catalog_store.migration.plan_file import read_plan, target_of, write_plan
from viewscribe.catalog_store.migration.planner import make_plan

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
