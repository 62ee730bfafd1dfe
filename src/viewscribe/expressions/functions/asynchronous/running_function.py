"""Asynchronous functions as they are run: what the rewrites put in the place of what users call."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeGuard

import msgspec

from viewscribe.expressions.functions.asynchronous.options import AsyncOptions
from viewscribe.expressions.functions.sources import Convention, FunctionParameter
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import Call
from viewscribe.types import BOOLEAN

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
