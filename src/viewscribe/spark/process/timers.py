"""The timers of a partition: which there are, and the order in which they fire.

Times are microseconds since 1970. The rule, which batches and streams share:

1. Before a row at ``t``, all timers before ``t`` fire, in the order of their times, then of their
   names; those that are registered while they fire take part.
2. Timers at ``t`` fire after all rows at ``t``.
3. When the watermark passes ``w``, timers up to ``w`` fire; at the end of a batch, all.
4. A periodic timer never moves time by itself: it fires before a later row or timer, and what is
   left of it after the last of them does not fire.
5. A timer on watermark fires once the rows at one time are done, before timers of any later time.
6. A timer for a time that has passed fires at once: when the handler that registers it is done.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.values import from_micros, to_micros

if TYPE_CHECKING:
    from viewscribe.spark.process.driver import Driver


MAX_TIME = 2**63 - 1

WATERMARK = "watermark"
"""The name of a timer on watermark."""

_MOST_AT_THE_END = 100_000

Fire = Callable[[int, "str | None"], None]


class TimerQueue:
    """The timers of one partition.

    Args:
        fire: is called with the time and the name of each timer that fires.
    """

    __slots__ = (
        "_at",
        "_fire",
        "_named",
        "_once",
        "_periodic",
        "_periods",
        "_standing",
        "_unnamed",
        "earliest",
        "on_watermark",
    )

    def __init__(self, fire: Fire) -> None:
        self._fire = fire
        self._once: list[tuple[int, str]] = []
        self._periodic: list[tuple[int, str]] = []
        self._named: dict[str, int] = {}
        self._unnamed: set[int] = set()
        self._periods: dict[str, int] = {}
        self._at, self._standing = _NO_TIME, 0
        self.on_watermark: str | None = None
        self.earliest = MAX_TIME
        """No timer fires before it."""

    def begin(self) -> None:
        """A new partition, with a time of its own."""
        self.clear()
        self._at, self._standing = _NO_TIME, 0

    def clear(self) -> None:
        """Deletes all timers."""
        if self._named or self._unnamed:
            self._once, self._periodic = [], []
            self._named, self._unnamed, self._periods = {}, set(), {}
        self.on_watermark = None
        self.earliest = MAX_TIME

    def __bool__(self) -> bool:
        return bool(self._named or self._unnamed or self.on_watermark)

    @property
    def has_periodic(self) -> bool:
        """Whether there are periodic timers."""
        return bool(self._periods)

    # -- registering ---------------------------------------------------------------------------

    def register(self, time: int, name: str | None = None, period: int | None = None) -> None:
        """A timer; one of the name, or an unnamed one of the time, is replaced."""
        if time <= self._at:
            self._refuse_standing(time, name)
        if name is None:
            if time in self._unnamed:
                return
            self._unnamed.add(time)
            heapq.heappush(self._once, (time, ""))
        else:
            self._named[name] = time
            self._periods.pop(name, None)
            if period is None:
                heapq.heappush(self._once, (time, name))
            else:
                self._periods[name] = period
                heapq.heappush(self._periodic, (time, name))
        if time < self.earliest:
            self.earliest = time

    def _refuse_standing(self, time: int, name: str | None) -> None:
        """Refuses timers that register each other without end, so that time never goes on."""
        self._standing += 1
        if self._standing > _MOST_AT_THE_END:
            raise ValidationError(
                f"{self._standing} timers have fired for a time that had passed, the last named "
                f"{name!r}, and each registers another",
                hint="register one for a later time: timers.current_time() + timedelta(…)",
            )

    def delete(self, timer: str | int) -> None:
        """Deletes the timer of a name, or the unnamed one of a time, where there is one."""
        if isinstance(timer, str):
            if timer == WATERMARK:
                self.on_watermark = None
            self._named.pop(timer, None)
            self._periods.pop(timer, None)
        else:
            self._unnamed.discard(timer)

    # -- firing --------------------------------------------------------------------------------

    def advance_before(self, time: int) -> None:
        """Fires all timers before a row at ``time``."""
        self._standing = 0
        while True:
            once, periodic = self._first(self._once), self._first(self._periodic)
            due = min(once, periodic)
            if due[0] >= time:
                self.earliest = due[0]
                return
            self._fire_one(due, due is periodic and due != once)

    def advance_to(self, time: int) -> None:
        """Fires all timers up to ``time``, periodic ones only before others."""
        fired = self._standing = 0
        while True:
            once, periodic = self._first(self._once), self._first(self._periodic)
            if once[0] > time or once[0] == MAX_TIME:
                self.earliest = min(once[0], periodic[0])
                return
            due = min(once, periodic)
            self._fire_one(due, due is periodic and due != once)
            fired += 1
            if fired > _MOST_AT_THE_END and time == MAX_TIME:
                raise ValidationError(
                    f"at the end of the input {fired} timers have fired, the last named "
                    f"{due[1] or None!r}, and each registers another",
                    hint="register a periodic timer, which stops with the last row: "
                    "register_on_periodic_time(name, time, period)",
                )

    def next_once(self) -> int:
        """The time of the first timer that is not periodic; ``MAX_TIME`` where there is none."""
        return self._first(self._once)[0]

    def _fire_one(self, due: tuple[int, str], periodic: bool) -> None:
        time, name = due
        if time > self._at:
            self._at, self._standing = time, 0
        heapq.heappop(self._periodic if periodic else self._once)
        if periodic:
            self.register(time + self._periods[name], name, self._periods[name])
        elif name:
            del self._named[name]
        else:
            self._unnamed.discard(time)
        self._fire(time, name or None)

    def _first(self, heap: list[tuple[int, str]]) -> tuple[int, str]:
        """The first timer of the heap that was not replaced or deleted meanwhile."""
        periodic = heap is self._periodic
        while heap:
            time, name = heap[0]
            if not name:
                if time in self._unnamed:
                    return heap[0]
            elif self._named.get(name) == time and (name in self._periods) == periodic:
                return heap[0]
            heapq.heappop(heap)
        return _NEVER

    # -- keeping -------------------------------------------------------------------------------

    def dump(self) -> dict[str, Any]:
        """The timers as plain data."""
        return {
            "named": [
                [name, time, self._periods.get(name)] for name, time in sorted(self._named.items())
            ],
            "unnamed": sorted(self._unnamed),
            "on_watermark": self.on_watermark,
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """The timers of ``dump``'s data, in the place of those there are."""
        self.clear()
        for name, time, period in dumped["named"]:
            self.register(time, name, period)
        for time in dumped["unnamed"]:
            self.register(time)
        self.on_watermark = dumped["on_watermark"]


