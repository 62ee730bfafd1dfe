"""Connections to a metastore: one call at a time each, and none is used after it failed once.

A call that ran out of time leaves its answer in the connection, where the next call would find it:
generated clients take it for theirs. So the name and number of every answer are checked, and a
connection is closed on whatever is not a whole answer.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from typing import Any, NamedTuple

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException, TMessageType, TType
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

# Thrift values as they travel, whatever they mean: every field is kept, known or not.
#
# Generated clients drop the fields that their own version of the interface does not know, so that
# reading, changing and writing a table takes away what a newer server had put there. Here a struct
# is a mapping of field ids to typed values, written as it was read.

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


# What it logs, our errors say as well: so it is for logs that somebody keeps, not for stderr.
logging.getLogger("thrift").addHandler(logging.NullHandler())

MAX_TEXT = 64 << 20
MAX_ITEMS = 1 << 20


class UnreachableError(Exception):
    """Nobody answers there; the call was not sent."""


class NoAnswerError(Exception):
    """The call was sent, and no answer came: it may have been done or not, or be done later."""


class UnknownMethodError(Exception):
    """The server does not have the method."""


class Connection:
    """One connection to a metastore, not to be shared by threads."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self._socket = TSocket(host, port)
        self._socket.setTimeout(timeout * 1000)
        transport = TBufferedTransport(self._socket, rbuf_size=1 << 16)
        self._protocol: Any = TBinaryProtocol(
            transport, string_length_limit=MAX_TEXT, container_length_limit=MAX_ITEMS
        )
        self._number = 0
        try:
            transport.open()
        except (TException, OSError) as error:
            transport.close()
            raise UnreachableError(str(error)) from error
        self._socket.handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        """Ends it."""
        self._protocol.trans.close()

    def call(self, method: str, arguments: Struct) -> Struct:
        """What the server answers.

        Raises:
            NoAnswerError: the connection failed; it is closed.
            UnknownMethodError: the server does not have the method.
        """
        try:
            self._send(method, arguments)
            return self._receive(method)
        except UnknownMethodError:
            raise
        except (TException, OSError, EOFError, UnicodeError) as error:
            self.close()
            raise NoAnswerError(str(error) or type(error).__name__) from error
        except BaseException:  # an interrupt leaves an answer behind
            self.close()
            raise

    def _send(self, method: str, arguments: Struct) -> None:
        protocol = self._protocol
        self._number = self._number % 0x7FFF_FFFF + 1
        protocol.writeMessageBegin(method, TMessageType.CALL, self._number)
        write_struct(protocol, arguments)
        protocol.writeMessageEnd()
        protocol.trans.flush()

    def _receive(self, method: str) -> Struct:
        protocol = self._protocol
        name, kind, number = protocol.readMessageBegin()
        if number != self._number or name != method:
            raise TProtocolException(
                TProtocolException.INVALID_DATA, f"the answer to another call came: {name}"
            )
        if kind == TMessageType.EXCEPTION:
            fault = TApplicationException()
            fault.read(protocol)
            protocol.readMessageEnd()
            if fault.type == TApplicationException.UNKNOWN_METHOD:
                raise UnknownMethodError(method)
            raise fault
        if kind != TMessageType.REPLY:
            raise TProtocolException(TProtocolException.INVALID_DATA, f"message of type {kind}")
        answer = read_struct(protocol)
        protocol.readMessageEnd()
        return answer


class Connections:
    """Connections to one server, kept between calls. Safe to use from several threads.

    Args:
        host: the server.
        port: where it listens.
        timeout: how many seconds an answer may take.
    """

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.host = host
        self.port = port
        self.timeout = timeout
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def call(self, method: str, arguments: Struct, *, repeatable: bool) -> Struct:
        """What the server answers.

        Args:
            method: its name.
            arguments: by their ids.
            repeatable: whether it may be sent twice; a read is, once, where a connection that had
                been idle turns out to be dead.

        Raises:
            UnreachableError: nothing was sent.
            NoAnswerError: it was sent, and no answer came.
            UnknownMethodError: the server does not have the method.
        """
        kept = self._take()
        if kept is not None:
            try:
                return self._use(kept, method, arguments)
            except NoAnswerError as error:
                # A restarted server has closed every idle connection.
                self.close()
                if not repeatable or isinstance(error.__cause__, TimeoutError):
                    raise
        return self._use(Connection(self.host, self.port, self.timeout), method, arguments)

    def close(self) -> None:
        """Ends the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for each in idle:
            each.close()

    def _use(self, connection: Connection, method: str, arguments: Struct) -> Struct:
        try:
            answer = connection.call(method, arguments)
        except UnknownMethodError:
            self._keep(connection)
            raise
        self._keep(connection)
        return answer

    def _take(self) -> Connection | None:
        with self._lock:
            if self._process != os.getpid():
                # After a fork, both processes would talk over the same connections.
                self._idle, self._process = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _keep(self, connection: Connection) -> None:
        with self._lock:
            self._idle.append(connection)
