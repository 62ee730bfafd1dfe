"""Building the document of a view from a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec

from viewscribe.catalog_store.permissions import raise_first, refused_options
from viewscribe.errors import NotSerializableError, ValidationError, ViewscribeError
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.asynchronous.options import PREFIXES, sparks_own
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import Language
from viewscribe.expressions.node import Node, find, preorder, replace
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, JoinKind, SetKind, SqlText, SubqueryAlias
from viewscribe.operations.reach import Part, Reach
from viewscribe.operations.required_settings import TIME_TYPE
from viewscribe.operations.user_functions import user_functions
from viewscribe.serializer.plan_document import to_plan
from viewscribe.serializer.targets import noted_target, settings_of
from viewscribe.types import Field
from viewscribe.types.arguments import as_list, as_texts
from viewscribe.types.identifiers import parse_name
from viewscribe.types.lexemes import SPARK_SQL, AuthorText
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import Dependency, ObjectPath, ViewDocument
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.table import Table


# The settings that a pipeline is meant for: those of its environment.


def in_settings(env: TableEnvironment, meant: Mapping[str, str]) -> TableEnvironment:
    """The environment, or one over the same catalogs where it was not given these settings.

    Args:
        env: an environment.
        meant: settings of a stored view.
    """
    return env if meant.items() <= env.given_settings.items() else env.with_settings(meant)


def require_same_settings(one: TableEnvironment, other: TableEnvironment) -> None:
    """Refuses to make one pipeline of two that are meant for different settings.

    Raises:
        ValidationError: names the first setting that differs.
    """
    here, there = one.settings, other.settings
    if here == there:
        return
    # Whether a pipeline means something else under another value. How asynchronous calls are made
    # is a matter of a run; with TIME on, Spark only takes more.
    differing = [
        name
        for name in {*here, *there}
        if (not name.startswith(PREFIXES) and name != TIME_TYPE)
        and _folded(here.get(name)) != _folded(there.get(name))
    ]
    if not differing:
        return
    name = min(differing)
    raise ValidationError(
        f"one table is meant for {_shown(name, here)}, and the other for {_shown(name, there)}",
        hint="give both environments the same settings, or save one table as a view, which keeps "
        "its own, and read it by its name: env.from_path(…)",
    )


def _folded(value: str | None) -> str | None:
    return None if value is None else value.strip().lower()


def _shown(name: str, settings: Mapping[str, str]) -> str:
    return f"{name} = {settings[name]}" if name in settings else f"Spark's default of {name}"


# The part of a table that takes another one: joins and set operations.


class CombinesTables:
    """The methods of ``Table`` that combine it with another table."""

    __slots__ = ()

    env: TableEnvironment

    def _build(
        self, builder: Callable[..., QueryOperation], *args: Operand, **options: Operand
    ) -> Table:
        raise NotImplementedError

    def _operation_of(self, other: Table) -> QueryOperation:
        """The pipeline of another table.

        Raises:
            ValidationError: it is meant for other settings than this one, or no table.
        """
        require_table(other)
        if other.env is not self.env:
            require_same_settings(self.env, other.env)
        return other.operation

    def join(
        self, other: Table, on: Operand = None, how: str = "inner", *, using: Operand = None
    ) -> Table:
        """Joins this table with another.

        Args:
            other: the right side.
            on: a condition over both sides, or names of shared columns (as in PySpark).
            how: inner, left, right, full, cross, semi or anti, or another of PySpark's spellings.
            using: names of shared columns; the output has each once, at the front.
        """
        return self._join(other, JoinKind.named(how), on, using)

    def _join(
        self, other: Table, kind: JoinKind, on: Operand = None, using: Operand = None
    ) -> Table:
        return self._build(build.join, self._operation_of(other), kind, on, using)

    def left_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of this table; NULLs where the other has no match."""
        return self._join(other, JoinKind.LEFT, on, using)

    def right_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of the other table; NULLs where this one has no match."""
        return self._join(other, JoinKind.RIGHT, on, using)

    def full_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Joins and keeps every row of both tables; NULLs where there is no match."""
        return self._join(other, JoinKind.FULL, on, using)

    def cross_join(self, other: Table) -> Table:
        """Combines every row of this table with every row of the other."""
        return self._join(other, JoinKind.CROSS)

    def semi_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Keeps the rows of this table that have a match in the other."""
        return self._join(other, JoinKind.SEMI, on, using)

    def anti_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Keeps the rows of this table that have no match in the other."""
        return self._join(other, JoinKind.ANTI, on, using)

    def join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Joins each row with the result of a query that may refer to it (SQL ``LATERAL``).

        Args:
            query: a function that takes the outer row's columns and returns a table
                (``lambda outer: orders.filter(col("o_custkey") == outer("c_custkey"))``), or a
                generator call (``F.explode("tags").alias("tag")``).
            on: a condition over both sides.
        """
        return self._build(build.lateral_join, query, JoinKind.INNER, on)

    def left_outer_join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Like ``join_lateral``, but keeps rows without a match, with NULLs beside them."""
        return self._build(build.lateral_join, query, JoinKind.LEFT, on)

    lateral_join = join_lateral

    def union(self, other: Table) -> Table:
        """Returns the distinct rows of both tables. (PySpark's ``union`` is ``union_all``.)"""
        return self._set(other, SetKind.UNION, False)

    def union_all(self, other: Table) -> Table:
        """Returns the rows of both tables, duplicates included."""
        return self._set(other, SetKind.UNION, True)

    def union_by_name(self, other: Table, *, allow_missing: bool = False) -> Table:
        """Like ``union_all``, with columns matched by name; ``allow_missing`` fills in NULLs."""
        return self._build(
            build.union_by_name, self._operation_of(other), allow_missing=allow_missing
        )

    def intersect(self, other: Table) -> Table:
        """Returns the distinct rows that are in both tables."""
        return self._set(other, SetKind.INTERSECT, False)

    def intersect_all(self, other: Table) -> Table:
        """Returns the rows that are in both tables, as often as they occur in both."""
        return self._set(other, SetKind.INTERSECT, True)

    def minus(self, other: Table) -> Table:
        """Returns the distinct rows that are not in the other table."""
        return self._set(other, SetKind.EXCEPT, False)

    def minus_all(self, other: Table) -> Table:
        """Returns the rows that remain after each row of the other removes one equal row."""
        return self._set(other, SetKind.EXCEPT, True)

    subtract = minus
    except_all = minus_all

    def _set(self, other: Table, kind: SetKind, all_rows: bool) -> Table:
        return self._build(build.set_operation, self._operation_of(other), kind, all_rows)


