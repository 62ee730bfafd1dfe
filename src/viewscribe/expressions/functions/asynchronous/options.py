"""How calls of asynchronous functions are made: the settings, as Flink's documents name them.

    table.exec.async-scalar.system.<function>.<key>
    table.exec.async-scalar.<catalog>.<database>.<function>.<key>

For table functions it is ``async-table``; both are read for either, as a function has one kind.
They are settings of an environment and not of Spark: viewscribe carries them out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeGuard

import msgspec

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionParameter,
    UserFunction,
)
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import Call
from viewscribe.types import BOOLEAN
from viewscribe.types.identifiers import parse_name

PREFIXES = ("table.exec.async-scalar.", "table.exec.async-table.")
"""How the names of these settings begin."""


class OutputMode(Enum):
    """In which order results come: in that of the rows, or as they are there."""

    ORDERED = "ORDERED"
    ALLOW_UNORDERED = "ALLOW_UNORDERED"


class RetryStrategy(Enum):
    """What follows a call that failed: another one after a while, or nothing."""

    FIXED_DELAY = "FIXED_DELAY"
    NO_RETRY = "NO_RETRY"


class AsyncOptions(msgspec.Struct, frozen=True):
    """How the calls of one function are made; the defaults are Flink's.

    Args:
        capacity: how many calls a task has open at once.
        timeout: the seconds that a call may take, all its attempts together.
        output: in which order results come.
        retry: what follows a call that failed.
        delay: the seconds between two attempts.
        attempts: how many attempts there are at most.
    """

    capacity: int = 10
    timeout: float = 180.0
    output: OutputMode = OutputMode.ORDERED
    retry: RetryStrategy = RetryStrategy.FIXED_DELAY
    delay: float = 0.1
    attempts: int = 3

    @property
    def tries(self) -> int:
        """How many attempts a call has."""
        return 1 if self.retry is RetryStrategy.NO_RETRY else self.attempts

    def __str__(self) -> str:
        tried = "no second attempt"
        if self.tries > 1:
            tried = f"{self.tries} attempts {shown_duration(self.delay)} apart"
        return f"{self.capacity} at once, {shown_duration(self.timeout)} for each, {tried}"


DEFAULTS = AsyncOptions()

Key = tuple[str, ...]


class AsyncSettings(msgspec.Struct, frozen=True):
    """The options of every function that the settings name."""

    by_function: Mapping[Key, AsyncOptions]

    def of(self, identifier: FunctionIdentifier) -> AsyncOptions:
        """The options of one function; the defaults where nothing is said of it."""
        return self.by_function.get(identifier.key, DEFAULTS)


def is_async_setting(name: str) -> bool:
    """Whether a setting is one of these, and none of Spark's."""
    return name.startswith(PREFIXES)


