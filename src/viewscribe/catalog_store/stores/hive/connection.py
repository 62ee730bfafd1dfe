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
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException, TMessageType
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from viewscribe.catalog_store.stores.hive.wire import Struct, read_struct, write_struct

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
        _send_at_once(self._socket)

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


def _send_at_once(connected: Any) -> None:
    connected.handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
