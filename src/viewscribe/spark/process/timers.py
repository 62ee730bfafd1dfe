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

import heapq
from collections.abc import Callable
from typing import Any

from viewscribe.errors import ValidationError

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
