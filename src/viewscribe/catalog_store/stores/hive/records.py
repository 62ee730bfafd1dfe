"""The structs of the metastore's interface, of which only the fields that matter have names.

Ids and names are those of ``hive_metastore.thrift``. A record looks into the struct that came over
the wire, so whatever it has no name for stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar, overload

from viewscribe.catalog_store.stores.hive.wire import (
    BOOL,
    I32,
    I64,
    LIST,
    MAP,
    STRING,
    STRUCT,
    Items,
    Pairs,
    Struct,
    Value,
)

T = TypeVar("T")


class Record:
    """A struct, seen through named fields.

    Args:
        struct: what came over the wire; an empty one by default.
        values: fields by name; None leaves one out.
    """

    def __init__(self, struct: Struct | None = None, **values: object) -> None:
        self.struct: Struct = {} if struct is None else struct
        for name, value in values.items():
            setattr(self, name, value)

    def copy(self: R) -> R:
        """Another record that says the same; no part is shared."""
        return type(self)(_copy(self.struct))


R = TypeVar("R", bound=Record)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {id_: Value(kind, _copy(item)) for id_, (kind, item) in value.items()}
    if isinstance(value, Items):
        return Items(value.type, [_copy(item) for item in value.items])
    if isinstance(value, Pairs):
        return value._replace(pairs=list(value.pairs))
    return value


class Field(Generic[T]):
    """A field of a record; None (or nothing) where the struct does not have it."""

    kind: int = STRING

    def __init__(self, id_: int) -> None:
        self.id = id_

    @overload
    def __get__(self, record: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, record: Record, owner: type) -> T: ...
    def __get__(self, record: Record | None, owner: type) -> Any:
        if record is None:
            return self
        found = record.struct.get(self.id)
        return self.absent() if found is None else self.decode(found.value)

    def __set__(self, record: Record, value: T | None) -> None:
        if value is None:
            record.struct.pop(self.id, None)
        else:
            record.struct[self.id] = Value(self.kind, self.encode(value))

    def absent(self) -> Any:
        """What a missing field is."""
        return None

    def decode(self, value: Any) -> Any:
        """From the wire."""
        return value

    def encode(self, value: Any) -> Any:
        """To the wire."""
        return value


class Text(Field["str | None"]):
    """A text."""

    def decode(self, value: Any) -> str:
        return _text(value)

    def encode(self, value: Any) -> bytes:
        return _bytes(value)


class Number(Field["int | None"]):
    """A whole number."""

    kind = I32


class Long(Field["int | None"]):
    """A whole number of 64 bits."""

    kind = I64


class Flag(Field["bool | None"]):
    """Yes or no."""

    kind = BOOL


class TextMap(Field["dict[str, str]"]):
    """Texts by text; a copy, so that a change is written back."""

    kind = MAP

    def absent(self) -> dict[str, str]:
        return {}

    def decode(self, value: Any) -> dict[str, str]:
        return {_text(key): _text(item) for key, item in value.pairs}

    def encode(self, value: Mapping[str, str]) -> Pairs:
        pairs = [(_bytes(key), _bytes(item)) for key, item in value.items()]
        return Pairs(STRING, STRING, pairs)


class TextList(Field["list[str]"]):
    """Texts in order."""

    kind = LIST

    def absent(self) -> list[str]:
        return []

    def decode(self, value: Any) -> list[str]:
        return [_text(item) for item in value.items]

    def encode(self, value: Iterable[str]) -> Items:
        return Items(STRING, [_bytes(item) for item in value])


class Nested(Field["R"]):
    """A record inside another; changing it changes the outer one."""

    kind = STRUCT

    def __init__(self, id_: int, record: type[R]) -> None:
        super().__init__(id_)
        self.record = record

    def absent(self) -> R:
        return self.record({})

    def decode(self, value: Any) -> R:
        return self.record(value)

    def encode(self, value: Record) -> Struct:
        return value.struct


class Many(Field["list[R]"]):
    """Records in order."""

    kind = LIST

    def __init__(self, id_: int, record: type[R]) -> None:
        super().__init__(id_)
        self.record = record

    def absent(self) -> list[Any]:
        return []

    def decode(self, value: Any) -> list[Any]:
        return [self.record(item) for item in value.items]

    def encode(self, value: Iterable[Record]) -> Items:
        return Items(STRUCT, [item.struct for item in value])


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


class DatabaseRecord(Record):
    """A database."""

    name = Text(1)
    description = Text(2)
    location = Text(3)
    parameters = TextMap(4)
    owner = Text(6)
    owner_type = Number(7)


class ColumnRecord(Record):
    """A column, its type in Hive's words."""

    name = Text(1)
    type = Text(2)
    comment = Text(3)


class SerdeRecord(Record):
    """How rows are written."""

    library = Text(2)
    parameters = TextMap(3)


class StorageRecord(Record):
    """Where and how a table is stored."""

    columns = Many(1, ColumnRecord)
    location = Text(2)
    input_format = Text(3)
    output_format = Text(4)
    compressed = Flag(5)
    buckets = Number(6)
    serde = Nested(7, SerdeRecord)
    parameters = TextMap(10)


class TableRecord(Record):
    """A table or view."""

    name = Text(1)
    database = Text(2)
    owner = Text(3)
    created = Number(4)
    last_access = Number(5)
    retention = Number(6)
    storage = Nested(7, StorageRecord)
    partition_columns = Many(8, ColumnRecord)
    parameters = TextMap(9)
    original_text = Text(10)
    expanded_text = Text(11)
    type = Text(12)

    @property
    def is_new(self) -> bool:
        """Whether it says nothing yet of how it is stored."""
        return not self.struct.get(7)


class TableMeta(Record):
    """The name and type of a table."""

    database = Text(1)
    name = Text(2)
    type = Text(3)


class ResourceRecord(Record):
    """A file that a function needs; 1 is a JAR, 2 a FILE, 3 an ARCHIVE."""

    type = Number(1)
    uri = Text(2)


class FunctionRecord(Record):
    """A function."""

    name = Text(1)
    database = Text(2)
    class_name = Text(3)
    owner = Text(4)
    owner_type = Number(5)
    created = Number(6)
    type = Number(7)
    resources = Many(8, ResourceRecord)
