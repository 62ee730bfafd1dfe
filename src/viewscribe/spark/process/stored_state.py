"""A partition between two micro-batches: its state and timers as text, and back into a driver.

State is JSON of plain values by the declared types, never a pickle: a class may move or change as
long as its columns stay. The types are kept beside it, so that a changed one is an error that says
which, and not a value that means something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.process.inference import StateDeclaration
from viewscribe.expressions.functions.process.rows import MutableRow
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.process.driver import Driver, ProcessFunctionError
from viewscribe.spark.process.plain import Turn, from_plain, to_plain
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.process.shapes import Shape
from viewscribe.types import ArrayType, LogicalType, MapType, StructType


class StateChangedError(ViewscribeError):
    """What a checkpoint keeps of a function is of other types than the function has now."""


def text_of(plain: object) -> str:
    """Plain data as JSON."""
    return msgspec.json.encode(plain).decode()


def plain_of(text: str) -> Any:
    """The plain data of JSON."""
    return msgspec.json.decode(text)


class Keeper:
    """Turns the partition that a driver holds into text, and back.

    Args:
        driver: the driver.
        shapes: which classes the values of each state are of.
    """

    def __init__(self, driver: Driver, shapes: Mapping[str, Shape]) -> None:
        self._driver = driver
        self._plan = driver.plan
        declared = driver.signature.states
        self._states = [_StateTurns(each, self._plan, shapes[each.name]) for each in declared]
        self.types = text_of(_types(self._plan))
        """The types of the state and of the tables."""
        self._new = [each.out(made) for each, made in zip(self._states, driver.states, strict=True)]

    def check(self, types: str) -> None:
        """Refuses what was kept under other types; a state that has come since is new.

        Raises:
            StateChangedError: names the state, or the table, its old and its new type.
        """
        if types != self.types:
            _compare(self._plan, plain_of(types))

    def dump(self) -> str | None:
        """The partition as text; None where nothing of it is left to be kept.

        Raises:
            ProcessFunctionError: a state holds something that is not of its type.
        """
        driver = self._driver
        states = [each.out(state) for each, state in zip(self._states, driver.states, strict=True)]
        if states == self._new and not driver.timers:
            return None
        return text_of(
            {
                "last": driver.last,
                "watermark": driver.watermark,
                "states": {
                    each.name: [state, changed]
                    for each, state, changed in zip(
                        self._states, states, driver.changed, strict=True
                    )
                },
                "timers": driver.timers.dump(),
            }
        )

    def load(self, text: str | None) -> None:
        """Begins the partition that the text is of; a new one for None."""
        driver = self._driver
        driver.begin()
        if text is None:
            return
        kept = plain_of(text)
        driver.last = driver.marked = kept["last"]
        driver.watermark = kept["watermark"]
        for place, each in enumerate(self._states):
            if each.name in kept["states"]:
                plain, changed = kept["states"][each.name]
                driver.states[place] = each.back(plain)
                driver.changed[place] = changed
        driver.arrange()
        driver.timers.load(kept["timers"])


class _StateTurns:
    """One state, to plain data and back."""

    def __init__(self, declared: StateDeclaration, plan: CallPlan, shape: Shape) -> None:
        self.name = declared.name
        self._type = plan.states[declared.name]
        self._where = f"the state `{declared.name}` of {plan.name}"
        self._out = to_plain(self._type)
        self._in = _back(self._type, declared, shape)
        self._names = (
            {field.name for field in self._type.fields}
            if isinstance(self._type, StructType)
            else None
        )

    def out(self, state: Any) -> Any:
        """The state as plain data."""
        self._refuse_more(state)
        try:
            return self._out(state._items if isinstance(state, ListState | MapState) else state)
        except (TypeError, ValueError, ViewscribeError) as error:
            raise ProcessFunctionError(
                f"{self._where} is {self._type.as_nullable().ddl}, and holds {state!r}: {error}",
                hint="keep values of the declared types alone, or declare another type: "
                'StateHint(type="…")',
            ) from error

    def back(self, plain: Any) -> Any:
        """The state of plain data."""
        return self._in(plain)

    def _refuse_more(self, state: Any) -> None:
        more = getattr(state, "__dict__", None)
        if more and self._names is not None and not self._names.issuperset(more):
            extra = min(set(more) - self._names)
            raise ProcessFunctionError(
                f"{self._where} was given the attribute `{extra}`, which is none of its fields and "
                "would be lost between micro-batches",
                hint="declare it as a field",
            )


def _back(type_: LogicalType, declared: StateDeclaration, shape: Shape) -> Turn:
    if isinstance(type_, ArrayType):
        items = from_plain(type_, shape)
        return lambda plain: ListState(items(plain))
    if isinstance(type_, MapType):
        pairs = from_plain(type_, shape)
        return lambda plain: MapState(pairs(plain))
    assert isinstance(type_, StructType)
    record = from_plain(type_, shape)
    if declared.make is not None:
        return record
    names = [field.name for field in type_.fields]
    return lambda plain: MutableRow(names, record(plain))


# -- types -----------------------------------------------------------------------------------------


def _types(plan: CallPlan) -> dict[str, dict[str, str]]:
    return {
        "states": {name: type_.as_nullable().ddl for name, type_ in plan.states.items()},
        "tables": {
            source.name: ", ".join(
                f"{field.name} {field.type.as_nullable().ddl}" for field in source.columns
            )
            for source in plan.sources
        },
    }


def _compare(plan: CallPlan, kept: Mapping[str, Mapping[str, str]]) -> None:
    now = _types(plan)
    for name, old in kept["states"].items():
        new = now["states"].get(name)
        if new is None:
            raise StateChangedError(
                f"the checkpoint keeps the state `{name}` {old} of {plan.name}, which declares no "
                "such state any more",
                location=f"({', '.join(now['states'])})",
                hint="declare it again, under that name, or begin with a new checkpoint directory",
            )
        if new != old:
            raise _changed_error(plan, f"the state `{name}`", old, new)
    for name, old in kept["tables"].items():
        new = now["tables"].get(name, "not passed")
        if new != old:
            raise _changed_error(plan, f"the table `{name}`", f"({old})", f"({new})")


def _changed_error(plan: CallPlan, what: str, old: str, new: str) -> StateChangedError:
    return StateChangedError(
        f"{what} of {plan.name} is {new}, and the checkpoint was written when it was {old}",
        hint="give it the old type again, or begin with a new checkpoint directory",
    )
