"""Functions that take a lambda: over the elements of arrays and the entries of maps."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    always_nullable,
    array_at,
    element_of,
    key_of,
    map_at,
    text_beside_others,
    value_of,
)
from viewscribe.expressions.functions.validators import function_of
from viewscribe.types import INT, ArrayType, BooleanType, LogicalType, MapType, VoidType
from viewscribe.types.coercion import common_type, is_map_key, is_orderable
from viewscribe.types.nested_types import built_alike, deeply_nullable

_LEAST = (
    "(IF((namedlambdavariable() < namedlambdavariable()), -1, "
    "(IF((namedlambdavariable() > namedlambdavariable()), 1, 0))))"
)
_IN_ORDER = (
    "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, "
    "(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, "
    f"{_LEAST})))))), namedlambdavariable(), namedlambdavariable())"
)
"""How the name of a column spells the order in which ``array_sort`` compares by itself."""


def _index(context: CallContext) -> LogicalType:
    return INT.not_null()


def _require_condition(context: CallContext) -> None:
    if not isinstance(context.types[-1], BooleanType | VoidType):
        raise context.mismatch("the lambda is not BOOLEAN")


def _require_comparison(context: CallContext) -> None:
    if len(context.types) == 2 and not context.types[1].same_type(INT):
        raise context.mismatch("the lambda is not INT")
    element = array_at(context, 0).element
    if len(context.types) == 1 and not is_orderable(element):
        raise context.mismatch(f"elements of {element.ddl} have no order")


def _transform(context: CallContext) -> LogicalType:
    return ArrayType(element=context.types[1], nullable=context.types[0].nullable)


def _so_far(context: CallContext) -> LogicalType:
    """What the lambda has made so far: of the start value's type, with a NULL anywhere."""
    return deeply_nullable(context.types[1])


def _aggregate(context: CallContext) -> LogicalType:
    zero, merge = context.types[1], context.types[2]
    if not built_alike(zero, merge):
        raise context.mismatch("the lambda gives another type than the start value")
    if len(context.types) == 4:
        finished = context.types[3]
        return finished.with_nullability(finished.nullable or context.types[0].nullable)
    return deeply_nullable(zero)


def _zip_(context: CallContext) -> LogicalType:
    return ArrayType(
        element=context.types[2],
        nullable=context.types[0].nullable or context.types[1].nullable,
    )


def _with_keys(context: CallContext) -> LogicalType:
    map_, key = map_at(context, 0), context.types[1]
    if not is_map_key(key):
        raise context.mismatch(f"{key.ddl} cannot be the key of a map")
    return MapType(key=key, value=map_.value, nullable=map_.nullable)


def _with_values(context: CallContext) -> LogicalType:
    map_ = map_at(context, 0)
    return MapType(key=map_.key, value=context.types[1], nullable=map_.nullable)


def _key_of_both(context: CallContext) -> LogicalType:
    """The type to which the keys of both maps are brought; theirs without one, refused later."""
    left, right = map_at(context, 0).key, map_at(context, 1).key
    return common_type(left, right) or left


def _zipped_maps(context: CallContext) -> LogicalType:
    left, right = map_at(context, 0), map_at(context, 1)
    key = common_type(left.key, right.key)
    if key is None or (context.ansi and text_beside_others((left.key, right.key))):
        raise context.mismatch("the keys have no common type")
    return MapType(key=key, value=context.types[2], nullable=left.nullable or right.nullable)


_ELEMENT, _OTHER_ELEMENT = always_nullable(element_of(0)), always_nullable(element_of(1))
_VALUE, _OTHER_VALUE = always_nullable(value_of(0)), always_nullable(value_of(1))

TRANSFORM = scalar("""transform(col: ARRAY, f: _)
    The array of what the lambda makes of each element (and its index).
    since 2.4.0, class ArrayTransform
    """).where(args=(function_of(element_of(0), _index, required=1),), returns=_transform)
FILTER = scalar("""filter(col: ARRAY, f: _) -> exactly_argument(0)
    The elements (with their index) for which the lambda holds.
    since 2.4.0, class ArrayFilter
    """).where(args=(function_of(element_of(0), _index, required=1),), check=_require_condition)
EXISTS = scalar("""exists(col: ARRAY, f: _) -> BOOLEAN
    Whether the lambda holds for an element.
    since 2.4.0, class ArrayExists
    """).where(args=(function_of(element_of(0)),), check=_require_condition)
FORALL = scalar("""forall(col: ARRAY, f: _) -> BOOLEAN
    Whether the lambda holds for every element.
    since 3.0.0, class ArrayForAll
    """).where(args=(function_of(element_of(0)),), check=_require_condition)
AGGREGATE = scalar("""aggregate(ARRAY, ANY, _,
        _ = 'lambdafunction(namedlambdavariable(), namedlambdavariable())')
    A start value merged with every element by a lambda; another lambda may finish it.
    since 2.4.0, alias reduce, no class
    """).where(args=(function_of(_so_far, element_of(0)), function_of(_so_far)), returns=_aggregate)
ZIP_WITH = scalar("""zip_with(left: ARRAY, right: ARRAY, f: _)
    The array of what the lambda makes of the elements at the same place of two arrays.
    since 2.4.0""").where(args=(function_of(_ELEMENT, _OTHER_ELEMENT),), returns=_zip_)
ARRAY_SORT = scalar("""array_sort(col: ARRAY_NOT_NULL, comparator: _?) -> exactly_argument(0)
    The array sorted, NULLs last, or by a lambda that compares two elements.
    since 2.4.0""").where(
    args=(function_of(element_of(0), element_of(0)),),
    check=_require_comparison,
    defaults=(_IN_ORDER,),
)
MAP_FILTER = scalar("""map_filter(col: MAP, f: _) -> exactly_argument(0)
    The entries for which the lambda holds.
    since 3.0.0""").where(args=(function_of(key_of(0), value_of(0)),), check=_require_condition)
TRANSFORM_KEYS = scalar("""transform_keys(col: MAP, f: _)
    The map with the keys the lambda makes of each entry.
    since 3.0.0""").where(args=(function_of(key_of(0), value_of(0)),), returns=_with_keys)
TRANSFORM_VALUES = scalar("""transform_values(col: MAP, f: _)
    The map with the values the lambda makes of each entry.
    since 3.0.0""").where(args=(function_of(key_of(0), value_of(0)),), returns=_with_values)
MAP_ZIP_WITH = scalar("""map_zip_with(col1: MAP, col2: MAP, f: _)
    A map of what the lambda makes of the values that two maps have for a key.
    since 3.0.0
    """).where(args=(function_of(_key_of_both, _VALUE, _OTHER_VALUE),), returns=_zipped_maps)
