"""Making calls in an event loop, without Spark: order, capacity, time, attempts, the end."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewscribe.spark import async_runner
from viewscribe.spark.async_runner import AsyncCallError, Chunk, How, Runner


def chunks(count: int, size: int = 5) -> Iterator[Chunk]:
    for start in range(0, count, size):
        yield Chunk([(value,) for value in range(start, min(start + size, count))])


def run(function: Any, how: How, count: int = 20) -> list[Any]:
    """The results for 0, 1, 2, …"""
    runner, failure = Runner(function, how), None
    try:
        return [each for chunk in runner.in_order(chunks(count)) for each in chunk.results]
    except BaseException as error:
        failure = error
        raise
    finally:
        runner.close(failure)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("calls of")]


async def later(x: int) -> int:
    """Those that come first end last."""
    await asyncio.sleep(0.02 / (x + 1))
    return x * 10


# -- results ---------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.integers(1, 30),
    st.integers(1, 7),
    st.lists(st.sampled_from([0.0, 0.0, 0.001, 0.003]), max_size=60),
    st.booleans(),
)
def test_every_row_has_its_own_result(
    capacity: int, size: int, delays: list[float], ordered: bool
) -> None:
    async def called(place: int, delay: float) -> int:
        if delay:
            await asyncio.sleep(delay)
        return place * 10

    rows: list[Any] = [(place, delay) for place, delay in enumerate(delays)]
    rows[::4] = [None] * len(rows[::4])  # no call is needed for these
    given_chunks = [Chunk(rows[start : start + size]) for start in range(0, len(rows), size)]
    runner = Runner(called, How("f", capacity=capacity))
    if ordered:
        found = [each for chunk in runner.in_order(given_chunks) for each in chunk.results]
        assert found == [None if row is None else row[0] * 10 for row in rows]
    else:
        places = [each for some in runner.as_ready(given_chunks) for each in some]
        assert len(places) == len(rows) == len({(id(chunk), place) for chunk, place in places})
        for chunk, place in places:
            row = chunk.rows[place]
            assert chunk.results[place] == (None if row is None else row[0] * 10)
    runner.close()
    assert not threads()


def test_results_come_in_order_whatever_ends_first() -> None:
    assert run(later, How("f", capacity=20)) == [x * 10 for x in range(20)]


def test_no_more_calls_are_open_than_allowed_and_they_stay_open_across_chunks() -> None:
    now = most = 0

    async def counted(x: int) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.002)
        now -= 1
        return x

    assert run(counted, How("f", capacity=7), 40) == list(range(40))
    assert most == 7


def test_rows_are_read_as_they_are_needed() -> None:
    read = 0

    def counted() -> Iterator[Chunk]:
        nonlocal read
        for chunk in chunks(1_000):
            read += len(chunk.rows)
            yield chunk

    runner = Runner(later, How("f", capacity=4))
    results = runner.in_order(counted())
    next(results)
    assert read <= 50  # of a thousand: some are open, four may wait, and both are in chunks
    results.close()
    runner.close()


# -- attempts and time -----------------------------------------------------------------------------


def test_a_call_that_fails_is_tried_again() -> None:
    tries: list[int] = []

    async def third_time(x: int) -> int:
        tries.append(x)
        if tries.count(x) < 3:
            raise OSError("not now")
        return x

    assert run(third_time, How("f", attempts=3, delay=0.001), 4) == [0, 1, 2, 3]
    assert sorted(tries) == sorted(list(range(4)) * 3)


def test_a_call_that_fails_for_good_names_itself_its_arguments_and_the_cause() -> None:
    async def never(x: int) -> int:
        if x == 3:
            raise ValueError("no such id 3")
        return x

    with pytest.raises(AsyncCallError) as error:
        run(never, How("lookup", delay=0.001))
    message = "the asynchronous call lookup(3) failed after 3 attempts: ValueError: no such id 3"
    assert str(error.value) == message
    assert isinstance(error.value.__cause__, ValueError)
    with pytest.raises(AsyncCallError, match="failed after 1 attempt: "):
        run(never, How("lookup", attempts=1))
    assert not threads()


def test_long_arguments_are_cut() -> None:
    assert async_runner.shown_call("f", ("a" * 500, 1)) == f"f('{'a' * 59}…, 1)"


def test_one_time_covers_all_attempts() -> None:
    async def slow(x: int) -> int:
        await asyncio.sleep(5)
        return x

    async def fails(x: int) -> int:
        raise OSError("busy")

    with pytest.raises(
        AsyncCallError, match=r"^the asynchronous call f\(0\) timed out after 0.02 s"
    ):
        run(slow, How("f", timeout=0.02))
    with pytest.raises(
        AsyncCallError, match=r"timed out after 0.05 s; the attempt .*OSError: busy"
    ):
        run(fails, How("f", timeout=0.05, attempts=100, delay=0.04))


def as_ready(function: Any, how: How, count: int) -> None:
    """Makes the calls for 0, 1, 2, … in any order."""
    runner, failure = Runner(function, how), None
    try:
        for _ in runner.as_ready(chunks(count, how.chunk)):
            pass
    except BaseException as error:
        failure = error
        raise
    finally:
        runner.close(failure)


@pytest.mark.parametrize("make", [run, as_ready])
@pytest.mark.parametrize("count", [6, 40, 400])
@pytest.mark.parametrize("fails", ["raises", "is cancelled", "exits", "is not async"])
def test_the_first_failure_is_told_at_once_whatever_waits_behind_it(
    make: Any, count: int, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def called(x: int) -> int:
        await asyncio.sleep(0)
        if x == 5 and fails == "raises":
            raise OSError("no")
        if x == 5 and fails == "is cancelled":
            raise asyncio.CancelledError
        if x == 5 and fails == "exits":
            sys.exit(3)
        return x

    def plain(x: int) -> Any:
        return x if x == 5 else called(x)

    monkeypatch.setattr(async_runner, "GRACE", 1.0)  # what waits for ever is said to block then
    function: Any = plain if fails == "is not async" else called
    with pytest.raises(AsyncCallError, match=r"the asynchronous call f\(5\) (failed|was|gave)"):
        make(function, How("f", capacity=2, timeout=1.0, attempts=1), count)
    assert not threads()


def test_a_timeout_of_the_functions_own_is_a_failure_like_others() -> None:
    async def timed(x: int) -> int:
        raise TimeoutError("of the client")

    with pytest.raises(
        AsyncCallError, match="failed after 2 attempts: TimeoutError: of the client"
    ):
        run(timed, How("f", attempts=2, delay=0.001))


def test_what_cancels_itself_is_a_failure() -> None:
    async def cancelled(x: int) -> int:
        raise asyncio.CancelledError

    with pytest.raises(AsyncCallError, match=r"f\(0\) was cancelled"):
        run(cancelled, How("f"))


def test_a_function_that_gives_nothing_to_await_is_named() -> None:
    class Late:
        def eval(self, x: int) -> int:
            return x

    with pytest.raises(AsyncCallError, match=r"f\(0\) gave 0, and nothing to await"):
        run(Late, How("f"))


def test_a_function_that_blocks_the_loop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(async_runner, "GRACE", 0.05)
    released = threading.Event()

    async def blocks(x: int) -> int:
        released.wait(5)
        return x

    with pytest.raises(AsyncCallError, match=r"f blocks: .* must await what it waits for"):
        run(blocks, How("f", timeout=0.02))
    released.set()


# -- life ------------------------------------------------------------------------------------------


class Client:
    """Writes down what happens to it."""

    seen: list[Any] = []  # noqa: RUF012

    async def open(self, context: Any) -> None:
        self.seen.append(("open", context.function, context.partition, context.capacity))
        self.loop = asyncio.get_running_loop()

    async def close(self) -> None:
        self.seen.append("close")

    async def eval(self, x: int) -> int:
        assert asyncio.get_running_loop() is self.loop
        if x == 13:
            raise ValueError(x)
        if x >= 14:
            try:
                await asyncio.sleep(60)
            finally:
                self.seen.append(f"cancelled {x}")
        return x


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    Client.seen.clear()


@pytest.mark.parametrize("function", [Client, Client()], ids=["class", "object"])
def test_a_class_is_opened_before_the_first_call_and_closed_after_the_last(function: Any) -> None:
    assert run(function, How("f", capacity=4), 10) == list(range(10))
    assert Client.seen == [("open", "f", 0, 4), "close"]


def test_without_rows_nothing_is_opened() -> None:
    assert run(Client, How("f"), 0) == []
    runner = Runner(Client, How("f"))
    assert [chunk.results for chunk in runner.in_order([Chunk([None, None])])] == [[None, None]]
    runner.close()
    assert Client.seen == []
    assert not threads()


def test_after_a_failure_what_is_open_is_cancelled_and_the_class_closed() -> None:
    with pytest.raises(AsyncCallError, match=r"f\(13\)"):
        run(Client, How("f", capacity=3, attempts=1))
    assert Client.seen[0][0] == "open"
    assert Client.seen[-1] == "close"
    assert all(str(each).startswith("cancelled") for each in Client.seen[1:-1])
    assert not threads()


def test_whoever_stops_early_leaves_nothing_open() -> None:
    runner = Runner(Client, How("f", capacity=8))
    results = runner.in_order(chunks(1_000))
    assert next(results).results == [0, 1, 2, 3, 4]
    results.close()
    runner.close(GeneratorExit())
    assert Client.seen[-1] == "close"
    assert not threads()


def test_methods_need_not_be_async_and_need_not_be_there() -> None:
    class Plain(Client):
        def open(self, context: Any) -> None:  # type: ignore[override]
            self.loop = asyncio.get_running_loop()

        def close(self) -> None:  # type: ignore[override]
            self.seen.append("closed")

    assert run(Plain, How("f"), 3) == [0, 1, 2]
    assert Client.seen == ["closed"]


def test_errors_of_open_and_close_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    class Unopened(Client):
        async def open(self, context: Any) -> None:
            raise OSError("no server")

    class Unclosed(Client):
        async def close(self) -> None:
            raise OSError("gone")

    with pytest.raises(AsyncCallError, match=r"open\(\) of f failed: OSError: no server"):
        run(Unopened, How("f"))
    with pytest.raises(AsyncCallError, match=r"close\(\) of f failed: OSError: gone"):
        run(Unclosed, How("f"), 3)
    with pytest.raises(AsyncCallError, match=r"f\(13\) failed"):
        run(Unclosed, How("f", attempts=1))
    assert "close() of f failed: OSError: gone" in capsys.readouterr().err
    assert not threads()


def test_tasks_that_a_function_left_running_end_with_it() -> None:
    ended: list[str] = []

    class Background(Client):
        async def open(self, context: Any) -> None:
            await super().open(context)
            self.task = asyncio.create_task(self.beat())

        async def beat(self) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("beat")

    run(Background, How("f"), 3)
    assert ended == ["beat"]


def test_calls_share_no_more_than_the_object() -> None:
    """A worker makes many calls, so what one sets for itself is seen by later ones: no harm."""
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=-1)

    async def own(x: int) -> int:
        variable.set(x)
        await asyncio.sleep(0.001)
        return variable.get()

    assert run(own, How("f", capacity=5)) == list(range(20))


def test_no_call_is_begun_once_nobody_waits_for_it() -> None:
    begun: list[int] = []

    async def noted(x: int) -> int:
        begun.append(x)
        await asyncio.sleep(0)
        return x

    runner = Runner(noted, How("f", capacity=3), is_over=lambda: len(begun) >= 7)
    with pytest.raises(AsyncCallError, match="is not made: the task ended") as ended:
        list(runner.in_order(chunks(40)))
    runner.close(ended.value)
    assert begun == list(range(7))


@pytest.mark.parametrize("ordered", [True, False])
def test_while_nothing_is_ready_nothing_is_given(
    monkeypatch: pytest.MonkeyPatch, ordered: bool
) -> None:
    """So that who takes the results can notice that none are wanted any more."""
    monkeypatch.setattr(async_runner, "BEAT", 0.01)
    waiting: asyncio.Event

    class Waits:
        async def open(self, context: Any) -> None:
            nonlocal waiting
            waiting = asyncio.Event()

        async def eval(self, x: int) -> int:
            await waiting.wait()
            return x

    runner = Runner(Waits, How("f", capacity=5))
    made: Any = runner.in_order(chunks(5)) if ordered else runner.as_ready(chunks(5))
    first = next(made)
    assert not (first.rows if ordered else first)
    assert runner._loop is not None
    runner._loop.call_soon_threadsafe(waiting.set)
    found = [each for some in made for each in (some.results if ordered else some)]
    runner.close()
    assert len(found) == 5


def test_few_rows_are_handed_over_at_first() -> None:
    assert list(islice(How("f", capacity=5).sizes(), 5)) == [5, 10, 20, 32, 32]
    assert list(islice(How("f", capacity=1_000).sizes(), 2)) == [256, 256]
