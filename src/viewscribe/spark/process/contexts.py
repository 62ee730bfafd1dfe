"""What a driver hands to ``eval``, ``on_timer`` and ``finish``: the context and its timers."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.timers import MAX_TIME, WATERMARK
from viewscribe.spark.process.values import from_micros, to_micros

if TYPE_CHECKING:
    from viewscribe.spark.process.driver import Driver


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
