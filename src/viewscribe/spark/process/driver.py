"""The driver of a process table function: one partition at a time, its rows in order.

Whoever drives says ``begin``, ``row`` for each row, and ``end``; between them the driver fires
timers by the rule of ``timers.py``. Batches, table functions and streams all go through here, so
that they give the same rows.
"""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.process.context import make_object
from viewscribe.expressions.functions.process.inference import (
    DROP,
    REFUSE,
    Handler,
    StateDeclaration,
)
from viewscribe.expressions.functions.process.rows import MutableRow, Row, RowKind
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.process.plain import to_plain
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.timers import MAX_TIME, WATERMARK, DriverContext, TimerQueue
from viewscribe.spark.process.values import from_micros, shorten
from viewscribe.types import ArrayType, LogicalType, MapType, StructType

# What fails in a task.


class ProcessFunctionError(ViewscribeError):
    """A process table function failed on a row or a timer."""


# Whether a state holds what it declares: asked in batches as in streams, which have to keep it.


class StateCheck:
    """One state of a function: what is in it, and whether it may be.

    Args:
        declared: the state.
        type_: its type in the call.
        function: how messages name the function.
    """

    def __init__(self, declared: StateDeclaration, type_: LogicalType, function: str) -> None:
        self._type = type_
        self._where = f"the state `{declared.name}` of {function}"
        self._out = to_plain(type_)
        self.names = [field.name for field in type_.fields] if isinstance(type_, StructType) else []
        """The names of its fields."""
        self.make = _maker(declared, type_)
        """Gives new state."""
        self._is_collection = isinstance(type_, ArrayType | MapType)
        self._values = _reader(type_, self.make())
        self._pristine = self._values(self.make())
        self.met: list[set[type]] = [set() for _ in self._pristine]
        """The classes of values that each field was found to take."""

    def learn(self, state: Any) -> None:
        """Looks at a state whose fields have values of classes that were not met.

        Raises:
            ProcessFunctionError: it holds something that is not of its type.
        """
        self.plain(state)
        for met, value in zip(self.met, self._values(state), strict=True):
            met.add(type(value))

    def plain(self, state: Any) -> Any:
        """The state as plain data.

        Raises:
            ProcessFunctionError: it holds something that is not of its type.
        """
        try:
            return self._out(state._items if self._is_collection else state)
        except (TypeError, ValueError, ViewscribeError) as error:
            raise ProcessFunctionError(
                f"{self._where} is {self._type.as_nullable().ddl}, and holds {state!r}: {error}",
                hint="keep what is declared alone, or declare it: a field, or another type by "
                'StateHint(type="…")',
            ) from error

    def is_new(self, state: Any) -> bool:
        """Whether the state is as it was made, so that there is nothing to be kept."""
        found: bool = self._values(state) == self._pristine
        return found


def fit(checks: Sequence[StateCheck]) -> Callable[[Sequence[Any]], bool]:
    """What tells whether states have fields of classes that were met.

    Asked after each row, so it is one expression over all fields, as dataclasses make methods.
    Other attributes, what lists and maps hold, and whether numbers fit is not looked at.
    """
    names: dict[str, Any] = {"type": type, "len": len}
    terms = []
    for place, check in enumerate(checks):
        made, state = check.make(), f"s[{place}]"
        if type(made) in _COLLECTIONS:
            continue
        for number, (name, met) in enumerate(zip(check.names, check.met, strict=True)):
            names[f"met_{place}_{number}"] = met
            value = f"{state}._values[{name!r}]" if type(made) is MutableRow else f"{state}.{name}"
            terms.append(f"type({value}) in met_{place}_{number}")
    found: Callable[[Sequence[Any]], bool] = eval(f"lambda s: {' and '.join(terms) or True}", names)
    return found


_COLLECTIONS = (ListState, MapState)


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


