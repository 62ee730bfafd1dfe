"""What a test is of: a view as a document, and what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from viewscribe.catalog_store import (
    CatalogManager,
    ObjectNotFoundError,
    Relation,
    Temporary,
    ViewDocument,
)
from viewscribe.catalog_store.columns import columns_of_fields
from viewscribe.catalog_store.gate import refused_temporary_functions
from viewscribe.catalog_store.permissions import raise_first
from viewscribe.catalog_store.view_checks import fields_of, read_plan
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.parser.names import read_names
from viewscribe.parser.settings import make_reading
from viewscribe.snapshots.rows.errors import ViewTestError
from viewscribe.table_api.dataframes import capture, is_dataframe
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import read_view
from viewscribe.types import Field
from viewscribe.types.identifiers import parse_name
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.classes import DataFrame

Path = tuple[str, ...]

_ZONE = "spark.sql.session.timeZone"


class Subject(NamedTuple):
    """A view that is tested, or that such a view reads.

    Args:
        label: what messages call it.
        document: its text, columns and settings.
        tree: its tree; None where its text is not read.
        home: the catalog and database of names without them.
        env: finds what it reads; None where nobody knows more than the document.
    """

    label: str
    document: ViewDocument
    tree: QueryOperation | None
    home: tuple[str, str]
    env: TableEnvironment | None

    @property
    def zone(self) -> str:
        """The time zone of its timestamps."""
        return self.document.settings[_ZONE]

    @property
    def fields(self) -> tuple[Field, ...]:
        """Its columns."""
        return fields_of(self.document.columns)

    def full(self, parts: Path) -> Path:
        """Returns the full path of a name in its text."""
        return (*self.home[: max(3 - len(parts), 0)], *parts)

    def sources(self) -> dict[Path, tuple[Field, ...] | None]:
        """Returns the tables and views it reads, with their columns where it knows them."""
        if self.tree is not None:
            return _sources_of(self.tree)
        names = read_names(self.document.sql, make_reading(self.document.settings))
        return dict.fromkeys(self.full(tuple(table.parts)) for table in names.tables)


def subject_of(view: object, where: object = None) -> Subject:
    """Returns the subject of a test.

    Args:
        view: a ``Table``, a DataFrame, one of ``views(…)``, the name of a stored view, or its
            document.
        where: an environment, a catalog or its URL, for names and for views that others read.

    Raises:
        ViewTestError: it is none of these, or there is no such view.
    """
    env = _environment(where)
    if isinstance(view, Table):
        return _of_table(view)
    if is_dataframe(view):
        return _of_table(capture(cast("DataFrame", view)))
    if isinstance(view, ViewDocument):
        return _of_document(view, "spark_catalog", env)
    env = getattr(view, "env", env)  # one of views(…) brings its catalog along
    name = getattr(view, "name", view)  # what save_view gives has a name
    if not isinstance(name, str):
        raise ViewTestError(
            f"a {type(view).__name__} is no view",
            hint="give a Table, a DataFrame, the name of a stored view, or its document",
        )
    if env is None:
        raise ViewTestError(
            f"nobody says where the view `{name}` is",
            hint='say it: expect(…, env=env), or env="file:./views"',
        )
    try:
        relation = env.catalogs.relation(parse_name(name))
    except ViewscribeError as error:
        raise ViewTestError(error.message, hint=error.hint) from error
    if isinstance(relation, Temporary) and isinstance(relation.value, Table):
        return _of_table(relation.value)
    if not isinstance(relation, Relation) or not isinstance(relation.document, ViewDocument):
        raise ViewTestError(f"`{name}` is no view")
    return _of_document(relation.document, relation.path.catalog, env)


def nested_subject(path: Path, reader: Subject) -> Subject | None:
    """Returns the view that another one reads under a path; None where it is no view."""
    relation = _find(path, reader)
    if relation is None or not isinstance(relation.document, ViewDocument):
        return None
    return _of_document(relation.document, relation.path.catalog, reader.env)


def known_fields(path: Path, reader: Subject) -> tuple[Field, ...] | None:
    """Returns the columns of a table as its own document says."""
    relation = _find(path, reader)
    return None if relation is None else fields_of(relation.document.columns)


def _find(path: Path, reader: Subject) -> Relation | None:
    if reader.env is None:
        return None
    try:
        found = reader.env.catalogs.relation(path)
    except ObjectNotFoundError:
        return None
    return found if isinstance(found, Relation) else None


def _environment(where: object) -> TableEnvironment | None:
    if where is None or isinstance(where, TableEnvironment):
        return where
    if isinstance(where, CatalogManager):
        where = where.catalog()
    return TableEnvironment(where)  # which refuses what is no catalog


def _of_table(table: Table) -> Subject:
    from viewscribe.serializer.plan_document import to_plan
    from viewscribe.serializer.printed_settings import settings_of

    env = table.env
    tree = env.named(table.operation)
    document = ViewDocument(
        database=env.catalogs.current_database,
        name="the table",
        sql=table.to_sql(),
        columns=columns_of_fields(tree.schema.fields),
        settings=_complete(settings_of(tree, env.settings)),
        plan=to_plan(tree),
    )
    home = (env.catalogs.current_catalog, env.catalogs.current_database)
    return Subject("the table", document, tree, home, env)


def _of_document(view: ViewDocument, catalog: str, env: TableEnvironment | None) -> Subject:
    label = f"{view.database}.{view.name}"
    try:
        tree = _read_tree(view, catalog, env)
    except ViewscribeError as error:
        if view.plan is not None:
            raise ViewTestError(f"{label}: {error.message}", hint=error.hint) from error
        tree = None  # only Spark reads its text
    if tree is not None:
        raise_first(refused_temporary_functions(f"the view {label}", tree))
    document = msgspec.structs.replace(view, settings=_complete(view.settings))
    return Subject(label, document, tree, (catalog, view.database), env)


def _complete(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a view with a time zone: a test is the same wherever it runs."""
    return {_ZONE: "UTC", **settings}


def _read_tree(
    view: ViewDocument, catalog: str, env: TableEnvironment | None
) -> QueryOperation | None:
    if view.plan is None:
        return None if env is None else read_view(env, view, catalog)
    with coercion(coercion_of(view.settings)):
        return read_plan(view)


def _sources_of(tree: QueryOperation) -> dict[Path, tuple[Field, ...] | None]:
    found: dict[Path, tuple[Field, ...] | None] = {}
    for node in preorder(tree):
        if isinstance(node, CatalogSource):
            if node.as_of is not None:
                raise ViewTestError(
                    f"`{'.'.join(node.path)}` is read as it was ({node.as_of}), and given rows "
                    "have no past"
                )
            found[node.path] = node.fields
        elif isinstance(node, SqlText):
            found.update({path: found.get(path) for path in node.dependencies})
    return found
