"""What a view keeps when another query replaces it: all that the replacement does not say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, cast

from viewscribe.catalog_store.circle import NOT_READ_BACK
from viewscribe.catalog_store.errors import (
    LostTextError,
    ObjectNotFoundError,
    WrongKindError,
)
from viewscribe.errors import (
    NotSerializableError,
    ValidationError,
    ViewscribeError,
    did_you_mean,
)
from viewscribe.table_api.meant_settings import in_settings
from viewscribe.table_api.table import Table
from viewscribe.types.arguments import as_mapping, as_texts, require_optional_text
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import ObjectPath, Stored, ViewDocument
    from viewscribe.operations.base import QueryOperation
    from viewscribe.table_api.environment import TableEnvironment

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
    from viewscribe.catalog_store.view_checks import read_plan

    if view.plan is None:
        return None
    try:
        with coercion(coercion_of(view.settings)):
            return read_plan(view)
    except ViewscribeError:
        return None
