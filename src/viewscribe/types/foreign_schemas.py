"""Conversion of Protobuf messages in a descriptor set to types, following Spark.

``protoc --include_imports --descriptor_set_out=people.desc people.proto`` writes a descriptor set.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from viewscribe.errors import DataTypeError, did_you_mean
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.types.ddl_reader import parse_type
from viewscribe.types.nested_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StructType,
)

# Conversion of Avro schemas to types, following Spark's ``SchemaConverters``.

Schema = str | Mapping[str, Any] | Sequence[Any]

_PRIMITIVES: dict[str, LogicalType] = {
    "null": VOID,
    "boolean": BOOLEAN,
    "int": INT,
    "long": BIGINT,
    "float": FLOAT,
    "double": DOUBLE,
    "bytes": BINARY,
    "string": STRING,
}
_MEANINGS: dict[tuple[str, str], LogicalType] = {
    ("int", "date"): DATE,
    ("long", "time-micros"): TIME,
    ("long", "timestamp-millis"): TIMESTAMP,
    ("long", "timestamp-micros"): TIMESTAMP,
    ("long", "local-timestamp-millis"): TIMESTAMP_NTZ,
    ("long", "local-timestamp-micros"): TIMESTAMP_NTZ,
}
_UNKNOWN_MEANINGS = ("timestamp-nanos", "local-timestamp-nanos")
_WIDER: dict[frozenset[str], LogicalType] = {
    frozenset(("int", "long")): BIGINT,
    frozenset(("float", "double")): DOUBLE,
}
_SPARK_TYPE = "spark.sql.catalyst.type"


def avro_type(document: str) -> LogicalType:
    """Returns the type of an Avro schema given as JSON text; NOT NULL unless it allows null.

    Raises:
        DataTypeError: it is not an Avro schema, or Spark has no type for it.
    """
    try:
        schema = loads(document, depth=OUTER_DEPTH)
    except ValueError as error:
        raise DataTypeError(f"the Avro schema is not JSON: {error}") from None
    return _Reader().read(schema)


class _Reader:
    """Reads an Avro schema; knows the named types seen so far and those still being read."""

    def __init__(self) -> None:
        self.known: dict[str, LogicalType] = {}
        self.open: set[str] = set()

    def read(self, schema: Any, namespace: str = "") -> LogicalType:
        """Returns the type of a schema within a namespace."""
        if isinstance(schema, list):
            return self._union(schema, namespace)
        if isinstance(schema, str):
            primitive = _PRIMITIVES.get(schema)
            return self._named(schema, namespace) if primitive is None else _require(primitive)
        kind = schema.get("type") if isinstance(schema, dict) else None
        if not isinstance(kind, str):
            raise DataTypeError(f"an Avro schema needs a type: {json.dumps(schema)}")
        if kind in _PRIMITIVES:
            return _require(_meaning(kind, schema))
        handler = _HANDLERS.get(kind)
        return handler(self, schema, namespace) if handler else self._named(kind, namespace)

    def _named(self, name: str, namespace: str) -> LogicalType:
        full = _full_name(name, namespace)
        if full in self.open:
            raise DataTypeError(f"the Avro record `{full}` holds itself")
        found = self.known.get(full)
        if found is None:
            raise DataTypeError(f"no Avro type `{name}`")
        return found

    def _record(self, schema: Mapping[str, Any], namespace: str) -> LogicalType:
        name = _name_of(schema, namespace)
        inside = name.rpartition(".")[0]
        self.open.add(name)
        fields = [
            Field(_value(each, "name", str), self.read(_value(each, "type", object), inside))
            for each in _value(schema, "fields", list)
        ]
        self.open.remove(name)
        self.known[name] = StructType(fields=tuple(fields), nullable=False)
        return self.known[name]

    def _enum(self, schema: Mapping[str, Any], namespace: str) -> LogicalType:
        return self._define(schema, namespace, STRING)

    def _fixed(self, schema: Mapping[str, Any], namespace: str) -> LogicalType:
        most = int((8 * _value(schema, "size", int) - 1) * math.log10(2))
        fits = _value(schema, "precision", int, 0) <= most
        return self._define(schema, namespace, _meaning("bytes", schema) if fits else BINARY)

    def _define(self, schema: Mapping[str, Any], namespace: str, type_: LogicalType) -> LogicalType:
        name = _name_of(schema, namespace)
        self.known[name] = type_.not_null()
        return self.known[name]

    def _array(self, schema: Mapping[str, Any], namespace: str) -> LogicalType:
        element = self.read(_value(schema, "items", object), namespace)
        return ArrayType(element=element, nullable=False)

    def _map(self, schema: Mapping[str, Any], namespace: str) -> LogicalType:
        value = self.read(_value(schema, "values", object), namespace)
        return MapType(key=STRING.not_null(), value=value, nullable=False)

    def _union(self, schemas: Sequence[Any], namespace: str) -> LogicalType:
        types = [self.read(each, namespace) for each in schemas]
        kinds = [_kind(each) for each in schemas]
        if len(set(kinds)) < len(kinds) or any(isinstance(each, list) for each in schemas):
            raise DataTypeError(f"an Avro union holds each type once: {json.dumps(schemas)}")
        rest = [place for place, kind in enumerate(kinds) if kind != "null"]
        nullable = len(rest) < len(kinds)
        found = _of_union([types[place] for place in rest], [kinds[place] for place in rest])
        return found.with_nullability(nullable)


def _of_union(types: Sequence[LogicalType], kinds: Sequence[str]) -> LogicalType:
    if len(types) == 1:
        return types[0]
    wider = _WIDER.get(frozenset(kinds))
    if wider is not None:
        return wider
    members = [Field(f"member{place}", type_.as_nullable()) for place, type_ in enumerate(types)]
    return StructType(fields=tuple(members))


def _kind(schema: Schema) -> str:
    """Returns what a union may contain only once: a primitive, ``array``, ``map`` or a name."""
    if isinstance(schema, Mapping):
        return str(schema.get("name") or schema["type"])
    return schema if isinstance(schema, str) else json.dumps(schema)


def _meaning(kind: str, schema: Mapping[str, Any]) -> LogicalType:
    """Returns the type of a primitive with its logical type applied."""
    meaning = schema.get("logicalType")
    if meaning in _UNKNOWN_MEANINGS:
        raise DataTypeError(f"no type for Avro's {meaning}")
    if kind == "bytes" and meaning == "decimal" and "precision" in schema:
        return DecimalType(
            precision=_value(schema, "precision", int), scale=_value(schema, "scale", int, 0)
        )
    if kind in ("int", "long") and (kind, meaning) != ("int", "date") and _SPARK_TYPE in schema:
        return parse_type(_value(schema, _SPARK_TYPE, str))
    return _MEANINGS.get((kind, str(meaning)), _PRIMITIVES[kind])


def _require(type_: LogicalType) -> LogicalType:
    return type_ if type_ is VOID else type_.not_null()


def _value(schema: Any, key: str, kind: type, default: object = None) -> Any:
    """What a schema has under a key, which must be of a kind; None is of none."""
    value = schema.get(key, default) if isinstance(schema, dict) else None
    if value is None or not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise DataTypeError(f"an Avro schema needs `{key}`: {json.dumps(schema)}")
    return value


def _name_of(schema: Mapping[str, Any], namespace: str) -> str:
    return _full_name(_value(schema, "name", str), _value(schema, "namespace", str, namespace))


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


_HANDLERS: dict[str, Callable[[_Reader, Mapping[str, Any], str], LogicalType]] = {
    "record": _Reader._record,
    "error": _Reader._record,
    "enum": _Reader._enum,
    "fixed": _Reader._fixed,
    "array": _Reader._array,
    "map": _Reader._map,
}


_REQUIRED, _REPEATED = 2, 3
_GROUP, _MESSAGE, _UINT64, _UINT32, _ENUM = 10, 11, 4, 13, 14
_SCALARS: dict[int, LogicalType] = {
    1: DOUBLE,
    2: FLOAT,
    3: BIGINT,
    4: BIGINT,
    5: INT,
    6: BIGINT,
    7: INT,
    8: BOOLEAN,
    9: STRING,
    12: BINARY,
    13: INT,
    14: STRING,
    15: INT,
    16: BIGINT,
    17: INT,
    18: BIGINT,
}
"""Types by the numbers of the enumeration ``FieldDescriptorProto.Type``."""

_UNSIGNED: dict[int, LogicalType] = {
    _UINT32: BIGINT,
    _UINT64: DecimalType(precision=20, scale=0),
}
_MOMENTS: dict[str, LogicalType] = {"Duration": DAY_TIME_INTERVAL, "Timestamp": TIMESTAMP}


class _Member(msgspec.Struct, frozen=True):
    """A message field; label and type are enumeration values of the descriptor."""

    name: str
    label: int
    kind: int
    message: str


class _Message(msgspec.Struct, frozen=True):
    name: str
    members: Sequence[_Member]
    is_entry: bool
    is_top: bool


def protobuf_type(
    descriptors: bytes,
    message: str,
    *,
    enums_as_ints: bool = False,
    upcast_unsigned: bool = False,
) -> LogicalType:
    """Returns the STRUCT type of a message in a descriptor set.

    Args:
        descriptors: the descriptor set, as bytes.
        message: the name of the message, with or without its package.

    Raises:
        DataTypeError: there is no such message, or it is recursive.
    """
    scalars = dict(_SCALARS)
    if enums_as_ints:
        scalars[_ENUM] = INT
    if upcast_unsigned:
        scalars |= _UNSIGNED
    known = dict(_messages(descriptors))
    tops = [name for name, found in known.items() if found.is_top]
    for name in tops:
        if message in (name, name.rpartition(".")[2]):
            return StructType(fields=_fields(known[name], known, scalars, (name,)))
    raise DataTypeError(f"no Protobuf message `{message}`", hint=did_you_mean(message, tops))


def _fields(
    message: _Message,
    known: Mapping[str, _Message],
    scalars: Mapping[int, LogicalType],
    around: tuple[str, ...],
) -> tuple[Field, ...]:
    found = []
    for member in message.members:
        if member.kind not in (_GROUP, _MESSAGE):
            found.append(Field(member.name, _label(member, scalars[member.kind])))
            continue
        inner = known[member.message]
        if inner.name in around:
            raise DataTypeError(f"the Protobuf message `{inner.name}` holds itself")
        type_ = _moment(inner)
        if type_ is None:
            fields = _fields(inner, known, scalars, (*around, inner.name))
            if len(fields) < 1 + inner.is_entry:
                continue  # Spark leaves out messages without fields
            type_ = _entries(fields) if inner.is_entry else StructType(fields=fields)
        found.append(Field(member.name, _label(member, type_)))
    return tuple(found)


def _label(member: _Member, type_: LogicalType) -> LogicalType:
    if member.label == _REPEATED and not isinstance(type_, MapType):
        return ArrayType(element=type_.not_null())
    return type_.with_nullability(member.label != _REQUIRED)


def _entries(fields: Sequence[Field]) -> LogicalType:
    types = {field.name: field.type.not_null() for field in fields}
    return MapType(key=types["key"], value=types["value"])


def _moment(message: _Message) -> LogicalType | None:
    names = [member.name for member in message.members]
    own = message.name.rpartition(".")[2]
    return _MOMENTS.get(own) if names == ["seconds", "nanos"] else None


def _messages(descriptors: bytes) -> Iterator[tuple[str, _Message]]:
    for number, file in _parts(descriptors):
        if number == 1:
            package = _text(file, 2)
            for place, body in _parts(file):
                if place == 4:
                    yield from _list_messages(body, package, is_top=True)


def _list_messages(body: bytes, around: str, *, is_top: bool) -> Iterator[tuple[str, _Message]]:
    own = _text(body, 1)
    name = f"{around}.{own}" if around else own
    members = [
        _Member(_text(part, 1), _number(part, 4), _number(part, 5), _text(part, 6).lstrip("."))
        for number, part in _parts(body)
        if number == 2
    ]
    options = [part for number, part in _parts(body) if number == 7]
    is_entry = any(_number(part, 7) for part in options)
    yield name, _Message(name, members, is_entry, is_top)
    for number, part in _parts(body):
        if number == 3:
            yield from _list_messages(part, name, is_top=False)


def _text(body: bytes, wanted: int) -> str:
    return next((part.decode() for number, part in _parts(body) if number == wanted), "")


def _number(body: bytes, wanted: int) -> int:
    return next((value for number, value in _values(body) if number == wanted), 0)


def _parts(body: bytes) -> Iterator[tuple[int, bytes]]:
    return ((number, value) for number, value in _wire(body) if isinstance(value, bytes))


def _values(body: bytes) -> Iterator[tuple[int, int]]:
    return ((number, value) for number, value in _wire(body) if isinstance(value, int))


def _wire(body: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Decodes the wire format of a message: pairs of field number and value."""
    at = 0
    while at < len(body):
        key, at = _varint(body, at)
        number, form = key >> 3, key & 7
        if form == 0:
            value, at = _varint(body, at)
            yield number, value
            continue
        size, at = _varint(body, at) if form == 2 else (_FIXED.get(form, len(body)), at)
        if at + size > len(body):
            raise DataTypeError("the Protobuf descriptor set cannot be read")
        yield number, body[at : at + size]
        at += size


_FIXED = {1: 8, 5: 4}


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(body[at:]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise DataTypeError("the Protobuf descriptor set cannot be read")
