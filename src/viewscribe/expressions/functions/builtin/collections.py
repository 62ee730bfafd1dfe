"""Making collections, and maps and structs."""

from __future__ import annotations

from viewscribe.expressions.functions.collations import keys_and_values
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    array_at,
    map_at,
    merged_type,
    nullable_with_arguments,
    text_beside_others,
)
from viewscribe.expressions.functions.validators import all_of, any_where, exactly
from viewscribe.types import (
    BOOLEAN,
    INT,
    STRING,
    VOID,
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VoidType,
)
from viewscribe.types.coercion import common_type_of, is_map_key


def _array(context: CallContext) -> LogicalType:
    if not context.types:
        return ArrayType(element=VOID.not_null(), nullable=False)
    return ArrayType(element=merged_type(context, context.types), nullable=False)


def _map(context: CallContext) -> LogicalType:
    types = context.types
    if len(types) % 2:
        raise context.mismatch("keys and values come in pairs")
    if not types:
        return MapType(key=VOID, value=VOID.not_null(), nullable=False)
    keys, values = merged_type(context, types[::2]), merged_type(context, types[1::2])
    _check_key(context, keys)
    return MapType(key=keys, value=values, nullable=False)


def _check_key(context: CallContext, key: LogicalType) -> None:
    if not is_map_key(key):
        raise context.mismatch(f"{key.ddl} cannot be the key of a map")


def _struct(context: CallContext) -> LogicalType:
    fields = tuple(
        Field(context.name(place) or f"col{place + 1}", type_)
        for place, type_ in enumerate(context.types)
    )
    return StructType(fields=fields, nullable=False)


def _named_struct(context: CallContext) -> LogicalType:
    if len(context.types) % 2:
        raise context.mismatch("names and values come in pairs")
    fields = []
    for place in range(0, len(context.types), 2):
        name = context.literal(place)
        if not isinstance(name, str):
            raise context.mismatch(f"argument {place + 1}, a name, must be a text literal")
        fields.append(Field(name, context.types[place + 1]))
    return StructType(fields=tuple(fields), nullable=False)


def _entry(map_: MapType) -> LogicalType:
    fields = (Field("key", map_.key), Field("value", map_.value))
    return StructType(fields=fields, nullable=False)


def _keys(context: CallContext) -> LogicalType:
    map_ = map_at(context, 0)
    return ArrayType(element=map_.key.as_nullable(), nullable=map_.nullable)


def _values(context: CallContext) -> LogicalType:
    map_ = map_at(context, 0)
    return ArrayType(element=map_.value.as_nullable(), nullable=map_.nullable)


def _entries(context: CallContext) -> LogicalType:
    map_ = map_at(context, 0)
    return ArrayType(element=_entry(map_), nullable=map_.nullable)


def _from_arrays(context: CallContext) -> LogicalType:
    keys, values = array_at(context, 0), array_at(context, 1)
    _check_key(context, keys.element)
    return MapType(key=keys.element, value=values.element)


def _from_entries(context: CallContext) -> LogicalType:
    entries = array_at(context, 0)
    assert isinstance(entries.element, StructType)
    key, value = (field.type for field in entries.element.fields)
    _check_key(context, key)
    return MapType(key=key, value=value, nullable=entries.nullable or entries.element.nullable)


def _merged_maps(context: CallContext) -> LogicalType:
    if not context.types:
        return MapType(key=STRING, value=STRING)
    found = common_type_of(context.types)
    if not isinstance(found, MapType):
        raise context.mismatch("the maps have no common type")
    return found


def _of_text(context: CallContext) -> LogicalType:
    text = context.types[0].as_nullable()
    return MapType(key=text.not_null(), value=text, nullable=context.any_nullable)


def _splits(given: LogicalType) -> bool:
    return isinstance(given, StringType) and not given.collation.endswith("_RTRIM")


_SPLIT = all_of(exactly(STRING), any_where("STRING", _splits), description="STRING")


def _has_key(context: CallContext) -> LogicalType:
    map_ = map_at(context, 0)
    key = context.types[1]
    wrong = text_beside_others((map_.key, key)) or isinstance(key, VoidType)
    if wrong or common_type_of((map_.key, key)) is None:
        raise context.mismatch("the key is of another type")
    return BOOLEAN


def _size(context: CallContext) -> LogicalType:
    """With ANSI off NULL has the size -1."""
    return INT.with_nullability(context.ansi and context.any_nullable)


ARRAY_OF = scalar("""array(ANY?...)
    An array of the arguments.
    since 1.1.0, class CreateArray, collated, never fails""").where(returns=_array)
MAP_OF = scalar("""map(ANY?...)
    A map of the arguments: key, value, key, value, …
    since 2.0.0, class CreateMap""").where(returns=_map, collated=keys_and_values)
STRUCT_OF = scalar("""struct(ANY?...)
    A struct of the arguments; fields take the names of columns and aliases, else col1, …
    since 1.4.0, no class, never fails""").where(returns=_struct)
NAMED_STRUCT = scalar("""named_struct(ANY?, ANY?...)
    A struct of the arguments: name, value, name, value, …
    since 1.5.0, no class, never fails, own collations""").where(returns=_named_struct)
SIZE = scalar("""size(col: COLLECTION)
    The number of elements or entries.
    since 1.5.0, never fails""").where(returns=_size)
CARDINALITY = scalar("""cardinality(col: COLLECTION)
    The number of elements or entries.
    since 2.4.0, no class""").where(returns=_size)
MAP_KEYS = scalar("""map_keys(col: MAP)
    The keys as an array.
    since 2.0.0""").where(returns=_keys)
MAP_VALUES = scalar("""map_values(col: MAP)
    The values as an array.
    since 2.0.0""").where(returns=_values)
MAP_ENTRIES = scalar("""map_entries(col: MAP)
    The entries as structs of key and value.
    since 3.0.0""").where(returns=_entries)
MAP_FROM_ARRAYS = scalar("""map_from_arrays(col1: ARRAY, col2: ARRAY)
    A map of an array of keys and one of values.
    since 2.4.0""").where(returns=nullable_with_arguments(_from_arrays))
MAP_FROM_ENTRIES = scalar("""map_from_entries(col: array_shape(struct_shape(ANY, ANY)))
    A map of an array of structs of key and value.
    since 2.4.0""").where(returns=_from_entries)
MAP_CONCAT = scalar("""map_concat(MAP_NOT_NULL?...)
    The entries of all maps in one.
    since 2.4.0""").where(returns=nullable_with_arguments(_merged_maps))
MAP_CONTAINS_KEY = scalar("""map_contains_key(col: MAP_NOT_NULL, value: ANY)
    Whether the map has the key.
    since 3.3.0""").where(returns=_has_key)
STR_TO_MAP = scalar("""str_to_map(text: _, pairDelim: _ = ',', keyValueDelim: _ = ':')
    A map of a text such as `a:1,b:2`, between separators of entries and of keys.
    since 2.0.1, class StringToMap, collated, searches text
    """).where(args=(_SPLIT, _SPLIT, _SPLIT), returns=_of_text)
