"""What a view keeps when another query replaces it: all that the replacement does not say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import msgspec

from viewscribe.catalog_store import Column, ObjectPath, Relation
from viewscribe.catalog_store.circle import NOT_READ_BACK, mean_the_same
from viewscribe.catalog_store.documents.normalization import is_edited
from viewscribe.catalog_store.errors import LostTextError, ObjectNotFoundError, WrongKindError
from viewscribe.catalog_store.manager import refuse_circle
from viewscribe.catalog_store.view_checks import fields_of, read_plan
from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
    did_you_mean,
)
from viewscribe.serializer import to_sql
from viewscribe.serializer.plan_document import to_plan
from viewscribe.serializer.targets import as_printed, session_target
from viewscribe.table_api.table import Table
from viewscribe.table_api.views import (
    as_read_back,
    in_settings,
    refuse_unfit,
    view_dependencies,
    with_temporaries_inlined,
)
from viewscribe.types import Field
from viewscribe.types.arguments import as_mapping, as_texts, require_optional_text
from viewscribe.types.ddl import type_text
from viewscribe.types.identifiers import parse_name
from viewscribe.types.lexemes import SPARK_SQL, AuthorText
from viewscribe.types.policy import coercion, coercion_of
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import Change, Column, ObjectPath, Stored, ViewDocument
    from viewscribe.environments.migration.model import Break
    from viewscribe.operations.base import QueryOperation
    from viewscribe.table_api.environment import TableEnvironment


# Accepting manual edits to the document of a view.

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
    from viewscribe.environments.migration.steps import find_breaks, refuse_breaks

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
    from viewscribe.catalog_store.view_checks import prints, read_plan

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
    return fields_of(view.columns)


def _of_text(
    env: TableEnvironment, view: ViewDocument, catalog: str, before: QueryOperation | None
) -> Acceptance:
    """Derives the view from its text: plan, dependencies and columns."""

    tree = with_temporaries_inlined(_stored_tree(env, view, catalog))
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


def _stored_tree(env: TableEnvironment, view: ViewDocument, catalog: str) -> QueryOperation:
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


VERIFIED = "viewscribe.verified"
"""The property of a stored view that records how its meaning was proven."""

_OF_THE_QUERY = (VERIFIED, NOT_READ_BACK)
"""The properties that say something of the query, and go with it."""


def find_replaced(env: TableEnvironment, path: ObjectPath) -> Stored[ViewDocument] | None:
    """Returns the view that stands at a path; None where there is none."""
    try:
        return cast("Stored[ViewDocument]", env.catalogs.get("view", path))
    except WrongKindError:  # storing names what is there
        return None
    except ObjectNotFoundError:
        return None


def keep_comment(view: ViewDocument | None, said: str | None) -> str | None:
    """Returns the comment of the view; an empty one is none."""
    require_optional_text(said, "comment")
    if said is None and view is not None:
        return view.comment
    return said or None


def keep_properties(
    view: ViewDocument | None, said: Mapping[str, str | None] | None
) -> dict[str, str]:
    """Returns the properties by name; one that is said to be None is taken away."""
    kept = {} if view is None else dict(view.properties)
    for name in _OF_THE_QUERY:
        kept.pop(name, None)
    given = {**kept, **as_mapping(said, "properties")}
    return {name: value for name, value in given.items() if value is not None}


def keep_column_comments(
    view: ViewDocument | None, columns: Collection[str], said: Mapping[str, str | None] | None
) -> dict[str, str | None]:
    """Returns the view's own comments by the folded names of columns; an empty one is none.

    Raises:
        ValidationError: there is no such column, or it is named twice.
    """
    own = as_mapping(said, "column_comments")
    there = {name.casefold() for name in columns}
    for name in own:
        if name.casefold() not in there:
            raise ValidationError(
                f"the view has no column `{name}` to comment",
                hint=did_you_mean(name, columns) or f"its columns: {', '.join(columns)}",
            )
    given = {name.casefold(): comment or None for name, comment in own.items()}
    if len(given) != len(own):
        raise ValidationError(
            "column_comments names a column twice: upper and lower case are alike",
            hint=f"its names: {', '.join(own)}",
        )
    return {**_commented(view), **given}


def _commented(view: ViewDocument | None) -> dict[str, str | None]:
    """The comments that were said of the view; those of what it reads are none of its own."""
    if view is None:
        return {}
    tree = _tree(view)
    fields = () if tree is None else tree.schema.fields
    inherited = {field.name.casefold(): field.comment for field in fields}
    found = {column.name.casefold(): column.comment for column in view.columns}
    return {name: text for name, text in found.items() if text != inherited.get(name)}


def keep_dialects(
    env: TableEnvironment,
    view: ViewDocument | None,
    table: Table,
    said: Collection[str],
    drop: Collection[str] | bool,
) -> dict[str, str]:
    """Returns the texts for other engines, by dialect: those said, and those that there were.

    Raises:
        LostTextError: a text would be lost that nobody said to drop.
        NotSerializableError: the pipeline cannot be said in a dialect that was asked for.
        ValidationError: no such dialect.
    """
    made = {each.lower(): table.to_sql(dialect=each) for each in as_texts(said, "dialects")}
    if drop is True:
        return made
    dropped = set(map(_name_dialect, as_texts(drop or (), "drop_dialects")))
    if view is None:
        return made
    for dialect in view.representations:
        if dialect.lower() not in made.keys() | dropped:
            made[dialect] = _made_anew(env, view, table, dialect)
    return made


def _name_dialect(dialect: str) -> str:
    from viewscribe.serializer.dialects.translate import name_dialect

    return name_dialect(dialect)


def _made_anew(env: TableEnvironment, view: ViewDocument, table: Table, dialect: str) -> str:
    if not _prints(env, view, dialect):
        raise _lost(
            f"the view `{view.name}` has a text for {dialect} that is not the one that viewscribe "
            "prints for its query, and would be lost",
            dialect,
            f"drop it: drop_dialects=[{dialect!r}]; or have it made anew: "
            f"env.create_view(…, dialects=[{dialect!r}])",
        )
    try:
        return table.to_sql(dialect=dialect)
    except NotSerializableError as error:
        raise _lost(
            f"the view `{view.name}` has a text for {dialect}, and its new query has none: "
            f"{error.message}",
            dialect,
            f"drop the text: drop_dialects=[{dialect!r}]",
        ) from error


def _lost(message: str, dialect: str, hint: str) -> LostTextError:
    error = LostTextError(message, hint=hint)
    error.dialect = dialect
    return error


def _prints(env: TableEnvironment, view: ViewDocument, dialect: str) -> bool:
    """Whether a text for another engine is what the view's plan prints."""
    tree = _tree(view)
    if tree is None:
        return False
    try:
        text = Table(in_settings(env, view.settings), tree).to_sql(dialect=dialect)
    except ViewscribeError:
        return False
    return text == view.representations[dialect]


def _tree(view: ViewDocument) -> QueryOperation | None:
    """The tree of the view; None where there is no plan, or a damaged one."""
    if view.plan is None:
        return None
    try:
        with coercion(coercion_of(view.settings)):
            return read_plan(view)
    except ViewscribeError:
        return None
