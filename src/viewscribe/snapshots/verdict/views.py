"""The verdict on two states of a stored view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from viewscribe.catalog_store.circle.world import TreeWorld
from viewscribe.catalog_store.documents.history import column_changes
from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.errors import ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.plan_document import from_plan
from viewscribe.snapshots.verdict.judge import compare_trees
from viewscribe.snapshots.verdict.model import Verdict
from viewscribe.snapshots.verdict.reader import TextReader, World
from viewscribe.table_api.text_reader import HomeWorld
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def compare_views(
    before: ViewDocument, after: ViewDocument, env: TableEnvironment, catalog: str
) -> Verdict:
    """Returns what the change from one document of a view to another means.

    What counts is the text of each, which Spark runs: a plan may be older than the text beside it.

    Args:
        before: one document.
        after: the other.
        env: an environment of their catalog.
        catalog: the name of that catalog.
    """
    settings = _other_settings(before.settings, after.settings)
    old, new = (view_reader(each, env, catalog).read(each.sql) for each in (before, after))
    verdict = compare_trees(old, new, after.settings)
    columns = column_changes(_uncommented(before), _uncommented(after))
    if not verdict.is_cosmetic or not (settings or columns):
        return verdict
    why = f"the settings differ: {', '.join(settings)}" if settings else "the columns differ"
    return Verdict("different", f"not proven otherwise: {why}", columns, verdict.lineage)


def view_reader(view: ViewDocument, env: TableEnvironment, catalog: str) -> TextReader:
    """Returns what reads texts as the text of a stored view is read.

    Args:
        view: the document of the view.
        env: an environment of its catalog.
        catalog: the name of the catalog, for names without one.
    """
    worlds: list[World] = [HomeWorld(env, (catalog, view.database))]
    tree = plan_of(view)
    if tree is not None:
        worlds.insert(0, TreeWorld(tree))
    return TextReader(worlds, view.settings, env)


def plan_of(view: ViewDocument) -> QueryOperation | None:
    """Returns the tree of a view's plan; None where it has none, or a damaged one."""
    if view.plan is None:
        return None
    try:
        with coercion(coercion_of(view.settings)):
            return from_plan(view.plan)
    except ViewscribeError:
        return None


def _other_settings(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = sorted({*before, *after})
    return [name for name in names if before.get(name) != after.get(name)]


def _uncommented(view: ViewDocument) -> list[Column]:
    return [replace(each, comment=None) for each in view.columns]
