"""Literals, aliases, casts, logic, comparisons: what is written without a function's name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import NULL, literal, not_null
from viewscribe.expressions.nodes import AggregateCall, Cast, Literal, ResolvedExpression, SortOrder
from viewscribe.spark.capture.classic.expressions.casts import is_added, is_exact
from viewscribe.spark.capture.classic.expressions.modes import check_zone
from viewscribe.spark.capture.classic.expressions.padding import padded_column
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Handler,
    arguments_of,
    made_call,
)
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)
from viewscribe.types.policy import IN_FORCE

# Spark's own form of values (days, microseconds, text of numbers) as literals of ours.

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def captured_literal(written: object, type_: LogicalType) -> Literal:
    """A value as the readers hand it over, as a literal of exactly its type.

    Raises:
        CaptureError: no literal of SQL has the value.
    """
    return literal(None if written is None else value_of(written, type_), type_.as_nullable())


def value_of(written: object, type_: LogicalType) -> Any:
    """The value in the form that ``expressions/literals.py`` describes."""
    if written is None:
        return None
    reader = _READERS.get(type(type_))
    if reader is None:
        raise CaptureError(
            f"SQL has no literal for a value of type {type_.ddl}",
            location="Literal",
            hint="build the value with a function, parse_json(…) or make_interval(…) for one",
        )
    try:
        return reader(written, type_)
    except OverflowError as error:
        raise CaptureError(
            f"{written} is a {type_.ddl} outside of the years 1 to 9999",
            location="Literal",
            hint="save the data as a table, and start from spark.table(…)",
        ) from error


def _date(written: str, type_: LogicalType) -> dt.date:
    return (_EPOCH + dt.timedelta(days=int(written))).date()


def _timestamp(written: str, type_: LogicalType) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=int(written))


def _timestamp_ntz(written: str, type_: LogicalType) -> dt.datetime:
    return _timestamp(written, type_).replace(tzinfo=None)


def _time(written: str, type_: LogicalType) -> dt.time:
    return (_EPOCH + dt.timedelta(microseconds=int(written) // 1000)).time()


def _array(written: list[Any], type_: ArrayType) -> tuple[Any, ...]:
    return tuple(value_of(each, type_.element) for each in written)


def _map(written: list[list[Any]], type_: MapType) -> tuple[tuple[Any, Any], ...]:
    keys, values = written
    return tuple(
        (value_of(key, type_.key), value_of(value, type_.value))
        for key, value in zip(keys, values, strict=True)
    )


def _struct(written: list[Any], type_: StructType) -> tuple[Any, ...]:
    pairs = zip(written, type_.fields, strict=True)
    return tuple(value_of(each, field.type) for each, field in pairs)


_READERS: dict[type[LogicalType], Callable[[Any, Any], Any]] = {
    BooleanType: lambda written, type_: written,
    **dict.fromkeys(IntegralType.__subclasses__(), lambda written, type_: int(written)),
    FloatType: lambda written, type_: float(written),
    DoubleType: lambda written, type_: float(written),
    DecimalType: lambda written, type_: Decimal(written),
    StringType: lambda written, type_: written,
    BinaryType: lambda written, type_: bytes.fromhex(written),
    DateType: _date,
    TimestampType: _timestamp,
    TimestampNtzType: _timestamp_ntz,
    TimeType: _time,
    YearMonthIntervalType: lambda written, type_: int(written),
    DayTimeIntervalType: lambda written, type_: dt.timedelta(microseconds=int(written)),
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}


def _literal(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    type_: LogicalType = node["dataType"]
    if isinstance(type_, CalendarIntervalType) and node["value"] is not None:
        return _calendar_interval(node)
    try:
        made = captured_literal(node["value"], type_)
        if node["value"] is None and made.type != NULL.type:
            reader.note_bare(made, NULL)  # a NULL gets a type rather than a cast
        return not_null(made)
    except ViewscribeError as error:
        raise refusal(node, error.message, hint=error.hint) from error


def _calendar_interval(node: PlanNode) -> ResolvedExpression:
    """Spark's text of one is ``1 years 2 months 3 days 4.5 seconds``."""
    words = node["value"].split()
    parts = dict(zip(words[1::2], words[::2], strict=True))
    seconds = parts.pop("seconds", "0")
    units = ("years", "months", "weeks", "days", "hours", "minutes")
    args = [literal(int(parts.pop(unit, "0"))) for unit in units]
    if parts:
        raise refusal(node, f"an interval of {node['value']} has no literal")
    made = built_in("make_interval")
    return made_call(made, (*args, literal(Decimal(seconds))), node)


