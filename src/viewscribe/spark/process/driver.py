"""The driver of a process table function: one partition at a time, its rows in order.

Whoever drives says ``begin``, ``row`` for each row, and ``end``; between them the driver fires
timers by the rule of ``timers.py``. Batches, table functions and streams all go through here, so
that they give the same rows.
"""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.errors import ValidationError, ViewscribeError, did_you_mean
from viewscribe.expressions.functions.process.changelog import RowKind
from viewscribe.expressions.functions.process.inference import StateDeclaration
from viewscribe.expressions.functions.process.rows import MutableRow
from viewscribe.expressions.functions.process.signature import Handler, made_of
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.process.plan import CallPlan, SourcePlan
from viewscribe.spark.process.timers import MAX_TIME, WATERMARK, TimerQueue
from viewscribe.spark.process.values import from_micros, to_micros
from viewscribe.types import ArrayType, LogicalType, MapType, StructType

Collected = Callable[[Any, RowKind, "int | None"], None]
"""Takes a row of the result, its kind and its time."""


class ProcessFunctionError(ViewscribeError):
    """A process table function failed on a row or a timer."""


class Driver:
    """Calls a function for the rows and timers of one partition after the other.

    Args:
        plan: the call.
        collected: takes the rows that the function gives.
    """

    def __init__(self, plan: CallPlan, collected: Collected) -> None:
        self.plan = plan
        self.signature = plan.signature
        self.function = made_of(plan.function)
        self.time: int | None = None
        """The time of the row or timer that is being processed."""
        self.watermark: int | None = None
        self.last: int | None = None
        """The time of the last row of the partition."""
        self.timers = TimerQueue(self._fire)
        self.following: int | None = None
        self.marked: int | None = None
        """The last time for which timers on watermark have had their turn."""
        self.timer: str | None = None
        self._collected = collected
        self.function._collector = self._collect
        self._context = DriverContext(self)
        self._makers = [
            _maker(declared, plan.states[declared.name]) for declared in self.signature.states
        ]
        self._has_ttl = any(declared.ttl is not None for declared in self.signature.states)
        self._eval = self.function.eval  # type: ignore[attr-defined]
        self._timed = plan.time_name is not None
        self._lay_out()
        self.states: list[Any] = []
        self.changed: list[int | None] = []
        self.begin()

    def _lay_out(self) -> None:
        """The arguments of ``eval``, with a place for the row of each table."""
        places = {}
        scalars: list[Any] = []
        for argument in self.signature.arguments:
            if argument.is_table:
                places[argument.name] = len(scalars)
                scalars.append(None)
            else:
                scalars.append(self.plan.scalars.get(argument.name))
        start = int(self.signature.eval.takes_context) + len(self.signature.states)
        self._after_states = scalars
        self._places = [start + places[source.name] for source in self.plan.sources]
        self._args: list[Any] = []

    # -- a partition ---------------------------------------------------------------------------

    def open(self) -> None:
        """Before the first row of a task."""
        self.function.open()

    def close(self) -> None:
        """After the last row of a task."""
        self.function.close()

    def begin(self) -> None:
        """A new partition: no state, no timers."""
        self.timers.clear()
        self.time = self.watermark = self.last = self.marked = None
        self.renew()

    def renew(self, names: Sequence[str] | None = None) -> None:
        """New state, all of it or that of some names."""
        if names is None:
            self.states = [make() for make in self._makers]
            self.changed = [None] * len(self.states)
            self.arrange()
        else:
            self._renew_some([self.signature.eval.states.index(name) for name in names])

    def _renew_some(self, places: Sequence[int]) -> None:
        for place in places:
            self.states[place] = self._makers[place]()
            self.changed[place] = None
        self.arrange()

    def arrange(self) -> None:
        """Hands the state there is to ``eval``."""
        context = [self._context] if self.signature.eval.takes_context else []
        self._args = [*context, *self.states, *self._after_states]

    def row(self, source: int, row: Any, time: int | None) -> None:
        """One row of a table, at a time that is not before that of the row before."""
        if self._timed:
            if time is None:
                raise ProcessFunctionError(
                    f"{self.signature.name}: a row of the table "
                    f"`{self.plan.sources[source].name}` has NULL in its time column "
                    f"`{self.plan.sources[source].time}`",
                    location=_short(row),
                    hint="filter such rows out, or give them a time, before the call",
                )
            if time != self.last:
                if self.last is not None:
                    self._pass(time)
                self.watermark = time - 1
                self.last = time
        self.time = time
        before = self._expired() if self._has_ttl else None
        args, place = self._args, self._places[source]
        args[place] = row
        try:
            self._eval(*args)
        except Exception as error:
            raise self._failed(error, "eval", row) from error
        args[place] = None
        if before is not None:
            self._note_changes(before)

    def advance(self, watermark: int) -> None:
        """All rows up to the watermark have come: fires what is due, as before a later row.

        Periodic timers wait for a later row or timer. A timer on watermark that is registered from
        here on waits for the next row: before a row it would have been too late, too.
        """
        if self.last is not None and watermark >= self.last:
            self._on_watermark()
            self.marked = self.last
        self.timers.advance_to(watermark)

    def end(self) -> None:
        """No more rows: fires what is left, and finishes the partition."""
        self._on_watermark()
        self.timers.advance_to(MAX_TIME)
        finish = self.signature.finish
        if finish is not None:
            self.time, self.watermark = self.last, MAX_TIME
            self._handle("finish", finish)

    def _pass(self, time: int) -> None:
        """What fires between the rows at the last time and those at a later one."""
        if self.timers.on_watermark is not None:
            self._on_watermark()
        if self.timers.earliest < time:
            self.timers.advance_before(time)

    def _on_watermark(self) -> None:
        kind = self.timers.on_watermark
        if kind is None or self.last is None or self.last == self.marked:
            return
        if kind == "once":
            self.timers.on_watermark = None
        self.following = self.last
        self._fire(self.last, WATERMARK)
        self.following = None

    def _fire(self, time: int, name: str | None) -> None:
        handler = self.signature.on_timer
        if handler is None:
            return
        self.time, self.timer = time, name
        if self.watermark is None or (time > self.watermark and name != WATERMARK):
            self.watermark = time
        self._handle("on_timer", handler)
        self.timer = None

    def _handle(self, method: str, handler: Handler) -> None:
        before = self._expired() if self._has_ttl else None
        by_name = dict(zip(self.signature.eval.states, self.states, strict=True))
        args = [by_name[name] for name in handler.states]
        if handler.takes_context:
            args.insert(0, self._context)
        try:
            getattr(self.function, method)(*args)
        except Exception as error:
            raise self._failed(error, method, None) from error
        if before is not None:
            self._note_changes(before)

    # -- time to live --------------------------------------------------------------------------

    def _expired(self) -> list[tuple[Any, Any]]:
        """Renews the state that has expired; gives the state there is, to be compared with."""
        now = self.time
        places = [
            place
            for place, (declared, changed) in enumerate(
                zip(self.signature.states, self.changed, strict=True)
            )
            if declared.ttl is not None
            and changed is not None
            and now is not None
            and now >= changed + declared.ttl // dt.timedelta(microseconds=1)
        ]
        if places:
            self._renew_some(places)
        return [
            (state, None if declared.ttl is None else _frozen(state))
            for declared, state in zip(self.signature.states, self.states, strict=True)
        ]

    def _note_changes(self, before: list[tuple[Any, Any]]) -> None:
        """State that was changed lives on from now."""
        for place, (declared, (state, frozen)) in enumerate(
            zip(self.signature.states, before, strict=True)
        ):
            if declared.ttl is None or self.states[place] is not state:
                continue
            if _frozen(state) != frozen:
                self.changed[place] = self.time

    # -- collecting ----------------------------------------------------------------------------

    def _collect(self, row: Any, kind: RowKind = RowKind.INSERT) -> None:
        self._collected(row, kind, self.time)

    def _failed(self, error: Exception, method: str, row: Any) -> Exception:
        if isinstance(error, ProcessFunctionError):
            return error
        cause = error.message if isinstance(error, ViewscribeError) else repr(error)
        at = None if self.time is None else self.shown(self.time)
        where = [] if row is None else [f"row {_short(row)}"]
        if self.timer is not None:
            where.append(f"timer {self.timer!r}")
        if at is not None:
            where.append(f"at {at}")
        return ProcessFunctionError(
            f"{self.signature.name}.{method} failed: {cause}",
            location=", ".join(where) or None,
            hint=getattr(error, "hint", None),
        )

    def shown(self, time: int) -> str:
        """A time for messages."""
        return str(from_micros(time, self.plan.naive))


