"""Translates resolved expressions to columns, bottom-up, with a handler for each kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.declarative import in_words
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import Language, UserFunction
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    AggregateCall,
    Call,
    Frame,
    FrameBound,
    Literal,
    Over,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session_objects import is_at_least
from viewscribe.spark.types import Cell, balance, literal_column, to_spark, value_column
from viewscribe.types import BigIntType, CharType, IntType, StructType, VarcharType

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.bridge import Bridge


# Higher-order functions: PySpark takes Python functions of columns where SQL has lambdas.

Body = Callable[..., Column]

_FUNCTIONS: dict[str, Callable[..., Column]] = {
    "transform": F.transform,
    "filter": F.filter,
    "exists": F.exists,
    "forall": F.forall,
    "aggregate": F.aggregate,
    "zip_with": F.zip_with,
    "array_sort": F.array_sort,
    "map_filter": F.map_filter,
    "transform_keys": F.transform_keys,
    "transform_values": F.transform_values,
    "map_zip_with": F.map_zip_with,
}


def higher_order(name: str, args: Sequence[Any]) -> Column:
    """A call whose arguments are columns and, for lambdas, Python functions of columns."""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise NotInterpretableError(
            f"Spark's DataFrame API has no {name} with a lambda",
            hint=f"use one of: {', '.join(sorted(_FUNCTIONS))}",
        )
    return function(*args)


def python_lambda(count: int, body: Callable[[Sequence[Column]], Column]) -> Body:
    """A function of exactly ``count`` named parameters, which is what PySpark looks at."""
    shapes: dict[int, Body] = {
        1: lambda x: body([x]),
        2: lambda x, y: body([x, y]),
        3: lambda x, y, z: body([x, y, z]),
    }
    return shapes[count]


# Calls of scalar functions as columns: operators by table, everything else by its SQL name.

_GENERATOR = FunctionKind.GENERATOR
Columns = Sequence[Column]
Maker = Callable[[Call, Columns], Column]


def call_column(call: Call, args: Columns) -> Column:
    """The call as a column, its arguments being columns already."""
    function = call.function
    if isinstance(function, UserFunction):
        return user_call(function, args)
    maker = _MAKERS.get(function.name)
    if maker is not None:
        return maker(call, args)
    return F.call_function(function.sql_name, *args)


def user_call(function: UserFunction, args: Columns) -> Column:
    """A call of a user function: a Python function itself, any other by its name.

    The function itself, so that the text is compared with what was meant, not with what the
    session takes its name for.
    """
    if function.source.language is Language.PYTHON and function.kind is not _GENERATOR:
        made: Column = python_function(function)(*args)
        return made
    return F.call_function(function.sql_name, *args)


def constant(expression: ResolvedExpression, what: str) -> Any:
    """The value of an argument that Spark's API wants as a Python value."""
    inner = strip_alias(expression)
    if isinstance(inner, Literal):
        return inner.value
    raise NotInterpretableError(
        f"{what} must be a literal, not {expression.as_summary_string()}",
        hint="compute it beforehand and pass the value",
    )


def _binary(make: Callable[[Any, Any], Column]) -> Maker:
    return lambda call, args: make(args[0], args[1])


def _unary(make: Callable[[Any], Column]) -> Maker:
    return lambda call, args: make(args[0])


def _and(a: Column, b: Column) -> Column:
    return a & b


def _or(a: Column, b: Column) -> Column:
    return a | b


def _all(call: Call, args: Columns) -> Column:
    return balance(args, _and)


def _any(call: Call, args: Columns) -> Column:
    return balance(args, _or)


def _call_quantified(
    name: str, join: Callable[[Column, Column], Column], *, negated: bool = False
) -> Maker:
    def maker(call: Call, args: Columns) -> Column:
        matches = [F.call_function(name, args[0], pattern) for pattern in args[1:]]
        made = balance([~match for match in matches] if negated else matches, join)
        # LIKE ANY of constants may be NULL to Spark, what it means may not.
        looser = call.type.nullable and not any(arg.type.nullable for arg in call.args)
        return F.when(made | ~made, made) if looser else made

    return maker


def _case(call: Call, args: Columns) -> Column:
    chain = F.when(args[0], args[1])
    for place in range(2, len(args) - 1, 2):
        chain = chain.when(args[place], args[place + 1])
    return chain.otherwise(args[-1]) if len(args) % 2 else chain


def _field(call: Call, args: Columns) -> Column:
    return args[0].getField(constant(call.args[1], "the name of a field"))


def _struct(call: Call, args: Columns) -> Column:
    """Names come from the tree: the columns that hold the values have names of their own."""
    assert isinstance(call.type, StructType)
    items: list[Column] = []
    for field, arg in zip(call.type.fields, args, strict=True):
        items += [F.lit(field.name), arg]
    return F.named_struct(*items)


