"""``Table``: a pipeline under construction; each method builds one operation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from viewscribe.errors import (
    AmbiguousColumnError,
    UnknownColumnError,
    UnknownFunctionError,
    ValidationError,
    nearest,
    printable,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.asynchronous.options import async_settings
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.resolve.walk import TAKE_TABLE
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.user_calls import NamedArgument
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Grouping
from viewscribe.serializer import to_sql
from viewscribe.spark.classes import require_session
from viewscribe.table_api.grouped_table import AddsTimeWindows, GroupedTable
from viewscribe.table_api.policy_scope import in_force, with_coercion
from viewscribe.table_api.views import CombinesTables, require_table
from viewscribe.types.arguments import as_mapping, methods_check_flags, require_text

if TYPE_CHECKING:
    from viewscribe.operations.base import Notes
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.process import PartitionedTable


# Methods of DataFrames that a table has not, since it has no data, and what to write instead.

_RUN = "run it in Spark: table.to_dataframe(spark)"
_NAME = 'env.create_temporary_view("name", table) gives it a name'

INSTEAD = {
    **{
        name: f"{_RUN}.{name}(…)"
        for name in ("show", "collect", "take", "head", "first", "tail", "foreach", "toPandas")
    },
    **{
        name: f"{_RUN}.{name}()"
        for name in ("cache", "persist", "toArrow", "isEmpty", "describe", "summary")
    },
    "display": f"a notebook shows the table as it is; for rows, {_RUN}",
    "count": f'a column with the number is table.agg(F.count("*")); to count, {_RUN}.count()',
    "rdd": f"{_RUN}.rdd",
    "write": f'env.create_view("name", table) stores the query; to store rows, {_RUN}.write',
    "printSchema": "print(table.schema) shows its columns",
    "dtypes": "table.schema has its columns and their types",
    "createTempView": _NAME,
    "createOrReplaceTempView": _NAME,
}
"""By name, what does the same."""


@methods_check_flags
class Table(CombinesTables, AddsTimeWindows):
    """An immutable pipeline: an operation tree and the environment it was started from.

    Every method returns a new table. Method names are Flink's in snake case; the familiar PySpark
    names are aliases.
    """

    __slots__ = ("env", "operation")

    is_table_argument: ClassVar[bool] = True

    def __init__(self, env: TableEnvironment, operation: QueryOperation) -> None:
        self.env = env
        self.operation = operation

    def _build(
        self, builder: Callable[..., QueryOperation], *args: Operand, **options: Operand
    ) -> Table:
        env = self.env
        before = TAKE_TABLE.set(self._operation_of)
        try:
            if env.is_plain:  # as in in_force, without its cost: every step comes here
                try:
                    return Table(env, builder(self.operation, *args, **options))
                except UnknownFunctionError:
                    pass
            return Table(env, in_force(env, builder, self.operation, *args, **options))
        except (UnknownColumnError, AmbiguousColumnError) as error:
            build.say_where(error, builder, self.operation)
            raise
        finally:
            TAKE_TABLE.reset(before)

    # -- inspection ------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The columns in order, with types and nullability; prints as DDL."""
        return self.operation.schema

    @property
    def columns(self) -> list[str]:
        """The column names."""
        return list(self.operation.schema.names)

    def as_summary_string(self) -> str:
        """Returns the operation tree as indented text, one line per node."""
        return self.operation.as_summary_string()

    def as_serializable_string(self) -> str:
        """Returns the pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: SQL cannot express a node; names it and a workaround.
        """
        return self.to_sql()

    def to_sql(
        self,
        style: str = "readable",
        *,
        annotate: bool = False,
        target: str | None = None,
        dialect: str | None = None,
        qualify: str = "full",
    ) -> str:
        """Returns the pipeline as SQL text.

        Args:
            style: ``readable`` for as few SELECT blocks as possible, ``pipe`` for one ``|>`` line
                per step, ``nested`` for one sub-query per operation.
            annotate: whether comments give the Python line of each step. Lines are known for
                captured and recorded tables, as far as PySpark or the recording kept them.
            target: the Spark version to write SQL for, ``"4.0"``. Defaults to the environment's
                target: the session's version for a DataFrame, otherwise the newest.
            dialect: an engine other than Spark: ``bigquery``, ``duckdb``, ``hive``, ``snowflake``
                or ``trino``. There is only one style then, without comments or target.
            qualify: how table names are qualified. ``full`` writes catalog, database and name,
                which means the same wherever it runs. ``database`` omits the environment's current
                catalog, ``minimal`` its current database as well.

        Raises:
            NotSerializableError: SQL, the target or the dialect cannot express a node; names it
                and a workaround.
            ValidationError: ``annotate`` or ``target`` is combined with ``dialect``, or
                ``annotate`` with ``qualify``.

        Warns:
            SettingsWarning: the session reads the text's strings in another way.
        """
        text = self.text_of_view(
            style, annotate=annotate, target=target, dialect=dialect, qualify=qualify
        )
        if "\\" in text:  # any other means the same under all settings
            from viewscribe.serializer.targets import SettingsWarning, warning_of

            warning = warning_of(text, self.env.settings)
            if warning is not None:
                warnings.warn(warning, SettingsWarning, stacklevel=2)
        return text

    def text_of_view(
        self,
        style: str = "readable",
        *,
        annotate: bool = False,
        target: str | None = None,
        dialect: str | None = None,
        qualify: str = "full",
    ) -> str:
        """Returns the text for a view, which carries the settings that it is written for."""
        env, printed, wanted = self.env, _serializer(), target or self.env.target
        if dialect is not None:
            from viewscribe.serializer.dialects import to_dialect

            if annotate or target is not None:
                raise ValidationError(
                    "a text for another engine has neither comments nor a Spark version",
                    hint="leave annotate and target out, or dialect",
                )
            return with_coercion(env, to_dialect, env.named(self.operation), dialect)
        if annotate:
            if qualify != "full":
                raise ValidationError(
                    "a text with comments calls tables by their full names",
                    hint="leave annotate or qualify out",
                )
            operation = env.named(self.operation)
            notes = self._notes(operation)
            return with_coercion(env, printed, operation, style, wanted, notes=notes)
        if env.is_plain:
            if qualify == "full":
                return printed(self.operation, style, wanted)
            return printed(
                self.operation, style, wanted, qualify=qualify, current=env.catalogs.current
            )
        named, current = env.named(self.operation), env.catalogs.current
        return with_coercion(env, printed, named, style, wanted, qualify=qualify, current=current)

    def with_operation(self, operation: QueryOperation) -> Table:
        """Returns a table of another operation in the same environment."""
        return Table(self.env, operation)

    def _notes(self, operation: QueryOperation) -> Notes | None:
        """Returns the notes to print beside the steps of ``operation``; none for a plain table."""
        return None

    def to_plan(self) -> dict[str, Any]:
        """Returns the tree as a JSON-compatible document, valid against ``plan.schema.json``."""
        from viewscribe.table_api.own_plans import write_plan

        return write_plan(self.operation)

    @classmethod
    def from_plan(
        cls,
        env: TableEnvironment,
        plan: Mapping[str, Any],
        *,
        formats: Iterable[str] = (),
        locations: Iterable[str] = (),
        functions: Iterable[str] = (),
    ) -> Table:
        """Returns the table that a plan document describes.

        Args:
            env: the environment of the table.
            plan: the document, which anybody may have written; one that ``to_plan`` gave in this
                process of a pipeline of your own is yours.
            formats, locations, functions: what it may read and call that reaches out of the query,
                as for ``open_view``.

        Raises:
            PlanDocumentError: the document is damaged or was written by a newer version.
            ForbiddenSourceError: it reads files or calls functions that nobody allowed.
        """
        from viewscribe.catalog_store.gate import Gate
        from viewscribe.catalog_store.permissions import Permissions, permissions_in_force
        from viewscribe.table_api.own_plans import read_plan

        made = with_coercion(env, read_plan, plan)
        given = permissions_in_force().and_also(Permissions.of(formats, locations, functions))
        gate = Gate(given, env.settings)
        gate.require_tree("the plan", made)  # what is a table can be run
        return cls(env, made)

    def to_dataframe(self, spark: SparkSession, *, sources: Mapping[str, Any] | None = None) -> Any:
        """Builds a Spark DataFrame by interpreting the tree; the SQL text is not involved.

        Args:
            spark: the ``SparkSession`` that has the tables.
            sources: DataFrames to read instead of tables, by table name. With a streaming
                DataFrame the result is streaming, too.

        It is analyzed under the settings of the environment, where these are given, whatever the
        session's are.

        Raises:
            NotInterpretableError: a DataFrame cannot express a part; names it and the way out.
        """
        require_session(spark)
        from viewscribe.catalog_store.permissions import authored
        from viewscribe.spark.interpreter import to_dataframe_as_meant

        env = self.env
        given = {env.path_of(name): frame for name, frame in as_mapping(sources, "sources").items()}
        with env.python_modules.in_force(), authored():
            return with_coercion(
                env, to_dataframe_as_meant, self.operation, spark, env.given_settings, given
            )

    def explain(self) -> str:
        """Describes how ``to_dataframe`` runs the pipeline: its steps and asynchronous calls."""
        from viewscribe.operations.rewrites.asynchronous.schedule import explain, schedule

        settings = async_settings(self.env.settings)
        return explain(with_coercion(self.env, schedule, self.operation, settings), settings)

    def equals(self, other: Table) -> bool:
        """Returns whether both tables have the same tree."""
        require_table(other)
        return self.operation == other.operation

    def __repr__(self) -> str:
        return printable(f"Table({self.schema})")

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.table_api.pictures import show_table

        return show_table(self)

    def __getattr__(self, name: str) -> Any:
        if name in INSTEAD:
            raise AttributeError(f"a table has no data, so no `{name}`; {INSTEAD[name]}")
        # What is being made or unpickled has no columns yet, and is asked for dunder names.
        if not name.startswith("_"):
            for column in self.columns:
                if column.lower() == name.lower():
                    hint = f'the column is col("{column}")'
                    raise AttributeError(f"a table has no method `{name}`; {hint}")
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        near = [snake] if snake in known else nearest(name, known)
        hint = f"; did you mean: {', '.join(near)}" if near else ""
        raise AttributeError(f"a table has no method `{name}`{hint}")

    __iter__: ClassVar[None] = None  # it has no rows; Python would ask for items instead

    def __getitem__(self, name: str) -> Any:
        raise ValidationError(
            f"a table has no columns of its own to pick `{name}` from",
            hint=f'write col("{name}"); after a join, name the side: table.alias("t") and '
            f'col("t.{name}")',
        )

    # -- columns ---------------------------------------------------------------------------------

    def select(self, *items: Operand) -> Table:
        """Projects columns: names, expressions or ``col("*")``.

        If the items contain aggregate functions, the result is one row for the whole input.
        """
        return self._build(build.select, items)

    def select_expr(self, *items: str) -> Table:
        """Projects columns written in SQL: ``select_expr("id", "price * 2 AS twice", "t.*")``.

        An item without an alias gets the name that Spark would generate.

        Raises:
            SqlSyntaxError: an item is not an expression; gives line and column.
        """
        return self._build(build.select, [_text(item, is_item=True) for item in items])

    def add_columns(self, *items: Operand) -> Table:
        """Adds columns; a name that already exists is an error."""
        return self._build(build.with_columns, items, replace=False)

    def add_or_replace_columns(self, *items: Operand) -> Table:
        """Adds columns; a column of the same name is replaced in place."""
        return self._build(build.with_columns, items, replace=True)

    def with_column(self, name: str, expression: Operand) -> Table:
        """PySpark's name for ``add_or_replace_columns`` with one column."""
        return self.add_or_replace_columns(_expression(expression).alias(name))

    def with_columns(self, columns: Mapping[str, Any]) -> Table:
        """PySpark's name for ``add_or_replace_columns``."""
        given = as_mapping(columns, "columns")
        items = [_expression(item).alias(name) for name, item in given.items()]
        return self.add_or_replace_columns(*items)

    def drop_columns(self, *names: Operand) -> Table:
        """Removes columns."""
        return self._build(build.drop_columns, names)

    def rename_columns(self, *aliases: Operand, **names: str) -> Table:
        """Renames columns: ``col("a").alias("b")`` or ``a="b"``."""
        renamed = dict(names)
        for item in aliases:
            if isinstance(item, Mapping):
                renamed.update(item)
            elif isinstance(item, dsl.AliasExpression):
                renamed[_column_name(item.child)] = item.alias_name
            else:
                raise ValidationError('rename_columns() takes col("old").alias("new")')
        return self._build(build.rename_columns, renamed)

    def with_column_renamed(self, old: str, new: str) -> Table:
        """PySpark's name for ``rename_columns`` with one column."""
        require_text(old, "the name of a column")
        return self.rename_columns({old: new})

    drop = drop_columns

    # -- rows ------------------------------------------------------------------------------------

    def filter(self, condition: Operand) -> Table:
        """Keeps the rows where the condition is TRUE; an expression or SQL text (``"a > 1"``)."""
        if isinstance(condition, str):
            condition = _text(condition)
        return self._build(build.filter_rows, condition)

    where = filter

    def distinct(self) -> Table:
        """Removes duplicate rows."""
        return self._build(build.distinct)

    def order_by(self, *keys: Operand) -> Table:
        """Sorts the rows by names or expressions, such as ``col("x").desc()``."""
        return self._build(build.sort, keys)

    sort = order_by

    def limit(self, count: int) -> Table:
        """Keeps the first ``count`` rows."""
        return self._build(build.limit, count)

    fetch = limit

    def offset(self, count: int) -> Table:
        """Skips the first ``count`` rows."""
        return self._build(build.offset, count)

    def sample(self, fraction: float, seed: int) -> Table:
        """Takes a random sample: ``fraction`` from 0 to 1; equal seeds give the same rows."""
        return self._build(build.sample, fraction, seed)

    # -- groups ----------------------------------------------------------------------------------

    def group_by(self, *keys: Operand) -> GroupedTable:
        """Groups rows with equal keys; follow with ``select`` or ``agg``."""
        return GroupedTable(self, keys, Grouping.SIMPLE)

    groupby = group_by

    def rollup(self, *keys: Operand) -> GroupedTable:
        """Groups by all keys, by all but the last, and so on down to the grand total."""
        return GroupedTable(self, keys, Grouping.ROLLUP)

    def cube(self, *keys: Operand) -> GroupedTable:
        """Groups by every combination of the keys."""
        return GroupedTable(self, keys, Grouping.CUBE)

    def grouping_sets(self, sets: Sequence[Sequence[Any]], *keys: Operand) -> GroupedTable:
        """Groups by each set of keys in turn: ``[["a", "b"], ["a"], []]``."""
        return GroupedTable(self, keys, Grouping.SETS, sets)

    def agg(self, *items: Operand) -> Table:
        """Aggregates the whole input into one row."""
        return self.group_by().agg(*items)

    # -- shapes ----------------------------------------------------------------------------------

    def alias(self, name: str, *columns: str) -> Table:
        """Gives the table an alias, to qualify its columns with.

        Raises:
            ValidationError: more than one name was given. Flink's ``as`` takes column names; use
                ``rename_columns`` for those.
        """
        if columns:
            pairs = zip(self.columns, (name, *columns), strict=False)
            renamed = ", ".join(f'"{old}": "{new}"' for old, new in pairs)
            raise ValidationError(
                f"a table has one name, and {len(columns) + 1} were given",
                hint=f"for new names of its columns: rename_columns({{{renamed}}})",
            )
        return self._build(build.name_input, name)

    as_ = alias

    def explode(self, column: Operand, name: Operand = None, *, outer: bool = False) -> Table:
        """Returns one row per element of an array (or entry of a map), as column ``name``."""
        call = dsl.function_call(built_in("explode"), (dsl.column_or(column),))
        return self.generate(call, name, outer=outer)

    def generate(self, call: Operand, names: Operand = None, *, outer: bool = False) -> Table:
        """Joins each row with the rows that a generator, such as ``F.posexplode(…)``, produces."""
        chosen = [names] if isinstance(names, str) else names
        return self._build(build.generate, call, chosen, outer=outer)

    def unpivot(
        self,
        columns: Operand,
        *,
        name: str = "name",
        value: str = "value",
        include_nulls: bool = True,
    ) -> Table:
        """Turns columns into rows of a label and a value; the other columns are kept.

        ``columns`` are names, aliased columns (the alias is the label), or a selection such as
        ``with_columns(range_("q1", "q4"))``.
        """
        return self._build(build.unpivot, columns, name, value, include_nulls=include_nulls)

    def hint(self, name: str, *parameters: Operand) -> Table:
        """Adds a planner hint: ``hint("broadcast")``, ``hint("repartition", 3, "key")``."""
        return self._build(build.hint, name, parameters)

    # -- as an argument --------------------------------------------------------------------------

    def partition_by(self, *keys: Operand) -> PartitionedTable:
        """Partitions the table for a process table function; see ``PartitionedTable``."""
        from viewscribe.operations.build.process import TableArgument
        from viewscribe.table_api.process import PartitionedTable

        return PartitionedTable(self, TableArgument(self.operation, keys))

    def as_argument(self, name: str) -> NamedArgument:
        """Passes the table, unpartitioned, as the argument of that name."""
        return NamedArgument(name, self)

    def process(self, function: Operand, *args: Operand, **named: Operand) -> Table:
        """Applies a process table function to the unpartitioned table."""
        from viewscribe.table_api.process import call_process

        return call_process(self.env, function, (self, *args), named)

    # -- as an expression ------------------------------------------------------------------------

    def scalar(self) -> dsl.Expression:
        """Returns a scalar sub-query; the table must have one column and at most one row."""
        return dsl.QueryExpression("scalar", self)

    def exists(self) -> dsl.Expression:
        """Returns an EXISTS expression: whether this table has any row."""
        return dsl.QueryExpression("exists", self)


def _text(text: str, *, is_item: bool = False) -> dsl.Expression:
    """Parses an expression written in SQL; imports the parser only then."""
    from viewscribe.parser.author_texts import expression_of

    return expression_of(text, is_item=is_item)


@cache
def _serializer() -> Callable[..., str]:
    """Returns the serializer, imported on first use."""
    return to_sql


def _expression(value: Operand) -> dsl.Expression:
    item = dsl.operand(value)
    return item if isinstance(item, dsl.Expression) else dsl.ValueExpression(item)


def _column_name(expression: dsl.Expression) -> str:
    if isinstance(expression, dsl.ColumnExpression):
        return expression.column
    raise ValidationError(f"{expression!r} is not a column")
