"""``Table``: a pipeline under construction; each method builds one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from viewscribe.errors import (
    AmbiguousColumnError,
    UnknownColumnError,
    UnknownFunctionError,
    ValidationError,
    nearest,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.table_arguments import Descriptor, NamedArgument
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Grouping, JoinKind, SetKind
from viewscribe.table_api.building import in_force, with_coercion
from viewscribe.table_api.grouped import GroupedTable

if TYPE_CHECKING:
    from viewscribe.operations.notes import Notes
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.process import PartitionedTable

Duration = str | timedelta | dsl.Expression
"""A length of time: a text, a timedelta or an interval literal."""


class Table:
    """A pipeline: an operation tree and the environment it was started from. Immutable.

    Method names are Flink's in snake case; PySpark's familiar ones are aliases of them.
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

    # -- what it is ------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The ordered columns with types and nullability; prints as DDL."""
        return self.operation.schema

    @property
    def columns(self) -> list[str]:
        """The column names."""
        return list(self.operation.schema.names)

    def as_summary_string(self) -> str:
        """The indented operation tree, one line a node."""
        return self.operation.as_summary_string()

    def as_serializable_string(self) -> str:
        """The pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: names the node that SQL cannot say, and the way out.
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
        """The pipeline as SQL text.

        Args:
            style: ``readable``, as few SELECT blocks as meaning allows; ``pipe``, one ``|>`` line
                a step; ``nested``, one sub-query an operation.
            annotate: whether comments say the Python line of each step. Those of a table that was
                captured or recorded are known, as far as PySpark or the recording noted them.
            target: the Spark version that reads the text, ``"4.0"``; by default the
                environment's, which is the session's for a DataFrame and else the newest.
            dialect: another engine than Spark: ``bigquery``, ``duckdb``, ``hive``, ``snowflake``
                or ``trino``; it has one style, and neither comments nor a target.
            qualify: how tables are called. ``full``: by catalog, database and name, the only text
                that means the same wherever it is run. ``database``: without the environment's
                current catalog, and ``minimal``: without its current database, too.

        Raises:
            NotSerializableError: names the node that SQL, or the target, cannot say, or that has
                no translation, and the way out.
            ValidationError: ``annotate`` or ``target`` was given with ``dialect``, or ``annotate``
                with ``qualify``.
        """
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
        """A table of another operation, of the same environment."""
        return Table(self.env, operation)

    def _notes(self, operation: QueryOperation) -> Notes | None:
        """What stands beside the steps of the operation, which is this table's, named functions."""
        return None

    def to_plan(self) -> dict[str, Any]:
        """The tree as a JSON-able document, valid against ``plan.schema.json``."""
        from viewscribe.serializer.plan_document import to_plan

        return to_plan(self.operation)

    @classmethod
    def from_plan(cls, env: TableEnvironment, plan: Mapping[str, Any]) -> Table:
        """The table of a plan document.

        Raises:
            PlanDocumentError: the document is damaged or made by a newer version.
        """
        from viewscribe.serializer.plan_document import from_plan

        return cls(env, with_coercion(env, from_plan, plan))

    def to_dataframe(self, spark: SparkSession, *, sources: Mapping[str, Any] | None = None) -> Any:
        """A Spark DataFrame made by interpreting the tree, not from the SQL text.

        Args:
            spark: the ``SparkSession`` that has the tables.
            sources: DataFrames to read in the place of tables, by the names of those; with streams
                the result streams.
        """
        from viewscribe.spark.interpreter import to_dataframe

        env = self.env
        given = {env.path_of(name): frame for name, frame in (sources or {}).items()}
        with env.python_modules.in_force():
            return with_coercion(env, to_dataframe, self.operation, spark, env.settings, given)

    def explain(self) -> str:
        """How ``to_dataframe`` runs the pipeline: asynchronous calls and why, and the steps run."""
        from viewscribe.expressions.functions.asynchronous.options import async_settings
        from viewscribe.operations.rewrites.asynchronous.explaining import explained
        from viewscribe.operations.rewrites.asynchronous.schedule import schedule

        settings = async_settings(self.env.settings)
        return explained(with_coercion(self.env, schedule, self.operation, settings), settings)

    def equals(self, other: Table) -> bool:
        """Whether both tables are the same tree."""
        return self.operation == other.operation

    def __repr__(self) -> str:
        return f"Table({self.schema})"

    def __getattr__(self, name: str) -> Any:
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        near = [snake] if snake in known else nearest(name, known)
        hint = f"; did you mean: {', '.join(near)}" if near else ""
        raise AttributeError(f"a table has no method `{name}`{hint}")

    def __getitem__(self, name: str) -> Any:
        raise ValidationError(
            f"a table has no columns of its own to pick `{name}` from",
            hint=f'write col("{name}"); after a join, name the side: table.alias("t") and '
            f'col("t.{name}")',
        )

    # -- columns ---------------------------------------------------------------------------------

    def select(self, *items: Operand) -> Table:
        """These columns: names, expressions, ``col("*")``.

        With aggregate functions in them, one row for the whole input.
        """
        return self._build(build.select, items)

    def select_expr(self, *items: str) -> Table:
        """These columns, written in SQL: ``select_expr("id", "price * 2 AS twice", "t.*")``.

        What has no alias is called as Spark calls it.

        Raises:
            SqlSyntaxError: an item is no expression; says the line and column.
        """
        return self._build(build.select, [_text(item, is_item=True) for item in items])

    def add_columns(self, *items: Operand) -> Table:
        """The input's columns and these; a name that exists already is an error."""
        return self._build(build.with_columns, items, replace=False)

    def add_or_replace_columns(self, *items: Operand) -> Table:
        """The input's columns and these; one of the same name is replaced in place."""
        return self._build(build.with_columns, items, replace=True)

    def with_column(self, name: str, expression: Operand) -> Table:
        """PySpark's name for ``add_or_replace_columns`` of one column."""
        return self.add_or_replace_columns(_expression(expression).alias(name))

    def with_columns(self, columns: Mapping[str, Any]) -> Table:
        """PySpark's name for ``add_or_replace_columns``."""
        items = [_expression(item).alias(name) for name, item in columns.items()]
        return self.add_or_replace_columns(*items)

    def drop_columns(self, *names: Operand) -> Table:
        """The input without these columns."""
        return self._build(build.drop_columns, names)

    def rename_columns(self, *aliases: Operand, **names: str) -> Table:
        """Columns under new names: ``col("a").alias("b")`` or ``a="b"``."""
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
        """PySpark's name for ``rename_columns`` of one column."""
        return self.rename_columns({old: new})

    drop = drop_columns

    # -- rows ------------------------------------------------------------------------------------

    def filter(self, condition: Operand) -> Table:
        """The rows for which the condition is TRUE: an expression, or one in SQL, ``"a > 1"``."""
        if isinstance(condition, str):
            condition = _text(condition)
        return self._build(build.filter_rows, condition)

    where = filter

    def distinct(self) -> Table:
        """The different rows."""
        return self._build(build.distinct)

    def order_by(self, *keys: Operand) -> Table:
        """The rows in order: names, expressions, ``col("x").desc()``."""
        return self._build(build.sort, keys)

    sort = order_by

    def limit(self, count: int) -> Table:
        """The first ``count`` rows."""
        return self._build(build.limit, count)

    fetch = limit

    def offset(self, count: int) -> Table:
        """The rows after the first ``count``."""
        return self._build(build.offset, count)

    def sample(self, fraction: float, seed: int) -> Table:
        """A random part of the rows: ``fraction`` from 0 to 1; the same rows for the same seed."""
        return self._build(build.sample, fraction, seed)

    # -- groups ----------------------------------------------------------------------------------

    def group_by(self, *keys: Operand) -> GroupedTable:
        """Groups of rows with equal keys; follow it with ``select`` or ``agg``."""
        return GroupedTable(self, keys, Grouping.SIMPLE)

    groupby = group_by

    def rollup(self, *keys: Operand) -> GroupedTable:
        """Groups by the keys, by all but the last, and so on up to one group for everything."""
        return GroupedTable(self, keys, Grouping.ROLLUP)

    def cube(self, *keys: Operand) -> GroupedTable:
        """Groups by every combination of the keys."""
        return GroupedTable(self, keys, Grouping.CUBE)

    def grouping_sets(self, sets: Sequence[Sequence[Any]], *keys: Operand) -> GroupedTable:
        """Groups by each of the sets of keys: ``[["a", "b"], ["a"], []]``."""
        return GroupedTable(self, keys, Grouping.SETS, sets)

    def agg(self, *items: Operand) -> Table:
        """One row of aggregates over the whole input."""
        return self.group_by().agg(*items)

    # -- two tables ------------------------------------------------------------------------------

    def join(
        self, other: Table, on: Operand = None, how: str = "inner", *, using: Operand = None
    ) -> Table:
        """Rows of both side by side.

        Args:
            other: the right table.
            on: a condition over both, or names of shared columns (as in PySpark).
            how: inner, left, right, full, cross, semi, anti, and PySpark's other spellings.
            using: names of columns that both have; the output has each once, first.
        """
        return self._join(other, JoinKind.named(how), on, using)

    def _join(
        self, other: Table, kind: JoinKind, on: Operand = None, using: Operand = None
    ) -> Table:
        return self._build(build.join, other.operation, kind, on, using)

    def left_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Every row of this table, beside the matching rows of the other or NULLs."""
        return self._join(other, JoinKind.LEFT, on, using)

    def right_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Every row of the other table, beside the matching rows of this one or NULLs."""
        return self._join(other, JoinKind.RIGHT, on, using)

    def full_outer_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """Every row of both tables, matching ones side by side."""
        return self._join(other, JoinKind.FULL, on, using)

    def cross_join(self, other: Table) -> Table:
        """Every row of this table beside every row of the other."""
        return self._join(other, JoinKind.CROSS)

    def semi_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """The rows of this table that have a match in the other."""
        return self._join(other, JoinKind.SEMI, on, using)

    def anti_join(self, other: Table, on: Operand = None, *, using: Operand = None) -> Table:
        """The rows of this table that have no match in the other."""
        return self._join(other, JoinKind.ANTI, on, using)

    def join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Each row beside the rows of a query that may refer to it.

        Args:
            query: a function from the row's columns to a table
                (``lambda outer: orders.filter(col("o_custkey") == outer("c_custkey"))``), or a
                generator call (``F.explode("tags").alias("tag")``).
            on: a condition over both.
        """
        return self._build(build.lateral_join, query, JoinKind.INNER, on)

    def left_outer_join_lateral(self, query: Operand, on: Operand = None) -> Table:
        """Like ``join_lateral``; a row without a match stays, beside NULLs."""
        return self._build(build.lateral_join, query, JoinKind.LEFT, on)

    lateral_join = join_lateral

    def union(self, other: Table) -> Table:
        """The different rows of both. (PySpark's ``union`` is ``union_all``.)"""
        return self._set(other, SetKind.UNION, False)

    def union_all(self, other: Table) -> Table:
        """The rows of both, duplicates included."""
        return self._set(other, SetKind.UNION, True)

    def union_by_name(self, other: Table, *, allow_missing: bool = False) -> Table:
        """The rows of both, columns matched by name; ``allow_missing`` fills with NULL."""
        return self._build(build.union_by_name, other.operation, allow_missing=allow_missing)

    def intersect(self, other: Table) -> Table:
        """The different rows that both have."""
        return self._set(other, SetKind.INTERSECT, False)

    def intersect_all(self, other: Table) -> Table:
        """The rows that both have, as often as both have them."""
        return self._set(other, SetKind.INTERSECT, True)

    def minus(self, other: Table) -> Table:
        """The different rows that the other table lacks."""
        return self._set(other, SetKind.EXCEPT, False)

    def minus_all(self, other: Table) -> Table:
        """The rows that are left when each row of the other takes one equal row away."""
        return self._set(other, SetKind.EXCEPT, True)

    subtract = minus
    except_all = minus_all

    def _set(self, other: Table, kind: SetKind, all_rows: bool) -> Table:
        return self._build(build.set_operation, other.operation, kind, all_rows)

    # -- shapes ----------------------------------------------------------------------------------

    def alias(self, name: str, *columns: str) -> Table:
        """The table under a name, by which its columns can be qualified.

        Raises:
            ValidationError: several names; Flink's are those of the columns, which
                ``rename_columns`` gives.
        """
        if columns:
            pairs = zip(self.columns, (name, *columns), strict=False)
            renamed = ", ".join(f'"{old}": "{new}"' for old, new in pairs)
            raise ValidationError(
                f"a table has one name, and {len(columns) + 1} were given",
                hint=f"for new names of its columns: rename_columns({{{renamed}}})",
            )
        return self._build(build.aliased, name)

    as_ = alias

    def explode(self, column: Operand, name: Operand = None, *, outer: bool = False) -> Table:
        """A row for each element of an array (or entry of a map), under ``name``."""
        call = dsl.function_call(built_in("explode"), (dsl.column_or(column),))
        return self.generate(call, name, outer=outer)

    def generate(self, call: Operand, names: Operand = None, *, outer: bool = False) -> Table:
        """Each row beside the rows that a generator (``F.posexplode(…)``) makes of it."""
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
        """Columns turned into rows of a label and a value; the other columns stay.

        ``columns`` are names, columns under labels, or ``with_columns(range_("q1", "q4"))``.
        """
        return self._build(build.unpivot, columns, name, value, include_nulls=include_nulls)

    def tumble(
        self,
        time: Operand,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """The time window of each row, ``size`` long, as a struct column of start and end.

        Args:
            time: the time column: a name, an expression or ``descriptor("ts")``.
            size: the length, such as ``"10 minutes"``, ``timedelta(minutes=10)`` or
                ``interval(minutes=10)``.
            name: the name of the struct column.
            start: how far the windows are off those that start at 1970-01-01 00:00 UTC, such as
                ``"15 minutes"``.
            offset: Flink's name of ``start``.
        """
        moved = _offset(start, offset)
        more = () if moved is None else (size, moved)
        return self._window("window", time, map(build.duration, (size, *more)), name)

    def hop(
        self,
        time: Operand,
        size: Duration,
        slide: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Each row once for every window it lies in: ``size`` long, one every ``slide``."""
        moved = _offset(start, offset)
        more = () if moved is None else (moved,)
        return self._window("window", time, map(build.duration, (size, slide, *more)), name)

    def cumulate(
        self,
        time: Operand,
        step: Duration,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Each row once for every window it lies in: one every ``step`` that grow up to ``size``.

        With steps of an hour and a size of a day, a row at 22:30 lies in the windows from 0:00 to
        23:00 and from 0:00 to 24:00. Other arguments are those of ``tumble``.

        Raises:
            ValidationError: the size is no multiple of the step.
        """
        column = time.names[0] if isinstance(time, Descriptor) else time
        lengths = map(build.duration, (step, size, _offset(start, offset) or "0 seconds"))
        shortest, longest, moved = lengths
        return self._build(build.cumulative_window, column, shortest, longest, name, moved)

    def session(self, time: Operand, gap: Duration, *, name: str = "session_window") -> Table:
        """Windows of activity that a ``gap`` without rows ends; group by the column next.

        The gap may differ from row to row: an expression of a text such as ``"5 minutes"``.
        """
        return self._window("session_window", time, (build.gap(gap),), name)

    def _window(self, function: str, time: Operand, lengths: Iterable[Any], name: str) -> Table:
        column = time.names[0] if isinstance(time, Descriptor) else time
        call = dsl.function_call(built_in(function), (dsl.column_or(column), *lengths))
        return self._build(build.time_window, call, name)

    def hint(self, name: str, *parameters: Operand) -> Table:
        """A hint for Spark's planner: ``hint("broadcast")``, ``hint("repartition", 3, "key")``."""
        return self._build(build.hint, name, parameters)

    # -- as an argument --------------------------------------------------------------------------

    def partition_by(self, *keys: Operand) -> PartitionedTable:
        """The table in partitions, for a process table function; see ``PartitionedTable``."""
        from viewscribe.table_api.process import PartitionedTable

        return PartitionedTable(self, build.TableArgument(self.operation, keys))

    def as_argument(self, name: str) -> NamedArgument:
        """The table as the argument of that name, without partitions."""
        return NamedArgument(name, self)

    def process(self, function: Operand, *args: Operand, **named: Operand) -> Table:
        """What a process table function makes of the table, which it takes without partitions."""
        from viewscribe.table_api.process import called

        return called(self.env, function, (self, *args), named)

    # -- as an expression ------------------------------------------------------------------------

    def scalar(self) -> dsl.Expression:
        """The one value of this table as an expression; it has one column and at most one row."""
        return dsl.QueryExpression("scalar", self)

    def exists(self) -> dsl.Expression:
        """Whether this table has a row, as an expression."""
        return dsl.QueryExpression("exists", self)


def _offset(start: Duration | None, offset: Duration | None) -> Duration | None:
    if start is not None and offset is not None:
        raise ValidationError("start and offset are the same", hint="give one of them")
    return offset if start is None else start


def _text(text: str, *, is_item: bool = False) -> dsl.Expression:
    """An expression that is written in SQL; the parser is imported when one is."""
    from viewscribe.parser.texts import expression_of

    return expression_of(text, is_item=is_item)


@cache
def _serializer() -> Callable[..., str]:
    """The serializer, imported when first asked for."""
    from viewscribe.serializer import to_sql

    return to_sql


def _expression(value: Operand) -> dsl.Expression:
    item = dsl.operand(value)
    return item if isinstance(item, dsl.Expression) else dsl.ValueExpression(item)


def _column_name(expression: dsl.Expression) -> str:
    if isinstance(expression, dsl.ColumnExpression):
        return expression.column
    raise ValidationError(f"{expression!r} is not a column")
