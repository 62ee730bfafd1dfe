"""Edits of a view's document that its owner takes as what the view shall be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from viewscribe.errors import CatalogError, ValidationError, ViewscribeError
from viewscribe.types import Field
from viewscribe.types.policy import coercion, coercion_of
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import Change, ViewDocument
    from viewscribe.table_api.environment import TableEnvironment

Accepted = Literal["nothing", "document", "text"]
"""What was accepted: nothing, as nothing was edited; the document around the query; a new query."""


def accept_view(env: TableEnvironment, name: str, *, change: Change | None = None) -> Accepted:
    """Stores a view that was edited by hand as what it says now.

    Where the text is still what the plan prints, everything else that was edited is kept. Where it
    is not, the text is what counts: it becomes the plan, as ``sql_query`` would take it, and texts
    for other engines, which are of the old query, are left out.

    Args:
        env: the environment of its catalog.
        name: the view.
        change: who accepts it, and why, for its history.

    Raises:
        ValidationError: the text is not one query, or does not give the document's columns as far
            as that shows without Spark.
        ObjectNotFoundError: there is no such view, or no such table or function as it reads.
    """
    from viewscribe.catalog_store import Relation
    from viewscribe.types.identifiers import parse_name

    view = env.get_view(name)
    relation = env.catalogs.relation(parse_name(name))
    assert isinstance(relation, Relation)
    path, expected = relation.path, relation.token
    with coercion(coercion_of(view.settings)):
        made = _accepted(env, view)
    if made is None:
        return "nothing"
    env.catalogs.save(made, catalog=path.catalog, expected=expected, change=change)
    return "document" if made.plan == view.plan else "text"


def _accepted(env: TableEnvironment, view: ViewDocument) -> ViewDocument | None:
    """The document to store; None where it is stored like that already."""
    from viewscribe.catalog_store.view_checks import is_edited, prints, read_plan

    if view.plan is None:
        return view if is_edited(view) else None
    try:
        tree = read_plan(view)
        fits = prints(tree, view)
    except ViewscribeError:  # the text alone is whole
        return _of_text(env, view)
    if not fits:
        return _of_text(env, view)
    made, said = ([(f.name, f.type) for f in fields] for fields in (tree.schema, _fields(view)))
    if made != said:
        raise ValidationError(
            f"the columns of the view {view.name} are not those of its query",
            location=f"({tree.schema})",
            hint="edit the text, too, or write the columns as they were",
        )
    return view if is_edited(view) else None


def _fields(view: ViewDocument) -> tuple[Field, ...]:
    from viewscribe.catalog_store.view_checks import fields_of

    return fields_of(view.columns)


def _of_text(env: TableEnvironment, view: ViewDocument) -> ViewDocument:
    """The view of the text: its plan, dependencies and columns follow from it."""
    from viewscribe.serializer.plan_document import to_plan
    from viewscribe.table_api.views import view_dependencies

    table = env.sql_query(view.sql, schema=_fields(view))
    made = msgspec.structs.replace(
        view,
        sql=table.to_sql(view.style),
        plan=to_plan(table.operation),
        dependencies=view_dependencies(env, table.operation),
        representations={},
        viewscribe_version=__version__,
    )
    mine = (view.database.lower(), view.name.lower())
    for each in made.dependencies:
        if each.kind != "function" and tuple(part.lower() for part in each.name[-2:]) == mine:
            raise CatalogError(f"the view {view.name} would read itself")
    return made