_NEVER = (MAX_TIME, "")
_NO_TIME = -(2**63)


# What a driver hands to ``eval``, ``on_timer`` and ``finish``: the context and its timers.


class DriverContext:
    """The context of ``eval``, ``on_timer`` and ``finish``."""

    __slots__ = ("_driver", "_timers")

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._timers = {
            dt.datetime: DriverTimers(driver, as_int=False),
            int: DriverTimers(driver, as_int=True),
        }

    def timers(self, kind: type = dt.datetime) -> DriverTimers:
        """Time and timers, in datetimes or in microseconds since 1970."""
        found = self._timers.get(kind)
        if found is None:
            raise ValidationError(
                f"times are datetime or int, not {kind!r}", hint="write ctx.timers(int)"
            )
        return found

    def set_semantics_for(self, argument: str) -> PassedSemantics:
        """How a table was passed."""
        for source in self._driver.plan.sources:
            if source.name.lower() == argument.lower():
                return PassedSemantics(source, self._driver.plan)
        names = [source.name for source in self._driver.plan.sources]
        raise ValidationError(
            f"the call passes no table `{argument}`", hint=did_you_mean(argument, names)
        )

    def clear_state(self, name: str) -> None:
        """Clears one state."""
        names = self._driver.signature.eval.states
        if name not in names:
            raise ValidationError(
                f"there is no state `{name}`",
                location=f"({', '.join(names)})",
                hint=did_you_mean(name, names),
            )
        self._driver.renew([name])

    def clear_all_state(self) -> None:
        """Clears all state."""
        self._driver.renew()

    def clear_all_timers(self) -> None:
        """Deletes all timers."""
        self._driver.timers.clear()

    def clear_all(self) -> None:
        """Clears all state and deletes all timers."""
        self.clear_all_state()
        self.clear_all_timers()

    def current_timer(self) -> str | None:
        """The name of the timer that fires."""
        return self._driver.timer