def _maker(declared: StateDeclaration, type_: LogicalType) -> Callable[[], Any]:
    if declared.make is not None:
        return declared.make
    if isinstance(type_, ArrayType):
        return ListState
    if isinstance(type_, MapType):
        return MapState
    assert isinstance(type_, StructType), type_
    names = [field.name for field in type_.fields]
    return lambda: MutableRow(names)


def _frozen(state: Any) -> Any:
    if hasattr(state, "_items"):
        return copy.deepcopy(state._items)
    if isinstance(state, MutableRow):
        return copy.deepcopy(state.as_dict())
    return copy.deepcopy(vars(state)) if hasattr(state, "__dict__") else copy.deepcopy(state)


def _short(row: Any, most: int = 200) -> str:
    text = repr(row)
    return text if len(text) <= most else text[:most] + " …"


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

    def register_on_time(self, name_or_time: Any, time: Any = None) -> None:
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

    def register_on_periodic_time(self, name: str, time: Any, period: Any) -> None:
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
        self._driver.timers.on_watermark = "once"

    def register_on_periodic_watermark(self) -> None:
        """A timer that fires before every watermark."""
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

    def _checked(self, name: Any, time: Any) -> int:
        micros = self._micros(time)
        driver = self._driver
        if driver.signature.on_timer is None:
            raise ValidationError(
                f"{driver.signature.name} registers a timer, and has no method on_timer",
                hint="write def on_timer(self, ctx, …)",
            )
        watermark = driver.watermark
        if watermark is not None and micros <= watermark:
            passed = "the end of the input" if watermark == MAX_TIME else driver.shown(watermark)
            raise ValidationError(
                f"the timer {name!r} is registered for {driver.shown(micros)}, and time has passed "
                f"{passed}",
                hint="register it for a later time: timers.current_time() + timedelta(…)",
            )
        return micros
