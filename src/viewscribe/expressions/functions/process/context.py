"""What ``eval``, ``on_timer`` and ``finish`` are given to act with: contexts and timers.

The protocols that authors see; ``spark/process`` carries them out.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Protocol

Time = dt.datetime | int
"""A point in event time: a datetime, or microseconds since 1970 where ``timers(int)`` was asked."""


class SetSemantics(Protocol):
    """How a call passed a table: its keys, its order, its time."""

    def partition_by_columns(self) -> tuple[str, ...]:
        """The columns of PARTITION BY."""

    def order_by_columns(self) -> tuple[str, ...]:
        """The columns of ORDER BY."""

    def time_column(self) -> str | None:
        """The column of ``on_time`` in this table."""

    def co_partition_args(self) -> tuple[str, ...]:
        """The table arguments that are partitioned together with this one."""


class Timers(Protocol):
    """Event time, and the timers of the partition that is being processed.

    Times are datetimes as the time column has them: with a time zone (UTC) for TIMESTAMP, without
    for TIMESTAMP_NTZ; or microseconds since 1970, for ``ctx.timers(int)``.

    Before a row at time ``t``, all timers before ``t`` fire, the earliest first, those of one time
    by name; timers at ``t`` fire after all rows at ``t``. At the end of the input all others fire.
    """

    def current_time(self) -> Any:
        """The time of the row, or of the timer that fires; None without ``on_time``."""

    def current_watermark(self) -> Any:
        """The time up to which all rows have come; None before the first."""

    def following_watermark(self) -> Any:
        """In a timer on watermark: the watermark that is about to come."""

    def register_on_time(self, name_or_time: object, time: object = None) -> None:
        """A timer for a time: ``(name, time)`` replaces the one of that name, or ``(time)``."""

    def register_on_periodic_time(self, name: str, time: object, period: dt.timedelta) -> None:
        """A timer that fires at ``time`` and every ``period`` after it, up to the last row."""

    def register_on_watermark(self) -> None:
        """A timer named ``watermark`` that fires once before the next watermark."""

    def register_on_periodic_watermark(self) -> None:
        """A timer named ``watermark`` that fires before every watermark."""

    def delete_timer(self, name_or_time: object) -> None:
        """Deletes the timer of a name, or the one without a name for a time."""


class Context(Protocol):
    """What ``eval`` acts with, for the partition of its row."""

    def timers(self, kind: type = dt.datetime) -> Timers:
        """Time and timers; ``kind`` is ``datetime`` or ``int``."""

    def set_semantics_for(self, argument: str) -> SetSemantics:
        """How a table was passed."""

    def clear_state(self, name: str) -> None:
        """Clears one state: the next call gets a new one."""

    def clear_all_state(self) -> None:
        """Clears all state of the partition."""

    def clear_all_timers(self) -> None:
        """Deletes all timers of the partition."""

    def clear_all(self) -> None:
        """Clears all state and deletes all timers of the partition."""


class OnTimerContext(Context, Protocol):
    """What ``on_timer`` acts with."""

    def current_timer(self) -> str | None:
        """The name of the timer that fires; None where it has none."""
