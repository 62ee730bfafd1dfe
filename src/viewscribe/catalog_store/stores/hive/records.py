"""The structs of the metastore's interface, of which only the fields that matter have names.

Ids and names are those of ``hive_metastore.thrift``. A record looks into the struct that came over
the wire, so whatever it has no name for stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from viewscribe.catalog_store.stores.hive.connection import (
    BOOL,
    I16,
    I32,
    I64,
    LIST,
    MAP,
    STRING,
    STRUCT,
    Connections,
    Items,
    Pairs,
    Struct,
    UnknownMethodError,
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


# The calls of the metastore's interface that a catalog needs, and the errors they end in.

# Of lock requests: exclusive, on a table, held without a transaction.
_EXCLUSIVE, _ON_TABLE, _NO_TRANSACTION = 3, 2, 6

ACQUIRED = 1


class ServerError(Exception):
    """The metastore refused a call."""


class NameTakenError(ServerError):
    """The name is taken."""


class NoSuchObjectError(ServerError):
    """There is nothing of that name."""


class InvalidOperationError(ServerError):
    """It cannot be done so."""


class MetaError(ServerError):
    """Something failed inside the metastore."""


_EXISTS: dict[int, type[ServerError]] = {
    1: NameTakenError,
    2: InvalidOperationError,
    3: MetaError,
    4: NoSuchObjectError,
}
_LISTED: dict[int, type[ServerError]] = {
    1: MetaError,
    2: InvalidOperationError,
    3: NoSuchObjectError,
}
_FOUND: dict[int, type[ServerError]] = {1: MetaError, 2: NoSuchObjectError}
_DROPPED: dict[int, type[ServerError]] = {1: NoSuchObjectError, 2: MetaError}
_ALTERED: dict[int, type[ServerError]] = {1: InvalidOperationError, 2: MetaError}
_ONLY_META: dict[int, type[ServerError]] = {1: MetaError}

Throws = dict[int, type[ServerError]]

_ROW_GONE = "No such database row"
"""What a metastore says where a row goes between two of its statements."""


class _Short(Number):
    kind = I16


class _Message(Record):
    text = Text(1)


class _Request(Record):
    database = Text(1)
    name = Text(2)


class _ManyRequest(Record):
    database = Text(1)
    names = TextList(2)


class _Context(Record):
    properties = TextMap(1)


class _Component(Record):
    type = Number(1)
    level = Number(2)
    database = Text(3)
    table = Text(4)
    operation = Number(6)
    transactional = Flag(7)


class _LockRequest(Record):
    components = Many(1, _Component)
    user = Text(3)
    host = Text(4)
    agent = Text(5)


class LockRecord(Record):
    """A lock, held or waited for."""

    id = Long(1)
    state = Number(2)


class _LockId(Record):
    id = Long(1)


class Client:
    """A metastore. Calls raise ``ServerError``, ``UnreachableError`` or ``NoAnswerError``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # --- databases ---

    def databases(self) -> list[str]:
        """All names."""
        return _texts(self._read("get_all_databases", [], _ONLY_META))

    def database(self, name: str) -> DatabaseRecord:
        """One database."""
        found = self._read("get_database", [Text(1), name], {1: NoSuchObjectError, 2: MetaError})
        return DatabaseRecord(found)

    def create_database(self, record: DatabaseRecord) -> None:
        """Create one; its name must be free."""
        self._write("create_database", [Nested(1, DatabaseRecord), record], _EXISTS)

    def alter_database(self, name: str, record: DatabaseRecord) -> None:
        """Replace what is said of one."""
        arguments = [Text(1), name, Nested(2, DatabaseRecord), record]
        self._write("alter_database", arguments, _FOUND)

    def drop_database(self, name: str, *, cascade: bool) -> None:
        """Drop one; files stay."""
        arguments = [Text(1), name, Flag(2), False, Flag(3), cascade]
        throws: Throws = {1: NoSuchObjectError, 2: InvalidOperationError, 3: MetaError}
        self._write("drop_database", arguments, throws)

    # --- tables and views ---

    def table(self, database: str, name: str) -> TableRecord:
        """One table or view."""
        request = _Request(database=database, name=name)
        try:
            found = self._read("get_table_req", [Nested(1, _Request), request], _FOUND)
        except UnknownMethodError:  # before Hive 2.3
            found = self._read("get_table", [Text(1), database, Text(2), name], _FOUND)
            return TableRecord(found)
        return TableRecord(found[1].value)

    def tables(self, database: str, names: Sequence[str]) -> list[TableRecord]:
        """Several tables and views; those that are not there are left out."""
        request = _ManyRequest(database=database, names=names)
        method = "get_table_objects_by_name"
        try:
            answer = self._read(f"{method}_req", [Nested(1, _ManyRequest), request], _LISTED)
            found = answer[1].value
        except UnknownMethodError:  # before Hive 2.3
            found = self._read(method, [Text(1), database, TextList(2), names], _LISTED)
        return [TableRecord(each) for each in found.items]

    def table_metas(self, database: str) -> list[TableMeta]:
        """The names and types of all tables and views of a database."""
        arguments = [Text(1), database, Text(2), "*", TextList(3), []]
        found = self._read("get_table_meta", arguments, _ONLY_META)
        return [TableMeta(each) for each in found.items]

    def table_names(self, database: str) -> list[str]:
        """The names of all tables and views of a database."""
        return _texts(self._read("get_all_tables", [Text(1), database], _ONLY_META))

    def names_of_type(self, database: str, type_: str) -> list[str]:
        """The names of its tables of one type. Many times as fast as ``table_metas``."""
        arguments = [Text(1), database, Text(2), "*", Text(3), type_]
        try:
            return _texts(self._read("get_tables_by_type", arguments, _ONLY_META))
        except UnknownMethodError:  # before Hive 2.3
            metas = self.table_metas(database)
            return [
                each.name or ""
                for each in metas
                if each.type == type_ and each.database == database
            ]

    def table_names_with(self, database: str, parameter: str, value: str) -> list[str]:
        """The tables and views that have the parameter with that value."""
        wanted = f'hive_filter_field_params__{parameter} = "{value}"'
        arguments = [Text(1), database, Text(2), wanted, _Short(3), -1]
        return _texts(self._read("get_table_names_by_filter", arguments, _LISTED))

    def create_table(self, record: TableRecord) -> None:
        """Create a table or view; its name must be free."""
        self._write("create_table", [Nested(1, TableRecord), record], _EXISTS)

    def alter_table(
        self, database: str, name: str, record: TableRecord, context: dict[str, str]
    ) -> None:
        """Replace what is said of a table or view."""
        arguments = [
            Text(1), database, Text(2), name, Nested(3, TableRecord), record,
            Nested(4, _Context), _Context(properties=context),
        ]  # fmt: skip
        self._write("alter_table_with_environment_context", arguments, _ALTERED)

    def drop_table(self, database: str, name: str) -> None:
        """Drop a table or view; files stay."""
        self._write("drop_table", [Text(1), database, Text(2), name, Flag(3), False], _DROPPED)

    # --- functions ---

    def function_names(self, database: str) -> list[str]:
        """The names of a database's functions."""
        return _texts(self._read("get_functions", [Text(1), database, Text(2), "*"], _ONLY_META))

    def functions(self) -> list[FunctionRecord]:
        """Every function of every database."""
        found = self._read("get_all_functions", [], _ONLY_META).get(1)
        return [] if found is None else [FunctionRecord(each) for each in found.value.items]

    def function(self, database: str, name: str) -> FunctionRecord:
        """One function."""
        return FunctionRecord(
            self._read("get_function", [Text(1), database, Text(2), name], _FOUND)
        )

    def create_function(self, record: FunctionRecord) -> None:
        """Create one; its name must be free."""
        self._write("create_function", [Nested(1, FunctionRecord), record], _EXISTS)

    def alter_function(self, database: str, name: str, record: FunctionRecord) -> None:
        """Replace what is said of one."""
        arguments = [Text(1), database, Text(2), name, Nested(3, FunctionRecord), record]
        self._write("alter_function", arguments, _ALTERED)

    def drop_function(self, database: str, name: str) -> None:
        """Drop one."""
        self._write("drop_function", [Text(1), database, Text(2), name], _DROPPED)

    # --- locks ---

    def lock(self, database: str, name: str, user: str, host: str) -> LockRecord:
        """Ask for the one lock of that name."""
        component = _Component(
            type=_EXCLUSIVE,
            level=_ON_TABLE,
            database=database,
            table=name,
            operation=_NO_TRANSACTION,
            transactional=False,
        )
        request = _LockRequest(components=[component], user=user, host=host, agent="viewscribe")
        throws: Throws = {1: InvalidOperationError, 2: InvalidOperationError}
        return LockRecord(self._write("lock", [Nested(1, _LockRequest), request], throws))

    def check_lock(self, id_: int) -> LockRecord:
        """Ask again, which also says that one is still there."""
        throws: Throws = {1: InvalidOperationError, 2: InvalidOperationError, 3: NoSuchObjectError}
        request = [Nested(1, _LockId), _LockId(id=id_)]
        return LockRecord(self._read("check_lock", request, throws))

    def unlock(self, id_: int) -> None:
        """Give a lock back."""
        throws: Throws = {1: NoSuchObjectError, 2: InvalidOperationError}
        self._write("unlock", [Nested(1, _LockId), _LockId(id=id_)], throws)

    # --- inside ---

    def _read(self, method: str, arguments: list[Any], throws: Throws) -> Any:
        try:
            return self._call(method, arguments, throws, repeatable=True)
        except MetaError as error:
            if _ROW_GONE not in str(error):
                raise
        # A metastore reads with several statements: what is dropped between two of them is gone
        # for the next call, which says so in the proper way.
        return self._call(method, arguments, throws, repeatable=True)

    def _write(self, method: str, arguments: list[Any], throws: Throws) -> Any:
        return self._call(method, arguments, throws, repeatable=False)

    def _call(self, method: str, arguments: list[Any], throws: Throws, *, repeatable: bool) -> Any:
        record = Record()
        fields: list[Field[Any]] = arguments[::2]
        for field, value in zip(fields, arguments[1::2], strict=True):
            field.__set__(record, value)
        answer: Struct = self._connections.call(method, record.struct, repeatable=repeatable)
        for id_, (_, value) in answer.items():
            if id_ == 0:
                return value
            raise throws.get(id_, MetaError)(_Message(value).text or f"{method} failed")
        return {}


_texts = TextList(0).decode
"""The names that came over the wire; bytes that are no UTF-8 hide no other name."""
