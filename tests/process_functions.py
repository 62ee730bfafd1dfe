"""Process table functions that several tests call; here, so that tasks find them by their names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

import viewscribe as vs

SET = vs.ArgumentTrait.TABLE_AS_SET
ROW = vs.ArgumentTrait.TABLE_AS_ROW

Set = Annotated[vs.Row, vs.ArgumentHint(SET)]
Rows = Annotated[vs.Row, vs.ArgumentHint(ROW)]


@dataclass
class Count:
    """The rows so far."""

    count: int = 0


class CountWithTimeout(vs.ProcessTableFunction[Count]):
    """Counts the rows of a key until a minute has passed without one."""

    def eval(self, ctx: vs.Context, state: Annotated[Count, vs.StateHint()], input: Set) -> None:
        """Counts, and waits anew."""
        state.count += 1
        timers = ctx.timers()
        timers.register_on_time("timeout", timers.current_time() + timedelta(minutes=1))

    def on_timer(self, ctx: vs.OnTimerContext, state: Count) -> None:
        """Nothing came for a minute."""
        self.collect(state)
        ctx.clear_all()


class CountRows(vs.ProcessTableFunction[Count]):
    """Counts the rows of a key."""

    def eval(self, state: Annotated[Count, vs.StateHint()], input: Set) -> None:
        """One more."""
        state.count += 1

    def finish(self, state: Count) -> None:
        """All of them."""
        self.collect(state)


@dataclass
class Customer:
    """A customer, as a row."""

    name: str
    address: str


@dataclass
class Order:
    """An order, as a row."""

    order_id: int
    price: float


@dataclass
class JoinState:
    """What came of a key."""

    matched: bool = False
    customer: Customer | None = None
    order: Order | None = None


@dataclass
class Joined:
    """A customer and an order."""

    name: str
    order_id: int


class MatchOnce(vs.ProcessTableFunction[Joined]):
    """The first customer and the first order of a key, side by side."""

    def eval(
        self,
        state: Annotated[JoinState, vs.StateHint()],
        customer: Annotated[Customer | None, vs.ArgumentHint(SET)],
        order: Annotated[Order | None, vs.ArgumentHint(SET)],
    ) -> None:
        """Waits for the other side."""
        if state.matched:
            return
        state.customer = state.customer or customer
        state.order = state.order or order
        if state.customer and state.order:
            state.matched = True
            self.collect(Joined(state.customer.name, state.order.order_id))


class Repeat(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Every row several times, with its columns."""

    output_type = "n INT NOT NULL"

    def eval(
        self,
        input: Annotated[vs.Row, vs.ArgumentHint(ROW, vs.ArgumentTrait.PASS_COLUMNS_THROUGH)],
        times: Annotated[int, vs.ArgumentHint(type="INT")] = 2,
    ) -> None:
        """The row and a number."""
        for number in range(times):
            self.collect(number)


class Numbers(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """The numbers below one; takes no table."""

    output_type = "n INT NOT NULL, label STRING, at TIMESTAMP"

    def eval(
        self,
        upto: Annotated[int, vs.ArgumentHint(type="INT")],
        label: str = "x",
        tags: list[str] | None = None,
        at: datetime | None = None,
    ) -> None:
        """A row for each number."""
        if tags is not None:
            tags.append(label)
        for number in range(upto):
            self.collect((number, label if tags is None else "".join(tags), at))


class Once(vs.ProcessTableFunction[str]):
    """What a function without any argument knows of time."""

    def eval(self, ctx: vs.Context) -> None:
        """One row."""
        self.collect(f"{ctx.timers().current_time()} {ctx.timers().current_watermark()}")
