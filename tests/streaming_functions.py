"""Process table functions for streams; here, so that tasks find them by their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any

import viewscribe as vs
from tests.process_functions import SET, Count, Set
from viewscribe.types import BIGINT, Field

__all__ = ["SET", "Count", "CountWithTimeout", "Everything", "Pairs", "Set"]


@dataclass
class Best:
    """The largest so far, and what was said of it."""

    n: int
    what: str | None = None


@dataclass
class Total:
    """All kinds of fields."""

    rows: int = 0
    fired: int = 0
    weight: float = 0.0
    names: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    best: Best | None = None


TTL = timedelta(seconds=9)


class Everything(vs.ProcessTableFunction[Any]):
    """Does what its rows say, and tells all it knows: time, watermark, timers, state."""

    output_type = "said STRING, n BIGINT"

    def eval(
        self,
        ctx: vs.Context,
        total: Annotated[Total, vs.StateHint()],
        seen: Annotated[vs.ListState[int], vs.StateHint(ttl=TTL)],
        last: Annotated[vs.MapState[str, Best], vs.StateHint()],
        input: Set,
    ) -> None:
        """One action, by the number of the row."""
        total.rows += 1
        total.weight += input.n / 7
        name = f"do{input.what % 14}"
        total.counts[name] = total.counts.get(name, 0) + 1
        if total.best is None or input.n > total.best.n:
            total.best = Best(input.n, name)
        elif len(total.names) < 5:
            total.names.append(name)
        self._act(ctx, input, seen, last)
        self._tell("eval", ctx, total, seen, last)

    def _act(self, ctx: vs.Context, input: vs.Row, seen: Any, last: Any) -> None:
        timers, what, n = ctx.timers(), input.what % 14, input.n
        time = timers.current_time() + timedelta(seconds=n, microseconds=input.what)
        if what in (0, 12):
            timers.register_on_time("a", time)
        elif what == 1:
            timers.register_on_time("b", time)
        elif what == 2:
            timers.register_on_time(time)
        elif what == 13:  # now and then one for a time that has passed
            timers.register_on_time(time - timedelta(seconds=5))
        elif what == 3:
            timers.register_on_periodic_time("p", time, timedelta(seconds=n / 2 + 1))
        elif what == 4:
            timers.register_on_watermark()
        elif what == 5:
            timers.register_on_periodic_watermark()
        elif what == 6:
            timers.delete_timer(("a", "p", "watermark")[n % 3])
        elif what == 7:
            seen.add(n)
        elif what == 8:
            last.put(str(n), Best(n))
        elif what == 9:
            ctx.clear_state(("seen", "last")[n % 2])
        elif what == 10:
            ctx.clear_all_timers()
        elif what == 11 and n > 6:
            ctx.clear_all()

    def on_timer(self, ctx: vs.OnTimerContext, total: Total, seen: Any, last: Any) -> None:
        """Tells, and registers another timer now and then."""
        total.fired += 1
        timers = ctx.timers()
        if ctx.current_timer() == "b" and total.fired % 3:
            timers.register_on_time("b", timers.current_time() + timedelta(seconds=4))
        elif ctx.current_timer() is None and total.fired % 4 == 0:
            timers.register_on_watermark()
        elif ctx.current_timer() == "p" and total.fired % 5 == 0:
            timers.register_on_time(timers.current_time() + timedelta(milliseconds=1500))
        elif ctx.current_timer() == "a" and total.fired % 5 == 1:
            timers.register_on_time("c", timers.current_time() - timedelta(seconds=3))
        elif ctx.current_timer() == "a" and total.fired % 2:
            seen.add(total.fired)
        self._tell("on_timer", ctx, total, seen, last)

    def _tell(self, where: str, ctx: Any, total: Total, seen: Any, last: Any) -> None:
        timers = ctx.timers(int)
        timer = ctx.current_timer() if where == "on_timer" else None
        times = (timers.current_time(), timers.current_watermark(), timers.following_watermark())
        self.collect((f"{where} {timer} {times} {total} {seen} {last}", total.rows))


class Pairs(vs.ProcessTableFunction[Any]):
    """Joins each row of one table with the last of the other that is not too old."""

    def type_inference(self) -> vs.ProcessTypeInference:
        """The result and the state have the rows of the call."""
        return vs.ProcessTypeInference(
            static_arguments=[
                vs.StaticArgument.table("left", SET, vs.ArgumentTrait.REQUIRES_TIME_ATTRIBUTE),
                vs.StaticArgument.table("right", SET, vs.ArgumentTrait.REQUIRES_TIME_ATTRIBUTE),
                vs.StaticArgument.scalar("ttl", "INTERVAL DAY TO SECOND", is_optional=True),
            ],
            state_types={"state": _rows, "all": "ARRAY<STRING>"},
            output_type=_rows,
        )

    def eval(
        self, ctx: vs.Context, state: Any, all: Any, left: Any, right: Any, ttl: Any = None
    ) -> None:
        """Keeps the row; gives the pair."""
        timers = ctx.timers()
        timers.register_on_time("end", timers.current_time() + (ttl or timedelta(seconds=5)))
        all.add("left" if left is not None else "right")
        if left is not None:
            state.left = left
        else:
            state.right = right
        if state.left is not None and state.right is not None:
            self.collect((state.left, state.right, len(all)))

    def on_timer(self, ctx: vs.OnTimerContext, state: Any) -> None:
        """What has no partner is given alone."""
        if state.left is None or state.right is None:
            self.collect((state.left, state.right, -1))
        ctx.clear_all()


def _rows(call: vs.ProcessCallContext) -> Any:
    fields = [Field(name, call.data_type_of(name)) for name in ("left", "right")]
    return [*fields, Field("count", BIGINT)]


class CountWithTimeout(vs.ProcessTableFunction[Count]):
    """Counts the rows of a key until seven seconds have passed without one."""

    def eval(self, ctx: vs.Context, state: Annotated[Count, vs.StateHint()], input: Set) -> None:
        """Counts, and waits anew."""
        state.count += 1
        timers = ctx.timers()
        timers.register_on_time("timeout", timers.current_time() + timedelta(seconds=7))

    def on_timer(self, ctx: vs.OnTimerContext, state: Count) -> None:
        """Nothing came."""
        self.collect(state)
        ctx.clear_all()


class Clocked(vs.ProcessTableFunction[Any]):
    """Does what its rows say by the clock: ``n`` milliseconds from now, or every so many."""

    output_type = "said STRING, rows INT"

    def eval(self, ctx: vs.Context, count: Annotated[Count, vs.StateHint()], input: Set) -> None:
        """A timer, a periodic one, the end of one, or of all."""
        count.count += 1
        timers = ctx.timers(int)
        now = timers.current_time()
        name = f"t{input.what % 3}"
        if input.what < 6:
            timers.register_on_time(name, now + input.n * 1000)
        elif input.what < 8:
            timers.register_on_time(now + input.n * 1000)
        elif input.what < 10:
            timers.register_on_periodic_time("p", now + 1, timedelta(milliseconds=input.n))
        elif input.what < 12:
            timers.delete_timer(name)
            timers.delete_timer("p")
        else:
            ctx.clear_all()
        self.collect((f"row {now}", count.count))

    def on_timer(self, ctx: vs.OnTimerContext, count: Count) -> None:
        """Says when, and begins another after some."""
        now = ctx.timers(int).current_time()
        self.collect((f"{ctx.current_timer()} {now}", count.count))
        if count.count % 4 == 1 and ctx.current_timer() != "p":
            ctx.timers(int).register_on_time("again", now + 2_500)
            count.count += 1


class DueNow(vs.ProcessTableFunction[Any]):
    """Timers that are due, and others that are far away."""

    output_type = "said STRING, known BOOLEAN"

    def eval(self, ctx: vs.Context, input: Set) -> None:
        """One is past, one is now, one is due at the next micro-batch, one in a year."""
        timers = ctx.timers()
        for name, later in {"past": -9, "now": 0, "soon": 1}.items():
            timers.register_on_time(name, timers.current_time() + timedelta(milliseconds=later))
        timers.register_on_time("year", timers.current_time() + timedelta(days=366))
        self.collect(("row", timers.current_watermark() is not None))

    def on_timer(self, ctx: vs.OnTimerContext) -> None:
        """Its name."""
        self.collect((str(ctx.current_timer()), ctx.timers().current_watermark() is not None))
