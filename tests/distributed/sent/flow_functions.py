"""Functions of a user, in a module that this process finds and no server does."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import viewscribe as vs
from viewscribe import ArgumentHint, ArgumentTrait, Context, OnTimerContext, Row, StateHint


@dataclass
class Count:
    """The rows so far."""

    count: int = 0


class CountWithTimeout(vs.ProcessTableFunction[Count]):
    """Counts the rows of a key until a minute has passed without one."""

    def eval(
        self,
        ctx: Context,
        state: Annotated[Count, StateHint()],
        input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
    ) -> None:
        """Counts, and waits anew."""
        state.count += 1
        timers = ctx.timers()
        timers.register_on_time("timeout", timers.current_time() + timedelta(minutes=1))

    def on_timer(self, ctx: OnTimerContext, state: Count) -> None:
        """Nothing came for a minute."""
        self.collect(state)
        ctx.clear_all()


class Loud(vs.AsyncScalarFunction):
    """Text in capitals, after a while."""

    async def eval(self, text: str) -> str | None:
        """The text."""
        await asyncio.sleep(0.001)
        return text.upper()


def twice(x: int) -> int:
    """Two times as much."""
    return 2 * x


def words(text: str) -> Iterator[str]:
    """The words of a text."""
    yield from text.split()


class SlowCount(vs.ProcessTableFunction[Count]):
    """Counts the rows of a key, which take their time, and leaves word where they were."""

    def eval(
        self,
        state: Annotated[Count, StateHint()],
        input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
        seen: str,
    ) -> None:
        """One more."""
        time.sleep(0.02)
        with open(os.path.join(seen, str(os.getppid())), "a"):
            state.count += 1

    def finish(self, state: Count) -> None:
        """All of them."""
        self.collect(state)
