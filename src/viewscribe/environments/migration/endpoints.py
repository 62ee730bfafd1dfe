"""Opening the two catalogs of a migration: looking at one makes nothing where there is none."""

from __future__ import annotations

from viewscribe.catalog_store.errors import CatalogNotFoundError
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.environments import Environment
from viewscribe.environments.migration.execution import check_plan
from viewscribe.environments.migration.model import Plan
from viewscribe.environments.migration.progress import Watch, silent


def open_if_there(environment: Environment) -> Catalog | None:
    """The catalog of an environment; None where there is none yet."""
    try:
        return environment.open()
    except CatalogNotFoundError:
        return None


def open_to_apply(
    plan: Plan, target: Environment, *, allow_breaking: bool = False, watch: Watch = silent
) -> Catalog:
    """The catalog that a plan is for, made where there is none.

    Raises:
        PlanBlockedError, OutdatedPlanError: there is none, and the plan does not fit an empty one.
            Nothing was made.
    """
    found = open_if_there(target)
    if found is not None:
        return found
    check_plan(plan, MemoryCatalog(), allow_breaking=allow_breaking, watch=watch)
    return target.open(create=True)
