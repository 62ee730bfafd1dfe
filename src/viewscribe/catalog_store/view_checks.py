"""Checking without Spark that a stored view is still consistent.

Its text must be what its plan prints, its columns must be those of the plan, and the tables and
views that it reads must still have the columns that the plan was built from.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import Column, ViewDocument
from viewscribe.catalog_store.documents.normalization import is_edited, is_untouched
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.manager import CatalogManager, Relation
from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import UnknownColumnError, ValidationError, ViewscribeError
from viewscribe.expressions.node import find
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import coercion, coercion_of
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation

FindColumns = Callable[[tuple[str, ...]], Sequence[Column] | None]
"""The columns of the table or view of a full name; None where it is not known here."""


class Fault(NamedTuple):
    """A problem of a view: the code of the finding, the cause and a hint."""

    code: str
    cause: str
    hint: str | None = None


ReadPlan = Callable[[], "QueryOperation"]
"""Reads the plan of a view, under its settings; raises ``ViewscribeError`` where it is damaged."""

NOT_READ_BACK = "not-read-back"
"""The code of a note, not a fault: only Spark can parse the text, so it is unproven."""

NO_PLAN = "no-plan"
"""The code of a note: another tool wrote the view, so it has a text but no plan."""

_TO_ACCEPT = "viewscribe accept reads it, and stores its plan"

SAVE_AGAIN = "save the view again from its pipeline, or restore what was changed"


def view_faults(
    view: ViewDocument, columns_of: FindColumns, tree_of: ReadPlan | None = None
) -> Iterator[Fault]:
    """Yields everything wrong with a view, judging by its plan and by what it reads.

    Args:
        view: the view, as a catalog gives it.
        columns_of: finds the columns of tables and views.
        tree_of: reads the plan, where others read it as well.
    """
    edited = not is_untouched(view)
    if view.plan is None:
        if edited:
            yield _edit(view, "")
        else:
            yield Fault(NO_PLAN, "it has no plan: its text is held against nothing", _TO_ACCEPT)
        return
    unknown = _unknown_version(view)
    if unknown is not None:
        yield unknown
        view = msgspec.structs.replace(view, spark_version=None)
    try:
        with coercion(coercion_of(view.settings)):
            tree = read_plan(view) if tree_of is None else tree_of()
            other = None if prints(tree, view) else _other_text(view, edited)
    except ViewscribeError as error:
        if edited:
            yield _edit(view, "")
        yield Fault("damaged-plan", error.message, "restore the document, or save the view again")
        return
    if edited:
        yield _edit(view, ", and its text is not what its plan prints" if other else "")
    elif other:
        yield other
    else:
        yield from _read_back(view, tree, columns_of)
    yield from _wrong_columns(view, tree)
    yield from _wrong_dependencies(view, tree)
    yield from _other_representations(view, tree)
    yield from changed_sources(view, columns_of)
    yield from _changed_texts(tree, columns_of)


def read_plan(view: ViewDocument) -> QueryOperation:
    """Returns the tree of a view that has a plan.

    Raises:
        PlanDocumentError: the plan is damaged.
    """
    from viewscribe.serializer.plan_document import from_plan

    assert view.plan is not None
    return from_plan(view.plan)


def prints(tree: QueryOperation, view: ViewDocument) -> bool:
    """Returns whether the tree prints the view's text, in its style and for its Spark version.

    Comments at the ends of lines are ignored; they are not part of the tree.
    """
    from viewscribe.catalog_store.text_reader import with_comments

    text = print_plan(tree, view)
    return view.sql == text or view.sql == with_comments(view.sql, text, text)


def print_plan(tree: QueryOperation, view: ViewDocument) -> str:
    """The text of the tree in the style, and for the Spark version, of a view."""
    from viewscribe.serializer import to_sql
    from viewscribe.serializer.targets import session_target

    target = session_target(view.spark_version) if view.spark_version else None
    return to_sql(tree, view.style, target)


def _unknown_version(view: ViewDocument) -> Fault | None:
    """Whether the view says that its text is for a Spark that nobody here knows."""
    from viewscribe.serializer.targets import TARGETS, is_known

    if view.spark_version is None or is_known(view.spark_version):
        return None
    return Fault(
        "unknown-version",
        f"its text is said to be for Spark {view.spark_version}, which this viewscribe does not "
        f"know: it knows {', '.join(TARGETS)}",
        "save the view again for a version that there is, or upgrade viewscribe",
    )


def _edit(view: ViewDocument, more: str) -> Fault:
    name = quote_name((view.database, view.name))
    return Fault(
        "edited",
        f"the fingerprint does not match: the document was edited by hand{more}",
        f"to keep the edit: viewscribe accept {name}; to undo it: viewscribe rollback {name} --to "
        "VERSION",
    )


def _other_text(view: ViewDocument, edited: bool) -> Fault:
    cause = "its text is not what its plan prints"
    made_by = view.viewscribe_version
    if made_by is not None and made_by != __version__ and not edited:
        cause += f" now; viewscribe {made_by} printed it"
    name = quote_name((view.database, view.name))
    return Fault(
        "other-text",
        cause,
        "viewscribe verify says whether they mean the same; save the view again, or let its text "
        f"be what it means: viewscribe accept {name}",
    )


def _read_back(
    view: ViewDocument, tree: QueryOperation, columns_of: FindColumns
) -> Iterator[Fault]:
    """Parses the text and compares it with the plan; yields a note if it does not parse."""
    from viewscribe.catalog_store.circle import read_back

    found = read_back(tree, view.sql, view.settings, columns_of)
    if found.different is not None:
        cause = f"its text means something else than its plan: {found.different}"
        yield Fault("misread-text", cause, SAVE_AGAIN)
    if found.unread is not None:
        cause = f"its text is not read back: {found.unread}"
        yield Fault(NOT_READ_BACK, cause, "in Spark, viewscribe verify compares it with its plan")


def _wrong_columns(view: ViewDocument, tree: QueryOperation) -> Iterator[Fault]:
    made, said = list(tree.schema.fields), list(fields_of(view.columns))
    if len(made) != len(said):
        cause = f"its plan has {len(made)} columns, the document {len(said)}"
        yield Fault("wrong-columns", cause, SAVE_AGAIN)
        return
    for place, (one, other) in enumerate(zip(made, said, strict=True), 1):
        if one.name != other.name:
            cause = f"column {place} is `{one.name}` in its plan, `{other.name}` in the document"
        elif one.type != other.type:
            cause = f"`{one.name}` is {one.type} in its plan, {other.type} in the document"
        else:
            continue
        yield Fault("wrong-columns", cause, SAVE_AGAIN)


def _wrong_dependencies(view: ViewDocument, tree: QueryOperation) -> Iterator[Fault]:
    """Compares what the plan reads and calls with the dependencies in the document."""
    from viewscribe.operations.user_functions import user_functions

    read = [node.path for node in find(tree, CatalogSource)]
    for node in find(tree, SqlText):
        read += node.dependencies
    called = [each.registered.parts for each in user_functions(tree) if not each.temporary]
    made = {_fold(path): path for path in (*read, *called)}
    said = {_fold(each.name): each.name for each in view.dependencies}
    for key in made.keys() - said.keys():
        cause = f"its plan reads `{'.'.join(made[key])}`, which is not among its dependencies"
        yield Fault("wrong-dependency", cause, SAVE_AGAIN)
    for key in said.keys() - made.keys():
        cause = f"its dependencies name `{'.'.join(said[key])}`, which its plan does not read"
        yield Fault("wrong-dependency", cause, SAVE_AGAIN)


def _fold(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(fold, path))


def _other_representations(view: ViewDocument, tree: QueryOperation) -> Iterator[Fault]:
    """Compares SQL for other engines, which the fingerprint does not cover, with the plan."""
    from viewscribe.serializer.dialects import to_dialect

    for dialect, text in view.representations.items():
        try:
            made = to_dialect(tree, dialect)
        except ViewscribeError:
            made = ""
        if made != text:
            cause = f"its text for {dialect} is not what its plan prints"
            yield Fault("other-text", cause, SAVE_AGAIN)


def fields_of(columns: Sequence[Column]) -> tuple[Field, ...]:
    """Returns the columns of a document as fields."""
    return tuple(
        Field(each.name, parse_type(each.type).with_nullability(each.nullable)) for each in columns
    )


# -- what the view reads --------------------------------------------------------------------------


def changed_sources(view: ViewDocument, columns_of: FindColumns) -> Iterator[Fault]:
    """Yields the columns that have changed in the tables and views that the plan reads.

    An added column is not a fault, because the view's SQL names its columns explicitly.
    """
    seen: set[tuple[str, ...]] = set()
    for node in _nodes(view):
        path = tuple(node["path"])
        if path in seen:
            continue
        seen.add(path)
        columns = columns_of(path)
        if columns is None:
            continue  # in another catalog, or missing, which has its own finding
        for change in _changes(node["fields"], columns):
            cause = f"`{'.'.join(path)}` has changed since: {change}"
            yield Fault("changed-source", cause, "save the view again from its pipeline")


def _changed_texts(tree: QueryOperation, columns_of: FindColumns) -> Iterator[Fault]:
    """Yields opaque SQL texts that no longer fit their tables, as far as that shows here."""
    from viewscribe.catalog_store.text_reader import leaf_tree
    from viewscribe.parser.opaque import check_columns

    for node in find(tree, SqlText):
        if None in map(columns_of, node.dependencies):
            continue  # a missing dependency, or a table of another catalog
        try:
            check_columns(leaf_tree(node, columns_of).schema.fields, node.fields)
        except ViewscribeError as error:
            if type(error) in (ValidationError, UnknownColumnError):  # else it is not read
                cause = f"its SQL text does not fit the tables as they are now: {error.message}"
                yield Fault("changed-source", cause, "write the text anew, or restore the table")


def _nodes(view: ViewDocument) -> list[Mapping[str, Any]]:
    nodes = view.plan.get("nodes", ()) if view.plan is not None else ()
    return [
        node
        for node in nodes
        if (type(node) is dict or isinstance(node, Mapping))
        and node.get("node") == "catalog_source"
        and isinstance(node.get("path"), list | tuple)
        and isinstance(node.get("fields"), list | tuple)
    ]


def _changes(fields: Sequence[Any], columns: Sequence[Column]) -> list[str]:
    now = {column.name.lower(): column for column in columns}
    found = []
    for field in fields:
        column = now.get(field["name"].lower())
        if column is None:
            found.append(f"the column `{field['name']}` is gone")
            continue
        before = parse_type(field["type"])
        after = parse_type(column.type).with_nullability(column.nullable)
        if before != after:
            found.append(f"`{field['name']}` was {before}, and is {after}")
    was = [name for field in fields if (name := field["name"].lower()) in now]
    known = set(was)
    order = [name for column in columns if (name := column.name.lower()) in known]
    if was != order:
        found.append("its columns are in another order")
    return found


class ChangedViewWarning(UserWarning):
    """A view was edited by hand, or something that it reads has changed since it was stored."""


def columns_in(catalogs: CatalogManager) -> FindColumns:
    """Returns a function that finds the columns of tables and views in these catalogs."""

    def find(path: tuple[str, ...]) -> Sequence[Column] | None:
        try:
            relation = catalogs.relation(path)
        except CatalogError:
            return None
        return relation.document.columns if isinstance(relation, Relation) else None

    return find


def warn_of_changes(view: ViewDocument, columns_of: FindColumns | None) -> None:
    """Emits a ``ChangedViewWarning`` for each sentence of ``warnings_of``."""
    for text in warnings_of(view, columns_of):
        warnings.warn(text, ChangedViewWarning, stacklevel=3)


def warnings_of(view: ViewDocument, columns_of: FindColumns | None) -> Iterator[str]:
    """Yields warnings for readers of a view, each a sentence.

    Args:
        view: the document.
        columns_of: finds the columns of what it reads; None skips that check.
    """
    name = f"{view.database}.{view.name}"
    if is_edited(view):
        yield (
            f"the view {name} was edited by hand: its fingerprint does not match, and its text, "
            "columns and plan may say different things"
        )
    if columns_of is None:
        return
    try:
        faults = list(changed_sources(view, columns_of))
    except (ViewscribeError, LookupError, TypeError, AttributeError):
        return  # a damaged plan raises its own error when it is read
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        yield f"the view {name} may be out of date: {faults[0].cause}{more}"
