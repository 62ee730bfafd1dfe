"""Whether a state holds what it declares: asked in batches as in streams, which have to keep it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.process.inference import StateDeclaration
from viewscribe.expressions.functions.process.rows import MutableRow
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.spark.process.errors import ProcessFunctionError
from viewscribe.spark.process.plain import to_plain
from viewscribe.types import ArrayType, LogicalType, MapType, StructType


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
