"""Thrift values as they travel, whatever they mean: every field is kept, known or not.

Generated clients drop the fields that their own version of the interface does not know, so that
reading, changing and writing a table takes away what a newer server had put there. Here a struct
is a mapping of field ids to typed values, written as it was read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TType

BOOL: int = TType.BOOL
I16: int = TType.I16
I32: int = TType.I32
I64: int = TType.I64
STRING: int = TType.STRING
STRUCT: int = TType.STRUCT
MAP: int = TType.MAP
LIST: int = TType.LIST

MAX_DEPTH = 32


class Value(NamedTuple):
    """A value and its thrift type. Texts are bytes, structs mappings of ids to values."""

    type: int
    value: Any


Struct = dict[int, Value]


class Items(NamedTuple):
    """The items of a list or set, and their type."""

    type: int
    items: list[Any]


class Pairs(NamedTuple):
    """The pairs of a map, and the types of keys and values."""

    key_type: int
    value_type: int
    pairs: list[tuple[Any, Any]]


def read_struct(protocol: Any, depth: int = 0) -> Struct:
    """The struct that comes next."""
    if depth > MAX_DEPTH:
        raise TProtocolException(
            TProtocolException.DEPTH_LIMIT, f"nested more than {MAX_DEPTH} levels deep"
        )
    fields: Struct = {}
    protocol.readStructBegin()
    while True:
        _, kind, id_ = protocol.readFieldBegin()
        if kind == TType.STOP:
            break
        fields[id_] = Value(kind, _read(protocol, kind, depth))
        protocol.readFieldEnd()
    protocol.readStructEnd()
    return fields


def _read(protocol: Any, kind: int, depth: int) -> Any:
    if kind == STRUCT:
        return read_struct(protocol, depth + 1)
    if kind == MAP:
        key, value, size = protocol.readMapBegin()
        pairs = [
            (_read(protocol, key, depth + 1), _read(protocol, value, depth + 1))
            for _ in range(size)
        ]
        protocol.readMapEnd()
        return Pairs(key, value, pairs)
    if kind in (LIST, TType.SET):
        begin, end = _READ_ITEMS[kind]
        item, size = getattr(protocol, begin)()
        if item == STRING:  # the names of a database: thousands
            items = [protocol.readBinary() for _ in range(size)]
        else:
            items = [_read(protocol, item, depth + 1) for _ in range(size)]
        getattr(protocol, end)()
        return Items(item, items)
    return getattr(protocol, _read_method(kind))()


def write_struct(protocol: Any, fields: Struct) -> None:
    """Writes a struct, its fields in the order of their ids."""
    protocol.writeStructBegin("")
    for id_, (kind, value) in sorted(fields.items()):
        protocol.writeFieldBegin("", kind, id_)
        _write(protocol, kind, value)
        protocol.writeFieldEnd()
    protocol.writeFieldStop()
    protocol.writeStructEnd()


def _write(protocol: Any, kind: int, value: Any) -> None:
    if kind == STRUCT:
        write_struct(protocol, value)
    elif kind == MAP:
        protocol.writeMapBegin(value.key_type, value.value_type, len(value.pairs))
        for key, item in value.pairs:
            _write(protocol, value.key_type, key)
            _write(protocol, value.value_type, item)
        protocol.writeMapEnd()
    elif kind in (LIST, TType.SET):
        begin, end = _WRITE_ITEMS[kind]
        getattr(protocol, begin)(value.type, len(value.items))
        for item in value.items:
            _write(protocol, value.type, item)
        getattr(protocol, end)()
    else:
        getattr(protocol, _METHODS[kind][1])(value)


def _read_method(kind: int) -> str:
    try:
        return _METHODS[kind][0]
    except KeyError:
        raise TProtocolException(
            TProtocolException.INVALID_DATA, f"a value of the unknown type {kind}"
        ) from None


_READ_ITEMS = {LIST: ("readListBegin", "readListEnd"), TType.SET: ("readSetBegin", "readSetEnd")}
_WRITE_ITEMS = {
    LIST: ("writeListBegin", "writeListEnd"),
    TType.SET: ("writeSetBegin", "writeSetEnd"),
}
_METHODS = {
    BOOL: ("readBool", "writeBool"),
    TType.BYTE: ("readByte", "writeByte"),
    I16: ("readI16", "writeI16"),
    I32: ("readI32", "writeI32"),
    I64: ("readI64", "writeI64"),
    TType.DOUBLE: ("readDouble", "writeDouble"),
    STRING: ("readBinary", "writeBinary"),
}