def _with_names(call: Call, args: Columns) -> Column:
    """Spark names the fields of the result after its input columns; the tree knows their names."""
    return F.call_function(call.function.sql_name, *args).cast(to_spark(call.type))


def _unit(make: Callable[..., Column]) -> Maker:
    def maker(call: Call, args: Columns) -> Column:
        return make(constant(call.args[0], "the unit"), *args[1:])

    return maker


def _window(call: Call, args: Columns) -> Column:
    given = [constant(arg, "the duration of a window") for arg in call.args[1:]]
    durations = [in_words(each) if isinstance(each, int) else each for each in given]
    return F.window(args[0], *durations)


def _session_window(call: Call, args: Columns) -> Column:
    return F.session_window(args[0], args[1])


_MAKERS: dict[str, Maker] = {
    op.PLUS.name: _binary(lambda a, b: a + b),
    op.MINUS.name: _binary(lambda a, b: a - b),
    op.TIMES.name: _binary(lambda a, b: a * b),
    op.DIVIDE.name: _binary(lambda a, b: a / b),
    op.MODULO.name: _binary(lambda a, b: a % b),
    op.NEGATIVE.name: _unary(lambda a: -a),
    op.EQUALS.name: _binary(lambda a, b: a == b),
    op.NOT_EQUALS.name: _binary(lambda a, b: a != b),
    op.LESS.name: _binary(lambda a, b: a < b),
    op.LESS_OR_EQUAL.name: _binary(lambda a, b: a <= b),
    op.GREATER.name: _binary(lambda a, b: a > b),
    op.GREATER_OR_EQUAL.name: _binary(lambda a, b: a >= b),
    op.NULL_SAFE_EQUALS.name: _binary(lambda a, b: a.eqNullSafe(b)),
    op.IS_DISTINCT_FROM.name: _binary(lambda a, b: ~a.eqNullSafe(b)),
    op.AND.name: _all,
    op.OR.name: _any,
    op.NOT.name: _unary(lambda a: ~a),
    op.IS_NULL.name: _unary(lambda a: a.isNull()),
    op.IS_NOT_NULL.name: _unary(lambda a: a.isNotNull()),
    op.IS_TRUE.name: _unary(lambda a: a.eqNullSafe(F.lit(True))),
    op.IS_NOT_TRUE.name: _unary(lambda a: ~a.eqNullSafe(F.lit(True))),
    op.IS_FALSE.name: _unary(lambda a: a.eqNullSafe(F.lit(False))),
    op.IS_NOT_FALSE.name: _unary(lambda a: ~a.eqNullSafe(F.lit(False))),
    op.IS_UNKNOWN.name: _unary(lambda a: a.isNull()),
    op.IS_NOT_UNKNOWN.name: _unary(lambda a: a.isNotNull()),
    op.LIKE_ANY.name: _call_quantified("like", _or),
    op.LIKE_ALL.name: _call_quantified("like", _and),
    op.NOT_LIKE_ANY.name: _call_quantified("like", _or, negated=True),
    op.NOT_LIKE_ALL.name: _call_quantified("like", _and, negated=True),
    op.ILIKE_ANY.name: _call_quantified("ilike", _or),
    op.ILIKE_ALL.name: _call_quantified("ilike", _and),
    op.NOT_ILIKE_ANY.name: _call_quantified("ilike", _or, negated=True),
    op.NOT_ILIKE_ALL.name: _call_quantified("ilike", _and, negated=True),
    op.BETWEEN.name: lambda call, args: args[0].between(args[1], args[2]),
    op.IN.name: lambda call, args: args[0].isin(*args[1:]),
    op.BIT_AND.name: _binary(lambda a, b: a.bitwiseAND(b)),
    op.BIT_OR.name: _binary(lambda a, b: a.bitwiseOR(b)),
    op.BIT_XOR.name: _binary(lambda a, b: a.bitwiseXOR(b)),
    op.BIT_NOT.name: _unary(F.bitwise_not),
    op.GET_ITEM.name: _binary(lambda a, b: a[b]),
    op.GET_FIELD.name: _field,
    "case": _case,
    "struct": _struct,
    "arrays_zip": _with_names,
    # Written as functions, Spark takes what to trim first; PySpark takes it last, like the tree.
    "trim": lambda call, args: F.trim(*args),
    "ltrim": lambda call, args: F.ltrim(*args),
    "rtrim": lambda call, args: F.rtrim(*args),
    "timestampadd": _unit(F.timestamp_add),
    "timestampdiff": _unit(F.timestamp_diff),
    "window": _window,
    "session_window": _session_window,
}


