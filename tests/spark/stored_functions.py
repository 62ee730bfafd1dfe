"""Python functions of every kind, as catalogs refer to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from viewscribe import (
    ArgumentHint,
    ArgumentTrait,
    AsyncScalarFunction,
    AsyncTableFunction,
    Context,
    ProcessTableFunction,
    Row,
    StateHint,
    async_udf,
    async_udtf,
)

Prices = Annotated[pa.Array, "DOUBLE"]


def tenth(x: float | None) -> float | None:
    """A tenth of it."""
    return None if x is None else x / 10


def fifth(x: float | None) -> float | None:
    """A fifth of it."""
    return None if x is None else x / 5


class Word(NamedTuple):
    word: str
    length: int


def words(text: str | None) -> Iterator[Word]:
    """The words of a text."""
    for each in (text or "").split():
        yield Word(each, len(each))


def half(x: Prices) -> Prices:
    """A half of it."""
    return pc.multiply(x, 0.5)


def halves(batches: Iterator[Prices]) -> Iterator[Prices]:
    """A half of each."""
    for each in batches:
        yield pc.multiply(each, 0.5)


def largest(x: Prices) -> float:
    """The largest."""
    found: float = pc.max(x).as_py()
    return found


class Spread:
    """The largest less the smallest."""

    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, x: int):
        if x is not None:
            accumulator.append(x)

    def get_value(self, accumulator) -> int | None:
        return max(accumulator) - min(accumulator) if accumulator else None


@dataclass
class Count:
    count: int = 0


class Counting(ProcessTableFunction[Count]):
    """Numbers the rows of each partition."""

    def eval(
        self,
        ctx: Context,
        state: Annotated[Count, StateHint()],
        input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
    ) -> None:
        state.count += 1
        self.collect(Count(state.count))


class Share(NamedTuple):
    number: int
    of: Annotated[int, "INT"]


class Tripled(AsyncScalarFunction):
    """Three times as much, after a while."""

    async def eval(self, x: int | None) -> int | None:
        await asyncio.sleep(0)
        return None if x is None else 3 * x


class Shares(AsyncTableFunction):
    """The numbers up to it, after a while."""

    async def eval(self, x: Annotated[int, "INT"], most: int = 3) -> list[Share]:
        await asyncio.sleep(0)
        return [Share(each, x) for each in range(1, min(x, most) + 1)]


@async_udtf
async def halved(x: int) -> AsyncIterator[int]:
    """It, its half and so on, after a while."""
    await asyncio.sleep(0)
    while x:
        yield x
        x //= 2


@async_udf(returns="INT", parameters=["INT"])
async def quadrupled(x):
    """Four times as much, after a while."""
    await asyncio.sleep(0)
    return None if x is None else 4 * x
