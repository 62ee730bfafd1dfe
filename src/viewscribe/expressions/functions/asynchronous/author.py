"""Reading what users wrote: a class with ``async def eval``, or a coroutine function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from typing import Any, overload

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.annotations import Hints, as_columns, as_type
from viewscribe.expressions.functions.python_parameters import Parameters, placed_parameters
from viewscribe.types import LogicalType
from viewscribe.types.arguments import checks_flags

# What users inherit from. Spark's workers get this module by value, so it imports nothing.


class AsyncFunction:
    """What every asynchronous function has, unless it says otherwise."""

    def open(self, context: object) -> Any:
        """Called once a task, before the first call; may be ``async``.

        Args:
            context: has ``function``, ``partition``, ``attempt`` and ``capacity``.
        """

    def close(self) -> Any:
        """Called once a task, after the last call or a failure; may be ``async``."""


class AsyncScalarFunction(AsyncFunction):
    """A scalar function whose calls wait for something, and do so together.

        class Lookup(vs.AsyncScalarFunction):
            def __init__(self, url: str) -> None:
                self.url = url

            async def open(self, context: Any) -> None:
                self.session = aiohttp.ClientSession()

            async def eval(self, key: int) -> str:
                async with self.session.get(f"{self.url}/{key}") as response:
                    return await response.text()

            async def close(self) -> None:
                await self.session.close()

    The annotations of ``eval`` are the types of the arguments and of the result. NULL is None. Each
    task of Spark has a copy of the object, which is opened before its first call and closed after
    its last. After ``AsyncScalarFunction`` of the FLIP-400 document, with a coroutine in the place
    of a future.
    """


class AsyncTableFunction(AsyncFunction):
    """A table function whose calls wait for something, and do so together.

        class Orders(vs.AsyncTableFunction):
            async def eval(self, customer: int) -> list[Order]:
                return [Order(…) for each in await self.client.orders_of(customer)]

    ``eval`` returns a list of rows, or yields them (``-> AsyncIterator[Order]``). The annotation
    of a row says the columns: those of a NamedTuple or a dataclass, else one, called ``col``.
    For the rest it is like an ``AsyncScalarFunction``.
    """


Types = Sequence[LogicalType | str]
Coroutine = Callable[..., Awaitable[Any]]
TableCoroutine = Callable[..., Awaitable[Any] | AsyncIterable[Any]]


class AsyncUdf:
    """A coroutine function that SQL can call, with what ``async_udf`` was told of it.

    It is still called and awaited like the function itself.
    """

    def __init__(
        self,
        function: TableCoroutine,
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

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


class AsyncUdtf(AsyncUdf):
    """The same for an asynchronous table function."""


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


@checks_flags
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


@overload
def async_udtf(function: TableCoroutine) -> AsyncUdtf: ...


@overload
def async_udtf(
    *,
    returns: LogicalType | str | None = None,
    parameters: Types | None = None,
    deterministic: bool = True,
    name: str | None = None,
) -> Callable[[TableCoroutine], AsyncUdtf]: ...


def async_udtf(function: TableCoroutine | None = None, **said: Any) -> Any:
    """Makes a coroutine function an asynchronous table function; a decorator.

    The function returns a list of rows, or yields them. The arguments are those of ``async_udf``;
    ``returns`` is a STRUCT of the columns.

    Args:
        function: the function, where the decorator has no arguments.
        said: ``returns``, ``parameters``, ``deterministic`` and ``name``.

    Raises:
        ValidationError: it is no coroutine function, and does not yield asynchronously.
    """
    return functools.partial(AsyncUdtf, **said) if function is None else AsyncUdtf(function, **said)


def is_asynchronous(function: object) -> bool:
    """Whether this is meant as an asynchronous function: a class, an object or a coroutine."""
    if isinstance(function, AsyncUdf) or _is_kind(function, AsyncFunction):
        return True
    return _is_async(function) or _is_async(getattr(function, "eval", None))


def _is_kind(function: object, kind: type) -> bool:
    """Whether it is a class of that kind, or an object of one."""
    return isinstance(function, kind) or (isinstance(function, type) and issubclass(function, kind))


def _is_async(function: Any) -> bool:
    if not callable(function):
        return False
    called = inspect.unwrap(function)
    return inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called)


class AsyncShape(msgspec.Struct):
    """How an asynchronous function is called, and what says its types.

    Args:
        function: a class with ``eval``, an object of one, a coroutine function or an ``AsyncUdf``.
        said: whether it gives rows, where the caller says it and not the function.
    """

    function: Any
    said: bool = False

    def __post_init__(self) -> None:
        self._check_called()
        if isinstance(self.implementation, type):
            self._check_made()

    @property
    def implementation(self) -> Any:
        """What workers get: the class, the object or the coroutine function."""
        return self.function.function if isinstance(self.function, AsyncUdf) else self.function

    @property
    def gives_rows(self) -> bool:
        """Whether it is a table function."""
        if isinstance(self.function, AsyncUdtf) or _is_kind(self.function, AsyncTableFunction):
            return True
        return not self.is_scalar and (self.said or self._yields)

    @property
    def is_scalar(self) -> bool:
        """Whether the function itself says that it gives one value."""
        if isinstance(self.function, AsyncUdf):
            return not isinstance(self.function, AsyncUdtf)
        return _is_kind(self.function, AsyncScalarFunction)

    @property
    def _yields(self) -> bool:
        return inspect.isasyncgenfunction(inspect.unwrap(self._called))

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
        if self.gives_rows:
            rows = hints.rows() if returns is None else as_type(returns)
            return placed, types, as_columns(rows)
        return placed, types, as_type(returns) if returns is not None else hints.type_of("return")

    def _place_parameters(self, given: int | None) -> Parameters:
        skipped = isinstance(self.implementation, type) and inspect.isfunction(
            inspect.getattr_static(self.implementation, "eval", None)
        )
        found = placed_parameters(self._called, self.what, skip=skipped, given=given)
        if given is not None and given != len(found):
            raise ValidationError(f"{self.what} has {len(found)} parameters, not {given}")
        return found

    def _check_called(self) -> None:
        made = self.implementation
        if isinstance(made, type | AsyncFunction) and not _has_eval(made):
            raise ValidationError(
                f"the asynchronous function {self.what} has no method eval",
                hint="write the call as `async def eval(self, …)`",
            )
        if self._yields and self.is_scalar:
            raise ValidationError(
                f"{self.what} yields, and an asynchronous scalar function gives one value a row",
                hint="return the value; what gives rows is a vs.AsyncTableFunction, or is "
                "decorated with @vs.async_udtf",
            )
        if not _is_async(self._called):
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
