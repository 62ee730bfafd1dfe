"""Connect's function calls as calls of our registry.

Names are Spark's, so most are found as they are. Here is what is special: PySpark's own names of
operators, arguments in another order, and defaults that PySpark sends though nobody wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pyspark.sql.types import StructType

from viewscribe.errors import CaptureError, did_you_mean
from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    StarExpression,
    ValueExpression,
    operand,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins, built_in, find_built_in
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.capture.lowering.products import collect, multiply
from viewscribe.spark.capture.lowering.row_numbers import row_index
from viewscribe.spark.types import from_spark
from viewscribe.types.policy import IN_FORCE, session_schema_ddl

Args = list[Any]


def call_of(name: str, args: Args, *, distinct: bool = False) -> Expression:
    """The call of the function that Spark has under a name.

    Raises:
        CaptureError: no function that a view can call has the name.
    """
    folded = name.lower()
    args = [operand(arg) for arg in args]
    if distinct:
        return _plain(folded, args).distinct()
    special = _SPECIAL.get(folded)
    return special(args) if special else _plain(folded, args)


def _plain(name: str, args: Args) -> Expression:
    definition = find_built_in(name)
    if definition is None or definition.kind is FunctionKind.DECLARATIVE:
        raise no_function(name)
    if name in _NOT_BY_NAME:
        raise no_function(name)
    return CallExpression(definition, tuple(_without_defaults(name, args)))


def no_function(name: str) -> CaptureError:
    """The error for a function that no view can call."""
    way_out = _NO_SQL.get(name)
    if way_out is None:
        near = did_you_mean(name, all_built_ins())
        way_out = "register it in the catalog: env.create_function(…)"
        way_out += f"; {near}" if near else ""
    return CaptureError(
        f"`{name}` is no function that SQL text can call", location="call", hint=way_out
    )


_NO_SQL = {
    **dict.fromkeys(
        ("bucket", "years", "months", "days", "hours"),
        "it is a partition transform, which only writes have",
    ),
    "unwrap_udt": "read the fields of the type that is stored",
}

_NOT_BY_NAME = frozenset(("get_field", "get_item"))


def _without_defaults(name: str, args: Args) -> Args:
    """The arguments without a last one that PySpark sends where nobody wrote it."""
    default = _SENT.get((name, len(args)))
    if default is not None and literal_value(args[-1]) == default:
        return args[:-1]
    return args


def literal_value(argument: object) -> tuple[Any] | None:
    """The value of a literal; None for anything else."""
    if isinstance(argument, ValueExpression):
        argument = argument.resolved
    return (argument.value,) if isinstance(argument, Literal) else None


_SENT: dict[tuple[str, int], tuple[Any]] = {
    ("lag", 2): (1,),
    ("lead", 2): (1,),
    ("mode", 2): (False,),
    ("months_between", 3): (True,),
    ("sort_array", 2): (True,),
    ("split", 3): (-1,),
    ("locate", 3): (1,),
    ("overlay", 4): (-1,),
    ("from_unixtime", 2): ("yyyy-MM-dd HH:mm:ss",),
    ("unix_timestamp", 2): ("yyyy-MM-dd HH:mm:ss",),
    ("variant_strip_nulls", 2): (True,),
}


def _ignore_nulls(name: str) -> Callable[[Args], Expression]:
    """first, last … whose last argument says whether NULLs are left out."""

    def make(args: Args) -> Expression:
        function = built_in(name)
        count = 2 if name == "nth_value" else 1
        made = CallExpression(function, tuple(args[:count]))
        if len(args) == count:
            return made
        (ignored,) = literal_value(args[count]) or (None,)
        if not isinstance(ignored, bool) or len(args) > count + 1:
            raise CaptureError(
                f"{name}() says whether to ignore NULLs with a literal", location="call"
            )
        return made.ignore_nulls() if ignored else made

    return make


def _reverse(name: str) -> Callable[[Args], Expression]:
    """Spark's function takes what to trim first, ours last."""
    return lambda args: CallExpression(built_in(name), tuple(reversed(args)))


def _not(args: Args) -> Expression:
    """``a != b`` comes as the negation of ``a == b``."""
    inner = args[0]
    if isinstance(inner, CallExpression) and inner.function is op.EQUALS:
        return CallExpression(op.NOT_EQUALS, inner.args)
    return CallExpression(op.NOT, tuple(args))


def _count(args: Args) -> Expression:
    """``count(1)`` is how Spark says ``count(*)``."""
    function = built_in("count")
    only = args[0] if len(args) == 1 else None
    if isinstance(only, StarExpression) and not only.qualifier:
        return CallExpression(function, (StarExpression(),))
    if literal_value(only) == (1,):
        return CallExpression(function, (StarExpression(),))
    return CallExpression(function, tuple(args))


def _read_parser(name: str) -> Callable[[Args], Expression]:
    """Functions that parse text by a schema, which PySpark sends as JSON where it is an object."""

    def make(args: Args) -> Expression:
        given = literal_value(args[1]) if len(args) > 1 else None
        if given is not None and isinstance(given[0], str) and given[0].lstrip()[:1] in ("{", '"'):
            args = [args[0], operand(_schema_text(given[0])), *args[2:]]
        return CallExpression(built_in(name), tuple(args))

    return make


def _schema_text(document: str) -> str:
    """A schema in Spark's JSON as DDL."""
    holder = StructType.fromJson(
        {"fields": [{"name": "x", "type": json.loads(document), "nullable": True, "metadata": {}}]}
    )
    return session_schema_ddl(from_spark(holder.fields[0].dataType))


def _operator(definition: FunctionDefinition) -> Callable[[Args], Expression]:
    return lambda args: CallExpression(definition, tuple(args))


def _minus(args: Args) -> Expression:
    return CallExpression(op.NEGATIVE if len(args) == 1 else op.MINUS, tuple(args))


def _plus(args: Args) -> Expression:
    if len(args) == 1:
        return CallExpression(built_in("positive"), tuple(args))
    return CallExpression(op.PLUS, tuple(args))


def _product(args: Args) -> Expression:
    (value,) = args
    return multiply(collect(value))


def _in(args: Args) -> Expression:
    """``isin([])`` is false whatever the value, and may be NULL to Spark where the value may be."""
    if len(args) > 1:
        return CallExpression(built_in("in"), tuple(args))
    if not IN_FORCE.get().ansi:
        raise CaptureError(
            "whether NULL is in an empty list depends on the settings where ANSI is off",
            location="call",
            hint="leave the condition out where the list is empty: lit(False)",
        )
    (value,) = args
    same = CallExpression(op.EQUALS, (value, value))
    return CallExpression(built_in("and"), (same, operand(False)))


_SPECIAL: dict[str, Callable[[Args], Expression]] = {
    **{name: _read_parser(name) for name in ("from_json", "from_csv", "from_xml")},
    "distributed_sequence_id": lambda args: ValueExpression(row_index()),
    "not": _not,
    "!": _not,
    "-": _minus,
    "+": _plus,
    "count": _count,
    "first": _ignore_nulls("first"),
    "first_value": _ignore_nulls("first"),
    "last": _ignore_nulls("last"),
    "last_value": _ignore_nulls("last"),
    "any_value": _ignore_nulls("any_value"),
    "nth_value": _ignore_nulls("nth_value"),
    "trim": _reverse("trim"),
    "ltrim": _reverse("ltrim"),
    "rtrim": _reverse("rtrim"),
    "in": _in,
    "product": _product,
    "isnull": _operator(op.IS_NULL),
    "isnotnull": _operator(op.IS_NOT_NULL),
}