# Aggregate and window functions as columns, with their clauses and windows.

_SPECIAL = {
    UNBOUNDED_PRECEDING: "UnboundedPreceding",
    CURRENT_ROW: "CurrentRow",
    UNBOUNDED_FOLLOWING: "UnboundedFollowing",
}
_NUMBERS = {
    UNBOUNDED_PRECEDING: Window.unboundedPreceding,
    CURRENT_ROW: Window.currentRow,
    UNBOUNDED_FOLLOWING: Window.unboundedFollowing,
}


def aggregate_column(bridge: Bridge, node: AggregateCall, parts: Sequence[Column]) -> Column:
    """The call; ``parts`` are its arguments, its FILTER condition and its sort keys as columns."""
    args = list(parts[: len(node.args)])
    keys = parts[len(parts) - len(node.order_by) :] if node.order_by else ()
    condition = parts[len(args)] if node.filter is not None else None
    if isinstance(node.function, UserFunction) and node.function.is_python_aggregate:
        return _python_aggregate(node.function, node, args)
    if not args and node.function is built_in("count"):
        if node.distinct:
            raise NotInterpretableError(
                "count(DISTINCT *) does not say which columns", hint="build the pipeline again"
            )
        args = [F.lit(1)]
    return bridge.function(
        node.function.sql_name,
        args,
        distinct=node.distinct,
        condition=condition,
        nulls_ignored=True if node.ignore_nulls else False if node.respect_nulls else None,
        order_by=keys,
    )


def _python_aggregate(
    function: UserFunction, node: AggregateCall, args: Sequence[Column]
) -> Column:
    """Built without clauses (``python_aggregates.py``); a plan document may still have some."""
    if node.distinct or node.filter is not None or node.order_by or node.ignore_nulls:
        raise NotInterpretableError(
            f"Spark knows no DISTINCT, FILTER or ORDER BY of the Python aggregate {function!r}",
            hint="build the pipeline again: it then collects the rows first",
        )
    return user_call(function, args)


def over_column(bridge: Bridge, node: Over, parts: Sequence[Column]) -> Column:
    """The call over its window; ``parts`` are the call, the partition keys and the sort keys."""
    call, count = parts[0], len(node.partition_by)
    partition_by, order_by = parts[1 : 1 + count], parts[1 + count :]
    frame = node.frame
    if frame is not None and frame.unit == "RANGE" and not _is_numeric(frame):
        bounds = (_make_bound(frame.start), _make_bound(frame.end))
        return bridge.range_over(call, partition_by, order_by, bounds)
    window: Any = Window.partitionBy(*partition_by).orderBy(*order_by)
    if frame is not None:
        between = window.rowsBetween if frame.unit == "ROWS" else window.rangeBetween
        window = between(_number(frame.start), _number(frame.end))
    return call.over(window)


def _is_numeric(frame: Frame) -> bool:
    offsets = [bound.offset for bound in (frame.start, frame.end) if bound.offset is not None]
    return all(isinstance(offset.type, IntType | BigIntType) for offset in offsets)


def _number(bound: FrameBound) -> int:
    if bound.offset is None:
        return _NUMBERS[bound]
    distance = int(bound.offset.value)
    return -distance if bound.kind == "PRECEDING" else distance


def _make_bound(bound: FrameBound) -> Column | str:
    if bound.offset is None:
        return _SPECIAL[bound]
    column = value_column(bound.offset.value, bound.offset.type)
    return F.negate(column) if bound.kind == "PRECEDING" else column


Variables = Mapping[str, Column]