def require_table(value: object) -> None:
    """Refuses what is no table where one is wanted.

    Raises:
        ValidationError: says of what class it is.
    """
    if not isinstance(value, CombinesTables):
        raise ValidationError(
            f"a table is wanted here, and this is of the class {type(value).__name__}",
            hint="of a DataFrame: env.from_dataframe(df); of a name: env.from_path(name)",
        )


def view_document(
    env: TableEnvironment,
    path: ObjectPath,
    table: Table,
    *,
    comment: str | None,
    style: str,
    properties: Mapping[str, str | None] | None,
    column_comments: Mapping[str, str | None] | None = None,
    outside: Collection[tuple[str, ...]] = (),
    nullable: Collection[str] = (),
    annotate: bool = False,
    target: str | None = None,
    dialects: Collection[str] = (),
    drop_dialects: Collection[str] | bool = (),
    replaced: ViewDocument | None = None,
) -> ViewDocument:
    """Returns the document that stores the pipeline under ``path``.

    What is not said is kept from ``replaced``, the view that it replaces.

    Raises:
        LostTextError: a text for another engine would be lost that nobody said to drop.
        NotSerializableError: a view cannot hold the pipeline; gives the reason and a workaround.
        ValidationError: it is no table.
    """
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.catalog_store.columns import columns_of_fields
    from viewscribe.catalog_store.manager import refuse_circle
    from viewscribe.table_api.replacement import (
        keep_column_comments,
        keep_comment,
        keep_dialects,
        keep_properties,
    )

    require_table(table)
    outside, nullable = as_list(outside, "outside"), as_texts(nullable, "nullable")
    table = table.with_operation(with_temporaries_inlined(table.operation))
    operation = env.named(table.operation)
    refuse_unfit(path, operation)
    dependencies = view_dependencies(env, operation, outside)
    _refuse_memory(env, path, dependencies, outside)
    refuse_circle(env.catalogs, path, dependencies)
    comments = keep_column_comments(replaced, operation.schema.names, column_comments)
    document = ViewDocument(
        database=path.database,
        name=path.name,
        comment=keep_comment(replaced, comment),
        owner=None if replaced is None else replaced.owner,
        style=cast(Any, style),
        sql=table.text_of_view(style, annotate=annotate, target=target),
        representations=keep_dialects(env, replaced, table, dialects, drop_dialects),
        source=_source(table),
        columns=columns_of_fields(_view_fields(operation, nullable, comments)),
        properties=keep_properties(replaced, properties),
        settings=checked_settings(settings_of(operation, table.env.settings)),
        dependencies=dependencies,
        viewscribe_version=__version__,
        spark_version=noted_target(target or table.env.target),
        plan=to_plan(operation),
    )
    return as_read_back(env, operation, document)


