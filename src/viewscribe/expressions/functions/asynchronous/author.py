"""Reading what users wrote: a class with ``async def eval``, or a coroutine function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, overload

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.annotations import Hints, as_type
from viewscribe.expressions.functions.asynchronous.base import AsyncScalarFunction
from viewscribe.expressions.functions.python_parameters import Parameters, placed_parameters
from viewscribe.types import LogicalType

Types = Sequence[LogicalType | str]
Coroutine = Callable[..., Awaitable[Any]]


class AsyncUdf:
    """A coroutine function that SQL can call, with what ``async_udf`` was told of it.

    It is still called and awaited like the function itself.
    """

    def __init__(
        self,
        function: Coroutine,
        *,
        returns: LogicalType | str | None = None,
        parameters: Types | None = None,
        deterministic: bool = True,
        name: str | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.returns = returns
        self.parameters = parameters
        self.deterministic = deterministic
        if name is not None:
            self.__name__ = name
        AsyncShape(self)  # what is wrong with it is said where it is written

    def __call__(self, *args: Any) -> Awaitable[Any]:
        return self.function(*args)


@overload
def async_udf(function: Coroutine) -> AsyncUdf: ...


@overload
def async_udf(
    *,
    returns: LogicalType | str | None = None,
    parameters: Types | None = None,
    deterministic: bool = True,
    name: str | None = None,
) -> Callable[[Coroutine], AsyncUdf]: ...


def async_udf(
    function: Coroutine | None = None,
    *,
    returns: LogicalType | str | None = None,
    parameters: Types | None = None,
    deterministic: bool = True,
    name: str | None = None,
) -> Any:
    """Makes a coroutine function an asynchronous scalar function; a decorator.

    Args:
        function: the function, where the decorator has no arguments.
        returns: the type of the result; by default what its annotation says.
        parameters: the types of the parameters; by default what their annotations say.
        deterministic: whether equal arguments give equal results.
        name: what it is called where it is used without being registered.

    Raises:
        ValidationError: it is no coroutine function.
    """

    def make_function(written: Coroutine) -> AsyncUdf:
        return AsyncUdf(
            written,
            returns=returns,
            parameters=parameters,
            deterministic=deterministic,
            name=name,
        )

    return make_function if function is None else make_function(function)


def is_asynchronous(function: object) -> bool:
    """Whether this is meant as an asynchronous function: a class, an object or a coroutine."""
    if isinstance(function, AsyncUdf | AsyncScalarFunction) or _is_coroutine(function):
        return True
    if isinstance(function, type) and issubclass(function, AsyncScalarFunction):
        return True
    return _is_coroutine(getattr(function, "eval", None))


def _is_coroutine(function: Any) -> bool:
    return inspect.iscoroutinefunction(inspect.unwrap(function)) if callable(function) else False


class AsyncShape(msgspec.Struct):
    """How an asynchronous function is called, and what says its types.

    Args:
        function: a class with ``eval``, an object of one, a coroutine function or an ``AsyncUdf``.
    """

    function: Any

    def __post_init__(self) -> None:
        self._check_called()
        if isinstance(self.implementation, type):
            self._check_made()

    @property
    def implementation(self) -> Any:
        """What workers get: the class, the object or the coroutine function."""
        return self.function.function if isinstance(self.function, AsyncUdf) else self.function

    @property
    def deterministic(self) -> bool:
        """What its author says."""
        return getattr(self.function, "deterministic", True) is not False

    @property
    def name(self) -> str:
        """What it is called where it is used without being registered."""
        made = self.function
        return getattr(made, "__name__", None) or type(made).__name__

    @property
    def what(self) -> str:
        """How messages name what is called."""
        made = self.implementation
        named = made if hasattr(made, "__qualname__") else type(made)
        return named.__qualname__ if self._called is made else f"{named.__qualname__}.eval"

    @property
    def _called(self) -> Any:
        made = self.implementation
        return made if not _has_eval(made) else made.eval

    def types(
        self, parameters: Types | None, returns: LogicalType | str | None
    ) -> tuple[Parameters, list[LogicalType], LogicalType]:
        """The parameters and their types, and the type of the result.

        Args:
            parameters: types that the caller says.
            returns: the type that the caller says.

        Raises:
            ValidationError: a type is neither annotated nor given, or the numbers differ.
        """
        hints = Hints(self._called, self.what)
        parameters = parameters or getattr(self.function, "parameters", None)
        returns = returns or getattr(self.function, "returns", None)
        placed = self._place_parameters(None if parameters is None else len(parameters))
        if parameters is None:
            types = [hints.type_of(each.name) for each in placed]
        else:
            types = [as_type(each) for each in parameters]
        if not placed:
            raise ValidationError(
                f"{self.what} takes no argument, and Spark calls such functions with columns only",
                hint="take one argument and ignore it",
            )
        return placed, types, as_type(returns) if returns is not None else hints.type_of("return")

    def _place_parameters(self, given: int | None) -> Parameters:
        skipped = isinstance(self.implementation, type) and _is_method(self.implementation)
        found = placed_parameters(self._called, self.what, skip=skipped, given=given)
        if given is not None and given != len(found):
            raise ValidationError(f"{self.what} has {len(found)} parameters, not {given}")
        return found

    def _check_called(self) -> None:
        made = self.implementation
        if isinstance(made, type | AsyncScalarFunction) and not _has_eval(made):
            raise ValidationError(
                f"the asynchronous function {self.what} has no method eval",
                hint="write the call as `async def eval(self, …)`",
            )
        called = inspect.unwrap(self._called)
        if inspect.isasyncgenfunction(called):
            raise ValidationError(
                f"{self.what} yields, and an asynchronous scalar function gives one value a row",
                hint="return the value; for many values return a list and explode it",
            )
        if not inspect.iscoroutinefunction(called):
            raise ValidationError(
                f"{self.what} is not async: its calls would wait for one another",
                hint="write `async def` and await the client's calls; what has to block is a "
                "plain function: def f(x: int) -> str",
            )

    def _check_made(self) -> None:
        try:
            inspect.signature(self.implementation).bind()
        except TypeError as error:
            name = self.implementation.__name__
            raise ValidationError(
                f"{name} cannot be made without arguments: {error}",
                hint=f"give an object of it: {name}(…)",
            ) from error


def _has_eval(function: Any) -> bool:
    return callable(getattr(function, "eval", None))


def _is_method(function: type) -> bool:
    return inspect.isfunction(inspect.getattr_static(function, "eval", None))
