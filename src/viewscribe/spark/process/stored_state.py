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
from viewscribe.spark.process.driver import Driver
from viewscribe.spark.process.plain import Turn, from_plain
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
        self._names = [each.name for each in declared]
        self._back = [
            _back(self._plan.states[each.name], each, shapes[each.name]) for each in declared
        ]
        self.types = text_of(_types(self._plan))
        """The types of the state and of the tables."""

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
        states = driver.plain_states()
        if driver.is_new():
            return None
        return text_of(
            {
                "last": driver.last,
                "watermark": driver.watermark,
                "states": {
                    name: [state, changed]
                    for name, state, changed in zip(
                        self._names, states, driver.changed, strict=True
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
        driver.now = driver.watermark = kept["watermark"]
        for place, (name, back) in enumerate(zip(self._names, self._back, strict=True)):
            if name in kept["states"]:
                plain, changed = kept["states"][name]
                driver.states[place] = back(plain)
                driver.changed[place] = changed
        driver.arrange()
        driver.timers.load(kept["timers"])


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
