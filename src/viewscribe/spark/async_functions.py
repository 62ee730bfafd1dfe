"""Asynchronous functions as Spark's: how they are called, and what workers get."""

from __future__ import annotations

from types import ModuleType

from pyspark import cloudpickle

from viewscribe.expressions.functions.asynchronous import author
from viewscribe.expressions.functions.asynchronous.options import (
    DEFAULTS,
    AsyncSettings,
    Manner,
    RunningFunction,
    is_async,
)
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.async_runner import How
from viewscribe.spark.errors import NotInterpretableError


def as_planned(function: UserFunction, settings: AsyncSettings) -> UserFunction:
    """The function as it is registered under its name, for SQL text that Spark plans by itself."""
    if not is_async(function):
        return function
    return RunningFunction(function, settings.of(function.identifier), Manner.PLANNED)


def how_of(function: UserFunction) -> How:
    """How the calls of a function are made in each task."""
    options = function.options if isinstance(function, RunningFunction) else DEFAULTS
    alone = isinstance(function, RunningFunction) and function.manner is Manner.SYNCHRONOUS
    return How(
        name=repr(function),
        capacity=1 if alone else options.capacity,
        timeout=options.timeout,
        attempts=options.tries,
        delay=options.delay,
        gives_rows=function.source.gives_array_of_rows,
    )


def is_guarded(function: UserFunction) -> bool:
    """Whether the first argument says where a call is needed."""
    return isinstance(function, RunningFunction) and function.is_guarded


def runtime(function: UserFunction) -> ModuleType:
    """The runtime, which workers get by value: they need no viewscribe.

    Raises:
        NotInterpretableError: the function cannot be sent to workers.
    """
    from viewscribe.spark import arrow_runtime, async_runner, async_runtime

    for module in (arrow_runtime, async_runner, async_runtime, author):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        cloudpickle.dumps(function.source.implementation)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise NotInterpretableError(
            f"the asynchronous function {function!r} cannot be sent to Spark's workers: {error}",
            hint="make clients and sessions in open(), not in __init__() nor outside of the class",
        ) from error
    return async_runtime