def _source(table: Table) -> AuthorText | None:
    """The text of the author, where the whole table is one that means the same in any session."""
    witness = table.operation.witness
    if witness is None or (witness.unasked and witness.text.language == SPARK_SQL):
        return None
    return witness.text


def as_read_back(
    env: TableEnvironment, operation: QueryOperation, document: ViewDocument
) -> ViewDocument:
    """Parses the document's text again and compares it with the tree it was printed from.

    Returns:
        The document, with a property that says why if the text cannot be parsed.

    Raises:
        NotSerializableError: the text parses into something else than the tree.
    """
    from viewscribe.catalog_store.circle import NOT_READ_BACK, read_back
    from viewscribe.catalog_store.view_checks import columns_in

    columns_of = columns_in(env.catalogs)
    found = read_back(operation, document.sql, document.settings, columns_of)
    if found.different is not None:
        raise NotSerializableError(
            f"the text of the view would mean something else than the pipeline: {found.different}",
            hint="rename what the name in question could be taken for, or store an earlier step "
            "as a view of its own; please report it, with the pipeline",
        )
    properties = {key: text for key, text in document.properties.items() if key != NOT_READ_BACK}
    if found.unread is not None:
        properties[NOT_READ_BACK] = found.unread
    return msgspec.structs.replace(document, properties=properties)


def _view_fields(
    operation: QueryOperation, nullable: Collection[str], comments: Mapping[str, str | None]
) -> list[Field]:
    """Returns the columns of a view, with its own nullability and comments applied."""
    return [
        Field(
            field.name,
            field.type.as_nullable() if field.name in nullable else field.type,
            comments.get(field.name.casefold(), field.comment),
        )
        for field in operation.schema.fields
    ]


