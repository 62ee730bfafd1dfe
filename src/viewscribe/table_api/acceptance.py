"""Accepting manual edits to the document of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.types import Field
from viewscribe.types.author_text import SPARK_SQL, AuthorText
from viewscribe.types.policy import coercion, coercion_of
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import Change, Column, ViewDocument
    from viewscribe.environments.migration.model import Break
    from viewscribe.operations.base import QueryOperation
    from viewscribe.table_api.environment import TableEnvironment

Accepted = Literal["nothing", "document", "text"]
"""What was accepted: nothing was edited, only the document around the query, or a new query."""


_WAYS_OUT = (
    "change those views too, or allow it: --allow-breaking, allow_breaking=True; --dry-run shows "
    "how each is reached"
)


class Acceptance(NamedTuple):
    """The result of accepting an edited view.

    Args:
        accepted: what was edited.
        before: the document before the edit, as far as its plan allows it to be reconstructed.
        after: the document to store.
            tree_before: its tree; None where there was no plan, or a damaged one.
        tree: the new tree; None where the query is as it was.
        breaks: the views and functions that read it and no longer fit.
    """

    accepted: Accepted
    before: ViewDocument
    after: ViewDocument
    tree_before: QueryOperation | None = None
    tree: QueryOperation | None = None
    breaks: tuple[Break, ...] = ()

    @property
    def means_the_same(self) -> bool | None:
        """Whether both queries provably mean the same; None unless both trees are known."""
        if self.tree is None or self.tree_before is None:
            return None
        from viewscribe.catalog_store.circle import mean_the_same

        with coercion(coercion_of(self.after.settings)):
            return mean_the_same(self.tree_before, self.tree, self.after.settings)


def accept_view(
    env: TableEnvironment,
    name: str,
    *,
    change: Change | None = None,
    store: bool = True,
    allow_breaking: bool = False,
) -> Acceptance:
    """Accepts manual edits to a view and stores it.

    If the text is still what the plan prints, all other edits are kept. Otherwise the text wins:
    it is parsed, and plan, columns and dependencies are derived from it. SQL for other engines is
    dropped, since it belongs to the old query. A view without a plan, written by another tool, is
    treated the same way.

    Args:
        env: the environment of its catalog.
        name: the view.
            change: who accepts it, and why, for its history.
        store: whether to store it, and not only to say what would be.
        allow_breaking: whether to store it even where views that read it break.

    Raises:
        BreakingChangeError: views that read it no longer fit.
        ValidationError: the text is not one query, or means nothing here.
        NotSerializableError: a view cannot hold it, or means something else with its settings.
        ObjectNotFoundError: there is no such view, or no such table or function as it reads.
    """
    from viewscribe.catalog_store import Relation
    from viewscribe.environments.migration.replacing import find_breaks, refuse_breaks
    from viewscribe.types.identifiers import parse_name

    view = env.get_view(name)
    relation = env.catalogs.relation(parse_name(name))
    assert isinstance(relation, Relation)
    path, expected = relation.path, relation.token
    with coercion(coercion_of(view.settings)):
        made = _accept(env, view, path.catalog)
    catalog = env.catalogs.catalog(path.catalog)
    breaks = find_breaks(catalog, path.catalog, made.before, made.after)
    made = made._replace(breaks=breaks)
    if store and not allow_breaking:
        refuse_breaks(breaks, _WAYS_OUT)
    if store and made.accepted != "nothing":
        env.catalogs.save(made.after, catalog=path.catalog, expected=expected, change=change)
    return made


def _accept(env: TableEnvironment, view: ViewDocument, catalog: str) -> Acceptance:
    from viewscribe.catalog_store.documents.normalization import is_edited
    from viewscribe.catalog_store.view_checks import prints, read_plan
    from viewscribe.table_api.views import as_read_back

    if view.plan is None:
        return _of_text(env, view, catalog, None)
    try:
        tree = read_plan(view)
        fits = prints(tree, view)
    except ViewscribeError:  # the plan is damaged, so only the text is left to trust
        return _of_text(env, view, catalog, None)
    if not fits:
        return _of_text(env, view, catalog, tree)
    made, said = ([(f.name, f.type) for f in fields] for fields in (tree.schema, _fields(view)))
    if made != said:
        raise ValidationError(
            f"the columns of the view {view.name} are not those of its query",
            location=f"({tree.schema})",
            hint="edit the text, too, or write the columns as they were",
        )
    if not is_edited(view):
        return Acceptance("nothing", view, view)
    return Acceptance("document", view, as_read_back(env, tree, view))


def _fields(view: ViewDocument) -> tuple[Field, ...]:
    from viewscribe.catalog_store.view_checks import fields_of

    return fields_of(view.columns)


def _of_text(
    env: TableEnvironment, view: ViewDocument, catalog: str, before: QueryOperation | None
) -> Acceptance:
    """Derives the view from its text: plan, dependencies and columns."""
    from viewscribe.catalog_store import ObjectPath
    from viewscribe.catalog_store.view_circles import refuse_circle
    from viewscribe.serializer import to_sql
    from viewscribe.serializer.plan_document import to_plan
    from viewscribe.serializer.printed_settings import as_printed
    from viewscribe.serializer.targets import session_target
    from viewscribe.table_api.views import (
        as_read_back,
        refuse_unfit,
        view_dependencies,
        with_temporaries_inlined,
    )

    tree = with_temporaries_inlined(_tree(env, view, catalog))
    path = ObjectPath(catalog, view.database, view.name)
    refuse_unfit(path, tree)
    dependencies = view_dependencies(env, tree)
    refuse_circle(env.catalogs, path, dependencies)
    target = session_target(view.spark_version) if view.spark_version else None
    made = msgspec.structs.replace(
        view,
        sql=to_sql(tree, view.style, target),
        columns=_columns(tree, view),
        plan=to_plan(tree),
        settings=as_printed(tree, view.settings),
        dependencies=dependencies,
        representations={},
        source=_source(view, catalog),
        viewscribe_version=__version__,
    )
    was = view
    if before is not None:
        was = msgspec.structs.replace(
            view, sql=to_sql(before, view.style, target), columns=_columns(before, view)
        )
    return Acceptance("text", was, as_read_back(env, tree, made), before, tree)


def _source(view: ViewDocument, catalog: str) -> AuthorText:
    """The text of the view as somebody wrote it, before it is printed anew."""
    return AuthorText(
        # What neither Spark nor viewscribe wrote is read as Spark's SQL, and need not be that.
        language="hive" if view.plan is None and view.spark_version is None else SPARK_SQL,
        text=view.sql.strip(),
        namespace=(catalog, view.database),
        columns=tuple(each.name for each in view.columns) if view.plan is None else (),
        settings=view.settings,
        origin="another tool" if view.plan is None else "edited by hand",
    )


def _tree(env: TableEnvironment, view: ViewDocument, catalog: str) -> QueryOperation:
    """Parses the view's text; an unsupported text stays opaque, with the document's columns."""
    from viewscribe.table_api.text_reader import read_view

    try:
        return read_view(env, view, catalog)
    except (SqlSyntaxError, NotSerializableError, UnknownFunctionError):
        if view.plan is None:
            raise
        return env.sql_query(view.sql, schema=_fields(view)).operation


def _columns(tree: QueryOperation, view: ViewDocument) -> tuple[Column, ...]:
    """Returns the columns of a tree, with the view's comments on them."""
    from viewscribe.catalog_store import Column
    from viewscribe.types.ddl import type_text

    comments = {each.name.casefold(): each.comment for each in view.columns}
    return tuple(
        Column(
            name=field.name,
            type=type_text(field.type.as_nullable()),
            nullable=field.nullable,
            comment=comments.get(field.name.casefold()),
        )
        for field in tree.schema.fields
    )
