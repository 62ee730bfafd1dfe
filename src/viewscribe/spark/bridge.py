"""The one place that reaches behind PySpark's public API, for what that API cannot say.

Clauses of aggregate functions (DISTINCT for any function, FILTER, IGNORE NULLS, WITHIN GROUP),
frames with an offset that is no whole number, table functions of users, and grouping or joining
inside a correlated query, which the public methods of a classic DataFrame analyze too early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyspark
from pyspark.errors import utils as error_utils
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.functions import call_function

from viewscribe.expressions.nodes import Literal
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.java_classes import column_of, frame_of
from viewscribe.spark.session_objects import is_at_least
from viewscribe.spark.types import literal_column
from viewscribe.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
    TimestampType,
)
from viewscribe.types.identifiers import parse_name

_CATALYST = "org.apache.spark.sql.catalyst"
_TEXT = "use a classic session, or run the SQL text: spark.sql(table.to_sql())"
_SENT = (
    BooleanType,
    IntegralType,
    FloatType,
    DoubleType,
    DecimalType,
    StringType,
    DateType,
    TimestampType,
)
"""Types of literals that Connect sends as they are."""


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Columns made inside do not note the Python line that made them: five times as fast.

    The lines would be viewscribe's own, and of no use to anybody.
    """
    name = "_enable_debugging_cache"
    before = getattr(error_utils, name, None)
    setattr(error_utils, name, False)
    try:
        yield
    finally:
        setattr(error_utils, name, before)


