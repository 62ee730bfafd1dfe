"""What the changes of a plan mean: a verdict on each view whose SQL or settings change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.environments import Environment
    from viewscribe.environments.migration import Plan, Step
    from viewscribe.snapshots.verdict import Verdict


def verdicts_of(plan: Plan, target: Environment) -> dict[str, Verdict]:
    """Returns the verdicts on the views that a plan changes, by their names in the target."""
    from viewscribe.catalog_store import CatalogError, DatabaseNotFoundError, ViewDocument
    from viewscribe.environments.migration import open_if_there
    from viewscribe.snapshots.verdict import compare_views
    from viewscribe.table_api.environment import TableEnvironment

    catalog = open_if_there(target)
    if catalog is None:
        return {}
    env = TableEnvironment()
    env.catalogs.register(target.catalog_name, catalog, replace=True)
    found = {}
    for step, after in _changed_views(plan):
        database, name = step.former or (step.database, step.name)
        try:
            before = catalog.get("view", database, name).document
        except (CatalogError, DatabaseNotFoundError):
            continue  # the plan says what is wrong with it
        assert isinstance(before, ViewDocument)
        if before.sql != after.sql or before.settings != after.settings:
            found[step.target] = compare_views(before, after, env, target.catalog_name)
    return found


def _changed_views(plan: Plan) -> Iterator[tuple[Step, ViewDocument]]:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.catalog_store.documents.plain import from_plain

    for step in plan.steps:
        if step.kind == "view" and step.operation in ("change", "rename") and step.document:
            document = from_plain(step.document)
            if isinstance(document, ViewDocument):
                yield step, document
