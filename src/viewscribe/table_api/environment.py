"""``TableEnvironment``: where tables come from and where views go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from viewscribe.errors import CatalogError, ValidationError
from viewscribe.expressions.functions.bodies import read_bodies_with
from viewscribe.operations import build
from viewscribe.operations.nodes import CatalogSource, SubqueryAlias
from viewscribe.parser.bodies import type_of_body
from viewscribe.table_api.building import in_force
from viewscribe.table_api.columns import fields_of_columns, given_fields
from viewscribe.table_api.opening import opened
from viewscribe.table_api.registering import RegistersFunctions
from viewscribe.table_api.table import Table
from viewscribe.types import Field
from viewscribe.types.policy import ANSI, coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import (
        Catalog,
        CatalogManager,
        Change,
        CheckConstraint,
        Stored,
        Token,
        ViewDocument,
    )
    from viewscribe.expressions.functions.catalog import FunctionCatalog
    from viewscribe.expressions.functions.importing import PythonModules
    from viewscribe.expressions.functions.user_defined import FunctionSource, UserFunction
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.accepting import Accepted
    from viewscribe.table_api.statements import Result

read_bodies_with(type_of_body)


class TableEnvironment(RegistersFunctions):
    """Catalogs of tables and views, and the pipelines that start from them.

    Args:
        catalog: the catalog registered as ``spark_catalog``: a URL (``"file:./views"``,
            ``"memory:"``, ``"spark:"``), a ``Catalog`` or a running ``SparkSession``; a new memory
            catalog by default.
        settings: Spark settings that the views' meaning depends on, where they are not Spark's
            defaults: ``{"spark.sql.session.timeZone": "Europe/Berlin"}``; and how asynchronous
            functions are called: ``{"table.exec.async-scalar.system.lookup.timeout": "5 s"}``.
        inline_functions: gives a function that is used without a name (``call(function, …)``) the
            name of a registered one, which it may register then and there.
        target: the Spark version that reads the texts, ``"4.0"`` or ``"4.1.4"``; the newest by
            default.
        python_modules: the modules and packages that Python functions of its catalogs may be
            imported from, where a query that calls them runs; none by default.
    """

    def __init__(
        self,
        catalog: str | Catalog | Any | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        inline_functions: Callable[[UserFunction], str] | None = None,
        target: str | None = None,
        python_modules: PythonModules | Iterable[str] | None = None,
    ) -> None:
        self._inline_functions = inline_functions
        self._python_modules = None if python_modules is None else _modules(python_modules)
        self._given = None if catalog is None else opened(catalog, "spark_catalog")
        self._manager: CatalogManager | None = None
        self._functions: FunctionCatalog | None = None
        self.has_functions = False
        """Whether anybody has asked for ``functions`` so far."""
        self._settings = _checked(settings or {})
        self.coercion = coercion_of(self._settings)
        """How types are brought together: the settings say whether ANSI is on."""
        self.is_plain = self.coercion is ANSI and inline_functions is None
        """Whether pipelines are built with the built-in functions alone, and ANSI on."""
        self.target = None if target is None else _known_target(target)
        """The Spark version that texts are written for; the newest where it is None."""

    @classmethod
    def open(
        cls,
        url: str,
        *,
        settings: Mapping[str, str] | None = None,
        target: str | None = None,
        python_modules: PythonModules | Iterable[str] | None = None,
    ) -> TableEnvironment:
        """An environment over the catalog at ``url``.

        Raises:
            UnknownSchemeError: the URL names no kind of catalog; lists those there are.
        """
        return cls(url, settings=settings, target=target, python_modules=python_modules)

    @property
    def python_modules(self) -> PythonModules:
        """The modules that Python functions of the catalogs may be imported from."""
        if self._python_modules is None:
            self._python_modules = _modules(())
        return self._python_modules

    @property
    def catalogs(self) -> CatalogManager:
        """The catalogs, the current ones and the temporary objects."""
        if self._manager is None:
            from viewscribe.catalog_store import CatalogManager

            self._manager = CatalogManager(self._given)
        return self._manager

    @property
    def functions(self) -> FunctionCatalog:
        """The functions that names can mean: built in, of catalogs, temporary."""
        if self._functions is None:
            from viewscribe.catalog_store.functions import StoredFunctions
            from viewscribe.expressions.functions.catalog import FunctionCatalog

            self._functions = FunctionCatalog(
                StoredFunctions(self.catalogs), check=self._check_function
            )
            self.has_functions = True
            self.is_plain = False
        return self._functions

    def _check_function(self, name: str, source: FunctionSource, temporary: bool) -> None:
        """Refuses a SQL function whose body Spark would refuse."""
        from viewscribe.parser.definitions import check_function
        from viewscribe.table_api.reading import EnvironmentWorld

        with coercion(self.coercion):
            check_function(name, source, EnvironmentWorld(self), temporary=temporary)

    def named(self, operation: QueryOperation) -> QueryOperation:
        """The tree with names for its inline functions, where ``inline_functions`` gives some."""
        give = self._inline_functions
        if give is None:
            return operation
        from viewscribe.operations.rewrites.inline import with_named_functions

        return with_named_functions(
            operation, lambda each: self.functions.lookup(give(each)).function
        )

    @property
    def settings(self) -> dict[str, str]:
        """The Spark settings under which this environment's views are meant."""
        from viewscribe.catalog_store.settings import DEFAULT_SETTINGS

        return {**DEFAULT_SETTINGS, **self._settings}

    def register_catalog(self, name: str, catalog: str | Catalog | Any) -> None:
        """Makes a further catalog known by a name.

        Args:
            name: what it is called here.
            catalog: a URL or a ``Catalog``; or a running session, whose catalog of that name it is.
        """
        self.catalogs.register(name, opened(catalog, name))

    def use_catalog(self, name: str) -> None:
        """Makes a catalog the one that names without a catalog mean."""
        self.catalogs.use_catalog(name)

    def use_database(self, name: str) -> None:
        """Makes a database the one that names without a database mean."""
        self.catalogs.use_database(name)

    def create_database(
        self, name: str, *, comment: str | None = None, if_not_exists: bool = False
    ) -> None:
        """Creates a database: ``"sales"`` or ``"catalog.sales"``."""
        from viewscribe.catalog_store import DatabaseDocument

        parts = _parts(name)
        self.catalogs.create_database(
            DatabaseDocument(name=parts[-1], comment=comment),
            catalog=parts[0] if len(parts) == 2 else None,
            if_not_exists=if_not_exists,
        )

    # -- tables ----------------------------------------------------------------------------------

    def create_table(
        self,
        name: str,
        schema: str | Sequence[Field],
        *,
        format: str | None = None,
        location: str | None = None,
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        or_replace: bool = False,
        properties: Mapping[str, str] | None = None,
        partitioned_by: Sequence[str] = (),
        defaults: Mapping[str, str] | None = None,
        checks: Sequence[CheckConstraint] = (),
    ) -> None:
        """Registers a table's metadata; no data is touched.

        Args:
            name: ``table``, ``database.table`` or ``catalog.database.table``.
            schema: DDL (``"name STRING, born DATE NOT NULL"``) or fields.
            format: how Spark reads it: ``parquet``, ``csv``, …
            location: where its files are.
            options: what the format wants to know.
            comment: what the table is.
            or_replace: whether a table of that name may be replaced.
            properties: further properties, kept as they are.
            partitioned_by: the columns that its files are divided by.
            defaults: by column, SQL text of what a row has that says nothing of it. Like checks
                it is kept as it is; a CREATE TABLE statement is checked.
            checks: what holds for every row.

        Raises:
            AlreadyExistsError: there is a table or view of that name.
        """
        from viewscribe.catalog_store import TableDocument
        from viewscribe.catalog_store.columns import columns_of_fields

        path = self.catalogs.resolve(_parts(name))
        document = TableDocument(
            database=path.database,
            name=path.name,
            comment=comment,
            columns=columns_of_fields(given_fields(schema), defaults),
            format=format,
            location=location,
            options=dict(options or {}),
            properties=dict(properties or {}),
            partitioned_by=tuple(partitioned_by),
            checks=tuple(checks),
            viewscribe_version=_version(),
        )
        self.catalogs.save(document, catalog=path.catalog, or_replace=or_replace)

    def drop_table(self, name: str, *, if_exists: bool = False) -> None:
        """Forgets a table's metadata."""
        self.catalogs.drop("table", _parts(name), if_exists=if_exists)

    def list_tables(self, database: str | None = None) -> list[str]:
        """The names of the tables of a database; the current one by default."""
        return [each.name for each in self.catalogs.list_objects("table", database=database)]

    def from_path(self, name: str) -> Table:
        """A table or view of a catalog, or a temporary view.

        A ``ChangedViewWarning`` says where a view was edited by hand, or where what it reads has
        changed since: its columns are then those of its document, and may be wrong.

        Raises:
            ObjectNotFoundError: there is none of that name; shows the nearest.
        """
        from viewscribe.catalog_store import Temporary, ViewDocument

        found = self.catalogs.relation(_parts(name))
        if isinstance(found, Temporary):
            body = found.value
            assert isinstance(body, Table)
            return Table(self, SubqueryAlias.of(body.operation, found.name, True))
        document = found.document
        if isinstance(document, ViewDocument) and document.plan is not None:
            from viewscribe.catalog_store.view_checks import columns_in, warn_of_changes

            warn_of_changes(document, columns_in(self.catalogs))
        fields = fields_of_columns(document.columns)
        return Table(self, CatalogSource.of(tuple(found.path), fields))

    table = from_path

    def path_of(self, name: str) -> tuple[str, ...]:
        """The full path of a table or view of a catalog.

        Raises:
            ObjectNotFoundError: there is none of that name; shows the nearest.
            ValidationError: it is a temporary view, which has none.
        """
        operation = self.from_path(name).operation
        if not isinstance(operation, CatalogSource):
            raise ValidationError(
                f"`{name}` is a temporary view, which is part of what reads it",
                hint="name a table that it reads",
            )
        return operation.path

    def from_values(
        self, rows: Sequence[Any], schema: str | Sequence[Field] | None = None
    ) -> Table:
        """A table of rows written in the query.

        Args:
            rows: tuples, lists, dicts or named tuples of Python values or literals.
            schema: DDL or fields; by default names and types follow from the rows.
        """
        fields = None if schema is None else given_fields(schema)
        return Table(self, in_force(self, build.values, rows, fields))

    def from_function(self, name: str, /, *args: object, **named: object) -> Table:
        """A function that is a table, ``env.from_function("range", 10)``.

        Args:
            name: ``range``, ``sql_keywords``, ``collations``, ``python_worker_logs``, or a table
                function that was registered.
            args: Python values or constant expressions.
            named: those of a function that was registered, by the names of its parameters.

        Raises:
            UnknownFunctionError: no function has the name; shows the nearest.
            ValidationError: the function does not make a table, or does not take the arguments.
        """
        function = self.functions.lookup(name).function
        return Table(self, in_force(self, build.table_function, function, args, named))

    def from_call(self, call: object) -> Table:
        """The table that a call gives, ``env.from_call(call(Fn, t.partition_by("k"), …))``.

        Args:
            call: a call of a process table function with tables, or of a table function with
                constants; under names, ``call("f", 2).as_("a", "b")``, those are the columns'.

        Raises:
            ValidationError: the call lacks something, or the function makes no table.
        """
        from viewscribe.expressions.dsl import (
            AliasExpression,
            NamedCallExpression,
            NamesExpression,
            StarExpression,
            TableCall,
        )
        from viewscribe.table_api.process import called

        if isinstance(call, AliasExpression | NamesExpression):
            names = call.names if isinstance(call, NamesExpression) else (call.alias_name,)
            return self.from_call(call.child).select(StarExpression().as_(*names))
        if isinstance(call, TableCall):
            return called(self, call.function, call.args, call.named)
        if isinstance(call, NamedCallExpression) and call.parts:
            return self.from_function(".".join(call.parts), *call.args, **call.options)
        raise ValidationError(
            f"{call!r} is no call of a table function",
            hint='write call(Function, table.partition_by("key"), …)',
        )

    def sql_query(
        self,
        text: str,
        *,
        args: Mapping[str, Any] | Sequence[Any] | None = None,
        schema: str | Sequence[Field] | None = None,
        spark: SparkSession | None = None,
        dialect: str = "spark",
    ) -> Table:
        """A query in SQL as a table, typed; names in it are resolved here and now.

        Args:
            text: the query.
            args: the values of its parameters: by name for ``:name``, in order for ``?``.
            schema: its schema, for a text that viewscribe does not read; then the text is stored
                as it is, and nothing is known of what is inside.
            spark: a session that works the schema out instead.
            dialect: the engine that the text is written for: ``bigquery``, ``duckdb``, ``hive``,
                ``snowflake`` or ``trino``; what may mean something else in Spark is refused.

        Raises:
            SqlSyntaxError: the text is no query of Spark's, or has what is not read.
            ValidationError: names or types do not fit. Both say the line and column.
        """
        from viewscribe.table_api.querying import query

        return query(self, text, args=args, schema=schema, spark=spark, dialect=dialect)

    def resolve_table(self, parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Field, ...]]:
        source = self.from_path(".".join(f"`{part.replace('`', '``')}`" for part in parts))
        operation = source.operation
        if not isinstance(operation, CatalogSource):
            raise ValidationError(
                f"SQL text cannot read the temporary view `{'.'.join(parts)}`",
                hint="store it with create_view(…), or start from it with from_path(…)",
            )
        return operation.path, operation.fields

    # -- statements -----------------------------------------------------------------------------

    def execute_sql(self, statement: str) -> Result:
        """Runs a DDL statement: CREATE VIEW, ALTER VIEW, CREATE FUNCTION, DESCRIBE, EXPLAIN, …

        Raises:
            ValidationError: it does not parse, or is no such statement; lists those there are.
        """
        from viewscribe.table_api.statements import execute

        return execute(self, statement)

    # -- views -----------------------------------------------------------------------------------

    def create_view(
        self,
        name: str,
        table: Table,
        *,
        or_replace: bool = False,
        comment: str | None = None,
        style: str = "readable",
        properties: Mapping[str, str] | None = None,
        column_comments: Mapping[str, str] | None = None,
        expected: Token | None = None,
        outside: Collection[tuple[str, ...]] = (),
        nullable: Collection[str] = (),
        annotate: bool = False,
        target: str | None = None,
        reason: str | None = None,
        author: str | None = None,
        dialects: Collection[str] = (),
    ) -> None:
        """Stores a pipeline as a view.

        Args:
            name: ``view``, ``database.view`` or ``catalog.database.view``.
            table: the pipeline.
            or_replace: whether a view of that name may be replaced.
            comment: what the view is.
            style: the style of the stored SQL.
            properties: further properties, kept as they are.
            column_comments: what columns are, by name, where that is not what their table says.
            expected: replace only this state of the view (the token of ``catalogs.get``).
            outside: tables that no catalog here knows, and that a session must have to read it.
            nullable: columns that the view says may be NULL, whatever the pipeline says.
            annotate: whether comments in the stored text say the Python line of each step.
            target: the Spark version that reads the view, ``"4.0"``; by default that of the
                table's environment.
            reason: why, for the view's history.
            author: who does it; by default ``VIEWSCRIBE_AUTHOR``, else the system's user.
            dialects: other engines whose texts are stored beside Spark's: ``["trino"]``.

        Raises:
            NotSerializableError: SQL text, or the target, cannot say the pipeline, something has
                no translation to a dialect, or two columns share a name.
            AlreadyExistsError: there is a table or view of that name.
            ConcurrentUpdateError: somebody else changed the view meanwhile.
        """
        from viewscribe.table_api.views import view_document

        path = self.catalogs.resolve(_parts(name))
        document = view_document(
            self,
            path,
            table,
            comment=comment,
            style=style,
            properties=properties,
            column_comments=column_comments,
            outside=outside,
            nullable=nullable,
            annotate=annotate,
            target=target,
            dialects=dialects,
        )
        with self.python_modules.in_force():  # a session reads the text
            self.catalogs.save(
                document,
                catalog=path.catalog,
                or_replace=or_replace,
                expected=expected,
                change=_change(reason, author),
            )

    def history(self, name: str) -> list[Stored[ViewDocument]]:
        """Every version of a view, the oldest first and the present one last.

        Each has its ``document``, its ``token``, and its ``version``: number, time, operation,
        author, reason and source.
        """
        return cast("list[Stored[ViewDocument]]", self.catalogs.history("view", _parts(name)))

    def rollback(
        self,
        name: str,
        version: int,
        *,
        allow_breaking: bool = False,
        reason: str | None = None,
        author: str | None = None,
    ) -> None:
        """Makes an earlier version of a view the present one, as a new version.

        Args:
            name: the view.
            version: the version to go back to.
            allow_breaking: whether to do so even where views that read it break.
            reason: why, for its history.
            author: who does it.

        Raises:
            ObjectNotFoundError: the view, or the version, is not there.
            ConcurrentUpdateError: somebody else changed the view meanwhile.
            BreakingChangeError: views that read it no longer fit.
        """
        change = _change(reason, author)
        with self.python_modules.in_force():
            self.catalogs.roll_back(
                "view", _parts(name), version, change=change, allow_breaking=allow_breaking
            )

    def rename_view(
        self, name: str, to: str, *, reason: str | None = None, author: str | None = None
    ) -> None:
        """Gives a view another name, perhaps in another database; its history goes with it.

        Views that read it are not changed: they fail until they read the new name.

        Raises:
            AlreadyExistsError: the name is taken.
        """
        self.catalogs.rename("view", _parts(name), _parts(to), change=_change(reason, author))

    def accept_view(
        self,
        name: str,
        *,
        allow_breaking: bool = False,
        reason: str | None = None,
        author: str | None = None,
    ) -> Accepted:
        """Stores a view whose document was edited by hand as what it says now.

        Where the text was edited, it becomes the query of the view: it is read, and its plan,
        columns and dependencies follow from it. So does a view that has no plan, as somebody else
        wrote it, become one of ours. Nothing is proven in Spark: ``verify`` does that.

        Returns:
            ``nothing`` where nothing was edited, ``document`` where the query is as it was,
            ``text`` where it is another.

        Args:
            name: the view.
            allow_breaking: whether to store it even where views that read it break.
            reason: why, for its history.
            author: who does it.

        Raises:
            ValidationError: the text is not one query, or means nothing here.
            BreakingChangeError: views that read it no longer fit.
        """
        from viewscribe.table_api.accepting import accept_view

        change = _change(reason, author)
        return accept_view(self, name, change=change, allow_breaking=allow_breaking).accepted

    def create_temporary_view(self, name: str, table: Table, *, or_replace: bool = False) -> None:
        """Gives a pipeline a name that lasts as long as this environment."""
        self.catalogs.create_temporary(name, table, or_replace=or_replace)

    def drop_view(self, name: str, *, if_exists: bool = False) -> None:
        """Drops a view of a catalog."""
        self.catalogs.drop("view", _parts(name), if_exists=if_exists)

    def drop_temporary_view(self, name: str, *, if_exists: bool = False) -> None:
        """Forgets a temporary view."""
        self.catalogs.drop_temporary(name, if_exists=if_exists)

    def list_views(self, database: str | None = None) -> list[str]:
        """The names of the views of a database; the current one by default."""
        return [each.name for each in self.catalogs.list_objects("view", database=database)]

    def get_view(self, name: str) -> ViewDocument:
        """The document of a view: its SQL, columns, settings, dependencies and plan.

        Raises:
            ObjectNotFoundError: there is no such view; shows the nearest names.
        """
        from viewscribe.catalog_store import Temporary, ViewDocument

        found = self.catalogs.relation(_parts(name))
        if isinstance(found, Temporary):
            raise CatalogError(f"`{name}` is a temporary view", hint="it has no document")
        if not isinstance(found.document, ViewDocument):
            raise CatalogError(f"`{name}` is a table, not a view")
        return found.document

    def view_table(self, name: str) -> Table:
        """The pipeline of a stored view: from its plan document, else read from its text.

        Raises:
            ViewscribeError: it has no plan, as somebody else wrote it, and its text is not read.
        """
        view = self.get_view(name)
        if view.plan is None:
            from viewscribe.table_api.reading import read_view

            return Table(self, read_view(self, view, self.catalogs.resolve(_parts(name)).catalog))
        from viewscribe.serializer.plan_document import from_plan

        with coercion(coercion_of(view.settings)):  # the view's, whatever the environment's is
            return Table(self, from_plan(view.plan))


def _checked(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings; those that are viewscribe's own are read, so that mistakes are said here."""
    if any(name.startswith("table.") for name in settings):
        from viewscribe.expressions.functions.asynchronous.options import async_settings

        async_settings(settings)
    return dict(settings)


def _known_target(name: str) -> str:
    from viewscribe.serializer.targets import target_of

    return target_of(name).name


def _parts(name: str) -> tuple[str, ...]:
    from viewscribe.types.identifiers import parse_name

    return parse_name(name)


def _change(reason: str | None, author: str | None) -> Change | None:
    from viewscribe.catalog_store import Change

    return None if reason is None and author is None else Change(author=author, reason=reason)


def _modules(given: PythonModules | Iterable[str]) -> PythonModules:
    """A list of the environment's own: what it is given does not go to other environments."""
    from viewscribe.expressions.functions.importing import PythonModules

    return PythonModules.of(given).and_also(())


def _version() -> str:
    from viewscribe.version import __version__

    return __version__
