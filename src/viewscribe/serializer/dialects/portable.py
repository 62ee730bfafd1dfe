"""What may be translated: operations, functions and types that mean the same in the target.

An allow-list, because sqlglot translates text and knows neither the types nor Spark's special
cases: even where it raises on what it does not support, ``LATERAL VIEW OUTER`` becomes an inner
join and ``DIV`` a division that rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.casts import is_up_cast
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node, preorder
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.types import (
    ArrayType,
    BooleanType,
    DateType,
    DecimalType,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampType,
    VoidType,
)
from viewscribe.types.nested_types import contains

_COMPARISONS = frozenset(
    (
        *("equals", "not_equals", "less_than", "less_than_or_equal", "greater_than"),
        *("greater_than_or_equal", "between", "in", "equal_null", "is_distinct_from", "nullif"),
    )
)
_LOGIC = frozenset(
    (
        *("and", "or", "not", "is_null", "is_not_null", "is_true", "is_not_true"),
        *("is_false", "is_not_false", "case", "if", "coalesce"),
    )
)
_ARITHMETIC = frozenset(("plus", "minus", "times", "divide", "negative", "abs"))
_TEXT = frozenset(("upper", "lower", "concat", "like", "substring"))
_TIME = frozenset(("year", "month", "day"))
_ROWS = frozenset(
    ("sum", "count", "min", "max", "avg", "row_number", "rank", "dense_rank", "lag", "lead")
)
FUNCTIONS = _COMPARISONS | _LOGIC | _ARITHMETIC | _TEXT | _TIME | _ROWS
"""The functions that are translated, where a target is no exception."""

_CASES = ("upper", "lower")  # of ß and İ: one letter here, two there
_ALL_KEPT = ("INTERSECT ALL", "EXCEPT ALL")
_SETS = ("rollup", "cube", "sets")
_REFUSED: dict[str, frozenset[str]] = {
    "bigquery": frozenset((*_CASES, *_SETS, *_ALL_KEPT, "FILTER")),
    "duckdb": frozenset(_CASES),
    "hive": frozenset((*_SETS, *_ALL_KEPT, "FILTER")),
    "snowflake": frozenset((*_CASES, *_ALL_KEPT, "FILTER")),
    "trino": frozenset(_CASES),
}
"""What is in the allow-list and yet not, or with another meaning, in a target."""

DIALECTS = tuple(_REFUSED)


def require_portable(operation: QueryOperation, dialect: str) -> None:
    """Raise unless everything in the tree means the same in the dialect.

    Raises:
        NotSerializableError: names the first construct that does not, and why.
    """
    reason = foreign_construct(operation, dialect)
    if reason is not None:
        raise untranslatable(dialect, reason)


def foreign_construct(operation: QueryOperation, dialect: str) -> str | None:
    """The first construct in the tree that does not mean the same in the dialect."""
    asked = _asked_for_rows(operation)
    for node in preorder(operation):
        if type(node) is e.InSubquery and id(node) not in asked and _may_be_null(node):
            return "IN (SELECT …) as a value that may be NULL"  # which is FALSE to Spark
        if isinstance(node, QueryOperation):
            kind = type(node)
            reason = _OPERATIONS.without.get(kind) or _OPERATIONS[kind](node, dialect)
        else:
            check = _CHECKS.get(type(node))
            reason = None if check is None else check(node, dialect)
        if reason is None and isinstance(node, e.ResolvedExpression):
            reason = _of_type(node.type)
        if reason is not None:
            return reason
    return None


def _asked_for_rows(operation: QueryOperation) -> set[int]:
    """The ids of all ``IN (SELECT …)`` that choose rows, to which NULL is as good as FALSE."""
    found: set[int] = set()
    for node in preorder(operation):
        parts: list[Any] = [node.condition] if type(node) is o.Filter else []
        while parts:
            part = parts.pop()
            name = part.function.built_in_name if type(part) is e.Call else ""
            if type(part) is e.InSubquery:
                found.add(id(part))
            elif name in ("and", "or") or (name == "not" and type(part.args[0]) is e.InSubquery):
                parts += part.args
    return found


def _may_be_null(node: e.InSubquery) -> bool:
    assert isinstance(node.query, QueryOperation)
    fields = any(each.type.nullable for each in node.query.schema.fields)
    return fields or any(each.type.nullable for each in node.operands)


def untranslatable(dialect: str, reason: str) -> NotSerializableError:
    """The error that names what has no translation."""
    return NotSerializableError(
        f"no translation to {dialect}: {reason}",
        hint="say it with other means, or leave that dialect out",
    )


def _source(node: o.CatalogSource, dialect: str) -> str | None:
    return None if node.as_of is None else f"a table as it was ({node.as_of})"


def _the_same(node: QueryOperation, dialect: str) -> str | None:
    """For what means the same everywhere."""
    return None


def _of_type(type_: LogicalType) -> str | None:
    if contains(type_, StringType) and any(
        each.collation != StringType().collation for each in _strings(type_)
    ):
        return f"the collation of {type_}"
    return None


def _strings(type_: LogicalType) -> Iterable[StringType]:
    if isinstance(type_, StringType):
        return (type_,)
    return ()


def _aggregate(node: o.Aggregate, dialect: str) -> str | None:
    kind = node.grouping.value
    return f"grouping by {kind}" if kind in _REFUSED[dialect] else None


def _set_operation(node: o.SetOperation, dialect: str) -> str | None:
    words = f"{node.kind.value} ALL"
    if node.all and words in _REFUSED[dialect]:
        return words
    columns = zip(*[each.schema.fields for each in node.inputs()], strict=True)
    for made, fields in zip(node.schema.fields, columns, strict=True):
        types = [field.type for field in fields]
        rounds = isinstance(made.type, DecimalType) and any(
            _digits_behind_point(each) > made.type.scale for each in types
        )
        if rounds or not _agree(types):
            return f"{node.kind.value} of {' and '.join(map(str, types))}"
    return None


def _join(node: o.Join, dialect: str) -> str | None:
    left, right = node.left.schema, node.right.schema
    for name in node.using:
        types = [side.fields[side.find(name)].type for side in (left, right)]
        if not _alike(types):
            return f"USING ({name}) of {' and '.join(map(str, types))}"
    return None


def _call(node: Any, dialect: str) -> str | None:
    name = node.function.name
    if isinstance(node.function, UserFunction):
        return f"the function {node.function!r}"
    if name not in FUNCTIONS or name in _REFUSED[dialect]:
        return f"the function {name}"
    types = [each.type for each in node.args]
    if name in _COMPARISONS and not _alike(types):
        return f"{name} of {' and '.join(map(str, types))}"
    if name in _TIME and not all(isinstance(each, DateType) for each in types):
        return f"{name} of {types[0]}, which depends on the time zone"
    if name in _ARITHMETIC and any(isinstance(each, TimestampType) for each in types):
        return f"{name} with {TimestampType().ddl}, which depends on the time zone"
    if name in _ARITHMETIC and not (
        _are_numbers([each.type for each in node.args]) or isinstance(node.type, DateType)
    ):
        return f"{name} of {' and '.join(map(str, types))}"
    if name == "times" and dialect == "bigquery" and _digits_behind_point(node.type) > 9:
        return f"{name} with {_digits_behind_point(node.type)} digits behind the point"
    if name in ("plus", "minus", "times") and _rounds(node):
        return f"{name} of {' and '.join(map(str, types))}, which Spark rounds,"
    results = _RESULTS.get(name)
    if results is not None and not _agree([types[each] for each in results(types)]):
        return f"{name} of {' and '.join(map(str, types))}"
    if name in ("concat", "upper", "lower") and not all(
        isinstance(each, StringType) for each in types
    ):
        return f"{name} of {' and '.join(map(str, types))}"
    check = _ARGUMENTS.get(name)
    return check(node.args) if check is not None else None


def _aggregate_call(node: e.AggregateCall, dialect: str) -> str | None:
    if node.order_by or node.ignore_nulls or node.respect_nulls:
        return f"{node.function.name} with ORDER BY or a treatment of NULLs"
    if node.filter is not None and "FILTER" in _REFUSED[dialect]:
        return "FILTER (WHERE …)"
    if len(node.args) > 1 and node.function.built_in_name == "count":
        return "count of several columns"
    if node.function.built_in_name == "sum" and not _are_numbers([each.type for each in node.args]):
        return f"sum of {node.args[0].type}"
    if node.function.built_in_name in ("min", "max") and (
        isinstance(node.type, BooleanType) or _is_nested(node.type)
    ):
        return f"{node.function.name} of {node.type}"
    return _call(node, dialect)


def _over(node: e.Over, dialect: str) -> str | None:
    if node.frame is not None and node.frame.unit == "RANGE":
        bounds = (node.frame.start, node.frame.end)
        if any(bound.offset is not None for bound in bounds):
            return "RANGE between values"
    return None


def _cast(node: e.Cast, dialect: str) -> str | None:
    source, target = node.child.type, node.type
    if node.lenient:
        return "TRY_CAST"
    numbers = isinstance(source, NumericType) and isinstance(target, NumericType)
    # Of a DOUBLE, Spark rounds the shortest text, others the binary value: 1.005 is 1.01 or 1.00.
    exact = isinstance(target, DecimalType) and isinstance(source, IntegralType | DecimalType)
    if numbers and (is_up_cast(source, target) or exact):
        return None
    if source.same_type(target):
        return None
    return f"CAST of {source} to {target}"


def _in_query(node: e.InSubquery, dialect: str) -> str | None:
    assert isinstance(node.query, QueryOperation)
    for value, field in zip(node.operands, node.query.schema.fields, strict=True):
        if not _alike([value.type, field.type]):
            return f"in of {value.type} and {field.type}"
    return None


def _sort(node: e.SortOrder, dialect: str) -> str | None:
    return f"the order of {node.child.type}" if _is_nested(node.child.type) else None


def _literal(node: e.Literal, dialect: str) -> str | None:
    if isinstance(node.type, TimestampType):
        return f"a {node.type} literal, which depends on the time zone"
    return None


def _are_numbers(types: Sequence[LogicalType]) -> bool:
    """Whether these are numbers that all engines bring together; FLOAT becomes DOUBLE or not."""
    floats = [isinstance(each, FloatType) for each in types]
    return all(isinstance(each, NumericType) for each in types) and any(floats) == all(floats)


def _agree(types: Sequence[LogicalType]) -> bool:
    """Whether values of these types are in one column without one becoming another."""
    known = [each.as_nullable() for each in types if not isinstance(each, VoidType)]
    return _are_numbers(known) or all(each.same_type(known[0]) for each in known)


def _rounds(node: e.Call) -> bool:
    """Whether Spark gives a sum, difference or product fewer digits behind the point than it has.

    It does where a DECIMAL would need more than 38 digits; other engines keep them, or fail.
    """
    if not isinstance(node.type, DecimalType):
        return False
    scales = [_needed_scale(each) for each in node.args]
    exact = sum(scales) if node.function.built_in_name == "times" else max(scales)
    return exact > node.type.scale


def _needed_scale(expression: e.ResolvedExpression) -> int:
    """The digits behind the point; of a constant, those that are no trailing zeros."""
    if isinstance(expression, e.Literal) and isinstance(expression.value, Decimal):
        exponent = expression.value.normalize().as_tuple().exponent
        return max(-exponent, 0) if isinstance(exponent, int) else 0
    return _digits_behind_point(expression.type)


def _digits_behind_point(type_: LogicalType) -> int:
    return type_.scale if isinstance(type_, DecimalType) else 0


_RESULTS: dict[str, Callable[[Sequence[LogicalType]], Iterable[int]]] = {
    "coalesce": lambda types: range(len(types)),
    "if": lambda types: (1, 2),
    "case": lambda types: [
        place for place in range(len(types)) if place % 2 or place == len(types) - 1
    ],
}
"""The arguments that a function gives one of."""


def _alike(types: list[LogicalType]) -> bool:
    """Whether values are compared alike: NULL inside of one is a value to Spark alone."""
    if any(map(_is_nested, types)):
        return False
    if _are_numbers(types):
        return True
    if all(isinstance(each, NumericType) for each in types):
        return False
    first = types[0].as_nullable()
    return all(each.as_nullable().same_type(first) for each in types[1:])


def _is_nested(type_: LogicalType) -> bool:
    return any(contains(type_, kind) for kind in (StructType, ArrayType, MapType))


def _like(args: Any) -> str | None:
    pattern = args[1]
    if len(args) > 2 or type(pattern) is not e.Literal or "\\" in str(pattern.value):
        return "LIKE with a pattern that is no plain text, or has escapes"
    return None


def _substring(args: Any) -> str | None:
    if any(type(each) is not e.Literal or not each.value or each.value < 1 for each in args[1:]):
        return "substring from another place than a given one from the left"
    return None if isinstance(args[0].type, StringType) else f"substring of {args[0].type}"


def _shift(args: Any) -> str | None:
    if len(args) > 1 and type(args[1]) is not e.Literal:
        return "lag or lead by another offset than a given one"
    return None


_ARGUMENTS: dict[str, Callable[[Any], str | None]] = {
    "lag": _shift,
    "lead": _shift,
    "like": _like,
    "substring": _substring,
}

_CHECKS: dict[type[Node], Callable[[Any, str], str | None]] = {
    e.AggregateCall: _aggregate_call,
    e.Call: _call,
    e.Cast: _cast,
    e.InSubquery: _in_query,
    e.Lambda: lambda node, dialect: "a lambda",
    e.Literal: _literal,
    e.Over: _over,
    e.SortOrder: _sort,
}

_FOREIGN = (
    *(o.Generate, o.LateralJoin, o.Pivot, o.Process, o.Recursion),
    *(o.CteReference, o.WithCte),
    *(o.Sample, o.TableFunction, o.TimeWindow, o.Unpivot, o.Values),
)

_OPERATIONS: HandlerTable[Callable[[Any, str], str | None]] = HandlerTable(
    "the translation",
    {
        o.Aggregate: _aggregate,
        o.CatalogSource: _source,
        o.Distinct: _the_same,
        o.Filter: _the_same,
        o.Hint: _the_same,
        o.Join: _join,
        o.Limit: _the_same,
        o.Offset: _the_same,
        o.OneRow: _the_same,
        o.Project: _the_same,
        o.SetOperation: _set_operation,
        o.Sort: _the_same,
        o.SubqueryAlias: _the_same,
        o.WithColumns: _the_same,
    },
    without={
        **{kind: f"the operation {kind.__name__}" for kind in _FOREIGN},
        o.SqlText: "SQL text, whose meaning only Spark knows",
    },
)
