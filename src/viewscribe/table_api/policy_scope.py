"""Running builders under an environment's functions and type coercion rules."""

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
    """Calls ``builder`` with the environment's functions and type coercion in force."""
    if env.coercion is ANSI:
        return _with_functions(env, builder, *args, **options)
    with coercion(env.coercion):
        return _with_functions(env, builder, *args, **options)


def with_coercion(
    env: TableEnvironment, make: Callable[..., T], *args: object, **options: object
) -> T:
    """Calls ``make`` with the environment's type coercion in force."""
    if env.coercion is ANSI:
        return make(*args, **options)
    with coercion(env.coercion):
        return make(*args, **options)


def _with_functions(
    env: TableEnvironment, builder: Callable[..., T], *args: Any, **options: Any
) -> T:
    """Calls ``builder`` with function names resolved in the environment."""
    # Listing the functions of the catalogs is slow and rarely needed: try the built-in ones first,
    # and load the catalogs only when a name is unknown.
    if not env.has_functions:
        try:
            return builder(*args, **options)
        except ViewscribeError as error:
            if not any(isinstance(each, UnknownFunctionError) for each in error.every):
                raise
    with env.functions.in_force():
        return builder(*args, **options)
