"""Aggregate functions with an accumulator, as users write them in Python.

After ``AggregateFunction`` of Flink, to whose methods the FLIP-51 document leaves aggregates. It is
a protocol: a class needs the methods, not the base, so that it needs no viewscribe where Spark runs
it.
"""

from __future__ import annotations

import inspect
from typing import Protocol, TypeVar

from viewscribe.errors import ValidationError

Accumulator = TypeVar("Accumulator")
Value = TypeVar("Value", covariant=True)


class AggregateFunction(Protocol[Accumulator, Value]):
    """What a class is that ``create_temporary_system_function`` takes as an aggregate function.

        class Mean:
            def create_accumulator(self) -> list[float]:
                return [0.0, 0]

            def accumulate(self, accumulator: list[float], x: float) -> None:
                if x is not None:
                    accumulator[0] += x
                    accumulator[1] += 1

            def get_value(self, accumulator: list[float]) -> float | None:
                return accumulator[0] / accumulator[1] if accumulator[1] else None

    The annotations of ``accumulate`` after the accumulator are the types of the arguments, that of
    ``get_value`` is the type of the result. NULL is None. A group without rows has the value of a
    new accumulator.

    A class may have a method ``merge(self, accumulator, accumulators)`` too, which brings further
    accumulators of a group into the first. Where it is there, each batch of a group's rows has an
    accumulator of its own; else all rows go into one.
    """

    def create_accumulator(self) -> Accumulator:
        """An accumulator of no rows."""

    def accumulate(self, accumulator: Accumulator, *values: object) -> None:
        """Takes in the values of one row, changing the accumulator."""

    def get_value(self, accumulator: Accumulator) -> Value:
        """The value of the function for the rows taken in."""


_NEEDED = ("create_accumulator", "accumulate", "get_value")


def is_accumulating(function: object) -> bool:
    """Whether this is meant as an ``AggregateFunction``: a class or an object with one of them."""
    # Many things have a method accumulate, a function of NumPy for one.
    names = ("create_accumulator", "get_value")
    return any(callable(getattr(function, name, None)) for name in names)


def check_accumulators(function: object, what: str) -> None:
    """Raises what an aggregate function with an accumulator lacks."""
    lacking = [name for name in _NEEDED if not callable(getattr(function, name, None))]
    if lacking:
        raise ValidationError(
            f"the aggregate function {what} has no method {' and no '.join(lacking)}",
            hint=f"it needs {', '.join(_NEEDED)}; merge is optional",
        )
    if isinstance(function, type):
        try:
            inspect.signature(function).bind()
        except TypeError as error:
            raise ValidationError(
                f"{what} cannot be made without arguments: {error}",
                hint=f"give an object of it: {function.__name__}(…)",
            ) from error