class Translator:
    """Turns expressions over some columns into Spark's columns.

    Args:
        cells: the columns that positions mean.
        outer: for each enclosing query, the nearest last, the names of its columns.
        query: makes the DataFrame of a sub-query that stands in an expression.
        bridge: what only the JVM offers.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        outer: Sequence[Sequence[str]],
        query: Callable[[QueryOperation], DataFrame],
        bridge: Bridge,
    ) -> None:
        self.cells = cells
        self.outer = outer
        self.query = query
        self.bridge = bridge

    def column(self, expression: Node, variables: Variables | None = None) -> Column:
        """Translates an expression to a column; an alias is left to the caller."""
        made: dict[int, Any] = {}
        known = variables or {}
        stack: list[tuple[Node, bool]] = [(expression, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in made:
                continue
            parts = _parts(node)
            if parts and not expanded:
                stack.append((node, True))
                stack.extend((part, False) for part in parts)
                continue
            made[id(node)] = self._made(node, [made[id(part)] for part in parts], known)
        column: Column = made[id(expression)]
        return column

    def _made(self, node: Node, parts: list[Any], variables: Variables) -> Any:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise NotInterpretableError(
                f"{node.as_summary_string()} cannot stand in an expression for Spark"
            )
        return handler(self, node, parts, variables)

    def field(self, node: e.FieldReference, parts: list[Any], variables: Variables) -> Column:
        """A column of the input."""
        return self.cells[node.index].column

    def outer_field(self, node: e.OuterReference, parts: list[Any], known: Variables) -> Column:
        """A column of the enclosing query."""
        if node.level != 1:
            raise NotInterpretableError(
                f"`{node.name}` belongs to a query {node.level} levels out, and Spark sub-queries "
                "only see the query right around them",
                hint="join the tables instead, or select the column in the query between",
            )
        return F.col(self.outer[-1][node.index]).outer()

    def call(self, node: e.Call, parts: list[Any], variables: Variables) -> Column:
        """A scalar function or an operator."""
        if any(type(arg) is e.Lambda for arg in node.args):
            return higher_order(node.function.name, parts)
        if node.function.kind is FunctionKind.GENERATOR:
            raise NotInterpretableError(
                f"{node.function.name} makes rows and cannot stand inside an expression"
            )
        return call_column(node, parts)

    def aggregate(self, node: e.AggregateCall, parts: list[Any], known: Variables) -> Column:
        """An aggregate or window function with its clauses."""
        return aggregate_column(self.bridge, node, parts)

    def over(self, node: e.Over, parts: list[Any], variables: Variables) -> Column:
        """A function over a window."""
        return over_column(self.bridge, node, parts)

    def function(self, node: e.Lambda, parts: list[Any], variables: Variables) -> Any:
        """A lambda, as a Python function of columns."""
        names = [parameter.name for parameter in node.parameters]

        def body(given: Sequence[Column]) -> Column:
            return self.column(node.body, {**variables, **dict(zip(names, given, strict=True))})

        return python_lambda(len(names), body)

    def scalar_query(self, node: e.ScalarSubquery, parts: list[Any], known: Variables) -> Column:
        """The one value of a query."""
        return self.query(_query(node.query)).scalar()

    def exists(self, node: e.Exists, parts: list[Any], variables: Variables) -> Column:
        """Whether a query has a row."""
        return self.query(_query(node.query)).exists()

    def in_query(self, node: e.InSubquery, parts: list[Any], variables: Variables) -> Column:
        """Whether the operands are a row of a query."""
        if not is_at_least(4, 1):
            raise NotInterpretableError(
                "the DataFrame API of Spark 4.0 has no IN (query)",
                hint="use Spark 4.1, or run the SQL text: spark.sql(table.to_sql())",
            )
        operand: Column = parts[0] if len(parts) == 1 else F.struct(*parts)
        return operand.isin(self.query(_query(node.query)))


def _query(node: Node) -> QueryOperation:
    assert isinstance(node, QueryOperation)
    return node


def _parts(node: Node) -> Sequence[Node]:
    """What is translated before the node: neither queries nor the bodies of lambdas."""
    if isinstance(node, e.Lambda | e.ScalarSubquery | e.Exists):
        return ()
    if isinstance(node, e.InSubquery):
        return node.operands
    return node.children()


def _cast(translator: Translator, node: e.Cast, parts: list[Any], variables: Variables) -> Column:
    child: Column = parts[0]
    if isinstance(node.type, CharType | VarcharType):
        target: Any = node.type.ddl.lower()
    else:
        target = to_spark(node.type)
    return child.try_cast(target) if node.lenient else child.cast(target)


def _sort_order(
    translator: Translator, node: e.SortOrder, parts: list[Any], variables: Variables
) -> Column:
    return sort_by(parts[0], node)


def sort_by(column: Column, key: e.SortOrder) -> Column:
    """Returns the column as a sort key with the direction and NULL ordering of ``key``."""
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()


def _variable(
    translator: Translator, node: e.LambdaVariable, parts: list[Any], variables: Variables
) -> Column:
    return variables[node.name]


_HANDLERS: dict[type[Node], Callable[[Translator, Any, list[Any], Variables], Any]] = {
    e.FieldReference: Translator.field,
    e.OuterReference: Translator.outer_field,
    e.Literal: lambda translator, node, parts, variables: literal_column(node),
    e.Call: Translator.call,
    e.AggregateCall: Translator.aggregate,
    e.Cast: _cast,
    e.Alias: lambda translator, node, parts, variables: parts[0],
    e.Star: lambda translator, node, parts, variables: F.lit(1),
    e.SortOrder: _sort_order,
    e.LambdaVariable: _variable,
    e.Lambda: Translator.function,
    e.Over: Translator.over,
    e.ScalarSubquery: Translator.scalar_query,
    e.Exists: Translator.exists,
    e.InSubquery: Translator.in_query,
}
