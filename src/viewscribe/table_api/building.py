"""Building with what an environment means: its functions, and how it brings types together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from viewscribe.errors import UnknownFunctionError, ViewscribeError
from viewscribe.types.policy import ANSI, coercion

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

T = TypeVar("T")


def in_force(
    env: TableEnvironment, builder: Callable[..., T], *args: object, **options: object
) -> T:
    """What ``builder`` makes, with the functions and the coercion of the environment in force."""
    if env.coercion is ANSI:
        return _with_functions(env, builder, *args, **options)
    with coercion(env.coercion):
        return _with_functions(env, builder, *args, **options)


def with_coercion(
    env: TableEnvironment, make: Callable[..., T], *args: object, **options: object
) -> T:
    """What ``make`` makes, with the types that Spark gives under the environment's settings."""
    if env.coercion is ANSI:
        return make(*args, **options)
    with coercion(env.coercion):
        return make(*args, **options)


def _with_functions(
    env: TableEnvironment, builder: Callable[..., T], *args: Any, **options: Any
) -> T:
    """What ``builder`` makes; names of functions mean what they mean in the environment.

    An environment whose functions nobody has asked for has built-in functions alone, until one of
    them is not enough: only then its catalogs are looked into.
    """
    if not env.has_functions:
        try:
            return builder(*args, **options)
        except ViewscribeError as error:
            if not any(isinstance(each, UnknownFunctionError) for each in error.every):
                raise
    with env.functions.in_force():
        return builder(*args, **options)