def _reader(type_: LogicalType, made: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values that a state holds: those of its fields, or of all its elements."""
    if type(made) in _COLLECTIONS:
        return lambda state: (state._items,)
    if isinstance(made, MutableRow):
        return tuple
    assert isinstance(type_, StructType)
    names = [field.name for field in type_.fields]
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda state: (only(state),)
    return attrgetter(*names) if names else lambda state: ()


Collected = Callable[[Any, RowKind, "int | None", Any], None]
"""Takes a row of the result, its kind, its time, and what it was made of: a row, or a timer."""


class Driver:
    """Calls a function for the rows and timers of one partition after the other.

    Args:
        plan: the call.
        collected: takes the rows that the function gives.
    """

    def __init__(self, plan: CallPlan, collected: Collected) -> None:
        self.plan = plan
        self.signature = plan.signature
        self.function = make_object(plan.function)
        self.time: int | None = None
        """The time of the row or timer that is being processed."""
        self.now: int | None = None
        """The same, but never before what was processed already: a timer may be for the past."""
        self.watermark: int | None = None
        self.last: int | None = None
        """The time of the last row of the partition."""
        self.timers = TimerQueue(self._fire)
        self.following: int | None = None
        self.marked: int | None = None
        """The last time for which timers on watermark have had their turn."""
        self.timer: str | None = None
        self._origin: Any = None
        self._collected = collected
        self.function._collector = self._collect
        self._context = DriverContext(self)
        self._checks = [
            StateCheck(declared, plan.states[declared.name], self.signature.name)
            for declared in self.signature.states
        ]
        self._fits = fit(self._checks)
        self._has_ttl = any(declared.ttl is not None for declared in self.signature.states)
        self._eval = self.function.eval  # type: ignore[attr-defined]
        self._tells_time = self.signature.eval.takes_context
        self._timed = plan.time_name is not None
        self.takes_late = False
        """Whether a row may come after later ones, as a late one of a stream may."""
        self.by_clock = False
        """Whether rows and timers have the time at which they are processed."""
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
        self._changeable = [
            (start + place, constant)
            for place, constant in enumerate(scalars)
            if isinstance(constant, list | dict | Row)
        ]
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
        self.timers.begin()
        self.time = self.now = self.watermark = self.last = self.marked = None
        self._renew_all()

    def renew(self, names: Sequence[str] | None = None) -> None:
        """New state, all of it or that of some names."""
        if names is None:
            self.plain_states()
            self._renew_all()
        else:
            self._renew_some([self.signature.eval.states.index(name) for name in names])

    def _renew_all(self) -> None:
        self.states = [check.make() for check in self._checks]
        self.changed = [None] * len(self.states)
        self.arrange()

    def _renew_some(self, places: Sequence[int]) -> None:
        for place in places:
            self._checks[place].plain(self.states[place])
            self.states[place] = self._checks[place].make()
            self.changed[place] = None
        self.arrange()

    def plain_states(self) -> list[Any]:
        """The state as plain data.

        Raises:
            ProcessFunctionError: a state holds something that is not of its type.
        """
        return list(map(StateCheck.plain, self._checks, self.states))

    def _learn_states(self) -> None:
        for check, state in zip(self._checks, self.states, strict=True):
            check.learn(state)

    def is_new(self) -> bool:
        """Whether nothing of the partition is left to be kept: no timer, and state as it began."""
        return not self.timers and all(map(StateCheck.is_new, self._checks, self.states))

    def arrange(self) -> None:
        """Hands the state there is to ``eval``."""
        context = [self._context] if self.signature.eval.takes_context else []
        self._args = [*context, *self.states, *self._after_states]

    def call(self) -> None:
        """The one call of a function without tables."""
        self._origin = _Call(self.signature.name, self.plan.scalars)
        self._evaluate(self._args, self._origin)

    def _evaluate(self, args: list[Any], origin: object) -> None:
        """Calls ``eval``; what it changes of a constant, the next call does not see."""
        for changeable, constant in self._changeable:
            args[changeable] = copy.deepcopy(constant)
        try:
            given = self._eval(*args)
            if given is not None:
                raise _returned(given)
            if not self._fits(self.states):
                self._learn_states()
        except Exception as error:
            raise self._failed(error, "eval", origin) from error

    def row(self, source: int, row: object, time: int | None) -> None:
        """One row of a table, at a time that is not before that of the row before."""
        if self._timed:
            if time is None:
                if self.plan.null_times == DROP:
                    return
                if self.plan.null_times == REFUSE:
                    raise no_time_error(self.plan, source, shorten(row))
                self._end_time()
            elif time != self.last:
                if self.watermark == MAX_TIME:
                    raise self._out_of_order(source, row, time)
                if self.last is not None:
                    if time < self.last and not self.takes_late:
                        raise self._out_of_order(source, row, time)
                    if self.timers.on_watermark is not None:
                        self._on_watermark()
                    if self.timers.earliest < time:
                        self.timers.advance_before(time)
                    self.watermark = None if self._tells_time and self.is_new() else time - 1
                self.last = time
        self.time = self.now = time
        before = self._expire() if self._has_ttl else None
        args, place = self._args, self._places[source]
        args[place] = self._origin = row
        self._evaluate(args, row)
        args[place] = None
        if before is not None:
            self._note_changes(before)
        if time is not None and self.timers.earliest < time:
            self.timers.advance_before(time)

    def _out_of_order(self, source: int, row: Any, time: int) -> ProcessFunctionError:
        table = self.plan.sources[source]
        no_time = self.watermark == MAX_TIME or self.last is None
        before = "without a time" if no_time else f"at {self.shown(self.last or 0)}"
        return ProcessFunctionError(
            f"{self.signature.name}: the rows of the table `{table.name}` do not come in the order "
            f"of `{table.time}`: one at {self.shown(time)} after one {before}",
            location=shorten(row),
            hint=f"write ORDER BY ({table.time}{' NULLS LAST' if no_time else ''}) in the call, "
            "after PARTITION BY",
        )

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
        try:
            self.plain_states()
        except ProcessFunctionError as error:
            error.location = f"the partition that ends with {shorten(self._origin)}"
            raise
        self._on_watermark()
        self.timers.advance_to(MAX_TIME)
        finish = self.signature.finish
        if finish is not None:
            self.time = self.now = self.last
            self.watermark = MAX_TIME
            self._handle("finish", finish)

    def _end_time(self) -> None:
        """What fires before rows without a time, which come after all others."""
        if self.watermark != MAX_TIME:
            self._on_watermark()
            self.marked = self.last
            self.timers.advance_to(MAX_TIME)
            self.watermark = MAX_TIME

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
        self.time, self.timer, self._origin = time, name, _Timer(name)
        if self.now is None or time > self.now:
            self.now = time
        if (
            not self.by_clock
            and name != WATERMARK
            and (self.watermark is None or time > self.watermark)
        ):
            self.watermark = time
        self._handle("on_timer", handler)
        self.timer = None

    def _handle(self, method: str, handler: Handler) -> None:
        before = self._expire() if self._has_ttl else None
        by_name = dict(zip(self.signature.eval.states, self.states, strict=True))
        args = [by_name[name] for name in handler.states]
        if handler.takes_context:
            args.insert(0, self._context)
        try:
            given = getattr(self.function, method)(*args)
            if given is not None:
                raise _returned(given)
            if not self._fits(self.states):
                self._learn_states()
        except Exception as error:
            raise self._failed(error, method, None) from error
        if before is not None:
            self._note_changes(before)

    # -- time to live --------------------------------------------------------------------------

    def _expire(self) -> list[tuple[Any, Any]]:
        """Renews the state that has expired; gives the state there is, to be compared with."""
        now = self.now
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
                self.changed[place] = self.now

    # -- collecting ----------------------------------------------------------------------------

    def _collect(self, row: Any, kind: RowKind = RowKind.INSERT) -> None:
        self._collected(row, kind, self.now, self._origin)

    def _failed(self, error: Exception, method: str, row: Any) -> Exception:
        at = None if self.time is None else self.shown(self.time)
        where = [] if row is None else [f"row {shorten(row)}"]
        if isinstance(row, _Call):
            where = [shorten(row)]
        if self.timer is not None:
            where.append(f"timer {self.timer!r}")
        if at is not None:
            where.append(f"at {at}")
        location = ", ".join(where) or None
        if isinstance(error, ProcessFunctionError):
            error.location = error.location or location
            return error
        cause = error.message if isinstance(error, ViewscribeError) else repr(error)
        return ProcessFunctionError(
            f"{self.signature.name}.{method} failed: {cause}",
            location=location,
            hint=getattr(error, "hint", None),
        )

    def shown(self, time: int) -> str:
        """A time for messages."""
        return str(from_micros(time, self.plan.naive))


def no_time_error(plan: CallPlan, source: int, row: str) -> ProcessFunctionError:
    """A row of a table has no time, and the call does not say what is to be done with it."""
    table = plan.sources[source]
    return ProcessFunctionError(
        f"{plan.name}: a row of the table `{table.name}` has NULL in its time column "
        f"`{table.time}`",
        location=row,
        hint="write null_times='drop' in the call to leave such rows out, or 'last' to have them "
        "after all others; or give them a time before",
    )


class _Call:
    """What messages show in the place of a row where there is no table."""

    def __init__(self, name: str, scalars: Mapping[str, Any]) -> None:
        self._name, self._scalars = name, scalars

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._scalars.items())
        return f"{self._name}({given})"


class _Timer:
    """What messages show in the place of a row where a timer fires."""

    def __init__(self, name: str | None) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"timer {self._name!r}"


def _returned(value: Any) -> ValidationError:
    return ValidationError(
        f"it returned {shorten(value)}, and what is returned is not a row of the result",
        hint="give rows of the result with self.collect(row), and return nothing",
    )


def _frozen(state: Any) -> Any:
    if hasattr(state, "_items"):
        return copy.deepcopy(state._items)
    if isinstance(state, MutableRow):
        return copy.deepcopy(state.as_dict())
    if dataclasses.is_dataclass(state):  # it may have slots, and compare as it likes
        return copy.deepcopy([getattr(state, each.name) for each in dataclasses.fields(state)])
    return copy.deepcopy(state)
