"""Conversion of Protobuf messages in a descriptor set to types, following Spark.

``protoc --include_imports --descriptor_set_out=people.desc people.proto`` writes a descriptor set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from viewscribe.errors import DataTypeError, did_you_mean
from viewscribe.types.logical import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DAY_TIME_INTERVAL,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StructType,
)

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
    members = [_member(part) for number, part in _parts(body) if number == 2]
    options = [part for number, part in _parts(body) if number == 7]
    is_entry = any(_number(part, 7) for part in options)
    yield name, _Message(name, members, is_entry, is_top)
    for number, part in _parts(body):
        if number == 3:
            yield from _list_messages(part, name, is_top=False)


def _member(body: bytes) -> _Member:
    return _Member(_text(body, 1), _number(body, 4), _number(body, 5), _text(body, 6).lstrip("."))


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
