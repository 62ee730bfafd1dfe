"""A web server that counts: which pages were asked for, and how many requests were open at once.

Clients are in Spark's workers, in processes of their own, so they have an address and no object.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable


class CountingServer:
    """Answers ``GET /anything`` with ``anything``; a page ``fail/…`` is an error of the server.

    Args:
        latency: the seconds that an answer takes.
    """

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.counts: Counter[str] = Counter()
        self.most_open = 0
        self._open = 0
        self._asked = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self.port = int(self._server.sockets[0].getsockname()[1])

    @property
    def calls(self) -> int:
        """How many requests there were."""
        return sum(self.counts.values())

    def wait_for(self, is_so: Callable[[CountingServer], bool], timeout: float = 60.0) -> bool:
        """Waits until requests have made something so; says whether they have."""
        with self._asked:
            return self._asked.wait_for(lambda: is_so(self), timeout)

    def reset(self) -> None:
        """Forgets what was asked for."""
        self.counts.clear()
        self.most_open = 0

    def close(self) -> None:
        """Stops listening."""
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._answer, "127.0.0.1", 0, backlog=1_000)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        page = request.split(b" ", 2)[1].decode().removeprefix("/")
        with self._asked:
            self.counts[page] += 1
            self._asked.notify_all()
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        await asyncio.sleep(self.latency)
        self._open -= 1
        status = "500 No" if page.startswith("fail/") else "200 OK"
        body = page.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()


async def fetch(port: int, page: str) -> str:
    """The page, as a client without any library asks for it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /{page} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    body = await reader.read()
    writer.close()
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise OSError(f"the server said no to {page}")
    return body.decode()
