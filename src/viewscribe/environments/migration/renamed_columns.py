"""Columns that a view gives another name: what makes them is what made them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.environments.migration.columns import ColumnChange
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import strip_alias


def with_renames(
    changes: Sequence[ColumnChange], before: ViewDocument, after: ViewDocument
) -> list[ColumnChange]:
    """The changes, a removed and an added column being one renamed column where that is certain.

    It is where both views have a plan and one expression makes both columns and no third.
    """
    gone = [each for each in changes if each.change == "removed"]
    new = [each for each in changes if each.change == "added"]
    if not gone or not new or before.plan is None or after.plan is None:
        return list(changes)
    made, makes = _makers(before), _makers(after)
    renamed: dict[str, str] = {}
    for old in gone:
        maker = made.get(old.name.lower())
        same = [each.name for each in new if maker and makes.get(each.name.lower()) == maker]
        alike = sum(each == maker for each in made.values())
        if len(same) == 1 and alike == 1:
            renamed[old.name] = same[0]
    return [
        _describe_rename(each, renamed) for each in changes if each.name not in renamed.values()
    ]


def _describe_rename(change: ColumnChange, names: Mapping[str, str]) -> ColumnChange:
    if change.change != "removed" or change.name not in names:
        return change
    return ColumnChange(change.name, "renamed", change.name, names[change.name])


def _makers(view: ViewDocument) -> dict[str, Node]:
    """By the folded name of a column the expression that makes it, where an operation names one."""
    from viewscribe.serializer.plan_document import from_plan
    from viewscribe.types.policy import coercion, coercion_of

    assert view.plan is not None
    try:
        with coercion(coercion_of(view.settings)):
            operation = from_plan(view.plan)
    except ViewscribeError:
        return {}
    while operation.keeps_columns:
        operation = operation.inputs()[0]
    if len(operation.schema) != len(view.columns):
        return {}
    names = [column.name.lower() for column in view.columns]
    return dict(zip(names, map(strip_alias, operation.column_expressions()), strict=False))
