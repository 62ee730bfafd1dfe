"""Tuple sketches: theta sketches that keep a number, DOUBLE or INT, beside each distinct value."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import Check, every_check, number_where, text_among
from viewscribe.expressions.functions.definition import Parameters
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import ArrayType, LogicalType, MapType, NumericType, StructType, VoidType

_KINDS = ("double", "integer")
_SMALLEST, _LARGEST = 4, 26


def _is_key(type_: LogicalType) -> bool:
    if isinstance(type_, ArrayType):
        return isinstance(type_.element, NumericType | VoidType)
    return not isinstance(type_, MapType | StructType)


def _size_at(place: int) -> Check:
    """The size, which the analyzer checks, at a place."""
    wanted = f"from {_SMALLEST} to {_LARGEST}"
    return number_where(place, wanted, lambda size: _SMALLEST <= size <= _LARGEST)


def _mode_at(place: int) -> Check:
    return text_among(place, "sum", "min", "max", "alwaysone")


_KEY = any_where("<any but MAP, STRUCT and ARRAY of what is no number>", _is_key)


_OPTIONS: Parameters = (("lgNomEntries", 12), ("mode", "sum"))
"""What most of them may be told besides: the size, and what is made of several numbers."""


TUPLE_SKETCH_AGG_DOUBLE = aggregate("""tuple_sketch_agg_double(key: _, summary: DOUBLE,
        lgNomEntries: literal(INT)?, mode: literal(STRING)?) -> BINARY!
    A tuple sketch of the distinct keys, with the sum of a number (double) or by a mode.
    since 4.2.0""").where(
    args=(_KEY,),
    check=every_check(_size_at(2), _mode_at(3)),
    parameters=("key", "summary", *_OPTIONS),
)
TUPLE_SKETCH_AGG_INTEGER = aggregate("""tuple_sketch_agg_integer(key: _, summary: INT,
        lgNomEntries: literal(INT)?, mode: literal(STRING)?) -> BINARY!
    A tuple sketch of the distinct keys, with the sum of a number (integer) or by a mode.
    since 4.2.0""").where(
    args=(_KEY,),
    check=every_check(_size_at(2), _mode_at(3)),
    parameters=("key", "summary", *_OPTIONS),
)
TUPLE_UNION_AGG_DOUBLE, TUPLE_UNION_AGG_INTEGER = (
    aggregate(f"""tuple_union_agg_{kind}(col: BINARY, lgNomEntries: literal(INT)?,
        mode: literal(STRING)?) -> BINARY!
    A tuple sketch, with numbers ({kind}), of the values of any sketch.
    since 4.2.0""").where(
        check=every_check(_size_at(1), _mode_at(2)), parameters=("child", *_OPTIONS)
    )
    for kind in _KINDS
)
TUPLE_INTERSECTION_AGG_DOUBLE, TUPLE_INTERSECTION_AGG_INTEGER = (
    aggregate(f"""tuple_intersection_agg_{kind}(col: BINARY, mode: literal(STRING) = sum) -> BINARY!
    A tuple sketch, with numbers ({kind}), of the values that all sketches have.
    since 4.2.0""").where(check=_mode_at(1))
    for kind in _KINDS
)
TUPLE_SKETCH_SUMMARY_DOUBLE = scalar("""tuple_sketch_summary_double(col: exactly(BINARY),
        mode: literal(STRING) = sum) -> DOUBLE
    The numbers in a tuple sketch as one: their sum, or by another mode.
    since 4.2.0""").where(check=_mode_at(1))
TUPLE_SKETCH_SUMMARY_INTEGER = scalar("""tuple_sketch_summary_integer(col: exactly(BINARY),
        mode: literal(STRING) = sum) -> BIGINT
    The numbers in a tuple sketch as one: their sum, or by another mode.
    since 4.2.0""").where(check=_mode_at(1))
TUPLE_SKETCH_ESTIMATE_DOUBLE, TUPLE_SKETCH_ESTIMATE_INTEGER = (
    scalar(f"""tuple_sketch_estimate_{kind}(col: exactly(BINARY)) -> DOUBLE
    About the number of distinct values in a tuple sketch.
    since 4.2.0""")
    for kind in _KINDS
)
TUPLE_SKETCH_THETA_DOUBLE, TUPLE_SKETCH_THETA_INTEGER = (
    scalar(f"""tuple_sketch_theta_{kind}(col: exactly(BINARY)) -> DOUBLE
    The share, from 0 to 1, of the values that a tuple sketch holds.
    since 4.2.0""")
    for kind in _KINDS
)
TUPLE_UNION_DOUBLE, TUPLE_UNION_INTEGER = (
    scalar(f"""tuple_union_{kind}(col1: exactly(BINARY), col2: exactly(BINARY),
        lgNomEntries: literal(exactly(INT))?, mode: literal(STRING)?) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values of either.
    since 4.2.0""").where(
        check=every_check(_size_at(2), _mode_at(3)), parameters=("first", "second", *_OPTIONS)
    )
    for kind in _KINDS
)
TUPLE_UNION_THETA_DOUBLE, TUPLE_UNION_THETA_INTEGER = (
    scalar(f"""tuple_union_theta_{kind}(col1: exactly(BINARY), col2: exactly(BINARY),
        lgNomEntries: literal(exactly(INT))?, mode: literal(STRING)?) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values of either, the second a theta sketch.
    since 4.2.0""").where(
        check=every_check(_size_at(2), _mode_at(3)), parameters=("first", "second", *_OPTIONS)
    )
    for kind in _KINDS
)
TUPLE_INTERSECTION_DOUBLE, TUPLE_INTERSECTION_INTEGER = (
    scalar(f"""tuple_intersection_{kind}(col1: exactly(BINARY), col2: exactly(BINARY),
        mode: literal(STRING) = sum) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values that both have.
    since 4.2.0""").where(check=_mode_at(2))
    for kind in _KINDS
)
TUPLE_INTERSECTION_THETA_DOUBLE, TUPLE_INTERSECTION_THETA_INTEGER = (
    scalar(f"""tuple_intersection_theta_{kind}(col1: exactly(BINARY), col2: exactly(BINARY),
        mode: literal(STRING) = sum) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values that both have, the second a theta sketch.
    since 4.2.0""").where(check=_mode_at(2))
    for kind in _KINDS
)
TUPLE_DIFFERENCE_DOUBLE, TUPLE_DIFFERENCE_INTEGER = (
    scalar(f"""tuple_difference_{kind}(col1: exactly(BINARY), col2: exactly(BINARY)) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values of the first that the second has not.
    since 4.2.0""").where(check=every_check())
    for kind in _KINDS
)
TUPLE_DIFFERENCE_THETA_DOUBLE, TUPLE_DIFFERENCE_THETA_INTEGER = (
    scalar(f"""tuple_difference_theta_{kind}(col1: exactly(BINARY), col2: exactly(BINARY)) -> BINARY
    A tuple sketch, with numbers ({kind}), of the values of the first that the second, a theta
    sketch, has not.
    since 4.2.0""").where(check=every_check())
    for kind in _KINDS
)
