"""What users inherit from. Spark's workers get this module by value, so it imports nothing."""

from __future__ import annotations

from typing import Any


class AsyncFunction:
    """What every asynchronous function has, unless it says otherwise."""

    def open(self, context: object) -> Any:
        """Called once a task, before the first call; may be ``async``.

        Args:
            context: has ``function``, ``partition``, ``attempt`` and ``capacity``.
        """

    def close(self) -> Any:
        """Called once a task, after the last call or a failure; may be ``async``."""


class AsyncScalarFunction(AsyncFunction):
    """A scalar function whose calls wait for something, and do so together.

        class Lookup(vs.AsyncScalarFunction):
            def __init__(self, url: str) -> None:
                self.url = url

            async def open(self, context: Any) -> None:
                self.session = aiohttp.ClientSession()

            async def eval(self, key: int) -> str:
                async with self.session.get(f"{self.url}/{key}") as response:
                    return await response.text()

            async def close(self) -> None:
                await self.session.close()

    The annotations of ``eval`` are the types of the arguments and of the result. NULL is None. Each
    task of Spark has a copy of the object, which is opened before its first call and closed after
    its last. After ``AsyncScalarFunction`` of the FLIP-400 document, with a coroutine in the place
    of a future.
    """


class AsyncTableFunction(AsyncFunction):
    """A table function whose calls wait for something, and do so together.

        class Orders(vs.AsyncTableFunction):
            async def eval(self, customer: int) -> list[Order]:
                return [Order(…) for each in await self.client.orders_of(customer)]

    ``eval`` returns a list of rows, or yields them (``-> AsyncIterator[Order]``). The annotation
    of a row says the columns: those of a NamedTuple or a dataclass, else one, called ``col``.
    For the rest it is like an ``AsyncScalarFunction``.
    """
