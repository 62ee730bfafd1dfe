"""Arrays: elements, sets, order, parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    ARRAY,
    ORDERED,
    array_at,
    merged_type,
    nullable_with_arguments,
    text_beside_others,
)
from viewscribe.expressions.functions.newer_forms import first
from viewscribe.expressions.functions.validators import all_of, any_where, array_shape
from viewscribe.expressions.nodes import Call
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    FLOAT,
    ArrayType,
    CalendarIntervalType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    Field,
    IntegralType,
    IntType,
    LogicalType,
    MapType,
    SmallIntType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TinyIntType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import common_type, common_type_of, is_orderable
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import AnyCall


def _element_at(context: CallContext) -> LogicalType:
    base, place = context.types
    if isinstance(base, MapType):
        if tightest_type(base.key, place) is None:
            raise context.mismatch("the key is of another type")
        return base.value.as_nullable()
    element = array_at(context, 0).element
    if not isinstance(place, IntType | SmallIntType | TinyIntType):
        raise context.mismatch("a position is an INT")
    if context.literal(1) is not None:
        return _known_element(context, element, missing=not context.ansi)
    if not context.ansi:
        return element.as_nullable()
    return element.with_nullability(element.nullable or base.nullable)


def _try_element_at(context: CallContext) -> LogicalType:
    found = _element_at(context)
    if isinstance(context.types[0], MapType) or context.literal(1) is None:
        return found.as_nullable()
    return _known_element(context, found, missing=True)


def _known_element(context: CallContext, element: LogicalType, *, missing: bool) -> LogicalType:
    """The element at a literal position; of ``array(a, b)`` Spark knows which may be NULL.

    ``missing`` is whether it is NULL where the array has no such position.
    """
    array, place = context.args[0], context.literal(1)
    if not isinstance(array, Call) or array.function.built_in_name != "array":
        return element.as_nullable()
    known = array.args
    if place == 0:  # which is an error when it is run
        return element.not_null()
    if abs(place) > len(known):
        return element.with_nullability(missing)
    return element.with_nullability(known[place - 1 if place > 0 else place].type.nullable)


def _get(context: CallContext) -> LogicalType:
    element, array, place = array_at(context, 0).element, context.args[0], context.literal(1)
    if (
        isinstance(array, Call)
        and array.function.built_in_name == "array"
        and isinstance(place, int)
    ):
        known = array.args[place : place + 1] if place >= 0 else ()
        return element.with_nullability(not known or known[0].type.nullable)
    return element.as_nullable()


def tightest_type(a: LogicalType, b: LogicalType) -> LogicalType | None:
    """The type that holds both without a loss of digits, text and other types never together.

    Spark looks for it with its older rules here: INT and FLOAT make FLOAT, not DOUBLE.
    """
    found = common_type(a, b)
    if found is None or text_beside_others((a, b)):
        return None
    if isinstance(a, DecimalType) or isinstance(b, DecimalType):
        return found if found.same_type(a) or found.same_type(b) else None
    if isinstance(found, DoubleType) and DoubleType not in (type(a), type(b)):
        return FLOAT.with_nullability(found.nullable)
    return found


def _join_with(context: CallContext, place: int) -> LogicalType:
    """The type that the elements of argument 0 and another argument have in common."""
    found = tightest_type(array_at(context, 0).element, context.types[place])
    if found is None:
        raise context.mismatch("the value is not of the type of the elements")
    return found


def _require_order(context: CallContext) -> None:
    """Refuses elements that Spark cannot compare."""
    element = array_at(context, 0).element
    if not is_orderable(element):
        raise context.mismatch(f"elements of {element.ddl} have no order")


def _contains(context: CallContext) -> LogicalType:
    element, wanted = array_at(context, 0).element, context.types[1]
    other = isinstance(wanted, VoidType) or text_beside_others((element, wanted))
    if other or common_type(element, wanted) is None:
        raise context.mismatch("the value is not of the type of the elements")
    inside = element.nullable
    return BOOLEAN.with_nullability(context.any_nullable or inside)


def _position(context: CallContext) -> LogicalType:
    _join_with(context, 1)
    return BIGINT.with_nullability(context.any_nullable)


def _infer_removed(context: CallContext) -> LogicalType:
    return ArrayType(element=_kept(array_at(context, 0).element, _join_with(context, 1)))


def _kept(element: LogicalType, common: LogicalType) -> LogicalType:
    """The type of elements that are kept: Spark casts them only where the types are others."""
    if deeply_nullable(element) == deeply_nullable(common):
        return element
    return common.with_nullability(element.nullable)


def _add(context: CallContext) -> LogicalType:
    found = _join_with(context, 1)
    return ArrayType(element=deeply_nullable(found), nullable=context.types[0].nullable)


def _insert(context: CallContext) -> LogicalType:
    found = _join_with(context, 2)
    array, place = context.types[:2]
    return ArrayType(element=deeply_nullable(found), nullable=array.nullable or place.nullable)


def _set_of_both(context: CallContext) -> ArrayType:
    elements = [array_at(context, place).element for place in (0, 1)]
    found = common_type_of(context.types)
    if not isinstance(found, ArrayType) or text_beside_others(elements):
        raise context.mismatch("the arrays have no common type")
    return found


def _intersection(context: CallContext) -> LogicalType:
    found = _set_of_both(context)
    both = all(array_at(context, place).element.nullable for place in (0, 1))
    return ArrayType(element=found.element.with_nullability(both))


def _difference(context: CallContext) -> LogicalType:
    found = _set_of_both(context)
    return ArrayType(element=_kept(array_at(context, 0).element, found.element))


def _overlaps(context: CallContext) -> LogicalType:
    _set_of_both(context)
    inside = any(array_at(context, place).element.nullable for place in (0, 1))
    return BOOLEAN.with_nullability(context.any_nullable or inside)


def _flatten(context: CallContext) -> LogicalType:
    outer = array_at(context, 0)
    return outer.element.with_nullability(outer.nullable or outer.element.nullable)


def _sequence(context: CallContext) -> LogicalType:
    bounds = context.types[:2]
    found = merged_type(context, bounds)
    nullable = found.nullable or context.any_nullable
    if isinstance(found, DateType | TimestampType | TimestampNtzType):
        if any(not isinstance(type_, _INTERVALS) for type_ in context.types[2:]):
            raise context.mismatch("the step of dates and timestamps is an INTERVAL")
        return ArrayType(element=found.not_null(), nullable=nullable)
    found = merged_type(context, context.types)
    if not isinstance(found, IntegralType):
        raise context.mismatch("a sequence is of whole numbers, dates or timestamps")
    return ArrayType(element=found.not_null(), nullable=found.nullable)


def _zip_(context: CallContext) -> LogicalType:
    fields = tuple(
        Field(context.name(place) or str(place), array_at(context, place).element.as_nullable())
        for place in range(len(context.types))
    )
    return ArrayType(element=StructType(fields=fields, nullable=False))


def _repeat(context: CallContext) -> LogicalType:
    value, count = context.types
    return ArrayType(element=value, nullable=count.nullable)


def _compact(context: CallContext) -> LogicalType:
    array = array_at(context, 0)
    return ArrayType(element=array.element.not_null(), nullable=array.nullable)


_INTERVALS = (YearMonthIntervalType, DayTimeIntervalType, CalendarIntervalType)
_ORDERED = all_of(ARRAY, array_shape(ORDERED), description="ARRAY<orderable>")
_POSITION = any_where("INT", lambda type_: isinstance(type_, IntType | SmallIntType | TinyIntType))

ELEMENT_AT = scalar("""element_at(col: COLLECTION_NOT_NULL, extraction: text(ANY))
    The element at a position (from 1, negative from the end), or the value of a key.
    since 2.4.0""").where(returns=_element_at)
TRY_ELEMENT_AT = scalar("""try_element_at(col: COLLECTION_NOT_NULL, extraction: text(ANY))
    The element at a position (from 1) or the value of a key, NULL where there is none.
    since 3.3.0, method at""").where(returns=_try_element_at)


def _index_form(call: AnyCall) -> str | None:
    """An index that is no whole number is read as one since 4.1."""
    whole = isinstance(call.args[1].type, IntegralType | VoidType)
    return None if whole else "4.1.0"


GET = scalar("""get(col: ARRAY_NOT_NULL, index: INT)
    The element at a position (from 0), NULL where there is none.
    since 3.4.0""").where(returns=_get, newer_form=_index_form)
ARRAY_CONTAINS = scalar("""array_contains(col: ARRAY_NOT_NULL, value: text(ANY))
    Whether the array has the value.
    since 1.5.0, collated, never fails""").where(returns=_contains, check=_require_order)
ARRAY_POSITION = scalar("""array_position(col: ARRAY_NOT_NULL, value: text(ANY))
    The place (from 1) of the value in the array; 0 if nowhere.
    since 2.4.0, collated""").where(returns=_position, check=_require_order)
ARRAY_REMOVE = scalar("""array_remove(col: ARRAY_NOT_NULL, element: text(ANY))
    The array without the elements equal to the value.
    since 2.4.0, collated
    """).where(returns=nullable_with_arguments(_infer_removed), check=_require_order)
ARRAY_APPEND = scalar("""array_append(col: ARRAY_NOT_NULL, value: text(ANY))
    The array with a value at its end.
    since 3.4.0, collated""").where(returns=_add)
ARRAY_PREPEND = scalar("""array_prepend(col: ARRAY_NOT_NULL, value: text(ANY))
    The array with a value at its start.
    since 3.5.0""").where(returns=_add)
ARRAY_INSERT = scalar("""array_insert(arr: ARRAY_NOT_NULL, pos: _, value: text(ANY))
    The array with a value put in at a position (from 1, negative from the end).
    since 3.4.0""").where(args=(_POSITION,), returns=_insert)
ARRAY_COMPACT = scalar("""array_compact(col: ARRAY)
    The array without NULLs.
    since 3.4.0""").where(returns=_compact)
ARRAY_DISTINCT = scalar("""array_distinct(col: ARRAY) -> $0
    The array without duplicates.
    since 2.4.0""").where(check=_require_order)
ARRAY_UNION = scalar("""array_union(col1: ARRAY_NOT_NULL, col2: ARRAY_NOT_NULL)
    The elements of either array, without duplicates.
    since 2.4.0, collated
    """).where(returns=nullable_with_arguments(_set_of_both), check=_require_order)
ARRAY_INTERSECT = scalar("""array_intersect(col1: ARRAY_NOT_NULL, col2: ARRAY_NOT_NULL)
    The elements of both arrays, without duplicates.
    since 2.4.0, collated
    """).where(returns=nullable_with_arguments(_intersection), check=_require_order)
ARRAY_EXCEPT = scalar("""array_except(col1: ARRAY_NOT_NULL, col2: ARRAY_NOT_NULL)
    The elements of the first array that the second has not, without duplicates.
    since 2.4.0, collated
    """).where(returns=nullable_with_arguments(_difference), check=_require_order)
ARRAYS_OVERLAP = scalar("""arrays_overlap(a1: ARRAY_NOT_NULL, a2: ARRAY_NOT_NULL)
    Whether both arrays have an element in common.
    since 2.4.0, collated""").where(returns=_overlaps, check=_require_order)
ARRAY_JOIN = scalar("""array_join(col: ARRAY<STRING>, delimiter: text(exactly(STRING)),
        null_replacement: text(exactly(STRING))?) -> nullable_with_arguments(element_of(0))
    The elements joined by a separator, NULLs left out or replaced.
    since 2.4.0, collated""")
SORT_ARRAY = scalar("""sort_array(ARRAY, literal(exactly(BOOLEAN)) = true) -> $0
    The array sorted, NULLs first, or with FALSE downwards and NULLs last.
    since 1.5.0""").where(check=_require_order)
ARRAY_MAX = scalar("""array_max(col: _) -> element_of(0)?
    The greatest element.
    since 2.4.0""").where(args=(_ORDERED,))
ARRAY_MIN = scalar("""array_min(col: _) -> element_of(0)?
    The least element.
    since 2.4.0""").where(args=(_ORDERED,))
ARRAY_SIZE = scalar("""array_size(col: ARRAY) -> INT
    The number of elements.
    since 3.3.0""")
ARRAY_REPEAT = scalar("""array_repeat(col: ANY, count: exactly(INT))
    An array of a value a number of times.
    since 2.4.0""").where(returns=_repeat)
SLICE = scalar("""slice(x: ARRAY, start: INT, length: INT) -> $0
    The part of an array from a position (from 1), of a length.
    since 2.4.0""")
FLATTEN = scalar("""flatten(col: array_shape(ARRAY_NOT_NULL))
    The elements of the arrays in an array.
    since 2.4.0""").where(returns=_flatten)
SEQUENCE = scalar("""sequence(start: ANY, stop: ANY, step: ANY?)
    The values from a start to a stop, both included, by a step.
    since 2.4.0""").where(returns=_sequence)
ARRAYS_ZIP = scalar("""arrays_zip(ARRAY...)
    An array of structs of the elements at the same place.
    since 2.4.0""").where(returns=nullable_with_arguments(_zip_))
SHUFFLE = scalar("""shuffle(col: ARRAY, seed: literal(BIGINT)?) -> $0
    The array in a random order, from a seed.
    since 2.4.0, random""").where(spelled_arguments=first(1))