class PassedSemantics:
    """How a call passed a table."""

    __slots__ = ("_plan", "_source")

    def __init__(self, source: SourcePlan, plan: CallPlan) -> None:
        self._source = source
        self._plan = plan

    def partition_by_columns(self) -> tuple[str, ...]:
        """The columns of PARTITION BY."""
        return self._source.keys

    def order_by_columns(self) -> tuple[str, ...]:
        """The columns of ORDER BY."""
        return self._source.order

    def time_column(self) -> str | None:
        """The column of ``on_time``."""
        return self._source.time

    def co_partition_args(self) -> tuple[str, ...]:
        """The other tables of the call."""
        return tuple(each.name for each in self._plan.sources if each is not self._source)


class DriverTimers:
    """Time and timers of the partition, in datetimes or in microseconds."""

    __slots__ = ("_as_int", "_driver")

    def __init__(self, driver: Driver, *, as_int: bool) -> None:
        self._driver = driver
        self._as_int = as_int

    def current_time(self) -> Any:
        """The time of the row, or of the timer that fires."""
        return self._shown(self._driver.time)

    def current_watermark(self) -> Any:
        """The time up to which all rows have come."""
        watermark = self._driver.watermark
        return None if watermark == MAX_TIME and not self._as_int else self._shown(watermark)

    def following_watermark(self) -> Any:
        """In a timer on watermark: the watermark that is about to come."""
        return self._shown(self._driver.following)

    def register_on_time(self, name_or_time: object, time: object = None) -> None:
        """A timer for a time, by a name or without one."""
        if time is None:
            if isinstance(name_or_time, str):
                raise ValidationError(
                    f"the timer {name_or_time!r} is registered without a time",
                    hint="write register_on_time(name, time), or register_on_time(time)",
                )
            self._driver.timers.register(self._checked(None, name_or_time))
        else:
            self._driver.timers.register(
                self._checked(name_or_time, time), self._name(name_or_time)
            )

    def register_on_periodic_time(self, name: str, time: object, period: object) -> None:
        """A timer that fires at a time and periodically after it."""
        if not isinstance(period, dt.timedelta) or period <= dt.timedelta(0):
            raise ValidationError(
                f"the period of the timer {name!r} is {period!r}",
                hint="it is a positive timedelta",
            )
        micros = period // dt.timedelta(microseconds=1)
        self._driver.timers.register(self._checked(name, time), self._name(name), micros)

    def register_on_watermark(self) -> None:
        """A timer that fires before the next watermark."""
        self._refuse_watermark_timers()
        self._driver.timers.on_watermark = "once"

    def register_on_periodic_watermark(self) -> None:
        """A timer that fires before every watermark."""
        self._refuse_watermark_timers()
        self._driver.timers.on_watermark = "periodic"

    def delete_timer(self, name_or_time: Any) -> None:
        """Deletes a timer by its name or its time."""
        by_name = isinstance(name_or_time, str)
        self._driver.timers.delete(name_or_time if by_name else self._micros(name_or_time))

    def _shown(self, time: int | None) -> Any:
        if time is None or self._as_int:
            return time
        return from_micros(time, self._driver.plan.naive)

    def _name(self, name: Any) -> str:
        if not isinstance(name, str) or not name or name == WATERMARK:
            raise ValidationError(
                f"{name!r} is no name for a timer",
                hint=f'a name is a text other than "{WATERMARK}"',
            )
        return name

    def _micros(self, time: Any) -> int:
        if self._as_int:
            if not isinstance(time, int) or isinstance(time, bool):
                raise ValidationError(
                    f"{time!r} is no time in microseconds",
                    hint="ctx.timers() takes datetimes, ctx.timers(int) microseconds",
                )
            return time
        return to_micros(time, self._driver.plan.naive)

    def _refuse_timers(self) -> None:
        driver = self._driver
        if driver.signature.on_timer is None:
            raise ValidationError(
                f"{driver.signature.name} registers a timer, and has no method on_timer",
                hint="write def on_timer(self, ctx, …)",
            )

    def _refuse_watermark_timers(self) -> None:
        self._refuse_timers()
        if self._driver.by_clock:
            raise ValidationError(
                f"{self._driver.signature.name} registers a timer on watermark, and its call is in "
                "processing time, which has none",
                hint='call it with on_time=descriptor("ts"), or register a timer for a time',
            )

    def _checked(self, name: Any, time: Any) -> int:
        self._refuse_timers()
        micros = self._micros(time)
        if self._driver.watermark == MAX_TIME or self._driver.time is None:
            raise ValidationError(
                f"the timer {name!r} is registered for {self._driver.shown(micros)}, and the input "
                "has ended",
                hint="register timers in on_timer, or in eval for a row that has a time; finish() "
                "and rows without one come after the last timer",
            )
        return micros
