"""A relay between a client and a real metastore that fails on command.

Faults are the network's and old servers': what the metastore itself does stays real.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

UNKNOWN_METHOD = 1


class Relay:
    """Listens on a port of its own and hands every call on.

    Args:
        port: of the metastore, on 127.0.0.1.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.calls: list[str] = []
        self.on_call: Callable[[str, bytes], bytes | None] = lambda method, call: call
        """Gets each call; what it gives back is handed on, and with None nothing is."""
        self.on_answer: Callable[[str, bytes], bytes | None] = lambda method, answer: answer
        """Gets each answer; with None the connection ends instead."""
        self.unknown: set[str] = set()
        """The methods that the server is to have never heard of."""
        self.silent: threading.Event = threading.Event()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Stop listening, and end every connection."""
        self._listener.close()
        self.hang_up()

    def hang_up(self) -> None:
        """End every connection."""
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            suppress(OSError, EOFError),
            client,
            socket.create_connection(("127.0.0.1", self._target)) as server,
        ):
            while True:
                method, call = read_message(client)
                self.calls.append(method)
                if method in self.unknown:
                    client.sendall(unknown_method(call))
                    continue
                handed = self.on_call(method, call)
                if handed is None:
                    return
                server.sendall(handed)
                answer = self.on_answer(method, read_message(server)[1])
                if answer is None:
                    return
                client.sendall(answer)


def read_message(source: socket.socket) -> tuple[str, bytes]:
    """The method and the bytes of one message of thrift's strict binary protocol."""
    reader = _Reader(source)
    reader.take(4)
    method = reader.take(reader.number()).decode()
    reader.take(4)
    reader.struct()
    return method, bytes(reader.seen)


def unknown_method(call: bytes) -> bytes:
    """The answer of a server that does not have the method of ``call``."""
    length = struct.unpack(">i", call[4:8])[0]
    name, number = call[8 : 8 + length], call[8 + length : 12 + length]
    text = b"Invalid method name"
    head = struct.pack(">I", 0x80010003) + struct.pack(">i", length) + name + number
    message = b"\x0b\x00\x01" + struct.pack(">i", len(text)) + text
    return head + message + b"\x08\x00\x02" + struct.pack(">i", UNKNOWN_METHOD) + b"\x00"


class _Reader:
    """Reads as far as a message goes, and remembers it."""

    def __init__(self, source: socket.socket) -> None:
        self._source = source
        self.seen = bytearray()

    def take(self, count: int) -> bytes:
        found = bytearray()
        while len(found) < count:
            data = self._source.recv(count - len(found))
            if not data:
                raise EOFError
            found += data
        self.seen += found
        return bytes(found)

    def number(self) -> int:
        return int(struct.unpack(">i", self.take(4))[0])

    def struct(self) -> None:
        while (kind := self.take(1)[0]) != 0:
            self.take(2)
            self.value(kind)

    def value(self, kind: int) -> None:
        sizes = {2: 1, 3: 1, 4: 8, 6: 2, 8: 4, 10: 8}
        if kind in sizes:
            self.take(sizes[kind])
        elif kind == 11:
            self.take(self.number())
        elif kind == 12:
            self.struct()
        elif kind == 13:
            key, value = self.take(2)
            for _ in range(self.number()):
                self.value(key)
                self.value(value)
        else:
            item = self.take(1)[0]
            for _ in range(self.number()):
                self.value(item)
