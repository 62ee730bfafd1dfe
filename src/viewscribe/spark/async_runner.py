"""Making many calls of an asynchronous function at once, in an event loop on a thread of its own.

Workers of Spark get this module by value, so it needs neither viewscribe nor Spark. The thread that
reads rows hands them over in chunks and takes results back in the order of the rows, or as they are
ready. It reads ahead, so that calls stay open across the batches that the rows come in.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

Row = tuple[Any, ...]

HELD = 20_000
"""How many rows may wait behind a slow call, beside those whose calls are open."""

GRACE = 10.0
"""How many seconds beyond its timeout a call may keep the loop to itself."""


BEAT = 0.05
"""For how many seconds nothing is given on: who takes results can say that none are wanted."""


class AsyncCallError(RuntimeError):
    """A call of an asynchronous function that failed for good, or could not be made."""


class How(NamedTuple):
    """How the calls of a function are made: its name, its options, whether it gives rows."""

    name: str
    capacity: int = 10
    timeout: float = 180.0
    attempts: int = 3
    delay: float = 0.1
    gives_rows: bool = False

    @property
    def chunk(self) -> int:
        """How many rows are handed over together at most, and their results taken together."""
        return min(max(self.capacity, 32), 256)

    def sizes(self) -> Iterator[int]:
        """The numbers of rows that are handed over: few at first, which may be enough."""
        size = min(self.capacity, self.chunk)
        while True:
            yield size
            size = min(2 * size, self.chunk)


class Context(NamedTuple):
    """What ``open`` is told: the function, the task that calls it, and how many calls are open."""

    function: str
    partition: int
    attempt: int
    capacity: int


class Chunk:
    """Some rows that were handed over, and their results as far as they are there.

    Args:
        rows: the arguments of each call; None where no call is needed.
        origin: what the caller knows them by.
    """

    __slots__ = ("failure", "left", "origin", "results", "rows")

    def __init__(self, rows: list[Row | None], origin: Any = None) -> None:
        self.rows = rows
        self.origin = origin
        self.results: list[Any] = [None] * len(rows)
        self.left = sum(row is not None for row in rows)
        self.failure: BaseException | None = None

    @property
    def is_ready(self) -> bool:
        """Whether nothing more is to come."""
        return not self.left or self.failure is not None


class Runner:
    """Makes the calls of one task of Spark.

    Args:
        function: a class with ``eval``, an object of one, or a coroutine function.
        how: how its calls are made.
        partition: which task it is.
        attempt: how often that task was tried before.
        is_over: whether nobody waits for results any more, so that no call is to be begun.
    """

    def __init__(
        self,
        function: object,
        how: How,
        partition: int = 0,
        attempt: int = 0,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.function = function
        self._is_over = is_over
        self.how = how
        self.context = Context(how.name, partition, attempt, how.capacity)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        self._in_order = True
        self._done: deque[tuple[Chunk, int]] = deque()  # where order does not matter
        self._ended, self._still = 0, 0.0  # calls that ended before, and the seconds since then
        self._finished = 0  # calls that ended, so that a loop that stands still is noticed
        self._held = 0  # rows handed over whose results were not taken
        self._failure: BaseException | None = None  # the first; calls that waited are not made
        # Of the loop's thread alone:
        self._waiting: deque[tuple[Chunk, int]] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._eval: Any = None
        self._is_open = False
        self._closing = False

    # -- the thread that reads rows ----------------------------------------------------------------

    def in_order(self, chunks: Iterable[Chunk]) -> Generator[Chunk, None, None]:
        """The chunks with their results, in their order; an empty one where none is ready yet.

        Raises:
            AsyncCallError: a call failed for good, when it is its turn.
        """
        source, more = iter(chunks), True
        queue: deque[Chunk] = deque()
        while True:
            while more and self._wants_more() and not (queue and queue[0].is_ready):
                chunk = next(source, None)
                if chunk is None:
                    more = False
                else:
                    queue.append(chunk)
                    self._hand_over(chunk)
            if not queue:
                return
            head = queue[0]
            if not self._wait(
                lambda head=head, more=more: head.is_ready or (more and self._wants_more())
            ):
                yield Chunk([])
            while queue and queue[0].is_ready:
                yield self._taken(queue.popleft())

    def as_ready(self, chunks: Iterable[Chunk]) -> Iterator[list[tuple[Chunk, int]]]:
        """Rows as (chunk, place) as soon as their results are there, some at a time, or none yet.

        Raises:
            AsyncCallError: a call failed for good, as soon as that is known.
        """
        source, more = iter(chunks), True
        self._in_order = False
        while True:
            while more and self._wants_more() and len(self._done) < self.how.chunk:
                chunk = next(source, None)
                if chunk is None:
                    more = False
                else:
                    self._done.extend((chunk, i) for i, row in enumerate(chunk.rows) if row is None)
                    self._hand_over(chunk)
            if not self._held:
                return
            most = self.how.chunk
            if not self._wait(
                lambda more=more, most=most: (
                    self._failure is not None
                    or len(self._done) >= min(most, self._held)
                    or (more and self._wants_more())
                )
            ):
                yield []
            if self._failure is not None:  # what waited behind it never comes
                raise self._failure
            if self._done and (len(self._done) >= min(most, self._held)):
                yield self._taken_rows()

    def close(self, error: BaseException | None = None) -> None:
        """Cancels what is open, closes the function, and ends the loop.

        Args:
            error: what went wrong before, which an error of the function's ``close`` never hides.
        """
        if self._loop is None or self._thread is None:
            return
        loop, thread, self._loop = self._loop, self._thread, None
        ended = asyncio.run_coroutine_threadsafe(self._end(), loop)
        ended.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
        try:
            ended.result(GRACE)
        except TimeoutError:  # something keeps the loop to itself: the thread ends with the process
            _say(f"the asynchronous function {self.how.name} did not close within {GRACE:g} s")
            return
        except Exception as failure:
            if error is None:
                raise self._error(f"close() of {self.how.name} failed", failure) from failure
            _say(f"close() of {self.how.name} failed: {_shown_error(failure)}")
        finally:
            thread.join(GRACE)

    def _wants_more(self) -> bool:
        """Whether there is room for further rows: neither too many wait for a call nor to go on."""
        capacity = self.how.capacity
        return len(self._waiting) < capacity and self._held < HELD + capacity

    def _hand_over(self, chunk: Chunk) -> None:
        self._held += len(chunk.rows)
        if not chunk.left:
            return
        loop = self._loop or self._start()
        needed = [(chunk, place) for place, row in enumerate(chunk.rows) if row is not None]
        self._waiting.extend(needed)
        loop.call_soon_threadsafe(self._begin)

    def _taken(self, chunk: Chunk) -> Chunk:
        if chunk.failure is not None:
            raise chunk.failure
        self._held -= len(chunk.rows)
        return chunk

    def _taken_rows(self) -> list[tuple[Chunk, int]]:
        found = []
        while self._done:
            found.append(self._done.popleft())
        self._held -= len(found)
        return found

    def _wait(self, ready: Any) -> bool:
        """Waits for a beat until something is ready; says whether it is.

        Raises:
            AsyncCallError: nothing has ended for so long that the loop must stand still.
        """
        most = self.how.timeout + GRACE
        with self._changed:
            is_ready = self._changed.wait_for(ready, min(BEAT, most))
            if is_ready or self._ended != self._finished:
                self._ended, self._still = self._finished, 0.0
                return bool(is_ready)
        self._still += min(BEAT, most)
        if self._still >= most:
            raise AsyncCallError(
                f"the asynchronous function {self.how.name} blocks: for {most:g} s none of its "
                "calls ended or could be given up; it must await what it waits for"
            )
        return False

    def _start(self) -> asyncio.AbstractEventLoop:
        self._loop = loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._run, args=(loop,), name=f"calls of {self.how.name}", daemon=True
        )
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._open(), loop).result()
        except Exception as failure:
            raise self._error(f"open() of {self.how.name} failed", failure) from failure
        return loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()
        loop.close()

    # -- the loop's thread -------------------------------------------------------------------------

    async def _open(self) -> None:
        if isinstance(self.function, type):
            self.function = self.function()
        self._eval = getattr(self.function, "eval", self.function)
        await _perhaps(getattr(self.function, "open", None), self.context)
        self._is_open = True

    async def _end(self) -> None:
        self._closing = True
        self._waiting.clear()
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        try:
            if self._is_open:
                await _perhaps(getattr(self.function, "close", None))
        finally:
            await _leave_nothing()

    def _begin(self) -> None:
        """Starts as many workers as there is work for."""
        for _ in range(min(self.how.capacity - len(self._workers), len(self._waiting))):
            worker = asyncio.get_running_loop().create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        """Makes one call after the other, as long as some wait."""
        waiting, made = self._waiting, 0
        while waiting:
            chunk, place = waiting.popleft()
            if len(waiting) == self.how.capacity - 1:
                self._notify()
            row = chunk.rows[place]
            assert row is not None
            if self._is_over():
                self._fail(chunk, AsyncCallError(f"{self._shown(row)} is not made: the task ended"))
                return
            try:
                chunk.results[place] = await self._call(row)
            except asyncio.CancelledError as failure:
                if self._closing:
                    raise
                self._fail(chunk, self._error(f"{self._shown(row)} was cancelled", failure))
            except AsyncCallError as failure:
                self._fail(chunk, failure)
            except BaseException as failure:  # sys.exit() is no reason to end the worker
                self._fail(chunk, self._error(f"{self._shown(row)} failed", failure))
            else:
                self._finished += 1
                chunk.left -= 1
                if not self._in_order:
                    self._done.append((chunk, place))
                if not chunk.left or len(self._done) >= self.how.chunk:
                    self._notify()
            made += 1
            if not made % 100:  # calls that wait for nothing must not keep the others waiting
                await asyncio.sleep(0)

    async def _call(self, row: Row) -> Any:
        """One call: all its attempts, within its time."""
        how, last = self.how, None
        try:
            async with asyncio.timeout(how.timeout) as limit:
                for attempt in range(how.attempts):
                    if attempt:
                        await asyncio.sleep(how.delay)
                    try:
                        made = self._eval(*row)
                        if how.gives_rows and hasattr(made, "__aiter__"):
                            return [each async for each in made]
                        if not inspect.isawaitable(made):
                            break
                        return await made
                    except Exception as failure:
                        last = failure
                else:
                    tried = f"{how.attempts} attempts" if how.attempts > 1 else "1 attempt"
                    raise self._error(f"{self._shown(row)} failed after {tried}", last) from last
        except TimeoutError as failure:
            if not limit.expired():
                raise
            message = f"{self._shown(row)} timed out after {how.timeout:g} s"
            if last is None:
                raise AsyncCallError(message) from failure
            raise self._error(f"{message}; the attempt before failed", last) from last
        raise AsyncCallError(
            f"{self._shown(row)} gave {made!r:.200}, and nothing to await: its eval is not async"
        )

    def _fail(self, chunk: Chunk, failure: BaseException) -> None:
        """Calls start in order, so all that come before this one are open already."""
        chunk.failure = chunk.failure or failure
        self._failure = self._failure or failure
        self._waiting.clear()
        self._finished += 1
        self._notify()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _shown(self, row: Row) -> str:
        return f"the asynchronous call {shown_call(self.how.name, row)}"

    def _error(self, what: str, failure: BaseException | None) -> AsyncCallError:
        return AsyncCallError(f"{what}: {_shown_error(failure)}")


async def _leave_nothing() -> None:
    """Ends what the function left running in the loop."""
    loop, me = asyncio.get_running_loop(), asyncio.current_task()
    left = [task for task in asyncio.all_tasks(loop) if task is not me]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


async def _perhaps(function: Any, *args: Any) -> None:
    """Calls a method that may be there, and awaits it where it is a coroutine."""
    if function is not None:
        made = function(*args)
        if inspect.isawaitable(made):
            await made


def shown_call(name: str, row: Row, most: int = 60) -> str:
    """The call with its arguments, long ones cut."""
    shown = [text if len(text) <= most else text[:most] + "…" for text in map(repr, row)]
    return f"{name}({', '.join(shown)})"


def _shown_error(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _say(text: str) -> None:
    print(text, file=sys.stderr)