def _alias(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    column = padded_column(node["child"])
    return reader.read(node["child"] if column is None else column)


def _cast(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    if reader.grouping and (bit := grouping_bit(reader, node)) is not None:
        return bit
    child, target = reader.read(node["child"]), node["dataType"]
    check_zone(node, child.type, target)
    lenient = node["evalMode"].name == "TRY"
    added = is_added(node)
    if added and child.type.same_type(target):
        return child
    made = Cast(child, cast_type(child.type, target, lenient=lenient), lenient)
    if added:
        before = reader.bare(child)
        reader.note_bare(made, before if is_exact(before, child.type, target) else child)
    return made


def grouping_bit(reader: Expressions, node: PlanNode) -> ResolvedExpression | None:
    """``grouping(key)``: the analyzer writes ``cast((shiftright(id, n) & 1) as tinyint)``."""
    bits = node["child"]
    if bits.kind != "BitwiseAnd" or bits["left"].kind != "ShiftRight":
        return None
    shift = bits["left"]
    known = shift["left"].extra.get("id") in reader.given
    if not known or shift["right"].kind != "Literal":
        return None
    key = reader.grouping[len(reader.grouping) - 1 - int(shift["right"]["value"])]
    function = built_in("grouping")
    return AggregateCall(function, (key,), function.infer((key,)))


def _outer(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return reader.outer_reference(node["e"])


def _connective(function: FunctionDefinition) -> Handler:
    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        """One call for a whole chain, however deep Spark nests it."""
        terms, pending = [], [node]
        while pending:
            each = pending.pop()
            if each.kind == node.kind:
                pending += [each["right"], each["left"]]
            else:
                terms.append(each)
        return reader.call(function, terms, node)

    return read


_TURNED = {"EqualTo": op.NOT_EQUALS, "EqualNullSafe": op.IS_DISTINCT_FROM}
_NEVER_NULL = {
    (False, True): op.IS_TRUE,
    (False, False): op.IS_FALSE,
    (True, True): op.IS_NOT_TRUE,
    (True, False): op.IS_NOT_FALSE,
}


def _not(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    child = node["child"]
    if child.kind == "EqualNullSafe":
        return _null_safe(reader, child, turned=True)
    function = _TURNED.get(child.kind)
    if function is not None:
        return reader.call(function, [child["left"], child["right"]], child)
    return reader.call(op.NOT, [child], node)


def _null_safe(reader: Expressions, node: PlanNode, *, turned: bool = False) -> ResolvedExpression:
    left, right = node["left"], node["right"]
    if right.kind == "Literal" and isinstance(right["value"], bool):
        return reader.call(_NEVER_NULL[turned, right["value"]], [left], node)
    function = op.IS_DISTINCT_FROM if turned else op.NULL_SAFE_EQUALS
    return reader.call(function, [left, right], node)


def _like(name: str) -> Handler:
    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        escape = node["escapeChar"]
        given = [] if escape == "\\" else [literal(escape)]
        return reader.call(name, [node["left"], node["right"], *given], node)

    return read


def _patterns(name: str) -> Handler:
    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        patterns = [literal(pattern) for pattern in node["patterns"]]
        return reader.call(name, [node["child"], *patterns], node)

    return read


def sort_order(reader: Expressions, node: PlanNode) -> SortOrder:
    """A sort key."""
    child = reader.read(node["child"])
    descending = node["direction"].name == "Descending"
    return SortOrder(child, descending, node["nullOrdering"].name == "NullsFirst", child.type)


def _case(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return reader.call("case", arguments_of(node), node)


def _in(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``IN``; in an empty list is nothing, which only DataFrames can say."""
    given = arguments_of(node)
    if len(given) > 1:
        return reader.call("in", given, node)
    if not IN_FORCE.get().ansi:
        raise refusal(
            node,
            "whether NULL is in an empty list depends on the settings where ANSI is off",
            hint="leave the condition out where the list is empty: lit(False)",
        )
    same = reader.call(op.EQUALS, [given[0], given[0]], node)
    return reader.call(op.AND, [same, literal(False)], node)


HANDLERS: dict[str, Handler] = {
    "Literal": _literal,
    "In": _in,
    "Alias": _alias,
    "Cast": _cast,
    "OuterReference": _outer,
    "And": _connective(op.AND),
    "Or": _connective(op.OR),
    "Not": _not,
    "EqualNullSafe": lambda reader, node: _null_safe(reader, node),
    "Like": _like("like"),
    "ILike": _like("ilike"),
    "LikeAny": _patterns("like_any"),
    "LikeAll": _patterns("like_all"),
    "NotLikeAny": _patterns("not_like_any"),
    "NotLikeAll": _patterns("not_like_all"),
    "SortOrder": sort_order,
    "CaseWhen": _case,
}