def sparks_own(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings without those that viewscribe carries out itself."""
    return {name: value for name, value in settings.items() if not is_async_setting(name)}


def async_settings(settings: Mapping[str, str]) -> AsyncSettings:
    """The options in the settings of an environment.

    Raises:
        ValidationError: a key that there is not, or a value that it does not take.
    """
    found: dict[Key, dict[str, tuple[str, Any]]] = {}
    for name, value in settings.items():
        if not is_async_setting(name):
            continue
        identifier, key = _split(name)
        options = found.setdefault(identifier.key, {})
        field, read = _KEYS[key]
        said = read(name, str(value).strip())
        other, known = options.setdefault(field, (name, said))
        if known != said:
            raise ValidationError(
                f"`{other}` and `{name}` say different things",
                hint="they are one: keep one of them",
            )
    made = {
        key: AsyncOptions(**{field: value for field, (_, value) in options.items()})
        for key, options in found.items()
    }
    return AsyncSettings(made)


def _split(name: str) -> tuple[FunctionIdentifier, str]:
    prefix = next(each for each in PREFIXES if name.startswith(each))
    path, _, key = name.removeprefix(prefix).rpartition(".")
    if key not in _KEYS:
        known = ", ".join(_KEYS)
        near = did_you_mean(key, _KEYS)
        raise ValidationError(
            f"there is no option `{key}` of asynchronous functions: `{name}`",
            hint=f"{near}; the options are {known}" if near else f"the options are {known}",
        )
    match parse_name(path):
        case ("system", function):
            return FunctionIdentifier(function), key
        case (catalog, database, function):
            return FunctionIdentifier(function, database, catalog), key
    raise ValidationError(
        f"`{name}` does not say of which function",
        hint=f"write {prefix}system.<function>.{key}, or "
        f"{prefix}<catalog>.<database>.<function>.{key}",
    )


# -- values ----------------------------------------------------------------------------------------

_UNITS = {
    "ms": 0.001, "milli": 0.001, "millis": 0.001, "millisecond": 0.001, "milliseconds": 0.001,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "min": 60.0, "mins": 60.0, "m": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)
_SHOWN = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def shown_duration(seconds: float) -> str:
    """The duration as it may be written in a setting."""
    for unit, size in _SHOWN:
        if seconds >= size and math.isclose(seconds % size, 0, abs_tol=1e-9):
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1000:.10g} ms"


def _duration(name: str, value: str) -> float:
    found = _DURATION.fullmatch(value)
    size = None if found is None else _UNITS.get(found.group(2).lower())
    if found is None or size is None:
        raise _bad(name, value, "a number and a unit: '200 ms', '30 s', '3 min', '1 h'")
    return float(found.group(1)) * size


def _some_time(name: str, value: str) -> float:
    seconds = _duration(name, value)
    if seconds <= 0:
        raise _bad(name, value, "more than nothing: '3 min'")
    return seconds


def _count(name: str, value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise _bad(name, value, "a whole number from 1")
    return int(value)


def _one_of(kind: type[Enum]) -> Callable[[str, str], Any]:
    def read(name: str, value: str) -> Any:
        try:
            return kind(value.upper())
        except ValueError:
            raise _bad(name, value, " or ".join(each.value for each in kind)) from None

    return read


def _bad(name: str, value: str, wanted: str) -> ValidationError:
    return ValidationError(f"`{name}` cannot be {value!r}", hint=f"it is {wanted}")


_KEYS: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "buffer-capacity": ("capacity", _count),
    "max-concurrent-operations": ("capacity", _count),
    "timeout": ("timeout", _some_time),
    "output-mode": ("output", _one_of(OutputMode)),
    "retry-strategy": ("retry", _one_of(RetryStrategy)),
    "fixed-delay": ("delay", _duration),
    "max-attempts": ("attempts", _count),
}
"""The options: the field each sets, and how its value is read."""


# Asynchronous functions as they are run: what the rewrites put in the place of what users call.

_GUARDED = " where needed"


class Manner(Enum):
    """How the calls of a function are made.

    ``ORDERED``: many at once, results in the order of the rows. ``UNORDERED``: many at once,
    whole rows as they are ready. ``SYNCHRONOUS``: one after the other, where the call stands.
    ``PLANNED``: many at once, where Spark puts the call.
    """

    ORDERED = "ordered"
    UNORDERED = "unordered"
    SYNCHRONOUS = "synchronous"
    PLANNED = "planned"


def is_async(function: object) -> TypeGuard[UserFunction]:
    """Whether it is an asynchronous function, of one value or of rows."""
    return isinstance(function, UserFunction) and function.source.convention is Convention.ASYNC


def is_async_call(node: Node) -> TypeGuard[Call]:
    """Whether the node calls an asynchronous function."""
    return type(node) is Call and is_async(node.function)


def gives_array_of_rows(node: Node) -> TypeGuard[Call]:
    """Whether the node calls an asynchronous table function: it is an array of the rows."""
    return type(node) is Call and (
        is_async(node.function) and node.function.source.gives_array_of_rows
    )


class GuardedFunction(UserFunction):
    """An asynchronous function with one argument more, the first: whether the value is needed.

    Where it is not TRUE no call is made, and the value is NULL. So a call in a branch of CASE can
    be moved out of it.

    Args:
        function: what users call.
    """

    __slots__ = ("called",)

    def __init__(self, function: UserFunction) -> None:
        self.called = function
        source = function.source
        needed = FunctionParameter("needed", BOOLEAN)
        parameters = (needed, *(source.parameters or ()))
        name = f"{function.identifier.name}{_GUARDED}"
        super().__init__(
            msgspec.structs.replace(function.identifier, name=name),
            msgspec.structs.replace(source, parameters=parameters),
            temporary=function.temporary,
            anonymous=function.anonymous,
        )

    def of_author(self, change: Callable[[UserFunction], UserFunction]) -> UserFunction:
        """The same with another function in the place of the one that users call."""
        return GuardedFunction(self.called.of_author(change))

    def __reduce__(self) -> tuple[Any, ...]:
        return (GuardedFunction, (self.called,))


class RunningFunction(UserFunction):
    """An asynchronous function with all that is known of how it is to be called.

    Where it has a step of its own it counts as not deterministic, so that Spark makes each call
    exactly once: it neither repeats nor moves what is not deterministic.

    Args:
        function: what users call, or a ``GuardedFunction``.
        options: its options.
        manner: how the calls are made.
    """

    __slots__ = ("called", "manner", "options")

    def __init__(self, function: UserFunction, options: AsyncOptions, manner: Manner) -> None:
        self.called = function
        self.options = options
        self.manner = manner
        source = function.source
        if manner in (Manner.ORDERED, Manner.UNORDERED):
            source = msgspec.structs.replace(source, deterministic=False)
        super().__init__(
            function.identifier,
            source,
            temporary=function.temporary,
            anonymous=function.anonymous,
        )

    def of_author(self, change: Callable[[UserFunction], UserFunction]) -> UserFunction:
        """The same with another function in the place of the one that users call."""
        return RunningFunction(self.called.of_author(change), self.options, self.manner)

    @property
    def is_guarded(self) -> bool:
        """Whether its first argument says whether a call is needed."""
        return isinstance(self.called, GuardedFunction)

    @property
    def author(self) -> UserFunction:
        """The function that users call."""
        return self.called.called if isinstance(self.called, GuardedFunction) else self.called

    @property
    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity, self.is_guarded, self.manner, self.options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunningFunction) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self.identifier.key)

    def __repr__(self) -> str:
        return repr(self.author)

    def __reduce__(self) -> tuple[Any, ...]:
        return (RunningFunction, (self.called, self.options, self.manner))
