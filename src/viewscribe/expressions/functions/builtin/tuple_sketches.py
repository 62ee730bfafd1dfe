"""Tuple sketches: theta sketches that keep a number, DOUBLE or INT, beside each distinct value."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.functions.builtin.sketches import SKETCH
from viewscribe.expressions.functions.constants import Check, every_check, number_where, text_among
from viewscribe.expressions.functions.definition import FunctionDefinition, Parameters
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import ArgumentType, any_where, exactly, literal
from viewscribe.types import (
    BIGINT,
    BINARY,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    LogicalType,
    MapType,
    NumericType,
    StructType,
    VoidType,
)

_Two = tuple[FunctionDefinition, FunctionDefinition]
_SMALLEST, _LARGEST = 4, 26
_SINCE = "4.2.0"


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
_MODE = literal(STRING)
_CAST_SIZE = literal(INT)
_SIZE = literal(exactly(INT))
_SUMMARIES = {"double": DOUBLE, "integer": INT}
_TOTALS = {"double": DOUBLE, "integer": BIGINT}


def _each(make: Callable[[str], FunctionDefinition]) -> _Two:
    """One function for each type of numbers."""
    return make("double"), make("integer")


_OPTIONS: Parameters = (("lgNomEntries", 12), ("mode", "sum"))
"""What most of them may be told besides: the size, and what is made of several numbers."""


def _of_two(
    what: str,
    doc: str,
    *options: ArgumentType,
    names: tuple[str, ...] = (),
    check: Check,
    parameters: Parameters = (),
    defaults: tuple[str, ...] | None = None,
) -> _Two:
    """The functions of two sketches, of which the first has numbers."""
    return _each(
        lambda kind: scalar(
            f"tuple_{what}_{kind}",
            args=(SKETCH, SKETCH, *options),
            optional=len(options),
            parameter_names=("col1", "col2", *names),
            parameters=parameters,
            defaults=defaults,
            check=check,
            returns=BINARY,
            since=_SINCE,
            doc=f"A tuple sketch, with numbers ({kind}), of the values {doc}.",
        )
    )


def _union(what: str, doc: str) -> _Two:
    check = every_check(_size_at(2), _mode_at(3))
    parameters: Parameters = ("first", "second", *_OPTIONS)
    names = ("lgNomEntries", "mode")
    return _of_two(what, doc, _SIZE, _MODE, names=names, check=check, parameters=parameters)


def _intersection(what: str, doc: str) -> _Two:
    return _of_two(what, doc, _MODE, names=("mode",), check=_mode_at(2), defaults=("sum",))


def _difference(what: str, doc: str) -> _Two:
    return _of_two(what, doc, check=every_check())


def _of_one(what: str, doc: str) -> _Two:
    return _each(
        lambda kind: scalar(
            f"tuple_sketch_{what}_{kind}", args=(SKETCH,), returns=DOUBLE, since=_SINCE, doc=doc
        )
    )


def _aggregate(kind: str) -> FunctionDefinition:
    return aggregate(
        f"tuple_sketch_agg_{kind}",
        args=(_KEY, _SUMMARIES[kind], _CAST_SIZE, _MODE),
        optional=2,
        parameter_names=("key", "summary", "lgNomEntries", "mode"),
        parameters=("key", "summary", *_OPTIONS),
        check=every_check(_size_at(2), _mode_at(3)),
        returns=BINARY.not_null(),
        since=_SINCE,
        doc=f"A tuple sketch of the distinct keys, with the sum of a number ({kind}) or by a mode.",
    )


def _union_of_all(kind: str) -> FunctionDefinition:
    return aggregate(
        f"tuple_union_agg_{kind}",
        args=(BINARY, _CAST_SIZE, _MODE),
        optional=2,
        parameter_names=("col", "lgNomEntries", "mode"),
        parameters=("child", *_OPTIONS),
        check=every_check(_size_at(1), _mode_at(2)),
        returns=BINARY.not_null(),
        since=_SINCE,
        doc=f"A tuple sketch, with numbers ({kind}), of the values of any sketch.",
    )


def _intersection_of_all(kind: str) -> FunctionDefinition:
    return aggregate(
        f"tuple_intersection_agg_{kind}",
        args=(BINARY, _MODE),
        optional=1,
        parameter_names=("col", "mode"),
        defaults=("sum",),
        check=_mode_at(1),
        returns=BINARY.not_null(),
        since=_SINCE,
        doc=f"A tuple sketch, with numbers ({kind}), of the values that all sketches have.",
    )


def _summary(kind: str) -> FunctionDefinition:
    return scalar(
        f"tuple_sketch_summary_{kind}",
        args=(SKETCH, _MODE),
        optional=1,
        parameter_names=("col", "mode"),
        defaults=("sum",),
        check=_mode_at(1),
        returns=_TOTALS[kind],
        since=_SINCE,
        doc="The numbers in a tuple sketch as one: their sum, or by another mode.",
    )


TUPLE_SKETCH_AGG_DOUBLE, TUPLE_SKETCH_AGG_INTEGER = _each(_aggregate)
TUPLE_UNION_AGG_DOUBLE, TUPLE_UNION_AGG_INTEGER = _each(_union_of_all)
TUPLE_INTERSECTION_AGG_DOUBLE, TUPLE_INTERSECTION_AGG_INTEGER = _each(_intersection_of_all)
TUPLE_SKETCH_SUMMARY_DOUBLE, TUPLE_SKETCH_SUMMARY_INTEGER = _each(_summary)
TUPLE_SKETCH_ESTIMATE_DOUBLE, TUPLE_SKETCH_ESTIMATE_INTEGER = _of_one(
    "estimate", "About the number of distinct values in a tuple sketch."
)
TUPLE_SKETCH_THETA_DOUBLE, TUPLE_SKETCH_THETA_INTEGER = _of_one(
    "theta", "The share, from 0 to 1, of the values that a tuple sketch holds."
)
TUPLE_UNION_DOUBLE, TUPLE_UNION_INTEGER = _union("union", "of either")
TUPLE_UNION_THETA_DOUBLE, TUPLE_UNION_THETA_INTEGER = _union(
    "union_theta", "of either, the second a theta sketch"
)
TUPLE_INTERSECTION_DOUBLE, TUPLE_INTERSECTION_INTEGER = _intersection(
    "intersection", "that both have"
)
TUPLE_INTERSECTION_THETA_DOUBLE, TUPLE_INTERSECTION_THETA_INTEGER = _intersection(
    "intersection_theta", "that both have, the second a theta sketch"
)
TUPLE_DIFFERENCE_DOUBLE, TUPLE_DIFFERENCE_INTEGER = _difference(
    "difference", "of the first that the second has not"
)
TUPLE_DIFFERENCE_THETA_DOUBLE, TUPLE_DIFFERENCE_THETA_INTEGER = _difference(
    "difference_theta", "of the first that the second, a theta sketch, has not"
)