class Bridge:
    """What only the JVM of a classic session offers."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.classic = hasattr(spark, "_jsparkSession")

    def function(
        self,
        name: str,
        args: Sequence[Column],
        *,
        distinct: bool = False,
        condition: Column | None = None,
        nulls_ignored: bool | None = None,
        order_by: Sequence[Column] = (),
    ) -> Column:
        """A call of an aggregate or window function, by its name as SQL writes it."""
        if not (distinct or condition is not None or nulls_ignored is not None or order_by):
            return call_function(name, *args)
        utils = self._java("org.apache.spark.sql.classic.ExpressionUtils")
        call = self._java(f"{_CATALYST}.analysis.UnresolvedFunction")(
            self._seq(list(parse_name(name))),
            self._seq([utils.expression(_java(arg)) for arg in args]),
            distinct,
            self._option(None if condition is None else utils.expression(_java(condition))),
            self._nulls(name, nulls_ignored),
            self._seq([utils.expression(_java(key)) for key in order_by]),
            False,
        )
        return column_of(utils.column(call))

    def _nulls(self, name: str, ignored: bool | None) -> Any:
        """What IGNORE NULLS and RESPECT NULLS are in the running Spark; before 4.2 only one is."""
        if is_at_least(4, 2):
            return self._option(ignored)
        if ignored is False:
            raise NotInterpretableError(
                f"Spark {pyspark.__version__} does not know `{name}` with RESPECT NULLS",
                hint="use Spark 4.2",
            )
        return bool(ignored)

    def range_over(
        self,
        call: Column,
        partition_by: Sequence[Column],
        order_by: Sequence[Column],
        bounds: tuple[Column | str, Column | str],
    ) -> Column:
        """The call over a RANGE frame; a bound is an offset or the name of a special one."""
        internal = "org.apache.spark.sql.internal.WindowFrame"
        frame = self._java(internal)(
            self._module(f"{internal}$Range$"), *[self._bound(bound) for bound in bounds]
        )
        spec = self._java("org.apache.spark.sql.expressions.WindowSpec")(
            self._seq([_java(key).node() for key in partition_by]),
            self._seq([_java(key).node() for key in order_by]),
            self._option(frame),
        )
        return column_of(_java(call).over(spec))

    def pivot(
        self, frame: DataFrame, keys: Sequence[str], column: str, values: Sequence[Literal]
    ) -> Any:
        """``groupBy(keys).pivot(column, values)``: for values of any type, or those of Connect."""
        if self.classic:
            wanted: Any = [_java(literal_column(value)) for value in values]
            return frame.groupBy(*keys).pivot(column, wanted)
        grouped: Any = frame.groupBy(*keys).pivot(column, [])
        grouped._pivot_values = list(map(_plain, values))
        return grouped

    def aggregate(
        self, frame: DataFrame, keys: Sequence[Column], outputs: Sequence[Column]
    ) -> DataFrame:
        """``SELECT outputs … GROUP BY keys`` without analyzing ``frame`` on its own."""
        plan = self._java(f"{_CATALYST}.plans.logical.Aggregate")(
            self._seq([self._expression(key) for key in keys]),
            self._seq([self._expression(output) for output in outputs]),
            self._plan(frame),
            self._option(None),
        )
        return self._frame(plan)

    def join(self, left: DataFrame, right: DataFrame, on: Column, how: str) -> DataFrame:
        """A join without analyzing it on its own."""
        hint = self._module(f"{_CATALYST}.plans.logical.JoinHint$").NONE()
        plan = self._java(f"{_CATALYST}.plans.logical.Join")(
            self._plan(left),
            self._plan(right),
            self._module(f"{_CATALYST}.plans.JoinType$").apply(how),
            self._option(self._expression(on)),
            hint,
        )
        return self._frame(plan)

    def table(self, name: str, args: Sequence[Column]) -> DataFrame:
        """What a function gives that is a table, by its name as SQL writes it."""
        call = self._java(f"{_CATALYST}.analysis.UnresolvedTableValuedFunction")
        parts = self._seq(list(parse_name(name)))
        return self._frame(call(parts, self._seq([self._expression(arg) for arg in args]), False))

    def one_row(self) -> DataFrame:
        """One row without columns, what a SELECT without FROM reads."""
        return self._frame(self._java(f"{_CATALYST}.plans.logical.OneRowRelation")())

    def _bound(self, bound: Column | str) -> Any:
        internal = "org.apache.spark.sql.internal.WindowFrame"
        if isinstance(bound, str):
            return self._module(f"{internal}${bound}$")
        return self._java(f"{internal}$Value")(_java(bound).node())

    def _java(self, name: str) -> Any:
        if not self.classic:
            raise NotInterpretableError(
                "Spark Connect has no API for this: an aggregate function with DISTINCT, FILTER, "
                "IGNORE NULLS or WITHIN GROUP, a RANGE frame with an interval, or a table function",
                hint=_TEXT,
            )
        jvm: Any = self._spark._jvm
        return getattr(jvm, name)

    def _module(self, name: str) -> Any:
        return getattr(self._java(name), "MODULE$")

    def _expression(self, column: Column) -> Any:
        converter = self._module("org.apache.spark.sql.classic.ColumnNodeToExpressionConverter$")
        return converter.apply(_java(column).node())

    def _seq(self, items: Sequence[Any]) -> Any:
        return self._java("org.apache.spark.api.python.PythonUtils").toSeq(list(items))

    def _option(self, value: Any) -> Any:
        option = self._java("scala.Option")
        return option.empty() if value is None else option.apply(value)

    def _plan(self, frame: DataFrame) -> Any:
        java: Any = frame
        return java._jdf.logicalPlan()

    def _frame(self, plan: Any) -> DataFrame:
        dataset = self._java("org.apache.spark.sql.classic.Dataset")
        session: Any = self._spark
        return frame_of(dataset.ofRows(session._jsparkSession, plan), self._spark)


def _plain(literal: Literal) -> Column:
    """A literal as Connect sends it, which Spark casts to the type of what it is compared with."""
    if literal.value is not None and not isinstance(literal.type, _SENT):
        raise NotInterpretableError(
            f"Spark Connect has no API for a pivot with values of {literal.type.ddl}", hint=_TEXT
        )
    return F.lit(literal.value)


def _java(column: Column) -> Any:
    java: Any = column
    return java._jc