def checked_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings after checking that opening the view will accept them.

    Raises:
        NotSerializableError: a document may not contain one of the settings.
    """
    from viewscribe.catalog_store.settings import is_allowed

    for name, value in sparks_own(settings).items():
        if not is_allowed(name, value):
            raise NotSerializableError(
                f"a view cannot be stored with the setting {name} = {value!r}: the meaning of no "
                "query depends on it",
                hint="leave it out of the environment's settings, and set it in the session",
            )
    return dict(settings)


def check_view(
    env: TableEnvironment, name: str, operation: QueryOperation, *, or_replace: bool
) -> None:
    """Checks that a pipeline can be stored as a view, before any work is done.

    Raises:
        NotSerializableError: a view cannot hold the pipeline.
        CatalogError: the name is taken, or the catalog or database does not exist.
    """
    path = env.catalogs.require_free(parse_name(name), or_replace=or_replace)
    refuse_unfit(path, env.named(operation))


def refuse_unfit(path: ObjectPath, operation: QueryOperation) -> None:
    """Rejects temporary functions, duplicate column names, and a view that reads itself."""
    _refuse_temporary_functions(operation)
    seen: set[str] = set()
    for name in operation.schema.names:
        if name.lower() in seen:
            raise NotSerializableError(
                f"two columns of the view are called `{name}`",
                hint='give one of them another name: .select(…, col("…").alias("…"))',
            )
        seen.add(name.lower())
    read = _paths_read(operation)
    mine = tuple(part.lower() for part in path)
    if any(tuple(part.lower() for part in each) == mine for each in read):
        raise NotSerializableError(
            f"the view `{path}` would read itself", hint="store it under another name"
        )


def refuse_unopenable(name: str, operation: QueryOperation, settings: Mapping[str, str]) -> None:
    """Rejects options of tables that no opener of a view could allow.

    Raises:
        ForbiddenSourceError: the view has one.
    """
    from viewscribe.parser.reach import read_reach  # few programs need the parser
    from viewscribe.parser.settings import make_reading

    for node in find(operation, SqlText):
        reach = Reach()
        with suppress(ViewscribeError):  # what is not read here, its opener is asked about
            reach = read_reach(node.text, Part.QUERY, make_reading(settings))
        raise_first(refused_options(f"the view {name}", reach.options))


def with_temporaries_inlined(operation: QueryOperation) -> QueryOperation:
    """Returns the pipeline with temporary views as parts of it, which nothing has to look up."""
    return cast("QueryOperation", replace(operation, _inlined))


def _inlined(node: Node) -> Node:
    if isinstance(node, SubqueryAlias) and node.temporary:
        return SubqueryAlias.of(node.child, node.name)
    return node


def _refuse_temporary_functions(operation: QueryOperation) -> None:
    for function in user_functions(operation):
        if function.anonymous:
            raise NotSerializableError(
                f"a stored view cannot call {function!r}, which is not registered",
                hint=f'register it: env.create_function("{function!r}", …)',
            )
        if function.temporary:
            raise NotSerializableError(
                f"a stored view cannot depend on the temporary function {function!r}",
                hint=f'store it in a catalog: env.create_function("{function!r}", …)',
            )
        if function.source.language is Language.JAVA and function.kind is FunctionKind.SCALAR:
            raise NotSerializableError(
                f"a stored view cannot call the Java function {function!r}: Spark keeps no UDF0 … "
                "UDF22 in its catalogs",
                hint="say LANGUAGE HIVE if the class is one of Hive's, or say it in SQL",
            )


def _refuse_memory(
    env: TableEnvironment,
    path: ObjectPath,
    dependencies: tuple[Dependency, ...],
    outside: Collection[tuple[str, ...]],
) -> None:
    """Rejects a persistent view that reads tables of an in-memory catalog."""
    from viewscribe.catalog_store import MemoryCatalog

    if isinstance(env.catalogs.catalog(path.catalog), MemoryCatalog):
        return
    known = {each.casefold() for each in env.catalogs.catalogs()}
    for each in dependencies:
        if each.name in outside or each.name[0].casefold() not in known:  # of a session's
            continue
        if isinstance(env.catalogs.catalog(each.name[0]), MemoryCatalog):
            raise NotSerializableError(
                f"the view `{path}` would depend on `{'.'.join(each.name)}`, which is in a "
                "catalog in memory and ends with this process",
                hint="create the table in a catalog that lasts",
            )


def _paths_read(operation: QueryOperation) -> list[tuple[str, ...]]:
    """Returns the distinct tables and views that a pipeline reads, in order of appearance."""
    paths: dict[tuple[str, ...], None] = {}
    for node in preorder(operation):
        if isinstance(node, CatalogSource):
            paths[node.path] = None
        elif isinstance(node, SqlText):
            paths.update(dict.fromkeys(node.dependencies))
    return list(paths)


def view_dependencies(
    env: TableEnvironment,
    operation: QueryOperation,
    outside: Collection[tuple[str, ...]] = (),
) -> tuple[Dependency, ...]:
    """Returns the tables, views and functions that a pipeline uses, in order of appearance.

    Args:
        env: the environment whose catalogs know them.
        operation: the pipeline.
        outside: tables that only a session knows.
    """
    from viewscribe.catalog_store import Dependency

    found = []
    for path in _paths_read(operation):
        if path in outside:
            found.append(Dependency(kind="table", name=path))
            continue
        kind = env.catalogs.kind_of(path)
        if kind is None:
            env.catalogs.relation(path)  # which says what is there instead
        found.append(Dependency(kind=cast(Any, kind), name=path))
    called = dict.fromkeys(each.registered.parts for each in user_functions(operation))
    found += [Dependency(kind="function", name=path) for path in called]
    return tuple(found)
