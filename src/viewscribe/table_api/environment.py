"""``TableEnvironment``: the catalogs that pipelines read tables from and store views in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from viewscribe.errors import CatalogError, ValidationError
from viewscribe.expressions.dsl import (
    AliasExpression,
    NamedCallExpression,
    NamesExpression,
    StarExpression,
    TableCall,
)
from viewscribe.expressions.functions.bodies import read_bodies_with
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.operations import build
from viewscribe.operations.nodes import CatalogSource, SubqueryAlias
from viewscribe.parser.bodies import type_of_body
from viewscribe.serializer.targets import target_of
from viewscribe.spark.classes import is_session
from viewscribe.table_api.columns import fields_of_columns, given_columns, given_fields
from viewscribe.table_api.function_registration import RegistersFunctions
from viewscribe.table_api.policy_scope import in_force
from viewscribe.table_api.table import Table
from viewscribe.table_api.view_management import ManagesViews
from viewscribe.types import Field
from viewscribe.types.arguments import as_list, as_mapping, as_texts, methods_check_flags
from viewscribe.types.identifiers import parse_name
from viewscribe.types.policy import ANSI, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog, CatalogManager, CheckConstraint
    from viewscribe.expressions.functions.of_catalogs import FunctionCatalog
    from viewscribe.expressions.functions.python_modules import PythonModules
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.classes import DataFrame, SparkSession
    from viewscribe.table_api.statements import Result


# Opening a catalog from what an environment is given: a URL, a catalog or a session.


def open_(given: str | Catalog | Any, name: str | None = None) -> Catalog:
    """Opens the catalog to register as ``name``; by default as what Spark calls it.

    Raises:
        UnknownSchemeError: no kind of catalog has this URL scheme.
        CatalogError: a session knows its catalog by another name.
    """
    if isinstance(given, str) and given.lower().startswith("spark:"):
        from viewscribe.spark.session_catalog import open_session_catalog

        found: Any = open_session_catalog(given[len("spark:") :], False)
    elif isinstance(given, str):
        from viewscribe.catalog_store import open_catalog

        found = open_catalog(given)
    elif is_session(given):
        from viewscribe.spark.session_catalog import catalog_of_session

        found = catalog_of_session(given, name or "spark_catalog")
    else:
        found = given
        _require_catalog(given)
    called = getattr(found, "name_in_session", None)
    if called is not None and name is not None and called.lower() != name.lower():
        raise CatalogError(
            f"Spark calls the catalog `{called}`, and so do the views that it runs; "
            f"here it would be `{name}`",
            hint=f'register it as what it is: env.register_catalog("{called}", …)',
        )
    return cast("Catalog", found)


def _require_catalog(given: object) -> None:

    if isinstance(given, TableEnvironment):
        raise CatalogError(
            "a TableEnvironment is given where one catalog is wanted, and it may have several",
            hint='give one of its catalogs, env.catalogs.catalog("spark_catalog"), or the URL that '
            'it was opened with, "file:./views"',
        )
    if isinstance(given, type) or not hasattr(given, "kind_of"):
        from viewscribe.catalog_store.factory import not_a_url

        raise not_a_url(given, "a URL, a Catalog or a Spark session")


read_bodies_with(type_of_body)


@methods_check_flags
class TableEnvironment(ManagesViews, RegistersFunctions):
    """The entry point of the Table API: resolves names, starts pipelines and stores views.

    An environment knows tables by name and schema only; it never touches data.

    Args:
        catalog: the first catalog, which is the current one: a URL (``"file:./views"``,
            ``"memory:"``, ``"spark:"``), a ``Catalog`` or a running ``SparkSession``. Defaults to
            a new memory catalog. It is registered as ``spark_catalog``, or under the name that
            Spark calls it by, if that is another (``"iceberg:https://host?name=lake"``).
        settings: Spark settings that affect the meaning of the views and differ from Spark's
            defaults, such as ``{"spark.sql.session.timeZone": "Europe/Berlin"}``, and options of
            asynchronous calls: ``{"table.exec.async-scalar.system.lookup.timeout": "5 s"}``.
        inline_functions: returns the registered name of a function that is passed inline
            (``call(function, …)``); it may register the function on the spot.
        target: the Spark version to write SQL for, ``"4.0"`` or ``"4.1.4"``. Defaults to the
            newest.
        python_modules: modules and packages that Python functions of the catalogs may be
            imported from when a query calls them. Defaults to none.
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
        self._given = None if catalog is None else open_(catalog)
        self._manager: CatalogManager | None = None
        self._functions: FunctionCatalog | None = None
        self.has_functions = False
        """Whether ``functions`` has been used so far."""
        self._settings = _check(settings or {})
        self.coercion = coercion_of(self._settings)
        """The type coercion rules in force; ANSI or not, as the settings say."""
        self.is_plain = self.coercion is ANSI and inline_functions is None
        """Whether pipelines are built with built-in functions only and ANSI coercion."""
        self.target = None if target is None else target_of(target).name
        """The Spark version to write SQL for; None means the newest."""

    def __repr__(self) -> str:
        current = f"{self.catalogs.current_catalog}.{self.catalogs.current_database}"
        catalogs = ", ".join(self.catalogs.catalogs())
        return f"TableEnvironment(catalogs: {catalogs}; current: {current})"

    @classmethod
    def open(
        cls,
        url: str,
        *,
        settings: Mapping[str, str] | None = None,
        target: str | None = None,
        python_modules: PythonModules | Iterable[str] | None = None,
    ) -> TableEnvironment:
        """Returns an environment over the catalog at ``url``.

        Raises:
            UnknownSchemeError: no kind of catalog has this URL scheme; lists the known ones.
        """
        return cls(url, settings=settings, target=target, python_modules=python_modules)

    def with_settings(self, settings: Mapping[str, str]) -> TableEnvironment:
        """Returns an environment over the same catalogs and functions, with further settings.

        Args:
            settings: Spark settings, which replace this environment's of the same names.
        """
        made = TableEnvironment(
            settings={**self._settings, **as_mapping(settings, "settings")},
            inline_functions=self._inline_functions,
            target=self.target,
            python_modules=self._python_modules,
        )
        made._manager = self.catalogs
        if self._functions is not None:  # temporary ones are in no catalog
            made._functions, made.has_functions, made.is_plain = self._functions, True, False
        return made

    @property
    def python_modules(self) -> PythonModules:
        """The modules that Python functions of the catalogs may be imported from."""
        if self._python_modules is None:
            self._python_modules = _modules(())
        return self._python_modules

    @property
    def catalogs(self) -> CatalogManager:
        """The registered catalogs, the current catalog and database, and temporary objects."""
        if self._manager is None:
            from viewscribe.catalog_store import CatalogManager
            from viewscribe.catalog_store.manager import name_in_session

            name = name_in_session(self._given or "memory:")
            self._manager = CatalogManager(self._given, name)
        return self._manager

    @property
    def functions(self) -> FunctionCatalog:
        """All functions that a name can resolve to: built-in, catalog and temporary ones."""
        if self._functions is None:
            from viewscribe.table_api.function_texts import functions_of

            self._functions = functions_of(self)
            self.has_functions = True
            self.is_plain = False
        return self._functions

    def named(self, operation: QueryOperation) -> QueryOperation:
        """Replaces inline functions with the registered ones that ``inline_functions`` names."""
        give = self._inline_functions
        if give is None:
            return operation
        from viewscribe.operations.rewrites.inline import with_named_functions

        return with_named_functions(
            operation, lambda each: self.functions.lookup(give(each)).function
        )

    @property
    def settings(self) -> dict[str, str]:
        """The Spark settings that this environment's views are interpreted under."""
        from viewscribe.catalog_store.settings import DEFAULT_SETTINGS

        return {**DEFAULT_SETTINGS, **self._settings}

    @property
    def given_settings(self) -> dict[str, str]:
        """Those of the settings that were given; a session may have others where none was."""
        return dict(self._settings)

    def register_catalog(self, name: str, catalog: str | Catalog | Any) -> None:
        """Registers another catalog.

        Args:
            name: its name in this environment.
            catalog: a URL, a ``Catalog``, or a running session, whose catalog of that name is
                taken.
        """
        self.catalogs.register(name, open_(catalog, name))

    def use_catalog(self, name: str) -> None:
        """Sets the current catalog, which names without a catalog resolve to."""
        self.catalogs.use_catalog(name)

    def use_database(self, name: str) -> None:
        """Sets the current database, which names without a database resolve to."""
        self.catalogs.use_database(name)

    def create_database(
        self, name: str, *, comment: str | None = None, if_not_exists: bool = False
    ) -> None:
        """Creates a database: ``"sales"`` or ``"catalog.sales"``."""
        from viewscribe.catalog_store import DatabaseDocument

        parts = parse_name(name)
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
            format: Spark's data source: ``parquet``, ``csv``, …
            location: the path of its files.
            options: options of the data source.
            comment: a description of the table.
            or_replace: whether to replace an existing table of that name.
            properties: further properties, stored unchanged.
            partitioned_by: the partition columns.
            defaults: default values as SQL text, by column. They are stored unchecked, like
                ``checks``; to have them checked, use a CREATE TABLE statement.
            checks: CHECK constraints.

        Raises:
            AlreadyExistsError: a table or view of that name exists.
        """
        from viewscribe.catalog_store import TableDocument
        from viewscribe.catalog_store.columns import columns_of_fields
        from viewscribe.catalog_store.permissions import authored

        path = self.catalogs.resolve(parse_name(name))
        document = TableDocument(
            database=path.database,
            name=path.name,
            comment=comment,
            columns=columns_of_fields(given_fields(schema), defaults),
            format=format,
            location=location,
            options=as_mapping(options, "options"),
            properties=as_mapping(properties, "properties"),
            partitioned_by=as_texts(partitioned_by, "partitioned_by"),
            checks=tuple(as_list(checks, "checks")),
            viewscribe_version=_version(),
        )
        with authored():
            self.catalogs.save(document, catalog=path.catalog, or_replace=or_replace)

    def drop_table(self, name: str, *, if_exists: bool = False) -> None:
        """Removes a table's metadata; its files stay."""
        self.catalogs.drop("table", parse_name(name), if_exists=if_exists)

    def list_tables(self, database: str | None = None) -> list[str]:
        """Returns the names of the tables of a database, by default the current one."""
        return [each.name for each in self.catalogs.list_objects("table", database=database)]

    def from_path(self, name: str) -> Table:
        """Returns a table, a view or a temporary view as the start of a pipeline.

        Emits a ``ChangedViewWarning`` if a view was edited by hand, or if something that it reads
        has changed since it was stored. The columns are then those of the stored document, and may
        be out of date.

        Raises:
            ObjectNotFoundError: nothing has that name; suggests the nearest.
        """
        from viewscribe.catalog_store import Temporary, ViewDocument

        found = self.catalogs.relation(parse_name(name))
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
        """Returns the full path of a table or view: catalog, database, name.

        Raises:
            ObjectNotFoundError: nothing has that name; suggests the nearest.
            ValidationError: it is a temporary view, which has no path.
        """
        operation = self.from_path(name).operation
        if not isinstance(operation, CatalogSource):
            raise ValidationError(
                f"`{name}` is a temporary view, which is part of what reads it",
                hint="name a table that it reads",
            )
        return operation.path

    def from_values(
        self, rows: Sequence[Any], schema: str | Sequence[Field] | Sequence[str] | None = None
    ) -> Table:
        """Returns a table of literal rows (SQL ``VALUES``).

        Args:
            rows: tuples, lists, dicts or named tuples of Python values or literals.
            schema: DDL, fields, or names alone; what it does not say is inferred from the rows.
        """
        fields, names = given_columns(schema)
        return Table(self, in_force(self, build.values, rows, fields, names))

    def from_dataframe(self, df: DataFrame) -> Table:
        """Returns a table of this environment for an existing PySpark DataFrame.

        Args:
            df: a classic or Connect DataFrame, captured as by ``vs.capture``.

        Raises:
            CaptureError: a step cannot be captured, or the DataFrame's session has settings under
                which the same query means something else here.
        """
        from viewscribe.table_api.dataframes import capture_into

        return capture_into(self, df)

    def from_function(self, name: str, /, *args: object, **named: object) -> Table:
        """Calls a table function, as in ``env.from_function("range", 10)``.

        Args:
            name: ``range``, ``sql_keywords``, ``collations``, ``python_worker_logs``, or a
                registered table function.
            args: Python values or constant expressions.
            named: named arguments, for a registered function.

        Raises:
            UnknownFunctionError: no function has that name; suggests the nearest.
            ValidationError: it is not a table function, or does not take these arguments.
        """
        function = self.functions.lookup(name).function
        if function.kind is FunctionKind.PROCESS_TABLE:
            from viewscribe.table_api.process import call_process

            return call_process(self, function, args, named)
        return Table(self, in_force(self, build.table_function, function, args, named))

    def from_call(self, call: object) -> Table:
        """Returns the result of a call: ``env.from_call(call(Fn, t.partition_by("k"), …))``.

        Args:
            call: a call of a process table function, with tables if it takes some, or of a table
                function with constants. ``call("f", 2).as_("a", "b")`` also names the columns.

        Raises:
            ValidationError: an argument is missing, or it is not a table function.
        """
        from viewscribe.table_api.process import call_process

        if isinstance(call, AliasExpression | NamesExpression):
            names = call.names if isinstance(call, NamesExpression) else (call.alias_name,)
            return self.from_call(call.child).select(StarExpression().as_(*names))
        if isinstance(call, TableCall):
            return call_process(self, call.function, call.args, call.named)
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
        """Parses a SQL query into a typed table; names are resolved immediately.

        Args:
            text: the query.
            args: the values of its parameters, by name for ``:name`` or in order for ``?``.
            schema: its schema, for a query that viewscribe cannot parse. The text is then kept
                verbatim and is opaque to lineage and checks.
            spark: a session to ask for the schema instead.
            dialect: the dialect of the text: ``spark``, ``bigquery``, ``duckdb``, ``hive``,
                ``snowflake`` or ``trino``. Whatever may mean something else in Spark is rejected.

        Raises:
            SqlSyntaxError: the text is not a Spark query, or uses unsupported syntax.
            ValidationError: a name or type is wrong. Both errors give line and column.
        """
        from viewscribe.table_api.queries import query

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

    def execute_sql(self, statement: str, *, drop_dialects: Collection[str] | bool = ()) -> Result:
        """Executes a statement: CREATE VIEW, ALTER VIEW, CREATE FUNCTION, DESCRIBE, EXPLAIN, …

        Args:
            statement: the statement.
            drop_dialects: for one that replaces a view, other engines that it has no SQL for any
                more, or True for all; see ``create_view``.

        Raises:
            ValidationError: it does not parse, or is not supported; lists the statements that are.
        """
        from viewscribe.table_api.statements import execute

        return execute(self, statement, drop_dialects)


def _check(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings after validating the known ones, so that mistakes show up early."""
    from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, is_allowed

    for name, value in as_mapping(settings, "settings").items():
        if not isinstance(value, str):
            raise ValidationError(
                f"the setting {name} is {value!r}, and settings are texts",
                hint=f'write "{str(value).lower()}"',
            )
        if name in ALLOWED_SETTINGS and not is_allowed(name, value):
            raise ValidationError(
                f"the setting {name} cannot be {value!r}",
                hint=_describe_values(ALLOWED_SETTINGS[name].pattern),
            )
    if any(name.startswith("table.") for name in settings):
        from viewscribe.expressions.functions.asynchronous.options import async_settings

        async_settings(settings)
    return dict(settings)


def _describe_values(pattern: str) -> str:
    is_choice = pattern.replace("|", "").replace("_", "").isalpha()
    return f"it is {pattern.replace('|', ' or ')}" if is_choice else "write one that Spark takes"


def _modules(given: PythonModules | Iterable[str]) -> PythonModules:
    """Returns a copy, so that modules added to one environment do not reach others."""
    from viewscribe.expressions.functions.python_modules import PythonModules

    return PythonModules.of(given).and_also(())


def _version() -> str:
    from viewscribe.version import __version__

    return __version__
