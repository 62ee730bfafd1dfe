"""Calls of scalar functions as columns: operators by table, everything else by its SQL name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.sources import Language
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.functions.window_lengths import in_words
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, strip_alias
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.frames import balance
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.types import to_spark
from viewscribe.types import StructType

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
